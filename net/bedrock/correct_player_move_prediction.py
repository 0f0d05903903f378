"""CorrectPlayerMovePrediction: the server rewinds the player (wire.md 2.6)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import BOOL, POSITION, UV64, VEC3, Field


@dataclass(frozen=True, slots=True)
class CorrectPlayerMovePrediction:
    """Be here, not where you said.

    Attributes:
        position: eyes.
        delta: movement at that tick.
        on_ground: at that tick.
        tick: the one corrected.
    """

    position: tuple[float, float, float]
    delta: tuple[float, float, float]
    on_ground: bool
    tick: int


PACKET = Packet(
    161,
    CorrectPlayerMovePrediction,
    (
        Field("position", POSITION),
        Field("delta", VEC3),
        Field("on_ground", BOOL),
        Field("tick", UV64),
    ),
)
