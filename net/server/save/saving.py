"""Everything that one host saves, and what it found saved.

Rules:
1. Made before the host, which reads tick, clock, terrain and players from it and tells it of each tick.
2. ``lost`` grows while the world is looked at: whoever tells it looks again.
"""

from collections.abc import Callable, Sequence

import msgspec

from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.save.edit_log import EditLog, LoggedEdit, LogStorage
from net.server.save.players import Players, WorldState
from net.server.save.terrain import ChangedTerrain
from net.server.save.transactions import CommitRecord, SaveTriggers, Storage, Transactions
from net.space import Dimension


class Storages(msgspec.Struct, frozen=True):
    """Where the parts of a game are kept."""

    terrain: Storage
    players: Storage
    state: Storage
    record: CommitRecord
    log: LogStorage | None = None


class Saving:
    """See the module.

    ``storages``: all opened at the tick that the record names. ``triggers``: when a snapshot begins. ``warn``: is given
    a sentence when saving fails, is late, or works again. ``saved``: is given each tick that counts.
    """

    def __init__(
        self, storages: Storages, triggers: SaveTriggers, warn: Callable[[str], None], saved: Callable[[int], None]
    ) -> None:
        self.lost: list[str] = []  # what could not be read so far, one sentence each
        self.terrain = ChangedTerrain(storages.terrain, self.lost)
        self.players = Players(storages.players, self.lost)
        self._state = WorldState(storages.state, self.lost)
        self._storages = storages
        self._log = None if storages.log is None else EditLog(storages.log, storages.record.tick, self.lost, warn)
        sources = (self.terrain, self.players, self._state)
        self._warn, self._saved = warn, saved
        self._refused = False
        self._transactions = Transactions(sources, storages.record, triggers, warn, self._count)

    @property
    def tick(self) -> int:
        """The last tick of the earlier lives of this world, 0 for a new one."""
        return max(self._state.tick, self._storages.record.tick, 0 if self._log is None else self._log.tick)

    @property
    def time(self) -> int | None:
        """Of day, as it was saved; None where it was not."""
        return self._state.time

    def attach(self, dimension: Dimension, provider: ColumnProvider, states: LocalStates) -> None:
        """Says whose blocks of a dimension are to be saved."""
        self.terrain.attach(dimension, provider, states)

    @property
    def unsaved_edits(self) -> Sequence[LoggedEdit]:
        """Those of earlier lives that no snapshot has: they are to be done again."""
        return () if self._log is None else self._log.earlier

    def changed(self, edit: LoggedEdit, *, logged: bool = False) -> None:
        """A block changed. ``logged``: it is in the log already."""
        self.terrain.changes += 1
        if self._log is not None and not logged:
            self._log.record(edit)

    def promised(self, edit: LoggedEdit) -> None:
        """An edit belongs to the log that is not made yet."""
        if self._log is not None:
            self._log.record(edit)

    def flush(self) -> None:
        """Whoever is told of what changed is told after this."""
        if self._log is not None:
            self._log.flush()

    def refused(self, why: str) -> None:
        """A change was refused, since too many wait to be saved; told once until something is."""
        if not self._refused:
            self._refused = True
            self._warn(f"{why}.")

    def _count(self, tick: int) -> None:
        self._refused = False
        if self._log is not None:
            self._log.complete(tick)
        self._saved(tick)

    def after_tick(self, tick: int, time: int, now: float) -> bool:
        """A tick is over, with the clock at ``time``; returns at once, and says whether a snapshot was taken."""
        self.flush()
        self._state.tick, self._state.time = tick, time
        return self._transactions.after_tick(tick, now)

    def finish(self, tick: int, time: int, now: float) -> None:
        """The last tick is over: waits until it is saved, or cannot be, and gives the storages back."""
        self._state.tick, self._state.time = tick, time
        self._transactions.finish(tick, now)
        for part in (self._storages.terrain, self._storages.players, self._storages.state, self._storages.record):
            part.close()
        if self._log is not None:
            self._log.close()
