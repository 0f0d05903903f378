"""Where the arms of the crosshair lie."""

import pytest

from render.viewer.display.captions import arms_of


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("size", [(1280, 720), (320, 180)])
def test_arms_lie_around_the_middle_and_leave_it_free(size: tuple[int, int], scale: float) -> None:
    left, right, lower, upper = arms_of(size, scale)
    x, y = size[0] // 2, size[1] // 2
    assert left.x + left.width < x < right.x
    assert lower.y + lower.height < y < upper.y
    assert x - left.x == right.x + right.width - x == y - lower.y == upper.y + upper.height - y
    assert {left.y, right.y} == {y - left.height // 2}
    assert {lower.x, upper.x} == {x - lower.width // 2}
    assert left.width == upper.height >= 8 * scale


def test_it_grows_with_the_scale() -> None:
    assert arms_of((1280, 720), 2.0)[0].width == 2 * arms_of((1280, 720), 1.0)[0].width
