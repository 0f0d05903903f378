"""A client in a window without a display that does everything again and again; a process of its own.

    python -m tests.soak.flight FOLDER SECONDS SEED

Each lap a world is opened in it, and its line is lost; it joins a server that a fault script spoils, flies, teleports,
crosses the dimensions, uses overlays and panels, looks back, and loses its line again. At a server without faults it
comes to rest, since nothing changes there, however slow the machine is; then the world is closed, and what the process
holds is one line of JSON: what an open world takes depends on how much came how soon.
"""

import ctypes
import importlib
import json
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import moderngl
import pyglet

from client.connection.opening import open_connection
from client.options import Options, PastOptions
from client.source import Remote
from render.settings import load
from render.viewer.app import App
from render.viewer.connect.join import OpenConnections
from render.viewer.event_stream import EventStream
from render.viewer.scene_updater import collect_all
from render.viewer.window.window import open_window
from render.viewer.window_options import WindowOptions
from tests.soak.figures import ALLOCATED, RESIDENT, WARM_LAPS, Held
from tests.support.servers.process import Served, children_of, served
from tests.support.window.headless import gl_objects

SIZE = (320, 200)
RADIUS = 3
PAST = PastOptions(20.0, 4 << 20)
PATIENCE_S = 600.0
CONTEXTS = 16
FAULTS = """
seed = 7
[wire]
delay_ms = [1, 20]
loss = 0.02
reordering = 0.05
duplication = 0.02
[answers]
reverse = true
unanswered = 0.02
partial = 0.05
corrupted = 0.01
[[refusals]]
code = "chunk_not_found"
share = 0.02
[updates]
every_s = 3.0
blocks = 40
[replacement]
every_s = 5.0
columns = 2
"""


class Flight:
    """One window, from lap to lap."""

    def __init__(self, folder: Path, server: Served, seed: int) -> None:
        """Opens the window; it stops and starts the server."""
        self.key: Any = importlib.import_module("pyglet.window.key")  # not sooner: its package looks for a display
        self._server = server
        self._faults = folder / "faults.toml"
        self._faults.write_text(FAULTS)
        self._dice = random.Random(seed)
        file = folder / "config.toml"
        self._window = open_window(SIZE, "soak")
        self._events = EventStream(folder / "events.jsonl")
        self._settings = WindowOptions(SIZE, pictures=folder, settings=load(file, {}).settings, settings_file=file)
        self._options = Options(radius=RADIUS, light=False, past=PAST, cache=True, cache_dir=folder / "cache")
        self._last = time.monotonic()

    def lap(self, number: int) -> None:
        """All of it once, from an empty window to an empty window."""
        self._visit = OpenConnections(open_connection(Remote("127.0.0.1", self._server.port), self._options))
        self._app = App(self._window, self._visit.connection, self._settings, self._events, self._visit)
        self.rest()
        self._lose_and_rejoin(number % 2 == 0, "--faults", str(self._faults))
        self._fly(60)
        for _ in range(2):
            far = [self._dice.randint(-2000, 2000) for _ in range(2)]
            self.teleport(f"{far[0]} 110 {far[1]}")
            self._fly(20)
        for dimension in ("nether", "end", "overworld"):
            self.teleport(f"{dimension} 0 90 0")
            self.until(lambda name=dimension: self._dimension() == name, f"the {dimension}")
            self._fly(10)
        self._look_at_everything()
        self._look_back()
        self._lose_and_rejoin(number % 2 == 1)
        self.rest()
        self._app.close()
        self._visit.close()
        del self._app, self._visit

    def rest(self) -> None:
        """Until nothing is missing, drawn or said goodbye to."""
        app = self._app
        self.until(lambda: app.session.world.scene.settled and app.session.world.known.settled, "rest")
        self.until(lambda: not self._visit.parts, "the goodbye")

    def close(self) -> None:
        """Gives the window back."""
        self._events.close()
        self._window.close()

    # ------------------------------------------------------------

    def frame(self) -> None:
        """One."""
        now = time.monotonic()
        self._app.frame(now, min(now - self._last, 0.1))
        self._last = now

    def until(self, done: Callable[[], object], what: str) -> None:
        """Frames until it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, f"never: {what}"
            self.frame()

    def press(self, *symbols: int) -> None:
        """Keys, one after the other, a frame after each."""
        for symbol in symbols:
            for event in ("on_key_press", "on_key_release"):
                self._window.dispatch_event(event, symbol, 0)
                self.frame()

    def teleport(self, text: str) -> None:
        """Answers the window's question for a place."""
        self._window.dispatch_event("on_key_press", self.key.T, 0)
        for words in ("t", text):
            self._window.dispatch_event("on_text", words)
        self.press(self.key.ENTER)

    def _fly(self, frames: int) -> None:
        self._window.dispatch_event("on_mouse_press", 10, 10, 1, 0)
        self._window.dispatch_event("on_key_press", self.key.W, 0)
        for _ in range(frames):
            self._window.dispatch_event(
                "on_mouse_motion", 10, 10, self._dice.randint(-30, 40), self._dice.randint(-5, 5)
            )
            self.frame()
        self._window.dispatch_event("on_key_release", self.key.W, 0)

    def _look_at_everything(self) -> None:
        key = self.key
        self.press(key.O, *(getattr(key, f"_{digit}") for digit in range(1, 10)), key.DELETE, key.O)
        self.press(key.F7, *(getattr(key, f"_{digit}") for digit in range(1, 8)))
        self.press(*(getattr(key, f"_{digit}") for digit in range(1, 8)), key.F7, key.F6, key.F6, key.F6)

    def _look_back(self) -> None:
        for symbol in (self.key.P, self.key.PAGEUP, self.key.HOME):
            self.press(symbol)
            self.until(lambda: self._app.session.world.timeline.playback is not None, "the past")
            for _ in range(10):
                self.frame()
        self.press(self.key.END)
        self.until(lambda: self._app.session.world.timeline.playback is None, "the present")

    def _lose_and_rejoin(self, killed: bool, *options: str) -> None:
        before = self._visit.connection
        (self._server.kill if killed else self._server.stop)()
        self.until(lambda: self._app.switcher.screen.lost, "the loss is told")
        self._server.start(*options)
        self.until(lambda: self._joined(before), "joined again")

    def _joined(self, before: object) -> bool:
        """Whether another connection is shown; asks for it again where a try took longer than a join may take."""
        if self._visit.connection is not before:
            return True
        if not self._app.switcher.screen.underway(self._last):
            self.press(self.key.R)
        return False

    def _dimension(self) -> str:
        return ("overworld", "nether", "end")[self._app.session.world.upkeep.dimension]


class Allocations(ctypes.Structure):
    """glibc's ``struct mallinfo2``: ten counts, of bytes in maps of their own (4) and in heaps (7) among them."""

    _fields_ = [("counts", 10 * ctypes.c_size_t)]


def allocated_mib() -> float:
    """What is allocated and not freed."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Allocations  # glibc 2.33 or newer
    counts = libc.mallinfo2().counts
    return (counts[4] + counts[7]) / (1 << 20)


def never_freed_mib() -> float:
    """What moderngl never frees of a context, about 0.05. A flight makes one a lap, a user's window one or two."""
    before = allocated_mib()
    for _ in range(CONTEXTS):
        moderngl.create_context(require=330).release()
    return (allocated_mib() - before) / CONTEXTS


def held(contexts_mib: float) -> Held:
    """What this process holds: MiB once all that is free was given back, and counts of everything else.

    ``contexts_mib``: what moderngl never frees; not counted.
    """
    collect_all()  # the world lay aside, where no other collection looks
    ctypes.CDLL(None).malloc_trim(0)
    process = Path("/proc/self")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return {
        RESIDENT: int(status["VmRSS"].split()[0]) / 1024 - contexts_mib,
        ALLOCATED: allocated_mib() - contexts_mib,
        "threads": len(list((process / "task").iterdir())),
        "descriptors": len(list((process / "fd").iterdir())),
        "child processes": len(children_of(process)),
        **{f"GL {kind}": count for kind, count in gl_objects().items()},
    }


def run(folder: Path, seconds: float, seed: int) -> None:
    """Laps for so long, and as many as are compared at least; a line after each."""
    pyglet.options.headless = True
    start, number = time.monotonic(), 0
    with served("hills") as server:
        flight = Flight(folder, server, seed)
        each_mib = never_freed_mib()
        while time.monotonic() < start + seconds or number <= WARM_LAPS:
            flight.lap(number)
            number += 1
            say({"lap": number, "at_s": round(time.monotonic() - start, 1), **held((CONTEXTS + number) * each_mib)})
        flight.close()


def say(facts: Held) -> None:
    """A line of JSON, at once."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def end(*_signal: object) -> None:
    """Told to: nothing that was started is left running."""
    sys.exit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    run(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
