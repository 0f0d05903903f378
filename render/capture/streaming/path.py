"""A path to be measured on: legs, each from where the last one ended."""

from math import cos, radians, sin
from typing import Final

from client.player import Eye, View
from net.frozen import frozen

ALL_ROUND: Final = tuple(45.0 * turn for turn in range(8))
"""Yaws of pictures that together show everything around."""

WALK_BLOCKS, WALK_SPEED = 32.0, 5.0
FLY_BLOCKS, FLY_UP_BLOCKS, FLY_SPEED = 64.0, 40.0, 10.92
DIG_BLOCKS = 40.0
TELEPORT_BLOCKS = 512.0
TURN_S = 0.2


@frozen
class Leg:
    """One way, at constant speed.

    Attributes:
        name: for tables.
        end: where it ends and what is looked at then; yaw and pitch turn evenly, too.
        seconds: how long it takes; 0 = at once.
        yaws: of the pictures that are dated, from its end.
        rests: whether the path waits there until nothing is missing; the next leg begins in the middle of it else.
    """

    name: str
    end: View
    seconds: float = 0.0
    yaws: tuple[float, ...] = ALL_ROUND
    rests: bool = True

    def view(self, start: View, elapsed_s: float) -> View:
        """Where the eye is so long after the leg began at ``start``."""
        if elapsed_s >= self.seconds:
            return self.end
        share = elapsed_s / self.seconds
        eye = Eye(*(a + (b - a) * share for a, b in zip(start.eye, self.end.eye, strict=True)))
        yaw = start.yaw_deg + (self.end.yaw_deg - start.yaw_deg) * share
        pitch = start.pitch_deg + (self.end.pitch_deg - start.pitch_deg) * share
        return View(eye, yaw, pitch, self.end.fov_deg)


def standard_path(start: View) -> tuple[Leg, ...]:
    """Spawn, walk, turn, fly, dig down, teleport: what a player does in an hour, in a minute."""
    yaw = start.yaw_deg
    walked = View(_ahead(start.eye, yaw, WALK_BLOCKS), yaw, 0.0, start.fov_deg)
    turned = View(walked.eye, yaw + 90, 0.0, start.fov_deg)
    flown = View(_ahead(walked.eye, yaw + 90, FLY_BLOCKS, FLY_UP_BLOCKS), yaw + 90, 20.0, start.fov_deg)
    dug = View(_ahead(flown.eye, 0.0, 0.0, -FLY_UP_BLOCKS - DIG_BLOCKS), yaw + 90, 60.0, start.fov_deg)
    away = View(_ahead(start.eye, yaw - 90, TELEPORT_BLOCKS), yaw, 0.0, start.fov_deg)
    return (
        Leg("spawn", start),
        Leg("walk", walked, WALK_BLOCKS / WALK_SPEED, (yaw,), rests=False),
        Leg("turn", turned, TURN_S, (yaw + 90,)),
        Leg("fly", flown, FLY_BLOCKS / FLY_SPEED),
        Leg("dig down", dug, (FLY_UP_BLOCKS + DIG_BLOCKS) / FLY_SPEED),
        Leg("teleport", away),
    )


def _ahead(eye: Eye, yaw_deg: float, blocks: float, up_blocks: float = 0.0) -> Eye:
    yaw = radians(yaw_deg)
    return Eye(eye.x - sin(yaw) * blocks, eye.y + up_blocks, eye.z + cos(yaw) * blocks)
