"""Wherever columns are and the eye goes, what is on the GPU fits a square of a bounded side, and holds what is near."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from client.streaming.anchors import FARTHEST_COLUMN, Anchor, Anchors
from net.space.positions import ColumnPos
from render.gpu.page_table import Torus
from render.scene.residency import MESH_MARGIN_COLUMNS, REACH_COLUMNS, SLACK_COLUMNS, Residency
from tests.support.worlds.blocks import FakeTable, FakeWorld
from tests.support.worlds.painted import DIMENSION

EDGE = FARTHEST_COLUMN - 1
AXIS = st.one_of(
    st.integers(-EDGE, EDGE), st.integers(-400, 400), st.sampled_from([EDGE, -EDGE, 62_500_000, 1 << 20, -(1 << 20)])
)
COLUMN = st.builds(ColumnPos, AXIS, AXIS)
COLUMNS = st.lists(COLUMN, min_size=1, max_size=12, unique=True)


@settings(deadline=None)
@given(
    columns=COLUMNS,
    late=COLUMNS,
    eyes=st.lists(st.one_of(COLUMN, st.integers(0, 11)), min_size=1, max_size=6),
    pinned=st.booleans(),
)
def test_what_is_there_is_near_and_what_is_near_is_there(
    columns: list[ColumnPos], late: list[ColumnPos], eyes: list[ColumnPos | int], pinned: bool
) -> None:
    world = FakeWorld(DIMENSION, FakeTable.plain(), 32, 8)
    anchors = Anchors() if pinned else None
    residency = Residency(anchors)
    if anchors is not None:
        for number, column in enumerate(columns):
            anchors.pin(str(number), Anchor.square(column, 1))
    late = [column for column in late if column not in columns]
    residency.fit(len(world.columns))
    for number, eye in enumerate(eyes):
        at = columns[eye % len(columns)] if isinstance(eye, int) else eye
        residency.look((at.x * 16.0, 0.0, at.z * 16.0))
        coming = columns if number == 0 else late if number == 1 else []
        residency.came(world, np.array(world.add_columns(coming), np.int64))
        moves = residency.step(world)
        assert not residency.moved
        rows = np.array(sorted(world.row_of.values()), np.int64)
        lit, shown = residency.lit[rows], residency.shown[rows]
        there = world.columns[rows[lit]].astype(np.int64)
        away = np.abs(world.columns[rows].astype(np.int64) - np.array(at)).max(axis=1)
        held = np.ones(len(rows), np.bool_) if anchors is None else anchors.counts(world.columns[rows]) > 0
        if len(there):
            assert (np.ptp(there, axis=0) <= 2 * REACH_COLUMNS).all()
        assert (away[lit] <= REACH_COLUMNS + SLACK_COLUMNS).all()
        assert lit[held & (away <= REACH_COLUMNS - SLACK_COLUMNS)].all()
        assert (lit | ~shown).all()
        if anchors is None:
            assert shown[away <= REACH_COLUMNS + MESH_MARGIN_COLUMNS - SLACK_COLUMNS].all()
        assert residency.shown[moves.appeared].all()
        assert not residency.shown[moves.vanished].any()


@given(st.lists(st.tuples(AXIS, st.integers(-128, 127), AXIS), min_size=1, unique=True))
def test_every_position_has_a_key_of_its_own(positions: list[tuple[int, int, int]]) -> None:
    torus = Torus(np.array([1, 1, 1]))
    for position in positions:
        at = np.array([position], np.int64)
        torus.own(at)
        assert torus.positions.tolist() == [list(position)]
        assert torus.has(np.array(positions)).sum() == 1
