"""Writes one recording on a thread of its own.

    owner thread                       disk thread
    put(turn) -- entries -->  turns -> encode messages -> block -> file

Rules:
1. Encoding what was sent, taking keys out, compressing and writing happen on the thread (``turns``); compression and
   writing run without the interpreter lock.
2. What was put is in the file little more than a second later, unbuffered: a killed process leaves all but that.
3. A disk that fails leaves what is written readable; ``close`` writes what waits and the mark of a file closed in
   order, and gives thread and file back.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from net.bedrock import Message
from net.frozen import frozen
from net.transport.disk.turns import QUEUED_BYTES, Turns
from net.transport.recording import Entry, Greeted, Header, Heard, RecordingWriter, Said
from net.transport.recording.records import Record

_ENTRY_BYTES: Final = 128


@frozen
class Arrived:
    """A message of the server that came in parts, by way of the blob cache: there is no packet of it until now."""

    message: Message
    size_bytes: int


Turn = Sequence[tuple[int, Record | Arrived | Message]]
"""(time_us, a record, or a message that is encoded on the thread: one of ours, or one that arrived)."""


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
        self._writer = RecordingWriter(header)
        self._file = path.open("wb", buffering=0)
        self._written = 0  # by the thread alone, once it runs
        try:
            self._store(self._writer.front)
        except OSError as error:
            self._file.close()
            error.filename = str(path)  # a failed write does not name its file
            raise
        self._turns: Turns[Turn] = Turns(self, str(path), queued_bytes)

    # ---------------------------------------------------------------- owner thread

    def put(self, turn: Turn) -> None:
        """Hands over what happened, in order; dropped after the end or a failure."""
        self._turns.put(turn, size_of(turn))

    @property
    def failure(self) -> Exception | None:
        """Why nothing more is written, if something went wrong."""
        return self._turns.failure

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
        self._turns.close(now, time_us)

    # ---------------------------------------------------------------- disk thread: its own sink

    def add(self, turn: Turn) -> None:
        """Writes what fills a block."""
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
        self._written += len(block)


def entries_of(turn: Turn, encode: Callable[[Message], bytes]) -> list[Entry]:
    """The records of a turn."""
    return [Entry(time_us, _record(what, encode)) for time_us, what in turn]


def size_of(turn: Turn) -> int:
    """About what a turn holds in memory, in bytes."""
    return sum(_ENTRY_BYTES + _packet_bytes(what) for _, what in turn)


def _record(what: Record | Arrived | Message, encode: Callable[[Message], bytes]) -> Record:
    if isinstance(what, Arrived):
        return Heard(encode(what.message))
    return what if isinstance(what, Record) else Said(encode(what))


def _packet_bytes(what: Record | Arrived | Message) -> int:
    if isinstance(what, Arrived):
        return what.size_bytes
    return len(what.packet) if isinstance(what, Heard | Greeted) else 0
