"""Kernels with faults, and the faults that a checked process finds.

Run ``python -m tests.support.data.planted_kernels FOLDER`` with ``CHUNKSCOPE_CHECKED=1``, which is read when the
first kernel is made.
"""

import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from net.kernels.checked import guard_memory
from net.kernels.compiled import write_image_of
from net.kernels.image import load_image
from net.kernels.jit import OPTIONS, inner, kernel

HERE = sys.modules[__name__]


@inner
def _put(values, at):
    values[at] = 1


@kernel("void(uint8[::1], int64)")
def write_at(values, at):
    _put(values, at)


@kernel("int64(uint16[:,::1], uint32, int64)")
def read_in_row(rows, row, at):
    found = rows[row]
    return found[at]


@njit("void(uint16[:,::1])", **OPTIONS | {"boundscheck": False, "cache": False})
def write_a_row_too_many(rows):
    """Writes one row beyond the end, in a kernel that checks no index."""
    for column in range(rows.shape[1]):
        rows[rows.shape[0], column] = 7


def said_by(call: Callable[..., object], *given: object) -> str:
    try:
        call(*given)
    except (IndexError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    guards = guard_memory()
    path = Path(sys.argv[1]) / "checked" / "kernels"
    path.parent.mkdir()
    write_image_of(path, [HERE])
    image = load_image(path)
    found: dict[str, Any] = {}
    for name, write, read in (
        ("compiled", write_at, read_in_row),
        ("image", *(image.function(one.__name__, one.__self__.signature) for one in (write_at, read_in_row))),
    ):
        values, rows = np.zeros(4, np.uint8), np.zeros((2, 3), np.uint16)
        found[name] = [
            *(said_by(write, values, at) for at in (3, 4, -1, 1 << 40)),
            *(said_by(read, rows, *at) for at in ((1, 2), (2, 0), (1, 3), (1, -1))),
        ]
        found[f"{name} written"] = values.tolist()
    found["before"] = guards.damage()
    pool, grown = np.zeros((5, 4096), np.uint16), np.empty((5, 4096), np.uint16)
    write_a_row_too_many(pool)
    found["row beyond"], found["said once"] = guards.damage(), guards.damage()
    grown.resize((9, 4096), refcheck=False)
    write_a_row_too_many(grown)
    del grown
    found["row beyond one that is gone"] = guards.damage()
    small = np.empty(3, np.uint8)
    found["unwritten"] = small.tolist()
    ctypes.memset(small.ctypes.data - 2, 0, 1)
    found["before the first byte"] = guards.damage()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
