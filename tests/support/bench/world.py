"""The pipeline from payloads to meshes for the bench world, in stages that can be timed.

Rules:
1. The world is ``net.server.worlds.bench`` at seed 1: 17 x 17 columns, 24 sub-chunks high, encoded by our
   server's encoder with the runtime ids of protocol 486. Pools and work arrays are warm: each run overwrites the same.
2. Each stage is the product's own code, as jobs of the product's own runner, in batches of the sizes that the product
   uses; light is one job whose channels are shared among the workers.
3. Everything is in memory: no network, no decompression, no upload.

``python -m tests.support.bench.world COLUMNS`` runs all stages once for each line that it reads from standard input,
and prints their processor seconds as JSON.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from time import perf_counter, process_time

import msgspec
import numpy as np

from client.light.light_map import LightMap
from client.light.step import LightResult
from client.visibility import derive_connectivity
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT, BlockPools
from client.world.block_table import BlockTable
from client.world.store import Store
from net.palette import Palette
from net.server.worlds.bench import BenchWorld
from net.space import ColumnPos
from net.subchunk import decode
from net.subchunk.encode import SubChunkEncoder
from net.subchunk.heights import HeightAnswer, column_surface, section_heights
from net.subchunk.mask_kernels import derive
from net.visibility.connectivity_kernels import SCRATCH_WORDS, connect
from render.jobs.workers import Job, ThreadRunner, WorkerResources
from render.materials.materials import Materials
from render.mesh.mesher import AppearanceTables, MeshBatch, MeshPools, MeshResult, appearance_tables
from render.mesh.mesher import run as run_mesh
from tests.support.worlds.blocks import FakeWorld

# ---------------------------------------------------------------- bench pipeline

DAYLIGHT = 3
ANSWERS = 512
DECODE_BATCH = 256
"""Payloads at once, as in the store's drains. With 128, the arrays around the kernels take a tenth more time."""
CONNECT_BATCH = 512
MESH_BATCH = 64


class Stage(msgspec.Struct, frozen=True):
    """One stage's time in milliseconds."""

    name: str
    ms: float


class Workers:
    """A runner with a fixed number of workers, which are all used for every task."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._runner = ThreadRunner(count)

    def each(self, task: Callable[[int, WorkerResources], None], count: int) -> None:
        """Runs ``task`` for 0..count-1 in any order; raises the first error."""
        self._runner.replace([Job(i, partial(_job, task, i)) for i in range(count)])
        while self._runner.busy:
            self._runner.wait(60.0)
            for done in self._runner.collect():
                if done.error is not None:
                    raise done.error

    def close(self) -> None:
        """Ends the threads."""
        self._runner.close()


def _job(task: Callable[[int, WorkerResources], None], number: int, workshop: WorkerResources) -> None:
    task(number, workshop)


class BenchPipeline:
    """The payloads of the bench world, and the pools of each stage."""

    def __init__(self, columns: int = 17) -> None:
        source = BenchWorld(1, columns)
        palette = Palette.for_protocol(486)
        self.table = BlockTable.build(palette)
        runtime_ids = np.array([palette.runtime_id_of(state) for state in source.states], np.int64)
        encoder = SubChunkEncoder(runtime_ids)
        half = columns // 2
        positions = [ColumnPos(x, z) for x in range(-half, half + 1) for z in range(-half, half + 1)]
        pools = BlockPools(self.table, 1 << 14)
        self.world = FakeWorld(source.dimension, self.table, rows=len(positions) + 1, pools=pools)
        self.pools = pools
        self.rows = np.array(self.world.add_columns(positions), np.int32)
        self.payloads: list[bytes] = []
        self.heights: list[tuple[HeightAnswer, bytes | None]] = []
        dims = self.table.opacity[DAYLIGHT, self.table.dense_of(runtime_ids)] > 0
        places: list[int] = []
        for position in positions:
            column = source.column(position)
            tops = column_surface(column.layer0, column.layer1, dims)
            for section, payload in enumerate(
                encoder.encode(column.layer0, column.layer1, source.dimension.floor_section)
            ):
                place = self.world.place(position, section)
                if payload:
                    self.payloads.append(payload)
                    self.heights.append(section_heights(tops, section))
                    places.append(place)
                else:
                    self.world.slot[place] = 0
        self.slots = np.array([pools.take() for _ in self.payloads], np.int32)
        self.layer1 = np.zeros((len(self.payloads), 4096), np.uint16)
        self.world.slot[places] = self.slots
        self.world.revision[places] = np.arange(1, len(places) + 1)
        self.places = np.array(places, np.int32)
        self.light = LightMap(self.world)
        self.meshes = _mesh_batches(self.world, positions, appearance_tables(Materials.build(self.table), self.table))
        self.results: list[MeshResult | None] = [None] * len(self.meshes)
        self._scanners = _scratches(decode.Scanner)
        self._connect_scratch = _scratches(lambda: np.empty(SCRATCH_WORDS, np.uint64))

    def decode_and_masks(self, workers: Workers) -> None:
        """Scans, maps palettes, unpacks both layers, and derives masks and kinds."""

        def batch(i: int, _workshop: WorkerResources) -> None:
            part = slice(i * DECODE_BATCH, (i + 1) * DECODE_BATCH)
            scanner = self._scanners.get()
            scanned = scanner.scan(self.payloads[part])
            mapped = self.table.dense_of(scanned.palette)
            slots = self.slots[part]
            entries = np.arange(len(slots))
            decode.unpack(scanned, entries, 0, slots, mapped, self.table.flags, self.pools.blocks, self.pools.flags)
            second = np.flatnonzero(scanned.layers > 1)
            if len(second):
                flags = np.zeros(len(slots), np.uint32)
                decode.unpack(
                    scanned, second, 1, second.astype(np.int32), mapped, self.table.flags, self.layer1[part], flags
                )
            self._masks(slots)
            self._scanners.put(scanner)

        workers.each(batch, -(-len(self.payloads) // DECODE_BATCH))

    def connectivity(self, workers: Workers) -> None:
        """Computes the connectivity of each slot that has a payload."""

        def batch(i: int, _workshop: WorkerResources) -> None:
            end = min((i + 1) * CONNECT_BATCH, len(self.slots))
            scratch = self._connect_scratch.get()
            connect(self.pools.opaque, self.slots, i * CONNECT_BATCH, end, self.pools.connectivity, scratch)
            self._connect_scratch.put(scratch)

        workers.each(batch, -(-len(self.slots) // CONNECT_BATCH))

    def relight(self, workers: Workers) -> None:
        """Lights all columns in one step, from no light. Not by ``LightMap.reset``: it would free warm memory."""
        self.light.darken()
        batch = self.light.prepare(self.world, self.rows)
        results: list[LightResult] = []
        workers.each(lambda _, workshop: results.append(self.light.run(batch, workshop.each)), 1)
        self.light.publish(results[0])

    def mesh(self, workers: Workers) -> None:
        """Meshes all render cells greedily; results are copied, as they are for the uploader."""

        def batch(i: int, workshop: WorkerResources) -> None:
            self.results[i] = run_mesh(self.meshes[i], workshop.mesh)

        workers.each(batch, len(self.meshes))

    def through_store(self) -> list[Stage]:
        """The owner thread's part: a real store takes all answers and ends its drain, then connectivity is computed."""
        store = Store(self.table, BlockPools(self.table, 1 << 14), self.world.dimension)
        for column in self.world.row_of:
            store.announce(column, None, b"", 0.0)
        sections = self.world.dimension.sections
        positions = np.empty((len(self.places), 3), np.int32)
        positions[:, ::2] = self.world.columns[self.places // sections]
        positions[:, 1] = self.places % sections + self.world.dimension.floor_section
        count = len(positions)
        results, no_heights = np.ones(count, np.uint8), np.zeros(count, np.uint8)
        start = perf_counter()
        for first in range(0, count, ANSWERS):
            part = slice(first, first + ANSWERS)
            heights = [None] * len(positions[part])
            store.answer(positions[part], results[part], self.payloads[part], no_heights[part], heights, 0.0)
        answered = perf_counter()
        slots = store.finish_drain()
        finished = perf_counter()
        derive_connectivity(store.pools, slots)
        return [
            Stage("store.answer", (answered - start) * 1e3),
            Stage("store.finish_drain", (finished - answered) * 1e3),
            Stage("connectivity", (perf_counter() - finished) * 1e3),
        ]

    def stages(self, workers: Workers) -> list[Stage]:
        """Runs all stages once."""
        times = []
        for name, stage in (
            ("decode+masks", self.decode_and_masks),
            ("connectivity", self.connectivity),
            ("light", self.relight),
            ("mesh", self.mesh),
        ):
            start = perf_counter()
            stage(workers)
            times.append(Stage(name, (perf_counter() - start) * 1e3))
        return times

    def _masks(self, slots: np.ndarray) -> None:
        first = self.table.first
        derive(
            self.pools.blocks,
            slots,
            first.liquid,
            first.placeholder,
            first.opaque,
            self.pools.opaque,
            self.pools.liquid,
            self.pools.other,
            self.pools.kinds,
        )


def _mesh_batches(world: FakeWorld, columns: list[ColumnPos], looks: AppearanceTables) -> list[MeshBatch]:
    """All render cells, column by column, each with the slots around it."""
    sections = world.dimension.sections
    pools = world.pools
    views = MeshPools(
        pools.blocks, pools.opaque, pools.liquid, pools.other, pools.kinds, pools.flags, pools.layer1, pools.wet
    )
    cells, tables = [], []
    for column in columns:
        strips = []
        for dx in (-1, 0, 1):
            for dz in (-1, 0, 1):
                row = world.row_of.get(ColumnPos(column.x + dx, column.z + dz))
                if row is None:
                    strips.append(np.full(sections, PLACEHOLDER_SLOT, np.int32))
                else:
                    strips.append(world.slot[row * sections : (row + 1) * sections])
        padded = np.pad(np.stack(strips), ((0, 0), (1, 1)), constant_values=AIR_SLOT)
        for pair in range(sections // 2):
            cells.append((column.x, pair + (world.dimension.floor_section >> 1), column.z))
            tables.append(padded[:, 2 * pair : 2 * pair + 4].reshape(36))
    positions, slots = np.array(cells, np.int32), np.array(tables, np.int32)
    none = np.zeros(len(cells), np.int64)
    return [
        MeshBatch(
            positions[i : i + MESH_BATCH],
            slots[i : i + MESH_BATCH],
            np.zeros_like(slots[i : i + MESH_BATCH]),
            none[i : i + MESH_BATCH],
            views,
            looks,
        )
        for i in range(0, len(cells), MESH_BATCH)
    ]


def _scratches(make: Callable[[], object]) -> SimpleQueue:
    """Work arrays for up to four threads."""
    queue: SimpleQueue = SimpleQueue()
    for _ in range(4):
        queue.put(make())
    return queue


# ---------------------------------------------------------------- timed stages


def main() -> None:
    pipeline, workers = BenchPipeline(int(sys.argv[1])), Workers(1)
    stages = {
        "decode": pipeline.decode_and_masks,
        "connectivity": pipeline.connectivity,
        "light": pipeline.relight,
        "mesh": pipeline.mesh,
    }
    for run in stages.values():
        run(workers)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _line in sys.stdin:
        taken_s = {}
        for name, run in stages.items():
            before_s = process_time()
            run(workers)
            taken_s[name] = process_time() - before_s
        sys.stdout.write(json.dumps(taken_s) + "\n")
        sys.stdout.flush()
    workers.close()


if __name__ == "__main__":
    main()
