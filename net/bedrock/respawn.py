"""Respawn: the way back into the world (wire.md 2.6)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import POSITION, U8, UV64, Field


@frozen
class Respawn:
    """A step of the respawn exchange.

    Attributes:
        position: eyes.
        state: 0 searching, 1 ready to spawn (answer with 2), 2 client ready.
        runtime_id: the player's.
    """

    position: tuple[float, float, float]
    state: int
    runtime_id: int


PACKET = Packet(
    45,
    Respawn,
    (
        Field("position", POSITION),
        Field("state", U8),
        Field("runtime_id", UV64),
    ),
)
