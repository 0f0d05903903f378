"""Greedy meshing in C++ over a pipeline's pools: what the product's kernel is measured against.

The reference does less: cut-out and translucent faces are not merged, models are one word instead of three a quad, and
liquids have neither slopes nor sides that show above a lower surface. Of opaque blocks it makes as many quads as ours.
"""

import ctypes
from pathlib import Path

import numpy as np

from render.mesh.mesher import MeshPools, SlotTables
from tests.support.bench_pipeline import BenchPipeline
from tests.support.native_limits import compiled

WORDS = 1 << 22
AIR, OPAQUE, LIQUID, CUTOUT, MODEL, GLASS = range(6)


def native_mesh(folder: Path, pipeline: BenchPipeline) -> "NativeMesh | None":
    """Compiles the reference into a folder; None where its source or a compiler is missing."""
    library = compiled("limits2.cpp", folder)
    return None if library is None else NativeMesh(library, pipeline)


class NativeMesh:
    """The compiled library, and the room it meshes into."""

    def __init__(self, library: Path, pipeline: BenchPipeline) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.mesh_greedy.restype = ctypes.c_int64
        self._pools: MeshPools = pipeline.meshes[0].pools
        first = pipeline.table.first
        self._classes = np.full(1 << 16, OPAQUE, np.uint8)
        self._classes[: first.placeholder] = LIQUID
        self._classes[: first.liquid] = GLASS
        self._classes[: first.translucent] = CUTOUT
        self._classes[: first.cutout] = MODEL
        self._classes[: first.model] = AIR
        self._quads = np.zeros(WORDS, np.uint64)

    def run(self, tables: SlotTables) -> int:
        """Meshes cells; how many quads there are."""
        # int64[cells, 4] quads of opaque blocks, liquids, other cubes and models after ``run``
        self.counts = np.zeros((len(tables), 4), np.int64)
        pools = self._pools
        arrays = (pools.blocks, pools.opaque, pools.liquid, pools.other, pools.kinds, self._classes, tables)
        return int(
            self._library.mesh_greedy(
                *map(_at, arrays), ctypes.c_int64(len(tables)), _at(self._quads), _at(self.counts)
            )
        )


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
