"""The store, requests and light of the dimension that the player is in; all depend on one block table.

StartGame defines the blocks: a session begins with the usual block table, and StartGame may replace the whole
``DimensionState``. A change of dimension keeps it: the store is emptied and the requests start again, as when the last
of many columns has gone: tables that grew for a thousand columns would hold 6 MB for nothing (measured).
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
from net.arrays import Places
from net.palette import Palette
from net.space import OVERWORLD, Dimension

RELEASED_STATES: Final = (SubChunkState.DATA, SubChunkState.RESET)


class StoreRelease:
    """Evicts blocks that no anchor holds, while their columns stay announced; owned by the session.

    A column beyond the release margin of every anchor (load at r, release at r + 2, so that a player who crosses a
    border back and forth requests nothing twice) keeps its skeleton: the server does not send it again while it lies in
    the publisher's area. Only DATA and RESET of columns that came as skeletons become EVICTED: air costs nothing, and
    the servers of columns that came whole may answer no requests. The check runs when an anchor loaded or released
    columns.
    """

    def __init__(self, store: Store, anchors: Anchors) -> None:
        self._store = store
        self._anchors = anchors
        self.evicted = 0  # places evicted so far

    def step(self, now: float) -> int:
        """Evicts what the anchors released since the last call; returns the number of places."""
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
    """The components that depend on one block table; owned by the session."""

    def __init__(self, palette: Palette, config: SessionConfig, ledger: Ledger, anchors: Anchors, now: float) -> None:
        """An empty overworld. ``ledger``: the session's; its places are those of this store."""
        self.table = BlockTable.build(palette)  # block states by id
        self.store = Store(self.table, BlockPools(self.table), OVERWORLD)  # the known blocks
        self._light: LightMap | None = LightMap(self.store)
        self.terrain = SessionTerrain(self.store, ledger)  # applies the server's messages to the store
        self.events = EventLog(self.table)  # the last events of blocks
        # plans and sends requests
        self.requests = Requests(self.store, ledger, anchors, config.limits, now, config.weights)
        self._sight = VisibilityChanges(self.store)
        self.release = StoreRelease(self.store, anchors)  # evicts blocks that no anchor holds
        self.derived = 0  # block slots whose connectivity was derived

    def __deepcopy__(self, memo: dict[int, object]) -> "DimensionState":
        """A copy without change-log readers of others and without light, which is derived from the blocks again."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(made, name, None if name == "_light" else copy.deepcopy(value, memo))
        made._sight.alone()
        return made

    @property
    def light(self) -> LightMap:
        """The map of the store's light; its owner computes it, not the session."""
        if self._light is None:
            self._light = LightMap(self.store)
        return self._light

    def memory(self) -> tuple[PoolBytes, ...]:
        return (*self.store.memory(), *self.light.stats().memory, self.events.memory(), self._sight.memory())

    def end_drain(self) -> None:
        """Finishes the applied changes in one batch: masks, connectivity and revisions."""
        self.terrain.apply_changes()
        if self.store.outgrown:
            self.enter(self.store.dimension)
        changed = self.store.finish_drain()
        if len(changed):
            derive_connectivity(self.store.pools, changed)
            self.derived += len(changed)
        self.requests.turned(self._sight.look())

    def let_go(self, now: float) -> None:
        """Evicts what anchors released since the last call."""
        if self.release.step(now):
            self.requests.evicted()

    def enter(self, dimension: Dimension) -> None:
        """Forgets all columns, for another dimension, another range of this one, or an emptied one."""
        self.store.change_dimension(dimension)
        self.light.reset(self.store)
        self.requests.reset()
