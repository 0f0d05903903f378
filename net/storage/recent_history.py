"""The last minutes of a session in memory, bounded: a recording without a file that can be lived through at any time.

    owner thread                          buffer's thread
    put(turn, traces, known) ───▶ turns ─▶ records ─▶ blocks ─▶ too old, too much? ─▶ thinned
    tape() ◀───────────────────────────────────────── front + blocks

Rules:
1. It begins with its session, as any recording does, and what is in it can be replayed from there. What lies further
   back than ``kept_s`` is thinned (``thinned``): there stays what the world of then was made of, no
   more. So the past is whole from ``whole_from_us`` on, and before that one cannot go.
2. Now and then the owner says which columns are known (a ``Mark``): only there a part may be cut off and thinned.
3. Where ``most_bytes`` do not hold ``kept_s``, the whole part becomes shorter; where even what is shown now takes more,
   the buffer ends with a ``failure`` that says so, and its memory goes.
4. Bytes are those of compressed blocks, of what is known of their packets, and of checkpoints.
5. With a mark the owner may hand over a *checkpoint*, what the session was then: whoever goes back begins there, and
   lives through no more than lies between. They have at most half of the room, and a quarter where the past needs the
   rest; where that is full, the one goes whose gap is least beside its age, so they lie the closer the younger they
   are. Of what is thinned only the last one stays.

Limits: ticks stay for as long as the session lasts, 10 MB an hour of flying at 60 frames a second (measured, with noise
for times and looks). Only a saved past is lived through from the join on.

Parts: What the last minutes of a session are made of: parts between marks, with checkpoints at the ends of some;
both thin.
1. A part ends at a mark, where it is known which columns stay: only there it may be cut off and thinned.
2. A checkpoint stands at the end of its part; a thinned part keeps the last one's.
"""

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import accumulate, islice
from typing import BinaryIO, Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from net.bedrock import Message
from net.recording import Header, Recording, RecordingWriter
from net.recording.records import NUMBERED, OmittedRecord, TickRecord, TimedRecord, ViewRecord, numbers_of
from net.storage.recorder import Turn, Turns, entries_of, size_of

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


TRACE_BYTES: Final = 200
"""What is kept of a packet's columns, beside 8 bytes for each (190 measured)."""


class Packable(Protocol):
    """What a session was at one moment; whoever made it knows what that is."""

    size_bytes: int  # what it takes, once it is packed

    def pack(self) -> None:
        """Makes it small; called once, on the thread."""
        ...


class Start(msgspec.Struct, frozen=True):
    """Where in a tape a checkpoint stands."""

    checkpoint: Packable  # packed
    offset: int  # of the first block behind it
    time_us: int  # of the last turn before it
    packets: int  # of the server before it
    ticks: int  # before it


class TimedTurn(msgspec.Struct, frozen=True):
    """A turn, and what is known of it."""

    turn: Turn  # in order
    # by its place among the turn's packets of the server: the columns it was about; nothing where all stays
    traces: Mapping[int, Columns]
    known: Columns | None = None  # columns that are known now, where it is time to say so
    checkpoint: Packable | None = None  # what the session is now, where it is time for one; only beside ``known``


class HistoryPart(msgspec.Struct, frozen=True):
    """Some blocks, up to a mark."""

    blocks: bytes  # as a file has them
    number: int  # of the first packet in them
    last_us: int  # time of the mark
    traces: Mapping[int, Columns]  # of their packets, by number
    known: Columns  # columns that are known at its end
    size_bytes: int  # of all this
    end_number: int  # of the first packet behind it
    end_ticks: int  # before its end
    checkpoint: Packable | None = None  # at its end


def least_missed(times_us: Sequence[int]) -> int:
    """Which of some checkpoints may go: without it the gap around it is least, measured by how long ago that is.

    So gaps grow with age, and a way back is as short as it can be where one goes back to most. The last one stays while
    there are others, and the first while there are two others.
    """
    last_us = times_us[-1]
    threes = zip(times_us, times_us[1:], times_us[2:], strict=False)
    gaps = [(after - before) / (1 + last_us - at) for before, at, after in threes]
    return 1 + gaps.index(min(gaps)) if gaps else 0


def thin_part(header: Header, parts: Sequence[HistoryPart]) -> HistoryPart:
    """One part of some that follow each other, thinned by what is known at the end of the last."""
    last, number = parts[-1], parts[0].number
    traces = {at: columns for part in parts for at, columns in part.traces.items()}
    writer, blocks, kept = RecordingWriter(header, number), bytearray(), dict[int, Columns]()
    recording = Recording(BytesIO(b"".join((writer.front, *(part.blocks for part in parts)))))
    for entry in thinned(recording.entries(), number, traces, last.known):
        writer.add(entry)
        if number in traces and isinstance(entry.record, NUMBERED):
            kept[number] = traces[number]
        number += numbers_of(entry.record)
        if writer.full:
            blocks += writer.flush()
    blocks += writer.flush()
    size = len(blocks) + sum(TRACE_BYTES + columns.nbytes for columns in kept.values()) + last.known.nbytes
    return replace(last, blocks=bytes(blocks), number=parts[0].number, traces=kept, size_bytes=size)


SLACK: Final = 1.25
"""How much older than asked for the past may become before it is thinned: that costs some tenths of a second."""
MOST_THIN: Final = 8
"""Thinned parts beside each other, until all of them are thinned again: of what was known then less is known now."""
FLUSHED_S: Final = 5.0


class HistoryBuffer:
    """One session's last minutes; ``put``, ``tape`` and ``close`` are the owner's."""

    def __init__(self, header: Header, encode: Callable[[Message], bytes], kept_s: float, most_bytes: int) -> None:
        """Empty. ``encode``: a message's packet; called on the thread, so it must hold no state."""
        self.kept_s = kept_s  # how far back the past shall be whole
        self.most_bytes = most_bytes  # bound of all that is held
        self._header = header
        self._encode = encode
        self._writer = RecordingWriter(header)
        self._number = 0  # of the next packet
        self._ticks = 0
        self._last_us = 0
        self._open = bytearray()  # blocks since the last mark
        self._open_number = 0
        self._traces: dict[int, Columns] = {}
        self._traced_bytes = 0
        self._parts: list[HistoryPart] = []  # replaced, never changed: the owner looks at it at any time
        self._thin_parts = 0  # of these
        self._turns: Turns[TimedTurn] = Turns(self, "the last minutes")

    # ---------------------------------------------------------------- owner thread

    def put(self, noted: TimedTurn) -> None:
        """Hands over a turn; dropped after the end or a failure."""
        self._turns.put(noted, size_of(noted.turn))

    @property
    def failure(self) -> Exception | None:
        """Why there is no past any more, if something went wrong."""
        return self._turns.failure

    @property
    def whole_from_us(self) -> int:
        """From where on nothing was left out."""
        return self._header.whole_from_us

    @property
    def size_bytes(self) -> int:
        return (
            sum(part.size_bytes for part in self._parts) + len(self._open) + self._traced_bytes + self.checkpoint_bytes
        )

    @property
    def checkpoint_bytes(self) -> int:
        return sum(part.checkpoint.size_bytes for part in self._parts if part.checkpoint is not None)

    def tape(self) -> BinaryIO:
        """All of it up to now as a recording's bytes, with which nothing more happens.

        Raises OSError: there is no past any more, or the thread hangs.
        """
        return self.tape_with_starts()[0]

    def tape_with_starts(self) -> tuple[BinaryIO, tuple[Start, ...]]:
        """The tape, and where in it checkpoints stand, in order; OSError as ``tape``."""
        if not self._turns.flushed(FLUSHED_S):
            raise OSError(errno.ETIMEDOUT, "the last minutes cannot be written in time")
        if self.failure is not None:
            raise self.failure
        front, parts, rest = RecordingWriter(self._header).front, self._parts, bytes(self._open)
        ends = accumulate((len(part.blocks) for part in parts), initial=len(front))
        starts = tuple(
            Start(part.checkpoint, end, part.last_us, part.end_number, part.end_ticks)
            for part, end in zip(parts, islice(ends, 1, None), strict=True)
            if part.checkpoint is not None
        )
        return BytesIO(b"".join((front, *(part.blocks for part in parts), rest))), starts

    def close(self, now: float) -> None:
        """Ends the thread; the tape can still be had. May be called again; ``now`` is the session's time."""
        self._turns.close(now, self._last_us)

    # ---------------------------------------------------------------- the thread: its own sink

    def add(self, noted: TimedTurn) -> None:
        at = 0
        for entry in entries_of(noted.turn, self._encode):
            self._writer.add(entry)
            self._last_us = max(self._last_us, entry.time_us)
            self._ticks += isinstance(entry.record, TickRecord)
            if numbers_of(entry.record):
                self._trace(noted.traces.get(at))
                at += 1
            if self._writer.full:
                self.flush()
        if noted.known is not None:
            self._mark(noted.known, noted.checkpoint)

    def flush(self) -> None:
        """Compresses what came."""
        self._open += self._writer.flush()

    def finish(self, _now: float, _time_us: int) -> None:
        """Compresses what came; there is no file whose order a mark would tell."""
        self.flush()

    def end(self) -> None:
        """Where it failed, the memory goes."""
        if self.failure is not None:
            self._parts, self._traces, self._traced_bytes = [], {}, 0
            self._open.clear()

    def _trace(self, columns: Columns | None) -> None:
        if columns is not None:
            self._traces[self._number] = columns
            self._traced_bytes += TRACE_BYTES + columns.nbytes
        self._number += 1

    def _mark(self, known: Columns, checkpoint: Packable | None) -> None:
        """A part ends here."""
        self.flush()
        if checkpoint is not None:
            checkpoint.pack()
        size = len(self._open) + self._traced_bytes + known.nbytes
        number, ticks = self._number, self._ticks
        part = HistoryPart(
            bytes(self._open), self._open_number, self._last_us, self._traces, known, size, number, ticks, checkpoint
        )
        self._parts = [*self._parts, part]
        self._open.clear()
        self._open_number, self._traces, self._traced_bytes = self._number, {}, 0
        self._bound()

    def _bound(self) -> None:
        """Thins what is too old, or too much."""
        while self.checkpoint_bytes > self._checkpoints_bytes:
            self._drop_checkpoint()
        ages = [self._last_us - part.last_us for part in self._parts]
        if self._last_us - self.whole_from_us > SLACK * 1e6 * self.kept_s:
            first = 0 if self._thin_parts >= MOST_THIN else self._thin_parts
            self._thin(first, self._at_checkpoint(sum(age >= 1e6 * self.kept_s for age in ages), ages))
        if self.size_bytes > self.most_bytes:
            # Half is left for what comes, lest each part that comes is a reason to go through all of it again.
            self._thin(0, self._too_many())
        if self.size_bytes > self.most_bytes:
            self._thin(0, len(self._parts))
        while self.size_bytes > self.most_bytes and self.checkpoint_bytes:
            self._drop_checkpoint()
        if self.size_bytes > self.most_bytes:
            shown_mb, most_mb = self.size_bytes / 1e6, self.most_bytes / 1e6
            reason = f"the world takes {shown_mb:.1f} MB, and the limit of the history is {most_mb:.1f}"
            raise OSError(errno.ENOBUFS, reason)

    @property
    def _checkpoints_bytes(self) -> int:
        """What checkpoints may take: half of all, and a quarter at least."""
        beside = self.size_bytes - self.checkpoint_bytes
        return min(self.most_bytes // 2, max(self.most_bytes - beside, self.most_bytes // 4))

    def _at_checkpoint(self, end: int, ages: Sequence[int]) -> int:
        """The last place where a checkpoint stands, not after ``end`` and not much older; ``end`` where none does."""
        young = (at for at in range(end, 0, -1) if ages[at - 1] <= SLACK * 1e6 * self.kept_s)
        return next((at for at in young if self._parts[at - 1].checkpoint is not None), end)

    def _too_many(self) -> int:
        """How many parts there are before the last ones that take half of the room."""
        sizes = accumulate(part.size_bytes for part in reversed(self._parts))
        return len(self._parts) - sum(size <= self.most_bytes // 2 for size in sizes)

    def _drop_checkpoint(self) -> None:
        """The one of which the least is missed: the last one goes when no other is left."""
        held = [at for at, part in enumerate(self._parts) if part.checkpoint is not None]
        gone = held[least_missed([self._parts[at].last_us for at in held])]
        without = replace(self._parts[gone], checkpoint=None)
        self._parts = [*self._parts[:gone], without, *self._parts[gone + 1 :]]

    def _thin(self, first: int, end: int) -> None:
        """Makes one thinned part of some."""
        if first >= end:
            return
        old = self._parts[first:end]
        part = thin_part(self._header, old)
        self._header = replace(self._header, whole_from_us=max(self.whole_from_us, part.last_us))
        before = (replace(part, checkpoint=None) for part in self._parts[:first])  # nobody goes back to there
        self._parts = [*before, part, *self._parts[end:]]
        self._thin_parts = first + 1
