"""Gives back the blocks that no anchor holds any more, while their columns stay announced.

Rules:
1. A column beyond the release margin of every anchor keeps its skeleton (limit, biomes, mark): the server will not send
   it again while it lies in its area. Its blocks are EVICTED, and asked for again when an anchor comes back.
2. Only what takes memory and can be had again goes: DATA and RESET of columns that came as skeletons. Air stays, and so
   do columns that came whole: who sends those may answer no request.
3. Anchors are looked at when one was moved, resized or taken away: the player went on, or the server granted a smaller
   radius. What is sent unasked beyond them goes the next time.

Theory: load at r, release at r + 2 (interfaces.md, "Limits on requests"), so that a player who walks to and fro over a
border asks for nothing twice.
"""

from typing import Final

import numpy as np

from client.streaming.anchors import Anchor, Anchors
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
        self._seen: dict[str, Anchor] = {}
        self.evicted = 0

    def step(self, now: float) -> None:
        """Evicts what anchors let go since the last call."""
        anchors = dict(self._anchors.items())
        if anchors == self._seen:
            return
        self._seen = anchors
        places = self._let_go()
        self._store.mark(places, Knowledge.EVICTED, now)
        self.evicted += len(places)

    def _let_go(self) -> Places:
        store = self._store
        rows = store.announced_rows
        rows = rows[~store.whole[rows] & self._anchors.released(store.columns[rows])]
        sections = store.dimension.sections
        places: Places = (rows[:, None] * sections + np.arange(sections)).ravel().astype(np.int32)
        return places[np.isin(store.state[places], RELEASED_STATES)]
