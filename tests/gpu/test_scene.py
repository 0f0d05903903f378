"""A scene keeps up with its store, shows the same picture whatever the order, and gives everything back."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.report.find import FoundBlocks
from net.space import BlockPos, ColumnPos
from render.camera import Camera
from render.gpu import Gpu, RenderError, Target
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.scene import CellState, FrameSettings, Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

COLUMNS = [ColumnPos(x, z) for x in range(4) for z in range(4)]
BLOCKS = paint.hills(4)
EYE = (30.5, 44.0, 6.5)
SIZE = (96, 64)


@dataclass
class Stage:
    """One scene on one painted store."""

    gpu: Gpu
    store: PaintedStore
    light: LightMap
    scene: Scene
    runner: Runner
    target: Target

    def picture(self, look: FrameSettings | None = None) -> np.ndarray:
        """What the camera sees now."""
        self.scene.draw(Camera(EYE, -10.0, 25.0, 70.0, self.target.aspect), self.target, look or FrameSettings())
        return self.target.pixels()

    def close(self) -> None:
        """Gives everything back."""
        self.runner.close()
        self.scene.release()
        self.target.release()


def staged(gpu: Gpu, runner: Runner | None = None, config: SceneConfig | None = None) -> Stage:
    store = PaintedStore()
    light = LightMap(store, 2048)
    runner = runner or SyncRunner()
    small = config or SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
    scene = Scene(gpu, PaintedLooks.make(), runner, small)
    scene.attach(store, light)
    return Stage(gpu, store, light, scene, runner, Target(gpu, SIZE))


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    stage = staged(gpu)
    yield stage
    stage.close()


@pytest.fixture(scope="module")
def reference(context: Gpu) -> np.ndarray:
    """The whole world, loaded at once."""
    stage = staged(context)
    stage.store.load(BLOCKS)
    assert stage.scene.settle(EYE)
    picture = stage.picture()
    stage.close()
    return picture


def test_the_picture_shows_terrain_under_a_sky(reference: np.ndarray) -> None:
    top, bottom = reference[:6, :, :3].mean(axis=(0, 1)), reference[-12:, :, :3].mean(axis=(0, 1))
    assert top[2] > 180
    assert top[2] > top[0] + 20, "the sky is blue"
    assert bottom[1] > bottom[2] + 20, "the ground is green"


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_arrival_shows_in_no_picture(gpu: Gpu, reference: np.ndarray, seed: int) -> None:
    stage = staged(gpu, ThreadRunner(2) if seed == 2 else None)
    order = np.random.default_rng(seed).permutation(len(COLUMNS)).tolist()
    for index in order:
        stage.store.load(BLOCKS, [COLUMNS[index]])
        stage.scene.step(EYE)
    assert stage.scene.settle(EYE)
    picture = stage.picture()
    stage.close()
    assert np.array_equal(picture, reference)


def test_a_small_budget_gets_there_too(gpu: Gpu, reference: np.ndarray) -> None:
    config = SceneConfig(upload_bytes=16384, radius_columns=6, light_columns=3, first_pages=64, first_bricks=256)
    stage = staged(gpu, config=config)
    stage.store.load(BLOCKS)
    stage.scene.step(EYE)
    stage.scene.step(EYE)
    assert not stage.scene.settled
    assert stage.scene.settle(EYE)
    picture = stage.picture()
    stage.close()
    assert np.array_equal(picture, reference)


def test_a_step_without_any_time_gets_there_too(gpu: Gpu, reference: np.ndarray) -> None:
    stage = staged(gpu, ThreadRunner(2), SceneConfig(owner_s=0.0, radius_columns=6, first_pages=64, first_bricks=256))
    stage.store.load(BLOCKS)
    assert stage.scene.settle(EYE)
    picture = stage.picture()
    stage.close()
    assert np.array_equal(picture, reference)


def test_no_cell_is_shown_before_its_light(gpu: Gpu) -> None:
    stage = staged(gpu, config=SceneConfig(upload_bytes=8192, radius_columns=6, light_columns=2, first_pages=64))
    stage.store.load(BLOCKS)
    shown = set()
    for _ in range(400):
        stage.scene.step(EYE)
        for place, block in places_of(stage):
            if (
                stage.scene.attached.state.cell_state(block) in (CellState.SHOWN, CellState.STALE)
                and place not in shown
            ):
                shown.add(place)
                assert not stage.scene.pools.mirror.light_behind[place]
        if stage.scene.settled:
            break
    assert stage.scene.settled
    assert len(shown) > 16
    stage.close()


def places_of(stage: Stage) -> list[tuple[int, BlockPos]]:
    """Every place and its lowest block."""
    return [
        (stage.store.place(column, section), BlockPos(column.x * 16, section * 16, column.z * 16))
        for column in COLUMNS
        for section in range(4)
    ]


def test_attach_again_gives_the_same_picture(stage: Stage, reference: np.ndarray) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    stage.picture()
    assert stage.scene.stats().cells_drawn
    stage.scene.attach(stage.store, stage.light)
    fresh = stage.scene.stats()
    assert (fresh.cells_shown, fresh.cells_drawn, fresh.quads_drawn) == (0, 0, 0), "nothing of it was drawn yet"
    assert stage.scene.settle(EYE)
    assert np.array_equal(stage.picture(), reference)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_store_may_come_back_whose_light_was_under_way(gpu: Gpu, reference: np.ndarray, workers: int) -> None:
    stage = staged(gpu, ThreadRunner(workers) if workers else SyncRunner())
    stage.store.load(BLOCKS)
    for _ in range(3):
        stage.scene.step(EYE)
        other = PaintedStore()
        other.load(paint.hills(2))
        stage.scene.attach(other, LightMap(other, 2048))
        stage.scene.step(EYE)
        stage.scene.attach(stage.store, stage.light)
    assert stage.scene.settle(EYE)
    np.testing.assert_array_equal(stage.picture(), reference)
    stage.close()


def test_an_edit_swaps_all_its_cells_in_one_frame(stage: Stage) -> None:
    """A lamp at a corner of four cells, at night: every picture is the old or the new one, none in between."""
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    night = FrameSettings(time_ticks=18000)
    old = stage.picture(night)
    stage.store.edit(BlockPos(31, 34, 31), paint.LAMP)
    pictures = []
    for _ in range(6):
        stage.scene.step(EYE)
        pictures.append(stage.picture(night))
    new = pictures[-1]
    assert stage.scene.settled
    assert stage.scene.stats().edits_shown == 1
    assert not np.array_equal(old, new)
    assert all(np.array_equal(picture, old) or np.array_equal(picture, new) for picture in pictures)


def test_edits_that_come_meanwhile_are_shown_next(stage: Stage) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    for number in range(5):
        stage.store.edit(BlockPos(30, 36 + number, 30), paint.RED_LAMP)
        stage.scene.step(EYE)
    assert stage.scene.settle(EYE)
    fresh = staged(stage.gpu)
    fresh.store.load(BLOCKS)
    for number in range(5):
        fresh.store.edit(BlockPos(30, 36 + number, 30), paint.RED_LAMP)
    assert fresh.scene.settle(EYE)
    assert np.array_equal(stage.picture(), fresh.picture())
    fresh.close()


def test_a_column_that_goes_takes_its_meshes_and_bricks_along(stage: Stage) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    before = stage.scene.stats()
    stage.store.unload(ColumnPos(1, 1))
    assert stage.scene.settle(EYE)
    after = stage.scene.stats()
    assert after.mirror.blocks.entries == before.mirror.blocks.entries - 4
    assert after.arena.pages_used < before.arena.pages_used
    assert stage.scene.attached.state.cell_state(BlockPos(20, 20, 20)) is CellState.ABSENT
    for column in COLUMNS:
        if column in stage.store.row_of:
            stage.store.unload(column)
    assert stage.scene.settle(EYE)
    empty = stage.scene.stats()
    assert (empty.arena.pages_used, empty.mirror.light.bricks_used, empty.mirror.blocks.bricks_used) == (0, 0, 0)
    stage.store.load(BLOCKS)
    assert stage.scene.settle(EYE)
    assert stage.scene.stats().cells == before.cells


def test_the_mirror_holds_what_the_pools_hold(stage: Stage) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    for column in COLUMNS[::5]:
        for section in range(4):
            place = stage.store.place(column, section)
            at = np.array([(column.x, section, column.z)], np.int32)
            blocks = stage.scene.pools.mirror.blocks.values_of(at)
            light = stage.scene.pools.mirror.light.values_of(at)
            assert np.array_equal(blocks.ravel(), stage.store.pools.blocks[stage.store.slot[place]])
            assert np.array_equal(light.ravel(), stage.light.values[stage.light.table[place]])


def test_a_found_block_is_marked_behind_terrain_fainter_than_before_it(stage: Stage) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    plain = stage.picture().astype(int)
    heights = np.flatnonzero(BLOCKS[32, 25])  # ahead of the eye

    def marked(y: int) -> np.ndarray:
        found = FoundBlocks((), 1, (), (), (BlockPos(32, y, 25),))
        return np.abs(stage.picture(FrameSettings(overlays=frozenset({"found"}), found=found)).astype(int) - plain)

    hidden, seen = marked(int(heights[-1]) - 6), marked(int(heights[-1]) + 1)
    assert 0 < hidden.max() < seen.max()


def test_the_states_overlay_changes_the_picture_and_counts_its_boxes(stage: Stage) -> None:
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    plain = stage.picture()
    boxed = stage.picture(FrameSettings(overlays=frozenset({"states=all"})))
    assert not np.array_equal(plain, boxed)
    assert stage.scene.stats().boxes_drawn > 10
    assert np.array_equal(stage.picture(), plain)
    few = FrameSettings(overlays=frozenset({"states=all"}), anchor=ColumnPos(2, 1), anchor_radius_columns=0)
    stage.picture(few)
    assert 1 <= stage.scene.stats().boxes_drawn <= 4
    rows = len(stage.store.columns)
    fresh = stage.picture(FrameSettings(overlays=frozenset({"states=all"}), stale=np.zeros(rows, np.bool_)))
    assert np.array_equal(fresh, boxed)
    stale = stage.picture(FrameSettings(overlays=frozenset({"states=all"}), stale=np.ones(rows, np.bool_)))
    assert not np.array_equal(stale, boxed)
    with pytest.raises(RenderError, match="Unknown overlay 'nothing'"):
        stage.picture(FrameSettings(overlays=frozenset({"nothing"})))


def test_flat_light_draws_another_picture_of_the_same_shape(gpu: Gpu, reference: np.ndarray) -> None:
    stage = staged(gpu, config=SceneConfig(upload_bytes=None, flat_light=True, radius_columns=6))
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    flat = stage.picture()
    stage.close()
    assert 0.0 < np.abs(flat.astype(int) - reference.astype(int)).mean() < 20.0


def test_a_released_scene_leaves_nothing(gpu: Gpu) -> None:
    stage = staged(gpu)
    stage.store.load(BLOCKS)
    stage.scene.settle(EYE)
    stage.picture()
    assert stage.scene.stats().settled
    stage.close()
    del stage
    assert gpu.leaks() == 0
