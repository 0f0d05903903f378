"""The sample module is real code: it keeps its promises."""

import pytest

from net.space.positions import BlockPos
from tests.support.data.sample_module import Hit, first_hit


def test_a_ray_stops_at_the_first_block_that_stops_it() -> None:
    wall = {BlockPos(3, 0, 0), BlockPos(5, 0, 0)}
    assert first_hit((0.5, 0.5, 0.5), (1.0, 0.0, 0.0), wall.__contains__) == Hit(BlockPos(3, 0, 0), 2.5)


def test_the_block_around_the_eye_does_not_count() -> None:
    assert first_hit((0.5, 0.5, 0.5), (0.0, 1.0, 0.0), {BlockPos(0, 0, 0)}.__contains__) is None


def test_a_ray_goes_through_no_corner_unseen() -> None:
    stops = {BlockPos(-2, 0, -1), BlockPos(-1, 0, -2)}
    hit = first_hit((0.5, 0.5, 0.4), (-1.0, 0.0, -1.0), stops.__contains__)
    assert hit is not None
    assert hit.block in stops


def test_a_direction_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="no length"):
        first_hit((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), lambda _: True)
