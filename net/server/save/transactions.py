"""When a tick is saved (seed 003), in the storages and the commit record of ``net.storage.server_save``.

1. A storage and the record work in the background while they are ``busy``, one thing at a time: they are not called
   meanwhile.
2. On reading, rows of a tick replace those of earlier ticks. Both are stored until ``complete``: opening the storage at
   an earlier tick gives that tick's rows.

| phase | what ends it | what follows |
|---|---|---|
| idle | a trigger | every storage gets the changes up to this tick: writing |
| writing | every storage has reported | committing; idle again if one failed |
| committing | the record names the tick | storages drop superseded rows: idle |

1. Triggers are checked after each tick while something has changed: time since the last snapshot, bytes changed, time
   without a change. After a failure no snapshot starts for ``retry_s``.
2. Only one transaction runs at a time, however long it takes. One that takes longer than ``timeout_s`` is reported
   once, and still counts when it completes.
3. A failure returns all changes to their sources, so the next snapshot contains them. The rows of the failed one have a
   tick that no record names; they are dropped when the storages are opened.
4. The same sentence is not reported twice in a row; recovery is reported.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final, Protocol

import msgspec

from net.storage.server_save import RecordFile, Row, RowStorage

Generation = Callable[[], Iterable[Row]]
"""Returns the rows that changed up to some tick; on any thread, and the same rows at any time."""


_MIB: Final = 1 << 20


class SaveTriggers(msgspec.Struct, frozen=True):
    """When a snapshot begins, and what counts as too long."""

    interval_s: float = 30.0  # since the last one
    dirty_bytes: int = 16 * _MIB  # changed and not in a snapshot
    idle_s: float = 5.0  # without a change
    timeout_s: float = 10.0  # a storage that has not reported after this is reported as late
    retry_s: float = 5.0  # after a failure


class Source(Protocol):
    """Data that changes and has to be stored."""

    @property
    def storage(self) -> RowStorage:
        """The storage of this data."""

    @property
    def changes(self) -> int:
        """Increases with each change that keeps the world from being idle."""

    @property
    def dirty_bytes(self) -> int:
        """Size of changes that are in no snapshot."""

    def take(self) -> Generation:
        """The changes since the last call; they count as being written until ``settle``."""

    def settle(self, *, stored: bool) -> None:
        """Reports whether the changes taken last are stored; if not, they are taken again."""


class SavePhase(Enum):
    """The phase of saving; see the module."""

    IDLE = "idle"
    WRITING = "writing"
    COMMITTING = "committing"


class Transactions:
    """Saves ticks; see the module. ``warn``: called with a sentence. ``saved``: called with each committed tick."""

    def __init__(
        self,
        sources: Sequence[Source],
        record: RecordFile,
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
        self._last_warning: str | None = None

    def after_tick(self, tick: int, now: float) -> bool:
        """Advances the running transaction or starts one that is due; returns at once whether it took a snapshot.

        ``tick``: the tick just finished; the world is as it was after it.
        """
        self._advance(now)
        self._look(now)
        return self.phase is SavePhase.IDLE and self._is_due(now) and self._begin(tick, now)

    def finish(self, tick: int, now: float) -> None:
        """Saves the last tick: waits at most ``timeout_s`` a step, until it is saved or saving fails."""
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
            return False  # a storage still deletes superseded rows
        self.phase, self._tick, self._began_at, self._late = SavePhase.WRITING, tick, now, False
        for source in self._sources:
            source.storage.begin(tick, source.take())
        return True

    def _advance(self, now: float) -> None:
        if self.phase is SavePhase.WRITING:
            storages = [source.storage for source in self._sources]
            if waiting := [storage.name for storage in storages if storage.busy]:
                self._warn_late(" and ".join(waiting), now)
            elif failures := [f"{storage.name}: {storage.failure}" for storage in storages if storage.failure]:
                self._fail("; ".join(failures), now)
            else:
                self.phase = SavePhase.COMMITTING
                self._record.begin(self._tick)
        elif self.phase is SavePhase.COMMITTING:
            if self._record.busy:
                self._warn_late("the commit record", now)
            elif self._record.failure:
                self._fail(f"commit record: {self._record.failure}", now)
            else:
                self._complete()

    def _complete(self) -> None:
        self.phase = SavePhase.IDLE
        for source in self._sources:
            source.storage.complete(self._tick)
            source.settle(stored=True)
        if self._last_warning is not None:
            self._warn(f"The world is saved again; the save is complete up to tick {self._tick}.")
            self._last_warning = None
        self._saved(self._tick)

    def _fail(self, reason: str, now: float) -> None:
        self.phase = SavePhase.IDLE
        self._not_before = now + self._triggers.retry_s
        for source in self._sources:
            source.settle(stored=False)
        self._warn_once(f"The world cannot be saved ({reason}); the game continues and chunkscope tries again.")

    def _warn_late(self, who: str, now: float) -> None:
        if not self._late and now - (self._began_at or 0.0) >= self._triggers.timeout_s:
            self._late = True
            long = f"{self._triggers.timeout_s:g} s"
            self._warn_once(f"The world is not saved yet ({who} did not report within {long}); the game continues.")

    def _warn_once(self, sentence: str) -> None:
        if sentence != self._last_warning:
            self._last_warning = sentence
            self._warn(sentence)

    def _wait_idle(self, now: float) -> None:
        tasks = [*(source.storage for source in self._sources), self._record]
        for _ in SavePhase:
            if all(task.wait(self._triggers.timeout_s) for task in tasks):
                self._advance(now)
            else:
                self._advance(now + self._triggers.timeout_s)
                return
