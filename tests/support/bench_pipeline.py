"""The road from payloads to meshes for the bench world, cut into stages that can be timed.

Rules:
1. The world is ``net.server.worlds.bench`` at seed 1: 17 x 17 columns, 24 sub-chunks high, encoded by our server's encoder
   with the runtime ids of protocol 486. Pools are warm: every run writes the same slots again.
2. Each stage is the product's own code in batches of the sizes that the product uses; what one worker does on one thread,
   two do on two.
3. Everything is in memory: no wire, no inflate, no upload.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from time import perf_counter

import numpy as np

from client.light.map import LightMap
from client.visibility.connectivity_kernels import SCRATCH_WORDS, connect
from client.world.block_table import BlockTable
from client.world.pools import BlockPools
from net.palette import Palette
from net.server.worlds.bench import BenchWorld
from net.space.positions import ColumnPos
from net.subchunk import decode
from net.subchunk.encode import SubChunkEncoder
from net.subchunk.mask_kernels import derive
from tests.support.fake_world import FakeWorld

DECODE_BATCH = 128
CONNECT_BATCH = 512
MESH_BATCH = 64


@dataclass(frozen=True)
class Stage:
    """One stage's time in milliseconds."""

    name: str
    ms: float


class Workers:
    """Runs a task for 0..count-1 on so many threads; with one, on the caller's."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def each(self, task: Callable[[int], None], count: int) -> None:
        """All of them, in any order."""
        if self._pool is None:
            for i in range(count):
                task(i)
        else:
            list(self._pool.map(task, range(count)))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()


class BenchPipeline:
    """The bench world's payloads, and the pools they go through."""

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
        places: list[int] = []
        for position in positions:
            column = source.column(position)
            for section, payload in enumerate(
                encoder.encode(column.layer0, column.layer1, source.dimension.floor_section)
            ):
                place = self.world.place(position, section)
                if payload:
                    self.payloads.append(payload)
                    places.append(place)
                else:
                    self.world.slot[place] = 0
        self.slots = np.array([pools.take() for _ in self.payloads], np.int32)
        self.layer1 = np.zeros((len(self.payloads), 4096), np.uint16)
        self.world.slot[places] = self.slots
        self.world.revision[places] = np.arange(1, len(places) + 1)
        self.light = LightMap(self.world)
        self._relit = 0
        self._mask_scratch = _scratches(lambda: np.empty(512, np.uint64))
        self._connect_scratch = _scratches(lambda: np.empty(SCRATCH_WORDS, np.int32))

    def decode_and_masks(self, workers: Workers) -> None:
        """Scan, map palettes, unpack both layers, derive masks and kinds."""

        def batch(i: int) -> None:
            part = slice(i * DECODE_BATCH, (i + 1) * DECODE_BATCH)
            scanned = decode.scan(self.payloads[part])
            mapped = self.table.dense_of(scanned.palette)
            slots = self.slots[part]
            entries = np.arange(len(slots))
            decode.unpack(scanned, entries, 0, slots, mapped, self.table.flags, self.pools.blocks, self.pools.flags)
            second = np.flatnonzero(scanned.with_layer(1))
            if len(second):
                flags = np.zeros(len(slots), np.uint32)
                decode.unpack(
                    scanned, second, 1, second.astype(np.int32), mapped, self.table.flags, self.layer1[part], flags
                )
            self._masks(slots)

        workers.each(batch, -(-len(self.payloads) // DECODE_BATCH))

    def connectivity(self, workers: Workers) -> None:
        """Which face sees which, for every slot with a payload."""

        def batch(i: int) -> None:
            end = min((i + 1) * CONNECT_BATCH, len(self.slots))
            scratch = self._connect_scratch.get()
            connect(self.pools.opaque, self.slots, i * CONNECT_BATCH, end, self.pools.connectivity, scratch)
            self._connect_scratch.put(scratch)

        workers.each(batch, -(-len(self.slots) // CONNECT_BATCH))

    def relight(self, workers: Workers) -> None:
        """All columns from nothing, in one step."""
        self.light.reset(self.world)
        batch = self.light.prepare(self.world, self.rows)
        self.light.publish(self.light.run(batch, workers.each))

    def stages(self, workers: Workers) -> list[Stage]:
        """Runs all stages once."""
        times = []
        for name, stage in (
            ("decode+masks", self.decode_and_masks),
            ("connectivity", self.connectivity),
            ("light", self.relight),
        ):
            start = perf_counter()
            stage(workers)
            times.append(Stage(name, (perf_counter() - start) * 1e3))
        return times

    def _masks(self, slots: np.ndarray) -> None:
        scratch = self._mask_scratch.get()
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
            scratch,
        )
        self._mask_scratch.put(scratch)


def _scratches(make: Callable[[], np.ndarray]) -> SimpleQueue:
    """Scratch for up to four threads."""
    queue: SimpleQueue = SimpleQueue()
    for _ in range(4):
        queue.put(make())
    return queue
