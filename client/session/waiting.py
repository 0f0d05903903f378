"""What knowledge still waits for, in words; nothing, when a picture or a dump of it is as complete as it will get.

Theory. A server may have fewer columns than the radius holds (it sends a circle, or its world ends), and does not say
so. So a world counts as complete once nothing is wanted or outstanding, and no column came for ``quiet_s`` nor did the
player enter another one, of which the server first has to hear.
"""

from typing import Final

import numpy as np

from client.session.motion import Motion
from client.session.requests import Requests
from client.session.terrain import Terrain
from client.streaming.anchor import Anchor
from client.streaming.ledger import Ledger
from client.streaming.planner import ASKABLE
from client.world.store import Store
from net.frozen import frozen

PAUSED: Final = "the server does not know the player (code 4), so nothing is asked until it spawns it"


@frozen
class Waiting:
    """The parts of a session that know; for one question, since a session replaces some of them.

    Attributes:
        store: what is known.
        motion: the player.
        requests: what is wanted.
        ledger: what is outstanding.
        terrain: when the last column came.
        quiet_s: how long none must have come, and how long the player must have been in its column.
    """

    store: Store
    motion: Motion
    requests: Requests
    ledger: Ledger
    terrain: Terrain
    quiet_s: float

    def for_all(self, radius_columns: int, now: float) -> str | None:
        """For anything: the player's way, what is wanted or asked, columns of the square around the player."""
        player = self.motion.player
        if player.on_its_way:
            return "the player is on its way"
        if self.requests.dirty or self.requests.wanted:
            if not self.requests.wanted and not self.ledger.paused:
                return "what is wanted is not planned yet"
            return PAUSED if self.ledger.paused else _are(self.requests.wanted, "sub-chunk", "wanted and not asked yet")
        if self.ledger.outstanding:
            return _are(self.ledger.outstanding, "sub-chunk", "asked and not answered yet")
        return self._for_columns(Anchor.square(player.position.column, radius_columns), now)

    def within(self, columns: Anchor, now: float) -> str | None:
        """For these columns alone: they must be announced, and those one around them if they come."""
        unannounced = self._unannounced(columns)
        if unannounced:
            return _are(unannounced, "column", "not announced yet")
        rows = self.store.announced_rows
        rows = rows[columns.grown(1).holds(self.store.columns[rows])]
        places = self.store.places_of_rows(rows)
        open_places = int(np.isin(self.store.state[places], ASKABLE).sum())
        if open_places:
            return PAUSED if self.ledger.paused else _are(open_places, "sub-chunk", "not answered yet")
        return self._for_columns(columns.grown(1), now)

    def _for_columns(self, expected: Anchor, now: float) -> str | None:
        last = self.terrain.last_column_at
        if last is None:
            return "no column has come yet"
        if now - max(last, self.motion.column_entered_at) >= self.quiet_s:
            return None
        missing = self._unannounced(expected)
        return f"{missing} columns may still come" if missing else None

    def _unannounced(self, columns: Anchor) -> int:
        return sum((x, z) not in self.store.row_of for x, z in columns.columns().tolist())


def _are(count: int, unit: str, what: str) -> str:
    return f"{count} {unit} is {what}" if count == 1 else f"{count} {unit}s are {what}"
