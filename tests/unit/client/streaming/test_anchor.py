import numpy as np

from client.streaming.anchors import Anchor
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


def test_what_is_without_another_is_cut_into_parts_that_do_not_overlap() -> None:
    whole, hole = Anchor.square(ColumnPos(0, 0), 2), Anchor(ColumnPos(-1, 0), ColumnPos(7, 1))
    parts = [tuple(column) for part in whole.without(hole) for column in part.columns().tolist()]
    assert len(parts) == len(set(parts)) == 25 - 8
    assert not hole.holds(np.array(parts, np.int32)).any()
    assert whole.without(whole) == ()
