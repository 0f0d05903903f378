"""Shows what arrived, from a column or from an answer: blocks, air, and what makes no sense.

An undecodable sub-chunk shows what it did, and says so; its block entities stay with it.
"""

import numpy as np

from client.world.holdings import Holdings
from client.world.intake import NO_SLOT, Taken
from client.world.lifecycle import Knowledge
from client.world.pools import AIR_SLOT
from client.world.reports import EntryFault
from net.space.layout import Places
from net.space.positions import SubChunkPos


def settle(holdings: Holdings, places: Places, taken: Taken, now: float) -> tuple[EntryFault, ...]:
    """Shows what was decoded; the rest is UNDECODABLE and shows what it did.

    Args:
        holdings: to write to.
        places: of the first entries of ``taken``, each once.
        taken: what the intake made of them.
        now: monotonic seconds.
    """
    count = len(places)
    sound = taken.slots[:count] != NO_SLOT
    layer1 = taken.layer1[:count]
    holdings.shown.filled(holdings.intake.private(taken.slots[:count]), layer1[layer1 > 0])
    holdings.extras.drop_entities(places[sound])
    holdings.shown.show(places[sound], taken.slots[:count][sound], layer1[sound])
    holdings.states.become(places[sound], Knowledge.DATA, now)
    holdings.states.become(places[~sound], Knowledge.UNDECODABLE, now)
    broken = np.flatnonzero(~sound)
    positions = holdings.tables.positions_of(places[broken]).tolist()
    return tuple(
        EntryFault(SubChunkPos(*position), taken.faults[index])
        for index, position in zip(broken.tolist(), positions, strict=True)
    )


def show_air(holdings: Holdings, places: Places, knowledge: Knowledge, now: float) -> None:
    """Shows air; ``knowledge`` says who said so, the limit of the column or an answer."""
    holdings.extras.drop_entities(places)
    holdings.shown.show_one(places, AIR_SLOT)
    holdings.states.become(places, knowledge, now)


def keep_entities(holdings: Holdings, place: int, data: bytes) -> tuple[EntryFault, ...]:
    """Keeps the block entities that came with a place, or says why it could not."""
    error = holdings.extras.keep_entities(place, data)
    return () if error is None else (EntryFault(holdings.position(place), error),)
