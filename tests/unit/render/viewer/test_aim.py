"""What the crosshair is on."""

from itertools import pairwise

from client.player import Eye, View
from net.space.positions import BlockPos
from render.viewer.aim import aimed_at, blocks_along, faced


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
