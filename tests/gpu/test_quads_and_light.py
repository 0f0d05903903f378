"""What single quads look like: where their corners lie, and how light falls on them.

Light seams: The overlay of seams: what hangs on missing neighbours shows, from both sides; at rest nothing waits in any
order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace

from net.space import ColumnPos
from render.camera import Camera
from render.gpu import Gpu, Target, Unit
from render.gpu.brick_volume import PagedVolume
from render.gpu.quad_arena import PAGE_UNITS, QuadArena
from render.gpu.textures import LEVELS, TileTextures, TintTexture
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.mesh import vertex_format
from render.mesh.vertex_format import GROUPS, Group
from render.passes.atmosphere import AIR, atmosphere_at
from render.passes.draw_list import MeshList
from render.passes.frame_settings import FrameSettings
from render.passes.frame_uniforms import Fog, FrameBlock, LoadedArea
from render.passes.terrain import TerrainPass
from tests.gpu.test_scene import EYE, Stage, staged
from tests.gpu.test_scene import SIZE as TEST_SCENE_SIZE
from tests.support.reference.draw_list import eye_list, narrowed
from tests.support.worlds import painted as paint

# ---------------------------------------------------------------- quads and light

pytestmark = pytest.mark.gpu

SIZE = (64, 64)
LOOKS = ((90.0, 0.0), (-90.0, 0.0), (180.0, 0.0), (0.0, 0.0), (0.0, 90.0), (0.0, -90.0))
"""Yaw and pitch towards -x, +x, -z, +z, -y, +y."""
NORMALS = np.array([(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0)], float)


@dataclass
class Bench:
    """White tiles, clear air, one arena, one light volume."""

    gpu: Gpu
    arena: QuadArena
    light: PagedVolume
    tiles: TileTextures
    tints: TintTexture
    frame: FrameBlock
    target: Target

    def draw(self, words: np.ndarray, group: Group, camera: Camera, *, flat: bool = False) -> np.ndarray:
        """One mesh in cell (0, 0, 0) at clear noon; float [height, width, 3], 0..1, row 0 on top."""
        terrain = TerrainPass(self.gpu, self.arena, flat)
        run = self.arena.put(words.reshape(-1, 2), (0, 0, 0))
        counts = np.zeros((1, GROUPS), np.int32)
        counts[0, group] = len(words)
        mesh = MeshList(np.zeros((1, 3), np.int32), np.array([run.page * PAGE_UNITS]), counts, camera.eye)
        meshes = narrowed(eye_list(mesh), np.ones(1, np.bool_), mesh.eye)
        air = replace(atmosphere_at(6000, True), daylight=(1.0, 1.0, 1.0), drown=0.0, haze_per_block=0.0)
        rim = (-1e6, -1e6, 1e6, 1e6)
        volume = LoadedArea(-64, 320, 0xF000, 0, Fog(1e5, 2e5, 1.0, rim), self.light.table_mask, (0, 0, 0), 15, AIR)
        self.target.begin()
        self.frame.write(camera, air, volume, FrameSettings(), SIZE[1])
        self.light.flush()
        self.light.bind()
        self.tiles.bind()
        self.tints.bind()
        terrain.draw_solid(meshes)
        terrain.draw_blended(meshes, self.target)
        pixels = self.target.pixels()[..., :3] / 255.0
        self.arena.free(run)
        terrain.release()
        return pixels


@pytest.fixture
def bench(gpu: Gpu) -> Iterator[Bench]:
    light = PagedVolume(gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), first_bricks=256)
    tiles = TileTextures(gpu)
    tiles.append([np.full((1, 16 >> k, 16 >> k, 4), 255, np.uint8) for k in range(LEVELS)])
    tints = TintTexture(gpu, 1)
    tints.write(0, 0, np.full((16, 16, 3, 3), 255, np.uint8))
    result = Bench(gpu, QuadArena(gpu, 16), light, tiles, tints, FrameBlock(gpu), Target(gpu, SIZE))
    yield result
    for part in (result.arena, light, tiles, tints, result.frame, result.target):
        part.release()


def brightness(level: np.ndarray) -> np.ndarray:
    """The twin of the shaders' curve."""
    return level * (0.46 + 0.54 * level * level)


def lit(bright: np.ndarray, shade: float) -> np.ndarray:
    """The twin of ``lit`` for a white face by clear day without drowning: [..., 3] of brightness [..., 4]."""
    lamps = bright[..., :3] * (shade * 0.45 + 0.55)
    total = bright[..., 3:] * shade + lamps * 1.25 + np.array([0.012, 0.013, 0.018])
    return total / (1.0 + np.maximum(total - 1.0, 0.0))


@pytest.mark.parametrize("face", range(6))
def test_a_face_is_seen_from_outside_only_and_lies_where_it_should(bench: Bench, face: int) -> None:
    around = np.array([(x, y, z) for x in (-1, 0) for y in (-1, 0) for z in (-1, 0)], np.int32)
    bench.light.set_uniform(around, np.full(8, 0xF000))
    words = vertex_format.pack(vertex_format.CUBE, 1, x=5, y=20, z=9, face=face, width=3, height=2)
    axes = (vertex_format.FACE_WIDTH_AXIS[face], vertex_format.FACE_HEIGHT_AXIS[face])
    centre = np.array([5.0, 20.0, 9.0])
    centre[vertex_format.FACE_AXIS[face]] += face & 1
    centre[axes[0]] += 1.5
    centre[axes[1]] += 1.0
    eye = centre + NORMALS[face] * 4.0
    yaw, pitch = LOOKS[face ^ 1]
    camera = Camera((eye[0], eye[1], eye[2]), yaw, pitch, 90.0, 1.0)
    seen = bench.draw(words, Group(face), camera)[..., 0] > 0
    width_px, height_px = SIZE[0] * 3 / 8, SIZE[1] * 2 / 8
    assert seen.any(axis=0).sum() == pytest.approx(width_px, abs=1.1)
    assert seen.any(axis=1).sum() == pytest.approx(height_px, abs=1.1)
    assert seen.sum() == pytest.approx(width_px * height_px, rel=0.1)
    behind = centre - NORMALS[face] * 4.0
    yaw, pitch = LOOKS[face]
    from_inside = Camera((behind[0], behind[1], behind[2]), yaw, pitch, 90.0, 1.0)
    assert not bench.draw(words, Group(face), from_inside).any()


def test_light_on_a_floor_is_bilinear_over_the_blocks_above(bench: Bench) -> None:
    rng = np.random.default_rng(7)
    values = rng.integers(0, 65536, (1, 4096)).astype(np.uint16)
    bench.light.set_bricks(np.array([(0, 1, 0)], np.int32), values, np.zeros(1, np.int32))
    words = vertex_format.pack(vertex_format.CUBE, 1, x=4, y=15, z=4, face=5, width=8, height=8)
    camera = Camera((8.0, 20.0, 8.0), 0.0, 90.0, 2 * np.degrees(np.arctan(3.0 / 4.0)), 1.0)
    pixels = bench.draw(words, Group.OPAQUE_POS_Y, camera)
    layer = values[0].reshape(16, 16, 16)[:, :, 0]
    levels = np.stack([layer >> shift & 15 for shift in (0, 4, 8, 12)], axis=2) / 15.0
    step = (np.arange(SIZE[0]) + 0.5) / SIZE[0] * 6.0 - 3.0
    x = 8.0 - step[None, :] - 0.5 + 0 * step[:, None]  # looking down with south on top: west is to the right
    z = 8.0 - step[:, None] - 0.5 + 0 * step[None, :]
    i, j = np.floor(x).astype(int), np.floor(z).astype(int)
    u, v = (x - i)[..., None], (z - j)[..., None]
    level, open_ = (
        of[i, j] * (1 - u) * (1 - v)
        + of[i + 1, j] * u * (1 - v)
        + of[i, j + 1] * (1 - u) * v
        + of[i + 1, j + 1] * u * v
        for of in (levels, np.sign(levels))
    )
    level = level / np.maximum(open_, 1e-6)
    occluded = open_.copy()
    floored = np.minimum(0.2 + 0.8 * open_[..., 3], 1.6 * open_[..., 3])
    occluded[..., 3] += (floored - open_[..., 3]) * level[..., 3] ** 2
    expected = lit(brightness(level) * occluded, 1.0)
    assert np.abs(pixels - expected).max() < 2.5 / 255
    flat = bench.draw(words, Group.OPAQUE_POS_Y, camera, flat=True)
    nearest = levels[np.floor(x + 0.5).astype(int), np.floor(z + 0.5).astype(int)]
    assert (np.abs(flat - lit(brightness(nearest), 1.0)).max(axis=2) < 2.5 / 255).mean() > 0.95


@pytest.mark.parametrize(
    ("face", "closed", "least"),
    [(0, 3, 0.4), (3, 3, 0.4), (5, 3, 0.4), (5, 2, 0.6), (5, 1, 0.8)],
    ids=["corner -x", "corner +z", "corner", "wall", "step"],
)
def test_a_corner_a_wall_and_a_step_keep_40_60_and_80_percent_of_full_daylight(
    bench: Bench, face: int, closed: int, least: float
) -> None:
    """Opaque blocks hold no light: three, two or one of the four blocks around the picture's middle are such."""
    normal, edge = NORMALS[face].astype(int), np.array([8, 8, 8])
    axes = np.flatnonzero(normal == 0)
    values = np.full((16, 16, 16), 0xF000, np.uint16)  # x, z, y
    for by_first, by_second in ((-1, -1), (-1, 0), (0, -1))[:closed]:
        x, y, z = edge + by_first * np.eye(3, dtype=int)[axes[0]] + by_second * np.eye(3, dtype=int)[axes[1]]
        values[x, z, y] = 0
    bench.light.set_bricks(np.zeros((1, 3), np.int32), values.reshape(1, 4096), np.zeros(1, np.int32))
    x, y, z = edge - 3 * (normal == 0) - normal
    words = vertex_format.pack(vertex_format.CUBE, 1, x=x, y=y, z=z, face=face, width=6, height=6)
    eye = edge + np.maximum(-normal, 0) + NORMALS[face] * 4.0
    yaw, pitch = LOOKS[face ^ 1]
    pixels = bench.draw(words, Group(face), Camera((eye[0], eye[1], eye[2]), yaw, pitch, 60.0, 1.0))[..., 1]
    share = pixels[31:33, 31:33].max() / pixels.max()  # of the four pixels there one lies before an open block
    assert least <= share < least + 0.08


def test_a_model_takes_the_light_of_its_own_block_and_is_seen_from_both_sides(bench: Bench) -> None:
    values = np.zeros((1, 16, 16, 16), np.uint16)
    values[0, 5, 6, 7] = 15 | 4 << 4
    bench.light.set_bricks(np.array([(0, 0, 0)], np.int32), values.reshape(1, 4096), np.zeros(1, np.int32))
    words = vertex_format.pack(
        vertex_format.MODEL,
        1,
        x=80,
        y=112,
        z=104,
        ux=16,
        vy=16,
        face=vertex_format.NO_FACE,
        u1=16,
        v1=16,
        block_x=5,
        block_z=6,
        block_y=7,
    )
    expected = lit(brightness(np.array([1.0, 4 / 15, 0.0, 0.0])), 0.97)
    for z, yaw in ((4.5, 0.0), (8.5, 180.0)):
        pixels = bench.draw(words, Group.MODEL, Camera((5.5, 7.5, z), yaw, 0.0, 60.0, 1.0))
        assert np.abs(pixels[32, 32] - expected).max() < 2.5 / 255


def test_the_surface_of_water_is_seen_from_below_and_glass_is_not(bench: Bench) -> None:
    bench.light.set_uniform(np.array([(0, 0, 0), (0, 1, 0)], np.int32), np.full(2, 0xF000))
    below = Camera((6.0, 10.0, 6.0), 0.0, -90.0, 60.0, 1.0)
    water = vertex_format.pack(
        vertex_format.CUBE, 1, x=2, y=14, z=2, face=5, width=8, height=8, flags=vertex_format.LOWERED
    )
    glass = vertex_format.pack(vertex_format.CUBE, 1, x=2, y=14, z=2, face=5, width=8, height=8)
    assert bench.draw(water, Group.LIQUID, below)[32, 32].min() > 0.5
    assert not bench.draw(glass, Group.TRANSLUCENT, below).any()


# ---------------------------------------------------------------- light seams

WIDE = 5
COLUMNS = [ColumnPos(x, z) for x in range(WIDE) for z in range(WIDE)]
INNER = [column for column in COLUMNS if 0 < column.x < WIDE - 1 and 0 < column.z < WIDE - 1]
SEAMS = FrameSettings(overlays=frozenset({"light-seams"}))
HOLE = np.s_[32:48, 32:48, 16:32]
"""A sub-chunk in the air over the plain, in the middle column."""


def plain() -> np.ndarray:
    blocks = np.zeros((16 * WIDE, 16 * WIDE, 64), np.uint16)
    blocks[:, :, :12] = paint.STONE
    blocks[40, 20, 14] = paint.LAMP
    return blocks


@pytest.fixture(params=[None, 2], ids=["sync", "two workers"])
def stage(gpu: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    runner: Runner = ThreadRunner(request.param) if request.param else SyncRunner()
    made = staged(gpu, runner)
    yield made
    made.close()


def inner_seams(stage: Stage) -> tuple[int, int]:
    """Of columns whose neighbours are all announced: sides that hang, and sides that wait."""
    rows = np.array([stage.store.row_of[column] for column in INNER if column in stage.store.row_of], np.int64)
    found = stage.scene.attached.state.seams(rows)
    return found.hangs, found.waits


@pytest.mark.parametrize("seed", range(3))
def test_no_seam_remains_at_rest_in_any_order_of_arrival(stage: Stage, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = plain()
    order = [COLUMNS[index] for index in rng.permutation(len(COLUMNS))]
    hung = waited = 0
    while order:
        some, order = order[: (n := int(rng.integers(1, 6)))], order[n:]
        stage.store.load(blocks, some)
        for _ in range(int(rng.integers(0, 3))):
            stage.scene.step(EYE)
            found = stage.scene.attached.state.seams()
            hung, waited = max(hung, found.hangs), max(waited, found.waits)
    assert hung, "while they come"
    assert waited, "and before they are lit"
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (0, 0)
    assert stage.scene.attached.state.seams().waits == 0, (
        "at the rim of the world something may come, but nothing is late"
    )


def test_a_hole_is_hung_on_until_it_comes(stage: Stage) -> None:
    blocks = plain()
    blocks[HOLE] = paint.PLACEHOLDER
    stage.store.load(blocks)
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (6, 0), "the four beside it, the one above, and the plain below"
    seen = (stage.picture(SEAMS) != stage.picture()).any(axis=-1)
    assert seen.any()
    column = ColumnPos(2, 2)
    stage.store.unload(column)
    stage.store.load(plain(), [column])
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (0, 0)


def test_sides_show_from_within_and_from_without(gpu: Gpu) -> None:
    stage = staged(gpu)
    blocks = plain()
    blocks[HOLE] = paint.PLACEHOLDER
    stage.store.load(blocks)
    assert stage.scene.settle(EYE)
    for yaw, eye in ((0.0, (40.5, 24.5, 27.5)), (180.0, (40.5, 24.5, 27.5))):
        camera = Camera(eye, yaw, 0.0, 60.0, TEST_SCENE_SIZE[0] / TEST_SCENE_SIZE[1])
        red = _redder(stage, camera)
        assert red[TEST_SCENE_SIZE[1] // 3 : -TEST_SCENE_SIZE[1] // 3].mean() > (0.1 if yaw == 0.0 else 0.02), (
            "the hole; far off the rim"
        )
    stage.close()


def _redder(stage: Stage, camera: Camera) -> np.ndarray:
    pictures = []
    for look in (FrameSettings(), SEAMS):
        stage.scene.draw(camera, stage.target, look)
        pictures.append(stage.target.pixels()[..., :3].astype(int))
    return (pictures[1][..., 0] - pictures[1][..., 2] > pictures[0][..., 0] - pictures[0][..., 2] + 40).astype(float)
