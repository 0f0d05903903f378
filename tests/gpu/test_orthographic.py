"""Orthographic pictures: what is drawn, and what is marched on the GPU, is what parallel rays meet."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.player import Eye, View
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.passes.block_march import MarchEnd
from render.passes.frame_settings import FrameSettings
from render.scene import Scene, SceneConfig
from tests.oracle.cast import Looks, cast_from, pixel_begins, pixel_rays, stopped_by_surfaces
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore, painted_mesh_tables, painted_table
from tests.support.worlds.semantic import OPAQUES, SIDE, alike_around, drawn_as, flood, near, random_blocks, told_of

pytestmark = pytest.mark.gpu

SIZE_PX = (72, 48)
CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)
LOOKS = Looks.of(painted_mesh_tables(), paint.painted_tiles())
STOPS = stopped_by_surfaces(painted_table().first)
KINDS = (*OPAQUES, paint.GLASS, paint.WATER, paint.LEAVES, paint.FLOWER)


class Stage:
    """A painted world of one seed, wholly on the GPU."""

    def __init__(self, gpu: Gpu, seed: int) -> None:
        self.gpu, self.rng = gpu, np.random.default_rng(seed)
        blocks = random_blocks(self.rng, KINDS)
        if seed % 2:
            flood(self.rng, blocks)
        self.store = PaintedStore()
        self.store.load(blocks)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), CONFIG)
        self.scene.attach(self.store, LightMap(self.store, 512))
        assert self.scene.settle((SIDE / 2, SIDE / 2, SIDE / 2))

    def camera(self) -> Camera:
        """From anywhere, looking down more or less: rays that come in by the world's sides see it cut open."""
        eye = Eye(*self.rng.uniform(20.0, 44.0, 3).tolist())
        yaw, pitch = self.rng.uniform(-180, 180), self.rng.uniform(35, 90)
        view = View(eye, float(yaw), float(pitch), ortho_blocks=float(self.rng.uniform(4, 30)))
        return Camera.of(view, SIZE_PX[0] / SIZE_PX[1])

    def surfaces(self, camera: Camera, draw: str) -> SemanticSurfaces:
        target = SemanticTarget(self.gpu, SIZE_PX)
        getattr(self.scene, draw)(camera, target)
        found = SemanticSurfaces.of(*target.read())
        target.release()
        return found


@pytest.fixture(params=range(6))
def stage(context: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(context, request.param)
    yield stage
    stage.scene.release()


def from_above(camera: Camera) -> np.ndarray:
    """Which pixels' rays come into the world by its roof: bool[h, w]."""
    begins, ways = pixel_begins(camera, *SIZE_PX), pixel_rays(camera, *SIZE_PX)
    at_roof = begins + ways * ((SIDE - begins[:, 1]) / ways[:, 1])[:, None]
    inside = ((at_roof[:, ::2] > 0) & (at_roof[:, ::2] < SIDE)).all(axis=1)
    return inside.reshape(SIZE_PX[::-1])


def test_every_pixel_away_from_edges_shows_what_its_parallel_ray_meets(stage: Stage) -> None:
    compared = 0
    for _ in range(3):
        camera = stage.camera()
        found = stage.surfaces(camera, "draw_semantic")
        begins, ways = pixel_begins(camera, *SIZE_PX), pixel_rays(camera, *SIZE_PX)
        hits = cast_from(stage.store, begins, ways, STOPS, 2100.0, LOOKS)
        wanted = told_of(stage.store, hits, SIZE_PX[::-1])
        block, face = drawn_as(found)
        some = alike_around(wanted.block, wanted.face) & wanted.told & from_above(camera)
        wrong = some & ((block != wanted.block) | (face != wanted.face))
        same = some & ~wrong & found.drawn
        wrong |= same & ~near(found.depth, np.where(same, wanted.depth + camera.near_blocks, 0.0))
        wrong |= same & alike_around(wanted.cell) & (found.cell != wanted.cell).any(axis=2)
        assert wrong.sum() <= some.sum() // 200, (camera, np.argwhere(wrong)[:5].tolist())
        compared += int(some.sum())
    assert compared > 200


def test_parallel_rays_on_the_gpu_end_where_the_oracle_s_do(stage: Stage) -> None:
    cubes = np.zeros_like(STOPS)
    cubes[painted_table().first.opaque :] = 1
    camera = stage.camera()
    target = SemanticTarget(stage.gpu, SIZE_PX)
    stage.scene.draw_picks(camera, target, MarchEnd.OPAQUE)
    found = SemanticSurfaces.of(*target.read())
    target.release()
    begins, ways = pixel_begins(camera, *SIZE_PX), pixel_rays(camera, *SIZE_PX)
    wanted = told_of(stage.store, cast_from(stage.store, begins, ways, cubes, 2100.0, through=True), SIZE_PX[::-1])
    some = (wanted.block >= 0) & from_above(camera)
    same = found.drawn & (found.cell == wanted.cell).all(axis=2)
    assert some.sum() > 300
    assert same[some].mean() > 0.98, "but for rays along edges"


@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, 180.0, -90.0])
@pytest.mark.parametrize("pitch_deg", [0.0, 90.0, -90.0])
def test_a_look_along_an_axis_is_drawn_and_marched_alike(context: Gpu, yaw_deg: float, pitch_deg: float) -> None:
    """No coordinate of such a ray changes but one: nothing may be divided by the others."""
    blocks = np.zeros((SIDE, SIDE, SIDE), np.uint16)
    blocks[20:44, 20:44, 20:44] = paint.STONE
    store = PaintedStore()
    store.load(blocks)
    scene = Scene(context, PaintedLooks.make(), SyncRunner(), CONFIG)
    scene.attach(store, LightMap(store, 512))
    assert scene.settle((32.0, 32.0, 32.0))
    view = View(Eye(32.0, 32.0, 32.0), yaw_deg, pitch_deg, ortho_blocks=48.0)
    camera = Camera.of(view, 1.0)
    target = SemanticTarget(context, (48, 48))
    scene.draw_semantic(camera, target)
    drawn = SemanticSurfaces.of(*target.read())
    scene.draw_picks(camera, target)
    marched = SemanticSurfaces.of(*target.read())
    assert drawn.drawn.sum() == marched.drawn.sum() == 24 * 24, "a cube of 24 blocks at a pixel a block"
    assert np.array_equal(drawn.cell[drawn.drawn], marched.cell[marched.drawn])
    assert np.allclose(drawn.depth[drawn.drawn], -12.0, atol=1e-3), "the near side lies before the eye"
    target.release()
    scene.release()


def test_what_is_deep_in_a_wall_is_seen_whole_and_the_sky_is_of_one_colour(stage: Stage) -> None:
    camera = Camera.of(View(Eye(32.0, 2.0, 32.0), 30.0, 60.0, ortho_blocks=200.0), SIZE_PX[0] / SIZE_PX[1])
    target = Target(stage.gpu, SIZE_PX)
    stage.scene.draw(camera, target, FrameSettings(time_ticks=6000))
    pixels = target.pixels()
    target.release()
    around = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert len(np.unique(around, axis=0)) == 1, "sun or clouds, of which every ray would meet the same point"
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 50
