"""CorrectPlayerMovePrediction: the server rewinds the player, or what it rides (wire.md 2.6)."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, F32LE, POSITION, U8, UV64, VEC2, VEC3, Field, Values, optional

VEHICLE = 1
ANGULAR_VELOCITY = optional(F32LE)


@frozen
class CorrectPlayerMovePrediction:
    """Be here, not where you said.

    Attributes:
        position: eyes.
        delta: movement at that tick.
        on_ground: at that tick.
        tick: the one corrected.
        kind: 0 the player, 1 the vehicle; from protocol 671.
        rotation: (pitch, yaw) in degrees; of the vehicle from protocol 671, of either from 827.
        angular_velocity: of the vehicle; from protocol 712.
    """

    position: tuple[float, float, float]
    delta: tuple[float, float, float]
    on_ground: bool
    tick: int
    kind: int = 0
    rotation: tuple[float, float] = (0.0, 0.0)
    angular_velocity: float | None = None


def _of_vehicle(values: Values) -> bool:
    return bool(values["kind"] == VEHICLE)


PACKET = Packet(
    161,
    CorrectPlayerMovePrediction,
    (
        Field("kind", U8, since=671),
        Field("position", POSITION),
        Field("delta", VEC3),
        Field("rotation", VEC2, since=671, until=827, when=_of_vehicle),
        Field("angular_velocity", ANGULAR_VELOCITY, since=712, until=827, when=_of_vehicle),
        Field("rotation", VEC2, since=827),
        Field("angular_velocity", ANGULAR_VELOCITY, since=827),
        Field("on_ground", BOOL),
        Field("tick", UV64),
    ),
)
