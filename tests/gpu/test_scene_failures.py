"""Work that raises costs its own cell or column, is said once, and stops nobody.

A pool of light without room for all: what is nearest is lit, the rest is drawn dark, is told, and is lit later.
"""

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space import BlockPos, ColumnPos
from render.capture.studio import PictureOptions, Studio
from render.gpu import Gpu, RenderError
from render.gpu.quad_arena import QuadArena
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.mesh import mesher
from render.passes.overlay.boxes import FAILED, UNLIT, UNMESHED, Style
from render.scene import CellState, FrameSettings, Scene, SceneConfig
from render.scene.diagnosis import undrawn
from tests.golden.shots import CAVE
from tests.gpu.test_scene import BLOCKS, COLUMNS, EYE, Stage, reference, staged
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore
from tests.support.worlds.scene import SceneWorld

__all__ = ["reference"]

pytestmark = pytest.mark.gpu
VICTIM = (1, 0, 1)
"""A render cell among the hills."""
INSIDE = BlockPos(20, 20, 20)
OVERLAY = FrameSettings(overlays=frozenset({"states=all"}))
RUN = mesher.run


class Fault:
    """A mesher that raises for one cell while it is on."""

    def __init__(self) -> None:
        self.on = True
        self.asked = 0

    def run(self, batch: mesher.MeshBatch, scratch: mesher.Scratch) -> mesher.MeshResult:
        """Stands in for ``build.run``."""
        if self.on and (batch.cells == VICTIM).all(axis=1).any():
            self.asked += 1
            raise ValueError("an impossible block")
        return RUN(batch, scratch)


def counts(stage: Stage) -> dict[Style, int | None]:
    """The legend of the overlay as it was drawn last."""
    return {row.style: row.count for row in stage.scene.legend("states=all")}


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Fault:
    fault = Fault()
    monkeypatch.setattr(mesher, "run", fault.run)
    return fault


@pytest.fixture(params=[None, 2], ids=["sync", "two workers"])
def stage(gpu: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    made = staged(gpu, ThreadRunner(request.param) if request.param else SyncRunner())
    made.store.load(BLOCKS)
    yield made
    made.close()


def test_a_mesh_that_raises_fails_its_cell_alone(stage: Stage, fault: Fault, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "chunkscope.scene"):
        assert stage.scene.settle(EYE)
        stage.scene.step(EYE)
    stats = stage.scene.stats()
    assert (stats.failures, stats.cells[CellState.FAILED]) == (1, 1)
    assert stage.scene.attached.state.cell_state(INSIDE) is CellState.FAILED
    assert stats.failed == "the mesh of render cell 1,0,1 failed (ValueError: an impossible block)"
    assert [record.message for record in caplog.records] == [stats.failed]
    assert fault.asked == 2, "with its region and alone, and not again"
    assert stage.scene.attached.state.behind["unmeshed"].tolist() == [list(VICTIM)]
    assert stats.cells[CellState.SHOWN] > len(COLUMNS) - 2, "all others are there"


def test_a_cell_that_fails_keeps_its_old_mesh_until_it_can_be_made(stage: Stage, fault: Fault) -> None:
    fault.on = False
    assert stage.scene.settle(EYE)
    old = stage.picture()
    shown = stage.scene.stats().cells_shown
    fault.on = True
    stage.store.edit(BlockPos(20, 34, 20), paint.LAMP)  # in the cell above, too: its set is shown without the victim
    stage.store.edit(BlockPos(24, 31, 24), paint.LAMP)
    assert stage.scene.settle(EYE)
    assert stage.scene.attached.state.cell_state(INSIDE) is CellState.FAILED
    assert stage.scene.stats().cells_shown >= shown
    fault.on = False
    stage.store.edit(BlockPos(24, 31, 24), paint.STONE)
    assert stage.scene.settle(EYE)
    assert stage.scene.attached.state.cell_state(INSIDE) is CellState.SHOWN
    assert not np.array_equal(stage.picture(), old)
    fresh = staged(stage.gpu)
    fresh.store.load(BLOCKS)
    fresh.store.edit(BlockPos(20, 34, 20), paint.LAMP)
    fresh.store.edit(BlockPos(24, 31, 24), paint.STONE)
    assert fresh.scene.settle(EYE)
    assert np.array_equal(stage.picture(), fresh.picture())
    fresh.close()


def test_a_failed_cell_shows_in_the_overlay(stage: Stage, fault: Fault) -> None:
    fault.on = False
    assert stage.scene.settle(EYE)
    sound = stage.picture(OVERLAY)
    fault.on = True
    stage.store.edit(BlockPos(20, 20, 20), paint.GLASS)  # buried: nothing but the overlay tells
    assert stage.scene.settle(EYE)
    assert stage.scene.attached.state.cell_state(INSIDE) is CellState.FAILED
    assert not np.array_equal(stage.picture(OVERLAY), sound)
    assert undrawn(stage.scene.attached.state, INSIDE) == f"Unmeshed: {stage.scene.stats().failed}"
    assert counts(stage)[FAILED] == 2, "a render cell is two sub-chunks"


def test_what_nobody_meshed_or_lit_yet_shows_in_the_overlay(stage: Stage) -> None:
    """One step hands work out and collects none, as where workers are busy: blocks are there, their picture is not."""
    stage.scene.step(EYE)
    stage.picture(OVERLAY)
    assert undrawn(stage.scene.attached.state, INSIDE) == "Unmeshed: the mesh of its render cell is not built yet"
    assert counts(stage)[UNMESHED] > 0
    assert stage.scene.settle(EYE)
    stage.picture(OVERLAY)
    assert (counts(stage)[UNMESHED], counts(stage)[UNLIT], counts(stage)[FAILED]) == (0, 0, 0)
    assert undrawn(stage.scene.attached.state, INSIDE) == ""


def test_light_that_raises_fails_its_column_alone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    run, row = LightMap.run, stage.store.row_of[COLUMNS[5]]
    broken = True

    def raising(light: LightMap, batch: Any, *rest: Any) -> Any:
        if broken and row in batch.rows:
            raise ValueError("no such level")
        return run(light, batch, *rest)

    monkeypatch.setattr(LightMap, "run", raising)
    assert stage.scene.settle(EYE)
    stats = stage.scene.stats()
    assert stats.failed == "the light of column 1,1 failed (ValueError: no such level)"
    assert stage.scene.attached.state.behind["unlit"].tolist() == [[1, 1]]
    assert stage.scene.attached.state.cell_state(INSIDE) is CellState.SHOWN, "too dark is better than a hole"
    assert undrawn(stage.scene.attached.state, INSIDE) == f"Unlit: {stats.failed}"
    stage.picture(OVERLAY)
    assert counts(stage)[UNLIT] > 0
    broken = False
    stage.store.edit(BlockPos(24, 33, 24), paint.STONE)
    assert stage.scene.settle(EYE)
    fresh = staged(stage.gpu)
    fresh.store.load(BLOCKS)
    fresh.store.edit(BlockPos(24, 33, 24), paint.STONE)
    assert fresh.scene.settle(EYE)
    assert np.array_equal(stage.picture(), fresh.picture())
    fresh.close()


def test_a_mesh_that_found_no_pages_is_made_again_when_there_are_some(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch, reference: np.ndarray
) -> None:
    """Nothing changes in the cells that had no room: other columns go, and come back when there is more."""
    monkeypatch.setattr("render.scene.work_state.QuadArena", partial(QuadArena, limit_pages=24))
    stage = staged(gpu, config=SceneConfig(upload_bytes=None, radius_columns=6, first_pages=8, first_bricks=256))
    near, far = COLUMNS[:8], COLUMNS[8:]
    stage.store.load(BLOCKS, far)
    assert stage.scene.settle(EYE)
    stage.store.load(BLOCKS, near)
    assert stage.scene.settle(EYE)
    without_space = stage.scene.stats().cells[CellState.FAILED]
    assert without_space > 0
    assert stage.scene.settled, "it does not try for ever"
    made = stage.scene.stats().meshes_made
    stage.scene.step(EYE)
    assert stage.scene.stats().meshes_made == made
    for column in far[4:]:
        stage.store.unload(column)
    assert stage.scene.settle(EYE)
    assert stage.scene.stats().cells[CellState.FAILED] < without_space
    stage.scene.attached.state.cells._arena._allocator.limit = 4096  # somebody else gave memory back
    for column in far[4:]:
        stage.store.load(BLOCKS, [column])
    assert stage.scene.settle(EYE)
    assert stage.scene.stats().cells[CellState.FAILED] == 0
    assert np.array_equal(stage.picture(), reference)
    stage.close()


def test_hidden_rows_of_a_legend_are_not_drawn(gpu: Gpu, reference: np.ndarray) -> None:
    stage = staged(gpu)
    stage.store.load(BLOCKS)
    assert stage.scene.settle(EYE)
    boxes = stage.picture(OVERLAY)
    assert not np.array_equal(boxes, reference)
    rows = frozenset(("states=all", row.style.label) for row in stage.scene.legend("states=all"))
    assert np.array_equal(stage.picture(FrameSettings(overlays=OVERLAY.overlays, hidden_rows=rows)), reference)
    assert {row.shown for row in stage.scene.legend("states=all")} == {False}
    assert np.array_equal(stage.picture(OVERLAY), boxes)
    stage.close()


def test_a_studio_says_what_it_could_not_make(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(batch: mesher.MeshBatch, scratch: mesher.Scratch) -> mesher.MeshResult:
        raise ValueError("an impossible block")

    session = SceneWorld(CAVE).load().session
    studio = Studio(gpu, session.dimension.table, SyncRunner(), CAVE.radius)
    with monkeypatch.context() as patch:
        patch.setattr(mesher, "run", never)
        shot = studio.shoot(session, session.movement.view, ["colour"], PictureOptions((64, 48)), timeout_s=60.0)
        assert shot.size_px == (64, 48)
        assert {lack.kind for lack in studio.missing} == {"unmeshed"}
        with pytest.raises(RenderError, match=r"the mesh of render cell .* an impossible block"):
            studio.shoot(session, session.movement.view, ["colour"], PictureOptions((64, 48)))
    studio.shoot(session, session.movement.view, ["colour"], PictureOptions((64, 48)))
    assert not studio.missing
    studio.release()


# --------------------------------------------------------------------- test full light pool


WIDE = 8
WIDE_BLOCKS = paint.hills(WIDE)
WIDE_EYE = (24.5, 44.0, 24.5)
ROOM = 90
"""Slots; the hills want more."""


@pytest.mark.parametrize("workers", [0, 2])
def test_what_finds_no_slot_is_told_once_and_lit_when_there_is_room(
    gpu: Gpu, workers: int, caplog: pytest.LogCaptureFixture
) -> None:
    store = PaintedStore(rows=256)
    light, plenty = LightMap(store, ROOM), LightMap(store, 4096)
    runner: Runner = ThreadRunner(workers) if workers else SyncRunner()
    scene = Scene(gpu, PaintedLooks.make(), runner, SceneConfig(upload_bytes=None, first_pages=64, first_bricks=256))
    scene.attach(store, light)
    with caplog.at_level(logging.WARNING, "chunkscope.scene"):
        store.load(WIDE_BLOCKS)
        assert scene.settle(WIDE_EYE)
    told = [record.message for record in caplog.records if "light pool" in record.message]
    assert len(told) == 1
    assert told[0].startswith(
        f"all {ROOM} slots of the light pool are in use: sub-chunks without a light slot stay dark"
    )
    unlit = scene.attached.state.behind["unlit"]
    assert 0 < len(unlit) < WIDE * WIDE
    inside = BlockPos(int(unlit[0][0]) * 16 + 8, 20, int(unlit[0][1]) * 16 + 8)
    assert "slots of the light pool are in use" in undrawn(scene.attached.state, inside)
    assert scene.stats().cells_shown > 0
    edited = BlockPos(24, 30, 24)
    store.edit(edited, paint.LAMP)
    assert scene.settle(WIDE_EYE), "an edit waits for no slot"
    for x in range(2, WIDE):
        for z in range(WIDE):
            store.unload(ColumnPos(x, z))
    assert scene.settle(WIDE_EYE)
    assert len(scene.attached.state.behind["unlit"]) == 0
    rows = np.array(sorted(store.row_of.values()), np.int32)
    plenty.step(store, rows)
    places = (rows[:, None] * 4 + np.arange(4)).ravel().astype(np.int32)
    same = light.values[light.slots_of(places)] == plenty.values[plenty.slots_of(places)]
    assert same.all(), "and as if there had always been room"
    runner.close()
    scene.release()
