"""What is copied in a window is pasted in another program, as long as the window lives."""

import ctypes
import json
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyglet.libs.x11 import xlib

from tests.support.screen import PATIENCE_S, Screen, screen

pytestmark = pytest.mark.gpu

TEXT = json.dumps({"sentence": "Received.", "block": [561, 65, 124]})


def pasted(on: Screen) -> str:
    """What another program is given that asks for the clipboard; empty where nobody answers."""
    display = xlib.XOpenDisplay(on.name.encode())
    window = xlib.XCreateSimpleWindow(display, xlib.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    clipboard, utf8, ours = (xlib.XInternAtom(display, name, False) for name in (b"CLIPBOARD", b"UTF8_STRING", b"OURS"))
    xlib.XConvertSelection(display, clipboard, utf8, ours, window, xlib.CurrentTime)
    xlib.XFlush(display)
    event, until = xlib.XEvent(), time.monotonic() + PATIENCE_S
    while not xlib.XCheckTypedWindowEvent(display, window, xlib.SelectionNotify, ctypes.byref(event)):
        assert select.select([xlib.XConnectionNumber(display)], [], [], until - time.monotonic())[0], "nobody answers"
    text = read_property(display, window, ours) if event.xselection.property else ""
    xlib.XCloseDisplay(display)
    return text


def read_property(display: object, window: int, name: int) -> str:
    kind, bits, count, left = xlib.Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
    content = ctypes.POINTER(ctypes.c_ubyte)()
    found = (ctypes.byref(each) for each in (kind, bits, count, left, content))
    xlib.XGetWindowProperty(display, window, name, 0, 1 << 20, False, 0, *found)
    return ctypes.string_at(content, count.value).decode()


def test_what_a_window_copied_another_program_pastes() -> None:
    command = [sys.executable, "-m", "tests.support.copying_window", TEXT]
    with screen() as display:
        copies = subprocess.Popen(
            command,
            env=display.environment,
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with copies:
            assert copies.stdout is not None
            assert copies.stdout.readline() == f"{len(TEXT)} characters are on the clipboard.\n"
            assert pasted(display) == TEXT
            assert copies.stdin is not None
            copies.stdin.close()
            assert copies.wait(PATIENCE_S) == 0
        assert pasted(display) == "", "who copied is gone"
