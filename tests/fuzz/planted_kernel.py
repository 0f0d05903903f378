"""A kernel that reads beside its array: found only if the engine compiles kernels with bounds checks.

Imported by the engine alone, after it asked for those checks.
"""

from typing import Final

import numpy as np

from net.kernels.jit import kernel

_FOUR: Final = np.zeros(4, np.uint8)


@kernel("int64(uint8[::1], int64)")
def read_at(values, at):
    """One value."""
    return values[at]


def overrun(data: bytes) -> None:
    """Reads one place too far for inputs of more than three bytes."""
    read_at(_FOUR, len(data))
