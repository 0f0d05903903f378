"""A recording's file: records to bytes and back.

    writer = RecordingWriter(header)
    file.write(writer.front)
    writer.add(entry) ... ; file.write(writer.flush()) once a second; file.write(writer.finish(now))

A block that is cut within a turn repeats the turn's beginning, so that each block can be read without the one before.

Opening reads the header and the blocks' fields, not their content: a long recording opens at once, and one block is in
memory at a time. ``damages`` lists unreadable parts in the order in which they were found.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self

from net.errors import DecodeError
from net.recording.blocks import CUT_BYTES, Damage, RecordingBlock, read_block, scan_blocks, write_block
from net.recording.header import Header, read_header, redacted, write_header
from net.recording.records import (
    FinishedRecord,
    LoginRecord,
    ReceivedRecord,
    SentRecord,
    TimedRecord,
    TurnRecord,
    numbers_of,
    read_entries,
    write_entry,
)


class Recording:
    """One recording, open for reading; a context manager."""

    def __init__(self, file: BinaryIO) -> None:
        """Reads header and block fields; the file belongs to the object from now on.

        Raises DecodeError: it is not a recording, of another format, or its header is damaged.
        """
        self._file = file
        self.header = read_header(file)  # state of the session before its first packet
        found = list(scan_blocks(file, file.tell()))
        # all blocks that may be readable, in order
        self.blocks = tuple(each for each in found if isinstance(each, RecordingBlock))
        self._damages = {each.offset: each for each in found if isinstance(each, Damage)}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a file. Raises OSError: it cannot be opened; DecodeError: see the constructor."""
        file = path.open("rb")
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def damages(self) -> tuple[Damage, ...]:
        """The unreadable parts found so far, in the file's order."""
        return tuple(self._damages[offset] for offset in sorted(self._damages))

    @property
    def duration_us(self) -> int:
        """Time of the last record, 0 without any."""
        return max((block.last_us for block in self.blocks), default=0)

    def read(self, index: int) -> list[TimedRecord]:
        """The records of one block; none if it is damaged, which ``damages`` then lists."""
        block = self.blocks[index]
        try:
            return read_entries(read_block(self._file, block))
        except DecodeError as error:
            lost_s = (block.last_us - block.first_us) / 1e6
            reason = f"{error.field} {error.reason}; {block.records} records, {lost_s:.2f} s of the session"
            self._damages[block.offset] = Damage(block.offset, block.end - block.offset, reason)
            return []

    def entries(self, first: int = 0) -> Iterator[TimedRecord]:
        """All readable records from a block on."""
        for index in range(first, len(self.blocks)):
            yield from self.read(index)

    def close(self) -> None:
        self._file.close()


class RecordingWriter:
    """Gathers records of one file into blocks."""

    def __init__(self, header: Header, number: int = 0) -> None:
        """Writes nothing yet; ``number`` is that of the first packet."""
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
        """Appends one record; removes keys and tokens from it."""
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
        """The records added since the last flush as one block; empty if there are none."""
        if not self._records:
            return b""
        block = write_block(bytes(self._raw), self._records, self._first_us, self._last_us, self._first_number)
        self._raw.clear()
        self._records = 0
        return block

    def finish(self, now: float, time_us: int) -> bytes:
        """The last block, which marks a file that was closed in order."""
        self.add(TimedRecord(time_us, FinishedRecord(now)))
        return self.flush()
