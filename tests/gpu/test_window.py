"""The window as a person uses it: real keys and mouse on a virtual screen, watched through the viewer's own events."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from client.options import Options
from client.player import Eye
from client.session.config import SessionConfig
from render.settings import load
from render.settings.file import default_file
from render.view_line import parse_view_line
from tests.support.servers import process
from tests.support.session.virtual import VirtualSession
from tests.support.window.process import Event, Viewer, viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.gpu

SMALL = ("--size", "640x400", "--radius", "3")
LONGEST_GAP = 0.5
"""Of the time in which modules were compiled, between two frames of the progress line; a frozen window shows none."""
COMPILED = re.compile(r"compiling kernels: (\d+) of \d+")
MODULES_SEEN = 5
FRAMES_OF_EACH = 3
"""Of the progress line while a module is compiled, in the mean over those seen: 10 were counted on a quiet machine. How
long one of them takes says nothing, since the first may be small."""


@pytest.fixture(scope="module")
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


def difference(before: np.ndarray, after: np.ndarray) -> float:
    """Share of the screen's pixels that changed visibly."""
    return float((np.abs(before.astype(int) - after).max(axis=2) > 12).mean())


def turned(event: Event) -> bool:
    return event["event"] == "view"


def test_a_person_looks_flies_and_takes_a_picture(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "embedded:hills", *SMALL) as running:
        running.wait("world")
        running.wait("settled")
        number = display.window("chunkscope")
        seen = display.picture()[:400, :640]
        assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 200, "no world in the window"

        look(display, running, number)
        fly(display, running, number)
        hide_and_show(display, running, number)
        take_picture(display, running, number)
        pin_and_let_go(display, running, number)
        use_panels(display, running, number)

        display.do("key", "--window", number, "Escape")
        display.ask_to_close(number)
        running.wait("closed")
        assert running.end() == 0
        assert running.said == ""


def look(display: Screen, running: Viewer, number: str) -> None:
    start = display.picture()
    display.do("mousemove", "--window", number, "320", "200", "click", "1")
    after = running.count
    display.do("mousemove_relative", "--", "60", "0")  # the first move after the mouse was taken may be swallowed
    display.do("mousemove_relative", "--", "60", "0")
    running.wait_for(turned, after)
    assert difference(start, display.picture()) > 0.02, "looking around changes nothing"


def fly(display: Screen, running: Viewer, number: str) -> None:
    after = running.count
    display.do("keydown", "--window", number, "w")
    first = running.wait_for(turned, after)["eye"]
    running.wait_for(lambda event: turned(event) and np.hypot(*np.subtract(event["eye"], first)[[0, 2]]) > 2.0, after)
    display.do("keyup", "--window", number, "w")
    last = [event["eye"] for event in running.events if turned(event)][-1]
    assert last[1] == first[1], "W does not climb"


def hide_and_show(display: Screen, running: Viewer, number: str) -> None:
    for on in (True, False):  # ends the card of a first start
        display.do("key", "--window", number, "F1")
        running.wait("help", on=on)
    plain = display.picture()
    display.do("key", "--window", number, "F6")
    running.wait("overlay", name="states", on=True)
    display.do("key", "--window", number, "F6")
    running.wait("overlay", name="states=all", on=True)
    boxes = display.picture()
    assert difference(plain, boxes) > 0.02, "F6 twice shows no boxes"
    display.do("key", "--window", number, "F3")
    running.wait("hud", all=True)
    display.do("key", "--window", number, "F3")
    running.wait("hud", on=False)
    assert difference(boxes, display.picture()) > 0.01, "F3 hides no HUD"
    after = running.count
    display.do("key", "--window", number, "F3")
    running.wait("hud", after, on=True, all=False)
    display.do("key", "--window", number, "F6")
    running.wait("overlay", after, on=False)


def take_picture(display: Screen, running: Viewer, number: str) -> None:
    display.do("key", "--window", number, "F2")
    path = running.wait("picture")["path"]
    with Image.open(path) as picture:
        assert picture.size == (640, 400)
        assert picture.text["View"].startswith("--at ")
        assert picture.text["Source"] == "embedded:hills:1"


def use_panels(display: Screen, running: Viewer, number: str) -> None:
    """By the keyboard, then by the mouse: a click on the menu, and one beside the panels."""
    plain, after = display.picture(), running.count
    display.do("key", "--window", number, "F7")
    running.wait("panels", after, on=True, keys=True)
    opened = display.picture()
    assert difference(plain, opened) > 0.04, "F7 opens no panels"
    display.do("key", "--window", number, "ctrl+7")  # settings
    display.do("mousemove", "--window", number, "20", "8", "click", "1")  # the menu's first: pipeline
    after = running.count
    display.do("key", "--window", number, "Tab")
    running.wait("panels", after, on=True, keys=False)
    assert difference(opened, display.picture()) > 0.01, "neither digit nor menu changes what is open"
    display.do("keydown", "--window", number, "w")
    running.wait_for(turned, after)
    display.do("keyup", "--window", number, "w")
    after = running.count
    for keys in ({"on": True, "keys": True}, {"on": False, "keys": False}):
        display.do("key", "--window", number, "F7")
        running.wait("panels", after, **keys)


def pin_and_let_go(display: Screen, running: Viewer, number: str) -> None:
    after = running.count
    display.do("key", "--window", number, "k")
    running.wait("pins", after, pinned=["pin 1"])
    after = running.count
    display.do("key", "--window", number, "l")
    assert str(running.wait("pins", after)["said"]).startswith("1 pinned: pin 1 at ")
    after = running.count
    display.do("key", "--window", number, "u")
    running.wait("pins", after, pinned=[])


def test_keys_are_listed_and_change_and_views_are_kept(display: Screen, tmp_path: Path) -> None:
    settings = tmp_path / "settings" / "config.toml"
    with viewer(display, tmp_path, "embedded:flat", *SMALL, CHUNKSCOPE_CONFIG=str(settings)) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        assert settings.read_text("utf-8") == default_file(), "a first start writes the settings"

        plain = display.picture()
        display.do("key", "--window", number, "F1")
        running.wait("help", on=True)
        assert difference(plain, display.picture()) > 0.02, "F1 lists no keys"
        display.do("key", "--window", number, "F1")
        running.wait("help", on=False)

        display.do("key", "--window", number, "F8", "F8")  # the first asks
        running.wait("preset", name="azerty")
        assert load(settings).settings.preset == "azerty"
        after = running.count
        display.do("keydown", "--window", number, "z")
        running.wait_for(turned, after)
        display.do("keyup", "--window", number, "z")

        assert ask(display, running, number, "t", "10 100 10") == "At 10,100,10."
        bookmark = ask(display, running, number, "b", "high up")
        assert bookmark.startswith("Bookmark 'high up': --at 10.000,100.000,10.000 --look ")
        ask(display, running, number, "t", "~ ~-5 ~")
        after = running.count
        display.do("key", "--window", number, "n")
        assert running.wait("travel", after)["said"] == bookmark

        after = running.count
        display.do("key", "--window", number, "F2")
        with Image.open(running.wait("picture", after)["path"]) as picture:
            line = parse_view_line(picture.text["View"])
        assert (line.at, line.dimension) == (Eye(10.0, 100.0, 10.0), 0)
        assert bookmark.endswith(str(line))

        display.do("key", "--window", number, "F4")
        running.wait_for(lambda event: turned(event) and event["eye"][1] < 99.0, after)
        display.ask_to_close(number)
        assert running.end() == 0
        assert running.said == ""


def ask(display: Screen, running: Viewer, number: str, key: str, text: str) -> str:
    """What the window says to a line that is typed after a key."""
    after = running.count
    display.do("key", "--window", number, key)
    running.wait("travel", after, said="")
    display.do("type", "--window", number, text)
    after = running.count
    display.do("key", "--window", number, "Return")
    return str(running.wait("travel", after)["said"])


def test_a_view_can_be_given_as_one_line(display: Screen, tmp_path: Path) -> None:
    line = "--at 10,100,10 --look 45,30 --fov 50 --dimension overworld"
    with viewer(display, tmp_path, "embedded:flat", *SMALL, "--view", line, "--look", "90,60") as running:
        running.wait("settled")
        number = display.window("chunkscope")
        display.do("key", "--window", number, "F2")
        with Image.open(running.wait("picture")["path"]) as picture:
            shown = picture.text["View"]
        assert shown == "--at 10.000,100.000,10.000 --look 90.00,60.00 --fov 50 --dimension overworld"
        display.ask_to_close(number)
        assert running.end() == 0


def test_a_lost_connection_leaves_the_world_and_says_why(display: Screen, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from render.cli import main; main()", "serve", "embedded:flat"]
    with process.running([*command, "--port", "0", "--json"], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        with viewer(display, tmp_path, f"127.0.0.1:{port}", *SMALL) as running:
            running.wait("settled")
            number = display.window("chunkscope")
            before = display.picture()
            server.terminate()  # not an interrupt: who starts tests in the background has it ignored
            assert "The server is closed" in running.wait("lost")["reason"]
            assert 0.0 < difference(before, display.picture()) < 0.5, "the reason above the world"
            display.ask_to_close(number)
            assert running.end() == 0
            assert running.said == ""


def test_a_recording_is_paused_stepped_and_sought_and_a_place_is_one_picture(display: Screen, tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=5))
    with virtual.connection(Options(radius=5, light=False, record=path)) as live:
        live.wait_settled()
        for _ in range(100):
            live.pump()
        total = live.statistics().peer.packets_in
    with viewer(display, tmp_path, str(path), *SMALL, "--speed", "4") as running:
        played = running.wait("rest", at_end=True)
        assert (played["packets"], played["paused"], played["speed"]) == (total, False, 4.0)
        keys = Keys(display, running)
        everything = keys.picture()

        keys.press("p", paused=True)
        start = keys.press("Home", at_end=False, cells=0)["packets"]
        assert start > 0, "not to where there is no world yet"
        middle = start + 1  # one packet of sub-chunks: what is nearest
        display.do("key", "--window", keys.window, *["period"] * (middle - start))
        keys.wait(packets=middle)
        forward = keys.picture()
        assert difference(forward, everything) > 0.02, "as if all of the world were there already"

        keys.press("End", at_end=True)
        assert not difference(keys.picture(), everything)
        keys.press("Prior", time_s=0.0)
        keys.press("Next", at_end=True)
        display.do("key", "--window", keys.window, *["comma"] * (total - middle))
        keys.wait(packets=middle)
        assert np.array_equal(keys.picture(), forward), "back to a packet is not what it was on the way there"

        ticks = keys.press("bracketright")["ticks"]
        keys.press("bracketleft", ticks=ticks - 1)
        keys.press("minus", speed=2.0, paused=True)
        keys.press("p", at_end=True, paused=False)
        assert np.array_equal(keys.picture(), everything)
        with Image.open(running.wait("picture")["path"]) as picture:
            assert picture.text["Recording"] == f"--moment=#{total}"
        display.ask_to_close(keys.window)
        assert running.end() == 0
        assert running.said == ""


class Keys:
    """The keys of one viewer of a recording."""

    def __init__(self, display: Screen, running: Viewer) -> None:
        self.window = display.window("chunkscope")
        self._display, self._running = display, running
        self._after = running.count

    def press(self, key: str, **facts: object) -> Event:
        """Presses a key and waits until the recording rests and is drawn so."""
        self._after = self._running.count
        self._display.do("key", "--window", self.window, key)
        return self.wait(**facts)

    def wait(self, **facts: object) -> Event:
        """The next rest with these facts."""
        return self._running.wait("rest", self._after, **facts)

    def picture(self) -> np.ndarray:
        """What F2 writes, without the HUD."""
        after = self._running.count
        self._display.do("key", "--window", self.window, "F2")
        with Image.open(self._running.wait("picture", after)["path"]) as picture:
            return np.asarray(picture.convert("RGB"))


def test_a_window_closed_while_joining_ends_at_once(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "127.0.0.1:9", *SMALL) as running:
        running.wait("loading")
        display.ask_to_close(display.window("chunkscope"))
        assert running.end() == 0
        assert running.events[-1]["event"] == "closed"
        assert running.said == ""


def test_the_window_lives_while_kernels_are_compiled_for_the_first_time(display: Screen, tmp_path: Path) -> None:
    cold = str(tmp_path / "kernels")
    with viewer(display, tmp_path, "embedded:flat", *SMALL, NUMBA_CACHE_DIR=cold) as running:
        running.wait("phase", what="compiling")
        running.wait_for(
            lambda event: (
                event["event"] == "loading"
                and (compiled := COMPILED.fullmatch(event["what"])) is not None
                and int(compiled[1]) >= MODULES_SEEN
            )
        )
        shown = [event for event in running.events if event["event"] == "loading"]
        at_s = [event["at_s"] for event in shown]
        assert max(np.diff(at_s)) < LONGEST_GAP * (at_s[-1] - at_s[0])
        told = {event["what"] for event in shown}
        assert len(shown) >= FRAMES_OF_EACH * len(told), "a window that waits for a module draws a frame for each"
        display.ask_to_close(display.window("chunkscope"))
        assert running.end() == 0
        assert running.said == ""
