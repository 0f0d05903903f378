"""PlayerAction: a deed of the player; here only "dimension change done" (wire.md 2.5)."""

from typing import Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, UV64, ZZ32, Field

NOWHERE: Final = BlockPos(0, 0, 0)


@frozen
class PlayerAction:
    """What the player did.

    Attributes:
        runtime_id: the player's.
        action: 14 = dimension change done.
        position: of the block concerned.
        result_position: of the block that came of it; from protocol 527.
        face: of that block.
    """

    runtime_id: int
    action: int
    position: BlockPos = NOWHERE
    face: int = 0
    result_position: BlockPos = NOWHERE


PACKET = Packet(
    36,
    PlayerAction,
    (
        Field("runtime_id", UV64),
        Field("action", ZZ32),
        Field("position", BLOCK_POS),
        Field("result_position", BLOCK_POS, since=527),
        Field("face", ZZ32),
    ),
)
