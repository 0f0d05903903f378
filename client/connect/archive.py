"""Writes arrays to one .npz file: compressed, without pickles, whole or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from net.files import whole


def write_npz(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Writes all arrays under their names.

    Raises:
        OSError: when the place cannot be written.
        TypeError: for an array of Python objects, which only a pickle could hold.
    """
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"array '{name}' holds Python objects")
    contents: dict[str, Any] = dict(arrays)  # the stubs know a keyword of that function, not names of arrays
    with whole(path) as temporary, temporary.open("xb") as file:
        np.savez_compressed(file, **contents)
        file.flush()
        os.fsync(file.fileno())
