"""CreativeContent: the creative inventory. A viewer needs only to skip it, real clients to receive it."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import REST, Field


@dataclass(frozen=True, slots=True)
class CreativeContent:
    """Items.

    Attributes:
        items: a uv32 count and that many items, not decoded; the default is none.
    """

    items: bytes = b"\x00"


PACKET = Packet(
    145,
    CreativeContent,
    (Field("items", REST),),
)
