"""How long a warm start takes, from the process's start to pictures in the window, phase by phase.

The viewer is started as its user starts it, on a virtual screen, against ``embedded:hills`` at the default radius. Two
frames count: the first of the progress line, from when on the window is alive, and the first that shows the joined
world. Elapsed times on a shared machine say little: the best of a few starts is judged, against ceilings that grow with
how crowded the processors are just before it; and the processor time is shown beside it.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bench.gates import gate, gated
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.bench

STARTS = 4
BUSY_S = 0.2
ALIVE_S = 1.0
"""Ceiling for the first frame in the window."""
WORLD_S = 4.0
"""Ceiling for the first frame of the world, on a machine with little else to do; two seconds are usual."""

PHASES = {
    "started": "the command line is read",
    "window": "the window is open",
    "alive": "the first frame of the progress line",
    "loaded": "all modules and kernels are imported",
    "joined": "the server let the player in",
    "scene": "textures, tables and programs are made",
    "frame": "the first frame of the joined world",
    "world": "the first with terrain in it",
}


@pytest.fixture
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


def crowding() -> float:
    """Elapsed over processor time of a busy moment: 1 on a free machine."""
    elapsed, used = time.perf_counter(), time.process_time()
    while time.process_time() - used < BUSY_S:
        pass
    return max(1.0, (time.perf_counter() - elapsed) / BUSY_S)


def phases(running: Viewer) -> dict[str, float]:
    """Seconds from the process's start to each phase."""
    names = {"loading": "alive"}
    reached: dict[str, float] = {}
    for event in running.events:
        name = event["what"] if event["event"] == "phase" else names.get(event["event"], event["event"])
        if name in PHASES:
            reached.setdefault(name, event["at_s"] - running.started_s)
    return reached


@gated
def test_a_warm_start_shows_the_world(display: Screen, tmp_path: Path) -> None:
    runs = []
    for number in range(STARTS + 1):
        folder = tmp_path / str(number)
        folder.mkdir(exist_ok=True)
        crowd = crowding()
        with viewer(display, folder, "embedded:hills") as running:
            running.wait("world")
            used_s = running.user_s()
            runs.append((phases(running), used_s, crowd))
    runs = runs[1:]  # the first may compile kernels and paint textures
    best, used_s, crowd = min(runs, key=lambda run: run[0]["world"] / run[2])
    print("\nwarm start of `chunkscope view embedded:hills`, best of", STARTS)
    before = 0.0
    for name, meaning in PHASES.items():
        print(f"  {best[name]:6.2f} s  +{best[name] - before:5.2f}  {meaning}")
        before = best[name]
    print(f"  {used_s:6.2f} s  processor time of the viewer until then")
    print("  every start:", json.dumps([round(run["world"], 2) for run, _, _ in runs]), f"crowding {crowd:.1f}")
    gate("s to a living window", min(run["alive"] / crowd for run, _, crowd in runs), ALIVE_S)
    gate("s to the world", best["world"] / crowd, WORLD_S)
