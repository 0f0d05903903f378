"""Gives back the blocks that no anchor holds any more, while their columns stay announced.

Rules:
1. A column beyond the release margin of every anchor keeps its skeleton (limit, biomes, mark): the server will not send
   it again while it lies in its area. Its blocks are EVICTED, and asked for again when an anchor comes back.
2. Only what takes memory and can be had again goes: DATA and RESET of columns that came as skeletons. Air stays, and so
   do columns that came whole: who sends those may answer no request.
3. Blocks are looked at when anchors loaded or let go columns: the player went on, or the server granted a smaller
   radius. What came beyond them since, unasked or as a late answer, goes then, too.

Theory: load at r, release at r + 2 (interfaces.md, "Limits on requests"), so that a player who walks to and fro over a
border asks for nothing twice.
"""

from typing import Final

import numpy as np

from client.streaming.anchors import Anchors
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.space.layout import Places

RELEASED_STATES: Final = (Knowledge.DATA, Knowledge.RESET)


class Release:
    """Looks after the memory of one store; owned by the session.

    Attributes:
        evicted: places evicted so far.
    """

    def __init__(self, store: Store, anchors: Anchors) -> None:
        """Nothing is released before an anchor was pinned."""
        self._store = store
        self._anchors = anchors
        self.evicted = 0

    def step(self, now: float) -> int:
        """Counts what the anchors did since the last call, evicts what they let go, and says how many places."""
        if not self._anchors.drain():
            return 0
        places = self._let_go()
        self._store.mark(places, Knowledge.EVICTED, now)
        self.evicted += len(places)
        return len(places)

    def _let_go(self) -> Places:
        store = self._store
        rows = store.announced_rows
        rows = rows[~store.whole[rows] & self._anchors.released(store.columns[rows])]
        places = store.places_of_rows(rows)
        return places[np.isin(store.state[places], RELEASED_STATES)]
