"""ChunkRadiusUpdated: how far the server gives columns."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import ZZ32, Field


@dataclass(frozen=True, slots=True)
class ChunkRadiusUpdated:
    """The answer to RequestChunkRadius.

    Attributes:
        radius: in columns; may be smaller than asked.
    """

    radius: int


PACKET = Packet(
    70,
    ChunkRadiusUpdated,
    (Field("radius", ZZ32),),
)
