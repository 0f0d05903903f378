"""Height maps that no reading reconciles with the blocks that came with them."""

import numpy as np

from client.session.session import Session
from client.world.height_maps import HeightVerdict
from render.invariants.finding import Finding, middles


def height_contradictions(session: Session) -> Finding:
    """Sub-chunks whose last answer contradicts itself."""
    store = session.store
    places = store.places_of_rows(store.announced_rows)
    verdicts = store.height_verdicts()
    known = places[places < len(verdicts)]
    broken = known[verdicts[known] == np.uint8(HeightVerdict.CONTRADICTS)]
    return Finding(len(broken), middles(store.positions_of(broken)))
