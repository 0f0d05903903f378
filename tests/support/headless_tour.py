"""The tour of the window without a display, driven by dispatched events; a process of its own (``window_tour``).

    python -m tests.support.headless_tour FOLDER

What happens is written to FOLDER/events.jsonl; pictures lie in ``shots/tour/headless``.
"""

import gc
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pyglet

from client.options import Options
from client.world.store import Store
from render.settings import load
from render.viewer.app import App
from render.viewer.connect.first_screen import FirstScreen
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.plan import plan_of
from render.viewer.event_stream import EventStream
from render.viewer.options import ViewerOptions, past_of
from render.viewer.window.window import open_window
from tests.support.served import served
from tests.support.window_tour import SIZE, Album, Event, tour

PATIENCE_S = 280.0
WALKED = 6
"""Frames that a key is held."""


class Dispatched:
    """Events as pyglet would dispatch them, a frame after each."""

    def __init__(self, folder: Path, port: int) -> None:
        self._key: Any = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
        self._file = folder / "events.jsonl"
        self._album = Album("headless")
        file = folder / "config.toml"
        settings = load(file, {}).settings
        self.window = open_window(SIZE, "headless")
        self.log = EventStream(self._file)
        self.settings = ViewerOptions(
            SIZE, pictures=folder / "shots", settings=settings, settings_file=file, lan_ports=(port,), connect=True
        )
        self._after = 0
        self._app: App | None = None
        self.visit: OpenConnections | None = None
        options = Options(radius=3, light=False, cache=False, past=past_of(settings))
        self._screen = FirstScreen(self.window, plan_of(self.settings, options, None), settings.scale, self.log)
        self._last = time.monotonic()

    def frame(self) -> None:
        """Of the screen, until it has joined; then of the world."""
        now = time.monotonic()
        if self._app is not None:
            self._app.frame(now, now - self._last)
        elif connection := self._screen.frame(now):
            self._screen.close()
            self.visit = OpenConnections(connection)
            self._app = App(self.window, connection, self.settings, self.log, self.visit)
        self._last = now

    def press(self, *keys: str) -> None:
        self._after = len(self._events())
        for name in keys:
            self._dispatch("on_key_press", getattr(self._key, name), 0)
            self._dispatch("on_key_release", getattr(self._key, name), 0)

    def hold(self, key: str, kind: str) -> None:
        self._after = len(self._events())
        self._dispatch("on_key_press", getattr(self._key, key), 0)
        for _ in range(WALKED):
            self.frame()
        self._dispatch("on_key_release", getattr(self._key, key), 0)
        self.wait(kind)

    def turn(self) -> None:
        self._after = len(self._events())
        self._dispatch("on_mouse_press", 400, 250, 1, 0)
        self._dispatch("on_mouse_motion", 400, 250, 120, -20)

    def wait(self, kind: str, **facts: object) -> Event:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            for event in self._events()[self._after :]:
                if event["event"] == kind and facts.items() <= event.items():
                    return event
            assert time.monotonic() < deadline, f"never: {kind} {facts}"
            self.frame()

    def keep(self, name: str) -> None:
        self.frame()
        pyglet.image.get_buffer_manager().get_color_buffer().save(str(self._album.path(name)))

    def forget(self) -> None:
        """Frames until nothing is left of the past that was shown: the present is frozen, and so not listed."""
        deadline = time.monotonic() + PATIENCE_S
        while any(isinstance(each, Store) for each in gc.get_objects()):
            assert time.monotonic() < deadline, "a look back leaves its world behind"
            self.frame()

    def close(self) -> None:
        """Leaves, and gives everything back."""
        if self._app is not None and self.visit is not None:
            self._app.close()
            self.visit.close()
        self.log.close()
        self.window.close()

    def _dispatch(self, name: str, *facts: Any) -> None:  # Any: each event has its own facts
        self.window.dispatch_event(name, *facts)
        self.frame()

    def _events(self) -> list[Event]:
        return [json.loads(line) for line in self._file.read_text("utf-8").splitlines()]


def run(folder: Path) -> None:
    """All of it."""
    pyglet.options.headless = True
    with served("hills") as server:
        hand = Dispatched(folder, server.port)
        tour(hand)
        hand.forget()
        hand.close()


if __name__ == "__main__":
    run(Path(sys.argv[1]))
