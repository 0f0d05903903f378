"""BlockActorData: the block entity at one place (wire.md 2.4)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.nbt import ROOT, Compound
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, Field


@frozen
class BlockActorData:
    """What a chest holds, what a sign says.

    Attributes:
        position: absolute.
        nbt: its compound.
    """

    position: BlockPos
    nbt: Compound


PACKET = Packet(
    56,
    BlockActorData,
    (
        Field("position", BLOCK_POS),
        Field("nbt", ROOT),
    ),
)
