"""The legend on the screen: as many rows as there is room for, and a swatch that no other state has."""

import numpy as np
import pytest

from client.world.lifecycle import Knowledge
from render.overlays.marks import LegendRow
from render.overlays.registry import Section, text_of
from render.overlays.requests import PRIORITY_STYLES as PRIORITY
from render.overlays.states import PAINTED
from render.overlays.states import PALETTE_STYLES as PALETTE
from render.overlays.visibility import REACHED, UNREACHED
from render.passes.overlay.boxes import HANGING, STYLES, WAITING, Hatch, Line, Style
from render.viewer.display.legend import SWATCH_PX, Swatches, entries_of, legend_title, plate_of, swatch

ROWS = (LegendRow(STYLES[Knowledge.REFUSED], 7), LegendRow(STYLES[Knowledge.DATA], 0))


def test_a_legend_without_room_leaves_out_what_there_is_none_of_then_says_how_much_is_missing() -> None:
    sections = (Section("states", "states: of all", ROWS), Section("age", "age: seconds", ROWS))
    seven, none = map(text_of, ROWS)
    assert [text for text, _ in entries_of(sections, "more", 7)] == [
        "more", "states: of all", seven, none, "age: seconds", seven, none,
    ]  # fmt: skip
    assert [text for text, _ in entries_of(sections, "", 5)] == ["states: of all", seven, "age: seconds", seven]
    assert [text for text, _ in entries_of(sections, "", 3)] == [
        "states: of all", seven, "and 2 lines more: the panel Legend has all",
    ]  # fmt: skip
    assert entries_of(sections, "", 0) == []


def test_swatches_differ_without_their_colours() -> None:
    shapes = {}
    for style in (*PAINTED, HANGING, WAITING):
        picture = swatch(style)
        assert picture.shape == (SWATCH_PX, SWATCH_PX, 4)
        shapes[style.label] = np.abs(picture[..., :3].astype(int) - plate_of(style)).max(axis=2) > 8
    states = list(shapes)
    for k, state in enumerate(states):
        for other in states[:k]:
            assert (shapes[state] != shapes[other]).mean() > 0.04, f"{state} looks like {other}"


def test_swatches_show_the_overlays_colour() -> None:
    style = STYLES[Knowledge.REFUSED]
    brightest = swatch(style)[0, 0, :3]
    assert np.allclose(brightest, np.array(style.colour) * 255, atol=1)


@pytest.mark.parametrize("side_px", [16, SWATCH_PX, 44])
def test_a_swatch_stands_out_from_its_plate_at_every_size(side_px: int) -> None:
    luma = np.array([0.299, 0.587, 0.114])
    for style in (*PAINTED, *PALETTE, *PRIORITY, REACHED, UNREACHED):
        picture = swatch(style, side_px)[..., :3]
        assert picture.shape == (side_px, side_px, 3)
        away = np.abs((picture.astype(float) - plate_of(style)) @ luma)
        assert (away > 40).mean() > 0.1, style.label


def test_corners_and_dots_are_wider_than_a_pixel_in_a_small_window() -> None:
    for line in (Line.CORNERS, Line.DOTTED):
        style = Style("some", (1.0, 1.0, 1.0), line, Hatch.NONE, 0.0)
        lit = swatch(style, 16)[..., 0] == 255
        assert lit[0, 2:-2].any(), line.name
        assert lit[1, 2:-2].any(), line.name


def test_a_swatch_is_given_to_imgui_once() -> None:
    given: list[str] = []

    def show(name: str, picture: np.ndarray) -> int:
        given.append(name)
        return len(given)

    swatches, first, second = Swatches(), PAINTED[0], PAINTED[1]
    styles: list[Style] = [first, second, first]
    assert [swatches.of(style, show) for style in styles] == [1, 2, 1]
    assert len(set(given)) == 2


def test_what_is_added_tells_of_pins_and_stale_columns_where_there_are_any() -> None:
    assert legend_title((), 0, 0) == ""
    assert legend_title((), 2, 14) == "2 pinned · 14 columns stale (a ring)"


def test_a_legend_that_counts_says_of_what() -> None:
    counted, plain = Section("states", "", ROWS), Section("depth", "", (LegendRow(STYLES[Knowledge.DATA], None),))
    assert legend_title((counted,), 1, 0) == "counts of the columns around you · 1 pinned"
    assert legend_title((plain,), 0, 0) == ""


def test_a_black_swatch_has_a_rim_that_is_seen() -> None:
    black = swatch(Style("0", (0.0, 0.0, 0.0), Line.NONE, Hatch.NONE, 0.0, 1.0))
    edge = np.concatenate([black[0], black[-1], black[:, 0], black[:, -1]])[:, :3]
    assert edge.min() > 100
    assert black[1:-1, 1:-1, :3].max() == 0
    bright = Style("15", (1.0, 1.0, 1.0), Line.NONE, Hatch.NONE, 0.0, 1.0)
    assert swatch(bright).min() == 255, "one that is seen needs none"
