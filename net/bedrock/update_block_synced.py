"""UpdateBlockSynced: one block changes together with an entity that stands for it (wire.md 2.4)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, UV32, UV64, Field


@frozen
class UpdateBlockSynced:
    """One block of one layer, for example sand that starts to fall.

    Attributes:
        position: absolute.
        runtime_id: unsigned also where ids are hashes.
        flags: as in UpdateBlock.
        layer: as in UpdateBlock.
        actor_id: the entity's; sources differ on its sign, not on its length.
        transition: 0 none, 1 entity created, 2 entity destroyed.
    """

    position: BlockPos
    runtime_id: int
    flags: int = 3
    layer: int = 0
    actor_id: int = 0
    transition: int = 0


PACKET = Packet(
    110,
    UpdateBlockSynced,
    (
        Field("position", BLOCK_POS),
        Field("runtime_id", UV32),
        Field("flags", UV32),
        Field("layer", UV32),
        Field("actor_id", UV64),
        Field("transition", UV64),
    ),
)
