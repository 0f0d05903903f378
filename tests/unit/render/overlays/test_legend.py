"""Legends in words: a section for every overlay that is on, its rows with counts and shapes."""

from client.world.lifecycle import Knowledge
from render.overlays.gpu import CHANNELS_ROWS as ROWS_OF_CHANNELS
from render.overlays.marks import LegendRow
from render.overlays.registry import sections_of, text_of
from render.passes.overlay.boxes import STYLES

ROWS = (LegendRow(STYLES[Knowledge.REFUSED], 7), LegendRow(STYLES[Knowledge.DATA], 0))


def test_sections_are_those_of_overlays_that_are_on_and_have_a_legend() -> None:
    asked = []

    def legend(name: str) -> tuple[LegendRow, ...]:
        asked.append(name)
        return ROWS if name == "states" else ()

    (section,) = sections_of({"xray-air", "states"}, legend)
    assert (section.name, section.rows) == ("states", ROWS)
    assert section.title == "states: the state of every sub-chunk"
    assert asked == ["states", "xray-air"]


def test_rows_say_label_shape_and_count() -> None:
    assert text_of(ROWS[0]) == "refused by the server: 7 (big X, heavy outline)"


def test_a_plain_colour_has_no_shape_to_be_told() -> None:
    (row, *_) = ROWS_OF_CHANNELS["channel-depth"]
    assert text_of(row) == "1 blocks"
