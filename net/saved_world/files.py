"""What a world folder is to its reader."""

from collections.abc import Collection
from typing import Protocol


class WorldFiles(Protocol):
    """Files by their path inside the world, with ``/`` between names: ``columns.dat``, ``db/CURRENT``."""

    @property
    def place(self) -> str:
        """Where the world lies, for sentences."""

    @property
    def names(self) -> Collection[str]:
        """All there are."""

    def size(self, name: str) -> int:
        """Bytes of a file.

        Raises:
            FolderError: it is gone, or may not be read.
        """

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """A part of a file, up to its end unless a length is given; shorter where the file ends.

        Raises:
            FolderError: it is gone, may not be read, or is larger than we are willing to hold.
        """
