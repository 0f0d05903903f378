"""The viewer's window without a display, driven by dispatched events.

A process of its own, because pyglet's headless mode must be chosen before its windows are imported. Events of the
viewer are written to FOLDER/events.jsonl, pictures beside it or where noted. Dispatched events are handled in the next
frame.

    python -m tests.support.window.headless window FOLDER

Keys, text and mouse in a flat world.

    python -m tests.support.window.headless arriving FOLDER

The first frames of a world that is still arriving.

    python -m tests.support.window.headless following FOLDER

The camera while the server moves the player. FOLDER/told.json has camera and HUD after each message and key.

    python -m tests.support.window.headless panels FOLDER [SCALE]

Opens each panel and saves it as FOLDER/NAME.png.

    python -m tests.support.window.headless tour FOLDER

The tour of the window (``window.tour``); pictures are in ``shots/tour/headless``.

    python -m tests.support.window.headless connect FOLDER [WIDTHxHEIGHT [SCALE]]

The connect screen: from no source to a server by a click, loss of the server and its return, and to another world.
Conditions are asserted here, and each state is saved as a picture.

Look at the pictures after a change: tests do not judge them.
"""

import gc
import importlib
import json
import shutil
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyglet
from msgspec.structs import replace

from client.options import Options
from client.session.config import SessionConfig
from client.source import Remote
from client.world.store import Store
from net.bedrock import ChangeDimension, CorrectPlayerMovePrediction, MoveMode, MovePlayer, PlayStatus, Respawn
from net.peer.packet_stream import Received
from net.transport.faulty import Wire, WireFaults
from render.gpu.textures import write_png
from render.panels.panel import Change, Sky, all_panels
from render.settings import load
from render.settings.overlays import OVERLAYS
from render.viewer import app as viewer_app
from render.viewer import commands
from render.viewer.app import App
from render.viewer.connect.connect_screen import FirstScreen
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.sources import plan_of
from render.viewer.display.hud import hud_lines
from render.viewer.display.panel_host import panels_by_digit
from render.viewer.event_stream import EventStream
from render.viewer.window.window import open_window
from render.viewer.window_options import WindowOptions, past_of
from tests.support.servers.process import Served, children_of, served
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.window.tour import SIZE as TOUR_SIZE
from tests.support.window.tour import Album, Event, tour

# ---------------------------------------------------------------- headless window

FRAME_S = 1 / 60


def save_shown(path: Path) -> None:
    """Saves what the current window shows."""
    shown = pyglet.image.get_buffer_manager().get_color_buffer().get_image_data()
    pixels = np.frombuffer(shown.get_data("RGBA", -4 * shown.width), np.uint8)
    write_png(path, pixels.reshape(shown.height, shown.width, 4), {})


class Knot:
    """An object that only the garbage collector frees."""

    def __init__(self) -> None:
        self._itself = self


def run(folder: Path) -> None:
    """Goes through keys, text and mouse in a flat world."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not earlier: its package opens a display
    file = folder / "config.toml"
    window = open_window((320, 200), "headless")
    events = EventStream(folder / "events.jsonl")
    options = WindowOptions((320, 200), pictures=folder, settings=load(file, {}).settings, settings_file=file)
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

        for symbol in (key.F8, key.F1, key.F1, key.F8, key.F8, key.F3, key.F3, key.F3, key.F6, key.F6, key.F6):
            do("on_key_press", symbol, 0)
        do("on_key_press", key.Z, 0)  # forwards, since F8 switched the keys
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
        for request in (Sky(12000, None), Sky(12000, "rain"), Sky(None, None)):
            commands.grant(app.state, app.session, request)
            app.frame(time.monotonic(), FRAME_S)
        for symbol in (key.I, key.M):
            do("on_key_press", symbol, 0)
        do("on_key_press", key.F1, 0)
        do("on_mouse_scroll", 10, 10, 0.0, -1.0)
        do("on_text", "pins list")
        do("on_key_press", key.ENTER, 0)
        do("on_key_press", key.F1, 0)
        do("on_mouse_press", 10, 10, 1, 0)
        do("on_key_press", key.O, 0)
        letters = [
            getattr(key, f"_{name}" if name.isdigit() else name) for name in (each.letter for each in OVERLAYS.values())
        ]
        for symbol in (*letters, key.DELETE, key.ESCAPE):
            do("on_key_press", symbol, 0)
        knot = weakref.ref(Knot())
        assert knot() is not None, "nothing collects by itself: a worker could free fonts while another is loaded"
        do("on_deactivate")
        assert knot() is None, "a frame collects garbage"
        assert not gc.isenabled()
        app.close()
    events.close()
    window.close()
    assert gc.isenabled(), "as before"


# ---------------------------------------------------------------- headless following

BESIDE = (40.5, 90.0, 0.5)
BELOW = (5.5, 70.0, -8.5)
ABOVE = (40.5, 190.0, 0.5)
PLAYER_SPAWN = 3


ROUND_TRIP_S = 0.2
LONG_S = 600.0


def run_arriving(folder: Path) -> None:
    """Draws the first two frames of hills; what the second may take for what arrives cannot run out."""
    pyglet.options.headless = True
    vars(viewer_app)["LONGEST_ARRIVING_S"] = LONG_S
    window = open_window((320, 200), "arriving")
    events = EventStream(folder / "events.jsonl")
    options = WindowOptions((320, 200), pictures=folder)
    up, down = (Wire(WireFaults(delay_s=ROUND_TRIP_S / 2)) for _ in range(2))
    with VirtualSession("hills:1", config=SessionConfig(radius=6, player=SWIFT), up=up, down=down).connection(
        Options(radius=6, light=False)
    ) as connection:
        app = App(window, connection, options, events)
        began = time.monotonic()
        app.await_terrain(lambda: None, LONG_S)
        app.frame(began, 0.0)
        app.frame(began, LONG_S)
        app.close()
    events.close()


def run_following(folder: Path) -> None:
    """Lets the server correct, teleport and respawn the player, and move it to other dimensions."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not earlier: its package opens a display
    window, events = open_window((320, 200), "headless"), EventStream(folder / "events.jsonl")
    options = WindowOptions((320, 200), pictures=folder, settings=load(folder / "config.toml", {}).settings)
    told: dict[str, Any] = {}
    with VirtualSession("flat:1").connection(Options(radius=2, light=False)) as connection:
        connection.wait_settled()
        session = connection.session
        app = App(window, connection, options, events)

        def record(name: str) -> None:
            app.frame(time.monotonic(), 1 / 60)
            world, view = app.session.world, app.state.controls.view
            lines = hud_lines(world.known, world.scene.stats(), app.state.pacer.pace(), view)
            held = [words for line in lines if (words := line.partition("\t")[2]).startswith("server holds you at")]
            told[name] = {"camera": list(view.eye), "held": held, "dimension": world.upkeep.dimension}

        def receive(name: str, message: Any) -> None:  # Any: each packet has its own class
            session.handle(Received(message, session.now, 0, 0), session.now)
            record(name)

        def press(name: str, symbol: int, answer: str = "") -> None:
            typed = (("on_text", chr(symbol)), ("on_text", answer), ("on_key_press", key.ENTER, 0)) if answer else ()
            for event in (("on_key_press", symbol, 0), *typed):
                window.dispatch_event(*event)
                app.frame(time.monotonic(), 1 / 60)
            record(name)

        ours = session.movement._runtime_id
        record("start")
        receive("corrected", CorrectPlayerMovePrediction(BESIDE, (0.0, 0.0, 0.0), False, 1))
        session.set_view(app.state.controls.view)
        receive("teleported", MovePlayer(ours, BESIDE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        receive("another", MovePlayer(ours + 1, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        receive("respawned", Respawn(BESIDE, 1, ours))
        press("return to the player", key.H)
        receive("taken to the nether", ChangeDimension(1, BELOW, False))
        receive("let in there", PlayStatus(PLAYER_SPAWN))
        press("in the nether, away", key.T, "1 100 1")
        receive("taken back", ChangeDimension(0, BESIDE, True))
        receive("teleported together", MovePlayer(ours, ABOVE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        commands.grant(app.state, app.session, Change("follow", False))
        receive("teleported alone", MovePlayer(ours, BESIDE, 0.0, 0.0, 0.0, MoveMode.TELEPORT))
        receive("taken alone", ChangeDimension(1, BELOW, False))
        app.close()
    events.close()
    window.close()
    (folder / "told.json").write_text(json.dumps(told))


# ---------------------------------------------------------------- headless panels

SIZE = (800, 500)


def run_panels(folder: Path, scale: float = 1.0) -> None:
    """Opens panels by key, shows each by its digit, moves the camera meanwhile, and closes them."""
    pyglet.options.headless = True
    key = importlib.import_module("pyglet.window.key")  # not earlier: its package opens a display
    file = folder / "config.toml"
    window = open_window(SIZE, "headless")
    events = EventStream(folder / "events.jsonl")
    options = WindowOptions(
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
            save_shown(folder / f"{name}.png")

        press(key.TAB)
        press(key.F7)
        keep("first")
        digits = {panel.name: getattr(key, f"_{digit}") for digit, panel in panels_by_digit().items()}
        do("on_key_press", key.LCTRL, 0)
        for name in (panel.name for panel in all_panels() if panel.opened):
            press(digits[name])
        shutil.copy(folder / "panels.ini", folder / "running.ini")  # of a window that may still crash
        for name, digit in digits.items():
            press(digit)
            keep(name)
            press(digit)
        do("on_key_release", key.LCTRL, 0)
        press(key.W)  # goes to the panels
        press(key.TAB)
        press(key.W)  # goes to the world: the camera moves
        do("on_mouse_press", 10, SIZE[1] // 2, 1, 0)
        press(key.F7)  # keys go to the panels again, and the mouse is free
        press(key.F7)
        keep("closed")
        app.close()
    events.close()
    window.close()


# ---------------------------------------------------------------- headless tour

PATIENCE_S = 280.0
WALKED = 6
"""Frames for which a key is held."""


class Dispatched:
    """Drives the window with events as pyglet dispatches them, with a frame after each."""

    def __init__(self, folder: Path, port: int) -> None:
        self._key: Any = importlib.import_module("pyglet.window.key")  # not earlier: its package opens a display
        self._file = folder / "events.jsonl"
        self._album = Album("headless")
        file = folder / "config.toml"
        settings = load(file, {}).settings
        self.window = open_window(TOUR_SIZE, "headless")
        self.log = EventStream(self._file)
        self.settings = WindowOptions(
            TOUR_SIZE,
            pictures=folder / "shots",
            settings=settings,
            settings_file=file,
            lan_ports=(port,),
            discovery_port=0,
            connect=True,
        )
        self._after = 0
        self._app: App | None = None
        self._shown: dict[int, weakref.ref[Store]] = {}  # stores of the past that were shown
        self.visit: OpenConnections | None = None
        options = Options(radius=3, light=False, cache=False, past=past_of(settings))
        self._screen = FirstScreen(self.window, plan_of(self.settings, options, None), settings.scale, self.log)
        self._last = time.monotonic()

    def frame(self) -> None:
        """Draws a frame: of the connect screen until it has joined, then of the world."""
        now = time.monotonic()
        if self._app is not None:
            self._app.frame(now, now - self._last)
            replay = self._app.session.world.connection.replay
            if replay is not None:
                store = replay.session.dimension.store
                self._shown[id(store)] = weakref.ref(store)
        elif connection := self._screen.frame(now):
            self._screen.close()
            self.visit = OpenConnections(connection)
            self._app = App(self.window, connection, self.settings, self.log, self.visit)
        self._last = now

    def press(self, *keys: str) -> None:
        self._after = len(self._events())
        for words in keys:
            held, _, name = words.rpartition("+")
            symbols = [*([self._key.LCTRL] if held else []), getattr(self._key, name)]
            for symbol in symbols:
                self._dispatch("on_key_press", symbol, 0)
            for symbol in reversed(symbols):
                self._dispatch("on_key_release", symbol, 0)

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
        save_shown(self._album.path(name))

    def forget(self) -> None:
        """Draws frames until the stores of the past that were shown are freed."""
        deadline = time.monotonic() + PATIENCE_S
        assert self._shown, "no past was shown"
        while any(store() is not None for store in self._shown.values()):
            assert time.monotonic() < deadline, "a look back leaves its world behind"
            self.frame()

    def close(self) -> None:
        """Closes the window and releases everything."""
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


def run_tour(folder: Path) -> None:
    """All of it."""
    pyglet.options.headless = True
    with served("hills") as server:
        hand = Dispatched(folder, server.port)
        tour(hand)
        hand.forget()
        hand.close()


# ---------------------------------------------------------------- headless connect

MOST_NAMES = 4096
"""Drivers count names of objects up from one."""


class Flow:
    """One window, from screen to world to screen."""

    def __init__(self, folder: Path, size: tuple[int, int], scale: float, port: int) -> None:
        self.folder, self.size = folder, size
        self.key: Any = importlib.import_module("pyglet.window.key")  # not earlier: its package opens a display
        file = folder / "config.toml"
        settings = replace(load(file, {}).settings, scale=scale)
        self.window = open_window(size, "headless")
        self.events = EventStream(folder / "events.jsonl")
        self.settings = WindowOptions(
            size,
            pictures=folder,
            settings=settings,
            settings_file=file,
            lan_ports=(port,),
            discovery_port=0,
            connect=True,
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
        save_shown(self.folder / f"{name}.png")


def run_connect(folder: Path, size: tuple[int, int], scale: float) -> None:
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
    key, rows = flow.key, screen.dialog

    def listed() -> bool:
        return "A test world" in [row.title for each in rows.view(0.0).sections for row in each.rows]

    flow.until(listed, "listed")
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
    click_down_to_a_row(flow, rows, listed)
    assert rows.last == Remote("127.0.0.1", server.port), f"the first row's, not {rows.last}'s"
    flow.keep("4-joining")
    flow.until(lambda: joined, "it has joined")
    screen.close()
    return OpenConnections(joined[0])


def click_down_to_a_row(flow: Flow, rows: Any, listed: Callable[[], bool]) -> None:
    """Clicks in the middle of the window from its top on, until that joins: the first row has then been reached.

    A server on a busy machine may be silent for ten seconds; the list leaves it out then, and other rows move up.
    """
    width, height = flow.size
    for y in range(height - 1, 0, -4):
        flow.until(listed, "listed again")
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
    children = len(children_of(process))
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


def start_window() -> None:
    """As its words on the command line say."""
    run(Path(sys.argv[1]))


def start_arriving() -> None:
    """As its words on the command line say."""
    run_arriving(Path(sys.argv[1]))


def start_following() -> None:
    """As its words on the command line say."""
    run_following(Path(sys.argv[1]))


def start_panels() -> None:
    """As its words on the command line say."""
    run_panels(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)


def start_tour() -> None:
    """As its words on the command line say."""
    run_tour(Path(sys.argv[1]))


def start_connect() -> None:
    """As its words on the command line say."""
    words = sys.argv[2:] + ["640x360", "1"][len(sys.argv) - 2 :]
    width, _, height = words[0].partition("x")
    run_connect(Path(sys.argv[1]), (int(width), int(height)), float(words[1]))


if __name__ == "__main__":
    {
        "window": start_window,
        "arriving": start_arriving,
        "following": start_following,
        "panels": start_panels,
        "tour": start_tour,
        "connect": start_connect,
    }[sys.argv.pop(1)]()
