"""The overlay ``states``: a box around every sub-chunk, by what is known of it.

Columns that the server does not keep up to date (``client.session.staleness``) have a ring on each side of their
boxes; those of air have none, since they would hide the others. A cell whose mesh failed is painted so instead.
"""

from typing import Final

import numpy as np

from client.world.lifecycle import STATES, Knowledge
from render.overlays.facts import Facts
from render.overlays.marks import Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.state_styles import FAILED, STYLES

PAINTED: Final = (*STYLES.values(), FAILED)
NO_BOX: Final = 255
CHOICE: Final = np.full(STATES, NO_BOX, np.uint8)
"""By state: which of ``PAINTED``."""
CHOICE[[int(state) for state in STYLES]] = np.arange(len(STYLES))
AIRY: Final = (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR)


def marks(facts: Facts) -> Marks:
    """A box each, and how many there are of each state."""
    chosen = np.where(facts.failed, len(STYLES), CHOICE[facts.states]).astype(np.uint8)
    some = chosen != NO_BOX
    rings = facts.stale & ~np.isin(facts.states, AIRY)
    boxes = Boxes.of(facts.positions[some] * SUBCHUNK_BLOCKS, chosen[some], PAINTED, rings=rings[some])
    return Marks(boxes=boxes, legend=counted(PAINTED, chosen[some]))
