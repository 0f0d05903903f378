"""ChunkRadiusUpdated: how far the server gives columns."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import ZZ32, Field


@frozen
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
