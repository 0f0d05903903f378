"""UpdateBlock: one block changes (wire.md 2.4)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, UV32, Field


@frozen
class UpdateBlock:
    """One block of one layer.

    Attributes:
        position: absolute.
        runtime_id: unsigned also where ids are hashes.
        flags: 1 neighbours, 2 network, 4 no graphics; a viewer ignores them.
        layer: 0 the block, 1 the liquid it stands in.
    """

    position: BlockPos
    runtime_id: int
    flags: int = 3
    layer: int = 0


PACKET = Packet(
    21,
    UpdateBlock,
    (
        Field("position", BLOCK_POS),
        Field("runtime_id", UV32),
        Field("flags", UV32),
        Field("layer", UV32),
    ),
)
