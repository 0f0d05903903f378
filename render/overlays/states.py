"""The overlay ``states``: a box around every sub-chunk, by what is known of it, and why it is not in the picture.

1. What is received and has no mesh, or no light (none was made, or the GPU has no room for it), is painted so instead
   of "received": a mesh that failed goes over one that is still to be made, and that over light.
2. A column that the server left out amid those that it announced is one box from floor to roof: nothing says how it is
   divided, and without a box it would be a hole that nobody explains.
3. Columns that the server does not keep up to date (``client.session.publisher_area``) have a ring on each side of
   their boxes; those of air have none, since they would hide the others.
"""

from typing import Final

import numpy as np

from client.world.lifecycle import STATES, Knowledge
from render.overlays.facts import Facts
from render.overlays.marks import Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.state_styles import FAILED, STYLES, UNLIT, UNMESHED, UNSENT

PAINTED: Final = (*STYLES.values(), UNLIT, UNMESHED, FAILED, UNSENT)
NUMBER: Final = {style: number for number, style in enumerate(PAINTED)}
NO_BOX: Final = 255
CHOICE: Final = np.full(STATES, NO_BOX, np.uint8)
"""By state: which of ``PAINTED``."""
CHOICE[[int(state) for state in STYLES]] = np.arange(len(STYLES))
AIRY: Final = (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR)


def marks(facts: Facts) -> Marks:
    """A box each, and how many there are of each state."""
    chosen = CHOICE[facts.states]
    received = facts.states == Knowledge.DATA
    for which, style in ((facts.unlit, UNLIT), (facts.unmeshed, UNMESHED), (facts.failed, FAILED)):
        chosen[which & received] = NUMBER[style]
    some = chosen != NO_BOX
    rings = facts.stale & ~np.isin(facts.states, AIRY)
    unsent = _columns(facts)
    numbers = np.concatenate([chosen[some], np.full(len(unsent), NUMBER[UNSENT], np.uint8)])
    sizes = np.full((len(numbers), 3), SUBCHUNK_BLOCKS, np.int32)
    sizes[len(numbers) - len(unsent) :, 1] = facts.roof_blocks - facts.floor_section * SUBCHUNK_BLOCKS
    boxes = Boxes.of(
        np.concatenate([facts.positions[some] * SUBCHUNK_BLOCKS, unsent]),
        numbers,
        PAINTED,
        sizes,
        rings=np.concatenate([rings[some], np.zeros(len(unsent), np.bool_)]),
    )
    return Marks(boxes=boxes, legend=counted(PAINTED, numbers))


def _columns(facts: Facts) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """int32[m, 3] lowest corners of columns that were never announced, in blocks."""
    x, z = facts.unsent[:, 0], facts.unsent[:, 1]
    return np.stack([x, np.full_like(x, facts.floor_section), z], axis=1).astype(np.int32) * SUBCHUNK_BLOCKS
