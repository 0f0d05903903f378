"""Where a ray of sight first meets something: the smallest whole module in the house style. Copy it.

Rules:
1. A placeholder stops sight as stone does, since the blocks behind it are not known yet.
2. The eye's own block never counts: a camera inside a wall still sees out.

Theory: Amanatides and Woo's traversal, one block boundary at a time, so no corner is skipped.
Limits: distances in blocks, at most 4,096; beyond that the answer is "nothing".
"""

import math
from collections.abc import Callable

import msgspec

from net.space import BlockPos


class Hit(msgspec.Struct, frozen=True):
    """The first block in the way, and how far it is. ``distance_blocks`` is 0 or more."""

    block: BlockPos
    distance_blocks: float


def first_hit(
    eye: tuple[float, float, float],
    direction: tuple[float, float, float],
    stops: Callable[[BlockPos], bool],
    reach_blocks: float = 64.0,
) -> Hit | None:
    """The first block along a ray for which ``stops`` says yes, or None within ``reach_blocks``.

    Raises:
        ValueError: if the direction has no length (it would never leave the eye's block).
    """
    if not any(direction):
        raise ValueError(f"direction {direction} has no length")
    block = [math.floor(e) for e in eye]
    step = [1 if d > 0 else -1 for d in direction]
    # An axis along which the ray does not move has its next boundary at infinity, not at a division by zero.
    per_block = [abs(1 / d) if d else math.inf for d in direction]
    ahead = [(b + (s > 0) - e) / d if d else math.inf for b, s, e, d in zip(block, step, eye, direction, strict=True)]
    while (travelled := min(ahead)) <= min(reach_blocks, 4096.0):
        axis = ahead.index(travelled)
        block[axis] += step[axis]
        ahead[axis] += per_block[axis]
        if stops(BlockPos(*block)):
            return Hit(BlockPos(*block), travelled)
    return None
