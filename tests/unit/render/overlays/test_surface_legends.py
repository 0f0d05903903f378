"""What facts of surfaces mean: each has a legend, levels and counts grow brighter, digits are those of our font."""

import numpy as np
import pytest

from render.materials.paint_devices import number_mask
from render.overlays.facts import Held
from render.overlays.gpu import CHANNELS_ROWS
from render.overlays.light import TOLD
from render.overlays.registry import REGISTRY
from render.passes.overlay.surface_channels import (
    MOST_OVERDRAW,
    OVERDRAW_STEP,
    SURFACES,
    block_colour,
    depth_grey,
    digit_bits,
    level_ramp,
    overdraw_colour,
    traits_of,
)
from render.settings.overlays import OVERLAYS
from tests.support.fake_world import FakeState
from tests.support.overlay_facts import GivenFrame, given_facts

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
    held = Held(5, 4, 3, 2, np.array([[1, 2, 3], [-7, 64, 9]], np.int32))
    marks = REGISTRY["mirror"].make(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(held=held)))
    assert [row.count for row in marks.legend] == [5, 4, 3, 2, 2]
    assert (marks.boxes.sizes == 1).all()
    assert sorted(marks.boxes.lows.tolist()) == [[-7, 64, 9], [1, 2, 3]]


def test_channels_say_what_their_colours_mean_and_count_nothing() -> None:
    assert set(CHANNELS_ROWS) == {name for name in SURFACES if name.startswith("channel-")}
    assert all(row.count is None for rows in CHANNELS_ROWS.values() for row in rows)


def test_every_way_that_a_side_looks_has_its_colour_the_crossed_sides_of_plants_too() -> None:
    diagonal = 0.5**0.5
    level = ((1, 0), (-1, 0), (0, 1), (0, -1), *((x, z) for x in (diagonal, -diagonal) for z in (diagonal, -diagonal)))
    ways = np.array([(0, 1, 0), (0, -1, 0), *((x, 0, z) for x, z in level)])
    shown = {tuple(tone) for tone in np.floor((ways * 0.5 + 0.5) * 255 + 0.5).astype(int).tolist()}
    told = {tuple(round(255 * part) for part in row.style.colour) for row in CHANNELS_ROWS["channel-normal"]}
    assert told == shown
