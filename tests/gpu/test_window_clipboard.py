"""What is copied in a window is pasted in another program, as long as the window lives, and the other way round."""

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

import pytest
from pyglet.libs.x11 import xlib

from render.viewer.window.x11 import ask
from tests.support.window.screen import PATIENCE_S, Screen, screen

pytestmark = pytest.mark.gpu

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
