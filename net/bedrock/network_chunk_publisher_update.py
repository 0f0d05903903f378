"""NetworkChunkPublisherUpdate: the circle inside which columns are kept alive (wire.md 2.5).

The position is signed (zigzag y) at every protocol: minecraft-data calls it a block position with unsigned y, three
other implementations say signed.
"""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.space.positions import BlockPos
from net.wire.fields import SIGNED_BLOCK_POS, UV32, Field


@dataclass(frozen=True, slots=True)
class NetworkChunkPublisherUpdate:
    """Where the server publishes columns.

    Attributes:
        position: the circle's centre.
        radius_blocks: its radius in blocks.
    """

    position: BlockPos
    radius_blocks: int


PACKET = Packet(
    121,
    NetworkChunkPublisherUpdate,
    (
        Field("position", SIGNED_BLOCK_POS),
        Field("radius_blocks", UV32),
    ),
)
