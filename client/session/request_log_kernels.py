"""The last answer to each of many places.

The plain meaning stands in ``tests/unit/client/session/test_requests.py``.

Indices. None comes from outside: places are the store's, causes what ``life_kernels`` wrote.
"""

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import kernel

Bits = npt.NDArray[np.bool_]
F64 = npt.NDArray[np.float64]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
U8 = npt.NDArray[np.uint8]


@kernel(
    "void(int32[::1], uint32[::1], float64[:,::1], uint8[:,::1], int16[:,::1], boolean[::1], float64[::1], int16[::1])"
)
def last_answers(
    places: I32, noted: U32, times_s: F64, causes: U8, codes: I16, is_answer: Bits, seconds: F64, found: I16
) -> None:
    """Looks through the rings of a history (``client.world.history``).

    Args:
        places: int32[n].
        noted: uint32[all places] events of each so far.
        times_s: float64[all places, kept] when each of the kept ones was.
        causes: uint8[all places, kept].
        codes: int16[all places, kept] result codes.
        is_answer: bool[causes].
        seconds: float64[n], written where there was an answer: when the youngest came, of equal ones the first kept.
        found: int16[n], likewise: its code.
    """
    for i in range(places.shape[0]):
        place = places[i]
        many = min(nb.int64(noted[place]), nb.int64(times_s.shape[1]))
        if many < 2:  # an announcement comes before any answer: most is air by its limit
            continue
        last = nb.int64(-1)
        for k in range(many):
            if is_answer[causes[place, k]] and (last < 0 or times_s[place, k] > times_s[place, last]):
                last = nb.int64(k)
        if last >= 0:
            seconds[i], found[i] = times_s[place, last], codes[place, last]
