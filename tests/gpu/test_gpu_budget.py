"""A budget too small for the world: what was seen last keeps its bricks, and what is drawn is right."""

import logging
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.world.lifecycle import SubChunkState
from net.space import BlockPos, ColumnPos
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.overlays.states import all_states_marks
from render.passes.frame_settings import FrameSettings
from render.passes.overlay.boxes import STYLES, UNLIT
from render.scene import CellState, Scene, SceneConfig
from render.scene.diagnosis import ROOMLESS, undrawn
from render.scene.frame.overlays import SceneFacts
from tests.support.data.failing_gl import without_memory
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

WIDE = 14
BLOCKS = paint.hills(WIDE)
EYE = (112.5, 44.0, 112.5)
CORNER, OTHER_CORNER = (8.5, 44.0, 8.5), (216.5, 44.0, 216.5)
SMALL = 512 * 8192
"""256 bricks for block ids and 256 for light; the world has more of both."""
SIZE = (160, 96)


class Stage:
    """A scene on all of the painted hills."""

    def __init__(self, gpu: Gpu, budget_bytes: int | None, loads: bool = True) -> None:
        self.gpu = gpu
        self.store = PaintedStore(rows=256)
        light = LightMap(self.store, 4096)
        config = SceneConfig(
            upload_bytes=None, radius_columns=16, first_pages=64, first_bricks=256,
            gpu_budget_bytes=budget_bytes,
        )  # fmt: skip
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, light)
        if loads:
            self.load()

    def load(self) -> None:
        """Brings everything."""
        self.store.load(BLOCKS)
        assert self.scene.settle(EYE)

    def look(self, yaw_deg: float, eye: tuple[float, float, float] = EYE) -> tuple[np.ndarray, SemanticSurfaces]:
        """Colour and surfaces, once everything that was seen had its chance."""
        camera = Camera(eye, yaw_deg, 15.0, 70.0, SIZE[0] / SIZE[1])
        target, semantic = Target(self.gpu, SIZE), SemanticTarget(self.gpu, SIZE)
        for _ in range(2):  # what the first frame saw has its bricks in the second
            self.scene.draw(camera, target)
            assert self.scene.settle(eye)
        self.scene.draw(camera, target)
        self.scene.draw_semantic(camera, semantic)
        pixels, surfaces = target.pixels(), SemanticSurfaces.of(*semantic.read())
        target.release()
        semantic.release()
        return pixels, surfaces

    def left_out(self) -> set[int]:
        """Places without room."""
        return set(np.flatnonzero(self.scene.pools.mirror.left_out).tolist())

    def sent(self) -> tuple[int, int]:
        """Bytes of bricks and entries, of block ids and light."""
        mirror = self.scene.stats().mirror
        return mirror.blocks.uploaded_bytes, mirror.light.uploaded_bytes

    def close(self) -> None:
        self.scene.release()


@pytest.fixture
def stages(gpu: Gpu) -> Iterator[tuple[Stage, Stage]]:
    both = Stage(gpu, SMALL), Stage(gpu, None)
    yield both
    for stage in both:
        stage.close()


def drawn_alike(mine: SemanticSurfaces, whole: SemanticSurfaces) -> np.ndarray:
    """Pixels that show the same block in both: what is missing lets one see farther."""
    return mine.drawn & whole.drawn & (mine.cell == whole.cell).all(axis=2)


def test_it_holds_and_what_is_drawn_is_as_without_one(stages: tuple[Stage, Stage]) -> None:
    small, whole = stages
    assert whole.scene.stats().mirror.light.bricks_used > 256
    for yaw_deg in (0.0, 90.0, 180.0):
        (mine, surfaces), (right, all_surfaces) = small.look(yaw_deg), whole.look(yaw_deg)
        stats = small.scene.stats()
        for volume in (stats.mirror.light, stats.mirror.blocks):
            assert volume.bricks_used <= volume.bricks <= volume.limit_bricks == 256
        assert stats.mirror.light.left_out > 0
        assert stats.settled
        alike = drawn_alike(surfaces, all_surfaces)
        assert alike[all_surfaces.drawn & (all_surfaces.depth < 40)].all()
        assert (surfaces.light == all_surfaces.light)[alike].all()
        inner = alike.copy()
        for axis, step in product((0, 1), (-1, 1)):  # a liquid's colour depends on what stands behind it
            inner &= np.roll(alike, step, axis)
        opaque = inner & (surfaces.dense != paint.WATER) & (surfaces.dense != paint.GLASS)
        assert (mine == right)[opaque].mean() > 0.99
        check = small.scene.check_mirror()
        assert check.ok, check.told
        assert check.left_out > 0


def test_of_what_is_not_drawn_for_want_of_room_why_is_told(stages: tuple[Stage, Stage]) -> None:
    small, whole = stages
    for yaw_deg in (0.0, 180.0):
        (_, surfaces), (_, all_surfaces) = small.look(yaw_deg), whole.look(yaw_deg)
        missing = all_surfaces.drawn & ~drawn_alike(surfaces, all_surfaces)
        assert missing.any()
        for x, y, z in np.unique(all_surfaces.cell[missing], axis=0).tolist():
            assert undrawn(small.scene.attached.state, BlockPos(x, y, z)) == ROOMLESS
            assert undrawn(whole.scene.attached.state, BlockPos(x, y, z)) == ""
        x, y, z = all_surfaces.cell[drawn_alike(surfaces, all_surfaces)][0].tolist()
        assert undrawn(small.scene.attached.state, BlockPos(x, y, z)) == ""


def test_boxes_of_what_is_not_drawn_for_want_of_room_say_so(stages: tuple[Stage, Stage]) -> None:
    small, whole = stages
    small.look(0.0)
    whole.look(0.0)
    for stage, some in ((small, True), (whole, False)):
        facts = SceneFacts(stage.scene.attached, FrameSettings(), EYE, frame=None)
        told = dict(zip(map(tuple, facts.positions.tolist()), facts.unlit.tolist(), strict=True))
        blocks = [BlockPos(16 * x, 16 * y, 16 * z) for x, y, z in told]
        assert list(told.values()) == [undrawn(stage.scene.attached.state, block) == ROOMLESS for block in blocks]
        boxes = {row.style: row.count for row in all_states_marks(facts).legend}
        assert (boxes[UNLIT] > 0) == some
        assert boxes[STYLES[SubChunkState.DATA]] > 0


def test_what_was_seen_longest_ago_goes_first(stages: tuple[Stage, Stage]) -> None:
    small, _ = stages
    small.look(0.0, CORNER)
    here = small.left_out()
    small.look(0.0, OTHER_CORNER)
    there = small.left_out()
    assert there - here
    assert here - there
    columns = {tuple(small.store.columns[place // 4].tolist()) for place in there}
    assert max(x + z for x, z in columns) < 2 * WIDE - 3  # nothing is missing here
    small.look(180.0, OTHER_CORNER)
    assert small.left_out() == there


def test_a_still_camera_sends_nothing_however_little_room_there_is(stages: tuple[Stage, Stage]) -> None:
    small, _ = stages
    small.look(0.0)
    before = small.sent()
    small.look(0.0)
    assert small.sent() == before


def test_everything_comes_back_when_there_is_room_again(stages: tuple[Stage, Stage]) -> None:
    small, _ = stages
    for x, z in product(range(WIDE), range(WIDE)):
        if not (5 <= x <= 8 and 5 <= z <= 8):
            small.store.unload(ColumnPos(x, z))
    assert small.scene.settle(EYE)
    assert small.left_out() == set()
    check = small.scene.check_mirror()
    assert check.ok
    assert check.left_out == 0


def test_edits_of_what_has_no_room_are_right_when_it_has(stages: tuple[Stage, Stage]) -> None:
    small, _ = stages
    rng = np.random.default_rng(4)
    for _ in range(40):
        x, z, y = rng.integers(0, 16 * WIDE), rng.integers(0, 16 * WIDE), rng.integers(1, 63)
        small.store.edit(BlockPos(int(x), int(y), int(z)), int(rng.choice([0, paint.STONE, paint.LAMP])))
        assert small.scene.settle(EYE)
    assert small.scene.check_mirror().ok
    small.look(90.0)
    assert small.scene.check_mirror().ok


def test_a_budget_below_the_least_is_told_and_the_least_is_taken(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        stage = Stage(gpu, 100_000)
    assert "a GPU budget of 0.10 MiB is too small: the minimum is 4 MiB" in caplog.text
    assert "block ids of 196 of 452 sub-chunks do not fit into the GPU's budget of 256" in caplog.text
    assert stage.look(0.0)[1].drawn.any()
    assert stage.scene.check_mirror().ok
    stage.close()


def test_a_driver_without_memory_is_a_smaller_budget(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(gpu, None, loads=False)
    with without_memory(gpu), caplog.at_level(logging.WARNING):
        stage.load()
    assert "no GPU memory is left for 256 more bricks" in caplog.text
    assert stage.scene.stats().mirror.light.limit_bricks == 256
    assert stage.look(0.0)[1].drawn.any()
    assert stage.scene.check_mirror().ok
    stage.close()


def test_a_page_table_that_cannot_grow_costs_what_is_far(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    stage, whole = Stage(gpu, None, loads=False), Stage(gpu, None)
    for volume in (stage.scene.pools.mirror.blocks, stage.scene.pools.mirror.light):
        volume._table.resize(np.array([8, 8, 8]))
    with without_memory(gpu, buffers=False), caplog.at_level(logging.WARNING):
        stage.load()
    assert caplog.text.count("no GPU memory for a page table") == 2  # one a volume
    assert stage.scene.settled
    assert 0 < len(stage.left_out()) < stage.scene.check_mirror().subchunks
    (_, mine), (_, right) = stage.look(0.0), whole.look(0.0)
    alike = drawn_alike(mine, right)
    assert alike.any()
    assert (mine.light == right.light)[alike].all()
    assert stage.scene.check_mirror().ok
    for x, z in product(range(WIDE), range(WIDE)):
        if not (5 <= x <= 8 and 5 <= z <= 8):
            stage.store.unload(ColumnPos(x, z))
    assert stage.scene.settle(EYE)
    assert stage.left_out() == set(), "what was refused comes when there is room"
    assert stage.scene.check_mirror().ok
    stage.close()
    whole.close()


def test_an_arena_that_cannot_grow_leaves_meshes_out(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(gpu, None, loads=False)
    with without_memory(gpu), caplog.at_level(logging.WARNING):
        stage.load()
        stats = stage.scene.stats()
    assert caplog.text.count("quad arena: no GPU memory") == 1
    assert stats.arena.pages == 64
    assert stats.cells[CellState.FAILED] > 0
    assert stats.cells[CellState.SHOWN] > 0
    assert stats.failures == stats.cells[CellState.FAILED]
    assert stats.settled
    stage.close()


def test_no_budget_goes_with_light_made_on_the_gpu() -> None:
    with pytest.raises(ValueError, match="gpu_budget_bytes must be None"):
        SceneConfig(gpu_light=True, gpu_budget_bytes=SMALL)
