import numpy as np

from client.streaming.anchors import Anchor, Anchors
from net.space.positions import BlockPos, ColumnPos


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
