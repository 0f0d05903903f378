"""States are told apart by shape, not by colour alone."""

import re

import numpy as np
import pytest

import shaders
from client.world.lifecycle import PLACEHOLDER_STATES, Knowledge
from render.passes import overlays
from render.passes.state_styles import STYLES, Hatch, Line, defines


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


@pytest.mark.parametrize("state", list(STYLES))
def test_the_shader_is_given_a_state_by_its_own_number_with_its_paint(state: Knowledge) -> None:
    look, style = int(overlays.looks()[state]), STYLES[state]
    assert (look & 255, look >> 8 & 255, look >> 16) == (style.line, style.hatch, state)
    np.testing.assert_allclose(overlays.tones()[state], (*style.colour, style.strength))


def test_the_shader_unpacks_what_is_packed_and_knows_all_shapes_by_name() -> None:
    unpacking, painting = shaders.read("boxes.vert"), shaders.read("boxes.frag")
    for field, shift in (("line = box.w", ""), ("hatch = box.w", " >> 8"), ("tone = box.w", " >> 16")):
        assert f"{field}{shift} & 255;" in unpacking
    assert f"ring = box.w >> {overlays.STALE.bit_length() - 1} & 1;" in unpacking
    assert f"tones[{overlays.TONES}]" in painting
    assert max(STYLES) < overlays.TONES
    used = set(re.findall(r"\b(?:LINE|HATCH)_[A-Z]+", painting))
    assert used == set(defines()) - {"HATCH_NONE"}  # which paints nothing
    assert (overlays.looks()[int(Knowledge.OUTSIDE)]) == overlays.NO_BOX


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


def test_boxes_of_stale_columns_have_a_ring_besides_their_state() -> None:
    positions = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [-1, 0, 0]], np.int32)
    states = np.array([Knowledge.DATA, Knowledge.DATA, Knowledge.OUTSIDE, Knowledge.ALL_AIR], np.uint8)
    made = overlays.boxes(positions, states, (0.0, 0.0, 0.0), np.array([True, False, True, True]))
    plain = overlays.boxes(positions, states, (0.0, 0.0, 0.0))
    assert {x: look & overlays.STALE != 0 for x, _, _, look in made.tolist()} == {-1: False, 0: True, 1: False}
    assert (made[:, 3] & ~overlays.STALE).tolist() == plain[:, 3].tolist()


def test_the_legend_names_every_box() -> None:
    assert [state for state, _, _ in overlays.legend()] == list(STYLES)
