"""The viewer's window without a display, driven by dispatched events; a process of its own.

    python -m tests.support.headless_window FOLDER

pyglet's headless mode must be chosen before its windows are imported, so no test can do this in its own process. What
happens is written to FOLDER/events.jsonl, settings and pictures beside it. Dispatched events are queued until a frame.
"""

import gc
import importlib
import sys
import time
import weakref
from pathlib import Path
from typing import Any

import pyglet

from client.options import Options
from render.settings import load
from render.settings.overlays import OVERLAYS
from render.viewer.app import App
from render.viewer.event_stream import EventStream
from render.viewer.options import ViewerOptions
from render.viewer.window.window import open_window
from tests.support.virtual_session import VirtualSession

FRAME_S = 1 / 60


class Knot:
    """Only a collection frees it."""

    def __init__(self) -> None:
        self._itself = self


def run(folder: Path) -> None:
    """Goes through keys, text and mouse in a flat world."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
    file = folder / "config.toml"
    window = open_window((320, 200), "headless")
    events = EventStream(folder / "events.jsonl")
    options = ViewerOptions((320, 200), pictures=folder, settings=load(file, {}).settings, settings_file=file)
    with VirtualSession("flat:1").connection(Options(radius=2, light=False)) as connection:
        connection.wait_settled()
        app = App(window, connection, options, events)

        def do(name: str, *facts: Any) -> None:  # Any: each event has its own facts
            window.dispatch_event(name, *facts)
            app.frame(time.monotonic(), FRAME_S)

        def answer(symbol: int, text: str) -> None:
            do("on_key_press", symbol, 0)
            do("on_text", chr(symbol))
            do("on_text", text)
            do("on_key_press", key.ENTER, 0)

        for symbol in (key.F1, key.F1, key.F8, key.F3, key.F6, key.F6):
            do("on_key_press", symbol, 0)
        do("on_key_press", key.Z, 0)  # forward, as F8 has made it
        do("on_key_release", key.Z, 0)
        do("on_mouse_press", 10, 10, 1, 0)
        do("on_mouse_motion", 10, 10, 40, 0)
        do("on_mouse_scroll", 10, 10, 0.0, 1.0)
        answer(key.T, "10 100 10")
        answer(key.B, "high")
        answer(key.T, "~ ~5 ~")
        do("on_key_press", key.N, 0)
        answer(key.T, "--at 0,0,0 --dimension nether")
        for symbol in (key.F2, key.F9, key.F9, key.F10, key.F5, key.F5, key.C, key.F4, key.K, key.L, key.U):
            do("on_key_press", symbol, 0)
        for symbol in (key.I, key.M):
            do("on_key_press", symbol, 0)
        do("on_key_press", key.O, 0)
        letters = [
            getattr(key, f"_{name}" if name.isdigit() else name) for name in (each.letter for each in OVERLAYS.values())
        ]
        for symbol in (*letters, key.DELETE, key.ESCAPE):
            do("on_key_press", symbol, 0)
        knot = weakref.ref(Knot())
        assert knot() is not None, "nothing collects by itself: a worker would free fonts beside one that is loaded"
        do("on_deactivate")
        assert knot() is None, "a frame collects what it made"
        assert not gc.isenabled()
        app.close()
    events.close()
    window.close()
    assert gc.isenabled(), "as before"


if __name__ == "__main__":
    run(Path(sys.argv[1]))
