"""C++ references that the speed of our kernels is compared with, and the Python prototype of the whole pipeline.

They are compiled when a benchmark runs, if their source lies beside the checkout and a compiler for this processor
exists. Each does less than the product:

- ``NativeMesh``, greedy meshing: cut-out and translucent faces are not merged, a model's quad is one word instead of
  three, and liquids have neither slopes nor sides above a lower surface. Opaque blocks give as many quads as ours.
- ``NativeLight``, full lighting: it is also compared for equality. It indexes positions instead of work rows, so every
  position has its own copy of blocks and masks (made once, not timed), and it assumes that no sub-chunk is missing.
- ``Prototype``, payloads to meshes: it has the same terrain (seed 1), but no store, no light slots, no models, no
  sloped liquids and no block appearances. Its times are a lower bound, not a comparison.
"""

import ctypes
import importlib
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from client.light.tables import LightTables
from net.arrays import ColumnMasks
from render.mesh.mesher import MeshPools, SlotTables
from tests.support.bench.world import BenchPipeline

# ---------------------------------------------------------------- native limits

PROTOTYPES = Path(__file__).parents[4] / "shared" / "prototypes" / "perf"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-fno-strict-aliasing", "-shared", "-fPIC")


class NativeLimits:
    """References for connectivity and decoding: one compiled library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def connectivity(self, opaque: ColumnMasks) -> np.ndarray:
        """Connectivity of slots, uint64[n]: which faces of a sub-chunk see which others."""
        found = np.zeros(len(opaque), np.uint64)
        count = ctypes.c_int64(len(opaque))
        self._library.vis_batch(
            ctypes.c_void_p(opaque.ctypes.data), ctypes.c_int64(0), count, ctypes.c_void_p(found.ctypes.data)
        )
        return found

    def decoder(self, payloads: list[bytes], dense: np.ndarray, flags: np.ndarray, first: tuple[int, int]) -> "Decoder":
        """Decodes payloads of version 9 and derives their masks, with plain loops.

        Args:
            payloads: with at most two layers.
            dense: uint16[runtime ids] dense id of each.
            flags: uint32[65536] by dense id; the reference keeps eight bits of each.
            first: lowest dense ids of liquids and of what is opaque.
        """
        return Decoder(self._library, payloads, dense, flags.astype(np.uint8), first)


class Decoder:
    """One batch of payloads, with the arrays it is decoded into."""

    def __init__(
        self, library: ctypes.CDLL, payloads: list[bytes], dense: np.ndarray, flags: np.ndarray, first: tuple[int, int]
    ) -> None:
        count = len(payloads)
        lengths = np.array([len(payload) for payload in payloads], np.int64)
        self.blocks = np.zeros((count, 4096), np.uint16)
        self.masks = np.zeros((3, count, 256), np.uint16)
        self._library, self._first, self._count = library, first, count
        self._arrays = (
            np.frombuffer(b"".join(payloads) + bytes(64), np.uint8),
            np.cumsum(lengths) - lengths,
            lengths,
            np.arange(count, dtype=np.int32),
        )
        self._tables = dense, flags
        self._second = np.zeros((count, 4096), np.uint16), np.zeros(count + 1, np.int32), np.zeros(count, np.uint32)

    def run(self) -> None:
        """Decodes all payloads and derives their masks."""
        count = ctypes.c_int64(self._count)
        buffer, *where = map(_at, self._arrays)
        tables, second, blocks = map(_at, self._tables), map(_at, self._second), _at(self.blocks)
        self._library.decode_batch(buffer, *where, count, *tables, blocks, *second, ctypes.c_int(0))
        liquid, opaque = map(ctypes.c_uint16, self._first)
        self._library.masks_batch_plain(blocks, ctypes.c_int64(0), count, liquid, opaque, *map(_at, self.masks))


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def native_limits(folder: Path) -> NativeLimits | None:
    """Compiles the reference into a folder; None where its source, a compiler or AVX-512 is missing."""
    library = compiled("limits.cpp", folder)
    return None if library is None else NativeLimits(library)


def compiled(name: str, folder: Path) -> Path | None:
    """Compiles one of the references into a folder; None where its source, a compiler or what it needs is missing."""
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    source = PROTOTYPES / name
    if compiler is None or not source.exists():
        return None
    library = (folder / name).with_suffix(".so")
    made = subprocess.run([compiler, *FLAGS, str(source), "-o", str(library)], check=False, capture_output=True)
    return None if made.returncode else library


# ---------------------------------------------------------------- native mesh

WORDS = 1 << 22
AIR, OPAQUE, LIQUID, CUTOUT, MODEL, GLASS = range(6)


def native_mesh(folder: Path, pipeline: BenchPipeline) -> "NativeMesh | None":
    """Compiles the reference into a folder; None where its source or a compiler is missing."""
    library = compiled("limits2.cpp", folder)
    return None if library is None else NativeMesh(library, pipeline)


class NativeMesh:
    """Greedy meshing in C++ over a pipeline's pools."""

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
        """Meshes cells; returns the number of quads."""
        # int64[cells, 4] quads of opaque blocks, liquids, other cubes and models after ``run``
        self.counts = np.zeros((len(tables), 4), np.int64)
        pools = self._pools
        arrays = (pools.blocks, pools.opaque, pools.liquid, pools.other, pools.kinds, self._classes, tables)
        return int(
            self._library.mesh_greedy(
                *map(_at, arrays), ctypes.c_int64(len(tables)), _at(self._quads), _at(self.counts)
            )
        )


# ---------------------------------------------------------------- native light

SOURCE = Path(__file__).parents[4] / "shared" / "prototypes" / "perf" / "limits2.cpp"
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
    """Full lighting in C++ over a copy of a pipeline's world; work arrays are written to before anything is timed."""

    def __init__(self, library: Path, pipeline: BenchPipeline) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.light_channel.restype = ctypes.c_int64
        world, pools = pipeline.world, pipeline.pools
        sections = world.dimension.sections
        stacks = pipeline.rows[:, None] * sections + np.arange(sections, dtype=np.int32)
        places = stacks.reshape(-1)
        self._columns = np.arange(len(places), dtype=np.int32).reshape(stacks.shape)
        self._all = self._columns.reshape(-1)
        # One extra place stands for everything that is not loaded; slot 1 is the placeholder.
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
        self._shines = (self._tables.emission != 0).astype(np.uint8)
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
        """Lights all places, starting from no light."""
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
            *map(_at, (self._flags, self._blocks, self._shines, tables.emission)),
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
    """The six neighbours of each place as indices into ``places``; neighbours that are not in it get its length."""
    number = np.full(len(neighbours), len(places), np.int32)
    number[places] = np.arange(len(places), dtype=np.int32)
    outside = np.full((1, 6), len(places), np.int32)
    return np.concatenate([number[neighbours[places]], outside])


def _touched(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that were written explicitly: large arrays of ``np.empty`` get huge pages, those of ``np.zeros`` do not."""
    made = np.empty(shape, np.uint64)
    made.fill(0)
    return made


# ---------------------------------------------------------------- prototype

DECODED_AT_ONCE = 128
QUADS_A_BATCH = 1 << 20


class Prototype:
    """The second prototype (``e2e2.py``) with its own world."""

    def __init__(self, folder: Path) -> None:
        """Generates the world into a folder and loads (or compiles) the kernels."""
        world = folder / "world"
        subprocess.run([sys.executable, str(PROTOTYPES / "worldgen.py"), str(world)], check=True, capture_output=True)
        self._steps, common, rooms = (_module(name) for name in ("e2e2", "common", "common2"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # it does not close a file
            self._space = rooms.Nb2(common.World(str(world)))
        count = len(self._space.w.off)
        firsts = range(0, count, DECODED_AT_ONCE)
        self._scratch: dict[str, Any] = {  # Any: the prototype has no types
            "out": [np.zeros(QUADS_A_BATCH, np.int64) for _ in range(2)],
            "l1": [np.zeros((64, 4096), np.uint16) for _ in firsts],
            "l1s": [np.zeros(64, np.int32) for _ in firsts],
            "free": [0, 1],
        }
        self._pool = ThreadPoolExecutor(2)

    def run(self, threads: int) -> list[float]:
        """Runs the pipeline on one or two threads; milliseconds of decoding with masks, visibility, light, meshes."""
        seconds, _ = self._steps.run(self._space, self._pool, threads, self._scratch)
        return [float(part) * 1e3 for part in seconds]

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown()


def prototype(folder: Path) -> Prototype | None:
    """The prototype; None where its source is missing."""
    return Prototype(folder) if (PROTOTYPES / "e2e2.py").exists() else None


def _module(name: str) -> Any:
    """Imports one of its modules; they import each other without a package name."""
    sys.path.insert(0, str(PROTOTYPES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(PROTOTYPES))
