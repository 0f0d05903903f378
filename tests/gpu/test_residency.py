"""What is on the GPU follows the anchors: one column smaller, nothing twice, and nothing left behind."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space.positions import BlockPos, ColumnPos
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import CellState, Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStage, PaintedStore

pytestmark = pytest.mark.gpu

WIDE = 14
BLOCKS = paint.hills(WIDE)
EYE = (56.5, 44.0, 56.5)
MIDDLE = ColumnPos(3, 3)


class Stage(PaintedStage):
    """A scene on a painted world, all of which is in memory, and the anchors that say what is shown."""

    eye = EYE

    def __init__(self, gpu: Gpu, anchors: Anchors | None) -> None:
        self.anchors = anchors
        self.store = PaintedStore(rows=256)
        light = LightMap(self.store, 4096)
        config = SceneConfig(upload_bytes=None, radius_columns=2, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, light, anchors)
        self.store.load(BLOCKS)
        self.target = Target(gpu, (96, 64))

    def at(self, x: int, z: int = MIDDLE.z, radius: int = 2) -> None:
        assert self.anchors is not None
        self.anchors.pin("player", Anchor.square(ColumnPos(x, z), radius + 1))
        assert self.scene.settle(EYE)

    def shown(self) -> set[tuple[int, int]]:
        cells = [ColumnPos(x, z) for x in range(WIDE) for z in range(WIDE)]
        return {
            tuple(at) for at in cells if self.scene.picture(BlockPos(at.x * 16, 20, at.z * 16)) is not CellState.ABSENT
        }

    def holds(self) -> tuple[int, ...]:
        stats = self.scene.stats()
        bricks = stats.mirror.blocks.bricks_used, stats.mirror.light.bricks_used
        return stats.cells_shown, stats.quads, stats.arena.pages_used, *bricks

    def moved(self) -> tuple[int, int, int]:
        stats = self.scene.stats()
        return stats.meshes_made, stats.mirror.blocks.uploaded_bytes, stats.mirror.light.uploaded_bytes


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    stage = Stage(gpu, Anchors())
    yield stage
    stage.close()


def square(x: int, z: int, radius: int) -> set[tuple[int, int]]:
    return {(a, b) for a in range(x - radius, x + radius + 1) for b in range(z - radius, z + radius + 1)}


def test_nothing_is_there_before_an_anchor_and_one_column_less_than_it_holds_after(stage: Stage) -> None:
    assert stage.scene.settle(EYE)
    assert stage.shown() == set()
    assert stage.holds() == (0, 0, 0, 0, 0)
    stage.at(3)
    assert stage.shown() == square(3, 3, 2)


def test_walking_to_and_fro_over_a_border_uploads_nothing_twice(stage: Stage) -> None:
    for x in (3, 4, 5):
        stage.at(x)
    before = stage.moved()
    for x in [4, 3, 4, 5] * 3:
        stage.at(x)
    assert stage.moved() == before
    stage.at(6)
    assert stage.moved() > before


def test_a_walk_leaves_no_more_behind_than_standing_there_and_its_margin(gpu: Gpu, stage: Stage) -> None:
    for x in range(2, 11):
        stage.at(x)
    assert stage.shown() == square(10, 3, 2) | {(x, z) for x in (6, 7) for z in range(1, 6)}
    walked = stage.holds()
    stage.anchors.release("player")
    assert stage.scene.settle(EYE)
    assert stage.holds() == (0, 0, 0, 0, 0)
    stage.anchors.pin("margin", Anchor(ColumnPos(5, 0), ColumnPos(13, 6)))
    assert stage.scene.settle(EYE)
    assert stage.holds() == walked


def test_a_place_pinned_far_off_is_there_beside_the_player(stage: Stage) -> None:
    stage.at(3)
    stage.anchors.pin("look-out", Anchor.square(ColumnPos(11, 11), 2))
    assert stage.scene.settle(EYE)
    assert stage.shown() == square(3, 3, 2) | square(11, 11, 1)
    stage.anchors.release("look-out")
    assert stage.scene.settle(EYE)
    assert stage.shown() == square(3, 3, 2)


def test_what_left_and_came_again_looks_as_it_did(gpu: Gpu, stage: Stage) -> None:
    stage.at(3)
    first = stage.picture()
    stage.at(11)
    assert (3, 3) not in stage.shown()
    stage.at(3)
    stage.anchors.release("player")
    stage.at(3)
    assert np.array_equal(stage.picture(), first)


def test_the_border_is_lit_by_light_beyond_it(gpu: Gpu) -> None:
    """The outermost faces take their light from the column beside, whose meshes are not there."""
    partial, whole = Stage(gpu, Anchors()), Stage(gpu, None)
    partial.at(3, radius=4)
    assert whole.scene.settle(EYE)
    border = BlockPos(7 * 16 + 15, 20, 56)
    assert partial.scene.picture(border) is not CellState.ABSENT
    outside = ColumnPos(8, 3)
    row = partial.store.row_of[outside]
    assert partial.scene.attached.residency.lit[row]
    assert not partial.scene.attached.residency.shown[row]
    partial.close()
    whole.close()
