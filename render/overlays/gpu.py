"""The overlays of the GPU's data: ``merge``, ``mirror``, ``channel-*`` and ``xray-*``.

``render.passes.overlay.surface_channels`` draws them; this module has their legends, marks and counts. ``merge`` marks
where a corner of a cube quad near the eye lies on another quad's edge: at such T-junctions rounding could open a
pinhole, so our quads overlap slightly (``cube.vert``). ``mirror`` has magenta boxes around blocks near the eye, visible
or not, for which the GPU's copy, read back, differs from the store.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from render.mesh.vertex_format import CELL_BLOCKS, CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, Words, read
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LegendRow, OverlayMarks, overlay
from render.passes.overlay.boxes import Boxes, Hatch, Outline, Style
from render.passes.overlay.lines import Lines
from render.passes.overlay.surface_channels import (
    BRICK,
    DIFFERS,
    LEFT_OUT,
    UNIFORM,
    WIRE,
    Rgb,
    depth_grey,
    overdraw_colour,
)

# ---------------------------------------------------------------- merge

REACH_BLOCKS: Final = 16.0
ARM_BLOCKS: Final = 0.14
WIDTH_PX: Final = 2.0
QUADS: Final = Style("quads within 16 blocks", (0.55, 0.80, 0.35), Outline.THIN, Hatch.NONE, 0.0, 0.6)
FACES: Final = Style("block faces merged into them", (0.35, 0.60, 0.80), Outline.THIN, Hatch.GRID, 0.6)
JUNCTIONS: Final = Style("T-junctions", (1.0, 1.0, 1.0), Outline.NONE, Hatch.X, 1.0)

Points = npt.NDArray[np.int64]
"""[n, 3] corners of blocks."""
Sides = npt.NDArray[np.int64]
"""[n, 4, 3] corners of quads, around each."""


@overlay("merge", letter="M", title="each merged quad, and T-junctions", place=16, layer=1, by_eye=True)
def merge_marks(facts: OverlayFacts) -> OverlayMarks:
    corners, faces = near_quads(facts.frame.solid_quads, facts.eye)
    points = junctions(corners)
    tone = tuple(round(255 * part) for part in JUNCTIONS.colour)
    middles = np.repeat(points.astype(np.float64), 3, axis=0)
    ways = np.tile(np.eye(3) * ARM_BLOCKS, (len(points), 1))
    lines = Lines.of(middles - ways, middles + ways, (*tone, 255), WIDTH_PX)
    legend = map(LegendRow, (QUADS, FACES, JUNCTIONS), (len(corners), faces, len(points)))
    return OverlayMarks(lines=lines, legend=tuple(legend))


def near_quads(
    solid: tuple[tuple[npt.NDArray[np.int32], Words], ...], eye: tuple[float, float, float]
) -> tuple[Sides, int]:
    """Corners of the quads within reach of an eye, and the number of block faces that were merged into them."""
    parts = [_corners(words, cell) for cell, words in solid]
    corners = (
        np.concatenate([part for part in parts if len(part)]) if any(map(len, parts)) else np.zeros((0, 4, 3), np.int64)
    )
    nearest = np.clip(np.array(eye), corners.min(axis=1), corners.max(axis=1)) - np.array(eye)
    some = corners[np.einsum("ij,ij->i", nearest, nearest) <= REACH_BLOCKS * REACH_BLOCKS]
    edges = np.abs(some[:, 2] - some[:, 0])
    return some, int(np.where(edges > 0, edges, 1).prod(axis=1).sum())


def junctions(corners: Sides) -> Points:
    """Corners of quads that lie within an edge of another quad, each once, by position."""
    begins, ends = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    lengths = np.abs(ends - begins).sum(axis=1)
    inner = np.maximum(lengths - 1, 0)
    of = np.repeat(np.arange(len(begins)), inner)
    step = np.arange(len(of)) - np.repeat(np.cumsum(inner) - inner, inner) + 1
    ways = np.sign(ends - begins)
    return _shared(np.unique(begins, axis=0), np.unique(begins[of] + ways[of] * step[:, None], axis=0))


def _shared(one: Points, other: Points) -> Points:
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


# ---------------------------------------------------------------- mirror


def _share(tone: Rgb) -> tuple[float, float, float]:
    return tone[0] / 255, tone[1] / 255, tone[2] / 255


RESIDENT: Final = Style("block by block", _share(BRICK), Outline.THIN, Hatch.NONE, 0.0, 0.6)
ONE_VALUE: Final = Style("one block everywhere: one entry", _share(UNIFORM), Outline.THIN, Hatch.NONE, 0.0, 0.6)
ROOMLESS: Final = Style("omitted: no space", _share(LEFT_OUT), Outline.HEAVY, Hatch.DIAGONAL, 0.8)
WAITING: Final = Style("not uploaded yet", (0.62, 0.62, 0.62), Outline.DOTTED, Hatch.NONE, 0.0)
WRONG: Final = Style("blocks that differ", _share(DIFFERS), Outline.HEAVY, Hatch.X, 1.0, 0.35)


@overlay(
    "mirror",
    letter="I",
    title="the GPU's copy of the blocks, compared with the CPU's",
    place=17,
    layer=2,
    lasts_s=0.5,
    by_eye=True,
)
def mirror_marks(facts: OverlayFacts) -> OverlayMarks:
    held = facts.frame.held
    boxes = Boxes.of(held.differing, np.zeros(len(held.differing), np.uint8), (WRONG,), 1)
    styles = RESIDENT, ONE_VALUE, ROOMLESS, WAITING, WRONG
    counts = held.bricks, held.uniform, held.left_out, held.waiting, len(held.differing)
    return OverlayMarks(boxes=boxes, legend=tuple(map(LegendRow, styles, counts)))


# ---------------------------------------------------------------- channels

WIRE_BEHIND_SHOWN: Final = (40, 80, 120)
"""Colour of five hidden edges over each other."""


def filled(label: str, tone: Rgb) -> LegendRow:
    return LegendRow(Style(label, _share(tone), Outline.NONE, Hatch.NONE, 0.0, 1.0), None)


@overlay("channel-albedo", letter="5", title="textures and tints without light", place=22)
def channel_albedo_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(legend=(filled("texture and tint, without light", (120, 160, 80)),))


@overlay("channel-normal", letter="6", title="direction of each surface", place=23)
def channel_normal_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=(
            filled("east (+x)", (255, 128, 128)),
            filled("west", (0, 128, 128)),
            filled("up (+y)", (128, 255, 128)),
            filled("down", (128, 0, 128)),
            filled("south (+z)", (128, 128, 255)),
            filled("north", (128, 128, 0)),
            filled("south-east: crossed sides of plants face the eye", (218, 128, 218)),
            filled("south-west", (37, 128, 218)),
            filled("north-east", (218, 128, 37)),
            filled("north-west", (37, 128, 37)),
        )
    )


@overlay("channel-depth", letter="7", title="distance of each surface", place=24)
def channel_depth_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=tuple(filled(f"{far} block{'s' if far > 1 else ''}", (depth_grey(far),) * 3) for far in (1, 8, 64, 512))
    )


@overlay("channel-block", letter="8", title="a colour for each block state", place=25)
def channel_block_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(legend=(filled("one block state (the Inspector names it)", (204, 121, 167)),))


@overlay("channel-light", letter="9", title="light alone, of all four channels", place=26)
def channel_light_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=(
            filled("full daylight", (179, 179, 179)),
            filled("lamps in their colour", (255, 180, 90)),
            filled("dark", (0, 0, 0)),
        )
    )


@overlay("channel-overdraw", letter="0", title="number of times each pixel is shaded", place=27)
def channel_overdraw_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=tuple(
            filled(f"shaded {count} times" if count > 1 else "shaded once", overdraw_colour(count))
            for count in (1, 2, 4, 8, 16)
        )
    )


@overlay("channel-wire", letter="Q", title="edges of quads, including hidden ones", place=28)
def channel_wire_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=(
            filled("visible edges of quads", WIRE),
            filled("hidden edges that are still drawn", WIRE_BEHIND_SHOWN),
        )
    )


# ---------------------------------------------------------------- xray

PLACEHOLDER: Final = Style("requested, no data, visible", (0.90, 0.62, 0.0), Outline.THIN, Hatch.DIAGONAL, 1.0, 0.4)
BEHIND: Final = Style(
    "requested, no data, behind terrain (fainter)", (0.62, 0.55, 0.30), Outline.THIN, Hatch.DIAGONAL, 0.5, 0.2
)


@overlay("xray-placeholder", letter="P", title="placeholders that were requested, also behind terrain", place=2)
def xray_placeholder_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(legend=(LegendRow(PLACEHOLDER, None), LegendRow(BEHIND, None)))


@overlay("xray-air", letter="X", title="air behind terrain", place=3)
def xray_air_marks(_facts: OverlayFacts) -> OverlayMarks:
    return OverlayMarks(
        legend=(
            filled("walls of hidden air in daylight", (87, 181, 232)),
            filled("walls of hidden air in the dark", (107, 56, 184)),
            filled("lamps tint them", (255, 180, 90)),
        )
    )
