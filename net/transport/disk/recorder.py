"""Writes one recording on a thread of its own.

    owner thread                       disk thread
    put(turn) -- entries -->  deque -> encode messages -> block -> file

Rules:
1. ``put`` never waits, wakes nobody and never raises for the disk's sake: it appends. Encoding what was sent, taking
   keys out, compressing and writing happen on the thread, which looks five times a second; compression and writing run
   without the interpreter lock. (A queue that wakes the thread cost the owner up to 10 ms a turn, waiting for that
   lock: measured.)
2. What was put is in the file little more than a second later, unbuffered: a killed process leaves all but that.
3. A disk that fails, or falls so far behind that ``QUEUED_BYTES`` wait, ends the recording, never the session:
   ``failure`` says why, what is written stays readable.
4. ``close`` writes what waits and the mark of a file closed in order, and gives thread and file back.
"""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from net.bedrock import Message
from net.transport.recording import Entry, Greeted, Header, Heard, RecordingWriter, Said
from net.transport.recording.records import Record

FLUSH_S: Final = 1.0
LOOK_S: Final = 0.2
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
        self._turns: deque[tuple[Turn, int]] = deque()
        self._put_bytes = 0  # written by the owner alone, as is _closed
        self._done_bytes = 0  # written by the thread alone, as is _written
        self._written = 0
        self._failure: Exception | None = None
        self._closed: tuple[float, int] | None = None
        self._closing = threading.Event()
        try:
            self._store(self._writer.front)
        except OSError as error:
            self._file.close()
            error.filename = str(path)  # a failed write does not name its file
            raise
        self._thread = threading.Thread(target=self._run, name="chunkscope-disk", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- owner thread

    def put(self, turn: Turn) -> None:
        """Hands over what happened, in order; dropped after the end or a failure."""
        if self._closed or self._failure:
            return
        size = sum(_size(record) for _, record in turn)
        waiting = self._put_bytes - self._done_bytes
        if waiting + size > self._most_queued:
            self._failure = OSError(errno.ENOBUFS, f"the disk is too slow: {waiting} bytes wait for it", str(self.path))
            return
        self._put_bytes += size
        self._turns.append((turn, size))

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
        self._closed = self._closed or (now, time_us)
        self._closing.set()
        self._thread.join()

    # ---------------------------------------------------------------- disk thread

    def _run(self) -> None:
        try:
            self._write_until_closed()
        except Exception as error:  # told to whoever looks; the session is not the disk's to end
            if isinstance(error, OSError):
                error.filename = error.filename or str(self.path)
            self._failure = self._failure or error
        finally:
            self._file.close()

    def _write_until_closed(self) -> None:
        flush_at = time.monotonic() + FLUSH_S
        while True:
            closing = self._closing.wait(LOOK_S)
            while self._turns:
                turn, size = self._turns.popleft()
                self._add(turn)
                self._done_bytes += size
            if closing and self._closed:
                self._store(self._writer.finish(*self._closed))
                return
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
