"""Painters of building blocks: bricks, tiles, glass, cloth, lamps, machines, furniture."""

import numpy as np

from net.arrays import I64, Bools
from render.materials.canvas import (
    COLUMNS,
    ROWS,
    SIDE,
    Colour,
    Grain,
    Picture,
    box,
    clear,
    disc,
    frame,
    grained,
    mixed,
    put,
    rim,
    shaded,
)
from render.materials.paint_terrain import stone


def _courses(height: int, width: int) -> tuple[I64, Bools]:
    """The brick of each texel, and the mask of the joints; each course is shifted by half a brick."""
    course = ROWS // height
    along = COLUMNS + (course % 2) * (width // 2)
    joint = (ROWS % height == height - 1) | (along % width == width - 1)
    return course * 8 + (along // width) % (SIDE // width), joint


def bricks(grain: Grain, base: Colour, joint: Colour) -> Picture:
    """Courses of small bricks."""
    return _walled(grain, base, joint, 4, 8)


def big_bricks(grain: Grain, base: Colour, joint: Colour) -> Picture:
    """Courses of two stones."""
    return _walled(grain, base, joint, 8, 16)


def tiles(grain: Grain, base: Colour, joint: Colour) -> Picture:
    """Courses of square tiles."""
    return _walled(grain, base, joint, 4, 4)


def _walled(grain: Grain, base: Colour, joint: Colour, height: int, width: int) -> Picture:
    which, gaps = _courses(height, width)
    picture = shaded(base, 0.86 + 0.2 * grain.numbers(64)[which] + 0.1 * grain.dust())
    lit = ((ROWS % height == 0) & ~gaps)[..., None]
    picture[..., :3] *= 1 + 0.1 * lit
    return put(picture, gaps, joint, grained(grain, 0.1, 0.0))


def cracked_bricks(grain: Grain, base: Colour, joint: Colour) -> Picture:
    """Bricks with cracks through them."""
    return put(bricks(grain, base, joint), np.abs(grain.clouds(5, 5) - 0.5) < 0.045, joint * 0.8)


def mossy_bricks(grain: Grain, base: Colour, joint: Colour, moss: Colour) -> Picture:
    """Bricks with moss on them."""
    picture = big_bricks(grain, base, joint)
    return put(picture, grain.clouds(5, 5) + 0.3 * grain.dust() > 0.72, moss, grained(grain, 0.3, 0.1))


def polished(grain: Grain, base: Colour) -> Picture:
    """Smooth stone with a worked rim."""
    return rim(shaded(base, grained(grain, 0.06, 0.1)), 0.13)


def chiseled(grain: Grain, base: Colour) -> Picture:
    """A frame cut into smooth stone, and a ring in it."""
    picture = rim(shaded(base, grained(grain, 0.06, 0.08)), 0.12)
    ring = box(3, 3, 13, 13) & ~box(4, 4, 12, 12)
    picture[ring | box(6, 6, 10, 10), :3] *= 0.74
    picture[box(7, 7, 9, 9), :3] *= 1.45
    return picture


def cut(grain: Grain, base: Colour) -> Picture:
    """Four smooth panels."""
    picture = shaded(base, grained(grain, 0.05, 0.1))
    picture[(ROWS % 8 == 7) | (COLUMNS % 8 == 7), :3] *= 0.76
    picture[(ROWS % 8 == 0) | (COLUMNS % 8 == 0), :3] *= 1.1
    return picture


def glass(grain: Grain, base: Colour) -> Picture:
    """A clear pane: a frame and two glints; the rest is transparent."""
    picture = clear(base)
    picture[..., 3] = 14
    put(picture, frame(), base, grained(grain, 0.06, 0.0), 200)
    glint = ((COLUMNS + ROWS == 9) & (COLUMNS > 2) & (ROWS > 2)) | ((COLUMNS + ROWS == 20) & (ROWS > 8) & (ROWS < 13))
    return put(picture, glint, np.array([255.0, 255.0, 255.0]), 1.0, 170)


def stained(grain: Grain, base: Colour) -> Picture:
    """Coloured glass: see-through all over, its frame more solid."""
    picture = shaded(base, grained(grain, 0.05, 0.1))
    picture[..., 3] = 140  # over one half: panes are models, whose alpha test makes holes of less
    return put(picture, frame(), base, 0.86, 200)


def cloth(grain: Grain, base: Colour) -> Picture:
    """Woven: a fine alternating pattern over soft folds."""
    weave = ((COLUMNS // 2 + ROWS // 2) % 2) * 0.06
    return shaded(base, 0.9 + weave + 0.13 * (grain.dust() - 0.5) + 0.16 * (grain.clouds(5, 5) - 0.5))


def glazed(grain: Grain, base: Colour) -> Picture:
    """A pattern with fourfold symmetry, its second colour from its first."""
    quarter = grain.clouds(3, 3)[:8, :8] + 0.5 * grain.clouds(8, 8)[:8, :8]
    quarter = quarter + quarter.T
    half = np.concatenate([quarter, quarter[:, ::-1]], 1)
    whole = np.concatenate([half, half[::-1]], 0)
    step = np.digitize(whole, np.quantile(whole, [0.3, 0.62, 0.85]))
    tones = np.array([base, base * 0.62, base * 0.35 + 160, 255 - (255 - base) * 0.45])
    picture = shaded(base, np.ones((SIDE, SIDE)))
    picture[..., :3] = tones[step]
    return picture


def lamp(grain: Grain, base: Colour, warm: Colour) -> Picture:
    """Bright in the middle, with a darker lattice: all kinds of lamps."""
    distance = np.sqrt((COLUMNS - 7.5) ** 2 + (ROWS - 7.5) ** 2) / 9
    picture = mixed(warm, base, distance + 0.5 * (grain.clouds(5, 5) - 0.5))
    picture[frame(), :3] *= 0.8
    return picture


def lumps(grain: Grain, base: Colour, warm: Colour) -> Picture:
    """Shining lumps: glowstone, shroomlight, sea lantern."""
    which, inside = grain.pebbles(10)
    return mixed(base, warm, 0.25 + 0.5 * grain.numbers(10)[which] * inside + 0.35 * inside)


def machine(grain: Grain, base: Colour) -> Picture:
    """The plain side of a device: stone with a rim and a groove."""
    picture = rim(stone(grain, base), 0.2)
    picture[(ROWS == 3) | (ROWS == 12), :3] *= 0.78
    return picture


def oven(grain: Grain, base: Colour, fire: Colour) -> Picture:
    """A front with a mouth and something in it."""
    picture = machine(grain, base)
    put(picture, box(3, 8, 13, 14), np.array([28.0, 26.0, 26.0]))
    put(picture, box(4, 11, 12, 14) & (grain.dust() > 0.3), fire, 0.7 + 0.5 * grain.dust())
    picture[box(4, 4, 12, 6), :3] *= 0.5
    return picture


def hole(grain: Grain, base: Colour, inside: Colour) -> Picture:
    """A front with a round hole: dispensers, droppers, observers, pistons' bodies."""
    picture = machine(grain, base)
    put(picture, disc(8, 8, 4.2), inside)
    picture[disc(8, 8, 4.2) & ~disc(8, 8, 3.2), :3] = base * 0.6
    return picture


def chest(grain: Grain, base: Colour, lock: Colour) -> Picture:
    """Boards with a dark seam and a lock."""
    picture = rim(shaded(base, 0.9 + 0.16 * grain.numbers(SIDE)[:, None] + 0.05 * grain.dust()), 0.3)
    picture[ROWS == 6, :3] *= 0.4
    return put(picture, box(7, 5, 9, 9), lock)


def books(grain: Grain, base: Colour) -> Picture:
    """Two shelves of books."""
    picture = shaded(base, grained(grain, 0.12, 0.1))
    spines = np.array(
        [[150, 58, 48], [66, 92, 150], [82, 122, 66], [190, 160, 92], [116, 74, 128], [90, 62, 42]], np.float64
    )
    kinds = grain.numbers(2 * SIDE)
    for shelf, top in enumerate((1, 9)):
        which = (kinds[shelf * SIDE : (shelf + 1) * SIDE] * len(spines)).astype(int)
        height = top + (kinds[shelf * SIDE : (shelf + 1) * SIDE] * 41 % 2).astype(int)
        area = (top + 6 > ROWS) & (height[None, :] <= ROWS)
        picture[area, :3] = (spines[which][None] * (0.85 + 0.25 * (COLUMNS % 2))[..., None])[area]
    return picture


def marked(grain: Grain, base: Colour, other: Colour) -> Picture:
    """Stripes across: TNT, hay tied up, targets."""
    picture = shaded(base, grained(grain, 0.1, 0.08) * (0.9 + 0.12 * (COLUMNS % 4 != 3)))
    return put(picture, box(0, 6, 16, 10), other, grained(grain, 0.06, 0.0))


def target(grain: Grain, base: Colour, ring: Colour) -> Picture:
    """Rings."""
    picture = shaded(base, grained(grain, 0.06, 0.06))
    for radius in (7.5, 4.5, 1.6):
        put(picture, disc(8, 8, radius) & ~disc(8, 8, radius - 1.6), ring, grained(grain, 0.08, 0.0))
    return picture


def grid(grain: Grain, base: Colour) -> Picture:
    """Bars with holes between: iron bars, spawner, trapdoors, scaffolding."""
    picture = clear(base)
    bars = (COLUMNS % 5 < 2) | (ROWS % 5 < 2)
    return put(picture, bars, base, grained(grain, 0.2, 0.1))


def bars(grain: Grain, base: Colour) -> Picture:
    """Upright bars."""
    return put(clear(base), (COLUMNS % 4 < 2) | (ROWS == 0) | (ROWS == 15), base, grained(grain, 0.2, 0.1))


def unknown(grain: Grain, base: Colour) -> Picture:
    """A block that we did not paint: a colour of its own, hatched to show that the block is unknown."""
    picture = rim(shaded(base, grained(grain, 0.1, 0.1)), 0.15)
    picture[(COLUMNS + ROWS) % 8 < 2, :3] *= 0.84
    return picture
