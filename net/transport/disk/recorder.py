"""Writes one recording on a thread of its own.

    owner thread                       disk thread
    put(turn) -- entries -->  queue -> encode messages -> block -> file

Rules:
1. ``put`` never waits and never raises for the disk's sake: it appends to a queue. Encoding what was sent, taking keys
   out, compressing and writing happen on the thread; compression and writing run without the interpreter lock.
2. What was put is in the file at most a second later, unbuffered: a killed process leaves all but that.
3. A disk that fails, or falls so far behind that the queue holds ``QUEUED_BYTES``, ends the recording, never the
   session: ``failure`` says why, what is written stays readable.
4. ``close`` writes what waits and the mark of a file closed in order, and gives thread and file back.
"""

import errno
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from net.bedrock import Message
from net.transport.recording import Entry, Greeted, Header, Heard, RecordingWriter, Said
from net.transport.recording.records import Record

FLUSH_S: Final = 1.0
QUEUED_BYTES: Final = 256 << 20
_ENTRY_BYTES: Final = 128

Turn = Sequence[tuple[int, Record | Message]]
"""(time_us, a record, or a message of ours that is encoded on the thread)."""


class Recorder:
    """One file that is being written.

    Args:
        path: written anew.
        header: of the file.
        encode: a message's packet; called on the thread, so it must hold no state.
        queued_bytes: bound of what is put and not written.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(
        self, path: Path, header: Header, encode: Callable[[Message], bytes], queued_bytes: int = QUEUED_BYTES
    ) -> None:
        self.path = path
        self._encode = encode
        self._most_queued = queued_bytes
        self._writer = RecordingWriter(header)
        self._file = path.open("wb", buffering=0)
        self._queue: queue.SimpleQueue[tuple[Turn, int] | tuple[float, int]] = queue.SimpleQueue()
        self._lock = threading.Lock()  # guards the three below
        self._queued = 0
        self._written = 0
        self._failure: Exception | None = None
        self._closed = False
        try:
            self._store(self._writer.front)
        except OSError:
            self._file.close()
            raise
        self._thread = threading.Thread(target=self._run, name="chunkscope-disk", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- owner thread

    def put(self, turn: Turn) -> None:
        """Hands over what happened, in order; dropped after the end or a failure."""
        size = sum(_size(record) for _, record in turn)
        with self._lock:
            if self._closed or self._failure is not None:
                return
            if self._queued + size > self._most_queued:
                slow = f"the disk is too slow: {self._queued} bytes wait for it"
                self._failure = OSError(errno.ENOBUFS, slow, str(self.path))
                return
            self._queued += size
        self._queue.put((turn, size))

    @property
    def failure(self) -> Exception | None:
        """Why nothing more is written, if something went wrong."""
        return self._failure

    @property
    def written_bytes(self) -> int:
        """Size of the file so far."""
        return self._written

    def close(self, now: float, time_us: int) -> None:
        """Writes what waits and ends the file in order; may be called again.

        Args:
            now: the session's time.
            time_us: the recording's.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put((now, time_us))
        self._thread.join()

    # ---------------------------------------------------------------- disk thread

    def _run(self) -> None:
        try:
            self._write_until_closed()
        except Exception as error:  # told to whoever looks; the session is not the disk's to end
            if isinstance(error, OSError):
                error.filename = error.filename or str(self.path)
            with self._lock:
                self._failure = self._failure or error
        finally:
            self._file.close()

    def _write_until_closed(self) -> None:
        flush_at = time.monotonic() + FLUSH_S
        while True:
            try:
                first, second = self._queue.get(timeout=max(0.0, flush_at - time.monotonic()))
            except queue.Empty:
                self._store(self._writer.flush())
                flush_at = time.monotonic() + FLUSH_S
                continue
            if isinstance(first, float):
                self._store(self._writer.finish(first, second))
                return
            self._add(first)
            with self._lock:
                self._queued -= second
            if time.monotonic() >= flush_at:
                self._store(self._writer.flush())
                flush_at = time.monotonic() + FLUSH_S

    def _add(self, turn: Turn) -> None:
        for time_us, what in turn:
            record = what if isinstance(what, Record) else Said(self._encode(what))
            self._writer.add(Entry(time_us, record))
            if self._writer.full:
                self._store(self._writer.flush())

    def _store(self, block: bytes) -> None:
        left = memoryview(block)
        while left:
            left = left[self._file.write(left) :]
        self._written += len(block)


def _size(record: Record | Message) -> int:
    return _ENTRY_BYTES + (len(record.packet) if isinstance(record, Heard | Greeted) else 0)
