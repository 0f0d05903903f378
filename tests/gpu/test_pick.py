"""What the GPU finds in a ray, marching through its own copy of the blocks, is what rays through the store find."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space import BlockPos
from render.bench.rays import RayEnd
from render.camera import Camera
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.passes.block_march import MarchEnd
from render.passes.semantic import SOLID, Picked
from render.scene import Scene, SceneConfig
from tests.oracle.cast import cast, pixel_rays, stopped_by_cubes
from tests.support.reference.rays import Blocks, march
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore, painted_table

pytestmark = pytest.mark.gpu

WIDE = 6
SIZE = (24, 16)
REACH = 90.0
NUDGES = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]) * 2e-4
FIRST = painted_table().first
BEGINS = (
    0,
    FIRST.model,
    FIRST.cutout,
    FIRST.translucent,
    FIRST.liquid,
    FIRST.placeholder,
    FIRST.opaque,
    len(paint.NAMES),
)


def ids_of(wanted: MarchEnd) -> np.ndarray:
    """bool[ids] which are of wanted classes."""
    ids = np.zeros(len(paint.NAMES), np.bool_)
    for number, (low, high) in enumerate(pairwise(BEGINS)):
        ids[low:high] = bool(wanted & (1 << number))
    return ids


class Stage:
    """A scene of blocks, all of which is on the GPU."""

    def __init__(self, gpu: Gpu, blocks: np.ndarray) -> None:
        self.gpu = gpu
        self.store = PaintedStore()
        config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, LightMap(self.store, 2048))
        self.store.load(blocks)
        self.blocks = Blocks(blocks)
        assert self.scene.settle((48.0, 40.0, 48.0))

    def picks(self, camera: Camera, wanted: MarchEnd) -> tuple[np.ndarray, np.ndarray]:
        target = SemanticTarget(self.gpu, SIZE)
        self.scene.draw_picks(camera, target, wanted, REACH)
        found = target.read()
        target.release()
        return found


def random_world(seed: int) -> np.ndarray:
    """Hills with rooms, lone blocks in the air, and whole sub-chunks of stone, air and placeholder."""
    rng = np.random.default_rng(seed)
    blocks = paint.hills(WIDE).copy()
    for _ in range(40):
        low = rng.integers(0, (16 * WIDE, 16 * WIDE, 64))
        high = low + rng.integers(1, 14, 3)
        kind = rng.choice([0, 0, paint.STONE, paint.GLASS, paint.LEAVES, paint.WATER, paint.LAMP])
        blocks[low[0] : high[0], low[1] : high[1], low[2] : high[2]] = kind
    loose = rng.random(blocks.shape) < 0.003
    blocks[loose] = rng.choice([paint.STONE, paint.FLOWER, paint.GLASS], int(loose.sum()))
    for _ in range(8):
        x, z, y = rng.integers(0, (WIDE, WIDE, 4)) * 16
        blocks[x : x + 16, z : z + 16, y : y + 16] = rng.choice([0, paint.STONE, paint.PLACEHOLDER])
    return blocks


@pytest.fixture(params=range(4))
def stage(gpu: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(gpu, random_world(request.param))
    yield stage
    stage.scene.release()


def cameras(seed: int) -> list[Camera]:
    """Within the world, in rock, above, below and beside it."""
    rng = np.random.default_rng(seed)
    eyes = (rng.random((4, 3)) * (16 * WIDE, 64, 16 * WIDE)).tolist()
    eyes += [[20.3, 99.7, 50.1], [-20.2, 30.4, 50.9], [40.1, -9.3, 7.2]]
    aspect = SIZE[0] / SIZE[1]
    return [
        Camera((x, y, z), float(rng.uniform(-180, 180)), float(rng.uniform(-80, 80)), 70.0, aspect) for x, y, z in eyes
    ]


@pytest.mark.parametrize("wanted", [SOLID, MarchEnd.OPAQUE, MarchEnd.PLACEHOLDERS, MarchEnd.LIQUIDS | MarchEnd.AIR])
def test_every_ray_ends_where_a_plain_one_does(stage: Stage, wanted: MarchEnd) -> None:
    """A ray along an edge may end beside it: then one a hair away must end where the GPU's does."""
    compared = beside = met = 0
    ends = ids_of(wanted)
    for camera in cameras(int(stage.blocks.ids.astype(np.int64).sum()) % 1000):
        place, shown = stage.picks(camera, wanted)
        rays = pixel_rays(camera, *SIZE).reshape(SIZE[1], SIZE[0], 3)
        for row, column in np.ndindex(SIZE[1], SIZE[0]):
            ray = rays[row, column] / np.linalg.norm(rays[row, column])
            mine = tuple(place[row, column, :3].tolist()) if shown[row, column, 3] else None
            found = march(stage.blocks, camera.eye, ray, ends, REACH)
            compared += 1
            met += mine is not None
            if mine != found.block:
                beside += 1
                near = [march(stage.blocks, camera.eye, ray + nudge, ends, REACH).block for nudge in NUDGES]
                assert mine in near, (camera, row, column, mine, found)
            elif mine is not None:
                assert place[row, column, 3] == found.face or found.face_is_close
                assert abs(shown[row, column, 0].view(np.float32) - found.distance) < 0.01
                assert shown[row, column, 1] == stage.blocks.at(mine)
    assert compared == 7 * SIZE[0] * SIZE[1]
    assert met > compared // 100
    assert beside < compared // 200


def test_the_block_under_the_crosshair(gpu: Gpu) -> None:
    blocks = np.zeros((16 * WIDE, 16 * WIDE, 64), np.uint16)
    blocks[:, :, :10] = paint.STONE
    blocks[40, 60, 10] = paint.GLASS
    blocks[40, 61, 10] = paint.WATER
    stage = Stage(gpu, blocks)
    south = Camera((40.5, 10.5, 48.5), 0.0, 0.0, 70.0, 1.0)
    assert stage.scene.pick(south) == Picked(BlockPos(40, 10, 60), paint.GLASS, 2, 11.5)
    assert stage.scene.pick(south, reach_blocks=11.0) is None
    north = Camera((40.5, 10.5, 66.5), 180.0, 0.0, 70.0, 1.0)
    found = stage.scene.pick(north)
    assert found is not None
    assert (found.block, found.dense, found.face) == (BlockPos(40, 10, 60), paint.GLASS, 3)  # water is no solid
    water = stage.scene.pick(north, SOLID | MarchEnd.LIQUIDS)
    assert water is not None
    assert water.block == BlockPos(40, 10, 61)
    down = stage.scene.pick(Camera((9.5, 30.25, 9.5), 0.0, 90.0, 70.0, 1.0))
    assert down is not None
    assert (down.block, down.face, round(down.distance_blocks, 3)) == (BlockPos(9, 9, 9), 5, 20.25)
    assert stage.scene.pick(Camera((9.5, 30.25, 9.5), 0.0, -90.0, 70.0, 1.0)) is None
    within = stage.scene.pick(Camera((9.5, 3.5, 9.5), 0.0, 0.0, 70.0, 1.0))
    assert within is not None
    assert (within.block, within.face, within.distance_blocks) == (BlockPos(9, 3, 9), 6, 0.0)
    stage.store.edit(BlockPos(40, 10, 60), 0)
    assert stage.scene.settle((48.0, 40.0, 48.0))
    assert stage.scene.pick(south, reach_blocks=40.0) is None
    stage.scene.release()


@pytest.mark.parametrize("seed", range(6))
def test_rays_of_the_oracle_end_in_the_same_cubes(gpu: Gpu, seed: int) -> None:
    """From within, above and below random worlds of cubes: the oracle reads the store, the GPU its copy."""
    rng = np.random.default_rng(100 + seed)
    blocks = np.zeros((16 * WIDE, 16 * WIDE, 64), np.uint16)
    blocks[rng.random(blocks.shape) < 10.0 ** rng.uniform(-4, -1)] = paint.STONE
    for _ in range(20):
        low = rng.integers(0, (16 * WIDE, 16 * WIDE, 64))
        high = low + rng.integers(1, 20, 3)
        kind = int(rng.choice([0, paint.STONE, paint.LAMP]))
        blocks[low[0] : high[0], low[1] : high[1], low[2] : high[2]] = kind
    stage = Stage(gpu, blocks)
    store, stops = stage.store, stopped_by_cubes(painted_table())
    beside = met = 0
    over_columns = [camera for camera in cameras(seed) if camera.eye[0] >= 0.0]
    for camera in over_columns:
        place, shown = stage.picks(camera, MarchEnd.OPAQUE)
        rays = pixel_rays(camera, *SIZE)
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        mine = [
            tuple(at) if hit else None
            for at, hit in zip(place.reshape(-1, 4)[:, :3].tolist(), shown[..., 3].flat, strict=True)
        ]
        near = [_cubes(store, camera, rays + nudge, stops) for nudge in NUDGES]
        theirs = _cubes(store, camera, rays, stops)
        for index, block in enumerate(mine):
            met += block is not None
            beside += block != theirs[index]
            assert block == theirs[index] or block in [found[index] for found in near], (camera, index)
    assert len(over_columns) == 6
    assert met > 6 * SIZE[0] * SIZE[1] // 20
    assert beside < 6 * SIZE[0] * SIZE[1] // 200
    stage.scene.release()


def _cubes(
    store: PaintedStore, camera: Camera, rays: np.ndarray, stops: np.ndarray
) -> list[tuple[int, int, int] | None]:
    """The block that ends each of the oracle's rays, which go on where no column is."""
    hits = cast(store, camera.eye, rays, stops, REACH, through=True)
    rows, sections = np.divmod(hits.places, store.dimension.sections)
    x, z = (store.columns[rows] * 16).T
    x, z = x + (hits.cells >> 8), z + (hits.cells >> 4 & 15)
    y = (sections + store.dimension.floor_section) * 16 + (hits.cells & 15)
    found = np.stack([x, y, z], axis=1).tolist()
    return [tuple(at) if ended == RayEnd.HIT else None for at, ended in zip(found, hits.ended.tolist(), strict=True)]
