"""What the crosshair is on."""

from itertools import pairwise

import numpy as np

from client.player import Eye, View
from net.space.dimensions import OVERWORLD
from net.space.positions import BlockPos
from render.viewer.picking import aimed_at, blocks_along, column_ahead, faced


def test_the_first_block_in_the_way_is_aimed_at() -> None:
    view = View(Eye(0.5, 10.5, 0.5), 0.0, 90.0)
    assert aimed_at(view, lambda block: block.y > 3) == BlockPos(0, 3, 0)
    assert aimed_at(view, lambda _block: True) is None


def test_the_block_before_the_face_that_is_seen_is_the_last_free_one() -> None:
    view = View(Eye(0.5, 10.5, 0.5), 0.0, 90.0)
    assert faced(view, lambda block: block.y > 3) == (BlockPos(0, 3, 0), BlockPos(0, 4, 0))
    assert faced(view, lambda _block: False) == (BlockPos(0, 10, 0), None), "from within a block no face is seen"
    assert faced(view, lambda _block: True) is None


def test_blocks_follow_each_other_by_their_sides() -> None:
    blocks = list(blocks_along(View(Eye(0.5, 0.5, 0.5), 33.0, 21.0)))
    assert len(blocks) > 256
    assert all(sum(abs(a - b) for a, b in zip(one, two, strict=True)) == 1 for one, two in pairwise(blocks))


def test_the_first_of_some_columns_that_a_look_comes_into_is_ahead() -> None:
    columns = np.array([(3, 0), (2, 0), (-1, 0)], np.int32)
    east, down = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    assert column_ahead((4.5, 70.5, 8.5), east, columns, OVERWORLD) == (BlockPos(32, 70, 8), 27.5)
    assert column_ahead((40.5, 70.5, 8.5), east, columns, OVERWORLD) == (BlockPos(40, 70, 8), 0.0), "it is in one"
    assert column_ahead((70.5, 70.5, 8.5), east, columns, OVERWORLD) is None, "all lie behind"
    assert column_ahead((4.5, 70.5, 24.5), east, columns, OVERWORLD) is None, "beside all of them"
    assert column_ahead((4.5, 330.5, 8.5), east, columns, OVERWORLD) is None, "over their roof"
    assert column_ahead((40.5, 330.0, 8.5), down, columns, OVERWORLD) == (BlockPos(40, 319, 8), 10.0)
    assert column_ahead((4.5, 70.5, 8.5), east, columns[:0], OVERWORLD) is None
