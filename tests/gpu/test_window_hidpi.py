"""Displays that want larger text: the window, what is written in it, and where the mouse is, at 1.25 and at 2."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.window.process import viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.gpu

SMALL = ("--size", "640x400", "--radius", "2", "--at", "0,-50,0", "--look", "0,-89", "--time", "18000")
"""Looking at the sky by night: what is bright is text."""


def text_px(picture: np.ndarray) -> int:
    """How high the text in a window's upper left corner is, from its first line to its last."""
    rows = np.flatnonzero((picture[:, : picture.shape[1] // 3].min(axis=2) > 140).any(axis=1))
    return int(np.ptp(rows))


def written(display: Screen, folder: Path, scale: float) -> int:
    """How high the numbers are in a window on a display of so many times 96 dots; all else is as it should be."""
    size = (round(640 * scale), round(400 * scale))
    with viewer(display, folder, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        geometry = dict(line.split("=") for line in display.do("getwindowgeometry", "--shell", number).splitlines())
        assert (int(geometry["WIDTH"]), int(geometry["HEIGHT"])) == size
        height = text_px(display.picture()[: size[1], : size[0]])
        after = running.count
        display.do("key", "--window", number, "F2")
        with Image.open(running.wait("picture", after)["path"]) as picture:
            assert picture.size == size
        display.do("key", "--window", number, "F7")
        running.wait("panels", on=True)
        display.do("mousemove", "--window", number, str(round(30 * scale)), str(round(9 * scale)))
        display.do("click", "1")  # the menu's first entry, where it is at this scale
        after = running.count
        display.do("key", "--window", number, "F7")
        running.wait("panels", after, on=False)
        display.ask_to_close(number)
        assert (running.end(), running.said) == (0, "")
    return height


def test_everything_grows_with_what_the_display_asks_for(tmp_path: Path) -> None:
    heights = []
    for number, scale in enumerate((1.0, 1.25, 2.0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with screen() as display:
            display.ask_for_dots(96 * scale)
            heights.append(written(display, folder, scale))
    assert heights[1] == pytest.approx(1.25 * heights[0], rel=0.08)
    assert heights[2] == pytest.approx(2.0 * heights[0], rel=0.08)
