"""ChangeDimension: drop all columns and await new ones (wire.md 2.5)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, POSITION, U32LE, ZZ32, Field, optional


@frozen
class ChangeDimension:
    """The player goes to another dimension.

    Attributes:
        dimension: 0 overworld, 1 nether, 2 end.
        position: eyes.
        respawn: whether because of a death.
        loading_screen_id: of the screen the client then shows; from protocol 712.
    """

    dimension: int
    position: tuple[float, float, float]
    respawn: bool
    loading_screen_id: int | None = None


LOADING_SCREEN = optional(U32LE)

PACKET = Packet(
    61,
    ChangeDimension,
    (
        Field("dimension", ZZ32),
        Field("position", POSITION),
        Field("respawn", BOOL),
        Field("loading_screen_id", LOADING_SCREEN, since=712),
    ),
)
