"""What the server asks of a storage and of the record that says which tick counts.

Rules:
1. ``begin`` and ``complete`` return at once; the work is done elsewhere, and ``busy`` says whether it still is.
2. Rows of a tick replace those of earlier ticks when they are read, and stand beside them until ``complete``: whoever
   opens the storage at an earlier tick finds what was there then.
3. A storage is asked for one thing at a time: not while it is busy.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

Row = tuple[bytes, bytes]
"""A key, and what stands under it."""
Generation = Callable[[], Iterable[Row]]
"""The rows that changed until some tick; made when it is called, on any thread, and the same whenever that is."""


class Task(Protocol):
    """Something that is done in the background."""

    @property
    def busy(self) -> bool:
        """Whether what was begun last is not over yet."""

    @property
    def failure(self) -> str | None:
        """Why what was begun last failed, once it is over; None where it did not."""

    def wait(self, longest_s: float) -> bool:
        """Waits for what was begun last; whether it is over."""

    def close(self) -> None:
        """Gives everything back, after what was begun is over."""


class Storage(Task, Protocol):
    """One part of the saved game; see the module."""

    @property
    def name(self) -> str:
        """What users call it: ``terrain``."""

    def begin(self, tick: int, rows: Generation) -> None:
        """Begins to make sure that the rows are stored for good under a tick later than all before."""

    def complete(self, tick: int) -> None:
        """Every storage has that tick: what it superseded may go."""

    def read(self, low: bytes, high: bytes) -> Sequence[Row]:
        """The newest rows with keys from ``low`` to ``high``, both included.

        Raises:
            FolderError: they cannot be read.
        """


class CommitRecord(Task, Protocol):
    """Names the tick that counts."""

    @property
    def tick(self) -> int:
        """That tick, 0 before the first."""

    def begin(self, tick: int) -> None:
        """Begins to make a tick the one that counts."""
