"""Through which faces the sections of a column let sight: what the server's walks pass, made once with the column.

A walk looks at whole areas at a time: were this made when a walk first asks, a player that joins where hundreds of
columns are at hand would pay for all of them in one tick.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from net.interest.connectivity_kernels import SCRATCH_WORDS, SEE_THROUGH, connect

SmallBlocks = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""[4096] local ids of one section, in as few bytes as they need. Read-only."""
Openings = npt.NDArray[np.uint64]
"""[sections] pairs of faces from the floor up, a bit ``from * 8 + to`` each (``connectivity_kernels``). Read-only."""


def openings_of(sections: Sequence[SmallBlocks | None], stops_sight: npt.NDArray[np.bool_]) -> Openings:
    """Those of some sections; None is one of air.

    Args:
        sections: of one column.
        stops_sight: by local id.
    """
    found = np.full(len(sections), SEE_THROUGH, np.uint64)
    filled = [index for index, blocks in enumerate(sections) if blocks is not None]
    if filled:
        # np.take: an index in brackets costs up to twice as much (measured).
        opaque = np.stack([np.take(stops_sight, each) for each in sections if each is not None])
        columns = np.packbits(opaque, axis=1, bitorder="little").view("<u2")
        pairs, scratch = np.empty(len(filled), np.uint64), np.empty(SCRATCH_WORDS, np.int32)
        connect(columns, np.arange(len(filled), dtype=np.int32), 0, len(filled), pairs, scratch)
        found[filled] = pairs
    return found
