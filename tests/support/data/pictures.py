"""Differences of two pictures, and captured views of golden scenes with and without planted defects.

``python -m tests.support.data.pictures FILE`` captures all scenes without defects and pickles them; tests run it in a
process of its own to draw with another driver.
"""

import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.light.light_map import LightMap
from net.space import BlockPos, SubChunkPos
from render.capture import Studio
from render.capture.channels import NO_CELL
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.scene_tests.compare_data import DataTruth
from render.scene_tests.views import CapturedView, Renderer
from tests.golden import shots
from tests.support.worlds.scene import SceneWorld, Shot, one_level_lower

# ---------------------------------------------------------------- golden pictures

Rgb = npt.NDArray[np.uint8]
"""[height, width, 3 or 4], row 0 at the top."""


class Difference(msgspec.Struct, frozen=True):
    """How two pictures of one size differ."""

    pixels: int  # number of pixels that differ
    largest: int  # largest difference of a channel, 0..255
    total: int  # number of pixels of the picture

    def __str__(self) -> str:
        return f"{self.pixels} of {self.total} pixels differ, at most by {self.largest}"


def difference(one: Rgb, other: Rgb) -> Difference:
    """Compares two pictures; if their sizes differ, all pixels do."""
    total = one[..., 0].size
    if one.shape != other.shape:
        return Difference(total, 255, total)
    worst = np.abs(one.astype(np.int16) - other.astype(np.int16)).max(axis=2)
    return Difference(int((worst > 0).sum()), int(worst.max()), total)


# ---------------------------------------------------------------- take bench

SIZE_PX = (480, 270)
UNKNOWN_ID = 900_001
"""A runtime id that is in no palette."""


class Place(msgspec.Struct, frozen=True):
    """A scene, and where defects are planted in it."""

    shot: Shot  # the scene and its view
    missing: SubChunkPos  # a sub-chunk in view
    lamp: str  # a kind of lamp whose light is in view


PLACES = {
    "noon": Place(shots.DAY, SubChunkPos(0, 4, 1), "minecraft:glowstone"),
    "night": Place(shots.LAMPS, SubChunkPos(0, 4, 1), "minecraft:glowstone"),
    "cave": Place(shots.CAVE, SubChunkPos(-4, 2, -1), "minecraft:seaLantern"),
}


class TakeBench:
    """Captured views of one scene."""

    def __init__(self, gpu: Gpu, place: Place) -> None:
        self._gpu = gpu
        self.place = place
        self._world = SceneWorld(place.shot).load()
        self.take = self._of(self._world)  # without defects

    def defects(self) -> Iterator[tuple[str, CapturedView]]:
        """Plants one defect of each class after the other; yields its name and the view with it, then removes it."""
        yield "missing sub-chunk", self._of(SceneWorld(self.place.shot, (self.place.missing,)).load())
        with self._another_block(64, UNKNOWN_ID):
            yield "unknown block of 64 pixels", self._of(self._world)
        with self._another_block(256, self._id_of("minecraft:coal_block")):
            yield "wrong block of 256 pixels", self._of(self._world)
        with one_level_lower(self._world.session, self.place.lamp):
            yield "lamps a level low", self._of(self._world)

    def _of(self, world: SceneWorld) -> CapturedView:
        shot, session = self.place.shot, world.session
        light = LightMap(session.dimension.store, 1 << 14)
        studio = Studio(self._gpu, session.dimension.table, SyncRunner(), shot.radius)
        try:
            picture = replace(shot.picture, size_px=SIZE_PX)
            seen = studio.shoot(session, shot.view, picture=picture, light=light)
            data = DataTruth.of(session, light, studio.meshes())
            return CapturedView(seen, data, Renderer.of(self._gpu.capabilities))
        finally:
            studio.release()

    @contextmanager
    def _another_block(self, pixels: int, runtime_id: int) -> Iterator[None]:
        """Within this context another block replaces the one whose size in the picture is nearest to ``pixels``."""
        cells = self.take.shot.cell
        assert cells is not None
        shown, counts = np.unique(cells[cells[..., 0] != NO_CELL], axis=0, return_counts=True)
        at = BlockPos(*shown[np.abs(counts - pixels).argmin()].tolist())
        session = self._world.session
        before = session.dimension.table.runtime_id_of(
            int(session.dimension.store.blocks_of(at.subchunk)[at.in_subchunk])
        )
        for what in (runtime_id, before):
            assert session.dimension.store.update_block(at, 0, what)
            session.dimension.end_drain()
            if what == runtime_id:
                yield

    def _id_of(self, name: str) -> int:
        table = self._world.session.dimension.table
        return next(table.runtime_id_of(dense) for dense, state in enumerate(table.states) if state.name == name)


def main(path: Path) -> None:
    """Captures all scenes without defects."""
    gpu = Gpu.standalone()
    try:
        path.write_bytes(pickle.dumps({name: TakeBench(gpu, place).take for name, place in PLACES.items()}))
    finally:
        gpu.release()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
