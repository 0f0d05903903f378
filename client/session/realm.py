"""What a session knows of the world and wants of it: the rooms that one block table is behind.

StartGame says which blocks there are, so a session begins with what is usual and makes its realm anew then. A realm
lives through changes of dimension: its store forgets, its requests start again. So they do when the last of many
columns has gone: tables that grew for a thousand of them would hold 6 MB for nothing (measured). Anchors outlive
realms: what is pinned stays so, whatever the server says.
"""

import copy

from client.light.map import LightMap
from client.session.config import SessionConfig
from client.session.event_log import EventLog
from client.session.release import Release
from client.session.requests import Requests
from client.session.sight import SightWatch
from client.session.terrain import Terrain
from client.streaming.anchors import Anchors
from client.streaming.ledger import Ledger
from client.visibility import connectivity
from client.world.block_table import BlockTable
from client.world.pools import BlockPools
from client.world.reserved import PoolBytes
from client.world.store import Store
from net.palette import Palette
from net.space.dimensions import OVERWORLD, Dimension


class Realm:
    """The rooms; owned by the session.

    Attributes:
        table: what blocks are.
        store: what is known.
        terrain: writes to the store what the server says.
        events: what happened to blocks.
        requests: what is wanted and asked.
        release: gives back what no anchor holds.
        derived: block slots whose connectivity was derived.
    """

    def __init__(self, palette: Palette, config: SessionConfig, ledger: Ledger, anchors: Anchors, now: float) -> None:
        """An empty overworld.

        Args:
            palette: the block states.
            config: frozen.
            ledger: the session's; places in it are those of this store.
            anchors: the session's.
            now: monotonic seconds.
        """
        self.table = BlockTable.build(palette)
        self.store = Store(self.table, BlockPools(self.table), OVERWORLD)
        self._light: LightMap | None = LightMap(self.store)
        self.terrain = Terrain(self.store, ledger)
        self.events = EventLog(self.table)
        self.requests = Requests(self.store, ledger, anchors, config.limits, now, config.weights)
        self._sight = SightWatch(self.store)
        self.release = Release(self.store, anchors)
        self.derived = 0

    def __deepcopy__(self, memo: dict[int, object]) -> "Realm":
        """A copy that nobody follows, and whose light is still to be made: light follows from blocks."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(made, name, None if name == "_light" else copy.deepcopy(value, memo))
        made._sight.alone()
        return made

    @property
    def light(self) -> LightMap:
        """The map of the store's light; somebody else drives it."""
        if self._light is None:
            self._light = LightMap(self.store)
        return self._light

    def memory(self) -> tuple[PoolBytes, ...]:
        """What the store, its light and those who follow it cost, pool by pool."""
        return (*self.store.memory(), *self.light.stats().memory, self.events.memory(), self._sight.memory())

    def end_drain(self) -> None:
        """Shows what was applied: masks, connectivity and revisions, in one batch."""
        self.terrain.apply_changes()
        if self.store.outgrown:
            self.enter(self.store.dimension)
        changed = self.store.finish_drain()
        if len(changed):
            connectivity.derive(self.store.pools, changed)
            self.derived += len(changed)
        self.requests.turned(self._sight.look())

    def let_go(self, now: float) -> None:
        """Gives back what anchors let go since the last call."""
        if self.release.step(now):
            self.requests.evicted()

    def enter(self, dimension: Dimension) -> None:
        """Another dimension, another range of this one, or this one emptied: nothing is known of it."""
        self.store.change_dimension(dimension)
        self.light.reset(self.store)
        self.requests.reset()
