"""MovePlayer: where a player is, in either direction (wire.md 2.6). Positions are eyes: feet + 1.62.

A teleport's cause stands there by mode before protocol 2168, behind a bool of its own from there on.
"""

from enum import IntEnum

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import ANGLE, BOOL, I32LE, POSITION, U8, UV64, Field, Values
from net.wire.profile import Dialect


class MoveMode(IntEnum):
    """How the position is meant."""

    NORMAL = 0  # it moved
    RESET = 1  # it is put there
    TELEPORT = 2  # it is put there, with a cause
    ROTATION = 3  # it only looks elsewhere


@frozen
class MovePlayer:
    """One player's place and look.

    Attributes:
        runtime_id: whose.
        position: eyes.
        pitch: degrees, positive = down.
        yaw: degrees, 0 = +Z, 90 = -X.
        head_yaw: degrees.
        mode: a MoveMode.
        on_ground: whether it stands.
        ridden_id: runtime id of what it rides, 0 for nothing.
        cause: of a teleport; mode TELEPORT only.
        entity_type: that caused a teleport; mode TELEPORT only.
        tick: the simulation's.
    """

    runtime_id: int
    position: tuple[float, float, float]
    pitch: float
    yaw: float
    head_yaw: float
    mode: int = MoveMode.NORMAL
    on_ground: bool = False
    ridden_id: int = 0
    cause: int = 0
    entity_type: int = 0
    tick: int = 0

    @property
    def has_cause(self) -> bool:
        """Whether a cause goes onto the wire."""
        return self.mode == MoveMode.TELEPORT


def _has_cause(values: Values) -> bool:
    return bool(values.get("has_cause", values["mode"] == MoveMode.TELEPORT))


def _build(values: Values, _dialect: Dialect) -> MovePlayer:
    return MovePlayer(**{name: value for name, value in values.items() if name != "has_cause"})


PACKET = Packet(
    19,
    MovePlayer,
    (
        Field("runtime_id", UV64),
        Field("position", POSITION),
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("head_yaw", ANGLE),
        Field("mode", U8),
        Field("on_ground", BOOL),
        Field("ridden_id", UV64),
        Field("has_cause", BOOL, since=2168),
        Field("cause", I32LE, when=_has_cause),
        Field("entity_type", I32LE, when=_has_cause),
        Field("tick", UV64),
    ),
    _build,
)
