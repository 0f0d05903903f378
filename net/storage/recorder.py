"""Writes one recording on a thread of its own.

    owner thread                       disk thread
    put(turn) -- entries -->  turns -> encode messages -> block -> file

Rules:
1. Encoding sent messages, removing keys, compressing and writing happen on the thread (``Turns``); compression and
   writing run without the interpreter lock.
2. Turns are in the file little more than a second after ``put``, unbuffered: killing the process loses only those.
3. After a disk error the written part stays readable. ``close`` writes the waiting turns and the mark of a file closed
   in order, and frees thread and file.

Queue (``Turns``):
1. ``put`` only appends: it never waits, wakes no thread and never raises for the sink's errors. The thread checks the
   queue five times a second. (A queue that wakes the thread cost the owner up to 10 ms a turn, waiting for the
   interpreter lock: measured.)
2. A sink that fails, or lags so that ``queued_bytes`` wait, ends the recording, never the session: ``failure`` gives
   the reason.
3. ``close`` passes the waiting turns on, finishes the sink, and ends the thread. ``flushed`` waits until the queued
   turns are flushed, for callers that can wait some milliseconds.
"""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from net.bedrock import Message
from net.recording.file import RecordingWriter
from net.recording.header import Header
from net.recording.records import LoginRecord, ReceivedRecord, Record, SentRecord, TimedRecord

FLUSH_S: Final = 1.0
LOOK_S: Final = 0.2
CLOSE_S: Final = 30.0
"""Limit for writing the waiting turns: 256 MB at most, on a disk of ten a second."""
QUEUED_BYTES: Final = 256 << 20

T_contra = TypeVar("T_contra", contravariant=True)
Item = TypeVar("Item")


class Sink(Protocol[T_contra]):
    """The destination of turns; all methods are called on the thread."""

    def add(self, item: T_contra) -> None:
        """Adds one turn."""
        ...

    def flush(self) -> None:
        """Called from time to time: makes the added turns permanent."""
        ...

    def finish(self, now: float, time_us: int) -> None:
        """Finishes in order, at the session's time and at the recording's."""
        ...

    def end(self) -> None:
        """Frees its resources, in any case."""
        ...


class Turns(Generic[Item]):
    """The queue and its thread."""

    def __init__(self, sink: Sink[Item], name: str, queued_bytes: int = QUEUED_BYTES) -> None:
        """Starts the thread, which owns the sink from now on. ``queued_bytes``: limit of waiting turns."""
        self._sink = sink
        self._name = name
        self._most_queued = queued_bytes
        self._items: deque[tuple[Item, int]] = deque()
        self._put_bytes = 0  # written only by the owner, like _closed
        self._done_bytes = 0  # written only by the thread
        self.failure: Exception | None = None  # why it stopped; None if it works
        self._closed: tuple[float, int] | None = None
        self._look = threading.Event()  # set: check the queue at once
        self._asked = threading.Event()  # set by the owner: flush, and report it
        self._flushed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chunkscope-disk", daemon=True)
        self._thread.start()

    def put(self, item: Item, size_bytes: int) -> None:
        """Queues a turn, in order; dropped after the end or a failure."""
        if self._closed or self.failure:
            return
        waiting = self._put_bytes - self._done_bytes
        if waiting + size_bytes > self._most_queued:
            self.failure = OSError(
                errno.ENOBUFS, f"the disk is too slow: {waiting} bytes wait to be written", self._name
            )
            return
        self._put_bytes += size_bytes
        self._items.append((item, size_bytes))

    def flushed(self, longest_s: float) -> bool:
        """Waits until everything queued is flushed; returns whether it is."""
        if self._closed or not self._thread.is_alive():
            return True
        self._flushed.clear()
        self._asked.set()
        self._look.set()
        return self._flushed.wait(longest_s)

    def close(self, now: float, time_us: int) -> None:
        """Passes on the waiting turns and finishes; may be called again. ``time_us``: the recording's."""
        self._closed = self._closed or (now, time_us)
        self._look.set()
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            reason = f"the end was not written to disk within {CLOSE_S:g} s"
            self.failure = self.failure or OSError(errno.ETIMEDOUT, reason, self._name)

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        try:
            self._take_until_closed()
        except Exception as error:  # reported by ``failure``: a disk error must not end the session
            if isinstance(error, OSError):
                error.filename = error.filename or self._name
            self.failure = self.failure or error
        finally:
            self._sink.end()
            self._flushed.set()

    def _take_until_closed(self) -> None:
        flush_at = time.monotonic() + FLUSH_S
        while True:
            self._look.wait(LOOK_S)
            self._look.clear()
            closed, asked = self._closed, self._asked.is_set()
            self._asked.clear()
            while self._items:
                item, size_bytes = self._items.popleft()
                self._sink.add(item)
                self._done_bytes += size_bytes
            if closed:
                self._sink.finish(*closed)
                return
            if asked or time.monotonic() >= flush_at:
                self._sink.flush()
                flush_at = time.monotonic() + FLUSH_S
            if asked:
                self._flushed.set()


_ENTRY_BYTES: Final = 128


class Arrived(msgspec.Struct, frozen=True):
    """A message of the server that was joined from parts by the blob cache: it has no packet of its own yet."""

    message: Message
    size_bytes: int


Turn = Sequence[tuple[int, Record | Arrived | Message]]
"""(time_us, a record, or a message that is encoded on the thread: one that was sent, or one that arrived)."""


class Recorder:
    """Writes one file.

    ``path``: overwritten. ``header``: of the file. ``encode``: a message's packet; called on the thread, so it must
    hold no state. ``queued_bytes``: limit of waiting turns. Raises OSError: the file cannot be written.
    """

    def __init__(
        self, path: Path, header: Header, encode: Callable[[Message], bytes], queued_bytes: int = QUEUED_BYTES
    ) -> None:
        self.path = path
        self._encode = encode
        self._writer = RecordingWriter(header)
        self._file = path.open("wb", buffering=0)
        self.written_bytes = 0  # size of the file so far; written only by the thread, once it runs
        try:
            self._store(self._writer.front)
        except OSError as error:
            self._file.close()
            error.filename = str(path)  # a failed write does not name its file
            raise
        self._turns: Turns[Turn] = Turns(self, str(path), queued_bytes)

    # ---------------------------------------------------------------- owner thread

    def put(self, turn: Turn) -> None:
        """Queues a turn, in order; dropped after the end or a failure."""
        self._turns.put(turn, size_of(turn))

    @property
    def failure(self) -> Exception | None:
        """Why it stopped writing; None if it works."""
        return self._turns.failure

    def close(self, now: float, time_us: int) -> None:
        """Writes the waiting turns and finishes the file; may be called again. ``time_us``: the recording's."""
        self._turns.close(now, time_us)

    # ---------------------------------------------------------------- disk thread: its own sink

    def add(self, turn: Turn) -> None:
        """Adds records; writes a block once it is full."""
        for entry in entries_of(turn, self._encode):
            self._writer.add(entry)
            if self._writer.full:
                self._store(self._writer.flush())

    def flush(self) -> None:
        """Writes the rest."""
        self._store(self._writer.flush())

    def finish(self, now: float, time_us: int) -> None:
        """Writes the rest and the mark."""
        self._store(self._writer.finish(now, time_us))

    def end(self) -> None:
        """Closes the file."""
        self._file.close()

    def _store(self, block: bytes) -> None:
        left = memoryview(block)
        while left:
            left = left[self._file.write(left) :]
        self.written_bytes += len(block)


def entries_of(turn: Turn, encode: Callable[[Message], bytes]) -> list[TimedRecord]:
    return [TimedRecord(time_us, _record(what, encode)) for time_us, what in turn]


def size_of(turn: Turn) -> int:
    """Approximate memory of a turn in bytes."""
    return sum(_ENTRY_BYTES + _packet_bytes(what) for _, what in turn)


def _record(what: Record | Arrived | Message, encode: Callable[[Message], bytes]) -> Record:
    if isinstance(what, Arrived):
        return ReceivedRecord(encode(what.message))
    return what if isinstance(what, Record) else SentRecord(encode(what))


def _packet_bytes(what: Record | Arrived | Message) -> int:
    if isinstance(what, Arrived):
        return what.size_bytes
    return len(what.packet) if isinstance(what, ReceivedRecord | LoginRecord) else 0
