"""Painters of terrain and wood: rock, earth, sand, snow, ice, ores, planks, bark, rings, doors, trapdoors, leaves."""

import numpy as np

from render.materials.canvas import (
    COLUMNS,
    ROWS,
    SIDE,
    Colour,
    Field,
    Grain,
    Picture,
    box,
    clear,
    frame,
    grained,
    mixed,
    put,
    rim,
    shaded,
)

# ---------------------------------------------------------------- paint ground


def plain(grain: Grain, base: Colour) -> Picture:
    """An almost even colour: concrete."""
    return shaded(base, grained(grain, 0.03, 0.05))


def rough(grain: Grain, base: Colour) -> Picture:
    """Even, fine-grained: sand, clay, powder."""
    return shaded(base, grained(grain, 0.14, 0.12))


def stone(grain: Grain, base: Colour) -> Picture:
    """Long flat blotches in a few steps of brightness."""
    veins = grain.clouds(8, 3) * 0.6 + grain.clouds(4, 8) * 0.4
    return shaded(base, 0.82 + 0.3 * np.round(veins * 5) / 5 + 0.06 * grain.dust())


def speckled(grain: Grain, base: Colour, spots: Colour, dark: Colour) -> Picture:
    """Three colours in crumbs: granite, diorite, andesite."""
    crumbs = grain.clouds(8, 8) + 0.5 * (grain.dust() - 0.5)
    picture = shaded(base, grained(grain, 0.1, 0.1))
    put(picture, crumbs > 0.68, spots, grained(grain, 0.08, 0.0))
    return put(picture, crumbs < 0.3, dark, grained(grain, 0.08, 0.0))


def earth(grain: Grain, base: Colour) -> Picture:
    """Crumbly, with darker and lighter bits."""
    light = grained(grain, 0.16, 0.2, 6, 6)
    bits = grain.dust()
    light[bits > 0.93] *= 1.22
    light[bits < 0.08] *= 0.74
    return shaded(base, light)


def rooted(grain: Grain, base: Colour, root: Colour) -> Picture:
    """Earth that pale roots wind through."""
    picture = earth(Grain("earth under turf"), base)
    veins = np.abs(grain.clouds(4, 4) - 0.5) < 0.05
    return put(picture, veins & (grain.dust() > 0.2), root, grained(grain, 0.2, 0.0))


def gravel(grain: Grain, base: Colour, other: Colour) -> Picture:
    """Small stones of two colours."""
    which, inside = grain.pebbles(26)
    tone = grain.numbers(26)[which]
    picture = mixed(base, other, np.where(tone > 0.6, 0.8, 0.0))
    picture[..., :3] *= (0.68 + 0.3 * inside + 0.14 * tone)[..., None]
    return picture


def cobble(grain: Grain, base: Colour) -> Picture:
    """Round stones with dark joints."""
    which, inside = grain.pebbles(11)
    tone = grain.numbers(11)[which]
    return shaded(base, 0.55 + 0.4 * inside + 0.2 * tone + 0.08 * grain.dust())


def mossy(grain: Grain, base: Colour, moss: Colour) -> Picture:
    """Cobble with moss in the joints."""
    return put(cobble(grain, base), grain.clouds(5, 5) + 0.25 * grain.dust() > 0.68, moss, grained(grain, 0.3, 0.1))


def layered(grain: Grain, base: Colour) -> Picture:
    """Level bands: sandstone's sides, basalt, deepslate."""
    bands = grain.numbers(SIDE)[:, None] * 0.5 + grain.clouds(8, 2) * 0.5
    return shaded(base, 0.86 + 0.22 * bands + 0.07 * grain.dust())


def columnar(grain: Grain, base: Colour) -> Picture:
    """Upright bands: basalt, quartz pillars, hay."""
    bands = grain.numbers(SIDE)[None, :] * 0.6 + grain.clouds(2, 8) * 0.4
    return shaded(base, 0.8 + 0.3 * bands + 0.06 * grain.dust())


def ribbed(grain: Grain, base: Colour, dark: Colour) -> Picture:
    """Broad upright stripes with ragged edges: melons, cocoa pods."""
    wave = np.sin((COLUMNS + 1.6 * grain.clouds(8, 4)) * (2 * np.pi / SIDE) * 4)
    picture = mixed(base, dark, np.where(wave > 0.1, 0.85, 0.0))
    picture[..., :3] *= grained(grain, 0.16, 0.1)[..., None]
    return picture


def turf(grain: Grain, base: Colour) -> Picture:
    """Short blades from above."""
    return shaded(base, grained(grain, 0.34, 0.14, 6, 6))


def turf_side(grain: Grain, base: Colour, soil: Colour) -> Picture:
    """Earth with blades hanging over its upper edge; alpha is 255 where the tint applies."""
    picture = earth(Grain("earth under turf"), soil)
    picture[..., 3] = 0
    hanging = _overhang(grain) + 1
    tips = np.where(hanging - 1 == ROWS, 0.88, 1.12)  # lighter than the top, which receives more light
    return put(picture, hanging > ROWS, base, grained(grain, 0.26, 0.1) * tips)


def crust_side(grain: Grain, base: Colour, soil: Colour) -> Picture:
    """Earth under a crust of another colour that is not tinted: podzol, mycelium, nylium, a snowy side."""
    return put(earth(Grain("earth under turf"), soil), _overhang(grain) > ROWS, base, grained(grain, 0.16, 0.1))


def _overhang(grain: Grain) -> Field:
    """Number of rows that hang down in each column, 3 to 6."""
    return np.broadcast_to(3.0 + np.floor(3.4 * grain.numbers(SIDE)), (SIDE, SIDE))


def snow(grain: Grain, base: Colour) -> Picture:
    """Nearly even, with blue hollows."""
    hollows = grain.clouds(4, 5) * 0.8 + grain.clouds(8, 8) * 0.3 + 0.25 * (grain.dust() - 0.5)
    return mixed(base, base * np.array([0.80, 0.88, 0.97]), hollows)


def ice(grain: Grain, base: Colour, opacity: Colour) -> Picture:
    """Streaks across a smooth surface; the second colour's red is its opacity."""
    streaks = np.sin((COLUMNS + ROWS * 2 + 8 * grain.clouds(3, 3)) * (2 * np.pi / SIDE) * 2)
    picture = shaded(base, 0.94 + 0.07 * (streaks > 0.55) + 0.05 * grain.dust())
    picture[..., 3] = opacity[0]
    return picture


def frosted(grain: Grain, base: Colour, opacity: Colour) -> Picture:
    """Ice that has begun to break."""
    picture = ice(grain, base, opacity)
    picture[np.abs(grain.clouds(4, 4) - 0.5) < 0.05, :3] = base * 0.35 + 160
    return picture


def baked(grain: Grain, dye: Colour) -> Picture:
    """Dyed clay out of the oven: the dye, dulled by the clay's brown, with faint turning marks."""
    clay = dye * 0.5 + np.array([74.0, 48.0, 37.0])
    return shaded(clay, grained(grain, 0.04, 0.05) + 0.03 * np.cos(ROWS * (np.pi / 2)))


def cracked_glow(grain: Grain, base: Colour, hot: Colour) -> Picture:
    """Dark stones with light in the joints: magma, crying obsidian."""
    which, inside = grain.pebbles(9)
    picture = shaded(base, 0.7 + 0.4 * grain.numbers(9)[which] + 0.1 * grain.dust())
    return put(picture, inside < 0.26, hot, grained(grain, 0.3, 0.2))


def ore(grain: Grain, rock: Colour, speck: Colour) -> Picture:
    """Stone with clusters of bright specks."""
    picture = stone(Grain("rock around ore"), rock)
    return _specks(grain, picture, speck)


def lit_ore(grain: Grain, rock: Colour, speck: Colour) -> Picture:
    """``ore`` with specks that light the stone around them."""
    return _shining(ore(grain, rock, speck), speck)


def lit_deep_ore(grain: Grain, rock: Colour, speck: Colour) -> Picture:
    """Deepslate with specks that light it."""
    return _shining(deep_ore(grain, rock, speck), speck)


def _shining(picture: Picture, speck: Colour) -> Picture:
    picture[..., :3] = picture[..., :3] * 0.82 + speck * 0.2
    return picture


def deep_ore(grain: Grain, rock: Colour, speck: Colour) -> Picture:
    """Deepslate with clusters of bright specks."""
    return _specks(grain, layered(Grain("deepslate"), rock), speck)


def _specks(grain: Grain, picture: Picture, speck: Colour) -> Picture:
    centres = grain.numbers(14).reshape(2, 7)
    for k in range(7):  # one cluster in each of seven tiles of an uneven grid, so that no tile is empty
        x = 3 + (k % 3) * 5 + 3 * (centres[0, k] - 0.5)
        y = 3 + (k // 3) * 5 + 3 * (centres[1, k] - 0.5)
        near = (COLUMNS - x) ** 2 / 2.2 + (ROWS - y) ** 2 / 1.4 + 1.6 * (grain.dust() - 0.5)
        put(picture, near < 2.4, picture[0, 0, :3] * 0.55)
        put(picture, near < 1.5, speck, 0.8 + 0.45 * grain.dust())
    return picture


def crystal(grain: Grain, base: Colour) -> Picture:
    """Facets: amethyst, prismarine, obsidian."""
    which, inside = grain.pebbles(14)
    tone = grain.numbers(14)[which]
    return shaded(base, 0.66 + 0.55 * tone + 0.12 * (inside > 0.75))


def flecked(grain: Grain, base: Colour, fleck: Colour) -> Picture:
    """Dark, with single bright flecks: a dragon's egg."""
    return put(shaded(base, grained(grain, 0.3, 0.4)), grain.dust() > 0.84, fleck, 0.6 + 0.6 * grain.dust())


def metal(grain: Grain, base: Colour) -> Picture:
    """A polished block: brushed, with a bright diagonal and a rim."""
    sheen = np.exp(-(((COLUMNS + ROWS - 13) / 4.5) ** 2))
    return rim(shaded(base, 0.88 + 0.16 * sheen + 0.05 * grain.numbers(SIDE)[:, None]), 0.14)


def mineral(grain: Grain, base: Colour) -> Picture:
    """A block of gems or coal: coarse facets with a rim."""
    which, inside = grain.pebbles(8)
    return rim(shaded(base, 0.76 + 0.3 * grain.numbers(8)[which] + 0.14 * inside), 0.16)


# ---------------------------------------------------------------- paint wood


def planks(grain: Grain, base: Colour) -> Picture:
    """Four boards with their grain, a seam between, a joint in each."""
    board = ROWS // 4
    fibre = grain.clouds(16, 3) * 0.22 + 0.05 * grain.dust()
    picture = shaded(base, 0.86 + 0.1 * grain.numbers(4)[board] + fibre)
    seam = (ROWS % 4 == 3) | ((np.array([3, 11, 6, 14])[board]) == COLUMNS)
    picture[seam, :3] *= 0.7
    return picture


def bark(grain: Grain, base: Colour) -> Picture:
    """Upright ridges."""
    ridges = grain.clouds(4, 16) * 0.6 + grain.numbers(SIDE)[None, :] * 0.4
    return shaded(base, 0.66 + 0.5 * ridges + 0.1 * grain.dust())


def birch_bark(grain: Grain, base: Colour, scar: Colour) -> Picture:
    """Pale bark with dark scars across."""
    picture = shaded(base, 0.9 + 0.1 * grain.clouds(4, 8) + 0.05 * grain.dust())
    return put(picture, grain.clouds(12, 4) > 0.72, scar, grained(grain, 0.2, 0.1))


def stripped(grain: Grain, base: Colour) -> Picture:
    """Smooth wood, upright grain."""
    return shaded(base, 0.88 + 0.16 * grain.clouds(3, 16) + 0.04 * grain.dust())


def rings(grain: Grain, base: Colour, edge: Colour) -> Picture:
    """A cut trunk: square rings inside a rim of bark."""
    out = np.maximum(np.abs(COLUMNS - 7.5), np.abs(ROWS - 7.5)) + 0.8 * (grain.clouds(4, 4) - 0.5)
    picture = shaded(base, 0.9 + 0.12 * np.cos(out * 2.6) + 0.06 * grain.dust())
    return put(picture, frame(), edge, grained(grain, 0.25, 0.1))


def leaves(grain: Grain, base: Colour) -> Picture:
    """Clumps of leaves with holes; grey where the tint gives the colour."""
    which, inside = grain.pebbles(22)
    tone = grain.numbers(22)[which]
    picture = shaded(base, 0.6 + 0.42 * tone + 0.2 * inside)
    picture[(inside < 0.3) & (grain.dust() > 0.42), 3] = 0
    return picture


def blooming(grain: Grain, base: Colour, bloom: Colour) -> Picture:
    """Leaves with flowers."""
    return put(leaves(grain, base), grain.clouds(8, 8) + 0.2 * grain.dust() > 0.86, bloom, grained(grain, 0.2, 0.0))


def door(grain: Grain, base: Colour) -> Picture:
    """Framed boards with two panels."""
    picture = rim(planks(grain, base), 0.16, 2)
    for top in (3, 9):
        picture[box(3, top, 7, top + 4) | box(9, top, 13, top + 4), :3] *= 0.78
    return picture


def hatch(grain: Grain, base: Colour) -> Picture:
    """A frame with crossed slats and holes between."""
    picture = clear(base)
    slats = frame(2) | (COLUMNS % 6 < 2) | (ROWS % 6 < 2)
    return put(picture, slats, base, grained(grain, 0.14, 0.1))


def ladder(grain: Grain, base: Colour) -> Picture:
    """Two rails and four rungs."""
    picture = clear(base)
    put(picture, (ROWS % 4 == 1) | (ROWS % 4 == 2) & (COLUMNS % 13 == 2), base, grained(grain, 0.2, 0.1) * 0.86)
    return put(picture, box(2, 0, 4, 16) | box(12, 0, 14, 16), base, grained(grain, 0.2, 0.1))


def rail(grain: Grain, base: Colour, metal: Colour) -> Picture:
    """Ties and two rails."""
    picture = clear(base)
    put(picture, box(1, 0, 15, 16) & (ROWS % 4 < 2), base, grained(grain, 0.2, 0.1))
    return put(picture, box(3, 0, 5, 16) | box(11, 0, 13, 16), metal, grained(grain, 0.12, 0.0))


def bent_rail(grain: Grain, base: Colour, metal: Colour) -> Picture:
    """Rails round a corner, from the lower edge to the right one."""
    picture = clear(base)
    away = np.hypot(SIDE - COLUMNS - 0.5, SIDE - ROWS - 0.5)  # from the lower right corner
    turn = np.degrees(np.arctan2(SIDE - ROWS - 0.5, SIDE - COLUMNS - 0.5))
    put(picture, (away > 1) & (away < 15) & (turn % 18 < 9), base, grained(grain, 0.2, 0.1))
    return put(picture, ((away >= 3) & (away < 5)) | ((away >= 11) & (away < 13)), metal, grained(grain, 0.12, 0.0))
