"""Records to bytes; whoever owns the file appends what comes out.

    writer = RecordingWriter(header)
    file.write(writer.front)
    writer.add(entry) ... ; file.write(writer.flush()) once a second; file.write(writer.finish(now))

A block that is cut within a turn repeats the turn's beginning, so that each block can be read without the one before.
"""

from net.recording.blocks import CUT_BYTES, write_block
from net.recording.header import Header, redacted, write_header
from net.recording.records import (
    FinishedRecord,
    LoginRecord,
    ReceivedRecord,
    SentRecord,
    TimedRecord,
    TurnRecord,
    numbers_of,
    write_entry,
)


class RecordingWriter:
    """Gathers records of one file into blocks."""

    def __init__(self, header: Header, number: int = 0) -> None:
        """Nothing is written yet; ``number`` is the first packet's."""
        self.front = write_header(header)  # the file's first bytes
        self._raw = bytearray()
        self._records = 0
        self._first_us = self._last_us = 0
        self._number = self._first_number = number
        self._turn: TimedRecord | None = None

    @property
    def waiting(self) -> int:
        """Bytes that the next ``flush`` will hold, before compression."""
        return len(self._raw)

    @property
    def full(self) -> bool:
        """Whether a block should be closed."""
        return len(self._raw) >= CUT_BYTES

    def add(self, entry: TimedRecord) -> None:
        """Appends one record; keys and tokens are taken out here."""
        record = entry.record
        if isinstance(record, TurnRecord):
            self._turn = entry
        elif not self._records and self._turn is not None:
            self._append(self._turn)
        if isinstance(record, ReceivedRecord | SentRecord | LoginRecord):
            entry = TimedRecord(entry.time_us, type(record)(redacted(record.packet)))
        self._append(entry)

    def _append(self, entry: TimedRecord) -> None:
        if not self._records:
            self._first_us = self._last_us = max(entry.time_us, 0)
            self._first_number = self._number
        self._raw += write_entry(entry)
        self._records += 1
        self._last_us = max(self._last_us, entry.time_us)
        self._number += numbers_of(entry.record)

    def flush(self) -> bytes:
        """What was added since the last flush as one block; nothing if nothing was."""
        if not self._records:
            return b""
        block = write_block(bytes(self._raw), self._records, self._first_us, self._last_us, self._first_number)
        self._raw.clear()
        self._records = 0
        return block

    def finish(self, now: float, time_us: int) -> bytes:
        """The last block: the file was closed in order."""
        self.add(TimedRecord(time_us, FinishedRecord(now)))
        return self.flush()
