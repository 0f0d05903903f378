"""What lies under the crosshair, found on the CPU in what is known: no frame waits for a GPU. No window in it."""

import math
from collections.abc import Callable, Iterator
from typing import Final

from client.player import Eye, View
from net.space.positions import BlockPos

REACH_BLOCKS: Final = 256.0


def aimed_at(view: View, is_free: Callable[[BlockPos], bool]) -> BlockPos | None:
    """The first block in the way of a look; None where nothing is within ``REACH_BLOCKS``."""
    found = faced(view, is_free)
    return found[0] if found else None


def faced(view: View, is_free: Callable[[BlockPos], bool]) -> tuple[BlockPos, BlockPos | None] | None:
    """The same, and the free block before the face that is seen: None where the look begins in a block."""
    before = None
    for block in blocks_along(view):
        if not is_free(block):
            return block, before
        before = block
    return None


def blocks_along(view: View) -> Iterator[BlockPos]:
    """Blocks that a look passes, nearest first (Amanatides and Woo: no corner is skipped).

    An orthographic one begins so far behind its eye.
    """
    eye, forward = view.eye, view.forward
    reach = REACH_BLOCKS
    if view.ortho_blocks is not None:
        eye = Eye(*(axis - REACH_BLOCKS * way for axis, way in zip(eye, forward, strict=True)))
        reach *= 2
    block = list(eye.block)
    step = [1 if f > 0 else -1 for f in forward]
    per_block = [abs(1 / f) if f else math.inf for f in forward]
    ahead = [(b + (f > 0) - e) / f if f else math.inf for b, e, f in zip(block, eye, forward, strict=True)]
    travelled = 0.0
    while travelled <= reach:
        yield BlockPos(*block)
        travelled = min(ahead)
        axis = ahead.index(travelled)
        block[axis] += step[axis]
        ahead[axis] += per_block[axis]
