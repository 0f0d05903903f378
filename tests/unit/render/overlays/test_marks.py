"""Heat: every step has a colour and a shape of its own, lighter as it rises; numbers fall into the step they name."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from render.overlays.marks import STEPS, heat_styles, rising, step_of

BOUNDS = (0.1, 0.5, 1.0, 2.0, 8.0)


def test_steps_differ_in_shape_and_grow_lighter() -> None:
    styles = heat_styles(rising(BOUNDS, "{:g} s".format))
    assert len({(style.hatch, style.line) for style in styles}) == len(styles) == len(STEPS)
    lightness = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (style.colour for style in styles)]
    assert lightness == sorted(lightness)


def test_steps_say_their_bounds() -> None:
    assert rising((1, 2), str) == ("under 1", "under 2", "2 or more")


@given(st.lists(st.floats(-10, 20), max_size=30))
def test_a_number_falls_into_the_first_step_whose_bound_it_is_under(numbers: list[float]) -> None:
    plain = [next((k for k, bound in enumerate(BOUNDS) if number < bound), len(BOUNDS)) for number in numbers]
    assert step_of(np.array(numbers), BOUNDS).tolist() == plain
