"""States are told apart by shape, not by colour alone."""

from client.world.lifecycle import PLACEHOLDER_STATES, Knowledge
from render.overlays.states import PAINTED
from render.passes.overlay.boxes import STYLES, UNLIT, Hatch, Line


def test_every_state_but_outside_has_a_style_of_its_own_shape() -> None:
    assert set(STYLES) == set(Knowledge) - {Knowledge.OUTSIDE}
    shapes = [(style.line, style.hatch) for style in PAINTED]
    assert len(set(shapes)) == len(shapes)
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)


def test_what_is_not_lit_stands_out_from_black_and_from_received() -> None:
    assert max(UNLIT.colour) == 1.0
    assert UNLIT.line is Line.HEAVY
    assert max(abs(a - b) for a, b in zip(UNLIT.colour, STYLES[Knowledge.DATA].colour, strict=True)) > 0.3


def test_placeholders_are_hatched_and_air_and_data_are_not() -> None:
    assert all(STYLES[state].hatch is not Hatch.NONE for state in PLACEHOLDER_STATES)
    for state in (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR, Knowledge.DATA):
        assert STYLES[state].hatch is Hatch.NONE
    assert STYLES[Knowledge.ALL_AIR].line is Line.DOTTED
