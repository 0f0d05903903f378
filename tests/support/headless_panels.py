"""The window's panels without a display, opened by dispatched events; a process of its own (``headless_window``).

    python -m tests.support.headless_panels FOLDER [SCALE]

What happens is written to FOLDER/events.jsonl, and a picture of the window with each panel open beside it:
NAME.png. LOOK at them after a change: what they show no test can judge.
"""

import importlib
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pyglet
from msgspec.structs import replace

from client.options import Options
from render.panels.registry import PANELS
from render.settings import load
from render.viewer.app import App
from render.viewer.event_stream import EventStream
from render.viewer.options import ViewerOptions
from render.viewer.window.window import open_window
from tests.support.virtual_session import VirtualSession

FRAME_S = 1 / 60
SIZE = (800, 500)


def run(folder: Path, scale: float = 1.0) -> None:
    """Opens panels by key, shows each by its digit, flies beside them, closes them."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
    file = folder / "config.toml"
    window = open_window(SIZE, "headless")
    events = EventStream(folder / "events.jsonl")
    options = ViewerOptions(
        SIZE, pictures=folder, settings=replace(load(file, {}).settings, scale=scale), settings_file=file
    )
    with VirtualSession("hills:1").connection(Options(radius=3, light=False)) as connection:
        connection.wait_settled()
        app = App(window, connection, options, events)

        def do(name: str, *facts: Any, frames: int = 1) -> None:  # Any: each event has its own facts
            window.dispatch_event(name, *facts)
            for _ in range(frames):
                app.frame(time.monotonic(), FRAME_S)

        def press(symbol: int, modifiers: int = 0) -> None:
            do("on_key_press", symbol, modifiers, frames=2)
            do("on_key_release", symbol, modifiers, frames=2)

        def keep(name: str) -> None:
            app.frame(time.monotonic(), FRAME_S)
            pyglet.image.get_buffer_manager().get_color_buffer().save(str(folder / f"{name}.png"))

        press(key.TAB)
        press(key.F7)
        keep("first")
        digits = {panel.name: key._1 + number for number, panel in enumerate(PANELS)}
        for name in (panel.name for panel in PANELS if panel.opened):
            press(digits[name])
        shutil.copy(folder / "panels.ini", folder / "running.ini")  # of a window that may still die
        for name, digit in digits.items():
            press(digit)
            keep(name)
            press(digit)
        press(key.W)  # the panels'
        press(key.TAB)
        press(key.W)  # the world's: one flies
        do("on_mouse_press", 10, SIZE[1] // 2, 1, 0)
        press(key.F7)  # keys back to the panels, and the mouse free
        press(key.F7)
        keep("closed")
        app.close()
    events.close()
    window.close()


if __name__ == "__main__":
    run(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
