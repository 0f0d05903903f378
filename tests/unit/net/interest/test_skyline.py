"""Sky that matters for the picture, and sky that does not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from net.visibility import NO_GROUND, Skyline

RADIUS = 6
SQUARE = np.array([(x, z) for x in range(-RADIUS, RADIUS + 1) for z in range(-RADIUS, RADIUS + 1)], np.int32)


def hidden(skyline: Skyline, *places: tuple[int, int, int]) -> list[bool]:
    return skyline.hides(np.array(places, np.int32)).tolist()


def test_above_the_eye_and_all_ground_nothing_matters() -> None:
    skyline = Skyline.of(SQUARE, np.full(len(SQUARE), 3), (0.5, 5.5, 0.5))
    assert hidden(skyline, (0, 7, 0), (4, 7, 4), (4, 3, 4), (0, 5, 0)) == [True, True, False, False]


def test_a_mountain_far_out_keeps_the_sky_before_it_in_question() -> None:
    ground = np.where(SQUARE[:, 0] == RADIUS, 9, 3)
    skyline = Skyline.of(SQUARE, ground, (0.5, 5.5, 0.5))
    assert hidden(skyline, (5, 9, 0), (3, 7, 0)) == [False, False]
    assert hidden(skyline, (1, 12, 0)) == [True], "steeper than the mountain"


def test_where_no_ground_is_known_what_lies_above_the_eye_does_not_matter() -> None:
    skyline = Skyline.of(SQUARE, np.full(len(SQUARE), NO_GROUND), (0.5, 5.5, 0.5))
    assert hidden(skyline, (2, 5, 0), (2, 7, 0)) == [False, True]


@given(
    st.lists(st.integers(0, 12), min_size=len(SQUARE), max_size=len(SQUARE)),
    st.tuples(st.floats(0, 1), st.floats(0, 16), st.floats(0, 1)),
    st.integers(0, len(SQUARE) - 1),
    st.tuples(st.floats(0, 0.999), st.floats(0, 0.999), st.floats(0, 0.999)),
    st.floats(0, 1),
)
def test_no_place_on_a_line_from_the_eye_to_ground_is_hidden(
    ground: list[int],
    eye: tuple[float, float, float],
    target: int,
    inside: tuple[float, float, float],
    share: float,
) -> None:
    skyline = Skyline.of(SQUARE, np.array(ground), eye)
    x, z = SQUARE[target].tolist()
    hit = (x + inside[0], ground[target] + inside[1], z + inside[2])
    crossed = tuple(int(np.floor(a + (b - a) * share)) for a, b in zip(eye, hit, strict=True))
    assert hidden(skyline, crossed) == [False]
