"""How long a warm start takes, from the process's start to pictures in the window, phase by phase.

The viewer is started as its user starts it, on a virtual screen, against ``embedded:hills`` at the default radius. Two
frames count: the first of the progress line, from when on the window is alive, and the first that shows the joined
world. Elapsed times on a shared machine say little: the best of a few starts is judged, against ceilings that grow with
how crowded the processors are just before it; and the processor time is shown beside it.

What the first start ever costs, which compiles all kernels, and what a warm one does before it joins anything.

Processor time of processes of their own, beside that of others which do a fixed work of the same kind just before and
just after: translating the standard library's source (Python objects by the million, as Numba's compiler makes), and
importing NumPy and LLVM. Targets: 16 s in one process; 0.35 s of imports and kernels.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.kernel_cache.cache import ALL_PACKAGES
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


# --------------------------------------------------------------------- test first start

ROOT = Path(__file__).parents[2]

COMPILED = f"-m client.kernel_cache.compile {' '.join(ALL_PACKAGES)}".split()
TRANSLATED = """
import glob, os
sources = [open(name, "rb").read() for name in sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))]
for source in sources:
    compile(source, "source", "exec")
"""
WARM = """
import gc
from render import COLLECT_AFTER
gc.set_threshold(*COLLECT_AFTER)
import render.cli
from client.kernel_cache import use_cache, use_compiled
use_cache()
assert use_compiled(("net", "client", "render"))
import client.connection.opening, render.scene, render.capture.api, os, sys
assert "numba" not in sys.modules
os._exit(0)  # to take an interpreter apart is no part of a start
"""
LIBRARIES = "import numpy, llvmlite.binding, os; os._exit(0)"
WARM_STARTS = 5
MOST_OF_TRANSLATING = 60.0
"""Compiling all kernels in one process, of translating the standard library once: 1.5 of what it took when we lowered
kernels ourselves (16.4 and 24.2 s of processor time beside each other), which was 25 to 33."""
MOST_OF_LIBRARIES = 3.3
"""All that is imported before a picture is begun, of the two libraries alone: 2.6 to 2.8 were measured."""


def processor_s(cache: Path, *words: str) -> float:
    """Seconds that a process and its children take of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    if WARM in words:  # a person's Python keeps what it has translated
        settings |= {"PYTHONPYCACHEPREFIX": str(cache / "python"), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([sys.executable, *words], env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@gated
def test_a_first_start_and_a_warm_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("kernels")
    translating = processor_s(cache, "-c", TRANSLATED)
    compiling = processor_s(cache, *COMPILED)
    translating = (translating + processor_s(cache, "-c", TRANSLATED)) / 2
    processor_s(cache, "-c", WARM)  # Python's own cache
    starts = [(processor_s(cache, "-c", WARM), processor_s(cache, "-c", LIBRARIES)) for _ in range(WARM_STARTS)]
    warm, libraries = (min(times) for times in zip(*starts, strict=True))
    print(f"\nall kernels, one process: {compiling:.1f} s; {compiling / translating:.2f} of translating")
    print(f"all imports of a warm start: {warm:.2f} s; {warm / libraries:.2f} of NumPy's and LLVM's {libraries:.2f}")
    gate("first start, of translating the standard library", compiling / translating, MOST_OF_TRANSLATING)
    gate("warm start, of importing two libraries", warm / libraries, MOST_OF_LIBRARIES)
