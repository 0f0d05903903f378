"""What a store costs, pool by pool: slots, tables, and what comes with columns and blocks.

Rules:
1. Everything that grows with the world or with what a server sends stands here, also where it is bounded and small.
2. What lies in Python objects is counted by their content and a fixed share for each, as where it is bounded.
"""

from client.world.holdings import Holdings
from client.world.reserved import PoolBytes

KEPT_EDIT_BYTES = 200
"""A change that waits: an entry of a dictionary with its two numbers (``sys.getsizeof``: 190)."""


def memory(holdings: Holdings) -> tuple[PoolBytes, ...]:
    """The bytes of every pool of a store."""
    tables, attached = holdings.tables, holdings.attached
    waiting = len(holdings.kept_edits) * KEPT_EDIT_BYTES
    return (
        *holdings.pools.stats().memory,
        tables.memory(),
        tables.history.memory(tables.touched_places),
        attached.heights.memory(),
        holdings.extras.memory(),
        attached.entities.memory(),
        attached.small_values.memory(),
        PoolBytes(
            "waiting changes", waiting, waiting, waiting, max(waiting, holdings.kept_edits.peak * KEPT_EDIT_BYTES)
        ),
    )
