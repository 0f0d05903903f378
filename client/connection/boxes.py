"""Reads boxes of blocks as arrays, and finds blocks by id.

All arrays are indexed ``[x, z, y]``; a sub-chunk's 4,096 cells reshape to that without a copy. Cells outside the
dimension are air without light; unknown cells are the placeholder block.

    blocks, layer1   uint16   ids of the session's block table
    light            uint16   R | G << 4 | B << 8 | D << 12
    lit              uint8    1: light is final, no missing column can change it (``LightMap.final``)
    biomes           uint16   65535: unknown
    known            uint8    a SubChunkState each
    verdict          uint8    a HeightVerdict each: how the last height map fits the blocks it came with
    refusal          uint8    the last result code that was a failure; 0: none
    since            float32  seconds from the session's start to the last change of state; NaN: never
    small_values     uint8    the byte of old sub-chunk versions that have one a block

Limits: ``MOST_BLOCKS`` a box. Measured (tests/bench/test_boxes.py): 32 x 32 x 80 blocks take 0.15 ms, 0.3 ms across
the borders of sub-chunks.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import prod
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import UsageError
from client.light.light_map import LightMap
from client.options import FARTHEST_BLOCKS, Box
from client.streaming.anchors import Anchor
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from client.world.store_state import SHOWS
from net.arrays import BlockIds, Places, Rows, SubChunkPositions
from net.space import BLOCKS_PER_SUBCHUNK, UNKNOWN_BIOME, BlockPos, Dimension, SubChunkPos

MOST_BLOCKS: Final = 1 << 28
"""16 bytes each while a dump is written (23 with every array): 4 GiB, all columns of radius 26 at full height. Further
layers are 4 bytes more each, at most 16."""
SLOTS_AT_ONCE: Final = 64  # slots that are searched at once; half a megabyte

Region = tuple[slice, slice, slice]
Cells = npt.NDArray[Any] | float
"""One value a cell of a sub-chunk, or one for all of them."""

OUTSIDE: Final[dict[str, tuple[type[np.generic], float]]] = {
    "blocks": (np.uint16, 0),
    "layer1": (np.uint16, 0),
    "light": (np.uint16, 0),
    "lit": (np.uint8, 0),
    "biomes": (np.uint16, UNKNOWN_BIOME),
    "known": (np.uint8, SubChunkState.OUTSIDE),
    "verdict": (np.uint8, 0),
    "refusal": (np.uint8, 0),
    "since": (np.float32, np.nan),
    "small_values": (np.uint8, 0),
}
"""Arrays over cells: their dtype, and the value outside the dimension."""


def expect_in_world(box: Box, dimension: Dimension) -> None:
    """Checks a box before it is read. Raises UsageError: it reaches out of the world, or has too many blocks."""
    low, high = box.low, box.high
    for axis, first, end, least, most in (
        ("x", low.x, high.x, -FARTHEST_BLOCKS, FARTHEST_BLOCKS),
        ("z", low.z, high.z, -FARTHEST_BLOCKS, FARTHEST_BLOCKS),
        ("y", low.y, high.y, dimension.floor_y_blocks, dimension.roof_y_blocks),
    ):
        if first < least or end > most:
            raise UsageError(
                f"The box {box} reaches out of the {dimension.name}: its {axis} is {first} to {end - 1}, "
                f"and the world's is {least} to {most - 1}."
            )
    expect_readable(box)


def expect_readable(box: Box) -> None:
    """Checks the number of blocks of a box. Raises UsageError: more than ``MOST_BLOCKS``."""
    blocks = prod(box.shape)
    if blocks > MOST_BLOCKS:
        raise UsageError(f"The box {box} has {blocks} blocks; at most {MOST_BLOCKS} are read at once.")


def reach_of(box: Box) -> int:
    """The least radius in columns around a box's centre that holds its columns; activity adds one more around."""
    columns, centre = Anchor.around_box(box.low, box.high), box.centre.column
    return max(centre.chebyshev(columns.low), centre.chebyshev(columns.high))


def box_subchunks(box: Box) -> Iterator[SubChunkPos]:
    """All sub-chunks that a box touches, x first, then z, then y."""
    low, high = box.low.subchunk, BlockPos(box.high.x - 1, box.high.y - 1, box.high.z - 1).subchunk
    for x in range(low.x, high.x + 1):
        for z in range(low.z, high.z + 1):
            for y in range(low.y, high.y + 1):
                yield SubChunkPos(x, y, z)


def overlap(box: Box, position: SubChunkPos) -> tuple[Region, Region]:
    """The part of the box's arrays that one sub-chunk fills, and the sub-chunk's own cells for it; both [x, z, y]."""
    here, inside = [], []
    origin = position.origin
    for start, low, high in (
        (origin.x, box.low.x, box.high.x),
        (origin.z, box.low.z, box.high.z),
        (origin.y, box.low.y, box.high.y),
    ):
        first, end = max(start, low), min(start + 16, high)
        here.append(slice(first - low, end - low))
        inside.append(slice(first - start, end - start))
    return (here[0], here[1], here[2]), (inside[0], inside[1], inside[2])


def cell_arrays(
    store: Store, light: LightMap, box: Box, what: Sequence[str], started_at: float = 0.0
) -> dict[str, npt.NDArray[Any]]:
    """The named arrays of a box; names that are not in the table above are left out.

    Store and light are only read; light is dark where not computed. ``started_at``: when the session began, for
    ``since``.
    """
    read = _readers(store, light, started_at)
    arrays = {name: np.full(box.shape, OUTSIDE[name][1], OUTSIDE[name][0]) for name in what if name in OUTSIDE}
    for position in box_subchunks(box):
        if store.dimension.holds_section(position.y):
            here, inside = overlap(box, position)
            for name, array in arrays.items():
                array[here] = _within(read[name](position), inside)
    return arrays


def _readers(store: Store, light: LightMap, started_at: float) -> dict[str, Callable[[SubChunkPos], Cells]]:
    """The read function of each array, for one sub-chunk at a time."""

    def of_place(of: Callable[[int], Cells], unannounced: float) -> Callable[[SubChunkPos], Cells]:
        return lambda at: of(store.place_of(at)) if at.column in store.row_of else unannounced

    sections = store.dimension.sections

    @cache
    def final_of(row: int) -> npt.NDArray[np.bool_]:
        return np.asarray(light.final(store, np.array([row], np.int32))[0])

    def since(place: int) -> float:
        return float(store.since[place]) - started_at if store.since[place] else np.nan

    return {
        "blocks": store.blocks_of,
        "layer1": store.layer1_of,
        "light": of_place(lambda place: light.values[light.slots_of(np.array([place], np.int32))[0]], 0),
        "lit": of_place(lambda place: float(final_of(place // sections)[place % sections]), 0),
        "biomes": store.biomes_of,
        "known": of_place(lambda place: int(store.state[place]), SubChunkState.UNKNOWN),
        "verdict": store.height_verdict_of,
        "refusal": of_place(lambda place: int(store.refusal[place]), 0),
        "since": of_place(since, np.nan),
        "small_values": store.small_values_of,
    }


def _within(cells: Cells, inside: Region) -> Cells:
    return cells.reshape(16, 16, 16)[inside] if isinstance(cells, np.ndarray) else cells


def cells_inside(box: Box, positions: SubChunkPositions) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Which blocks of sub-chunks lie in a box: int[n] the row of ``masks`` for each, and bool[m, 4096] the masks."""
    corners = positions.astype(np.int64) * 16
    low, high = (np.clip(np.array(corner) - corners, 0, 16) for corner in (box.low, box.high))
    spans = low * 17 + high
    _, first, which = np.unique(spans @ (1, 512, 512 * 512), return_index=True, return_inverse=True)
    cell = np.arange(16)
    inside = (cell >= low[first][..., None]) & (cell < high[first][..., None])
    masks = inside[:, 0, :, None, None] & inside[:, 2, None, :, None] & inside[:, 1, None, None, :]
    return which.reshape(-1), masks.reshape(-1, BLOCKS_PER_SUBCHUNK)


class BlockCounts(msgspec.Struct, frozen=True, eq=False):
    """Where some blocks are, and how many."""

    places: Places  # places that hold any, by position: x, then z, then y
    counts: npt.NDArray[np.int64]  # int64[n] count in each place
    by_id: npt.NDArray[np.int64]  # int64[65536] count of each dense id


def count_blocks(store: Store, ids: BlockIds, box: Box | None, layer: int, rows: Rows | None = None) -> BlockCounts:
    """Counts the known blocks of these ids, in ``box`` or everywhere; slots shown several times are searched once.

    ``rows``: of the columns to search; those of all announced ones unless given.
    """
    row_of_id = np.zeros(1 << 16, np.uint16)  # 0: not counted
    row_of_id[ids] = np.arange(1, len(ids) + 1)
    places = store.places_of_rows(store.announced_rows if rows is None else rows)
    places = places[SHOWS[store.state[places]]]
    at = store.positions_of(places)
    which, masks = np.zeros(len(places), np.intp), np.ones((1, BLOCKS_PER_SUBCHUNK), np.bool_)
    if box is not None:
        inside = ((at * 16 + 16 > box.low) & (at * 16 < box.high)).all(axis=1)
        places, at = places[inside], at[inside]
        which, masks = cells_inside(box, at)
    pool, slots = (store.pools.layer1, store.layer1_slot) if layer else (store.pools.blocks, store.slot)
    kinds, kind_of = np.unique(slots[places] * len(masks) + which, return_inverse=True)
    times = np.bincount(kind_of.reshape(-1), minlength=len(kinds))
    found, by_row = np.zeros(len(kinds), np.int64), np.zeros(len(ids) + 1, np.int64)
    for first in range(0, len(kinds), SLOTS_AT_ONCE):
        part = slice(first, first + SLOTS_AT_ONCE)
        rows = row_of_id[pool[kinds[part] // len(masks)]]
        if box is not None:
            rows *= masks[kinds[part] % len(masks)]
        hits = (rows != 0).view(np.uint64).reshape(len(rows), -1)
        found[part] = np.bitwise_count(hits).sum(axis=1)
        if len(ids) == 1:  # nothing to tell apart: air is counted in half the time
            by_row[1] += (found[part] * times[part]).sum()
            continue
        once = times[part] == 1
        by_row += np.bincount(rows[once & (found[part] > 0)].ravel(), minlength=len(by_row))
        for row in np.flatnonzero(~once & (found[part] > 0)).tolist():
            by_row += np.bincount(rows[row], minlength=len(by_row)) * times[first + row]
    counts = found[kind_of.reshape(-1)]
    order = np.lexsort((at[:, 1], at[:, 2], at[:, 0]))
    order = order[counts[order] > 0]
    by_id = np.zeros(1 << 16, np.int64)
    by_id[ids] = by_row[1:]
    return BlockCounts(places[order], counts[order], by_id)


def blocks_at(
    store: Store, ids: BlockIds, places: Places, box: Box | None, layer: int, most: int | None = None
) -> npt.NDArray[np.int32]:
    """The first ``most`` positions of blocks of these ids, int32[n, 3]: by place, in each by x, then z, then y."""
    wanted = np.zeros(1 << 16, np.bool_)
    wanted[ids] = True
    pool, slots = (store.pools.layer1, store.layer1_slot) if layer else (store.pools.blocks, store.slot)
    found, count = [np.empty((0, 3), np.int32)], 0
    for place, at in zip(places.tolist(), store.positions_of(places).tolist(), strict=True):
        cells = np.flatnonzero(wanted[pool[slots[place]]]).astype(np.int32)
        blocks = np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1) + np.array(at, np.int32) * 16
        if box is not None:
            blocks = blocks[((blocks >= box.low) & (blocks < box.high)).all(axis=1)]
        found.append(blocks)
        count += len(blocks)
        if most is not None and count >= most:
            break
    return np.concatenate(found)[:most]


def find_blocks(store: Store, ids: BlockIds, box: Box | None, layer: int, most: int) -> npt.NDArray[np.int32] | None:
    """Positions of the known blocks of these ids: int32[n, 3] x, y, z, by x, then z, then y; None: more than ``most``.

    ``box``: searches only there; everywhere unless given.
    """
    counted = count_blocks(store, ids, box, layer)
    if counted.counts.sum() > most:
        return None
    every = blocks_at(store, ids, counted.places, box, layer)
    return every[np.lexsort((every[:, 1], every[:, 2], every[:, 0]))]
