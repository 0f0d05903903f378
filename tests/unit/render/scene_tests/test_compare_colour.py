"""Tiles of a difference."""

import numpy as np
import pytest

from render.scene_tests.compare import flip_errors, tile_means, tile_starts, worst_tile


@pytest.mark.parametrize(
    ("side", "starts"), [(1, [0]), (32, [0]), (33, [0, 1]), (64, [0, 32]), (90, [0, 32, 58]), (96, [0, 32, 64])]
)
def test_the_last_tile_is_moved_inward_not_cut(side: int, starts: list[int]) -> None:
    assert tile_starts(side) == starts


def test_the_worst_tile_is_found_where_it_is() -> None:
    errors = np.zeros((90, 70), np.float32)
    errors[70:74, 40:44] = 1.0
    tiles = tile_means(errors)
    assert tiles.shape == (3, 3)
    assert worst_tile(tiles, (70, 90)) == (pytest.approx(16 / 1024), 32, 58)


def test_a_picture_smaller_than_a_tile_is_one() -> None:
    assert tile_means(np.full((5, 7), 0.5, np.float32)).tolist() == [[0.5]]


def test_flip_errors_are_none_for_the_same_and_grow_with_the_difference() -> None:
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 200, (40, 50, 3)).astype(np.uint8)
    assert not flip_errors(picture, picture).any()
    near, far = (flip_errors(picture, picture + np.uint8(step)).mean() for step in (2, 50))
    assert 0 < near < far <= 1
