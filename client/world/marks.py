"""What we decide about places ourselves: to want them, to ask, to give up, to drop them."""

import numpy as np
import numpy.typing as npt

from client.world.errors import WorldError
from client.world.holdings import Holdings
from client.world.lifecycle import Knowledge
from client.world.pools import PLACEHOLDER_SLOT
from net.space.layout import Places

MARKABLE = (Knowledge.UNKNOWN, Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.EVICTED)


class Marks:
    """Writes decisions to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

    def mark(self, places: Places, knowledge: Knowledge, now: float) -> None:
        """Notes what the planner did: UNKNOWN, WANTED, REQUESTED, or EVICTED, which drops the blocks.

        Raises:
            WorldError: a state that only messages bring, or a change that ``lifecycle`` does not allow.
        """
        if knowledge not in MARKABLE:
            raise WorldError(f"{knowledge.name} comes from messages, not from marking")
        if knowledge is Knowledge.EVICTED:
            self._holdings.extras.drop_entities(places)
            self._holdings.shown.show_one(places, PLACEHOLDER_SLOT)
        self._holdings.states.become(places, knowledge, now)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """The server will not send these: REFUSED, with the code; what is shown stays.

        Places that need no request are left alone.
        """
        self._holdings.states.refuse(places, codes, now)
