"""Walking: a body that falls, stands and jumps among blocks. Knows no window and no store: it asks what obstructs.

Rules:
1. The body is 0.6 blocks wide and 1.8 high, its eye 1.62 above its feet (as the game's).
2. Placeholders obstruct: nobody falls through what is not known, or walks into it.
3. A body that stands in an obstacle (one flew there, or a block came) may walk out of it, and does not fall meanwhile.
4. Time is given; long pauses do not turn into one long fall.

Limits: what obstructs does so as a whole block: no half steps, and no swimming.
"""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, floor
from typing import Final

from client.player import Eye
from net.frozen import frozen
from net.space.positions import BlockPos

HALF_WIDTH: Final = 0.3
HEIGHT: Final = 1.8
EYE: Final = 1.62
GRAVITY: Final = 32.0
"""Blocks a second, each second."""
JUMP: Final = 9.0
"""Blocks a second: as high as 1.27 blocks."""
FASTEST_FALL: Final = 60.0
WALK_BLOCKS_S: Final = 4.3
SPRINT_BLOCKS_S: Final = 5.6
LONGEST_S: Final = 0.25
STEP_S: Final = 1 / 120
"""In which nothing moves further than half a block."""
HAIR: Final = 1e-6
"""A body that touches a block does not stand in it."""

Obstructs = Callable[[BlockPos], bool]


@frozen
class Body:
    """Where somebody is, and how fast they fall.

    Attributes:
        eye: in blocks.
        rising: blocks a second upward.
        stands: on something.
        within: a block that obstructs and that it stands in; it does not fall.
        against: a block that kept it from going on, the last time it was moved.
    """

    eye: Eye
    rising: float = 0.0
    stands: bool = False
    within: BlockPos | None = None
    against: BlockPos | None = None


def walked(body: Body, level: tuple[float, float], jump: bool, elapsed_s: float, obstructs: Obstructs) -> Body:
    """The body after some time.

    Args:
        body: before.
        level: blocks a second along x and z.
        jump: whether it jumps as soon as it stands.
        elapsed_s: seconds.
        obstructs: whether a body cannot be in a block.
    """
    left = min(elapsed_s, LONGEST_S)
    body = replace(body, against=None)
    while left > HAIR:
        step_s = min(left, STEP_S)
        body = _stepped(body, level, jump, step_s, obstructs)
        left -= step_s
    return body


def _stepped(body: Body, level: tuple[float, float], jump: bool, step_s: float, obstructs: Obstructs) -> Body:
    x, z = level[0] * step_s, level[1] * step_s
    if within := _obstacle(body.eye, obstructs):
        return Body(body.eye._replace(x=body.eye.x + x, z=body.eye.z + z), within=within)
    body = replace(body, within=None)
    if body.stands and jump:
        body = replace(body, rising=JUMP, stands=False)
    body = _fallen(body, step_s, obstructs)
    for dx, dz in ((x, 0.0), (0.0, z)):  # one after the other: a body slides along a wall
        eye = body.eye._replace(x=body.eye.x + dx, z=body.eye.z + dz)
        met = _obstacle(eye, obstructs)
        body = replace(body, against=met) if met else replace(body, eye=eye)
    return body


def _fallen(body: Body, step_s: float, obstructs: Obstructs) -> Body:
    rising = max(body.rising - GRAVITY * step_s, -FASTEST_FALL)
    eye = body.eye._replace(y=body.eye.y + rising * step_s)
    if not _obstacle(eye, obstructs):
        return replace(body, eye=eye, rising=rising, stands=False)
    if rising > 0:  # the head is under something
        return replace(body, rising=0.0)
    ground = ceil(eye.y - EYE - HAIR)
    return replace(body, eye=eye._replace(y=min(ground + EYE, body.eye.y)), rising=0.0, stands=True)


def _obstacle(eye: Eye, obstructs: Obstructs) -> BlockPos | None:
    """A block that obstructs, and that a body with its eye there would stand in."""
    feet = eye.y - EYE
    xs = range(floor(eye.x - HALF_WIDTH + HAIR), ceil(eye.x + HALF_WIDTH - HAIR))
    ys = range(floor(feet + HAIR), ceil(feet + HEIGHT - HAIR))
    zs = range(floor(eye.z - HALF_WIDTH + HAIR), ceil(eye.z + HALF_WIDTH - HAIR))
    return next((at for x in xs for y in ys for z in zs if obstructs(at := BlockPos(x, y, z))), None)
