import numpy as np
import numpy.typing as npt
import pytest

from client.streaming.anchors import MOST_ANCHOR_COLUMNS, MOST_ANCHORS, Anchor, Anchors
from net.arrays import ColumnPositions
from net.space import FARTHEST_COLUMN, BlockPos, ColumnPos

# ---------------------------------------------------------------- anchors


def test_overlapping_anchors_are_counted_and_keep_each_others_ground() -> None:
    anchors = Anchors()
    anchors.pin("player", Anchor.square(ColumnPos(0, 0), 4))
    anchors.pin("box", Anchor.square(ColumnPos(5, 0), 2))
    columns = np.array([[4, 0], [7, 0], [8, 0]], np.int32)
    assert anchors.counts(columns).tolist() == [2, 1, 0]
    anchors.release("box")
    assert anchors.counts(columns).tolist() == [1, 0, 0]
    anchors.release("box")


def test_columns_are_released_two_further_out_than_they_are_loaded() -> None:
    anchors = Anchors()
    anchors.pin("player", Anchor.square(ColumnPos(0, 0), 4))
    assert anchors.released(np.array([[6, 6], [7, 0]], np.int32)).tolist() == [False, True]


def test_walking_to_and_fro_over_a_border_loads_and_releases_nothing_twice() -> None:
    anchors = Anchors()
    loaded: list[int] = []
    for x in [0, 1] * 20 + [2, 1, 0, 1, 2]:
        anchors.pin("player", Anchor.square(ColumnPos(x, 0), 3))
        assert anchors.drain() == (len(anchors.loaded_columns()) not in loaded)
        loaded.append(len(anchors.loaded_columns()))
    assert loaded == [7 * 7] + [8 * 7] * 39 + [9 * 7] * 5


def test_a_long_walk_keeps_what_one_square_and_its_margin_hold() -> None:
    anchors = Anchors()
    for x in range(65):
        anchors.pin("player", Anchor.square(ColumnPos(x, 0), 4))
        assert anchors.drain()
    kept = Anchor(ColumnPos(58, -4), ColumnPos(68, 4)).columns()
    assert anchors.loaded_columns().tolist() == kept.tolist()
    assert len(kept) == 11 * 9


def test_a_move_looks_only_at_the_columns_that_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    anchors = Anchors()
    for number in range(64):
        anchors.pin(str(number), Anchor.square(ColumnPos(40 * number, 40), 16))
    looked_at: list[list[list[int]]] = []
    released = anchors.released

    def noted(columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        looked_at.append(columns.tolist())
        return released(columns)

    for x in range(3):
        anchors.pin("player", Anchor.square(ColumnPos(x, 0), 4))
        anchors.drain()
    loaded = len(anchors.loaded_columns())
    monkeypatch.setattr(anchors, "released", noted)
    anchors.pin("player", Anchor.square(ColumnPos(3, 0), 4))
    assert anchors.drain()
    assert looked_at == [[[-4, z] for z in range(-4, 5)]]
    assert len(anchors.loaded_columns()) == loaded


def test_what_lies_outside_any_world_is_held_by_nobody() -> None:
    anchors = Anchors()
    anchors.pin("corner", Anchor.square(ColumnPos(FARTHEST_COLUMN, -FARTHEST_COLUMN), 2))
    anchors.drain()
    assert anchors.loaded_columns().tolist() == [
        [FARTHEST_COLUMN - x, z - FARTHEST_COLUMN] for x in (2, 1) for z in (1, 2)
    ]
    anchors.pin("corner", Anchor.square(ColumnPos(10**30, 0), 2))
    assert anchors.drain()
    assert not len(anchors.loaded_columns())


def test_an_anchor_without_end_and_anchors_without_number_are_refused() -> None:
    anchors = Anchors()
    with pytest.raises(ValueError, match="'box' has 4294967296 x 1 columns"):
        anchors.pin("box", Anchor(ColumnPos(-(1 << 31), 0), ColumnPos((1 << 31) - 1, 0)))
    with pytest.raises(ValueError, match="the maximum is 65025"):
        anchors.pin("box", Anchor(ColumnPos(0, 0), ColumnPos(MOST_ANCHOR_COLUMNS, 0)))
    anchors.pin("box", Anchor(ColumnPos(1, 0), ColumnPos(MOST_ANCHOR_COLUMNS, 0)))
    anchors.release("box")
    for number in range(MOST_ANCHORS):
        anchors.pin(str(number), Anchor.square(ColumnPos(number, 0), 0))
    with pytest.raises(ValueError, match="'one more': 128 are already pinned"):
        anchors.pin("one more", Anchor.square(ColumnPos(0, 0), 0))
    anchors.pin("7", Anchor.square(ColumnPos(0, 0), 1))  # moving one is none more
    assert len(anchors) == MOST_ANCHORS


def test_a_follower_releases_what_became_too_small_and_does_nothing_twice() -> None:
    activity, visibility = Anchors(), Anchors()
    activity.pin("box", Anchor.rectangle(ColumnPos(0, 0), 3, 1))
    visibility.follow(activity, -1)
    assert visibility.get("box") == Anchor(ColumnPos(-2, 0), ColumnPos(2, 0))
    revision = visibility.revision
    visibility.follow(activity, -1)
    assert visibility.revision == revision
    activity.pin("box", Anchor.square(ColumnPos(0, 0), 0))
    visibility.follow(activity, -1)
    assert not len(visibility)


# ---------------------------------------------------------------- anchor


def test_a_square_holds_its_border_and_no_more() -> None:
    columns = np.array([[2, 0], [3, 0], [-2, -2], [0, -3]], np.int32)
    assert Anchor.square(ColumnPos(0, 0), 2).holds(columns).tolist() == [True, False, True, False]


def test_a_square_lists_its_columns() -> None:
    columns = Anchor.square(ColumnPos(5, -5), 1).columns()
    assert columns.shape == (9, 2)
    assert Anchor.square(ColumnPos(5, -5), 1).holds(columns).all()


def test_a_box_of_blocks_excludes_its_upper_corner() -> None:
    box = Anchor.around_box(BlockPos(-1, 0, 0), BlockPos(16, 10, 17))
    assert (box.low, box.high) == ((-1, 0), (0, 1))
    assert Anchor.around_box(BlockPos(0, 0, 0), BlockPos(16, 1, 16), margin=1).columns().shape == (9, 2)


def test_what_is_without_another_is_cut_into_parts_that_do_not_overlap() -> None:
    whole, hole = Anchor.square(ColumnPos(0, 0), 2), Anchor(ColumnPos(-1, 0), ColumnPos(7, 1))
    parts = [tuple(column) for part in whole.without(hole) for column in part.columns().tolist()]
    assert len(parts) == len(set(parts)) == 25 - 8
    assert not hole.holds(np.array(parts, np.int32)).any()
    assert whole.without(whole) == ()
