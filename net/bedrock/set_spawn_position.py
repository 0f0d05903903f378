"""SetSpawnPosition: where the world or the player spawns."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, ZZ32, Field


@frozen
class SetSpawnPosition:
    """A spawn point.

    Attributes:
        kind: 0 the player's, 1 the world's.
        player_position: where the player spawns.
        dimension: of the spawn.
        world_position: where the world spawns.
    """

    kind: int
    player_position: BlockPos
    dimension: int
    world_position: BlockPos


PACKET = Packet(
    43,
    SetSpawnPosition,
    (
        Field("kind", ZZ32),
        Field("player_position", BLOCK_POS),
        Field("dimension", ZZ32),
        Field("world_position", BLOCK_POS),
    ),
)
