"""What the ledger tells of answers and of itself."""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import Places


@frozen
class Outcome:
    """What one packet of answers did.

    Attributes:
        settled: places that were held and are done.
        waiting: places to be asked again after a pause.
        closed: places refused for good.
        closed_results: the result code of each of those.
        paused: whether the server does not know the player: ask nothing until it spawns.
    """

    settled: Places
    waiting: Places
    closed: Places
    closed_results: npt.NDArray[np.uint8]
    paused: bool


@frozen
class LedgerStats:
    """Counts since the start, but for the first three and the last, which are now.

    ``unasked`` are answers for places that were not held: repeated ones, and ones that nobody asked for, but for those
    that came late (the ledger's rule 10). ``late`` of the time-outs were followed by an answer.
    """

    outstanding: int
    waiting: int
    closed: int
    asked: int
    settled: int
    failed: int
    timed_out: int
    unasked: int
    window: int
    late: int = 0
