"""The overlay ``merge``: each quad in a colour of its own, and marks where a corner lies on another quad's edge.

Colours are drawn by ``render.passes.surfaces``; here are the marks and the counts, of cube quads near the eye, liquids
and glass left out. At such T-junctions rounding could open a pinhole: our quads overlap by a hair (``cube.vert``).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from render.mesh.quads import CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, Words, read
from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.lines import Lines
from render.passes.state_styles import Hatch, Line, Style

REACH_BLOCKS: Final = 16.0
ARM_BLOCKS: Final = 0.14
WIDTH_PX: Final = 2.0
CELL_BLOCKS: Final = np.array([16, 32, 16], np.int64)
QUADS: Final = Style("quads within 16 blocks", (0.55, 0.80, 0.35), Line.THIN, Hatch.NONE, 0.0, 0.6)
FACES: Final = Style("block faces merged into them", (0.35, 0.60, 0.80), Line.THIN, Hatch.GRID, 0.6)
JUNCTIONS: Final = Style("T-junctions", (1.0, 1.0, 1.0), Line.NONE, Hatch.X, 1.0)

Points = npt.NDArray[np.int64]
"""[n, 3] corners of blocks."""
Sides = npt.NDArray[np.int64]
"""[n, 4, 3] corners of quads, around each."""


def marks(facts: Facts) -> Marks:
    """A small cross at each junction."""
    corners, faces = near_quads(facts.frame.solid_quads, facts.eye)
    points = junctions(corners)
    tone = tuple(round(255 * part) for part in JUNCTIONS.colour)
    arms = np.eye(3) * ARM_BLOCKS
    middles = np.repeat(points.astype(np.float64), 3, axis=0)
    ways = np.tile(arms, (len(points), 1))
    lines = Lines.of(middles - ways, middles + ways, (*tone, 255), WIDTH_PX)
    counts = len(corners), faces, len(points)
    legend = tuple(LegendRow(style, count) for style, count in zip((QUADS, FACES, JUNCTIONS), counts, strict=True))
    return Marks(lines=lines, legend=legend)


def near_quads(
    solid: tuple[tuple[npt.NDArray[np.int32], Words], ...], eye: tuple[float, float, float]
) -> tuple[Sides, int]:
    """Corners of the quads within reach of an eye, and how many block faces they are merged of.

    Args:
        solid: of some render cells, position int32[3] and cube quads uint32[n, 2].
        eye: in blocks.
    """
    parts = [_corners(words, cell) for cell, words in solid]
    corners = (
        np.concatenate([part for part in parts if len(part)]) if any(map(len, parts)) else np.zeros((0, 4, 3), np.int64)
    )
    nearest = np.clip(np.array(eye), corners.min(axis=1), corners.max(axis=1)) - np.array(eye)
    some = corners[np.einsum("ij,ij->i", nearest, nearest) <= REACH_BLOCKS * REACH_BLOCKS]
    edges = np.abs(some[:, 2] - some[:, 0])
    return some, int(np.where(edges > 0, edges, 1).prod(axis=1).sum())


def junctions(corners: Sides) -> Points:
    """Corners of quads that lie within an edge of another one, each once, by position."""
    begins, ends = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    lengths = np.abs(ends - begins).sum(axis=1)
    inner = np.maximum(lengths - 1, 0)
    of = np.repeat(np.arange(len(begins)), inner)
    step = np.arange(len(of)) - np.repeat(np.cumsum(inner) - inner, inner) + 1
    ways = np.sign(ends - begins)
    return _shared(np.unique(begins, axis=0), np.unique(begins[of] + ways[of] * step[:, None], axis=0))


def _shared(one: Points, other: Points) -> Points:
    """Rows that both have."""
    both = np.concatenate([one, other])
    rows, counts = np.unique(both, axis=0, return_counts=True)
    shared: Points = rows[counts > 1]
    return shared


def _corners(words: Words, cell: npt.NDArray[np.int32]) -> Sides:
    low = np.stack([read(CUBE, words, axis) for axis in "xyz"], axis=1).astype(np.int64) + cell * CELL_BLOCKS
    face = read(CUBE, words, "face")
    unit = np.eye(3, dtype=np.int64)
    wide = unit[np.array(FACE_WIDTH_AXIS)[face]] * read(CUBE, words, "width")[:, None]
    high = unit[np.array(FACE_HEIGHT_AXIS)[face]] * read(CUBE, words, "height")[:, None]
    low += unit[np.array((0, 0, 2, 2, 1, 1))[face]] * (face & 1)[:, None]
    return np.stack([low, low + wide, low + wide + high, low + high], axis=1)
