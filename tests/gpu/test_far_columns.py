"""Columns anywhere: tables on the GPU stay small, what is near the eye is drawn, of the rest one is told why not.

Residency: What is on the GPU follows the anchors: one column smaller, nothing twice, and nothing left behind.
"""

import logging
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space import FARTHEST_COLUMN, BlockPos, ColumnPos
from render.gpu import Gpu, Target
from render.gpu.page_table import MOST_ENTRIES
from render.jobs.workers import SyncRunner
from render.scene import CellState, Scene, SceneConfig
from render.scene.diagnosis import undrawn
from render.scene.residency import FAR, REACH_COLUMNS, SLACK_COLUMNS
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStage, PaintedStore

# ---------------------------------------------------------------- far columns

pytestmark = pytest.mark.gpu

WIDE = 4
BLOCKS = paint.hills(WIDE)
FAR_X = 62_500_000
"""Blocks at x of 10^9."""
EDGE = FARTHEST_COLUMN - 1
CONFIG = SceneConfig(upload_bytes=None, radius_columns=2, first_pages=64, first_bricks=256)


class ShiftedStore(PaintedStore):
    """A painted store whose volumes stand where ``origin`` says; along x, where biomes are all alike."""

    origin = ColumnPos(0, 0)

    def add_column(self, column: ColumnPos) -> int:
        return super().add_column(self._there(column))

    def place(self, column: ColumnPos, section: int) -> int:
        return super().place(self._there(column), section)

    def _there(self, column: ColumnPos) -> ColumnPos:
        return ColumnPos(column.x + self.origin.x, column.z + self.origin.z)


class Stage(PaintedStage):
    """A scene on hills at some origins, seen from one of them."""

    def __init__(
        self, gpu: Gpu, origins: list[ColumnPos], anchors: Anchors | None = None, wide: int = WIDE, twin: bool = False
    ) -> None:
        self.store = ShiftedStore(rows=512)
        config = SceneConfig(upload_bytes=None, radius_columns=2, first_pages=64, first_bricks=256, gpu_light=twin)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, LightMap(self.store, 8192), anchors)
        self.target = Target(gpu, (96, 64))
        for origin in origins:
            self.store.origin = origin
            self.store.load(BLOCKS, [ColumnPos(x, z) for x in range(wide) for z in range(wide)])

    def go(self, origin: ColumnPos) -> npt.NDArray[np.uint8]:
        self.eye = origin.x * 16 + 32.5, 44.0, origin.z * 16 + 8.5
        assert self.scene.settle(self.eye)
        return self.picture()

    def shows(self, origin: ColumnPos) -> CellState:
        return self.scene.attached.state.cell_state(BlockPos(origin.x * 16 + 20, 20, origin.z * 16 + 20))

    @property
    def table_entries(self) -> int:
        mirror = self.scene.pools.mirror
        return max(volume._table.entries.size for volume in (mirror.blocks, mirror.light))

    @property
    def tint_blocks(self) -> int:
        return self.scene.pools.tints.mask + 1


def alike(picture: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> bool:
    """Clouds are others elsewhere, what fades into them by as much: two levels of 255 at the most."""
    return int(np.abs(picture.astype(np.int16) - other).max()) <= 2


@pytest.fixture(scope="module")
def expected(context: Gpu) -> Iterator[npt.NDArray[np.uint8]]:
    """The hills where all numbers are small."""
    stage = Stage(context, [ColumnPos(0, 0)])
    yield stage.go(ColumnPos(0, 0))
    stage.close()


@pytest.mark.parametrize("twin", [False, True], ids=["light of the CPU", "light of the GPU"])
@pytest.mark.parametrize("x", [FAR_X, -FAR_X, EDGE - WIDE, -EDGE])
def test_a_world_far_out_looks_as_it_does_where_all_numbers_are_small(
    gpu: Gpu, expected: npt.NDArray[np.uint8], x: int, twin: bool
) -> None:
    if twin and not gpu.capabilities.computes:
        pytest.skip("needs compute shaders")
    stage = Stage(gpu, [ColumnPos(x, 0)], twin=twin)
    picture = stage.go(ColumnPos(x, 0))
    stage.close()
    assert alike(picture, expected)


@pytest.mark.parametrize("anchored", [False, True])
def test_of_columns_far_apart_those_near_the_eye_are_drawn_and_the_others_when_it_goes_there(
    gpu: Gpu, expected: npt.NDArray[np.uint8], anchored: bool
) -> None:
    places = [ColumnPos(0, 0), ColumnPos(FAR_X, 0), ColumnPos(-EDGE, 0), ColumnPos(0, 0)]
    anchors = Anchors() if anchored else None
    for number, origin in enumerate(places[:-1] if anchors is not None else []):
        anchors.pin(f"look-out {number}", Anchor(origin, ColumnPos(origin.x + 3, origin.z + 3)).grown(2))
    stage = Stage(gpu, places[:-1], anchors)
    first = stage.go(places[0])
    assert anchored or alike(first, expected), "fog begins nearer where anchors end"
    for here in places:
        assert alike(stage.go(here), first)
        for other in set(places) - {here}:
            inside = BlockPos(other.x * 16 + 20, 20, other.z * 16 + 20)
            assert stage.shows(other) is CellState.ABSENT
            assert undrawn(stage.scene.attached.state, inside) == FAR
        assert stage.shows(here) is CellState.SHOWN
        assert stage.table_entries <= 1 << 17, "no larger than at first"
        assert stage.tint_blocks <= 32 * 16
    stage.close()


def test_an_eye_that_goes_a_little_moves_nothing(gpu: Gpu) -> None:
    edge = ColumnPos(REACH_COLUMNS - WIDE, 0)
    stage = Stage(gpu, [ColumnPos(0, 0), edge])
    assert stage.scene.settle((8.5, 44.0, 8.5))
    before = stage.scene.stats()
    assert stage.shows(edge) is CellState.SHOWN
    for x in range(-SLACK_COLUMNS, SLACK_COLUMNS):
        assert stage.scene.settle((x * 16.0 + 8.5, 44.0, 8.5))
    after = stage.scene.stats()
    assert (after.meshes_made, after.mirror, after.arena) == (before.meshes_made, before.mirror, before.arena)
    assert stage.scene.settle((-(SLACK_COLUMNS + 1) * 16.0, 44.0, 8.5))
    assert stage.shows(edge) is CellState.ABSENT
    stage.close()


@pytest.mark.parametrize("seed", range(3))
def test_columns_anywhere_take_no_more_than_a_bound_and_raise_nothing(gpu: Gpu, seed: int) -> None:
    rng = np.random.default_rng(seed)
    stage = Stage(gpu, [])
    spans = EDGE, 1 << 20, 300, 3
    places = [ColumnPos(*map(int, rng.integers(-span, span + 1, 2))) for span in spans for _ in range(6)]
    for place in dict.fromkeys(places):
        stage.store.origin = place
        stage.store.load(BLOCKS, [ColumnPos(0, 0)])
    for here in places[::4]:
        stage.go(here)
        near = [place for place in places if place.chebyshev(here) < REACH_COLUMNS - SLACK_COLUMNS]
        assert all(
            stage.scene.attached.state.cell_state(BlockPos(x * 16, 20, z * 16)) is not CellState.ABSENT for x, z in near
        )
        assert stage.table_entries <= 256 * 256 * 32
        assert stage.tint_blocks <= 256 * 16
    stage.close()


def test_a_page_table_over_its_bound_says_so_once_and_places_what_it_can(
    gpu: Gpu, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage(gpu, [ColumnPos(0, 0)])
    stage.go(ColumnPos(0, 0))
    volume = stage.scene.pools.mirror.blocks
    with caplog.at_level(logging.WARNING, "chunkscope.gpu"):
        for far in ([1 << 26 | 1, 1, 1], [1, 2, -(1 << 26) + 3], [-(1 << 26) + 2, 1, (1 << 26) + 2]):
            assert volume.place(np.array([[1, 1, 1], far, [2, 1, 1]], np.int32)).tolist() == [True, False, True]
    assert volume._table.entries.size <= MOST_ENTRIES
    assert [record.message.split(" a page table")[0] for record in caplog.records] == ["block ids: no space for"]
    stage.close()


# ---------------------------------------------------------------- residency

RESIDENCY_WIDE = 14
RESIDENCY_BLOCKS = paint.hills(RESIDENCY_WIDE)
EYE = (56.5, 44.0, 56.5)
MIDDLE = ColumnPos(3, 3)


class ResidencyStage(PaintedStage):
    """A scene on a painted world, all of which is in memory, and the anchors that say what is shown."""

    eye = EYE

    def __init__(self, gpu: Gpu, anchors: Anchors | None) -> None:
        self.anchors = anchors
        self.store = PaintedStore(rows=256)
        light = LightMap(self.store, 4096)
        config = SceneConfig(upload_bytes=None, radius_columns=2, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, light, anchors)
        self.store.load(RESIDENCY_BLOCKS)
        self.target = Target(gpu, (96, 64))

    def at(self, x: int, z: int = MIDDLE.z, radius: int = 2) -> None:
        assert self.anchors is not None
        self.anchors.pin("player", Anchor.square(ColumnPos(x, z), radius + 1))
        assert self.scene.settle(EYE)

    def shown(self) -> set[tuple[int, int]]:
        cells = [ColumnPos(x, z) for x in range(RESIDENCY_WIDE) for z in range(RESIDENCY_WIDE)]
        return {
            tuple(at)
            for at in cells
            if self.scene.attached.state.cell_state(BlockPos(at.x * 16, 20, at.z * 16)) is not CellState.ABSENT
        }

    def holds(self) -> tuple[int, ...]:
        stats = self.scene.stats()
        bricks = stats.mirror.blocks.bricks_used, stats.mirror.light.bricks_used
        return stats.cells_shown, stats.quads, stats.arena.pages_used, *bricks

    def moved(self) -> tuple[int, int, int]:
        stats = self.scene.stats()
        return stats.meshes_made, stats.mirror.blocks.uploaded_bytes, stats.mirror.light.uploaded_bytes


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[ResidencyStage]:
    stage = ResidencyStage(gpu, Anchors())
    yield stage
    stage.close()


def square(x: int, z: int, radius: int) -> set[tuple[int, int]]:
    return {(a, b) for a in range(x - radius, x + radius + 1) for b in range(z - radius, z + radius + 1)}


def test_nothing_is_there_before_an_anchor_and_one_column_less_than_it_holds_after(stage: ResidencyStage) -> None:
    assert stage.scene.settle(EYE)
    assert stage.shown() == set()
    assert stage.holds() == (0, 0, 0, 0, 0)
    stage.at(3)
    assert stage.shown() == square(3, 3, 2)


def test_walking_to_and_fro_over_a_border_uploads_nothing_twice(stage: ResidencyStage) -> None:
    for x in (3, 4, 5):
        stage.at(x)
    before = stage.moved()
    for x in [4, 3, 4, 5] * 3:
        stage.at(x)
    assert stage.moved() == before
    stage.at(6)
    assert stage.moved() > before


def test_a_walk_leaves_no_more_behind_than_standing_there_and_its_margin(gpu: Gpu, stage: ResidencyStage) -> None:
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


def test_a_place_pinned_far_off_is_there_beside_the_player(stage: ResidencyStage) -> None:
    stage.at(3)
    stage.anchors.pin("look-out", Anchor.square(ColumnPos(11, 11), 2))
    assert stage.scene.settle(EYE)
    assert stage.shown() == square(3, 3, 2) | square(11, 11, 1)
    stage.anchors.release("look-out")
    assert stage.scene.settle(EYE)
    assert stage.shown() == square(3, 3, 2)


def test_what_left_and_came_again_looks_as_it_did(gpu: Gpu, stage: ResidencyStage) -> None:
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
    partial, whole = ResidencyStage(gpu, Anchors()), ResidencyStage(gpu, None)
    partial.at(3, radius=4)
    assert whole.scene.settle(EYE)
    border = BlockPos(7 * 16 + 15, 20, 56)
    assert partial.scene.attached.state.cell_state(border) is not CellState.ABSENT
    outside = ColumnPos(8, 3)
    row = partial.store.row_of[outside]
    assert partial.scene.attached.residency.lit[row]
    assert not partial.scene.attached.residency.shown[row]
    partial.close()
    whole.close()
