"""Painters of wood: planks, bark, rings, doors, trapdoors, leaves."""

import numpy as np

from render.materials.canvas import COLUMNS, ROWS, Colour, Picture, box, clear, frame, grained, put, rim, shaded
from render.materials.grain import SIDE, Grain


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
    put(picture, grain.clouds(12, 4) > 0.72, scar, grained(grain, 0.2, 0.1))
    return picture


def stripped(grain: Grain, base: Colour) -> Picture:
    """Smooth wood, upright grain."""
    return shaded(base, 0.88 + 0.16 * grain.clouds(3, 16) + 0.04 * grain.dust())


def rings(grain: Grain, base: Colour, edge: Colour) -> Picture:
    """A cut trunk: square rings inside a rim of bark."""
    out = np.maximum(np.abs(COLUMNS - 7.5), np.abs(ROWS - 7.5)) + 0.8 * (grain.clouds(4, 4) - 0.5)
    picture = shaded(base, 0.9 + 0.12 * np.cos(out * 2.6) + 0.06 * grain.dust())
    put(picture, frame(), edge, grained(grain, 0.25, 0.1))
    return picture


def leaves(grain: Grain, base: Colour) -> Picture:
    """Clumps of leaves with holes; grey where the tint gives the colour."""
    which, inside = grain.pebbles(22)
    tone = grain.numbers(22)[which]
    picture = shaded(base, 0.6 + 0.42 * tone + 0.2 * inside)
    picture[(inside < 0.3) & (grain.dust() > 0.42), 3] = 0
    return picture


def blooming(grain: Grain, base: Colour, bloom: Colour) -> Picture:
    """Leaves with flowers among them."""
    picture = leaves(grain, base)
    put(picture, grain.clouds(8, 8) + 0.2 * grain.dust() > 0.86, bloom, grained(grain, 0.2, 0.0))
    return picture


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
    put(picture, slats, base, grained(grain, 0.14, 0.1))
    return picture


def ladder(grain: Grain, base: Colour) -> Picture:
    """Two rails and four rungs."""
    picture = clear(base)
    put(picture, (ROWS % 4 == 1) | (ROWS % 4 == 2) & (COLUMNS % 13 == 2), base, grained(grain, 0.2, 0.1) * 0.86)
    put(picture, box(2, 0, 4, 16) | box(12, 0, 14, 16), base, grained(grain, 0.2, 0.1))
    return picture


def rail(grain: Grain, base: Colour, metal: Colour) -> Picture:
    """Ties and two rails."""
    picture = clear(base)
    put(picture, box(1, 0, 15, 16) & (ROWS % 4 < 2), base, grained(grain, 0.2, 0.1))
    put(picture, box(3, 0, 5, 16) | box(11, 0, 13, 16), metal, grained(grain, 0.12, 0.0))
    return picture


def bent_rail(grain: Grain, base: Colour, metal: Colour) -> Picture:
    """Rails round a corner, from the lower edge to the right one."""
    picture = clear(base)
    away = np.hypot(SIDE - COLUMNS - 0.5, SIDE - ROWS - 0.5)  # from the lower right corner
    turn = np.degrees(np.arctan2(SIDE - ROWS - 0.5, SIDE - COLUMNS - 0.5))
    put(picture, (away > 1) & (away < 15) & (turn % 18 < 9), base, grained(grain, 0.2, 0.1))
    put(picture, ((away >= 3) & (away < 5)) | ((away >= 11) & (away < 13)), metal, grained(grain, 0.12, 0.0))
    return picture
