"""The bench world in a real store, shown by a real scene that makes its light and meshes on the caller's thread.

One edit: one block, one drain, one light step, all meshes it causes, and all of it shown.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import thread_time
from typing import Any

import msgspec
import numpy as np

from client.light.light_map import LightMap
from client.visibility.walk import derive_connectivity
from client.world.block_pools import BlockPools
from client.world.store import Store
from net.space.positions import BlockPos
from render.gpu import Gpu
from render.jobs.workers import Job, SyncRunner, WorkerResources
from render.scene.config import SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.lighting import LightKey
from render.scene.scene import Scene
from tests.support.bench_pipeline import ANSWERS, BenchPipeline

DATA, ALL_AIR = 1, 6
EYE = (0.5, 90.0, 0.5)
LIGHT_COLUMNS = 64
NAMES = ("air", "stone", "glowstone", "torch", "lit_redstone_lamp", "seaLantern")


class Edit(msgspec.Struct, frozen=True):
    """One block: where, what comes there, what kind of change it stands for."""

    position: BlockPos
    name: str
    kind: str


@dataclass(slots=True)
class Spent:
    """Seconds of one edit."""

    light_run: float = 0.0  # light steps, on a worker
    light_owner: float = 0.0  # preparing and publishing them
    mesh: float = 0.0  # meshes, on a worker
    owner: float = 0.0  # all else the owner does from the change log to the results taken
    store: float = 0.0  # applying the change, and what is derived of the blocks
    meshes: int = 0  # how many were made

    @property
    def light(self) -> float:
        """Prepared, made and published."""
        return self.light_run + self.light_owner


class WatchedRunner(SyncRunner):
    """Runs jobs on the caller's thread and counts what each kind costs.

    Attributes:
        light_s: seconds in light steps since somebody set it.
        mesh_s: the same of meshes.
    """

    light_s = mesh_s = 0.0

    def replace(self, jobs: list[Job]) -> None:
        """As the runner's."""
        super().replace([Job(job.key, partial(self._counted, job), job.expected_s) for job in jobs])

    def _counted(self, job: Job, workshop: WorkerResources) -> Any:
        start = thread_time()
        try:
            return job.work(workshop)
        finally:
            spent = thread_time() - start
            if isinstance(job.key, LightKey):
                self.light_s += spent
            else:
                self.mesh_s += spent


class WatchedLight(LightMap):
    """A light map that counts what it costs its owner."""

    owner_s = 0.0  # seconds in ``prepare``, ``prepare_edits`` and ``publish`` since somebody set it
    _inside = False

    def prepare(self, *args: Any) -> Any:
        """As the map's."""
        return self._counted(super().prepare, args)

    def prepare_edits(self, *args: Any) -> Any:
        """As the map's."""
        return self._counted(super().prepare_edits, args)

    def publish(self, *args: Any) -> Any:
        """As the map's."""
        return self._counted(super().publish, args)

    def _counted(self, move: Callable[..., Any], args: Any) -> Any:
        if self._inside:  # one move that falls back on another
            return move(*args)
        self._inside, start = True, thread_time()
        try:
            return move(*args)
        finally:
            self._inside = False
            self.owner_s += thread_time() - start


class EditBench:
    """The world, whole, lit and meshed; then edits."""

    def __init__(self, pipeline: BenchPipeline, gpu: Gpu) -> None:
        self.store = _whole(pipeline)  # the world
        self.light = WatchedLight(self.store)  # its light
        self._runner = WatchedRunner()
        config = SceneConfig(upload_bytes=None, light_columns=LIGHT_COLUMNS)
        self.scene = Scene(gpu, BlockAppearance(pipeline.table), self._runner, config)  # what shows it
        self.scene.attach(self.store, self.light)
        states = pipeline.table.states
        self._runtime_ids = {
            name: pipeline.table.runtime_id_of(next(i for i, s in enumerate(states) if s.name == f"minecraft:{name}"))
            for name in NAMES
        }
        assert self.scene.settle(EYE)

    def apply(self, edits: list[Edit]) -> Spent:
        """One drain of block changes, shown."""
        start = thread_time()
        positions = np.array([edit.position for edit in edits], np.int32)
        ids = np.array([self._runtime_ids[edit.name] for edit in edits], np.int64)
        self.store.update_blocks(positions, np.zeros(len(edits), np.int64), ids)
        derive_connectivity(self.store.pools, self.store.finish_drain())
        stored = thread_time() - start
        runner, light = self._runner, self.light
        runner.light_s = runner.mesh_s = light.owner_s = 0.0
        meshes, start = self.scene.stats().meshes_made, thread_time()
        assert self.scene.settle(EYE)
        shown = thread_time() - start
        return Spent(
            light_run=runner.light_s,
            light_owner=light.owner_s,
            mesh=runner.mesh_s,
            owner=shown - runner.light_s - runner.mesh_s - light.owner_s,
            store=stored,
            meshes=self.scene.stats().meshes_made - meshes,
        )

    def edits(self, seed: int, count: int) -> Iterator[Edit]:
        """Single changes, each drawn when the one before is there: on the surface, in caves, and of lamps in caves."""
        rng = np.random.default_rng(seed)
        lamps: list[BlockPos] = []
        kinds: list[Callable[[], Edit]] = [
            lambda: self._on_surface(rng),
            lambda: self._in_a_cave(rng),
            lambda: self._of_a_lamp(rng, lamps),
        ]
        for number in range(count):
            yield kinds[number % 3]()

    def _on_surface(self, rng: np.random.Generator) -> Edit:
        while True:
            x, z = (int(v) for v in rng.integers(-100, 100, 2))
            line = self._line(x, z)
            top = int(np.flatnonzero(line[::-1] != 0)[0])
            y = len(line) - 1 - top
            if self.store.table.first.liquid <= line[y] < self.store.table.first.placeholder:
                continue
            dig = bool(rng.random() < 0.5)
            floor = self.store.dimension.floor_y_blocks
            return Edit(BlockPos(x, y + floor + (not dig), z), "air" if dig else "stone", "surface")

    def _in_a_cave(self, rng: np.random.Generator) -> Edit:
        at, below = self._dark_air(rng)
        return Edit(below, "air", "cave") if rng.random() < 0.5 else Edit(at, "stone", "cave")

    def _of_a_lamp(self, rng: np.random.Generator, lamps: list[BlockPos]) -> Edit:
        if lamps and rng.random() < 0.5:
            return Edit(lamps.pop(int(rng.integers(len(lamps)))), "air", "lamp out")
        lamps.append(self._dark_air(rng)[0])
        return Edit(lamps[-1], str(rng.choice(NAMES[2:])), "lamp in")

    def _dark_air(self, rng: np.random.Generator) -> tuple[BlockPos, BlockPos]:
        """Air over a solid block, below ground."""
        floor = self.store.dimension.floor_y_blocks
        first = self.store.table.first
        while True:
            x, z = (int(v) for v in rng.integers(-100, 100, 2))
            line = self._line(x, z)[: 40 - floor]
            standing = np.flatnonzero((line[1:] == 0) & (line[:-1] >= first.opaque))
            if len(standing):
                y = int(rng.choice(standing)) + floor
                return BlockPos(x, y + 1, z), BlockPos(x, y, z)

    def _line(self, x: int, z: int) -> np.ndarray:
        """Dense ids of one vertical line of blocks, from the floor up."""
        store = self.store
        sections = store.dimension.sections
        place = store.place_of(BlockPos(x, store.dimension.floor_y_blocks, z).subchunk)
        first = (x & 15) << 8 | (z & 15) << 4
        return store.pools.blocks[store.slot[place : place + sections], first : first + 16].reshape(-1)


def _whole(pipeline: BenchPipeline) -> Store:
    """A store that knows every sub-chunk of the pipeline's world."""
    dimension = pipeline.world.dimension
    store = Store(pipeline.table, BlockPools(pipeline.table, 1 << 14), dimension)
    for column in pipeline.world.row_of:
        store.announce(column, None, b"", 0.0)
    sections = dimension.sections
    rows = np.sort(pipeline.rows)
    places = (rows[:, None] * sections + np.arange(sections)).reshape(-1)
    payloads = [b""] * (int(places.max()) + 1)
    for place, payload in zip(pipeline.places.tolist(), pipeline.payloads, strict=True):
        payloads[place] = payload
    for first in range(0, len(places), ANSWERS):
        part = places[first : first + ANSWERS]
        columns = pipeline.world.columns[part // sections]
        heights = part % sections + dimension.floor_section
        positions = np.stack([columns[:, 0], heights, columns[:, 1]], axis=1).astype(np.int32)
        told = [payloads[place] for place in part.tolist()]
        results = np.array([DATA if payload else ALL_AIR for payload in told], np.uint8)
        store.answer(positions, results, told, np.zeros(len(part), np.uint8), [None] * len(part), 0.0)
    derive_connectivity(store.pools, store.finish_drain())
    return store
