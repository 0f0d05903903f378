"""The overlay ``found``: boxes and beams at the blocks that the panel Find found.

Blocks above each other are one box. The sub-chunks with the most hits have a beam over the roof, seen from far away.
"""

from typing import Final

import numpy as np

from render.overlays.against import runs
from render.overlays.facts import OverlayFacts
from render.overlays.marks import LegendRow, OverlayMarks
from render.overlays.overlay import overlay
from render.passes.overlay.boxes import SUBCHUNK_BLOCKS, Boxes, Hatch, Outline, Style

MOST_BEAMS: Final = 256
MOST_MARKED: Final = 20_000
"""Blocks with a box each; of more, the first ones."""
ABOVE_ROOF_BLOCKS: Final = 32
BLOCK: Final = Style("found block", (0.20, 1.00, 0.90), Outline.HEAVY, Hatch.NONE, 0.0, 0.25)
BEAM: Final = Style("beam: sub-chunk with found blocks", (0.20, 1.00, 0.90), Outline.THIN, Hatch.NONE, 0.0, 0.35)


@overlay("found", letter="H", title="blocks found by the panel Find", place=17, layer=12)
def found_marks(facts: OverlayFacts) -> OverlayMarks:
    """A box for each run of blocks, a beam for each of the first sub-chunks."""
    found = facts.found
    if found is None:
        return OverlayMarks()
    blocks = np.array(found.blocks[:MOST_MARKED], np.int32).reshape(-1, 3)
    boxes = runs(blocks, np.zeros(len(blocks), np.uint8))
    most = sorted(found.subchunks, key=lambda each: -each.count)[:MOST_BEAMS]
    feet = np.array([each.at for each in most], np.int32).reshape(-1, 3) * SUBCHUNK_BLOCKS
    feet += np.array([SUBCHUNK_BLOCKS // 2, SUBCHUNK_BLOCKS, SUBCHUNK_BLOCKS // 2])
    tall = np.maximum(facts.roof_blocks + ABOVE_ROOF_BLOCKS - feet[:, 1], 1)
    sizes = np.ones((len(boxes) + len(feet), 3), np.int32)
    sizes[:, 1] = np.concatenate([boxes[:, 3], tall])
    chosen = np.repeat(np.array([0, 1], np.uint8), [len(boxes), len(feet)])
    return OverlayMarks(
        boxes=Boxes.of(np.concatenate([boxes[:, :3], feet]), chosen, (BLOCK, BEAM), sizes),
        legend=(LegendRow(BLOCK, found.count), LegendRow(BEAM, len(found.subchunks))),
    )
