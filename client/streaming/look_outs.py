"""What pinned look-outs want: the places that each sees from its own eye, within its own columns.

A pin with an eye is asked for by sight, like the player's ground; a pin without one is wanted whole (``planner``). One
walk kernel runs once per eye (architecture.md 2), each as if its eye were the player's: it reaches placeholders and
does not pass them, but for those that are presumed open, by the same guess as for the player.

Limit: every look-out is walked again when the player is. Measured on a shared machine: 0.05 to 0.2 ms for one of radius
4, 0.1 to 0.4 ms of radius 8, so 64 of them take 10 to 25 ms a plan.
"""

from collections.abc import Iterable

import numpy as np

from client.player import Eye
from client.streaming.anchors import Anchor, Pin
from client.visibility.walk import Walk
from client.world.store import Store
from net.space.layout import Bytes, Places


def seen_from(pins: Iterable[Pin], store: Store, walk: Walk, presumed_open: Bytes | None = None) -> Places:
    """Places that look-outs reach; those that two of them reach are named twice.

    Args:
        pins: those without an eye want nothing here.
        store: what is known.
        walk: its scratch.
        presumed_open: uint8[places] 1 where a place may be passed whatever it shows; None presumes nothing.
    """
    seen = [_seen(store, walk, pin.eye, pin.anchor, presumed_open) for pin in pins if pin.eye is not None]
    places: Places = np.concatenate([np.empty(0, np.int32), *seen])
    return places


def _seen(store: Store, walk: Walk, eye: Eye, anchor: Anchor, presumed_open: Bytes | None) -> Places:
    reach = max(eye.column.chebyshev(anchor.low), eye.column.chebyshev(anchor.high))
    reached = walk.run(store, eye, reach, presumed_open).places
    places: Places = reached[anchor.holds(store.columns[reached // store.dimension.sections])]
    return places
