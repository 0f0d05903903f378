"""Lines as arrays: what a box's edges are, and what the GPU gets of a line."""

import numpy as np

from render.passes.overlay.lines import FRACTION, Lines, box_edges, no_lines, packed


def test_a_box_has_twelve_edges_of_its_own_sizes_and_each_corner_ends_three() -> None:
    begins, ends = box_edges(np.array([[1, 2, 3]]), np.array([[2, 4, 6]]))
    assert sorted(np.linalg.norm(ends - begins, axis=1)) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    corners, times = np.unique(np.concatenate([begins, ends]), axis=0, return_counts=True)
    assert len(corners) == 8
    assert set(times) == {3}
    assert np.isin(corners[:, 1], (2, 4)).all()


def test_edges_of_many_boxes_come_box_by_box() -> None:
    lows = np.array([[0, 0, 0], [-32, 16, 5]])
    both = box_edges(lows, lows + 16)
    for box, low in enumerate(lows):
        one = box_edges(low[None], low[None] + 16)
        for part, whole in zip(one, both, strict=True):
            assert np.array_equal(part, whole[12 * box : 12 * box + 12])


def test_ends_are_counted_from_the_eyes_block_so_that_far_out_no_bit_is_lost() -> None:
    far = np.array([30_000_000.25, 64.5, -30_000_000.75])
    row = packed(Lines.of(far[None], far[None] + 1, (1, 2, 3, 255)), (30_000_000, 64, -30_000_001))
    assert row[0, 0:3].view(np.float32).tolist() == [0.25, 0.5, 0.25]
    assert row[0, 4:7].view(np.float32).tolist() == [1.25, 1.5, 1.25]


def test_tone_width_and_dash_are_packed_beside_the_ends() -> None:
    row = packed(Lines.of(np.zeros((1, 3)), np.ones((1, 3)), (255, 128, 1, 200), 2.5, 0.75), (0, 0, 0))
    assert row[0, 3:4].view(np.uint8).tolist() == [255, 128, 1, 200]
    assert row[0, 7] == round(2.5 * FRACTION) | round(0.75 * FRACTION) << 16


def test_what_is_too_wide_is_as_wide_as_can_be_told() -> None:
    row = packed(Lines.of(np.zeros((1, 3)), np.ones((1, 3)), (0, 0, 0, 0), 1e9, 1e9), (0, 0, 0))
    assert row[0, 7:8].view(np.uint32)[0] == 0xFFFFFFFF


def test_joined_lines_come_one_behind_the_other() -> None:
    one = Lines.of(np.zeros((2, 3)), np.ones((2, 3)), (1, 1, 1, 1), 3.0)
    other = Lines.of(np.ones((1, 3)), np.zeros((1, 3)), (2, 2, 2, 2), 4.0, 1.0)
    both = no_lines() + one + other
    assert len(both) == 3
    assert np.array_equal(packed(both, (0, 0, 0)), np.concatenate([packed(one, (0, 0, 0)), packed(other, (0, 0, 0))]))
