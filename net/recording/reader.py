"""Bytes to records: opens a recording, lists its blocks, reads them one by one.

Opening reads the header and the blocks' fields, not what they hold: a long recording opens at once, and its memory is
one block. What is unreadable is in ``damages``, in the order in which it was met.
"""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from net.errors import DecodeError
from net.recording.blocks import Damage, RecordingBlock, read_block, scan_blocks
from net.recording.header import read_header
from net.recording.records import TimedRecord, read_entries


class Recording:
    """One recording, open for reading; a context manager."""

    def __init__(self, file: BinaryIO) -> None:
        """Reads header and block fields; the file belongs to it from now on.

        Raises:
            DecodeError: it is no recording, of another format, or its header is damaged.
        """
        self._file = file
        self.header = read_header(file)  # what its session knew first
        found = list(scan_blocks(file, file.tell()))
        self.blocks = tuple(
            each for each in found if isinstance(each, RecordingBlock)
        )  # all that may be readable, in order
        self._damages = {each.offset: each for each in found if isinstance(each, Damage)}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a file.

        Raises:
            OSError: it cannot be opened.
            DecodeError: see the constructor.
        """
        file = path.open("rb")
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def damages(self) -> tuple[Damage, ...]:
        """What is unreadable, as far as it was met; in the file's order."""
        return tuple(self._damages[offset] for offset in sorted(self._damages))

    @property
    def duration_us(self) -> int:
        """Time of the last record, 0 without any."""
        return max((block.last_us for block in self.blocks), default=0)

    def read(self, index: int) -> list[TimedRecord]:
        """The records of one block; none if it is damaged, which ``damages`` then says."""
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
        """Closes the file; may be called again."""
        self._file.close()
