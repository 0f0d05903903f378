"""How soon places are needed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from net.interest import Looker, Weights, need

AT_ORIGIN = Looker((0.5, 0.5, 0.5))
SOUTH = Looker((0.5, 0.5, 0.5), (0.0, 0.0, 1.0))


def needs(places: list[tuple[int, int, int]], looker: Looker, weights: Weights | None = None) -> list[float]:
    return need(np.array(places, np.int32).reshape(-1, 3), looker, weights).tolist()


def test_the_own_place_is_needed_most() -> None:
    assert needs([(0, 0, 0)], AT_ORIGIN) == [0.0]


def test_near_comes_before_far() -> None:
    near, far = needs([(6, 0, 0), (9, 0, 0)], AT_ORIGIN)
    assert near < far


def test_what_is_looked_at_comes_before_what_lies_behind() -> None:
    ahead, behind = needs([(0, 0, 8), (0, 0, -8)], SOUTH)
    assert ahead < behind


def test_inside_the_ticking_area_the_look_does_not_count() -> None:
    ahead, behind = needs([(0, 0, 3), (0, 0, -3)], SOUTH)
    assert ahead == behind


def test_no_places_need_nothing() -> None:
    assert needs([], SOUTH) == []


positions = st.tuples(st.integers(-40, 40), st.integers(-4, 19), st.integers(-40, 40))


@given(st.lists(positions, min_size=2, max_size=30), st.floats(-3.1, 3.1))
def test_the_ticking_area_comes_first_whatever_the_look(places: list[tuple[int, int, int]], yaw: float) -> None:
    looker = Looker((0.5, 4.5, 0.5), (float(np.sin(yaw)), 0.0, float(np.cos(yaw))))
    numbers = needs(places, looker)
    inside = [n for (x, _, z), n in zip(places, numbers, strict=True) if max(abs(x), abs(z)) <= 4]
    outside = [n for (x, _, z), n in zip(places, numbers, strict=True) if max(abs(x), abs(z)) > 4]
    assert max(inside, default=0.0) < min(outside, default=np.inf)
    assert all(n >= 0 for n in numbers)
