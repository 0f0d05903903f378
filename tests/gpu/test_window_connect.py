"""The connect screen as a person uses it: real keys on a virtual screen, a server that ends and comes back.

What is copied in a window is pasted in another program, as long as the window lives, and the other way round.
"""

import ctypes
import json
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pyglet.libs.x11 import xlib

from render.viewer.window.x11 import ask
from tests.support.servers.process import served
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import PATIENCE_S, Screen, screen

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


# --------------------------------------------------------------------- test window clipboard


TEXT = json.dumps({"sentence": "Received.", "block": [561, 65, 124], "sign": "ä 日本 🦊"}, ensure_ascii=False)
"""Whose characters take one to four bytes."""
KINDS = (b"UTF8_STRING", b"text/plain;charset=utf-8")


def pasted(on: Screen, kind: bytes = KINDS[0]) -> str:
    """What another program is given that asks for the clipboard as that; empty where there is nothing of the kind."""
    return asked(on, kind)[0].decode()


def asked(on: Screen, kind: bytes) -> tuple[bytes, list[bytes]]:
    """The bytes that are given, and, where they are atoms, what these are called."""
    display = xlib.XOpenDisplay(on.name.encode())
    window = xlib.XCreateSimpleWindow(display, xlib.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    clipboard, wanted, ours = (xlib.XInternAtom(display, name, False) for name in (b"CLIPBOARD", kind, b"OURS"))
    xlib.XConvertSelection(display, clipboard, wanted, ours, window, xlib.CurrentTime)
    xlib.XFlush(display)
    event, until = xlib.XEvent(), time.monotonic() + PATIENCE_S
    while not xlib.XCheckTypedWindowEvent(display, window, xlib.SelectionNotify, ctypes.byref(event)):
        assert select.select([xlib.XConnectionNumber(display)], [], [], until - time.monotonic())[0], "nobody answers"
    given, bits = read_property(display, window, ours) if event.xselection.property else (b"", 8)
    atoms = ctypes.cast(given, ctypes.POINTER(xlib.Atom))[: len(given) // 8] if bits == 32 else []
    names = [ctypes.string_at(xlib.XGetAtomName(display, atom)) for atom in atoms]
    xlib.XCloseDisplay(display)
    return given, names


def read_property(display: object, window: int, name: int) -> tuple[bytes, int]:
    """Its bytes, and how many bits each part of it has: 32 are 8 bytes to Xlib."""
    kind, bits, count, left = xlib.Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
    content = ctypes.POINTER(ctypes.c_ubyte)()
    found = (ctypes.byref(each) for each in (kind, bits, count, left, content))
    xlib.XGetWindowProperty(display, window, name, 0, 1 << 20, False, 0, *found)
    return ctypes.string_at(content, count.value * (8 if bits.value == 32 else 1)), bits.value


@contextmanager
def copying(on: Screen) -> Iterator[None]:
    """While it lasts, a window of another process has copied ``TEXT``."""
    command = [sys.executable, "-m", "tests.support.window.screen", TEXT]
    folder, pipe = Path(__file__).parents[2], subprocess.PIPE
    copies = subprocess.Popen(command, env=on.environment, cwd=folder, stdin=pipe, stdout=pipe, text=True)
    with copies:
        assert copies.stdout is not None
        assert copies.stdout.readline() == f"Copied {len(TEXT)} characters.\n"
        yield
        assert copies.stdin is not None
        copies.stdin.close()
        assert copies.wait(PATIENCE_S) == 0


def test_what_a_window_copied_another_program_pastes() -> None:
    with screen() as display:
        with copying(display):
            for kind in KINDS:
                assert pasted(display, kind) == TEXT
            assert {*asked(display, b"TARGETS")[1]} == {b"TARGETS", *KINDS}
            assert pasted(display, b"image/png") == ""
        assert pasted(display) == "", "who copied is gone"


def plain_window(on: Screen) -> SimpleNamespace:
    """A window that shows nothing, with as much of pyglet's as pasting takes; as if it was another program's."""
    display = xlib.XOpenDisplay(on.name.encode())
    window = xlib.XCreateSimpleWindow(display, xlib.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    return SimpleNamespace(display=display, _window=window, _clipboard_str=None)


def test_a_window_pastes_what_others_copied_and_waits_for_nobody_who_hangs() -> None:
    with screen() as on:
        ours, hanging = plain_window(on), plain_window(on)
        assert ask(ours, ours.display) == "", "nobody copied anything"
        with copying(on):
            for _ in range(2):
                assert ask(ours, ours.display, PATIENCE_S) == TEXT
        clipboard = xlib.XInternAtom(hanging.display, b"CLIPBOARD", False)
        xlib.XSetSelectionOwner(hanging.display, clipboard, hanging._window, xlib.CurrentTime)
        assert xlib.XGetSelectionOwner(hanging.display, clipboard) == hanging._window
        with pytest.raises(TimeoutError, match="the program that owns the clipboard does not answer"):
            ask(ours, ours.display, 0.2)
        with copying(on):
            assert ask(ours, ours.display, PATIENCE_S) == TEXT, "and it is asked anew"
        for window in (ours, hanging):
            xlib.XCloseDisplay(window.display)
