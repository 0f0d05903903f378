"""What a connection does for the session that it shows: light, and memory that nobody reads any more.

Rules:
1. One step lights at most ``COLUMNS_A_LIGHT_STEP`` columns, so that a wait looks at the time between two.
2. Slots are given back only by who makes the light: where somebody else does (a scene with workers), that one reads
   older slots, and knows when it has done.
3. Another session than before (a way back in a recording, or to the present) is lit from its own beginning.
"""

from typing import Final

import numpy as np

from client.connect.heap import give_back_free_pages
from client.session.lighting import LightKeeper
from client.session.session import Session
from net.space.layout import ColumnPositions

COLUMNS_A_LIGHT_STEP: Final = 96
NO_COLUMNS: Final = np.empty((0, 2), np.int32)


class Upkeep:
    """Of one connection."""

    def __init__(self, session: Session, light: bool) -> None:
        """Nothing is lit yet.

        Args:
            session: that is shown.
            light: whether its light is made here.
        """
        self._light = light
        self._session = session
        self._keeper = LightKeeper(session) if light else None
        self._held = False

    @property
    def pending(self) -> int:
        """Columns that are to be lit."""
        return self._keeper.pending if self._keeper else 0

    @property
    def unlit(self) -> ColumnPositions:
        """Those columns: int32[n, 2]."""
        return self._keeper.unlit if self._keeper else NO_COLUMNS

    def show(self, session: Session) -> None:
        """This is shown from now on."""
        if self._session is not session:
            self._session = session
            self._keeper = LightKeeper(session) if self._light else None

    def step(self) -> str | None:
        """One step of light; says what is left, if anything is."""
        if self._keeper and self._keeper.pending:
            self._keeper.step(COLUMNS_A_LIGHT_STEP)
            return f"{self._keeper.pending} columns are not lit yet" if self._keeper.pending else None
        return None

    def light_up(self) -> None:
        """Makes the light of all that is known."""
        while self.step():
            pass

    def reclaim(self) -> None:
        """Gives back the slots that changed, and everything once the last column has gone."""
        if self._keeper:  # nobody works on older slots: there are no jobs but the keeper's, which are over
            self._session.store.pools.reclaim(self._session.store.pools.epoch)
            self._when_empty()

    def _when_empty(self) -> None:
        """Once, when the last column has gone and its light with it."""
        holds = bool(self._session.store.row_of)
        if self._held and not holds:
            self.light_up()
            give_back_free_pages()
        self._held = holds
