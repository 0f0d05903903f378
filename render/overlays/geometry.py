"""The overlays ``borders``, ``cells`` and ``biomes``.

``borders``: the eye's own column has a frame at each sub-chunk, heavier and cyan at each render cell (32 blocks);
around it every column has its upright edges, fainter with distance. Labels name the columns near the eye.

``cells``: the boxes of 16 x 32 x 16 blocks that are meshed and drawn as one: how often each was made, its vertices, how
many faces a quad represents. A cell whose mesh arrived within ``FLASH_S`` flashes: permanent flashing is churn.

``biomes``: the ground in tiles of 4 x 4 blocks at the median of its heights: a lamp or a tree does not lift its tile
into the air. Colours show the kind of biome, as on a map, hatches its number; a label names each biome of a column
once. Unknown: grey and crossed.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.weather import name_of
from client.source import one_line
from net.space import UNKNOWN_BIOME
from render.mesh.vertex_format import CELL_BLOCKS, CELL_TALL
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LABELS_HIDDEN, LegendRow, OverlayMarks, counted, overlay
from render.passes.overlay.boxes import SUBCHUNK_BLOCKS, Boxes, Hatch, Outline, Style
from render.passes.overlay.labels import Labels, Texts
from render.passes.overlay.lines import Lines

# ---------------------------------------------------------------- borders

NEAR_COLUMNS: Final = 2
"""Distance of columns with labels."""
FAINT_COLUMNS: Final = 10.0
BELOW_EYE_BLOCKS: Final = 4.0
KEY_BITS: Final = 32
"""Bits of each half of a corner's key."""
COLUMN: Final = Style("column", (1.00, 0.87, 0.20), Outline.HEAVY, Hatch.NONE, 0.0)
SUBCHUNK: Final = Style("sub-chunk (16 blocks)", (1.00, 0.87, 0.20), Outline.DOTTED, Hatch.NONE, 0.0)
CELL: Final = Style("render cell (32 blocks)", (0.30, 0.90, 1.00), Outline.THIN, Hatch.LEVEL, 0.6)
LABEL_TONE: Final = (255, 226, 120)

Ends = npt.NDArray[np.float64]


@overlay(
    "borders", letter="N", title="borders of columns, sub-chunks and render cells", place=10, layer=11, by_eye=True
)
def borders_marks(facts: OverlayFacts) -> OverlayMarks:
    columns = facts.columns.astype(np.int64)
    low, high = facts.floor_section * SUBCHUNK_BLOCKS, facts.roof_blocks
    own = np.array([floor(facts.eye[0]) >> 4, floor(facts.eye[2]) >> 4])
    lines = edges(columns, own, low, high) + frames(own, low, high)
    near = columns[np.abs(columns - own).max(axis=1, initial=0) <= NEAR_COLUMNS]
    middles = np.empty((len(near), 3))
    middles[:, [0, 2]] = near * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2
    middles[:, 1] = facts.eye[1] - BELOW_EYE_BLOCKS
    texts = [f"chunk {x},{z}" for x, z in near.tolist()]
    stacked = len(columns) * (high - low)
    return OverlayMarks(
        lines=lines,
        labels=Labels.of(middles, texts, LABEL_TONE),
        legend=(
            LegendRow(COLUMN, len(columns)),
            LegendRow(SUBCHUNK, stacked // SUBCHUNK_BLOCKS),
            LegendRow(CELL, stacked // CELL_TALL),
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
    of_cell = np.repeat(levels % CELL_TALL == 0, 4)
    tones = np.where(of_cell[:, None], (*_bytes(CELL), 255), (*_bytes(SUBCHUNK), 200)).astype(np.uint8)
    return Lines.of(
        begins.reshape(-1, 3), ends.reshape(-1, 3), tones, np.where(of_cell, 2.0, 1.0), np.where(of_cell, 0.0, 1.0)
    )


def _bytes(style: Style) -> tuple[int, int, int]:
    red, green, blue = (round(255 * share) for share in style.colour)
    return red, green, blue


# ---------------------------------------------------------------- cells

VERTICES_A_QUAD: Final = 4
FLASH_S: Final = 0.6
SHOWN, WANTED, STALE, FAILED, FLASH = range(5)
STYLES: Final = (
    Style("up to date", (0.00, 0.75, 0.52), Outline.THIN, Hatch.NONE, 0.0),
    Style("first mesh in progress", (0.94, 0.89, 0.26), Outline.THIN, Hatch.GRID, 0.45),
    Style("older mesh drawn, newer one in progress", (0.90, 0.62, 0.00), Outline.HEAVY, Hatch.DIAGONAL, 0.6),
    Style("mesh failed", (1.0, 1.0, 1.0), Outline.HEAVY, Hatch.DOTS, 0.95),
    Style("rebuilt just now (flash)", (0.34, 0.80, 1.00), Outline.HEAVY, Hatch.CROSS, 0.7, 0.30),
)
NO_BOX: Final = 255
LEAST: Final = len("#1"), 1
"""Characters and rows of a label."""


@overlay("cells", letter="C", title="render cells: generation, vertices, merging", place=11, layer=9, lasts_s=0.1)
def cells_marks(facts: OverlayFacts) -> OverlayMarks:
    cells = facts.meshes
    chosen = np.array([NO_BOX, WANTED, WANTED, NO_BOX, SHOWN, STALE, FAILED], np.uint8)[cells.pictures]
    flashes = (cells.age_s >= 0) & (cells.age_s < FLASH_S) & (cells.quads > 0)
    chosen[flashes] = FLASH
    some = chosen != NO_BOX
    corners = cells.positions[some] * CELL_BLOCKS
    shares = np.where(flashes, 1.0 - 0.7 * np.nan_to_num(cells.age_s, nan=0.0) / FLASH_S, 1.0)
    generations, quads, faces = cells.generations[some], cells.quads[some], cells.faces[some]

    def say(number: int) -> str:
        return format_mesh_counts(int(generations[number]), int(quads[number]), int(faces[number]))

    return OverlayMarks(
        boxes=Boxes.of(corners, chosen[some], STYLES, CELL_BLOCKS, shares[some]),
        labels=Labels.of(corners + CELL_BLOCKS / 2, Texts(len(corners), say), least=LEAST),
        legend=counted(STYLES, chosen[some]),
        hidden=LABELS_HIDDEN,
        moves=bool(flashes.any()),
    )


@lru_cache(maxsize=4096)
def format_mesh_counts(generation: int, quads: int, faces: int) -> str:
    """The label of one cell; without quads only its generation."""
    if not quads:
        return f"#{generation}"
    return f"#{generation} {VERTICES_A_QUAD * quads} vert\n{faces / quads:.1f} faces/quad"


# ---------------------------------------------------------------- biomes

TILE_BLOCKS: Final = 4
ACROSS: Final = 4
"""Tiles along a column's side."""
MIDDLE: Final = TILE_BLOCKS * TILE_BLOCKS // 2
"""Index of the median of a tile's sorted heights."""
HATCHES: Final = (Hatch.NONE, Hatch.DIAGONAL, Hatch.DOTS, Hatch.GRID, Hatch.FALLING, Hatch.CROSS, Hatch.UPRIGHT)
UNKNOWN: Final = Style("never sent", (0.55, 0.55, 0.55), Outline.THIN, Hatch.X, 0.9, 0.35)
MOST_STYLES: Final = 250
OVER_TILE: Final = np.array([TILE_BLOCKS / 2, 3.0, TILE_BLOCKS / 2])
"""From a tile's corner to its name."""
GOLDEN: Final = 0.6180339887
"""Step on a circle at which successive numbers are far apart."""
TONES: Final = (
    (("ocean", "river"), (0.20, 0.42, 0.85)),
    (("ice", "frozen", "snow", "cold", "peaks", "grove"), (0.85, 0.93, 1.00)),
    (("desert", "beach", "savanna", "mesa", "badlands"), (0.92, 0.78, 0.35)),
    (("swamp", "mangrove"), (0.45, 0.48, 0.20)),
    (("jungle", "bamboo"), (0.30, 0.85, 0.20)),
    (("birch",), (0.65, 0.88, 0.55)),
    (("taiga", "spruce", "pine"), (0.10, 0.55, 0.50)),
    (("roofed", "dark", "pale"), (0.25, 0.35, 0.15)),
    (("forest", "cherry"), (0.10, 0.62, 0.20)),
    (("plains", "meadow"), (0.60, 0.80, 0.25)),
    (("mushroom",), (0.80, 0.45, 0.85)),
    (("extreme", "hills", "stone", "slopes", "mountain"), (0.60, 0.58, 0.55)),
    (("cave", "deep dark"), (0.40, 0.25, 0.55)),
    (("hell", "nether", "crimson", "soul", "basalt"), (0.80, 0.25, 0.15)),
    (("end",), (0.95, 0.95, 0.70)),
)
"""Kinds of biomes by words in their names, the first match counts: as on a map, and lighter or darker within a kind."""
OTHER: Final = (0.90, 0.50, 0.20)


@overlay("biomes", letter="Y", title="the biome of the ground", place=12, layer=3)
def biomes_marks(facts: OverlayFacts) -> OverlayMarks:
    ground = facts.ground
    tiles = ground.biomes.reshape(-1, ACROSS, TILE_BLOCKS, ACROSS, TILE_BLOCKS)[:, :, 1, :, 1]  # by x, then z
    tops = ground.tops.reshape(-1, ACROSS, TILE_BLOCKS, ACROSS, TILE_BLOCKS).transpose(0, 1, 3, 2, 4)
    heights = np.partition(tops.reshape(*tiles.shape, -1), MIDDLE, axis=-1)
    lows = np.empty((*tiles.shape, 3), np.int32)
    steps = np.arange(ACROSS) * TILE_BLOCKS
    lows[..., 0] = (ground.columns[:, 0] * 16)[:, None, None] + steps[:, None]
    lows[..., 1] = heights[..., MIDDLE]
    lows[..., 2] = (ground.columns[:, 1] * 16)[:, None, None] + steps
    numbers, kinds = np.unique(tiles, return_inverse=True)
    words = {number: words_of(number, ground.own_names) for number in numbers.tolist()}
    styles = tuple(style_of(number, words[number]) for number in numbers.tolist()[:MOST_STYLES])
    chosen = np.minimum(kinds.reshape(-1), max(len(styles) - 1, 0)).astype(np.uint8)
    highest = lows.copy()  # names are above the highest ground, so that it does not hide them
    highest[..., 1] = heights.max(axis=-1)
    points, texts = names(highest, tiles, words)
    counts = np.bincount(chosen, minlength=len(styles)) // (ACROSS * ACROSS)
    order = np.argsort(-counts, kind="stable").tolist()
    return OverlayMarks(
        boxes=Boxes.of(lows.reshape(-1, 3), chosen, styles, (TILE_BLOCKS, 1, TILE_BLOCKS)),
        labels=Labels.of(points, texts),
        legend=tuple(LegendRow(styles[at], int(counts[at])) for at in order),
        hidden=0.35,
    )


def names(
    lows: npt.NDArray[np.int32], tiles: npt.NDArray[np.uint16], words: Mapping[int, str]
) -> tuple[npt.NDArray[np.float64], Texts]:
    """Positions of names, float64[m, 3], and the names: one for each biome of a column, over its tiles' middle."""
    columns = np.repeat(np.arange(len(tiles), dtype=np.int64), ACROSS * ACROSS)
    pairs, of = np.unique(columns << 16 | tiles.reshape(-1), return_inverse=True)
    members = np.bincount(of, minlength=len(pairs))
    sums = [np.bincount(of, axis, len(pairs)) for axis in lows.reshape(-1, 3).T]
    points = np.stack(sums, axis=1) / members[:, None] + OVER_TILE
    return points, Texts(len(pairs), lambda number: words[int(pairs[number]) & 0xFFFF])


@lru_cache(512)
def style_of(number: int, name: str) -> Style:
    """Style of a biome's tiles: the tone of its kind, by words in its name, lighter or darker and hatched by number."""
    if number == UNKNOWN_BIOME:
        return UNKNOWN
    tone = next((tone for words, tone in TONES if any(word in name for word in words)), OTHER)
    lighter = 0.85 + 0.3 * (number * GOLDEN % 1.0)
    colour = tuple(min(share * lighter, 1.0) for share in tone)
    hatch = HATCHES[number % len(HATCHES)]
    return Style(f"{name} ({number})", (colour[0], colour[1], colour[2]), Outline.NONE, hatch, 0.85, 0.5)


def words_of(number: int, own_names: Mapping[int, str]) -> str:
    """A biome's name, the server's if it has one."""
    name = name_of(number, own_names)
    return one_line(name) if name else "unknown" if number == UNKNOWN_BIOME else f"biome {number}"
