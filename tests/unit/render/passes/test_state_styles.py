"""States are told apart by shape, not by colour alone."""

from client.world.lifecycle import PLACEHOLDER_STATES, Knowledge
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
