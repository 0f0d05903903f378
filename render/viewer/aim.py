"""What lies under the crosshair, found on the CPU in what is known: no frame waits for a GPU. No window in it."""

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from client.player import Eye, View
from net.space.dimensions import Dimension
from net.space.layout import ColumnPositions
from net.space.positions import BlockPos

REACH_BLOCKS: Final = 256.0
COLUMN_SIDE: Final = 16.0
SLIGHTEST: Final = 1e-12
INSIDE_BLOCKS: Final = 1e-6
"""How far behind its side a block is looked up."""
Vector = tuple[float, float, float]


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


def column_ahead(
    begin: Vector, forward: Vector, columns: ColumnPositions, dimension: Dimension
) -> tuple[BlockPos, float] | None:
    """Where a look first comes into one of some columns, from floor to roof: block and blocks away; None: into none.

    Args:
        begin: of the look, in blocks.
        forward: unit vector of it.
        columns: int32[n, 2].
        dimension: they are of.
    """
    low = np.insert(columns * COLUMN_SIDE, 1, dimension.floor_y_blocks, axis=1)
    high = np.insert((columns + 1) * COLUMN_SIDE, 1, dimension.roof_y_blocks, axis=1)
    eye, way = np.array(begin), np.array(forward)
    way = np.where(way == 0.0, SLIGHTEST, way)  # slabs: parallel to a side one is between both or far from either
    sides = np.sort(np.stack([(low - eye) / way, (high - eye) / way]), axis=0)
    into, out = np.maximum(sides[0].max(axis=1), 0.0), sides[1].min(axis=1)
    met = into < out
    if not met.any():
        return None
    away = float(into[met].min())
    x, y, z = np.floor(eye + way * (away + INSIDE_BLOCKS)).astype(int).tolist()
    return BlockPos(x, y, z), away
