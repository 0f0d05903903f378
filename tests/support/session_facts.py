"""What a session shows and holds, as plain values that two sessions can be compared by."""

from typing import Any

import numpy as np

from client.session.session import Session
from client.session.stats import states_of


def shown(session: Session) -> dict[str, Any]:
    """What a person sees of a session, block by block; revisions are the way's own where it stopped within a turn."""
    store = session.dimension.store
    rows = sorted(store.row_of.items())
    places = np.array([row for _, row in rows], np.int32)[:, None] * store.dimension.sections
    places = (places + np.arange(store.dimension.sections)).ravel()
    return {
        "columns": [column for column, _ in rows],
        "states": states_of(session.dimension.store),
        "blocks": store.pools.blocks[store.slot[places]].tobytes(),
        "masks": store.pools.opaque[store.slot[places]].tobytes(),
        "state": store.state[places].tolist(),
        "ledger": session.ledger.stats(),
        "player": session.movement.eye,
    }
