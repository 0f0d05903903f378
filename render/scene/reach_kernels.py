"""Kernels of the scene: surroundings of cells and places, differences of stores, distances of uploads.

Reach: places around render cells, and cells around places, in one pass each. They run for every arrival, every edit and
every ready list, where array operations cost 1 to 3 us each whatever their length. Measured: the cells around 192
arrivals 1.1 ms before, 0.03 now; those of an edit 0.18 before, 0.01 now.

Indices. None comes from outside: places, and rows around them, are the store's; sections are compared with its height
here.

Differences: which blocks are equal in two stores, in one pass over rows of ids; a row ends at its first difference.

Indices. None comes from outside: slots are those that two stores show.

Uploads: distances of cells, and faces that a mesh covers, for every step while a world arrives. NumPy took 0.3 ms a
step for the first, with a thousand meshes waiting, and 14 us a mesh for the second.

Indices. None comes from outside: cells are the scene's, of the store's rows.
"""

from typing import Final

import numpy as np

from client.world.block_pools import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE
from net.arrays import F64, I32, I64, U8, U16, U32, U64, Bools, ColumnMasks, Places, Slots
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel
from net.space import ABOVE_PLACE, BELOW_PLACE, UNLOADED_PLACE
from render.mesh.vertex_format import CELL_TALL, CELL_WIDE, CUBE

MIDDLE: Final = 4
"""Index of the row itself among the nine rows around it."""
ALL_SIDES: Final = 63
WET: Final = 64
"""Bit of ``grid.Sides`` for liquid; the bits below are one a side: -x, +x, -z, +z, below, above."""
WHOLE_COLUMN: Final = 0xFFFF
BY_X, BY_Z, BY_Y = 2, 8, 32
"""Bits of the upper side of each axis; the lower side's bit is half of it."""


@kernel("void(int64[::1], int64, int64, int64, int64, int64, int64, int64, int32[:,::1], int32[:,:,::1])")
def stack_places(
    cells: I64,  # [n] numbers of cells
    floor: int,  # of the grid, like the next three
    sections: int,
    low: int,
    tall: int,
    first: int,  # lowest section, counted from the cell's own lower one
    row_from: int,  # the first to read of the nine rows around the cell's
    row_to: int,  # one past the last
    column_neighbours: I32,  # [rows, 9]; not read if only the cell's own row is
    found: I32,  # [n, row_to - row_from, k], written
) -> None:
    """The places of sections ``2 * cell y + first`` upwards, in rows around each cell."""
    count = found.shape[2]
    for index in range(cells.shape[0]):
        own = cells[index] // tall
        lowest = 2 * (cells[index] - own * tall + low) + first - floor
        for which in range(row_from, row_to):
            row = own
            if which != MIDDLE:
                row = nb.int64(column_neighbours[own, which])
            for up in range(count):
                section = lowest + up
                place = row * sections + section if row != 0 else nb.int64(UNLOADED_PLACE)
                if section < 0:
                    place = nb.int64(BELOW_PLACE)
                elif section >= sections:
                    place = nb.int64(ABOVE_PLACE)
                found[index, which - row_from, up] = place


@inner
def put(cell: int, marks: Bools, found: I64, count: int) -> int:
    """Adds a cell that is not marked yet; returns the number of cells."""
    if marks[cell]:
        return count
    marks[cell] = True
    found[count] = cell
    return count + 1


@inner
def through(dx: int, dz: int, dy: int) -> int:
    """The sides that a step crosses."""
    bits = nb.int64(0)
    if dx != 0:
        bits |= BY_X if dx > 0 else BY_X >> 1
    if dz != 0:
        bits |= BY_Z if dz > 0 else BY_Z >> 1
    if dy != 0:
        bits |= BY_Y if dy > 0 else BY_Y >> 1
    return bits


@kernel("int64(int32[::1], uint8[::1], int64, int64, int64, int64, int32[:,::1], uint8[::1], boolean[::1], int64[::1])")
def around_places(
    places: Places,  # [n]; those outside every column are left out
    opened: U8,  # [n], the results of ``Facing.update``
    floor: int,  # of the grid, like the next three
    sections: int,
    low: int,
    tall: int,
    column_neighbours: I32,  # [rows, 9]
    sides: U8,  # [places] ``Facing.sides``
    marks: Bools,  # [cells], all False; written and cleared again
    found: I64,  # [at least 27 * n], written: each cell once
) -> int:
    """Finds the cells of changed places, and neighbours that the change affects; returns how many."""
    count = nb.int64(0)
    for index in range(places.shape[0]):
        own = nb.int64(places[index]) // sections
        if own == 0:
            continue
        section, open_to = places[index] - own * sections, nb.int64(opened[index])
        for dx in range(-1, 2):
            for dz in range(-1, 2):
                row = nb.int64(column_neighbours[own, (dx + 1) * 3 + dz + 1]) if dx != 0 or dz != 0 else own
                for dy in range(-1, 2):
                    crossed, beside = through(dx, dz, dy), section + dy
                    if row == 0 or open_to & crossed != crossed or beside < 0 or beside >= sections:
                        continue
                    if abs(dx) + abs(dz) + abs(dy) > 1:  # only liquids depend on edges and corners
                        if (sides[row * sections + beside] | open_to) & WET == 0:
                            continue
                    count = put(row * tall + (beside + floor >> 1) - low, marks, found, count)
    for index in range(count):
        marks[found[index]] = False
    return count


@kernel("int64(int32[::1], uint16[::1], int64, int64, int64, int64, int32[:,::1], boolean[::1], int64[::1])")
def around_blocks(
    places: Places,  # [n] of the blocks
    blocks: U16,  # [n] index there
    floor: int,  # of the grid, like the next three
    sections: int,
    low: int,
    tall: int,
    column_neighbours: I32,  # [rows, 9]
    marks: Bools,  # [cells], all False; written and cleared again
    found: I64,  # [at least 8 * n], written: each cell once
) -> int:
    """Finds the cells of single blocks, and those that they touch; returns how many."""
    count = nb.int64(0)
    for index in range(places.shape[0]):
        own, block = nb.int64(places[index]) // sections, nb.int64(blocks[index])
        section = places[index] - own * sections
        x, z, y = block >> 8, block >> 4 & 15, block & 15
        for dx in range(-(x == 0), 1 + (x == 15)):
            for dz in range(-(z == 0), 1 + (z == 15)):
                row = nb.int64(column_neighbours[own, (dx + 1) * 3 + dz + 1])
                for beside in range(section - (y == 0), section + 1 + (y == 15)):
                    if row != 0 and 0 <= beside < sections:
                        count = put(row * tall + (beside + floor >> 1) - low, marks, found, count)
    for index in range(count):
        marks[found[index]] = False
    return count


@kernel("int64(int32[::1], int64, int64, int64, int64, boolean[::1], int64[::1])")
def held_cells(places: Places, floor: int, sections: int, low: int, tall: int, marks: Bools, found: I64) -> int:
    """Finds the cells that hold some places; returns how many.

    Args:
        places: int32[n].
        floor: of the grid, like the next three.
        marks: bool[cells], all False; written and cleared again.
        found: int64[at least n], written: each cell once.
    """
    count = nb.int64(0)
    for index in range(places.shape[0]):
        row = nb.int64(places[index]) // sections
        cell = row * tall + (places[index] - row * sections + floor >> 1) - low
        if row != 0:
            count = put(cell, marks, found, count)
    for index in range(count):
        marks[found[index]] = False
    return count


@kernel("void(int64[::1], int64, int64, int32[:,::1], int32[:,::1])")
def place_cells(cells: I64, low: int, tall: int, columns: I32, positions: I32) -> None:
    """Computes the positions of render cells.

    Args:
        cells: int64[n].
        low: of the grid, like the next one.
        columns: int32[rows, 2] positions of the store's columns.
        positions: int32[n, 3], written.
    """
    for index in range(cells.shape[0]):
        row = cells[index] // tall
        positions[index, 0], positions[index, 2] = columns[row, 0], columns[row, 1]
        positions[index, 1] = cells[index] - row * tall + low


@kernel("void(int32[::1], uint8[::1], uint16[:,::1], uint8[::1])")
def shut(
    slots: Slots,  # [n]
    kinds: U8,  # [slots]
    opaque: ColumnMasks,  # [slots, 256] by x << 4 | z
    found: U8,  # [n], written: ``grid.Sides``
) -> None:
    """Which sides of block slots are wholly opaque, and which slots hold liquid."""
    for index in range(slots.shape[0]):
        slot = slots[index]
        kind, bits = nb.int64(kinds[slot]), nb.int64(0)
        if kind & ALL_OPAQUE:
            bits = nb.int64(ALL_SIDES)
        elif kind & HAS_OPAQUE:
            bits = nb.int64(ALL_SIDES & ~(BY_Y | BY_Y >> 1))
            level = nb.int64(WHOLE_COLUMN)
            for line in range(256):
                mask = nb.int64(opaque[slot, line])
                level &= mask
                if mask != WHOLE_COLUMN:
                    x, z = line >> 4, line & 15
                    bits &= ~((x == 0) * (BY_X >> 1) | (x == 15) * BY_X)
                    bits &= ~((z == 0) * (BY_Z >> 1) | (z == 15) * BY_Z)
            bits |= (level & 1) * (BY_Y >> 1) | (level >> 15) * BY_Y
        found[index] = bits | (WET if kind & HAS_LIQUID else 0)


STRIDE: Final = 64
"""Words that are compared before each test for a difference: half a kilobyte at once."""

Words = U64


@kernel("void(int32[::1], int32[::1], uint64[:,::1], uint64[:,::1], boolean[::1])")
def same_rows(
    ours: Slots,  # [n] rows of ``first``
    theirs: Slots,  # [n] rows of ``second``
    first: Words,  # [rows, words], a multiple of ``STRIDE`` of them
    second: Words,  # [rows, words]
    same: Bools,  # [n], written
) -> None:
    """Whether rows of two arrays are equal."""
    for index in range(ours.shape[0]):
        mine, other = first[ours[index]], second[theirs[index]]
        different, at = nb.uint64(0), nb.int64(0)
        while at < mine.shape[0] and different == nb.uint64(0):
            for word in range(STRIDE):
                different |= mine[at + word] ^ other[at + word]
            at += STRIDE
        same[index] = different == nb.uint64(0)


# --------------------------------------------------------------------- upload kernels


WIDTH, HEIGHT = CUBE["width"], CUBE["height"]
WORD: Final = WIDTH.word
"""Index of the word of a cube quad that holds both of its sizes."""
WIDTH_SHIFT, WIDTH_MASK, WIDTH_BIAS = WIDTH.shift, WIDTH.mask, WIDTH.bias
HEIGHT_SHIFT, HEIGHT_MASK, HEIGHT_BIAS = HEIGHT.shift, HEIGHT.mask, HEIGHT.bias


@kernel(
    "int64(int64[::1], int64, int64, int64, int64, int32[:,::1], int64[::1], boolean[::1], boolean[::1],"
    " float64, float64, float64, float64[::1])"
)
def measure_cells(
    cells: I64,  # [n]
    floor: int,  # of the grid, like the next three
    sections: int,
    low: int,
    tall: int,
    columns: I32,  # [rows, 2] positions of the store's columns
    page: I64,  # [cells] first page of the mesh that each shows; below 0 if it shows nothing
    row_lit: Bools,  # [rows] lit since whole sub-chunks of them came
    light_behind: Bools,  # [places] whose light is not on the GPU
    x: float,  # of the eye, in blocks, then y and z
    y: float,
    z: float,
    distance: F64,  # [n], written: squares, in blocks, of their middles; infinite for those that may not be shown
) -> int:
    """Computes the distances of cells that may be shown: all but those that show nothing and whose light is missing.

    Returns:
        The number of cells that may be shown.
    """
    count = nb.int64(0)
    for index in range(cells.shape[0]):
        cell = cells[index]
        row = cell // tall
        level = cell - row * tall + low
        dark = nb.int64(not row_lit[row])
        for half in range(2):  # a half outside of the dimension uses the other half
            section = min(max(2 * level + half - floor, 0), sections - 1)
            dark |= nb.int64(light_behind[row * sections + section])
        if dark and page[cell] < 0:
            distance[index] = np.inf
            continue
        dx, dy, dz = (
            columns[row, 0] * CELL_WIDE + 8.0 - x,
            level * CELL_TALL + 16.0 - y,
            columns[row, 1] * CELL_WIDE + 8.0 - z,
        )
        distance[index] = dx * dx + dy * dy + dz * dz
        count += 1
    return count


@kernel("int64(uint32[:,::1], int64)")
def cover(units: U32, cubes: int) -> int:
    """Number of block faces that the first quads of a mesh cover, uint32[n, 2]."""
    faces = nb.int64(0)
    for index in range(cubes):
        word = nb.int64(units[index, WORD])
        wide, tall = (word >> WIDTH_SHIFT & WIDTH_MASK) + WIDTH_BIAS, (word >> HEIGHT_SHIFT & HEIGHT_MASK) + HEIGHT_BIAS
        faces += wide * tall
    return faces
