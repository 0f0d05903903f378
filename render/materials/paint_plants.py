"""Painters of sprites: plants, torches, webs. The background is transparent; most start at the lower edge."""

from collections.abc import Callable

import numpy as np

from render.materials.canvas import COLUMNS, ROWS, SIDE, Colour, Field, Grain, Picture, box, clear, disc, grained, put


def _stalk(picture: Picture, base: Colour, x: float, lean: float, top: int) -> None:
    """A stalk one texel wide from the lower edge at x up to row top, its tip shifted sideways by ``lean`` texels."""
    rows = np.arange(top, SIDE)
    part = (SIDE - 1 - rows) / max(1, SIDE - top)
    columns = np.minimum(np.maximum(x + lean * part**1.5, 0), SIDE - 1).astype(np.int64)
    picture[rows, columns, :3] = base * (0.72 + 0.4 * part)[:, None]
    picture[rows, columns, 3] = 255


def _blades(grain: Grain, base: Colour, count: int, shortest: int, longest: int) -> Picture:
    picture = clear(base)
    order = np.argsort(grain.numbers(count))  # drawing order
    parts = grain.numbers(4 * count).reshape(count, 4)
    for k in order:
        x, lean, length, light = parts[k]
        foot = (k + 0.2 + 0.6 * x) * SIDE / count  # spread out, so that two do not merge into a bar
        reach = shortest + (longest - shortest) * length
        shade, bend = base * (0.84 + 0.32 * light), 7 * (lean - 0.5)
        _stalk(picture, shade * 0.9, foot + 1, 0.4 * bend, int(SIDE - 0.5 * reach))  # broad only at the foot
        _stalk(picture, shade, foot, bend, int(SIDE - reach))
    return picture


def grass(grain: Grain, base: Colour) -> Picture:
    """Blades of grass; grey where the tint gives the colour."""
    return _blades(grain, base, 14, 6, 16)


def tall_grass(grain: Grain, base: Colour) -> Picture:
    """Blades as high as the block, so that they meet the block's upper half above."""
    return _blades(grain, base, 14, 11, 17)


def sprouts(grain: Grain, base: Colour) -> Picture:
    """Short blades: sprouts, roots, young crops."""
    return _blades(grain, base, 12, 3, 8)


def roots(grain: Grain, base: Colour) -> Picture:
    """``sprouts`` hanging from above."""
    return _blades(grain, base, 12, 6, 13)[::-1].copy()


def fern(grain: Grain, base: Colour) -> Picture:
    """A stem with leaflets to both sides."""
    picture = clear(base)
    for x, lean, top in ((7, 0, 2), (4, -4, 6), (11, 4, 6)):
        _stalk(picture, base * 0.7, x, lean, top)
        for row in range(top, SIDE - 2, 2):
            part = (SIDE - 1 - row) / (SIDE - top)
            middle = x + lean * part**1.5
            width = 1 + 2.6 * (1 - part)
            put(picture, (row == ROWS) & (np.abs(COLUMNS - middle) <= width), base, grained(grain, 0.3, 0.0))
    return picture


def flower(grain: Grain, stem: Colour, petal: Colour, heart: Colour) -> Picture:
    """A stem, two leaves, a round bloom."""
    picture = clear(petal)
    _stalk(picture, stem, 7.5, 0, 7)
    put(picture, box(4, 12, 7, 13) | box(9, 10, 11, 11) | box(5, 11, 6, 12), stem, grained(grain, 0.2, 0.0))
    where = disc(8, 5.5, 2.2)
    put(picture, where, petal, grained(grain, 0.22, 0.0))
    put(picture, where & (ROWS == 7), petal * 0.8)  # from below
    return put(picture, box(7, 5, 9, 6), heart)


def tulip(grain: Grain, stem: Colour, petal: Colour) -> Picture:
    """A stem, long leaves, a cup."""
    picture = clear(petal)
    _stalk(picture, stem, 7.5, 0, 6)
    _stalk(picture, stem, 6, -3, 9)
    _stalk(picture, stem, 9, 3, 8)
    put(picture, box(6, 3, 10, 8), petal, grained(grain, 0.2, 0.0))
    picture[3, 7:9, 3] = 0
    return picture


def cluster(grain: Grain, stem: Colour, petal: Colour) -> Picture:
    """A bush with many small blooms: lilac, rose bush, peony, berries, azalea."""
    picture = _blades(grain, stem, 12, 9, 16)
    put(picture, (grain.clouds(8, 8) > 0.5) & (ROWS > 1), stem, grained(grain, 0.4, 0.1))
    blooms = (grain.clouds(8, 8) + 0.25 * grain.dust() > 0.78) & (ROWS < 13)
    return put(picture, blooms, petal, grained(grain, 0.3, 0.0))


def sunflower(grain: Grain, stem: Colour, petal: Colour, heart: Colour) -> Picture:
    """A big bloom on a stem."""
    picture = clear(petal)
    _stalk(picture, stem, 7.5, 0, 7)
    put(picture, disc(8, 7, 5.6), petal, grained(grain, 0.25, 0.0))
    return put(picture, disc(8, 7, 2.6), heart, grained(grain, 0.2, 0.0))


def mushroom(grain: Grain, stem: Colour, cap: Colour) -> Picture:
    """A cap on a stem."""
    picture = clear(cap)
    put(picture, box(7, 10, 9, 16), stem, grained(grain, 0.12, 0.0))
    return put(picture, disc(8, 11, 4.6) & (ROWS < 11), cap, grained(grain, 0.24, 0.0))


def sapling(grain: Grain, stem: Colour, leaf: Colour) -> Picture:
    """A thin trunk and a small crown."""
    picture = clear(leaf)
    put(picture, box(7, 9, 9, 16), stem, grained(grain, 0.2, 0.0))
    crown = disc(8, 6, 5.4) & (grain.dust() + grain.clouds(6, 6) > 0.74)
    return put(picture, crown, leaf, grained(grain, 0.4, 0.2))


def twigs(grain: Grain, base: Colour) -> Picture:
    """Bare branches."""
    picture = clear(base)
    for x, lean, top in ((7, -6, 4), (8, 6, 3), (7, -2, 1), (8, 3, 6), (7, -5, 9)):
        _stalk(picture, base * (0.8 + 0.3 * grain.numbers(1)[0]), x, lean, top)
    return picture


def cane(grain: Grain, base: Colour) -> Picture:
    """Jointed stalks as high as the block: sugar cane, bamboo, kelp."""
    picture = clear(base)
    for x, width in ((3, 2), (7, 2), (12, 2)):
        area = box(x, 0, x + width, SIDE)
        joint = (ROWS + 3 * x) % 6 == 0
        put(picture, area, base, grained(grain, 0.16, 0.1) * (1 - 0.28 * joint))
    return picture


def weed(grain: Grain, base: Colour) -> Picture:
    """Winding stalks with leaves: kelp, vines that grow, seagrass."""
    picture = clear(base)
    for x, phase in ((4, 0.0), (10, 2.0)):
        middle = x + 1.5 * np.sin(ROWS * (2 * np.pi / SIDE) + phase)
        put(picture, np.abs(COLUMNS - middle) < 0.8, base, grained(grain, 0.2, 0.1) * 0.8)
        put(picture, (np.abs(COLUMNS - middle) < 3) & ((ROWS + x) % 4 == 0), base, grained(grain, 0.3, 0.1))
    return picture


def vine(grain: Grain, base: Colour) -> Picture:
    """Leaves hanging flat on a wall, with gaps."""
    return put(clear(base), grain.clouds(4, 8) + 0.3 * grain.dust() > 0.62, base, grained(grain, 0.4, 0.3))


def berried(grain: Grain, base: Colour, berry: Colour) -> Picture:
    """A growing vine with berries."""
    return put(weed(grain, base), disc(5, 5, 1.5) | disc(10, 11, 1.5), berry)


def coral(grain: Grain, base: Colour) -> Picture:
    """Branches that fork."""
    picture = clear(base)
    for x, lean, top in ((7, 0, 3), (7, -6, 5), (8, 6, 5), (5, -3, 8), (10, 4, 8), (8, 2, 1)):
        _stalk(picture, base, x, lean, top)
        _stalk(picture, base * 0.86, x + 1, lean, top + 1)
    return picture


def fan(grain: Grain, base: Colour) -> Picture:
    """A fan of ribs from the middle of its lower edge: corals that grow flat."""
    picture = clear(base)
    x, y = COLUMNS - 7.5, SIDE - 1 - ROWS
    away = np.hypot(x, y)
    ribs = np.sin(np.arctan2(x, y + 0.5) * 11) > -0.2
    where = (away < 11 + 3 * grain.numbers(SIDE)[None, :]) & (ribs | (away < 4))
    return put(picture, where, base, grained(grain, 0.3, 0.1))


def pad(grain: Grain, base: Colour) -> Picture:
    """A round leaf with a notch, seen from above."""
    notch = (COLUMNS > 7) & (np.abs(ROWS - 7.5) < (COLUMNS - 7) * 0.4)
    return put(clear(base), disc(8, 8, 7) & ~notch, base, grained(grain, 0.2, 0.2))


def spawn(grain: Grain, base: Colour, heart: Colour) -> Picture:
    """Eggs in jelly, each with a dark heart."""
    picture = clear(base)
    for x, y in ((3, 4), (8, 3), (12.5, 5), (5, 8.5), (10, 9), (3.5, 12.5), (8, 13), (13, 12)):
        put(picture, disc(x, y, 2.4), base, grained(grain, 0.16, 0.0))
        put(picture, disc(x, y, 1.0), heart)
    return picture


def crop(height: int) -> Callable[[Grain, Colour, Colour], Picture]:
    """Rows of stalks of this height with ears of the second colour."""

    def paint(grain: Grain, base: Colour, ear: Colour) -> Picture:
        picture = clear(base)
        for k, x in enumerate((2, 5, 8, 11, 14)):
            top = SIDE - height + int(2 * grain.numbers(1)[0])
            _stalk(picture, base, x, 1.5 * (k % 3 - 1), min(top, SIDE - 1))
            _stalk(picture, base * 0.85, x - 1, -1, min(top + 3, SIDE - 1))
            if height > 9:
                put(picture, box(x - 1, top, x + 1, top + 4), ear, grained(grain, 0.24, 0.0))
        return picture

    return paint


def web(grain: Grain, base: Colour) -> Picture:
    """Threads from the middle and rings of them."""
    picture = clear(base)
    x, y = COLUMNS - 7.5, ROWS - 7.5
    spokes = (np.abs(x) < 0.6) | (np.abs(y) < 0.6) | (np.abs(np.abs(x) - np.abs(y)) < 0.6)
    ring: Field = np.maximum(np.abs(x), np.abs(y)) + 0.4 * np.minimum(np.abs(x), np.abs(y))
    return put(picture, spokes | (np.abs(ring % 3.4 - 1.2) < 0.5), base, grained(grain, 0.1, 0.0))


def torch(grain: Grain, stick: Colour, flame: Colour) -> Picture:
    """A stick of two texels in the middle and its burning head."""
    picture = clear(stick)
    put(picture, box(7, 6, 9, 16), stick, grained(grain, 0.2, 0.0))
    put(picture, box(7, 6, 9, 8), flame)
    picture[6, 7:9, :3] = flame * 0.4 + 153
    return picture


def wires(grain: Grain, base: Colour) -> Picture:
    """Dust drawn to a cross: redstone, tripwire."""
    picture = clear(base)
    line = (np.abs(COLUMNS - 7.5) < 1.2) | (np.abs(ROWS - 7.5) < 1.2)
    return put(picture, line & (grain.dust() > 0.15), base, grained(grain, 0.4, 0.0))


def shard(grain: Grain, base: Colour) -> Picture:
    """A cluster of crystals or a spike, pointing up."""
    picture = clear(base)
    for x, top, width in ((4, 7, 2.2), (8, 2, 2.8), (12, 8, 2.0)):
        part = np.clip((ROWS - top) / 5, 0, 1)
        where = (np.abs(COLUMNS + 0.5 - x) < width * part) & (top <= ROWS)
        put(picture, where, base * (0.8 + 0.05 * x), grained(grain, 0.2, 0.0))
    return picture


def spike(grain: Grain, base: Colour) -> Picture:
    """One stalagmite."""
    light = grained(grain, 0.2, 0.1) * (0.85 + 0.1 * (ROWS % 3))
    return put(clear(base), np.abs(COLUMNS + 0.5 - 8) < 1 + ROWS * 0.22, base, light)
