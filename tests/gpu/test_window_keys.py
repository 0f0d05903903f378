"""Keys that people make their own, views without perspective and full screen, by real keys on a virtual screen."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.settings import Action, load
from render.view_line import parse_view_line
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.gpu

SMALL = ("--size", "640x400", "--radius", "3")
CORNER = np.s_[10:60, 10:200]
"""Of the screen, where the numbers begin."""


@pytest.fixture(scope="module")
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


def picture_line(display: Screen, running: Viewer, number: str) -> str:
    """The view that F2 writes into its picture."""
    after = running.count
    display.do("key", "--window", number, "F2")
    with Image.open(running.wait("picture", after)["path"]) as picture:
        return str(picture.text["View"])  # type: ignore[attr-defined]


def picture_size(display: Screen, running: Viewer, number: str) -> tuple[int, int]:
    """Takes a picture; how large it is."""
    after = running.count
    display.do("key", "--window", number, "F2")
    with Image.open(running.wait("picture", after)["path"]) as picture:
        return picture.size


def test_an_action_gets_another_key_and_the_file_keeps_it(display: Screen, tmp_path: Path) -> None:
    settings = tmp_path / "settings" / "config.toml"
    with viewer(display, tmp_path, "embedded:flat", *SMALL, CHUNKSCOPE_CONFIG=str(settings)) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        display.do("key", "--window", number, "Insert")
        display.do("type", "--window", number, "walk")
        after = running.count
        display.do("key", "--window", number, "Return")
        running.wait("travel", after, said="")
        display.do("key", "--window", number, "w")
        running.wait("travel", after, said="walk: W; taken from forward, which has ↑.")
        assert load(settings).settings.keys == {Action.WALK: ("W",), Action.FORWARD: ("UP",)}
        assert "# preset = " in settings.read_text("utf-8")
        after = running.count
        display.do("key", "--window", number, "w")
        assert running.wait("travel", after)["said"] == "Walking."
        display.ask_to_close(number)
        assert running.end() == 0
        assert running.said == ""


def test_a_view_without_perspective_is_kept_in_its_picture(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        before = parse_view_line(picture_line(display, running, number))
        display.do("key", "--window", number, "x")
        assert running.wait("travel")["said"] == "Orthographic view."
        line = parse_view_line(picture_line(display, running, number))
        assert (line.at, line.look_deg, line.fov_deg, line.ortho_blocks) == (before.at, before.look_deg, None, 64.0)
        display.ask_to_close(number)
        assert running.end() == 0


def test_full_screen_shows_the_numbers_where_they_were(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        seen = display.picture()[CORNER]
        display.do("key", "F11")  # full screen is another window, which does not hear the key go up
        running.wait("size", px=[1280, 800])
        full = display.picture()[CORNER]
        after = running.count
        display.window("chunkscope")
        display.do("key", "F11")
        running.wait("size", after, px=[640, 400])
        number = display.window("chunkscope")
        assert picture_size(display, running, number) == (640, 400)
        left = display.picture()
        assert not left[420:, 660:].any(), "the screen beside the window is bare again"
        display.ask_to_close(number)
        assert running.end() == 0
        assert (np.ptp(full, axis=(0, 1)) > 150).all(), "letters on a dark panel"
        assert (full.max(axis=2) > 200).mean() == pytest.approx((seen.max(axis=2) > 200).mean(), rel=0.5)


def test_a_key_that_goes_up_elsewhere_flies_again_when_it_is_pressed_again(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        for _ in range(2):
            after = running.count
            display.do("keydown", "w")
            running.wait("view", after)
            display.do("windowfocus", "--sync", display.do("search", "--maxdepth", "0", ""))  # the root
            display.do("keyup", "w")
            display.window("chunkscope")
        display.ask_to_close(number)
        assert running.end() == 0


def test_a_window_that_is_hidden_lives_on_and_shows_the_world_again(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        before = display.picture()
        display.do("windowunmap", "--sync", number)
        assert not display.picture().any(), "nothing is on the screen"
        display.do("windowmap", "--sync", number)
        display.do("windowfocus", "--sync", number)
        assert picture_size(display, running, number) == (640, 400)
        shown = display.picture()
        assert np.abs(shown[CORNER].astype(int) - before[CORNER]).mean() < 40
        assert (shown[200:, :640].std(axis=(0, 1)) > 1).any(), "the world is drawn"
        display.ask_to_close(number)
        assert running.end() == 0
