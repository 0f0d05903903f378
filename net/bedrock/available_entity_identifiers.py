"""AvailableEntityIdentifiers: what entities exist. A viewer needs only to skip it, real clients to receive it."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import REST, Field


@frozen
class AvailableEntityIdentifiers:
    """Entities as one compound.

    Attributes:
        nbt: a root of network NBT, not decoded; the default is the empty one.
    """

    nbt: bytes = b"\x0a\x00\x00"


PACKET = Packet(
    119,
    AvailableEntityIdentifiers,
    (Field("nbt", REST),),
)
