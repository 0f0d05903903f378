"""The overlay ``biomes``: the ground in the colour of its biome, tile by tile of 4 x 4 blocks, with names.

Colours say the kind of biome, as on a map, hatches its number, so that neighbours differ for every eye; a label names
each biome of a column once. Unknown: grey and crossed. Tiles lie where the ground is highest in them.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.weather import name_of
from client.source import one_line
from net.space.layout import UNKNOWN_BIOME
from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.boxes import Boxes
from render.passes.labels import Labels, Texts
from render.passes.state_styles import Hatch, Line, Style

TILE_BLOCKS: Final = 4
ACROSS: Final = 4
"""Tiles along a column's side."""
HATCHES: Final = (Hatch.NONE, Hatch.DIAGONAL, Hatch.DOTS, Hatch.GRID, Hatch.FALLING, Hatch.CROSS, Hatch.UPRIGHT)
UNKNOWN: Final = Style("nobody said", (0.55, 0.55, 0.55), Line.THIN, Hatch.X, 0.9, 0.35)
MOST_STYLES: Final = 250
OVER_TILE: Final = np.array([TILE_BLOCKS / 2, 3.0, TILE_BLOCKS / 2])
"""From a tile's corner to where a name stands."""
GOLDEN: Final = 0.6180339887
"""Apart in a circle: numbers that follow each other lie far from each other."""
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
"""Kinds of biomes by words in their names, the first that fits: as on a map, and lighter or darker within a kind."""
OTHER: Final = (0.90, 0.50, 0.20)


def marks(facts: Facts) -> Marks:
    """Tiles on the ground, a name a column and biome."""
    ground = facts.ground
    tiles = ground.biomes.reshape(-1, ACROSS, TILE_BLOCKS, ACROSS, TILE_BLOCKS)[:, :, 1, :, 1]  # by x, then z
    tops = ground.tops.reshape(-1, ACROSS, TILE_BLOCKS, ACROSS, TILE_BLOCKS).max(axis=(2, 4))
    lows = np.empty((*tiles.shape, 3), np.int32)
    steps = np.arange(ACROSS) * TILE_BLOCKS
    lows[..., 0] = (ground.columns[:, 0] * 16)[:, None, None] + steps[:, None]
    lows[..., 1] = tops
    lows[..., 2] = (ground.columns[:, 1] * 16)[:, None, None] + steps
    numbers, kinds = np.unique(tiles, return_inverse=True)
    words = {number: words_of(number, ground.own_names) for number in numbers.tolist()}
    styles = tuple(style_of(number, words[number]) for number in numbers.tolist()[:MOST_STYLES])
    chosen = np.minimum(kinds.reshape(-1), max(len(styles) - 1, 0)).astype(np.uint8)
    points, texts = names(lows, tiles, words)
    counts = np.bincount(chosen, minlength=len(styles)) // (ACROSS * ACROSS)
    order = np.argsort(-counts, kind="stable").tolist()
    return Marks(
        boxes=Boxes.of(lows.reshape(-1, 3), chosen, styles, (TILE_BLOCKS, 1, TILE_BLOCKS)),
        labels=Labels.of(points, texts),
        legend=tuple(LegendRow(styles[at], int(counts[at])) for at in order),
        hidden=0.35,
    )


def names(
    lows: npt.NDArray[np.int32], tiles: npt.NDArray[np.uint16], words: Mapping[int, str]
) -> tuple[npt.NDArray[np.float64], Texts]:
    """Where names stand, float64[m, 3], and the names: one for each biome of a column, over the middle of its tiles."""
    columns = np.repeat(np.arange(len(tiles), dtype=np.int64), ACROSS * ACROSS)
    pairs, of = np.unique(columns << 16 | tiles.reshape(-1), return_inverse=True)
    members = np.bincount(of, minlength=len(pairs))
    sums = [np.bincount(of, axis, len(pairs)) for axis in lows.reshape(-1, 3).T]
    points = np.stack(sums, axis=1) / members[:, None] + OVER_TILE
    return points, Texts(len(pairs), lambda number: words[int(pairs[number]) & 0xFFFF])


@lru_cache(512)
def style_of(number: int, name: str) -> Style:
    """Paint of a biome's tiles: the tone of its kind, by words in its name, lighter or darker and hatched by number."""
    if number == UNKNOWN_BIOME:
        return UNKNOWN
    tone = next((tone for words, tone in TONES if any(word in name for word in words)), OTHER)
    lighter = 0.85 + 0.3 * (number * GOLDEN % 1.0)
    colour = tuple(min(share * lighter, 1.0) for share in tone)
    hatch = HATCHES[number % len(HATCHES)]
    return Style(f"{name} ({number})", (colour[0], colour[1], colour[2]), Line.NONE, hatch, 0.85, 0.5)


def words_of(number: int, own_names: Mapping[int, str]) -> str:
    """A biome in words, those of the server first."""
    name = name_of(number, own_names)
    return one_line(name) if name else "unknown" if number == UNKNOWN_BIOME else f"biome {number}"
