"""The overlay ``borders``: where columns, sub-chunks and render cells end.

The eye's own column has a frame at each sub-chunk, heavier and cyan at each render cell (32 blocks); around it every
column has its upright edges, yellow and fainter with distance. Labels name the columns near the eye.
"""

from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt

from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.boxes import SUBCHUNK_BLOCKS
from render.passes.labels import Labels
from render.passes.lines import Lines
from render.passes.state_styles import Hatch, Line, Style

CELL_TALL_BLOCKS: Final = 32
NEAR_COLUMNS: Final = 2
"""Whose names are told."""
FAINT_COLUMNS: Final = 10.0
BELOW_EYE_BLOCKS: Final = 4.0
KEY_BITS: Final = 32
"""Of each half of a corner's key."""
COLUMN: Final = Style("column", (1.00, 0.87, 0.20), Line.HEAVY, Hatch.NONE, 0.0)
SUBCHUNK: Final = Style("sub-chunk (16 blocks)", (1.00, 0.87, 0.20), Line.DOTTED, Hatch.NONE, 0.0)
CELL: Final = Style("render cell (32 blocks)", (0.30, 0.90, 1.00), Line.THIN, Hatch.LEVEL, 0.6)
LABEL_TONE: Final = (255, 226, 120)

Ends = npt.NDArray[np.float64]


def marks(facts: Facts) -> Marks:
    """Edges and frames around the eye."""
    columns = facts.columns.astype(np.int64)
    low, high = facts.floor_section * SUBCHUNK_BLOCKS, facts.roof_blocks
    own = np.array([floor(facts.eye[0]) >> 4, floor(facts.eye[2]) >> 4])
    lines = edges(columns, own, low, high) + frames(own, low, high)
    near = columns[np.abs(columns - own).max(axis=1, initial=0) <= NEAR_COLUMNS]
    middles = np.empty((len(near), 3))
    middles[:, [0, 2]] = near * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2
    middles[:, 1] = facts.eye[1] - BELOW_EYE_BLOCKS
    texts = [f"{x} {z}" for x, z in near.tolist()]
    stacked = len(columns) * (high - low)
    return Marks(
        lines=lines,
        labels=Labels.of(middles, texts, LABEL_TONE),
        legend=(
            LegendRow(COLUMN, len(columns)),
            LegendRow(SUBCHUNK, stacked // SUBCHUNK_BLOCKS),
            LegendRow(CELL, stacked // CELL_TALL_BLOCKS),
        ),
    )


def edges(columns: npt.NDArray[np.int64], own: npt.NDArray[np.int64], low: int, high: int) -> Lines:
    """Upright edges of columns, each corner once, fainter away from the eye's own."""
    around = (columns[:, None] + np.array([(0, 0), (0, 1), (1, 0), (1, 1)])).reshape(-1, 2)
    keys = np.unique((around[:, 0] << KEY_BITS) + around[:, 1])  # five times as fast as rows, in the same order
    across = (keys + (1 << KEY_BITS - 1) & (1 << KEY_BITS) - 1) - (1 << KEY_BITS - 1)
    corners = np.stack([keys - across >> KEY_BITS, across], axis=1)
    away = np.abs(corners - own - 0.5).max(axis=1, initial=0)
    shares = np.clip(1.0 - away / FAINT_COLUMNS, 0.12, 1.0)
    ends = np.empty((2, len(corners), 3))
    ends[:, :, [0, 2]] = corners * SUBCHUNK_BLOCKS
    ends[0, :, 1], ends[1, :, 1] = low, high
    tones = np.empty((len(corners), 4), np.uint8)
    tones[:, :3] = _bytes(COLUMN)
    tones[:, 3] = np.rint(shares * 235)
    return Lines.of(ends[0], ends[1], tones, np.where(away < 1, 2.0, 1.0))


def frames(own: npt.NDArray[np.int64], low: int, high: int) -> Lines:
    """Squares around a column: dashed at sub-chunks, cyan at render cells."""
    levels = np.arange(low, high + 1, SUBCHUNK_BLOCKS)
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]) + own
    begins, ends = np.empty((len(levels), 4, 3)), np.empty((len(levels), 4, 3))
    begins[:, :, [0, 2]], ends[:, :, [0, 2]] = square[:4] * SUBCHUNK_BLOCKS, square[1:] * SUBCHUNK_BLOCKS
    begins[:, :, 1] = ends[:, :, 1] = levels[:, None]
    of_cell = np.repeat(levels % CELL_TALL_BLOCKS == 0, 4)
    tones = np.where(of_cell[:, None], (*_bytes(CELL), 255), (*_bytes(SUBCHUNK), 200)).astype(np.uint8)
    return Lines.of(
        begins.reshape(-1, 3), ends.reshape(-1, 3), tones, np.where(of_cell, 2.0, 1.0), np.where(of_cell, 0.0, 1.0)
    )


def _bytes(style: Style) -> tuple[int, int, int]:
    red, green, blue = (round(255 * share) for share in style.colour)
    return red, green, blue
