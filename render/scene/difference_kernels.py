"""Which blocks are equal in two stores: one pass over rows of ids, each left where it first differs.

Indices. None comes from outside: slots are those that two stores show.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import kernel
from net.space.layout import Slots

STRIDE: Final = 64
"""Words that are compared before anybody looks whether they were equal: half a kilobyte at once."""

Words = npt.NDArray[np.uint64]


@kernel("void(int32[::1], int32[::1], uint64[:,::1], uint64[:,::1], boolean[::1])")
def same_rows(ours: Slots, theirs: Slots, first: Words, second: Words, same: npt.NDArray[np.bool_]) -> None:
    """Whether rows of two arrays are equal.

    Args:
        ours: int32[n] rows of ``first``.
        theirs: int32[n] rows of ``second``.
        first: uint64[rows, words], a multiple of ``STRIDE`` of them.
        second: uint64[rows, words].
        same: bool[n], written.
    """
    for index in range(ours.shape[0]):
        mine, other = first[ours[index]], second[theirs[index]]
        different, at = nb.uint64(0), nb.int64(0)
        while at < mine.shape[0] and different == nb.uint64(0):
            for word in range(STRIDE):
                different |= mine[at + word] ^ other[at + word]
            at += STRIDE
        same[index] = different == nb.uint64(0)
