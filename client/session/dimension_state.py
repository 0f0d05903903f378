"""A session's store, requests and light of the dimension that the player is in; all depend on one block table.

StartGame says which blocks there are, so a session begins with the usual table and makes a new state then. The state
lives through changes of dimension: its store forgets, its requests start again. So they do when the last of many
columns has gone: tables that grew for a thousand of them would hold 6 MB for nothing (measured). Anchors outlive it:
what is pinned stays so, whatever the server says.

Release: Gives back the blocks that no anchor holds any more, while their columns stay announced.
1. A column beyond the release margin of every anchor keeps its skeleton (limit, biomes, mark): the server will not send
   it again while it lies in its area. Its blocks are EVICTED, and asked for again when an anchor comes back.
2. Only what takes memory and can be had again goes: DATA and RESET of columns that came as skeletons. Air stays, and so
   do columns that came whole: who sends those may answer no request.
3. Blocks are looked at when anchors loaded or let go columns: the player went on, or the server granted a smaller
   radius. What came beyond them since, unasked or as a late answer, goes then, too.

Theory: load at r, release at r + 2 (interfaces.md, "Limits on requests"), so that a player who walks to and fro over a
border asks for nothing twice.
"""

import copy
from typing import Final

import numpy as np

from client.light.light_map import LightMap
from client.session.config import SessionConfig
from client.session.event_log import EventLog
from client.session.request_visibility import VisibilityChanges
from client.session.requests import Requests
from client.session.terrain import SessionTerrain
from client.streaming.anchors import Anchors
from client.streaming.ledger import Ledger
from client.visibility import derive_connectivity
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.lifecycle import SubChunkState
from client.world.slots import PoolBytes
from client.world.store import Store
from net.palette import Palette
from net.space import OVERWORLD, Dimension, Places

RELEASED_STATES: Final = (SubChunkState.DATA, SubChunkState.RESET)


class StoreRelease:
    """Looks after the memory of one store; owned by the session."""

    def __init__(self, store: Store, anchors: Anchors) -> None:
        """Nothing is released before an anchor was pinned."""
        self._store = store
        self._anchors = anchors
        self.evicted = 0  # places evicted so far

    def step(self, now: float) -> int:
        """Counts what the anchors did since the last call, evicts what they let go, and says how many places."""
        if not self._anchors.drain():
            return 0
        places = self._let_go()
        self._store.mark(places, SubChunkState.EVICTED, now)
        self.evicted += len(places)
        return len(places)

    def _let_go(self) -> Places:
        store = self._store
        rows = store.announced_rows
        rows = rows[~store.whole[rows] & self._anchors.released(store.columns[rows])]
        places = store.places_of_rows(rows)
        return places[np.isin(store.state[places], RELEASED_STATES)]


class DimensionState:
    """The rooms; owned by the session."""

    def __init__(self, palette: Palette, config: SessionConfig, ledger: Ledger, anchors: Anchors, now: float) -> None:
        """An empty overworld. ``ledger``: the session's; places in it are those of this store."""
        self.table = BlockTable.build(palette)  # what blocks are
        self.store = Store(self.table, BlockPools(self.table), OVERWORLD)  # what is known
        self._light: LightMap | None = LightMap(self.store)
        self.terrain = SessionTerrain(self.store, ledger)  # writes to the store what the server says
        self.events = EventLog(self.table)  # what happened to blocks
        # what is wanted and asked
        self.requests = Requests(self.store, ledger, anchors, config.limits, now, config.weights)
        self._sight = VisibilityChanges(self.store)
        self.release = StoreRelease(self.store, anchors)  # gives back what no anchor holds
        self.derived = 0  # block slots whose connectivity was derived

    def __deepcopy__(self, memo: dict[int, object]) -> "DimensionState":
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
            derive_connectivity(self.store.pools, changed)
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
