"""PlayerAuthInput: what the player does, each tick, where the server rules movement (wire.md 2.6).

Limit: item transactions, item stack requests and block actions, which follow under flag bits 34..36, are neither
written nor read: a viewer does none, and our server ignores what is behind the movement.
"""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import ANGLE, POSITION, UV32, UV64, VEC2, VEC3, Field

PLAY_MODE_REALITY = 4


@dataclass(frozen=True, slots=True)
class PlayerAuthInput:
    """One tick of one player.

    Attributes:
        pitch: degrees, positive = down.
        yaw: degrees, 0 = +Z, 90 = -X.
        position: eyes.
        move: (sideways, forward), each -1..1.
        head_yaw: degrees.
        flags: bits: 6 jumping, 8 sneaking, 10 up, 11 down, 12 left, 13 right, 16 want up, 17 want down.
        input_mode: 1 = mouse.
        play_mode: 0 = normal; 4 adds ``gaze``.
        gaze: direction, play mode 4 only.
        tick: counts up from the first of the session.
        delta: movement since the tick before, in blocks.
    """

    pitch: float
    yaw: float
    position: tuple[float, float, float]
    move: tuple[float, float]
    head_yaw: float
    flags: int = 0
    input_mode: int = 1
    play_mode: int = 0
    gaze: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tick: int = 0
    delta: tuple[float, float, float] = (0.0, 0.0, 0.0)


PACKET = Packet(
    144,
    PlayerAuthInput,
    (
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("position", POSITION),
        Field("move", VEC2),
        Field("head_yaw", ANGLE),
        Field("flags", UV64),
        Field("input_mode", UV32),
        Field("play_mode", UV32),
        Field("gaze", VEC3, when=lambda v: v["play_mode"] == PLAY_MODE_REALITY),
        Field("tick", UV64),
        Field("delta", VEC3),
    ),
)
