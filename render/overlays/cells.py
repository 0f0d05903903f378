"""The overlay ``cells``: the boxes of 16 x 32 x 16 blocks that are meshed and drawn as one, and what they cost.

Each says how often its mesh was made (its generation), its vertices, and how many faces one quad stands for. A cell
whose mesh came within the last ``FLASH_S`` flashes: what flashes all the time is churn.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from render.overlays.facts import Facts
from render.overlays.marks import LABELS_HIDDEN, Marks, counted
from render.passes.boxes import Boxes
from render.passes.labels import Labels, Texts
from render.passes.state_styles import Hatch, Line, Style

CELL_BLOCKS: Final = np.array([16, 32, 16], np.int32)
VERTICES_A_QUAD: Final = 4
FLASH_S: Final = 0.6
SHOWN, WANTED, STALE, FAILED, FLASH = range(5)
STYLES: Final = (
    Style("up to date", (0.00, 0.75, 0.52), Line.THIN, Hatch.NONE, 0.0),
    Style("first mesh on its way", (0.94, 0.89, 0.26), Line.THIN, Hatch.GRID, 0.45),
    Style("drawn as it was, newer mesh on its way", (0.90, 0.62, 0.00), Line.HEAVY, Hatch.DIAGONAL, 0.6),
    Style("mesh failed", (1.0, 1.0, 1.0), Line.HEAVY, Hatch.DOTS, 0.95),
    Style("made just now (flash)", (0.34, 0.80, 1.00), Line.HEAVY, Hatch.CROSS, 0.7, 0.30),
)
NO_BOX: Final = 255
LEAST: Final = len("#1"), 1
"""Characters and rows of a label."""


def marks(facts: Facts) -> Marks:
    """A box for each that shows or wants a mesh."""
    cells = facts.meshes
    chosen = np.array([NO_BOX, WANTED, WANTED, NO_BOX, SHOWN, STALE, FAILED], np.uint8)[cells.pictures]
    flashes = (cells.age_s >= 0) & (cells.age_s < FLASH_S) & (cells.quads > 0)
    chosen[flashes] = FLASH
    some = chosen != NO_BOX
    corners = cells.positions[some] * CELL_BLOCKS
    shares = np.where(flashes, 1.0 - 0.7 * np.nan_to_num(cells.age_s, nan=0.0) / FLASH_S, 1.0)
    generations, quads, faces = cells.generations[some], cells.quads[some], cells.faces[some]

    def say(number: int) -> str:
        return told(int(generations[number]), int(quads[number]), int(faces[number]))

    return Marks(
        boxes=Boxes.of(corners, chosen[some], STYLES, CELL_BLOCKS, shares[some]),
        labels=Labels.of(corners + CELL_BLOCKS / 2, Texts(len(corners), say), least=LEAST),
        legend=counted(STYLES, chosen[some]),
        hidden=LABELS_HIDDEN,
        moves=bool(flashes.any()),
    )


@lru_cache(maxsize=4096)
def told(generation: int, quads: int, faces: int) -> str:
    """The label of one cell; nothing drawn says its generation alone."""
    if not quads:
        return f"#{generation}"
    return f"#{generation} {VERTICES_A_QUAD * quads} vert\n{faces / quads:.1f} faces/quad"
