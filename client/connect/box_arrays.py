"""Reads a box out of the store: the arrays of ``dump`` (interfaces.md), those that are wished (``what``).

All but ``height`` are indexed ``[x, z, y]``; a sub-chunk's 4,096 cells reshape to that without a copy. What lies
outside the dimension is air without light; what nobody told is the placeholder block.

    blocks, layer1   uint32   rows of ``names``, ``states`` and ``runtime_ids``
    light            uint16   R | G << 4 | B << 8 | D << 12
    lit              uint8    1: light is final, nothing that is missing yet can change it (``LightMap.final``)
    biomes           uint16   65535: unknown
    known            uint8    a Knowledge each
    height           int16    [x, z] one above the top block that dims light; -32768: unknown
    verdict          uint8    a HeightVerdict each: what the last height map said of the blocks it came with
    refusal          uint8    the last result code that was a failure; 0: none
    since            float32  seconds from the session's start to the last change of state; NaN: never
    small_values     uint8    the byte of old sub-chunk versions that have one a block
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.connect.options import Box
from client.connect.what import USUAL
from client.light.map import LightMap
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.space.layout import UNKNOWN_BIOME
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.height_kernels import UNKNOWN_TOP

Region = tuple[slice, slice, slice]
Cells = npt.NDArray[Any] | float
"""One value a cell of a sub-chunk, or one for all of them."""

OUTSIDE: Final[dict[str, tuple[type[np.generic], float]]] = {
    "blocks": (np.uint16, 0),
    "layer1": (np.uint16, 0),
    "light": (np.uint16, 0),
    "lit": (np.uint8, 0),
    "biomes": (np.uint16, UNKNOWN_BIOME),
    "known": (np.uint8, Knowledge.OUTSIDE),
    "verdict": (np.uint8, 0),
    "refusal": (np.uint8, 0),
    "since": (np.float32, np.nan),
    "small_values": (np.uint8, 0),
}
"""Arrays over cells: their kind, and the value outside the dimension. Blocks are dense ids until the end."""
LAYERS: Final = ("blocks", "layer1")


def box_subchunks(box: Box) -> Iterator[SubChunkPos]:
    """All sub-chunks that a box touches, x first, then z, then y."""
    low, high = box.low.subchunk, BlockPos(box.high.x - 1, box.high.y - 1, box.high.z - 1).subchunk
    for x in range(low.x, high.x + 1):
        for z in range(low.z, high.z + 1):
            for y in range(low.y, high.y + 1):
                yield SubChunkPos(x, y, z)


def box_arrays(
    store: Store, light: LightMap, box: Box, what: tuple[str, ...] = USUAL, started_at: float = 0.0
) -> dict[str, npt.NDArray[Any]]:
    """What is known about a box, under the names of the file format.

    Args:
        store: read only.
        light: read only; dark where it was not made.
        box: which blocks.
        what: names of arrays.
        started_at: when the session began, for ``since``.
    """
    read = _readers(store, light, started_at)
    arrays = {name: np.full(box.shape, OUTSIDE[name][1], OUTSIDE[name][0]) for name in what if name in OUTSIDE}
    for position in box_subchunks(box):
        if store.dimension.holds_section(position.y):
            here, inside = _overlap(box, position)
            for name, array in arrays.items():
                array[here] = _within(read[name](position), inside)
    if "height" in what:
        arrays["height"] = _heights(store, box)
    layers = {name: array for name, array in arrays.items() if name in LAYERS}
    return {**arrays, **(_named(store, layers) if layers else {})}


def _readers(store: Store, light: LightMap, started_at: float) -> dict[str, Callable[[SubChunkPos], Cells]]:
    """How each array is read, a sub-chunk at a time."""

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
        "known": of_place(lambda place: int(store.state[place]), Knowledge.UNKNOWN),
        "verdict": store.height_verdict_of,
        "refusal": of_place(lambda place: int(store.refusal[place]), 0),
        "since": of_place(since, np.nan),
        "small_values": store.small_values_of,
    }


def _within(cells: Cells, inside: Region) -> Cells:
    return cells.reshape(16, 16, 16)[inside] if isinstance(cells, np.ndarray) else cells


def _heights(store: Store, box: Box) -> npt.NDArray[np.int16]:
    heights = np.full(box.shape[:2], UNKNOWN_TOP, np.int16)
    for position in box_subchunks(Box(box.low, box.high._replace(y=box.low.y + 1))):
        column = ColumnPos(position.x, position.z)
        if column in store.row_of:
            (x, z, _), (from_x, from_z, _) = _overlap(box, position)
            heights[x, z] = store.height_map(column).reshape(16, 16).T[from_x, from_z]  # told by z << 4 | x
    return heights


def _overlap(box: Box, position: SubChunkPos) -> tuple[Region, Region]:
    """Where one sub-chunk lies in the box's arrays, and which of its own cells those are; both [x, z, y]."""
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


def _named(store: Store, layers: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Ids of this session become rows of block states that occur, by runtime id, so equal worlds give equal files."""
    used = np.unique(np.concatenate([np.unique(dense) for dense in layers.values()]))
    runtime_ids = np.array([store.table.runtime_id_of(int(one)) for one in used], np.uint32)
    by_runtime_id = np.argsort(runtime_ids, kind="stable")
    row_of = np.zeros(int(used[-1]) + 1, np.uint32)
    row_of[used[by_runtime_id]] = np.arange(len(used), dtype=np.uint32)
    states = [store.table.states[int(one)] for one in used[by_runtime_id]]
    return {
        **{name: row_of[dense] for name, dense in layers.items()},
        "names": np.array([state.name for state in states], np.str_),
        "states": np.array([json.dumps(dict(state.states), sort_keys=True) for state in states], np.str_),
        "runtime_ids": runtime_ids[by_runtime_id],
    }
