"""ChangeDimension: drop all columns and await new ones (wire.md 2.5)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import BOOL, POSITION, ZZ32, Field


@dataclass(frozen=True, slots=True)
class ChangeDimension:
    """The player goes to another dimension.

    Attributes:
        dimension: 0 overworld, 1 nether, 2 end.
        position: eyes.
        respawn: whether because of a death.
    """

    dimension: int
    position: tuple[float, float, float]
    respawn: bool


PACKET = Packet(
    61,
    ChangeDimension,
    (
        Field("dimension", ZZ32),
        Field("position", POSITION),
        Field("respawn", BOOL),
    ),
)
