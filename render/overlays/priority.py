"""The overlay ``priority``: the interest that each sub-chunk had when it was last planned (``visibility``), as heat.

What is needed most is brightest and says its number: about its distance in sub-chunks, and more for what lies aside of
the look, below the ground or in the sky. What was never planned has no box. In a replay nothing is planned.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import Knowledge
from render.overlays.facts import Facts
from render.overlays.heat import heat_styles, step_of
from render.overlays.marks import LABELS_HIDDEN, Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels

BOUNDS: Final = (-48.0, -24.0, -12.0, -6.0, -3.0)
"""Of needs turned round, so that urgent is hot."""
STYLES: Final = heat_styles(("over 48: last", "24 to 48", "12 to 24", "6 to 12", "3 to 6", "under 3: first"))
LABELLED: Final = 200
"""The most urgent ones have their number."""


def marks(facts: Facts) -> Marks:
    """A box for each that was planned."""
    trail = facts.trail
    if trail is None:
        return Marks()
    planned = ~np.isnan(trail.needs) & (facts.states != Knowledge.ALL_AIR)
    needs = trail.needs[planned]
    chosen = step_of(-needs, BOUNDS)
    corners = facts.positions[planned] * SUBCHUNK_BLOCKS
    first = most_urgent(needs)
    texts = [f"{need:.1f}" for need in needs[first].tolist()]
    return Marks(
        boxes=Boxes.of(corners, chosen, STYLES),
        labels=Labels.of(corners[first] + SUBCHUNK_BLOCKS / 2, texts),
        legend=counted(STYLES, chosen)[::-1],
        hidden=LABELS_HIDDEN,
        moves=False,
    )


def most_urgent(needs: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Numbers of the ``LABELLED`` least needs, least first, of equal ones the first given."""
    if len(needs) <= LABELLED:
        return np.argsort(needs, kind="stable")
    some = np.flatnonzero(needs <= np.partition(needs, LABELLED - 1)[LABELLED - 1])
    first: npt.NDArray[np.int64] = some[np.argsort(needs[some], kind="stable")][:LABELLED]
    return first
