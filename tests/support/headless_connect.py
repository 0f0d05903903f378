"""The connect screen without a display, driven by dispatched events; a process of its own (``headless_window``).

    python -m tests.support.headless_connect FOLDER [WIDTHxHEIGHT [SCALE]]

From no source to the screen, to a server by a click, over its loss and return, to another world. What happens is
written to FOLDER/events.jsonl, what must hold is asserted here, and a picture of each state lies beside it.
LOOK at them after a change: what they show no test can judge.
"""

import importlib
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyglet
from msgspec.structs import replace

from client.options import Options
from client.source import Remote
from render.settings import load
from render.viewer.app import App
from render.viewer.connect.first_screen import FirstScreen
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.plan import plan_of
from render.viewer.event_stream import EventStream
from render.viewer.options import ViewerOptions
from render.viewer.window.window import open_window
from tests.support.served import Served, served

FRAME_S = 1 / 60
PATIENCE_S = 280.0
MOST_NAMES = 4096
"""Drivers count names of objects up from one."""


class Flow:
    """One window, from screen to world to screen."""

    def __init__(self, folder: Path, size: tuple[int, int], scale: float, port: int) -> None:
        self.folder, self.size = folder, size
        self.key: Any = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
        file = folder / "config.toml"
        settings = replace(load(file, {}).settings, scale=scale)
        self.window = open_window(size, "headless")
        self.events = EventStream(folder / "events.jsonl")
        self.settings = ViewerOptions(
            size, pictures=folder, settings=settings, settings_file=file, lan_ports=(port,), connect=True
        )
        self.options = Options(radius=3, light=False, timeout_s=60.0, cache=False)
        self.frame: Callable[[], object] = lambda: None

    def press(self, symbol: int) -> None:
        self.window.dispatch_event("on_key_press", symbol, 0)
        self.frame()
        self.window.dispatch_event("on_key_release", symbol, 0)

    def type(self, text: str) -> None:
        for letter in text:
            self.window.dispatch_event("on_text", letter)
        self.frame()

    def click(self, x: int, y: int) -> None:
        left = importlib.import_module("pyglet.window.mouse").LEFT
        self.window.dispatch_event("on_mouse_motion", x, y, 0, 0)
        self.frame()
        for event in ("on_mouse_press", "on_mouse_release"):
            self.window.dispatch_event(event, x, y, left, 0)
            self.frame()

    def until(self, done: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, f"never: {what}"
            self.frame()

    def keep(self, name: str) -> None:
        self.frame()
        pyglet.image.get_buffer_manager().get_color_buffer().save(str(self.folder / f"{name}.png"))


def run(folder: Path, size: tuple[int, int], scale: float) -> None:
    """All of it."""
    pyglet.options.headless = True
    with served("flat") as server:
        flow = Flow(folder, size, scale, server.port)
        visit = choose(flow, server)
        app = App(flow.window, visit.connection, flow.settings, flow.events, visit)
        last = [time.monotonic()]

        def frame() -> None:
            now = time.monotonic()
            app.frame(now, now - last[0])
            last[0] = now

        flow.frame = frame
        wander(flow, app, visit, server)
        app.close()
        visit.close()
    flow.events.close()
    flow.window.close()


def choose(flow: Flow, server: Served) -> OpenConnections:
    """From the empty screen to the server of the LAN."""
    screen = FirstScreen(
        flow.window, plan_of(flow.settings, flow.options, None), flow.settings.settings.scale, flow.events
    )
    joined: list[Any] = []

    def frame() -> None:
        connection = screen.frame(time.monotonic())
        joined.extend([connection] if connection else [])

    flow.frame = frame
    key, rows = flow.key, screen.lobby
    flow.until(lambda: "A test world" in [row.title for each in rows.view(0.0).sections for row in each.rows], "listed")
    flow.keep("1-screen")
    flow.type("somewhere.invalid:70000")
    flow.press(key.ENTER)
    flow.keep("2-wrong-address")
    for _ in range(30):
        flow.press(key.BACKSPACE)
    flow.type("no-such-host.invalid")
    flow.press(key.ENTER)
    flow.until(lambda: rows.underway(0.0) is None, "the name has no address")
    flow.keep("3-failed")
    for _ in range(40):
        flow.press(key.BACKSPACE)
    click_down_to_a_row(flow, rows)
    assert rows.last == Remote("127.0.0.1", server.port), "the first row's"
    flow.keep("4-joining")
    flow.until(lambda: joined, "it has joined")
    screen.close()
    return OpenConnections(joined[0])


def click_down_to_a_row(flow: Flow, rows: Any) -> None:
    """Clicks in the middle of the window from its top on, until that joins: the first row has then been reached."""
    width, height = flow.size
    for y in range(height - 1, 0, -4):
        flow.click(width // 2, y)
        if rows.underway(0.0):
            return
    raise AssertionError("no row was hit")


def wander(flow: Flow, app: Any, visit: OpenConnections, server: Served) -> None:
    """Over a loss and a return, then elsewhere."""
    key = flow.key
    flow.until(lambda: app.session.world.scene.stats().cells_drawn and app.session.world.scene.settled, "terrain")
    flow.keep("5-world")
    server.stop()
    flow.until(lambda: app.switcher.screen.lost, "the loss is told")
    flow.keep("6-lost")
    view = app.state.controls.view
    flow.press(key.R)
    flow.until(lambda: app.switcher.screen.underway(time.monotonic()), "joining again")
    flow.keep("7-joining-again")
    first = visit.connection
    server.start()

    def is_back() -> bool:
        if visit.connection is first and not app.switcher.screen.underway(time.monotonic()):
            flow.press(key.R)  # where nothing listens yet a join fails at once
        return visit.connection is not first

    flow.until(is_back, "it is back")
    assert app.state.controls.view == view, "the view is kept"
    flow.until(lambda: app.session.world.scene.stats().cells_drawn, "terrain again")
    flow.keep("8-back")
    flow.press(key.F12)
    flow.keep("9-screen-over-world")
    press(flow, key.DOWN, key.END, key.UP, key.UP)
    flow.keep("10-selected")
    press(flow, key.ESCAPE, key.ESCAPE)  # back to the world, and the screen again
    assert app.switcher.screen.opened
    here = f"127.0.0.1:{server.port}"
    held = [cross(flow, app, visit, address) for address in (here, "embedded:flat", here, "embedded:flat")]
    assert held[1] == held[3], f"worlds leave something behind: {held}"
    give_up(flow, app, visit)


def press(flow: Flow, *symbols: int) -> None:
    for symbol in symbols:
        flow.press(symbol)


def cross(flow: Flow, app: Any, visit: OpenConnections, address: str) -> dict[str, int]:
    """To another world by its address; what the process holds then."""
    key = flow.key
    before, store = weakref.ref(visit.connection), weakref.ref(visit.connection.session.dimension.store)
    if not app.switcher.screen.opened:
        flow.press(key.F12)
    flow.type(address)
    flow.press(key.ENTER)
    flow.until(lambda: visit.connection is not before(), "another world")
    flow.until(lambda: app.session.world.scene.settled and app.session.world.known.settled, "its terrain")
    flow.until(lambda: not visit.parts, "the goodbye is said")
    flow.until(lambda: "lan" not in names_of_threads(), "the LAN is left alone")
    assert before() is None, "the connection that was left"
    assert store() is None, "what was known of its world"
    assert app.state.gpu.leaks() == 0
    process = Path("/proc/self")
    children = sum(len(task.read_text().split()) for task in process.glob("task/*/children"))
    files = len(list((process / "fd").iterdir()))
    return {**gl_objects(), "threads": len(names_of_threads()), "files": files, "children": children}


def give_up(flow: Flow, app: Any, visit: OpenConnections) -> None:
    """Escape while joining somebody who is not there: the world stays, and nothing is left of the attempt."""
    key, before = flow.key, visit.connection
    flow.press(key.F12)
    flow.type("127.0.0.1:9")
    flow.press(key.ENTER)
    flow.until(lambda: "looking up" not in app.switcher.screen.underway(time.monotonic()).words, "it is asked")
    flow.keep("11-joining-over-world")
    press(flow, key.ESCAPE)
    assert app.switcher.screen.underway(time.monotonic()) is None
    press(flow, key.ESCAPE)
    assert not app.switcher.screen.opened
    flow.until(lambda: "joining" not in names_of_threads(), "the attempt ends by itself")
    assert visit.connection is before


def names_of_threads() -> list[str]:
    """Those of Python; workers of two worlds have the same names."""
    return sorted(thread.name for thread in threading.enumerate())


def gl_objects() -> dict[str, int]:
    """How many objects of each kind the context holds, asked name by name."""
    gl: Any = importlib.import_module("pyglet.gl")
    kinds = {
        "textures": gl.glIsTexture, "buffers": gl.glIsBuffer, "framebuffers": gl.glIsFramebuffer,
        "arrays": gl.glIsVertexArray, "programs": gl.glIsProgram, "queries": gl.glIsQuery,
    }  # fmt: skip
    return {kind: sum(bool(is_one(name)) for name in range(1, MOST_NAMES)) for kind, is_one in kinds.items()}


if __name__ == "__main__":
    words = sys.argv[2:] + ["640x360", "1"][len(sys.argv) - 2 :]
    width, _, height = words[0].partition("x")
    run(Path(sys.argv[1]), (int(width), int(height)), float(words[1]))
