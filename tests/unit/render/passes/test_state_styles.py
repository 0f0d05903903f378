"""States are told apart by shape, not by colour alone."""

import numpy as np

from client.world.lifecycle import PLACEHOLDER_STATES, Knowledge
from render.passes import overlays
from render.passes.state_styles import STYLES, Hatch, Line


def test_every_state_but_outside_has_a_style_of_its_own_shape() -> None:
    assert set(STYLES) == set(Knowledge) - {Knowledge.OUTSIDE}
    shapes = [(style.line, style.hatch) for style in STYLES.values()]
    assert len(set(shapes)) == len(shapes)
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)


def test_placeholders_are_hatched_and_air_and_data_are_not() -> None:
    assert all(STYLES[state].hatch is not Hatch.NONE for state in PLACEHOLDER_STATES)
    for state in (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR, Knowledge.DATA):
        assert STYLES[state].hatch is Hatch.NONE
    assert STYLES[Knowledge.ALL_AIR].line is Line.DOTTED


def test_boxes_stand_far_to_near_whatever_the_order_given() -> None:
    rng = np.random.default_rng(2)
    positions = rng.integers(-5, 5, (200, 3)).astype(np.int32)
    positions = np.unique(positions, axis=0)
    states = (np.abs(positions).sum(axis=1) % 10).astype(np.uint8)
    states[3] = Knowledge.OUTSIDE
    eye = (8.0, 8.0, 8.0)
    made = overlays.boxes(positions, states, eye)
    order = rng.permutation(len(positions))
    assert np.array_equal(overlays.boxes(positions[order], states[order], eye), made)
    assert len(made) == len(positions) - 1
    distance = ((made[:, :3] * 16.0) ** 2).sum(axis=1)
    assert (np.diff(distance) <= 0).all()


def test_the_legend_names_every_box() -> None:
    assert [state for state, _, _ in overlays.legend()] == list(STYLES)
