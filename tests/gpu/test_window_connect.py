"""The connect screen as a person uses it: real keys on a virtual screen, a server that ends and comes back."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.support.servers.process import served
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.gpu

SMALL = ("--size", "640x400", "--radius", "3", "--no-cache")


@pytest.fixture(scope="module")
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


def changed(before: np.ndarray, after: np.ndarray) -> float:
    return float((np.abs(before.astype(int) - after).max(axis=2) > 12).mean())


def options(folder: Path, port: int) -> tuple[str, ...]:
    return (*SMALL, "--connect", "--lan-port", str(port), "--discovery-port", "0")


def keyboard(display: Screen, running: Viewer, *keys: str) -> int:
    """Presses keys; how many events there were before."""
    after = running.count
    display.do("key", "--window", display.window("chunkscope"), *keys)
    return after


def test_from_no_source_to_a_server_its_loss_and_its_return(display: Screen, tmp_path: Path) -> None:
    settings = {"CHUNKSCOPE_CONFIG": str(tmp_path / "settings" / "config.toml")}
    with served("flat") as server, viewer(display, tmp_path, *options(tmp_path, server.port), **settings) as running:
        running.wait("connect", on=True)
        empty = display.picture()
        running.wait("listed", servers=1)
        keyboard(display, running, "Down", "Return")
        running.wait("joining", source=f"127.0.0.1:{server.port}")
        running.wait("world")
        running.wait("settled")
        assert changed(empty, display.picture()) > 0.15, "a world in the place of the screen, a quarter of the display"

        before = display.picture()
        server.stop()
        assert "The server is closed" in running.wait("lost")["reason"]
        assert 0.02 < changed(before, display.picture()) < 0.5, "the reason over the world"
        server.start()
        after = keyboard(display, running, "r")
        running.wait("joining", after, source=f"127.0.0.1:{server.port}")
        running.wait("phase", after, what="joined")
        running.wait("world", after)

        after = keyboard(display, running, "F12")
        running.wait("connect", after, on=True)
        after = keyboard(display, running, "Escape")
        running.wait("connect", after, on=False)
        display.ask_to_close(display.window("chunkscope"))
        assert running.end() == 0
        assert running.said == ""
    assert "flat:1" in (tmp_path / "settings" / "recent.toml").read_text("utf-8")


def test_a_window_closed_while_the_screen_joins_ends_at_once(display: Screen, tmp_path: Path) -> None:
    with viewer(display, tmp_path, "127.0.0.1:9", *options(tmp_path, 9)) as running:
        running.wait("connect", on=True)
        keyboard(display, running, "Return")
        running.wait("joining", source="127.0.0.1:9")
        display.ask_to_close(display.window("chunkscope"))
        assert running.end() == 0
        assert running.events[-1]["event"] == "closed"
        assert running.said == ""
