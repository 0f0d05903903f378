"""What the server asks of a storage and of the record that says which tick counts.

Rules:
1. ``begin`` and ``complete`` return at once; the work is done elsewhere, and ``busy`` says whether it still is.
2. Rows of a tick replace those of earlier ticks when they are read, and stand beside them until ``complete``: whoever
   opens the storage at an earlier tick finds what was there then.
3. A storage is asked for one thing at a time: not while it is busy.

Transactions: When a tick is saved, and who has to have reported before it counts (seed 003).

| phase | what ends it | what follows |
|---|---|---|
| idle | a trigger | every storage is given the changes until this tick: writing |
| writing | every storage has reported | committing; idle again if one failed |
| committing | the record names the tick | storages drop what it superseded: idle |

Rules:
1. Triggers, looked at after each tick while something has changed: so long since the last snapshot, so many bytes
   changed, so long without a change. After a failure nothing is tried for ``retry_s``.
2. While one transaction is under way no other begins, however long it takes. One that takes longer than ``timeout_s``
   is told once, and counts when it is done after all.
3. A failure gives all changes back to their sources: the next snapshot holds them, too. What was written of the failed
   one stands under a tick that no record names; whoever opens the storages drops it.
4. The same sentence is not told twice in a row; that saving works again is told.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final, Protocol

import msgspec

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

        Raises FolderError: they cannot be read.
        """


class CommitRecord(Task, Protocol):
    """Names the tick that counts."""

    @property
    def tick(self) -> int:
        """That tick, 0 before the first."""

    def begin(self, tick: int) -> None:
        """Begins to make a tick the one that counts."""


_MIB: Final = 1 << 20


class SaveTriggers(msgspec.Struct, frozen=True):
    """When a snapshot begins, and what is too long."""

    interval_s: float = 30.0  # since the last one
    dirty_bytes: int = 16 * _MIB  # changed and not in a snapshot
    idle_s: float = 5.0  # without a change
    timeout_s: float = 10.0  # after which a storage that has not reported is told of
    retry_s: float = 5.0  # after a failure


class Source(Protocol):
    """What changes and is to be stored."""

    @property
    def storage(self) -> Storage:
        """Where."""

    @property
    def changes(self) -> int:
        """Rises with each change that keeps the world from being idle."""

    @property
    def dirty_bytes(self) -> int:
        """Changed and not in a snapshot."""

    def take(self) -> Generation:
        """What changed since the last call; it counts as under way until it is settled."""

    def settle(self, *, stored: bool) -> None:
        """What was taken is stored for good, or has to be taken once more."""


class SavePhase(Enum):
    """See the module."""

    IDLE = "idle"
    WRITING = "writing"
    COMMITTING = "committing"


class Transactions:
    """See the module.

    ``sources``: what is stored where. ``record``: says which tick counts. ``triggers``: when. ``warn``: is given a
    sentence. ``saved``: is given each tick that counts.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        record: CommitRecord,
        triggers: SaveTriggers,
        warn: Callable[[str], None],
        saved: Callable[[int], None],
    ) -> None:
        self._sources = sources
        self._record = record
        self._triggers = triggers
        self._warn = warn
        self._saved = saved
        self.phase = SavePhase.IDLE
        self._tick = record.tick
        self._began_at: float | None = None
        self._changed_at = 0.0
        self._changes = -1
        self._not_before = 0.0
        self._late = False
        self._trouble: str | None = None

    def after_tick(self, tick: int, now: float) -> bool:
        """Lets go on what is under way, and begins what is due; returns at once, and says whether a snapshot was taken.

        ``tick``: that is over; the world is as it left it.
        """
        self._advance(now)
        self._look(now)
        return self.phase is SavePhase.IDLE and self._is_due(now) and self._begin(tick, now)

    def finish(self, tick: int, now: float) -> None:
        """The last tick: waits, a storage's ``timeout_s`` at most for each step, until it is saved or cannot be."""
        self._wait_idle(now)
        if self.phase is SavePhase.IDLE and tick > self._record.tick:
            self._begin(tick, now)
            self._wait_idle(now)

    # ---------------------------------------------------------------- when

    def _look(self, now: float) -> None:
        changes = sum(source.changes for source in self._sources)
        if changes != self._changes:
            self._changes, self._changed_at = changes, now
        if self._began_at is None:
            self._began_at = now  # the interval counts from the first tick

    def _is_due(self, now: float) -> bool:
        dirty = sum(source.dirty_bytes for source in self._sources)
        if not dirty or now < self._not_before:
            return False
        since = now - (self._began_at or 0.0)
        wanted = self._triggers
        return dirty >= wanted.dirty_bytes or since >= wanted.interval_s or now - self._changed_at >= wanted.idle_s

    # ---------------------------------------------------------------- what

    def _begin(self, tick: int, now: float) -> bool:
        if any(source.storage.busy for source in self._sources):
            return False  # it still drops what was superseded
        self.phase, self._tick, self._began_at, self._late = SavePhase.WRITING, tick, now, False
        for source in self._sources:
            source.storage.begin(tick, source.take())
        return True

    def _advance(self, now: float) -> None:
        if self.phase is SavePhase.WRITING:
            storages = [source.storage for source in self._sources]
            if waiting := [storage.name for storage in storages if storage.busy]:
                self._tell_late(" and ".join(waiting), now)
            elif failures := [f"{storage.name}: {storage.failure}" for storage in storages if storage.failure]:
                self._fail("; ".join(failures), now)
            else:
                self.phase = SavePhase.COMMITTING
                self._record.begin(self._tick)
        elif self.phase is SavePhase.COMMITTING:
            if self._record.busy:
                self._tell_late("the commit record", now)
            elif self._record.failure:
                self._fail(f"commit record: {self._record.failure}", now)
            else:
                self._complete()

    def _complete(self) -> None:
        self.phase = SavePhase.IDLE
        for source in self._sources:
            source.storage.complete(self._tick)
            source.settle(stored=True)
        if self._trouble is not None:
            self._warn(f"The world is saved again; the save is complete up to tick {self._tick}.")
            self._trouble = None
        self._saved(self._tick)

    def _fail(self, reason: str, now: float) -> None:
        self.phase = SavePhase.IDLE
        self._not_before = now + self._triggers.retry_s
        for source in self._sources:
            source.settle(stored=False)
        self._tell(f"The world cannot be saved ({reason}); the game continues and chunkscope tries again.")

    def _tell_late(self, who: str, now: float) -> None:
        if not self._late and now - (self._began_at or 0.0) >= self._triggers.timeout_s:
            self._late = True
            long = f"{self._triggers.timeout_s:g} s"
            self._tell(f"The world is not saved yet ({who} did not report within {long}); the game continues.")

    def _tell(self, sentence: str) -> None:
        if sentence != self._trouble:
            self._trouble = sentence
            self._warn(sentence)

    def _wait_idle(self, now: float) -> None:
        tasks = [*(source.storage for source in self._sources), self._record]
        for _ in SavePhase:
            if all(task.wait(self._triggers.timeout_s) for task in tasks):
                self._advance(now)
            else:
                self._advance(now + self._triggers.timeout_s)
                return
