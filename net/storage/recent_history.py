"""The last minutes of a session in memory, bounded: a recording without a file, which can be played back at any time.

    owner thread                          buffer's thread
    put(turn, traces, known) ───▶ turns ─▶ records ─▶ blocks ─▶ too old, too much? ─▶ thinned
    tape() ◀───────────────────────────────────────── front + blocks

Rules:
1. It begins with its session, like any recording, and can be replayed from there. Data older than ``kept_s`` is thinned
   (``thinned``): only packets that affect the world's later state are kept. So the history is complete from
   ``whole_from_us`` on, and one cannot seek to before that.
2. From time to time the owner passes the columns that are known: this marks the end of a part. Only whole parts are
   thinned.
3. If ``most_bytes`` cannot hold ``kept_s``, the complete history becomes shorter; if even the present state takes more,
   the buffer ends with a ``failure`` that says so, and its memory is freed.
4. Bytes counted are those of compressed blocks, of the columns of their packets, and of checkpoints.
5. With a mark the owner may pass a *checkpoint*, the state of the session at that time: seeking starts from it and
   replays only what follows. Checkpoints take at most half of ``most_bytes``, and a quarter if the history needs the
   rest. When that is full, the checkpoint is dropped whose gap is smallest relative to its age, so recent ones are
   denser. Of the thinned history only the last one is kept.

Limits: ticks are kept for the whole session, 10 MB an hour of flying at 60 frames a second (measured, with noise for
times and views). Only a saved history is replayed from the join on.

Parts (``HistoryPart``): a part ends at a mark; a checkpoint is at the end of its part, and a thinned part keeps the
last one.
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
from net.recording.file import Recording, RecordingWriter
from net.recording.header import Header
from net.recording.records import NUMBERED, OmittedRecord, TickRecord, TimedRecord, ViewRecord, numbers_of
from net.storage.recorder import Turn, Turns, entries_of, size_of

Columns = npt.NDArray[np.int32]
"""[n, 2] x and z of columns."""
Traces = Mapping[int, Columns]
"""By packet number: the columns that the packet was about, none if it has no lasting effect."""


def thinned(entries: Iterable[TimedRecord], number: int, traces: Traces, kept: Columns) -> Iterator[TimedRecord]:
    """The records of a part without packets that have no effect on the state at its end.

    ``entries``: from the start of a turn to the end of one. ``number``: of the first packet among them. ``traces``: of
    their packets. ``kept``: the columns that are known at the end of the part.
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
"""Memory of a packet's columns, besides 8 bytes for each (190 measured)."""


class Packable(Protocol):
    """The state of a session at one time, opaque to this module."""

    size_bytes: int  # memory once it is packed

    def pack(self) -> None:
        """Compresses it; called once, on the buffer's thread."""
        ...


class Start(msgspec.Struct, frozen=True):
    """The position of a checkpoint in a tape."""

    checkpoint: Packable  # packed
    offset: int  # of the first block after it
    time_us: int  # of the last turn before it
    packets: int  # of the server before it
    ticks: int  # before it


class TimedTurn(msgspec.Struct, frozen=True):
    """A turn, with its packets' columns."""

    turn: Turn  # in order
    # by index among the turn's packets of the server: the columns it was about; missing if it must be kept
    traces: Mapping[int, Columns]
    known: Columns | None = None  # columns known now, to mark the end of a part
    checkpoint: Packable | None = None  # the session's present state; only together with ``known``


class HistoryPart(msgspec.Struct, frozen=True):
    """Some blocks, up to a mark."""

    blocks: bytes  # as in a file
    number: int  # of the first packet in them
    last_us: int  # time of the mark
    traces: Mapping[int, Columns]  # of their packets, by number
    known: Columns  # columns that are known at its end
    size_bytes: int  # memory of all this
    end_number: int  # of the first packet after it
    end_ticks: int  # before its end
    checkpoint: Packable | None = None  # at its end


def least_missed(times_us: Sequence[int]) -> int:
    """The index of the checkpoint to drop: the one whose gap, relative to its age, is smallest.

    So gaps grow with age, and seeking is fastest where it is most frequent. The last one stays while there are others,
    and the first while there are two others.
    """
    last_us = times_us[-1]
    threes = zip(times_us, times_us[1:], times_us[2:], strict=False)
    gaps = [(after - before) / (1 + last_us - at) for before, at, after in threes]
    return 1 + gaps.index(min(gaps)) if gaps else 0


def thin_part(header: Header, parts: Sequence[HistoryPart]) -> HistoryPart:
    """Joins consecutive parts into one, thinned by the columns known at the end of the last."""
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
"""How much older than ``kept_s`` data may become before it is thinned, which takes some tenths of a second."""
MOST_THIN: Final = 8
"""Most adjacent thinned parts before all are thinned again: fewer of their columns are known by now."""
FLUSHED_S: Final = 5.0


class HistoryBuffer:
    """The history of one session; the owner calls ``put``, ``tape`` and ``close``."""

    def __init__(self, header: Header, encode: Callable[[Message], bytes], kept_s: float, most_bytes: int) -> None:
        """Starts empty. ``encode``: a message's packet; called on the buffer's thread, so it must hold no state."""
        self.kept_s = kept_s  # length of the complete history
        self.most_bytes = most_bytes  # limit of all memory held
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
        self._parts: list[HistoryPart] = []  # replaced, never changed: the owner reads it at any time
        self._thin_parts = 0  # of these
        self._turns: Turns[TimedTurn] = Turns(self, "the last minutes")

    # ---------------------------------------------------------------- owner thread

    def put(self, noted: TimedTurn) -> None:
        """Adds a turn; dropped after the end or a failure."""
        self._turns.put(noted, size_of(noted.turn))

    @property
    def failure(self) -> Exception | None:
        """Why there is no history any more; None if it works."""
        return self._turns.failure

    @property
    def whole_from_us(self) -> int:
        """Time from which on nothing was omitted."""
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
        """The history up to now as the bytes of a recording; a copy.

        Raises OSError: there is no history any more, or the thread hangs.
        """
        return self.tape_with_starts()[0]

    def tape_with_starts(self) -> tuple[BinaryIO, tuple[Start, ...]]:
        """The tape, and the positions of its checkpoints, in order; raises as ``tape``."""
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
        """Ends the thread; the tape stays available. May be called again; ``now`` is the session's time."""
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
        """Compresses the turns added."""
        self._open += self._writer.flush()

    def finish(self, _now: float, _time_us: int) -> None:
        self.flush()

    def end(self) -> None:
        """Frees the memory after a failure."""
        if self.failure is not None:
            self._parts, self._traces, self._traced_bytes = [], {}, 0
            self._open.clear()

    def _trace(self, columns: Columns | None) -> None:
        if columns is not None:
            self._traces[self._number] = columns
            self._traced_bytes += TRACE_BYTES + columns.nbytes
        self._number += 1

    def _mark(self, known: Columns, checkpoint: Packable | None) -> None:
        """Ends a part."""
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
        """Thins parts that are too old or too large."""
        while self.checkpoint_bytes > self._checkpoints_bytes:
            self._drop_checkpoint()
        ages = [self._last_us - part.last_us for part in self._parts]
        if self._last_us - self.whole_from_us > SLACK * 1e6 * self.kept_s:
            first = 0 if self._thin_parts >= MOST_THIN else self._thin_parts
            self._thin(first, self._at_checkpoint(sum(age >= 1e6 * self.kept_s for age in ages), ages))
        if self.size_bytes > self.most_bytes:
            # Half is left for new parts; otherwise each new part would cause thinning all again.
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
        """Limit of checkpoints: half of all, and at least a quarter."""
        beside = self.size_bytes - self.checkpoint_bytes
        return min(self.most_bytes // 2, max(self.most_bytes - beside, self.most_bytes // 4))

    def _at_checkpoint(self, end: int, ages: Sequence[int]) -> int:
        """The last checkpoint not after ``end`` and not much older; ``end`` if there is none."""
        young = (at for at in range(end, 0, -1) if ages[at - 1] <= SLACK * 1e6 * self.kept_s)
        return next((at for at in young if self._parts[at - 1].checkpoint is not None), end)

    def _too_many(self) -> int:
        """How many parts there are before the last ones that take half of the limit."""
        sizes = accumulate(part.size_bytes for part in reversed(self._parts))
        return len(self._parts) - sum(size <= self.most_bytes // 2 for size in sizes)

    def _drop_checkpoint(self) -> None:
        """Drops the checkpoint chosen by ``least_missed``; the last one only if no other is left."""
        held = [at for at, part in enumerate(self._parts) if part.checkpoint is not None]
        gone = held[least_missed([self._parts[at].last_us for at in held])]
        without = replace(self._parts[gone], checkpoint=None)
        self._parts = [*self._parts[:gone], without, *self._parts[gone + 1 :]]

    def _thin(self, first: int, end: int) -> None:
        """Replaces parts by one thinned part."""
        if first >= end:
            return
        old = self._parts[first:end]
        part = thin_part(self._header, old)
        self._header = replace(self._header, whole_from_us=max(self.whole_from_us, part.last_us))
        before = (replace(part, checkpoint=None) for part in self._parts[:first])  # seeking ends there
        self._parts = [*before, part, *self._parts[end:]]
        self._thin_parts = first + 1
