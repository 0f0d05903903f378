"""Swatches: none looks like another state's, each stands out, and imgui gets each once."""

import numpy as np
import pytest

from client.world.lifecycle import SubChunkState
from render.overlays.requests import PRIORITY_STYLES as PRIORITY
from render.overlays.states import PAINTED
from render.overlays.states import PALETTE_STYLES as PALETTE
from render.overlays.visibility import REACHED, UNREACHED
from render.panels.swatch import SWATCH_PX, Swatches, plate_of, swatch
from render.passes.overlay.boxes import HANGING, STYLES, WAITING, Hatch, Outline, Style


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
    style = STYLES[SubChunkState.REFUSED]
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
    for line in (Outline.CORNERS, Outline.DOTTED):
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


def test_a_black_swatch_has_a_rim_that_is_seen() -> None:
    black = swatch(Style("0", (0.0, 0.0, 0.0), Outline.NONE, Hatch.NONE, 0.0, 1.0))
    edge = np.concatenate([black[0], black[-1], black[:, 0], black[:, -1]])[:, :3]
    assert edge.min() > 100
    assert black[1:-1, 1:-1, :3].max() == 0
    bright = Style("15", (1.0, 1.0, 1.0), Outline.NONE, Hatch.NONE, 0.0, 1.0)
    assert swatch(bright).min() == 255, "one that is seen needs none"
