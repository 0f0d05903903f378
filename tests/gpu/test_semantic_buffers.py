"""The GPU's semantic buffers say of every pixel away from an edge what the oracle's rays say.

Every pixel whose 8 neighbours show rays the same block and face is compared; ``semantic_world.compare`` says what
counts as the same where an edge goes through a pixel's middle.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from client.light.light_map import LightMap
from client.player import Eye, View
from client.world.block_table import BlockTable
from net.palette import Palette
from render.camera import Camera
from render.capture.channels import MODEL_FACE, SemanticSurfaces
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.golden import shots
from tests.oracle.cast import Looks, stopped_by_surfaces
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore, painted_mesh_tables, painted_table
from tests.support.worlds.scene import SceneWorld
from tests.support.worlds.semantic import (
    OPAQUES,
    SIZE_PX,
    compare,
    drawn_as,
    flood,
    met,
    random_blocks,
    random_states,
    random_view,
    view_from_anywhere,
)

pytestmark = pytest.mark.gpu

CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)
LOOKS = Looks.of(painted_mesh_tables(), paint.painted_tiles())
STOPS = stopped_by_surfaces(painted_table().first)
KINDS = {
    "opaque": OPAQUES,
    "glass": (*OPAQUES, paint.GLASS, paint.GLASS),
    "water": (*OPAQUES, paint.WATER, paint.WATER),
    "leaves": (*OPAQUES, paint.LEAVES, paint.LEAVES),
    "flowers": (*OPAQUES, paint.FLOWER),
    "all": (*OPAQUES, paint.GLASS, paint.WATER, paint.LEAVES, paint.FLOWER),
}
HARD_SEEDS = (20007, 20162, 20202, 20239)
"""Worlds in which a pixel's middle meets, in this order: sides between two cut-out blocks where they would stick out
(two), the edge of a bar's flat top, and the seam of two panes 40 blocks away."""

FEWEST_SHARE = {"opaque": 0.4, "glass": 0.4, "water": 0.4, "leaves": 0.3, "flowers": 0.4, "all": 0.2}
"""Of the picture; what a kind leaves away from its edges and holes."""


@pytest.fixture(scope="module")
def scene(context: Gpu) -> Iterator[Scene]:
    scene = Scene(context, PaintedLooks.make(), SyncRunner(), CONFIG)
    yield scene
    scene.release()


def drawn(gpu: Gpu, scene: Scene, store: PaintedStore, light: LightMap, view: View) -> SemanticSurfaces:
    scene.attach(store, light)
    assert scene.settle((view.eye.x, view.eye.y, view.eye.z))
    return shown(gpu, scene, view)


def shown(gpu: Gpu, scene: Scene, view: View) -> SemanticSurfaces:
    target = SemanticTarget(gpu, SIZE_PX)
    scene.draw_semantic(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target)
    found = SemanticSurfaces.of(*target.read())
    target.release()
    return found


def world_of(
    blocks: paint.Volume, table: BlockTable | None = None, second: paint.Volume | None = None
) -> tuple[PaintedStore, LightMap]:
    store = PaintedStore(table=table)
    store.load(blocks, second=second)
    return store, LightMap(store, 512)


def checked(gpu: Gpu, scene: Scene, kind: str, seed: int) -> int:
    """Asserts that both say the same of a painted world; how many pixels were compared."""
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, KINDS[kind])
    store, light = world_of(blocks)
    view = random_view(rng, blocks)
    compared, wrong = compare(store, light, view, drawn(gpu, scene, store, light, view), STOPS, LOOKS)
    assert not wrong, f"{kind} world {seed}: {wrong}"
    return compared


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 1 << 32))
@example(kind="all", seed=135802)  # half a degree under lone water 56 blocks away, a 128th of a pixel tall
def test_every_pixel_away_from_edges_shows_what_a_ray_meets(context: Gpu, scene: Scene, kind: str, seed: int) -> None:
    checked(context, scene, kind, seed)
    context.check()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_of_block_is_compared_in_eight_worlds(context: Gpu, scene: Scene, kind: str) -> None:
    compared = sum(checked(context, scene, kind, seed) for seed in range(8))
    assert compared > 8 * SIZE_PX[0] * SIZE_PX[1] * FEWEST_SHARE[kind], "little is away from edges"


@pytest.mark.parametrize("seed", range(8))
def test_from_inside_a_liquid_every_pixel_shows_what_a_ray_meets(context: Gpu, scene: Scene, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, KINDS["all"])
    flood(rng, blocks)
    store, light = world_of(blocks)
    view = random_view(rng, blocks, paint.WATER)
    compared, wrong = compare(store, light, view, drawn(context, scene, store, light, view), STOPS, LOOKS)
    assert not wrong, f"world {seed}: {wrong}"
    assert compared > 0


def test_what_is_drawn_behind_placeholders_is_what_rays_through_them_meet(context: Gpu, scene: Scene) -> None:
    behind = drawn_behind = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        blocks = random_blocks(rng, KINDS["all"])
        view = random_view(rng, blocks)
        holes = rng.random((4, 4, 4)) < 0.3
        holes[int(view.eye.x) >> 4, int(view.eye.z) >> 4, int(view.eye.y) >> 4] = False
        blocks[holes.repeat(16, 0).repeat(16, 1).repeat(16, 2)] = paint.PLACEHOLDER
        store, light = world_of(blocks)
        found = drawn(context, scene, store, light, view)
        _, wrong = compare(store, light, view, found, STOPS, LOOKS)
        assert not wrong, f"world {seed}: {wrong}"
        hidden = ~met(store, view, STOPS, LOOKS).told
        behind += int(hidden.sum())
        drawn_behind += int((hidden & found.drawn).sum())
    assert behind > SIZE_PX[0] * SIZE_PX[1] // 2
    assert drawn_behind > 100


def test_a_surface_shows_from_below_and_the_sides_of_its_water_do_not(context: Gpu, scene: Scene) -> None:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[24:40, 24:40, 8:24] = paint.WATER
    store, light = world_of(blocks)
    up = drawn(context, scene, store, light, View(Eye(32.5, 16.0, 32.5), 0.0, -90.0, 40.0))
    assert (up.face == 5).all()
    assert (up.dense == paint.WATER).all()
    assert np.allclose(up.depth, 23.875 - 16.0, atol=1e-4)
    ahead = shown(context, scene, View(Eye(32.5, 16.0, 32.5), 0.0, 0.0, 40.0))
    assert not ahead.drawn.any()


def test_a_surface_rises_to_a_higher_liquid_beside_it(context: Gpu, scene: Scene) -> None:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, :8] = paint.WATER
    blocks[32:, :, :10] = paint.WATER
    store, light = world_of(blocks)
    found = drawn(context, scene, store, light, View(Eye(31.0, 7.95, 32.5), -90.0, 0.0, 10.0))
    middle = SIZE_PX[1] // 2, SIZE_PX[0] // 2
    assert (found.face[middle], found.dense[middle], found.cell[middle].tolist()) == (5, paint.WATER, [31, 7, 32])
    assert abs(found.depth[middle] - (7.95 - 7.875) / 0.125) < 0.02


def test_the_seam_of_a_sloping_liquid_has_no_hole_behind_plants(context: Gpu, scene: Scene) -> None:
    """The lower side's hair closes the seam, though something stands before that side."""
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[32, 16:48, 10:12] = paint.WATER
    blocks[31, 16:48, 10] = paint.FLOWER
    blocks[34, 16:48, 4:20] = paint.STONE
    store, light = world_of(blocks)
    rng = np.random.default_rng(5)
    for _ in range(24):
        x, y, z = rng.uniform((28.0, 11.0, 30.0), (31.0, 13.0, 34.0)).tolist()
        view = View(Eye(x, y, z), float(rng.uniform(-130, -50)), float(rng.uniform(10, 50)), 40.0)
        found = drawn(context, scene, store, light, view)
        wrong = compare(store, light, view, found, STOPS, LOOKS)[1]
        assert not wrong, f"{view}: {wrong}"


def test_a_block_that_only_the_gpu_has_is_found(context: Gpu, scene: Scene) -> None:
    """The comparison itself: one block more on the GPU, none in the store that the rays go through."""
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, :8] = paint.STONE
    view = View(Eye(8.5, 20.5, 8.5), -45.0, 30.0)
    plain, _ = world_of(blocks)
    blocks[18:24, 18:24, 8:12] = paint.SAND
    more, light = world_of(blocks)
    found = drawn(context, scene, more, light, view)
    block, _ = drawn_as(found)
    assert not compare(more, light, view, found, STOPS, LOOKS)[1]
    _, wrong = compare(plain, light, view, found, STOPS, LOOKS)
    assert wrong
    assert (found.cell[block == paint.SAND] >= (18, 8, 18)).all()


def test_a_liquid_is_lower_where_its_surface_is_and_shows_its_own_id(context: Gpu, scene: Scene) -> None:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, :8] = paint.WATER
    store, light = world_of(blocks)
    found = drawn(context, scene, store, light, View(Eye(32.5, 10.0, 32.5), 0.0, 90.0))
    assert (found.face == 5).all()
    assert (found.dense == paint.WATER).all()
    assert np.allclose(found.depth, 10.0 - 7.875, atol=1e-4)


def test_nothing_is_drawn_where_the_sky_is(context: Gpu, scene: Scene) -> None:
    store, light = world_of(np.zeros((64, 64, 64), np.uint16))
    found = drawn(context, scene, store, light, View(Eye(32.5, 40.0, 32.5)))
    assert not found.drawn.any()


@pytest.fixture(scope="module")
def palette() -> BlockTable:
    return BlockTable.build(Palette.for_protocol(486))


@pytest.fixture(scope="module")
def every_look(palette: BlockTable) -> tuple[BlockAppearance, Looks]:
    looks = BlockAppearance(palette)
    return looks, Looks.of(looks.tables, looks.levels(range(looks.layers))[0])


@pytest.fixture(scope="module")
def real_scene(context: Gpu, every_look: tuple[BlockAppearance, Looks]) -> Iterator[Scene]:
    scene = Scene(context, every_look[0], SyncRunner(), CONFIG)
    yield scene
    scene.release()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
@example(seed=100208)  # the rim of a hole in leaves
def test_every_state_of_a_palette_shows_as_rays_meet_it(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks], seed: int
) -> None:
    states_checked(context, real_scene, palette, every_look, seed)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
@example(seed=565)  # along the side of a wall
@example(seed=2440)  # an edge that passes close to the eye, with a hair as wide as at its corners
def test_every_state_of_a_palette_in_water_shows_as_rays_meet_it(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks], seed: int
) -> None:
    """Water in the second layer of half of the world, still and running, whatever stands in the first one."""
    second = random_waters(np.random.default_rng(seed), palette)
    states_checked(context, real_scene, palette, every_look, seed, second)


def random_waters(rng: np.random.Generator, palette: BlockTable) -> paint.Volume:
    first = palette.first
    water = [k for k in range(first.liquid, first.placeholder) if palette.states[k].name == "minecraft:water"]
    second = rng.choice(np.array([water[0], *rng.choice(water, 2)], np.uint16), (64, 64, 64))
    second[rng.random((8, 8, 8)).repeat(8, 0).repeat(8, 1).repeat(8, 2) < 0.5] = 0
    return second


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_panes_and_dust_beside_each_other_show_as_rays_meet_them(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks], seed: int
) -> None:
    """Few kinds, so that each meets its like on all sides, over edges, and what hides it."""
    names = ("stained_glass_pane", "stained_glass_pane", "glass_pane", "redstone_wire", "redstone_wire", "stone")
    rng = np.random.default_rng(seed)
    ids = {name: [k for k, s in enumerate(palette.states) if s.name == f"minecraft:{name}"] for name in set(names)}
    kinds = np.array([0, *(rng.choice(ids[name]) for name in names)], np.uint16)
    blocks = kinds[random_blocks(rng, tuple(range(1, len(kinds))), (len(kinds) - 1,))]
    store, light = world_of(blocks, palette)
    view = random_view(rng, blocks)
    found = drawn(context, real_scene, store, light, view)
    _, wrong = compare(store, light, view, found, stopped_by_surfaces(palette.first), every_look[1])
    assert not wrong, f"world {seed}: {wrong}"


@pytest.mark.parametrize("seed", HARD_SEEDS)
def test_rims_of_quads_show_as_rays_meet_them(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks], seed: int
) -> None:
    states_checked(context, real_scene, palette, every_look, seed)


TOUCHING = (
    (Eye(32.55, 21.8, 31.0), 10.0, 30.0),
    (Eye(34.3, 21.6, 32.3), 60.0, 20.0),
    (Eye(32.7, 20.6, 31.0), 20.0, 0.0),
    (Eye(32.5, 20.6, 30.9), 25.0, 5.0),
)
"""Through the holes of blocks that touch, at the plane in which they do."""


@pytest.mark.parametrize(("eye", "yaw", "pitch"), TOUCHING)
def test_of_two_models_that_touch_the_one_that_looks_to_the_eye_shows(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks],
    eye: Eye, yaw: float, pitch: float,
) -> None:  # fmt: skip
    """Trapdoors back to back, a pane beside bars: their sides lie in one plane, and look opposite ways."""
    open_ = [_id_of(palette, "trapdoor", open_bit=1, upside_down_bit=0, direction=k) for k in range(4)]
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[31:34, 32, 20] = open_[1], open_[0], open_[1]
    blocks[32, 33:35, 20] = open_[2:]
    blocks[32, 31, 19], blocks[32, 32, 19] = _id_of(palette, "glass_pane"), _id_of(palette, "iron_bars")
    store, light = world_of(blocks, palette)
    view = View(eye, yaw, pitch, 50.0)
    found = drawn(context, real_scene, store, light, view)
    compared, wrong = compare(store, light, view, found, stopped_by_surfaces(palette.first), every_look[1])
    assert not wrong
    assert compared > 0.5 * SIZE_PX[0] * SIZE_PX[1]


def test_a_model_shows_before_the_side_of_the_water_that_it_stands_in(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks]
) -> None:
    """Both lie in the block's side; rounding chose, and water lay over some slabs and not over others."""
    blocks, second = np.zeros((2, 64, 64, 64), np.uint16)
    blocks[28:36, 28:36, 20] = _id_of(palette, "wooden_slab", top_slot_bit=0)
    blocks[30, 28:36, 21] = _id_of(palette, "oak_stairs", weirdo_direction=1)
    second[28:36, 28:36, 20:23] = _id_of(palette, "water", liquid_depth=0)
    store, light = world_of(blocks, palette, second)
    for view in (View(Eye(25.3, 20.9, 25.2), -40.0, 5.0), View(Eye(32.2, 18.2, 31.7), 30.0, -60.0)):
        found = drawn(context, real_scene, store, light, view)
        compared, wrong = compare(store, light, view, found, stopped_by_surfaces(palette.first), every_look[1])
        assert not wrong
        assert compared > 0.5 * SIZE_PX[0] * SIZE_PX[1]
        assert (found.face == MODEL_FACE).sum() > 100


@pytest.mark.parametrize("seed", range(6))
def test_from_beside_all_columns_every_pixel_shows_what_rays_through_the_gap_meet(
    context: Gpu, scene: Scene, seed: int
) -> None:
    """No side that looks at the gap is drawn, nor met."""
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, KINDS["all"])
    store, light = world_of(blocks)
    view = View(Eye(-2.0 - 9.0 * seed, float(rng.uniform(5, 60)), float(rng.uniform(0, 64))), -90.0, 5.0)
    found = drawn(context, scene, store, light, view)
    compared, wrong = compare(store, light, view, found, STOPS, LOOKS)
    assert not wrong, f"world {seed}: {wrong}"
    assert compared > 300


def test_what_is_nearer_than_the_near_plane_is_cut_off_from_rays_too(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks]
) -> None:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[30:36, 30:36, 20] = _id_of(palette, "wooden_slab", top_slot_bit=0)
    store, light = world_of(blocks, palette)
    view = View(Eye(32.5, 20.53, 32.5), 0.0, 85.0, 70.0)
    found = drawn(context, real_scene, store, light, view)
    compared, wrong = compare(store, light, view, found, stopped_by_surfaces(palette.first), every_look[1])
    assert not wrong
    assert compared > 0.5 * SIZE_PX[0] * SIZE_PX[1]
    assert found.depth[SIZE_PX[1] // 2, SIZE_PX[0] // 2] > 0.5, "the slab's bottom: its top is nearer than 0.1"


def _id_of(palette: BlockTable, name: str, **states: int) -> int:
    """The first dense id of a name with some states."""
    wanted = states.items()
    return next(
        k for k, s in enumerate(palette.states) if s.name == f"minecraft:{name}" and wanted <= dict(s.states).items()
    )


def states_checked(
    context: Gpu,
    real_scene: Scene,
    palette: BlockTable,
    every_look: tuple[BlockAppearance, Looks],
    seed: int,
    second: paint.Volume | None = None,
    rng: np.random.Generator | None = None,
) -> None:
    """Asserts that both say the same of a world of some thirty states of a whole palette."""
    rng = np.random.default_rng(seed) if rng is None else rng
    blocks = random_states(rng, palette.first, len(palette))
    store, light = world_of(blocks, palette, second)
    view = random_view(rng, blocks)
    found = drawn(context, real_scene, store, light, view)
    _, wrong = compare(store, light, view, found, stopped_by_surfaces(palette.first), every_look[1])
    assert not wrong, f"world {seed}: {wrong}"
    context.check()


def test_states_of_a_later_release_show_as_rays_meet_them_from_anywhere(context: Gpu) -> None:
    table = BlockTable.build(Palette.for_protocol(2168))
    look_source = BlockAppearance(table)
    looks = Looks.of(look_source.tables, look_source.levels(range(look_source.layers))[0])
    scene = Scene(context, look_source, SyncRunner(), CONFIG)
    compared = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        blocks = random_states(rng, table.first, len(table))
        store, light = world_of(blocks, table)
        view = view_from_anywhere(rng, blocks, table.first.opaque)
        found = drawn(context, scene, store, light, view)
        pixels, wrong = compare(store, light, view, found, stopped_by_surfaces(table.first), looks)
        assert not wrong, f"world {seed}: {wrong}"
        compared += pixels
    scene.release()
    assert compared > 0.3 * 16 * SIZE_PX[0] * SIZE_PX[1]


@pytest.mark.parametrize("seed", range(8))
def test_from_within_walls_and_close_to_them_all_shows_that_rays_meet(context: Gpu, scene: Scene, seed: int) -> None:
    """Of what lies behind: opaque sub-chunks stop the walk, and nothing looks at the eye within them."""
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, KINDS["all"])
    blocks[:, :, :32] = paint.STONE
    for at in rng.integers(2, 58, (12, 3)).tolist():
        blocks[at[0] : at[0] + 4, at[1] : at[1] + 4, at[2] // 2 : at[2] // 2 + 3] = paint.AIR
    blocks[30:34, 30:34, 8:12] = paint.AIR
    within = Eye(*rng.uniform(1.0, 30.0, 3).tolist())
    close = Eye(30.03, 10.2, 32.4)  # the side of its wall lies before the near plane
    store, light = world_of(blocks)
    compared = 0
    for eye in (within, close):
        view = View(eye, float(rng.uniform(40, 140)), float(rng.uniform(-60, 60)), 70.0)
        pixels, wrong = compare(store, light, view, drawn(context, scene, store, light, view), STOPS, LOOKS)
        assert not wrong, f"world {seed}: {wrong}"
        compared += pixels
    assert compared > 0


SLAB_EDGE = View(
    Eye(46.5551340487619, 39.523846582881916, 17.37261543437683), 8.207366906262507, 12.978725266701588, 110.0
)


def test_depth_at_a_rim_seen_edge_on_is_that_of_the_rim(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks]
) -> None:
    """A pixel's middle lay a thousandth of a pixel off the slab that it shows, and a fiftieth of a block."""
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:26, 20:40, 38:40] = _id_of(palette, "wooden_slab", top_slot_bit=1)
    store, light = world_of(blocks, palette)
    found = drawn(context, real_scene, store, light, SLAB_EDGE)
    compared, wrong = compare(store, light, SLAB_EDGE, found, stopped_by_surfaces(palette.first), every_look[1])
    assert not wrong
    assert compared > 500


@pytest.mark.parametrize("seed", [33, 61])
def test_what_a_slope_hides_shows_at_most_at_the_edge_in_which_the_slope_ends(
    context: Gpu, real_scene: Scene, palette: BlockTable, every_look: tuple[BlockAppearance, Looks], seed: int
) -> None:
    """Water's side behind a surface that ends at it, and lava's bottom: each a pixel of a whole world, on a hair."""
    rng = np.random.default_rng(seed)
    second = random_waters(rng, palette)
    states_checked(context, real_scene, palette, every_look, seed, second, rng)


def test_the_hills_show_as_rays_meet_them(
    context: Gpu, real_scene: Scene, every_look: tuple[BlockAppearance, Looks]
) -> None:
    session = SceneWorld(shots.DAY).load().session
    store, light = session.dimension.store, LightMap(session.dimension.store, 1 << 14)
    stops = stopped_by_surfaces(session.dimension.table.first)
    real_scene.attach(store, light)
    compared = 0
    for view in (shots.DAY.view, shots.CAVE.view, shots.LAMPS.view, shots.WATER.view, shots.DUSK_HOUSES.view):
        assert real_scene.settle((view.eye.x, view.eye.y, view.eye.z))
        pixels, wrong = compare(store, light, view, shown(context, real_scene, view), stops, every_look[1])
        assert not wrong
        compared += pixels
    assert compared > 0.3 * 5 * SIZE_PX[0] * SIZE_PX[1]
