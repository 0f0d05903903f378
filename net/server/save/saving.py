"""Everything that one host saves, and what earlier runs saved.

Rules:
1. It is made before the host. The host reads tick, clock, terrain and players from it and calls it after each tick.
2. ``lost`` grows while the world is read: a reporter has to check it repeatedly.
"""

from collections.abc import Callable, Sequence
from typing import Final

from net.server.save.edit_log import EditLog, LoggedEdit
from net.server.save.players import Players, WorldState
from net.server.save.terrain import ChangedTerrain
from net.server.save.transactions import SaveTriggers, Source, Transactions
from net.storage.server_save import SaveFolder

STORAGES: Final = ("terrain", "players", "state")


class Saving:
    """Saves one host's world.

    ``folder``: with ``STORAGES``. ``triggers``: when a snapshot begins. ``warn``: called with a sentence when saving
    fails, is late, or works again. ``saved``: called with each committed tick.
    """

    def __init__(
        self, folder: SaveFolder, triggers: SaveTriggers, warn: Callable[[str], None], saved: Callable[[int], None]
    ) -> None:
        self.lost: list[str] = []  # what could not be read so far, one sentence each
        terrain, players, state = (folder.storages[name] for name in STORAGES)
        self.terrain = ChangedTerrain(terrain, self.lost)
        self.players = Players(players, self.lost)
        self._state = WorldState(state, self.lost)
        self._record = folder.record
        self._log = EditLog(folder.log, folder.record.tick, self.lost, warn)
        self._sources: Sequence[Source] = (self.terrain, self.players, self._state)
        self._warn, self._saved = warn, saved
        self._refused = False
        self._transactions = Transactions(self._sources, folder.record, triggers, warn, self._count)

    @property
    def tick(self) -> int:
        """The last tick of earlier runs of this world, 0 for a new one."""
        return max(self._state.tick, self._record.tick, self._log.tick)

    @property
    def time(self) -> int | None:
        """The saved time of day; None if none was saved."""
        return self._state.time

    @property
    def unsaved_edits(self) -> Sequence[LoggedEdit]:
        """Edits of earlier runs that are in no snapshot and have to be repeated."""
        return self._log.earlier

    def log(self, edit: LoggedEdit) -> None:
        """Logs an edit; ``flush`` writes it."""
        self._log.record(edit)

    def flush(self) -> None:
        """Writes the log; call it before clients get the edits."""
        self._log.flush()

    def refused(self, why: str) -> None:
        """Warns that an edit was refused because too many wait to be saved; once until a tick is committed."""
        if not self._refused:
            self._refused = True
            self._warn(f"{why}.")

    def _count(self, tick: int) -> None:
        self._refused = False
        self._log.complete(tick)
        self._saved(tick)

    def after_tick(self, tick: int, time: int, now: float) -> bool:
        """Called after each tick, ``time`` being the clock; returns at once, with whether a snapshot was taken."""
        self.flush()
        self._state.set(tick, time)
        return self._transactions.after_tick(tick, now)

    def finish(self, tick: int, time: int, now: float) -> None:
        """Saves the last tick: waits until it is saved or saving fails, and closes the storages."""
        self._state.set(tick, time)
        self._transactions.finish(tick, now)
        for source in self._sources:
            source.storage.close()
        self._record.close()
        self._log.close()
