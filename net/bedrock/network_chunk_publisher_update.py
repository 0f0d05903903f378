"""NetworkChunkPublisherUpdate: the circle inside which columns are kept alive (wire.md 2.5).

The position is signed (zigzag y) at every protocol: minecraft-data calls it a block position with unsigned y, three
other implementations say signed.
"""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos, ColumnPos
from net.wire.fields import COLUMN_POS, SIGNED_BLOCK_POS, U32LE, UV32, Field, listed


@frozen
class NetworkChunkPublisherUpdate:
    """Where the server publishes columns.

    Attributes:
        position: the circle's centre.
        radius_blocks: its radius in blocks.
        built: columns that the server itself makes; from protocol 544, at most 9216.
    """

    position: BlockPos
    radius_blocks: int
    built: tuple[ColumnPos, ...] = ()


COLUMNS = listed(COLUMN_POS, U32LE)

PACKET = Packet(
    121,
    NetworkChunkPublisherUpdate,
    (
        Field("position", SIGNED_BLOCK_POS),
        Field("radius_blocks", UV32),
        Field("built", COLUMNS, since=544),
    ),
)
