"""The C++ reference of what kernels can reach, compiled where its source and a compiler are."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from net.space.layout import ColumnMasks

SOURCE = Path(__file__).parents[3] / "shared" / "prototypes" / "perf" / "limits.cpp"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-shared", "-fPIC")


class NativeLimits:
    """One compiled library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def connectivity(self, opaque: ColumnMasks) -> np.ndarray:
        """Which face sees which of some slots: uint64[n]."""
        found = np.zeros(len(opaque), np.uint64)
        count = ctypes.c_int64(len(opaque))
        self._library.vis_batch(
            ctypes.c_void_p(opaque.ctypes.data), ctypes.c_int64(0), count, ctypes.c_void_p(found.ctypes.data)
        )
        return found


def native_limits(folder: Path) -> NativeLimits | None:
    """Compiles the reference into a folder; None where its source or a compiler is missing."""
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    if compiler is None or not SOURCE.exists():
        return None
    library = folder / "limits.so"
    subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library)], check=True, capture_output=True)
    return NativeLimits(library)
