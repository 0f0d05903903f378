"""Every overlay that has a name is drawn by exactly one, has a letter of its own, an action, and a word for people.

Legends in words: a section for every overlay that is on, its rows with counts and shapes.

Surface legends: What facts of surfaces mean: each has a legend, levels and counts grow brighter, digits are those of
our font.
"""

import numpy as np
import pytest

import render.overlays.painter  # noqa: F401 it registers every overlay
from client.world.lifecycle import SubChunkState
from render.materials.paint_devices import number_mask
from render.overlays import states
from render.overlays.facts import BrickFacts
from render.overlays.legend import (
    OverlayLegend,
    colour_name,
    entries_of,
    legend_title,
    sections_of,
    text_of,
)
from render.overlays.light import TOLD
from render.overlays.overlay import REGISTRY, LegendRow
from render.passes.overlay.boxes import STYLES
from render.passes.overlay.surface_channels import (
    MOST_OVERDRAW,
    OVERDRAW_STEP,
    SURFACES,
    XRAYS,
    block_colour,
    depth_grey,
    digit_bits,
    level_ramp,
    overdraw_colour,
    traits_of,
)
from render.settings.actions import Action, ActionGroup, actions_of
from render.settings.overlays import OVERLAYS, unknown_overlay
from tests.support.worlds.blocks import FakeState
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

# ---------------------------------------------------------------- registry


def _legend(name: str) -> tuple[LegendRow, ...]:
    return REGISTRY[name].make(given_facts(np.zeros((0, 3)))).legend


def test_every_name_has_marks_or_a_legend_and_nothing_without_a_name_has() -> None:
    assert set(REGISTRY) == set(OVERLAYS)
    assert [name for name in XRAYS if not REGISTRY[name].make(given_facts(np.zeros((0, 3)))).legend] == []


def test_every_overlay_has_a_letter_of_its_own_and_an_action() -> None:
    letters = {overlay.letter for overlay in OVERLAYS.values()}
    assert len(letters) == len(OVERLAYS)
    assert all(len(letter) == 1 and letter.isascii() and letter.isalnum() for letter in letters)
    assert {action.value: action.overlay for action in actions_of(ActionGroup.OVERLAYS)} == {
        name.replace("-", "_").replace("=", "_"): name for name in OVERLAYS
    }
    assert all(overlay.action.means == overlay.title for overlay in OVERLAYS.values())
    assert Action("states").overlay == "states"


def test_an_unknown_name_gets_the_nearest() -> None:
    assert "(did you mean 'states'?)" in unknown_overlay("stats")
    assert all(name in unknown_overlay("?") for name in OVERLAYS)


# ---------------------------------------------------------------- legend

ROWS = (LegendRow(STYLES[SubChunkState.REFUSED], 7), LegendRow(STYLES[SubChunkState.DATA], 0))


def test_sections_are_those_of_overlays_that_are_on_and_have_a_legend() -> None:
    asked = []

    def legend(name: str) -> tuple[LegendRow, ...]:
        asked.append(name)
        return ROWS if name == "states" else ()

    (section,) = sections_of({"xray-air", "states"}, legend)
    assert (section.name, section.rows) == ("states", ROWS[:1]), "there is not one of the other"
    assert section.title == f"states: {OVERLAYS['states'].title}"
    assert asked == ["states", "xray-air"]


def test_colours_of_faults_have_the_names_that_people_use() -> None:
    found = [colour_name(style) for style in (states.REFUSED, states.UNDECODABLE, states.UNSENT)]
    assert found == ["orange", "red", "purple"]


def test_rows_say_label_shape_and_count() -> None:
    assert text_of(ROWS[0]) == "refused by the server: 7 (big X, heavy outline)"


def test_a_plain_colour_has_no_shape_to_be_told() -> None:
    (row, *_) = _legend("channel-depth")
    assert text_of(row) == "1 block"


# ---------------------------------------------------------------- surface legends

BRIGHTNESS = np.array([0.299, 0.587, 0.114])


@pytest.mark.parametrize("name", SURFACES)
def test_every_fact_of_surfaces_is_an_overlay_with_a_legend(name: str) -> None:
    assert name in OVERLAYS
    rows = REGISTRY[name].make(given_facts(np.zeros((0, 3)))).legend
    assert rows
    assert len({row.style.label for row in rows}) == len(rows)


def test_levels_grow_brighter_by_steps_that_can_be_told() -> None:
    steps = np.diff(level_ramp().astype(float) @ BRIGHTNESS)
    assert steps.min() > 4
    assert TOLD[0] == 0
    assert TOLD[-1] == 15


def test_overdraw_grows_brighter_and_its_count_can_be_read_back() -> None:
    colours = np.array([overdraw_colour(count) for count in range(MOST_OVERDRAW + 1)])
    assert (np.diff(colours @ BRIGHTNESS) > 0).all()
    assert (colours[:, 2] // OVERDRAW_STEP[2] == np.arange(MOST_OVERDRAW + 1)).all()


def test_near_is_brighter_than_far() -> None:
    greys = [depth_grey(far) for far in (0.0, 1.0, 8.0, 64.0, 512.0, 1e6)]
    assert greys == sorted(greys, reverse=True)
    assert (greys[0], greys[-1]) == (255, 25)


@pytest.mark.parametrize("digit", range(10))
def test_digits_are_those_of_the_font(digit: int) -> None:
    bits = digit_bits(digit)
    mask = np.array([[bits >> (row * 3 + column) & 1 for column in range(3)] for row in range(5)], bool)
    assert (mask == number_mask(digit)).all()


def test_a_states_colour_follows_from_its_words_alone() -> None:
    states = (FakeState("minecraft:air"), FakeState("minecraft:log", (("axis", "y"), ("age", 1))))
    traits = traits_of(states, np.array([0, 0x0A5F, 7], np.uint16))
    red, green, blue = block_colour("minecraft:log", '{"age": 1, "axis": "y"}')
    assert traits[1].tolist() == [red | green << 8 | blue << 16, 0x0A5F]
    assert traits.shape == (2, 2)
    assert min(red, green, blue) >= 64


def test_blocks_that_differ_in_the_mirror_have_a_box_each() -> None:
    held = BrickFacts(5, 4, 3, 2, np.array([[1, 2, 3], [-7, 64, 9]], np.int32))
    marks = REGISTRY["mirror"].make(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(held=held)))
    assert [row.count for row in marks.legend] == [5, 4, 3, 2, 2]
    assert (marks.boxes.sizes == 1).all()
    assert sorted(marks.boxes.lows.tolist()) == [[-7, 64, 9], [1, 2, 3]]


def test_channels_say_what_their_colours_mean_and_count_nothing() -> None:
    channels = {name for name in OVERLAYS if name.startswith("channel-")}
    assert channels == {name for name in SURFACES if name.startswith("channel-")}
    assert all(row.count is None for name in channels for row in _legend(name))


def test_every_way_that_a_side_looks_has_its_colour_the_crossed_sides_of_plants_too() -> None:
    diagonal = 0.5**0.5
    level = ((1, 0), (-1, 0), (0, 1), (0, -1), *((x, z) for x in (diagonal, -diagonal) for z in (diagonal, -diagonal)))
    ways = np.array([(0, 1, 0), (0, -1, 0), *((x, 0, z) for x, z in level)])
    shown = {tuple(tone) for tone in np.floor((ways * 0.5 + 0.5) * 255 + 0.5).astype(int).tolist()}
    told = {tuple(round(255 * part) for part in row.style.colour) for row in _legend("channel-normal")}
    assert told == shown


# ---------------------------------------------------------------- legend in the picture

ROWS = (LegendRow(STYLES[SubChunkState.REFUSED], 7), LegendRow(STYLES[SubChunkState.DATA], 0))


def test_a_legend_without_room_says_how_much_is_missing_and_one_without_marks_that_nothing_was_found() -> None:
    sections = (OverlayLegend("states", "states: of all", ROWS[:1]), OverlayLegend("age", "age: seconds", ()))
    seven = text_of(ROWS[0])
    assert [text for text, _ in entries_of(sections, "more", 5)] == [
        "more", "states: of all", seven, "age: seconds", "none found",
    ]  # fmt: skip
    assert [text for text, _ in entries_of(sections, "", 3)] == [
        "states: of all", seven, "and 2 more lines: the panel Legend lists all",
    ]  # fmt: skip
    assert entries_of(sections, "", 0) == []


def test_what_is_added_tells_of_pins_and_stale_columns_where_there_are_any() -> None:
    assert legend_title((), 0, 0) == ""
    assert legend_title((), 2, 1_400) == "2 pinned · 1,400 stale columns (a ring)"
    assert legend_title((), 0, 1) == "1 stale column (a ring)"


def test_a_legend_that_counts_says_of_what() -> None:
    counted, plain = (
        OverlayLegend("states", "", ROWS),
        OverlayLegend("depth", "", (LegendRow(STYLES[SubChunkState.DATA], None),)),
    )
    assert legend_title((counted,), 1, 0) == "counts of the columns around you · 1 pinned"
    assert legend_title((plain,), 0, 0) == ""
