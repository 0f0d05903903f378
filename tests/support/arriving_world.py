"""The bench world arriving in a real store, some columns a frame, nearest first, shown by a real scene with workers."""

import numpy as np

from client.light.light_map import LightMap
from client.player import Eye, View
from client.visibility.walk import derive_connectivity
from client.world.block_pools import BlockPools
from client.world.store import Store
from net.space.positions import ColumnPos
from render.camera import Camera
from render.gpu import Gpu
from render.gpu.targets import Target
from render.jobs.workers import ThreadRunner
from render.scene.config import SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.scene import Scene
from tests.support.bench_pipeline import BenchPipeline

DATA, ALL_AIR = 1, 6
SIZE_PX = (480, 270)
VIEW = View(Eye(0.5, 110.0, 0.5), pitch_deg=20.0)


class ArrivingWorld:
    """One arrival, from an empty store to a settled scene."""

    def __init__(self, pipeline: BenchPipeline, gpu: Gpu, looks: BlockAppearance, owner_s: float) -> None:
        dimension = pipeline.world.dimension
        self.store = Store(pipeline.table, BlockPools(pipeline.table, 1 << 15), dimension)  # what has arrived
        self._pipeline = pipeline
        self._runner = ThreadRunner()
        self.scene = Scene(gpu, looks, self._runner, SceneConfig(owner_s=owner_s))  # what shows it
        self.scene.attach(self.store, LightMap(self.store))
        self._target = Target(gpu, SIZE_PX)
        self._camera = Camera.of(VIEW, SIZE_PX[0] / SIZE_PX[1])
        self._payloads = dict(zip(pipeline.places.tolist(), pipeline.payloads, strict=True))
        self._coming = sorted(pipeline.world.row_of, key=lambda at: (at.x * at.x + at.z * at.z, at))

    @property
    def arrived(self) -> bool:
        """Whether nothing is to come."""
        return not self._coming

    def arrive(self, columns: int) -> None:
        """So many columns come, all their sub-chunks at once, as one drain."""
        now, self._coming = self._coming[:columns], self._coming[columns:]
        for column in now:
            self.store.announce(column, None, b"", 0.0)
            self._answer(column)
        derive_connectivity(self.store.pools, self.store.finish_drain())

    def step(self) -> None:
        """The scene keeps up."""
        self.scene.step(self._camera.eye)

    def draw(self) -> None:
        """One frame."""
        self.scene.draw(self._camera, self._target)

    def rest(self, seconds: float) -> None:
        """Lets the workers work, as the pause between two frames does."""
        self._runner.wait(seconds)

    def close(self) -> None:
        """Ends the workers and frees the GL objects."""
        self._runner.close()
        self.scene.release()
        self._target.release()

    def _answer(self, column: ColumnPos) -> None:
        sections, floor = self.store.dimension.sections, self.store.dimension.floor_section
        first = self._pipeline.world.row_of[column] * sections
        told = [self._payloads.get(first + section, b"") for section in range(sections)]
        positions = np.empty((sections, 3), np.int32)
        positions[:, 0], positions[:, 2] = column
        positions[:, 1] = np.arange(sections) + floor
        results = np.array([DATA if payload else ALL_AIR for payload in told], np.uint8)
        self.store.answer(positions, results, told, np.zeros(sections, np.uint8), [None] * sections, 0.0)
