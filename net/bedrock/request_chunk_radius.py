"""RequestChunkRadius: how far the client wants columns."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import ZZ32, Field


@dataclass(frozen=True, slots=True)
class RequestChunkRadius:
    """Asked for once at login and whenever the setting changes.

    Attributes:
        radius: in columns.
    """

    radius: int


PACKET = Packet(
    69,
    RequestChunkRadius,
    (Field("radius", ZZ32),),
)
