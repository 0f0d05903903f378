"""Reads a box out of the store: the arrays of ``dump`` (interfaces.md).

All are indexed ``[x, z, y]``; a sub-chunk's 4,096 cells reshape to that without a copy. What lies outside the
dimension is air without light; what nobody told is the placeholder block.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from client.connect.options import Box
from client.light.map import LightMap
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.space.layout import UNKNOWN_BIOME
from net.space.positions import BlockPos, SubChunkPos

Region = tuple[slice, slice, slice]


def box_subchunks(box: Box) -> Iterator[SubChunkPos]:
    """All sub-chunks that a box touches, x first, then z, then y."""
    low, high = box.low.subchunk, BlockPos(box.high.x - 1, box.high.y - 1, box.high.z - 1).subchunk
    for x in range(low.x, high.x + 1):
        for z in range(low.z, high.z + 1):
            for y in range(low.y, high.y + 1):
                yield SubChunkPos(x, y, z)


def box_arrays(store: Store, light: LightMap, box: Box) -> dict[str, npt.NDArray[Any]]:
    """Everything known about a box, under the names of the file format."""
    dense = np.zeros(box.shape, np.uint16)
    dense1 = np.zeros(box.shape, np.uint16)
    values = np.zeros(box.shape, np.uint16)
    lit = np.zeros(box.shape, np.uint8)
    biomes = np.full(box.shape, UNKNOWN_BIOME, np.uint16)
    known = np.full(box.shape, int(Knowledge.OUTSIDE), np.uint8)
    for position in box_subchunks(box):
        if not store.dimension.holds_section(position.y):
            continue
        here, inside = _overlap(box, position)
        place = store.place_of(position)
        row = store.row_of.get(position.column, 0)
        dense[here] = _cells(store.blocks_of(position))[inside]
        dense1[here] = _cells(store.layer1_of(position))[inside]
        biomes[here] = _cells(store.biomes_of(position))[inside]
        known[here] = store.state[place] if row else Knowledge.UNKNOWN
        if row:
            (slot,) = light.slots_of(np.array([place], np.int32))
            values[here] = _cells(light.values[slot])[inside]
            lit[here] = light.lit_complete(store, row)
    return {**_named(store, dense, dense1), "light": values, "lit": lit, "biomes": biomes, "known": known}


def _cells(flat: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    return flat.reshape(16, 16, 16)


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


def _named(store: Store, dense: npt.NDArray[np.uint16], dense1: npt.NDArray[np.uint16]) -> dict[str, npt.NDArray[Any]]:
    """Ids of this session become rows of block states that occur, by runtime id, so equal worlds give equal files."""
    used = np.union1d(dense, dense1)
    runtime_ids = np.array([store.table.runtime_id_of(int(one)) for one in used], np.uint32)
    by_runtime_id = np.argsort(runtime_ids, kind="stable")
    row_of = np.zeros(int(used[-1]) + 1, np.uint32)
    row_of[used[by_runtime_id]] = np.arange(len(used), dtype=np.uint32)
    states = [store.table.states[int(one)] for one in used[by_runtime_id]]
    return {
        "blocks": row_of[dense],
        "layer1": row_of[dense1],
        "names": np.array([state.name for state in states], np.str_),
        "states": np.array([json.dumps(dict(state.states), sort_keys=True) for state in states], np.str_),
        "runtime_ids": runtime_ids[by_runtime_id],
    }
