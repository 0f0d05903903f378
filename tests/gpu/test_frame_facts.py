"""What overlays are told of a frame: verdicts against a walk and a frustum taken step by step, links against floods."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.visibility import Walk
from net.space import ColumnPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.overlays.facts import CellVerdict
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.frame.overlays import SceneFrameFacts
from tests.support.reference.visibility import flood_connectivity
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

SIZE = (64, 48)
EYE = (40.5, 36.5, 40.5)
CAMERAS = [
    Camera(EYE, 0.0, 10.0, 70.0, SIZE[0] / SIZE[1]),
    Camera(EYE, -120.0, 35.0, 50.0, SIZE[0] / SIZE[1]),
    Camera((70.5, 10.5, 20.5), 30.0, 0.0, 70.0, SIZE[0] / SIZE[1]),
]


def world() -> np.ndarray:
    """Hills over rock with a shut hall under them, and a placeholder."""
    blocks = paint.hills()
    blocks[64:80, 16:32, 4:14] = 0
    blocks[16:32, 64:80, 32:48] = paint.PLACEHOLDER
    blocks[16:32, 64:80, 48:64] = paint.PLACEHOLDER
    return blocks


class Stage:
    """A scene of it."""

    def __init__(self, gpu: Gpu) -> None:
        self.store = PaintedStore()
        self.scene = Scene(
            gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64)
        )
        self.scene.attach(self.store, LightMap(self.store, 2048))
        self.store.load(world())
        assert self.scene.settle(EYE)
        self.target = Target(gpu, SIZE)

    def facts(self, camera: Camera, frozen: Camera | None = None) -> SceneFrameFacts:
        self.scene.draw(camera, self.target, FrameSettings(frozen=frozen))
        scene = self.scene
        culling = frozen or camera
        return SceneFrameFacts(
            scene.attached, scene.frames.sight, scene.pools.mirror, pytest.fail, camera.eye, culling.eye
        )


@pytest.fixture(scope="module")
def stage(context: Gpu) -> Iterator[Stage]:
    stage = Stage(context)
    yield stage
    stage.scene.release()
    stage.target.release()
    assert context.leaks() == 0


def in_frustum(camera: Camera, cell: list[int]) -> bool:
    """No plane has all eight corners outside; boxes count as a block larger, as culling has it."""
    low = np.array(cell) * (16, 32, 16) - 1.0 - np.array(camera.eye)
    high = low + np.array((18, 34, 18))
    corners = np.array([[(low, high)[n >> axis & 1][axis] for axis in range(3)] for n in range(8)])
    return all((corners @ plane[:3] + plane[3]).max() >= 0 for plane in camera.planes())


def plain_verdict(stage: Stage, camera: Camera, cell: list[int]) -> CellVerdict:
    """One cell's, by what a person would look at."""
    store, (x, y, z) = stage.store, cell
    reached = set(Walk().run(store, camera.eye).tolist())
    places = [store.place(ColumnPos(x, z), section) for section in (2 * y, 2 * y + 1)]
    blocks = [store.pools.blocks[store.slot[place]] for place in places]
    if any((block == paint.PLACEHOLDER).all() for block in blocks) and not any(
        ((block != paint.PLACEHOLDER) & (block != 0)).any() for block in blocks
    ):
        return CellVerdict.PLACEHOLDER
    quads = {tuple(at) for at in stage.scene.meshes().cells.tolist()}
    if tuple(cell) not in quads:
        return CellVerdict.EMPTY
    if not reached & set(places):
        return CellVerdict.OCCLUDED
    return CellVerdict.DRAWN if in_frustum(camera, cell) else CellVerdict.FRUSTUM


@pytest.mark.parametrize("camera", CAMERAS)
def test_verdicts_are_those_of_a_walk_and_a_frustum(stage: Stage, camera: Camera) -> None:
    cells = stage.facts(camera).cells
    found = {
        tuple(at): CellVerdict(verdict) for at, verdict in zip(cells.positions.tolist(), cells.verdicts(), strict=True)
    }
    assert found == {at: plain_verdict(stage, camera, list(at)) for at in found}
    assert set(found.values()) >= {CellVerdict.DRAWN, CellVerdict.FRUSTUM, CellVerdict.PLACEHOLDER}
    assert (CellVerdict.OCCLUDED in found.values()) == (camera is CAMERAS[2]), "the shut hall sees nothing of the hills"
    assert sum(verdict is CellVerdict.DRAWN for verdict in found.values()) == stage.scene.stats().cells_drawn


def test_frozen_the_verdicts_stay_wherever_the_eye_is(stage: Stage) -> None:
    own = stage.facts(CAMERAS[0]).cells.verdicts()
    away = stage.facts(CAMERAS[2], CAMERAS[0]).cells.verdicts()
    assert (own == away).all()
    assert (own != stage.facts(CAMERAS[2]).cells.verdicts()).any()


def test_links_are_those_of_floods_and_neighbours_lie_beside(stage: Stage) -> None:
    links = stage.facts(CAMERAS[0]).links
    store = stage.store
    assert len(links.positions) == 4 * 25  # the world is four sub-chunks tall, all of them within two of the eye
    reached = set(Walk().run(store, EYE).tolist())
    for number, (x, y, z) in enumerate(links.positions.tolist()):
        place = store.place(ColumnPos(x, z), y)
        assert links.reached[number] == (place in reached)
        if not links.missing[number]:
            slot = store.slot[place]
            assert int(links.links[number]) == int(store.pools.connectivity[slot])
            assert flood_connectivity(store.pools.opaque[slot]) & ~int(links.links[number]) == 0
        for side, (dx, dy, dz) in enumerate(((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0))):
            beside = int(links.beside[number, side])
            if beside >= 0:
                assert links.positions[beside].tolist() == [x + dx, y + dy, z + dz]
    assert links.reached.any()
    assert not links.reached.all()


def test_quads_around_the_eye_are_those_of_the_meshes_there(stage: Stage) -> None:
    near = stage.facts(CAMERAS[0]).solid_quads
    meshes = stage.scene.meshes()
    quads = {tuple(cell): cubes for cell, (cubes, _) in zip(meshes.cells.tolist(), meshes.quads(), strict=True)}
    assert len(near) >= 4
    for cell, words in near:
        whole = quads[tuple(cell.tolist())]
        assert 0 < len(words) <= len(whole)
        assert (words == whole[: len(words)]).all()
