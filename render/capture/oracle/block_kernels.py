"""What rays ask of the blocks they are in: what a block is, whether it hides, what liquid it holds.

Rules:
1. A block is named ``place << 12 | cell``; -1 over the roof and under the floor, -2 where no column is.
2. Wet is a block that is liquid, or whose second layer is; blocks that fill their cell, opaque or translucent, are dry,
   and so are placeholders. What a second layer holds counts as water.
3. Nothing of this is read from masks, which the meshes are made with.

Indices. None comes from outside: a position is compared with the grid and the dimension's height, ids are the store's.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

ABSENT: Final = -1
UNKNOWN: Final = -2
DRY: Final = 0
WATER: Final = 1
STEP_X, STEP_Y, STEP_Z = (-1, 1, 0, 0, 0, 0), (0, 0, 0, 0, -1, 1), (0, 0, -1, 1, 0, 0)

Doubles = npt.NDArray[np.float64]


class Blocks(NamedTuple):
    """The store, as rays read it.

    Attributes:
        rows: int32[width, depth] the store's row of each column from ``low_x``, ``low_z`` on, 0 where there is none.
        low_x: of the westernmost column.
        low_z: of the northernmost one.
        floor: the lowest sub-chunk's y.
        sections: how many there are above each other.
        slot: int32[places] in ``ids``.
        ids: uint16[slots, 4096] dense ids.
        layer1_slot: int32[places] in ``layer1``, 0 for none.
        layer1: uint16[slots, 4096].
        first_full: the lowest dense id of a translucent block: from it on blocks fill their cells.
        first_liquid: the lowest dense id of one.
        first_cover: ids from it on hide what is behind them; the placeholder is the first.
        liquids: uint8[dense ids] kinds of liquids, WATER or another.
        amounts: uint8[dense ids] eighths of a block that a liquid fills.
    """

    rows: npt.NDArray[np.int32]
    low_x: int
    low_z: int
    floor: int
    sections: int
    slot: npt.NDArray[np.int32]
    ids: npt.NDArray[np.uint16]
    layer1_slot: npt.NDArray[np.int32]
    layer1: npt.NDArray[np.uint16]
    first_full: int
    first_liquid: int
    first_cover: int
    liquids: npt.NDArray[np.uint8]
    amounts: npt.NDArray[np.uint8]


@inner
def block_at(blocks: Blocks, x: int, y: int, z: int) -> int:
    """The block there, ABSENT over the roof and under the floor, UNKNOWN where no column is."""
    section = (y >> 4) - blocks.floor
    if section < 0 or section >= blocks.sections:
        return nb.int64(-1)
    column_x = (x >> 4) - blocks.low_x
    column_z = (z >> 4) - blocks.low_z
    if column_x < 0 or column_x >= blocks.rows.shape[0] or column_z < 0 or column_z >= blocks.rows.shape[1]:
        return nb.int64(-2)
    row = nb.int64(blocks.rows[column_x, column_z])
    if row == 0:
        return nb.int64(-2)
    return (row * blocks.sections + section) << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15)


@inner
def beside(blocks: Blocks, x: int, y: int, z: int, d: int) -> int:
    """As ``block_at``, one step in a direction."""
    return block_at(blocks, x + STEP_X[d], y + STEP_Y[d], z + STEP_Z[d])


@inner
def id_of(blocks: Blocks, at: int) -> int:
    """Its dense id; air where there is none."""
    return nb.int64(blocks.ids[blocks.slot[at >> 12], at & 4095]) if at >= 0 else nb.int64(0)


@inner
def covers(blocks: Blocks, at: int) -> bool:
    """Whether it hides what is behind it: opaque, a placeholder, or unloaded."""
    if at < 0:
        return at == -2
    return id_of(blocks, at) >= blocks.first_cover


@inner
def soaks(blocks: Blocks, at: int) -> int:
    """The id of the liquid in its second layer, 0 for none."""
    second = nb.int64(blocks.layer1_slot[at >> 12])
    if second == 0:
        return nb.int64(0)
    id_ = nb.int64(blocks.layer1[second, at & 4095])
    return id_ if blocks.first_liquid <= id_ < blocks.first_cover else nb.int64(0)


@inner
def liquid_of(blocks: Blocks, at: int) -> int:
    """The kind of the liquid it holds, DRY for none."""
    own = id_of(blocks, at)
    if at < 0 or own >= blocks.first_cover:
        return nb.int64(0)
    if own >= blocks.first_liquid:
        return nb.int64(blocks.liquids[own])
    return nb.int64(1) if own < blocks.first_full and soaks(blocks, at) else nb.int64(0)


@inner
def level_of(blocks: Blocks, at: int) -> float:
    """How much of a wet block its liquid fills."""
    own = id_of(blocks, at)
    return blocks.amounts[own if own >= blocks.first_liquid else soaks(blocks, at)] / 8.0
