"""Each invariant holds of a world that came whole, and sees what is planted against it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from client.options import Options
from client.session.config import SessionConfig
from client.session.session import Session
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
from net.space import BlockPos, ColumnPos
from render.gpu import Gpu
from render.invariants import (
    EVERY_S,
    NAMES,
    InvariantFinding,
    InvariantWatch,
    LightBorders,
    everything,
    leaked_pages,
    stored_undrawn,
)
from render.jobs.workers import SyncRunner
from render.scene import CellState, Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.gpu.test_scene import EYE, staged
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds import painted as paint

pytestmark = pytest.mark.gpu


@dataclass
class Shown:
    """A world that came whole, and its picture at rest."""

    session: Session
    scene: Scene

    def found(self, name: str) -> InvariantFinding:
        """What is found of one invariant now."""
        return everything(self.session, self.scene)[name]


@pytest.fixture
def shown(gpu: Gpu) -> Iterator[Shown]:
    connection = VirtualSession("hills:1", config=SessionConfig(radius=3, player=SWIFT)).connection(
        Options(light=False)
    )
    assert connection.wait_settled()
    session, runner = connection.session, SyncRunner()
    scene = Scene(
        gpu, BlockAppearance(session.dimension.store.table), runner, SceneConfig(upload_bytes=None, radius_columns=3)
    )
    scene.attach(session.dimension.store, session.dimension.light, session.anchors)
    assert scene.settle((0.0, 80.0, 0.0))
    yield Shown(session, scene)
    scene.release()
    runner.close()


def test_a_world_that_came_whole_breaks_none(shown: Shown) -> None:
    found = everything(shown.session, shown.scene)
    assert tuple(found) == NAMES
    assert {name: finding.count for name, finding in found.items()} == dict.fromkeys(NAMES, 0)
    assert not any(finding.blocks for finding in found.values())


def test_a_cell_without_the_mesh_it_should_have_is_seen(shown: Shown) -> None:
    cells = shown.scene.attached.state.cells
    some = np.flatnonzero(cells.picture == CellState.SHOWN)[[3, 8]]
    cells.picture[some[0]] = CellState.ABSENT
    cells.picture[some[1]] = CellState.FAILED
    found = stored_undrawn(shown.scene)
    assert found.count == 2
    where = {block.subchunk.cell for block in found.blocks}
    positions = shown.scene.attached.state.grid.cell_positions(some, shown.session.dimension.store.columns)
    assert where == {tuple(position) for position in positions.tolist()}
    cells.picture[some] = CellState.SHOWN


def test_a_cell_that_counts_as_empty_though_its_blocks_have_faces_is_seen(gpu: Gpu) -> None:
    stage = staged(gpu)
    blocks = np.zeros((48, 48, 64), np.uint16)
    blocks[:, :, :16] = paint.STONE
    stage.store.load(blocks, [ColumnPos(x, z) for x in range(3) for z in range(3)])
    assert stage.scene.settle(EYE)
    assert stored_undrawn(stage.scene).count == 0
    cells = stage.scene.attached.state.cells
    cell = np.flatnonzero(cells.picture == CellState.SHOWN)[0]
    cells.picture[cell] = CellState.EMPTY
    assert stored_undrawn(stage.scene).count == 1
    cells.picture[cell] = CellState.SHOWN
    stage.close()


def test_what_is_asked_again_without_a_reason_is_seen(shown: Shown) -> None:
    session = shown.session
    places = session.dimension.store.places_of_rows(session.dimension.store.announced_rows)
    data = places[session.dimension.store.state[places] == SubChunkState.DATA][[2, 5]]
    session.ledger.ask(data, 1e6, 0.1)
    found = shown.found("duplicate requests")
    assert found.count == 2
    assert {block.subchunk for block in found.blocks} == {
        BlockPos(*(16 * axis for axis in position)).subchunk
        for position in session.dimension.store.positions_of(data).tolist()
    }


def test_asking_again_after_silence_is_no_breach(shown: Shown) -> None:
    session = shown.session
    places = session.dimension.store.places_of_rows(session.dimension.store.announced_rows)
    data = places[session.dimension.store.state[places] == SubChunkState.DATA][:4]
    session.ledger.forget(data)
    for now in (1e6, 2e6, 3e6):
        session.ledger.ask(data, now, 0.1)
        assert len(session.ledger.expire(now + 1e5)) == 4
    session.ledger.ask(data, 4e6, 0.1)
    session.ledger.answered(data, np.zeros(4, np.uint8), 4e6)
    session.ledger.expire(5e6)
    session.ledger.ask(data, 6e6, 0.1)
    assert shown.found("duplicate requests").count == 0


@pytest.mark.parametrize(("state", "code"), [(SubChunkState.KNOWN_AIR, 6), (SubChunkState.DATA, 6)])
def test_an_answer_that_nobody_asked_for_is_seen(shown: Shown, state: SubChunkState, code: int) -> None:
    session = shown.session
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    place = places[store.state[places] == state][7:8]
    position = store.positions_of(place)
    store.begin_packet(9999, 1e6)
    store.answer(position, np.array([code], np.uint8), [b""], np.zeros(1, np.uint8), [None], 1e6)
    store.finish_drain()
    found = shown.found("unsolicited answers")
    assert found.count == 1
    assert found.blocks[0].subchunk == tuple(position[0].tolist())


def test_late_answers_to_questions_asked_again_are_no_breach(shown: Shown) -> None:
    store = shown.session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    place = places[store.state[places] == SubChunkState.DATA][9:10]
    position = store.positions_of(place)
    before = shown.found("unsolicited answers").count
    for marked in (SubChunkState.EVICTED, SubChunkState.REQUESTED, SubChunkState.REQUESTED):
        store.mark(place, marked, 1e6)
    for breaches in (0, 0, 1):
        store.begin_packet(9999, 1e6)
        store.answer(position, np.array([6], np.uint8), [b""], np.zeros(1, np.uint8), [None], 1e6)
        store.finish_drain()
        assert shown.found("unsolicited answers").count == before + breaches


def test_light_that_stops_at_a_border_is_seen(shown: Shown) -> None:
    session, light = shown.session, shown.session.dimension.light
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    rows, sections = places // store.dimension.sections, places % store.dimension.sections
    own = light.slots_of(places)
    bright = (light.values[own] >> 12 == 15).sum(axis=1)
    final = light.final(store, rows.astype(np.int32))[np.arange(len(places)), sections]
    place = places[final & (bright > 1000) & (bright < 4096)][0]
    slot = int(light.slots_of(np.array([place]))[0])
    before = light.values[slot].copy()
    light.values[slot] = 0
    found = shown.found("light seams")
    assert found.count
    here = BlockPos(*(16 * axis for axis in store.positions_of(np.array([place]))[0].tolist()))
    assert any(sum(abs(a - b) for a, b in zip(block, here, strict=True)) <= 64 for block in found.blocks)
    light.values[slot] = before
    assert shown.found("light seams").count == 0


def test_pages_that_nobody_holds_are_seen(shown: Shown) -> None:
    run = shown.scene.pools.arena.put(np.zeros((65, 2), np.uint32), (0, 0, 0))
    assert leaked_pages(shown.scene).count == 2
    shown.scene.pools.arena.free(run)
    assert leaked_pages(shown.scene).count == 0


def test_a_height_map_that_contradicts_its_blocks_is_seen(shown: Shown) -> None:
    store = shown.session.dimension.store
    place = store.places_of_rows(store.announced_rows)[11]
    store.attached.heights.verdict[place] = HeightVerdict.CONTRADICTS
    found = shown.found("height contradictions")
    assert found.count == 1
    assert found.blocks[0].subchunk == tuple(store.positions_of(np.array([place]))[0].tolist())


def test_while_the_picture_settles_nothing_is_said_of_it(shown: Shown) -> None:
    cells = shown.scene.attached.state.cells
    cells.mark(np.flatnonzero(cells.picture == CellState.SHOWN)[:3])
    assert stored_undrawn(shown.scene).count is None
    assert LightBorders().step(shown.scene, shown.session.dimension.store.table).count is None


def test_ways_to_what_was_found_stay_while_the_picture_settles(shown: Shown) -> None:
    watch, cells, now = InvariantWatch(), shown.scene.attached.state.cells, 0.0

    def round_again() -> InvariantFinding:
        nonlocal now
        for _ in NAMES:
            now += EVERY_S
            watch.step(shown.session, shown.scene, now)
        return watch.found["not meshed"]

    some = np.flatnonzero(cells.picture == CellState.SHOWN)[[3, 8]]
    cells.picture[some] = CellState.FAILED
    blocks = round_again().blocks
    assert len(blocks) == 2
    cells.mark(np.flatnonzero(cells.picture == CellState.SHOWN)[:3])
    settling = round_again()
    assert (settling.count, settling.blocks) == (None, blocks)
    assert shown.scene.settle((0.0, 80.0, 0.0))
    cells.picture[some] = CellState.SHOWN
    whole = round_again()
    assert (whole.count, whole.blocks) == (0, ())


def test_a_watch_goes_round_a_little_at_a_time(shown: Shown) -> None:
    watch = InvariantWatch()
    assert {finding.count for finding in watch.found.values()} == {None}
    now = 0.0
    for _ in range(60):
        now += EVERY_S
        watch.step(shown.session, shown.scene, now)
    assert {finding.count for finding in watch.found.values()} == {0}
    assert watch.found["light seams"].said == "", "it went round"
