"""Light from nothing in C++, over the bench world: what the product's kernels are measured against, and equal to.

The reference numbers places, not seats, so every place has its blocks and masks here, copied once and not timed. It
knows no missing sub-chunks: its world is whole, under open sky.
"""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from client.light.tables import LightTables
from tests.support.bench_pipeline import BenchPipeline

SOURCE = Path(__file__).parents[3] / "shared" / "prototypes" / "perf" / "limits2.cpp"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-fno-strict-aliasing", "-shared", "-fPIC")
CHANNELS = 4
STATE_WORDS, PLANE_WORDS, LATER_WORDS = 256, 80, 1024
PLANES_A_PLACE = 3


def native_light(folder: Path, pipeline: BenchPipeline) -> "NativeLight | None":
    """Compiles the reference into a folder; None where its source or a compiler is missing."""
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    if compiler is None or not SOURCE.exists():
        return None
    library = folder / "limits2.so"
    made = subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library)], check=False, capture_output=True)
    return None if made.returncode else NativeLight(library, pipeline)


class NativeLight:
    """The reference's copy of a pipeline's world, and the room it lights it in; memory is touched beforehand."""

    def __init__(self, library: Path, pipeline: BenchPipeline) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.light_channel.restype = ctypes.c_int64
        world, pools = pipeline.world, pipeline.pools
        sections = world.dimension.sections
        stacks = pipeline.rows[:, None] * sections + np.arange(sections, dtype=np.int32)
        places = stacks.reshape(-1)
        self._columns = np.arange(len(places), dtype=np.int32).reshape(stacks.shape)
        self._all = self._columns.reshape(-1)
        # One place more stands for all that is not loaded; slot 1 is the placeholder's.
        slots = np.append(world.slot[places], np.int32(1))
        self._opaque, self._liquid, self._other = pools.opaque[slots], pools.liquid[slots], pools.other[slots]
        self._blocks, self._flags = pools.blocks[slots], pools.flags[slots]
        self._neighbours = _numbered(world.neighbours, places)
        self._tables = LightTables.build(pipeline.table)
        # uint16[places, 4096] light after ``run``, in the order of ``pipeline.rows`` and their sections
        self.values = np.zeros((len(places), 4096), np.uint16)
        self._make_room(len(places))

    def _make_room(self, places: int) -> None:
        rows, planes = places, PLANES_A_PLACE * places
        self._sky = np.zeros((places + 1, 256), np.uint16)
        self._kind = np.zeros(places + 1, np.uint8)
        self._mark = np.zeros((CHANNELS, places + 1), np.uint8)
        self._row_of = np.full((CHANNELS, places + 1), -1, np.int32)
        self._row_place = np.zeros((CHANNELS, rows), np.int32)
        self._plane_of = np.zeros((CHANNELS, rows, 16), np.int32)
        self._state = _touched((CHANNELS, rows, STATE_WORDS))
        self._pool = _touched((CHANNELS, planes, PLANE_WORDS))
        self._later_of = np.full((CHANNELS, places + 1), -1, np.int32)
        self._later_place = np.zeros((CHANNELS, rows), np.int32)
        self._later = _touched((CHANNELS, rows, LATER_WORDS))
        self._levels = np.zeros((CHANNELS, rows), np.int32)
        self._later_count = np.zeros((CHANNELS, 1), np.int32)
        self._lists = np.zeros((CHANNELS, 2, 2 * places), np.int32)

    def run(self) -> None:
        """All places from nothing."""
        call, tables, places = self._library, self._tables, len(self._all)
        call.sky_masks(
            *map(_at, (self._columns,)),
            *map(ctypes.c_int64, self._columns.shape),
            *map(_at, (self._opaque, self._liquid, self._other, self._blocks, tables.packed_down)),
            *map(_at, (self._sky, self._kind)),
        )
        self._later_count[:] = 0
        call.seed_emitters(
            _at(self._all),
            ctypes.c_int64(places),
            *map(_at, (self._flags, self._blocks, tables.shines, tables.emission)),
            *map(_at, (self._later_of, self._later_place, self._later, self._levels, self._later_count)),
            ctypes.c_int64(places + 1),
            ctypes.c_int64(self._later.shape[1]),
        )
        rows = [self._channel(channel) for channel in range(CHANNELS)]
        call.compose(
            _at(self._all),
            ctypes.c_int64(places),
            *map(_at, (self._kind, self._row_of)),
            ctypes.c_int64(places + 1),
            _at(self._plane_of),
            ctypes.c_int64(self._plane_of.shape[1]),
            _at(self._pool),
            ctypes.c_int64(self._pool.shape[1]),
            _at(self.values),
        )
        for channel, count in enumerate(rows):
            self._row_of[channel, self._row_place[channel, :count]] = -1
        self._kind[:-1] = 0

    def _channel(self, channel: int) -> int:
        planes = ctypes.c_int64()
        found: int = self._library.light_channel(
            _at(self._all),
            ctypes.c_int64(len(self._all)),
            *map(_at, (self._neighbours, self._kind, self._flags)),
            ctypes.c_uint32(2 << channel),
            *map(_at, (self._blocks, self._tables.steps[channel], self._opaque, self._sky)),
            ctypes.c_int(channel == CHANNELS - 1),
            *(
                _at(array[channel])
                for array in (self._row_of, self._row_place, self._plane_of, self._state, self._pool, self._later_of)
            ),
            *(
                _at(array[channel])
                for array in (self._later_place, self._later, self._levels, self._later_count, self._lists)
            ),
            ctypes.c_int64(self._lists.shape[2]),
            _at(self._mark[channel]),
            ctypes.byref(planes),
        )
        assert planes.value <= self._pool.shape[1], "the reference wrote beyond its planes"
        return found


def _numbered(neighbours: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Neighbour places as positions in ``places``, the last number for all others."""
    number = np.full(len(neighbours), len(places), np.int32)
    number[places] = np.arange(len(places), dtype=np.int32)
    outside = np.full((1, 6), len(places), np.int32)
    return np.concatenate([number[neighbours[places]], outside])


def _touched(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that were written once, from ``np.empty``: large ones come in huge pages."""
    made = np.empty(shape, np.uint64)
    made.fill(0)
    return made


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
