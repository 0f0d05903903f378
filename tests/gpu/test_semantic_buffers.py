"""The GPU's semantic buffers say of every pixel away from an edge what the oracle's rays say.

Away from an edge: its 8 neighbours show the same block and face, and so do rays a fiftieth of a pixel to its sides. The
second half is for slivers thinner than a pixel: drivers snap vertices to a 256th of a pixel, and where such a sliver's
edge lies within that of a pixel's middle, each side is right.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.light.map import LightMap
from client.player import Eye, View
from render.camera import Camera
from render.capture.oracle.surfaces import Surfaces as Looks
from render.capture.oracle.surfaces import stopped_by_surfaces
from render.capture.shot_arrays import Surfaces
from render.gpu import Gpu
from render.gpu.semantic_target import SemanticTarget
from render.jobs.runners import SyncRunner
from render.scene import Scene, SceneConfig
from tests.support import painted_world as paint
from tests.support.painted_store import PaintedLooks, PaintedStore, painted_mesh_tables, painted_table
from tests.support.semantic_world import (
    OPAQUES,
    SIZE_PX,
    alike_around,
    drawn_as,
    light_at,
    met,
    random_blocks,
    random_view,
    steady,
)

pytestmark = pytest.mark.gpu

LOOKS = Looks.of(painted_mesh_tables(), paint.tiles())
STOPS = stopped_by_surfaces(painted_table().first)
KINDS = {
    "opaque": OPAQUES,
    "glass": (*OPAQUES, paint.GLASS, paint.GLASS),
    "water": (*OPAQUES, paint.WATER, paint.WATER),
    "leaves": (*OPAQUES, paint.LEAVES, paint.LEAVES),
    "flowers": (*OPAQUES, paint.FLOWER),
    "all": (*OPAQUES, paint.GLASS, paint.WATER, paint.LEAVES, paint.FLOWER),
}
FEWEST_SHARE = {"opaque": 0.4, "glass": 0.4, "water": 0.4, "leaves": 0.3, "flowers": 0.4, "all": 0.2}
"""Of the picture; what a kind leaves away from its edges and holes."""


@pytest.fixture(scope="module")
def scene(context: Gpu) -> Iterator[Scene]:
    config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)
    scene = Scene(context, PaintedLooks.make(), SyncRunner(), config)
    yield scene
    scene.release()


def drawn(gpu: Gpu, scene: Scene, store: PaintedStore, light: LightMap, view: View) -> Surfaces:
    scene.attach(store, light)
    assert scene.settle((view.eye.x, view.eye.y, view.eye.z))
    target = SemanticTarget(gpu, SIZE_PX)
    scene.draw_semantic(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target)
    found = Surfaces.of(*target.read())
    target.release()
    return found


def compare(gpu: Gpu, scene: Scene, kind: str, seed: int) -> int:
    """Asserts that both say the same; how many pixels were compared."""
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, KINDS[kind])
    store = PaintedStore()
    store.since = np.zeros(len(store.slot))  # type: ignore[attr-defined]
    store.load(blocks)
    light = LightMap(store, 512)
    view = random_view(rng, blocks)
    found = drawn(gpu, scene, store, light, view)
    wanted = met(store, view, STOPS, LOOKS)
    compared = alike_around(wanted.block, wanted.face) & wanted.told & steady(store, view, STOPS, LOOKS, wanted)
    block, face = drawn_as(found)
    where = f"{kind} world {seed} from {view}"
    wrong = compared & ((block != wanted.block) | (face != wanted.face))
    assert not wrong.any(), f"{where}: {tell(wrong, block, face, wanted)}"
    some = compared & found.drawn
    near = np.abs(found.depth - wanted.depth)[some] <= 1e-3 + 1e-4 * wanted.depth[some]
    assert near.all(), f"{where}: depth"
    same_cell = some & alike_around(wanted.cell)
    assert (found.cell == wanted.cell)[same_cell].all(), f"{where}: cell"
    assert (found.light[same_cell] == light_at(store, light, wanted.before[same_cell])).all(), f"{where}: light"
    assert (found.brick[same_cell] == wanted.block[same_cell]).all(), f"{where}: bricks"
    return int(compared.sum())


def tell(wrong: np.ndarray, block: np.ndarray, face: np.ndarray, wanted) -> str:  # type: ignore[no-untyped-def]
    y, x = np.argwhere(wrong)[0].tolist()
    got = f"{paint.NAMES[block[y, x]] if block[y, x] >= 0 else None} {face[y, x]}"
    want = f"{paint.NAMES[wanted.block[y, x]] if wanted.block[y, x] >= 0 else None} {wanted.face[y, x]}"
    return f"{int(wrong.sum())} pixels, first x {x} y {y} cell {wanted.cell[y, x]}: drawn {got}, rays say {want}"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 1 << 32))
def test_every_pixel_away_from_edges_shows_what_a_ray_meets(context: Gpu, scene: Scene, kind: str, seed: int) -> None:
    compare(context, scene, kind, seed)
    context.check()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_of_block_is_compared_in_eight_worlds(context: Gpu, scene: Scene, kind: str) -> None:
    compared = sum(compare(context, scene, kind, seed) for seed in range(8))
    assert compared > 8 * SIZE_PX[0] * SIZE_PX[1] * FEWEST_SHARE[kind], "little is away from edges"


def test_a_block_that_only_the_gpu_has_is_found(context: Gpu, scene: Scene) -> None:
    """The comparison itself: one block more on the GPU, none in the store that the rays go through."""
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, :8] = paint.STONE
    view = View(Eye(8.5, 20.5, 8.5), -45.0, 30.0)
    stores = []
    for extra in (False, True):
        blocks[18:24, 18:24, 8:12] = paint.SAND if extra else paint.AIR
        store = PaintedStore()
        store.since = np.zeros(len(store.slot))  # type: ignore[attr-defined]
        store.load(blocks)
        stores.append(store)
    plain, more = stores
    found = drawn(context, scene, more, LightMap(more, 512), view)
    block, _ = drawn_as(found)
    for store, same in ((plain, False), (more, True)):
        wanted = met(store, view, STOPS, LOOKS)
        compared = alike_around(block) & alike_around(wanted.block)
        assert (block == wanted.block)[compared].all() == same
    assert (found.cell[block == paint.SAND] >= (18, 8, 18)).all()


def test_a_liquid_is_lower_where_its_surface_is_and_shows_its_own_id(context: Gpu, scene: Scene) -> None:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, :8] = paint.WATER
    store = PaintedStore()
    store.load(blocks)
    found = drawn(context, scene, store, LightMap(store, 512), View(Eye(32.5, 10.0, 32.5), 0.0, 90.0))
    assert (found.face == 5).all()
    assert (found.dense == paint.WATER).all()
    assert np.allclose(found.depth, 10.0 - 7.875, atol=1e-4)


def test_nothing_is_drawn_where_the_sky_is(context: Gpu, scene: Scene) -> None:
    store = PaintedStore()
    store.load(np.zeros((64, 64, 64), np.uint16))
    found = drawn(context, scene, store, LightMap(store, 512), View(Eye(32.5, 40.0, 32.5)))
    assert not found.drawn.any()
