"""What of an older part of a recording must stay, so that a later one can be lived through without the rest.

Rules:
1. Whoever records says of each packet which columns it was about (``Traces``); nothing said: it stays. A packet that
   was about columns all of which were let go by the time ``kept`` speaks of has left nothing behind, and goes.
2. What goes leaves an ``OmittedRecord`` with its packet numbers, so that later packets keep theirs.
3. Of several looks in one turn the last counts: the player moves at the turn's end.
4. Everything else stays as it is, above all turns and ticks: the player flies, and lets go of what it leaves, tick by
   tick.

So the world at the end of the part is as it was: blocks, states and who is where. What is gone is the world in between,
and counts of what was ever received.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from net.recording.records import NUMBERED, OmittedRecord, TickRecord, TimedRecord, ViewRecord, numbers_of

Columns = npt.NDArray[np.int32]
"""[n, 2] x and z of columns."""
Traces = Mapping[int, Columns]
"""By number of a packet: the columns that it was about, none where it left no trace at all."""


def thinned(entries: Iterable[TimedRecord], number: int, traces: Traces, kept: Columns) -> Iterator[TimedRecord]:
    """The records of a part without those that left nothing.

    ``entries``: from the beginning of a turn to the end of one. ``number``: of the first packet among them. ``traces``:
    of their packets. ``kept``: the columns that are known at the end of the part.
    """
    known = frozenset(map(tuple, kept.tolist()))
    left_out, last = 0, 0
    look: TimedRecord | None = None
    for entry in entries:
        record = entry.record
        if isinstance(record, NUMBERED) and _is_gone(traces.get(number), known):
            left_out, last = left_out + 1, entry.time_us
        elif isinstance(record, ViewRecord):
            look = entry
        else:
            if isinstance(record, TickRecord) and look is not None:
                yield look
                look = None
            if left_out:
                yield TimedRecord(last, OmittedRecord(left_out))
                left_out = 0
            yield entry
        number += numbers_of(record)
    if left_out:
        yield TimedRecord(last, OmittedRecord(left_out))


def _is_gone(columns: Columns | None, known: frozenset[tuple[int, ...]]) -> bool:
    return columns is not None and known.isdisjoint(map(tuple, columns.tolist()))
