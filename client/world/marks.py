"""What we decide about places ourselves: to want them, to ask, to give up, to drop them."""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.arrivals import refuse
from client.world.errors import WorldError
from client.world.holdings import Holdings
from client.world.lifecycle import Cause, Knowledge
from client.world.pools import PLACEHOLDER_SLOT
from net.space.layout import Places

CAUSES: Final = {
    Knowledge.UNKNOWN: Cause.LEFT_PLAN,
    Knowledge.WANTED: Cause.PLANNED,
    Knowledge.REQUESTED: Cause.ASKED,
    Knowledge.EVICTED: Cause.RELEASED,
}
"""What we do to a place when we call it so."""


class Marks:
    """Writes decisions to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

    def mark(self, places: Places, knowledge: Knowledge, now: float) -> None:
        """Notes what we did: UNKNOWN, WANTED, REQUESTED, or EVICTED, which drops the blocks, shown or just come.

        Raises:
            WorldError: a state that only messages bring, or a change that ``lifecycle`` does not allow.
        """
        cause = CAUSES.get(knowledge)
        if cause is None:
            raise WorldError(f"{knowledge.name} comes from messages, not from marking")
        self._holdings.states.happen(places, cause, now)
        if cause is Cause.RELEASED:
            self._holdings.attached.drop(places)
            self._holdings.shown.show_one(places, PLACEHOLDER_SLOT)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """We stop asking for these: REFUSED, with the last code, and a placeholder.

        Places that need no request, and those that an answer refused already, are left alone.
        """
        fresh = self._holdings.tables.state[places] != Knowledge.REFUSED
        places, codes = places[fresh], codes[fresh]
        refuse(self._holdings, places, Cause.GIVEN_UP, codes, now)
