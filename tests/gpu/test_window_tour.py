"""Everything in the window, with real keys on a virtual screen, and without a display (``support.window_tour``)."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from client.connection.opening import open_connection
from client.options import Options
from client.source import WorldFile
from render.viewer.display.panels import read_layout
from tests.support.servers.process import served
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import Screen, peer_program, screen
from tests.support.window.tour import ROOT, SIZE, Album, Event, connect, move, overlays, panels, past, picture

pytestmark = pytest.mark.gpu

XDOTOOL = {"RETURN": "Return", "ESCAPE": "Escape", "DOWN": "Down", "TAB": "Tab", "PAGEUP": "Prior", "END": "End"}
OTHER_SIZE = (700, 460)
WALKED = 6
"""Views that are told while a key is held."""
HUD_STEPS = ({"on": True, "all": True}, {"on": False}, {"on": True, "all": False})
"""What F3 shows, press after press: all numbers, nothing, three lines."""
BLACK = 8
ALIKE = 24.0
"""Of 255: mean colours of one view in windows of two shapes differed by up to 2, those of a world and black by 95."""
PICTURES = 100
"""Looked at until a world that is made anew is there; each takes some 0.3 s."""
Pixels = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


class RealKeys:
    """xdotool, and a viewer that tells what it does."""

    def __init__(self, display: Screen, running: Viewer, album: str = "window") -> None:
        self._display, self._running = display, running
        self._album = Album(album)
        self._size = SIZE
        self._after = 0

    @property
    def _window(self) -> str:
        return self._display.window("chunkscope")

    def press(self, *keys: str) -> None:
        self._after = self._running.count
        self._display.do("key", "--window", self._window, *map(named, keys))

    def hold(self, key: str, kind: str) -> None:
        self._after, window = self._running.count, self._window
        self._display.do("keydown", "--window", window, named(key))
        for _ in range(WALKED):
            self.wait(kind)
            self._after = self._running.count
        self._display.do("keyup", "--window", window, named(key))

    def turn(self) -> None:
        window = self._window
        self._display.do("mousemove", "--window", window, "400", "250", "click", "1")
        self._after = self._running.count
        for _ in range(3):  # the first move after the mouse was taken may be swallowed
            self._display.do("mousemove_relative", "--", "60", "10")

    def resize(self, size: tuple[int, int]) -> None:
        self._after, self._size = self._running.count, size
        self._display.do("windowsize", "--sync", self._window, *map(str, size))

    def wait(self, kind: str, **facts: object) -> Event:
        return self._running.wait(kind, self._after, **facts)

    def keep(self, name: str) -> None:
        if name != "screen":
            self.turn_hud()
        Image.fromarray(self.picture()).save(self._album.path(name))

    def turn_hud(self) -> None:
        """Once through all that it shows: frames more have been shown then."""
        for facts in HUD_STEPS:
            after = self._running.count
            self._display.do("key", "--window", self._window, "F3")
            self._running.wait("hud", after, **facts)

    def picture(self) -> Pixels:
        """What the window shows now, top row first, shape (height, width, 3)."""
        width, height = self._size
        return self._display.picture()[:height, :width].copy()


def named(key: str) -> str:
    """As xdotool names it."""
    return XDOTOOL.get(key) or (key if key.startswith("F") and key[1:] else key.replace("_", "").lower())


@pytest.fixture(scope="module")
def hand(display: Screen, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKeys]:
    """A window that joined the LAN's server; its user closes it after the last test."""
    folder = tmp_path_factory.mktemp("tour")
    file = folder / "config.toml"
    file.write_text("")  # no first start, where F3 shows the numbers instead of hiding them
    with served("hills") as server:
        lan = ("--lan-port", str(server.port), "--discovery-port", "0")
        options = ("--connect", *lan, "--size", f"{SIZE[0]}x{SIZE[1]}", "--radius", "3", "--no-cache")
        with viewer(display, folder, *options, CHUNKSCOPE_CONFIG=str(file)) as running:
            made = RealKeys(display, running)
            connect(made)
            yield made
            display.ask_to_close(display.window("chunkscope"))
            assert running.end() == 0
            assert running.said == ""


def test_a_person_looks_walks_and_shows_each_overlay(hand: RealKeys) -> None:
    move(hand)
    overlays(hand)


def test_a_person_opens_each_panel_and_saves_the_past(hand: RealKeys) -> None:
    panels(hand)
    assert_opens(past(hand))


def test_another_size_shows_the_same_view(hand: RealKeys) -> None:
    with Image.open(picture(hand)) as taken:
        assert taken.size == SIZE
        before = np.asarray(taken.convert("RGB"))
    look_back_and_return(hand)
    hand.resize(OTHER_SIZE)
    hand.wait("size", px=list(OTHER_SIZE))
    wait_for_same_view(hand, before)
    hand.keep("resized")
    screen_picture, resized = map(_picture, ("01-screen", "*-resized"))
    assert (screen_picture.shape[1::-1], resized.shape[1::-1]) == (SIZE, OTHER_SIZE)


def look_back_and_return(hand: RealKeys) -> None:
    """The world is made anew then, mesh by mesh (``wait_for_same_view``)."""
    hand.press("P")
    hand.wait("time")
    hand.wait("rest")
    hand.press("END")
    hand.wait("time", said="This is the live session.")


def wait_for_same_view(hand: RealKeys, before: Pixels) -> None:
    """Below the text both show the same world: no picture is black, and their colours are alike."""
    for _ in range(PICTURES):
        hand.turn_hud()
        differences = view_differences(before, hand.picture())
        if not differences:
            return
    raise AssertionError(differences)


def view_differences(before: Pixels, after: Pixels) -> str:
    lower = [picture[len(picture) // 3 :].astype(float) for picture in (before, after)]
    black = [float((picture.max(axis=2) < BLACK).mean()) for picture in lower]
    means = [picture.mean(axis=(0, 1)) for picture in lower]
    alike = abs(black[0] - black[1]) < 0.1 and np.abs(means[0] - means[1]).max() < ALIKE
    return "" if alike else f"shares of black pixels before and after: {black}; mean colours: {means}"


def test_a_french_keyboard_and_larger_text(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text('[keys]\npreset = "azerty"\n')
    with screen() as french:  # of its own: the layout is the display's
        subprocess.run([peer_program("setxkbmap"), "fr"], env=french.environment, check=True)
        options = ("embedded:flat", "--size", f"{SIZE[0]}x{SIZE[1]}", "--radius", "2", "--no-cache")
        with viewer(french, tmp_path, *options, CHUNKSCOPE_CONFIG=str(settings), CHUNKSCOPE_SCALE="1.25") as running:
            hand = RealKeys(french, running, "french")
            hand.wait("settled")
            hand.press("O")
            for key, name in (("ampersand", "light-r"), ("eacute", "light-g"), ("minus", "channel-normal")):
                for on in (True, False):
                    hand.press(key)
                    hand.wait("overlay", name=name, on=on)
            hand.keep("list")
            hand.press("O", "F7")
            hand.wait("panels", on=True)
            hand.press("ctrl+egrave", "TAB")
            hand.wait("panels", keys=False)
            hand.keep("settings")
            french.ask_to_close(french.window("chunkscope"))
            assert running.end() == 0
            assert running.said == ""
    layout = read_layout(tmp_path / "panels.ini")
    assert layout.opened is not None
    assert "settings" in layout.opened, "the next start opens it again"


@pytest.mark.nightly
def test_the_same_without_a_display(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.window.headless", "tour", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "leaked" not in done.stderr + done.stdout
    assert_opens(next((tmp_path / "shots").glob("past-*.cscope")))


def assert_opens(saved: Path) -> None:
    """A saved past is a recording with a world in it."""
    with open_connection(WorldFile(saved), Options(light=False)) as again:
        again.wait_settled()
        assert again.states()["data"] > 100


def _picture(pattern: str) -> Pixels:
    with Image.open(next((ROOT / "window").glob(f"{pattern}.png"))) as picture:
        return np.asarray(picture.convert("RGB"))
