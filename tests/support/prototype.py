"""The measured prototype of the whole road, payloads to meshes, where it lies beside the checkout.

It has its own kernels, pools and world (the same terrain, seed 1), threads of a pool, and no store, no tables of light
slots, no models, no slopes of liquids and no looks; so it is a floor, not a rival.
"""

import importlib
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.native_limits import PROTOTYPES

DECODED_AT_ONCE = 128
QUADS_A_BATCH = 1 << 20


class Prototype:
    """The prototype's second round (``e2e2.py``) over its world."""

    def __init__(self, folder: Path) -> None:
        """Generates the world into a folder and loads (or compiles) the kernels."""
        world = folder / "world"
        subprocess.run([sys.executable, str(PROTOTYPES / "worldgen.py"), str(world)], check=True, capture_output=True)
        self._steps, common, rooms = (_module(name) for name in ("e2e2", "common", "common2"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # it leaves a file to the collector
            self._room = rooms.Nb2(common.World(str(world)))
        count = len(self._room.w.off)
        firsts = range(0, count, DECODED_AT_ONCE)
        self._scratch: dict[str, Any] = {  # Any: the prototype's own, untyped
            "out": [np.zeros(QUADS_A_BATCH, np.int64) for _ in range(2)],
            "l1": [np.zeros((64, 4096), np.uint16) for _ in firsts],
            "l1s": [np.zeros(64, np.int32) for _ in firsts],
            "free": [0, 1],
        }
        self._pool = ThreadPoolExecutor(2)

    def run(self, threads: int) -> list[float]:
        """All of it, on one thread or two: milliseconds of decoding with masks, visibility, light, meshes."""
        seconds, _ = self._steps.run(self._room, self._pool, threads, self._scratch)
        return [float(part) * 1e3 for part in seconds]

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown()


def prototype(folder: Path) -> Prototype | None:
    """The prototype; None where its source is missing."""
    return Prototype(folder) if (PROTOTYPES / "e2e2.py").exists() else None


def _module(name: str) -> Any:
    """One of its modules; they import each other by bare names."""
    sys.path.insert(0, str(PROTOTYPES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(PROTOTYPES))
