"""The overlays ``verdict`` and ``graph``; the frustum of a frozen camera.

``verdict``: a box around every render cell, by why it is on the screen or is not. Frozen (``FrameSettings.frozen``), it
shows the frozen camera's result: cells that it does not draw are not drawn, and the eye may fly around and look at the
holes. Empty cells have no box and are only counted: most of a world is air.

``graph``: connections between sides of the sub-chunks around the culling eye.

    blue corners    sub-chunks that the walk reached; lines join connected sides
    grey corners    known ones that it did not reach; dashes join connected sides
    red crosses     on sides where the walk stopped: reached on one side, known and not reached on the other
    orange boxes    placeholders that the walk reached: they are requested, and not passed

A sub-chunk whose sides are all connected has only its three axes. Lines show through obstacles, fainter.

Frustum: the frustum of a frozen culling camera as lines: position, direction, reach.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.space import DIRECTIONS
from render.camera import Camera
from render.mesh.vertex_format import CELL_BLOCKS
from render.overlays.facts import CellVerdict, Links, OverlayFacts
from render.overlays.overlay import LegendRow, OverlayMarks, counted, overlay
from render.passes.overlay.boxes import Boxes, Hatch, Outline, Style
from render.passes.overlay.labels import Labels
from render.passes.overlay.lines import Ends, Lines, box_edges

STYLES: Final = (
    Style("drawn", (0.00, 0.75, 0.52), Outline.THIN, Hatch.NONE, 0.0),
    Style("outside the frustum", (0.34, 0.71, 0.91), Outline.THIN, Hatch.UPRIGHT, 0.30),
    Style("occluded: not reachable", (0.84, 0.37, 0.00), Outline.HEAVY, Hatch.DIAGONAL, 0.40),
    Style("empty (not drawn)", (0.75, 0.88, 0.97), Outline.CORNERS, Hatch.NONE, 0.0),
    Style("no space for its light", (1.00, 1.00, 1.00), Outline.HEAVY, Hatch.DOTS, 0.95),
    Style("not meshed yet", (0.94, 0.89, 0.26), Outline.THIN, Hatch.GRID, 0.45),
    Style("placeholder", (0.80, 0.47, 0.65), Outline.HEAVY, Hatch.X, 0.85),
    Style("too far", (0.62, 0.62, 0.62), Outline.CORNERS, Hatch.NONE, 0.0),
)
"""By ``CellVerdict``."""


@overlay("verdict", letter="V", title="why each render cell is drawn or not", place=14, layer=13, by_frame=True)
def verdict_marks(facts: OverlayFacts) -> OverlayMarks:
    cells = facts.frame.cells
    verdicts = cells.verdicts()
    some = verdicts != CellVerdict.EMPTY
    boxes = Boxes.of(cells.positions[some] * CELL_BLOCKS, verdicts[some], STYLES, CELL_BLOCKS)
    return OverlayMarks(boxes=boxes, legend=counted(STYLES, verdicts))


# ---------------------------------------------------------------- graph

SIDE: Final = 16
PAIRS: Final = np.array([(a, b) for a in range(6) for b in range(a + 1, 6)], np.int64)
"""[15, 2] of sides."""
AXES: Final = np.array([pair in ((0, 1), (2, 3), (4, 5)) for pair in map(tuple, PAIRS.tolist())])
CENTRES: Final = (np.array(DIRECTIONS) * 7.5 + 8.0).astype(np.float64)
"""[6, 3] middles of sides from the lowest corner, slightly inside."""
HIDDEN: Final = 0.4
MARK_BLOCKS: Final = 2.5
REACHED: Final = Style(
    "reached; lines join sides that see each other", (0.34, 0.71, 0.91), Outline.CORNERS, Hatch.NONE, 0.0
)
UNREACHED: Final = Style("not reached; dashed", (0.62, 0.62, 0.62), Outline.CORNERS, Hatch.NONE, 0.0)
STOPPED: Final = Style("closed side: visibility ends there", (0.95, 0.10, 0.25), Outline.NONE, Hatch.X, 1.0)
ASKED: Final = Style("placeholder: requested, not passed", (0.90, 0.62, 0.00), Outline.HEAVY, Hatch.NONE, 0.0)
STOPPED_TONE: Final = (255, 120, 130)
ASKED_TONE: Final = (255, 190, 120)


@overlay(
    "graph",
    letter="G",
    title="the visibility graph of sub-chunks, and where it ends",
    place=15,
    layer=14,
    by_frame=True,
)
def graph_marks(facts: OverlayFacts) -> OverlayMarks:
    near = facts.frame.links
    linked, where = linked_pairs(near.links)
    seen = near.reached[where] & ~near.missing[where]
    open_ = ~near.missing[where] & ~near.reached[where]
    asked = near.reached & near.missing
    stops, sides = stops_of(near)
    lows = near.positions.astype(np.float64) * SIDE
    lines = (
        _lines(*_between(lows, where[open_], linked[open_]), UNREACHED, 1.0, 1.0)
        + _lines(*_between(lows, where[seen], linked[seen]), REACHED, 1.8)
        + _lines(*box_edges(lows[asked] + 1.0, lows[asked] + SIDE - 1.0), ASKED, 1.5)
        + _lines(*_crosses(lows, stops, sides), STOPPED, 2.5)
    )
    known = ~near.missing
    unreached = (~near.reached[known]).astype(np.uint8)
    counts = *np.bincount(unreached, minlength=2).tolist(), len(stops), int(asked.sum())
    return OverlayMarks(
        boxes=Boxes.of(near.positions[known] * SIDE, unreached, (REACHED, UNREACHED)),
        lines=lines,
        labels=_words(lows, stops, sides, asked),
        legend=tuple(map(LegendRow, (REACHED, UNREACHED, STOPPED, ASKED), counts)),
        hidden=HIDDEN,
    )


def linked_pairs(links: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """[p] connected pairs as indices of ``PAIRS``, and [p] their sub-chunks; only the axes if all are connected."""
    bits = (links[:, None] >> (PAIRS[:, 0] * 8 + PAIRS[:, 1]).astype(np.uint64) & np.uint64(1)) != 0
    bits &= ~bits.all(axis=1)[:, None] | AXES
    where, pairs = np.nonzero(bits)
    return pairs, where


def stops_of(near: Links) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """[s] sub-chunks that were reached, and their sides towards known ones that were not."""
    beside = np.where(near.beside >= 0, near.beside, 0)
    stops = near.reached[:, None] & ~near.missing[:, None] & (near.beside >= 0)
    stops &= ~near.reached[beside] & ~near.missing[beside]
    where, sides = np.nonzero(stops)
    return where, sides


def _words(
    lows: Ends, stops: npt.NDArray[np.int64], sides: npt.NDArray[np.int64], asked: npt.NDArray[np.bool_]
) -> Labels:
    """Labels at crosses and in placeholders."""
    shut = lows[stops] + 8.0 + np.array(DIRECTIONS, np.float64)[sides] * 8.0
    points = np.concatenate([lows[asked] + 8.0, shut])
    texts = ("requested, not passed",) * int(asked.sum()) + ("shut",) * len(shut)
    tones = np.array([ASKED_TONE] * int(asked.sum()) + [STOPPED_TONE] * len(shut), np.uint8).reshape(-1, 3)
    return Labels.of(points, texts, tones)


def _between(lows: Ends, where: npt.NDArray[np.int64], pairs: npt.NDArray[np.int64]) -> tuple[Ends, Ends]:
    sides = PAIRS[pairs]
    return lows[where] + CENTRES[sides[:, 0]], lows[where] + CENTRES[sides[:, 1]]


def _crosses(lows: Ends, where: npt.NDArray[np.int64], sides: npt.NDArray[np.int64]) -> tuple[Ends, Ends]:
    ways = np.array(DIRECTIONS, np.float64)[sides]
    middles = lows[where] + 8.0 + ways * 8.0
    across = np.stack([np.roll(np.abs(ways), 1, axis=1), np.roll(np.abs(ways), 2, axis=1)], axis=1) * MARK_BLOCKS
    arms = np.concatenate([across[:, 0] + across[:, 1], across[:, 0] - across[:, 1]])
    both = np.concatenate([middles, middles])
    return both - arms, both + arms


def _lines(begins: Ends, ends: Ends, style: Style, width_px: float, dash_blocks: float = 0.0) -> Lines:
    tone = (*(round(255 * part) for part in style.colour), 255)
    return Lines.of(begins, ends, tone, width_px, dash_blocks)


REACH_BLOCKS: Final = 64.0
"""The real reach ends far beyond the loaded area."""
FRUSTUM_HIDDEN: Final = 0.45
TONE: Final = (255, 255, 255, 255)
WIDTH_PX: Final = 2.0
EYE_BLOCKS: Final = 0.75
CORNERS: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)


def frustum_lines(camera: Camera) -> Lines:
    """Four edges, frames at a quarter, half and all of the reach, and a cross at the eye."""
    forward, right, up = (np.array(way) for way in camera.rays)
    eye = np.array(camera.eye)

    def frame(away: float) -> Ends:
        aside: Ends = CORNERS @ np.stack([right, up]) * (1.0 if camera.is_parallel else away)
        return eye + forward * away + aside

    frames = [frame(share * REACH_BLOCKS) for share in (0.25, 0.5, 1.0)]
    begins = [frame(0.0), *frames, eye - np.eye(3) * EYE_BLOCKS]
    ends = [frames[-1], *(np.roll(each, -1, axis=0) for each in frames), eye + np.eye(3) * EYE_BLOCKS]
    return Lines.of(np.concatenate(begins), np.concatenate(ends), TONE, WIDTH_PX)
