"""Painters of devices: most show a framed ground with a glyph, some have a picture of their own.

Glyphs are small signs of 8 x 8 texels, drawn for this project, by which devices can be told apart: ``#`` is the sign's
colour, ``o`` the same brightened, ``-`` the same darkened, ``.`` shows the ground.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from net.arrays import F64, Bools
from render.materials.canvas import (
    COLUMNS,
    ROWS,
    SIDE,
    Colour,
    Grain,
    Painter,
    Picture,
    box,
    clear,
    disc,
    frame,
    grained,
    put,
    rim,
    shaded,
)
from render.materials.paint_terrain import columnar, stone

SIDE_PX: Final = 8
LIGHT: Final[Mapping[str, float]] = MappingProxyType({".": 0.0, "-": 0.62, "#": 1.0, "o": 1.3})

Glyph = F64
"""[8, 8] brightness of the sign's colour, 0 where the ground shows."""

_DRAWN: Final = """
grid      ##.##.## ##.##.## ........ ##.##.## ##.##.## ........ ##.##.## ##.##.##
tools     .##...## .##..### ..#.##.. ...##... ..##.#.. .##...## .#....## ##.....#
map       o#o##o## #oo###o# ##-##o## #---#### ##--##o# #o##-### o##o###o ########
arrow     .....### ......## .....#.# ....#... ...#.... ##.#.... .##..... .##.....
hammer    .######. .######. ...##... ...##... ...--... ...--... ...--... ...--...
weave     #-#-#-#- -#-#-#-# #-#-#-#- -#-#-#-# #-#-#-#- -#-#-#-# #-#-#-#- -#-#-#-#
note      ...##... ...###.. ...#.##. ...#..#. ...#.... .###.... ####.... .##.....
slot      ........ .######. .######. ........ ........ ........ ........ ........
star      ...oo... ..o##o.. .o####o. o##oo##o o##oo##o .o####o. ..o##o.. ...oo...
eye       ..####.. .######. ##oooo## ##o--o## ##o--o## ##oooo## .######. ..####..
book      ........ ###..### #o##o#o# #o##o#o# #o##o#o# ###..### ........ ........
face      ........ .##..##. .##..##. ........ ........ ##.##.## .######. ..#..#..
command   ..####.. .#....#. #..##..# #.#..#.# #.#..#.# #..##..# .#....#. ..####..
links     .####... .#..#... .#..#... .####... ...####. ...#..#. ...#..#. ...####.
again     ..####.. .#....#. #....... #....#.. #...###. #....#.. .#....#. ..####..
corners   ###..### #......# #......# ........ ........ #......# #......# ###..###
jigsaw    ..##.... ..##.... ######.. ######.. ######## ######.. ######.. ........
tick      ........ .......# ......## .....##. #...##.. ##.##... .###.... ..#.....
cross     ##....## ###..### .######. ..####.. ..####.. .######. ###..### ##....##
bar       ........ ........ ######## ######## ######## ######## ........ ........
lens      ..####.. .#-##-#. #-#oo#-# ##o--o## ##o--o## #-#oo#-# .#-##-#. ..####..
flask     ..####.. ...##... ...##... ..#..#.. ..#..#.. .######. .######. ..####..
halves    ..####.. ...##... ...##... ..####.. .#-##-#. .#-##-#. .######. ..####..
atom      .##..##. #..##..# #.#..#.# .#.oo.#. .#.oo.#. #.#..#.# #..##..# .##..##.
bench     ######## #......# #.#..#.# #.#..#.# #.#..#.# #.####.# #......# ########
flame     ...#.... ...##... ..###.#. .####.## .##o#### ##oo#o## ##ooooo# .##oo##.
reactor   ...##... ..#oo#.. .#o##o#. #o#..#o# #o#..#o# .#o##o#. ..#oo#.. ...##...
dial      ..####.. .#..#.#. #...#..# #...#..# #...##.# #......# .#....#. ..####..
dots      #..##..# ...##... ..#..#.. ##.oo.## ##.oo.## ..#..#.. ...##... #..##..#
maw       .######. ##-..-## #-....-# #......# #......# #-....-# ##-..-## .######.
compass   ...#.... ...#.... ..##.... ..#o#... ...o-... ....--.. ....-... ....-...
lid       ........ ........ ........ ######## -------- ........ ........ ........
bulb      ..####.. .#oooo#. #oooooo# #oo##oo# #oo##oo# #oooooo# .#oooo#. ..####..
peek      ######## #......# #.#..#.# #......# #..##..# #.#..#.# #......# ########
watch     ######## #--##--# #--##--# ######## ........ .######. .-----#. ........
"""


def _glyph(rows: list[str]) -> Glyph:
    return np.array([[LIGHT[texel] for texel in row] for row in rows])


GLYPHS: Final[Mapping[str, Glyph]] = MappingProxyType(
    {line.split()[0]: _glyph(line.split()[1:]) for line in _DRAWN.strip().splitlines()}
)

_ROWS: Final = (
    ("###", "#.#", "#.#", "#.#", "###"), (".#.", "##.", ".#.", ".#.", "###"), ("###", "..#", "###", "#..", "###"),
    ("###", "..#", "###", "..#", "###"), ("#.#", "#.#", "###", "..#", "..#"), ("###", "#..", "###", "..#", "###"),
    ("###", "#..", "###", "#.#", "###"), ("###", "..#", "..#", ".#.", ".#."), ("###", "#.#", "###", "#.#", "###"),
    ("###", "#.#", "###", "..#", "###"),
)  # fmt: skip


def number_mask(number: int) -> Bools:
    """bool[5, 4 * digits - 1]: a number in digits of 3 x 5 texels."""
    rows = [".".join(_ROWS[int(digit)][row] for digit in str(number)) for row in range(5)]
    return np.array([[texel == "#" for texel in row] for row in rows])


# ---------------------------------------------------------------- paint devices

_LEFT = (SIDE - SIDE_PX) // 2


def stamp(name: str) -> Painter:
    """A framed board with a sign in the middle."""
    glyph = GLYPHS[name]

    def paint(grain: Grain, base: Colour, mark: Colour) -> Picture:
        picture = rim(shaded(base, grained(grain, 0.1, 0.1)), 0.2, 2)
        area = picture[_LEFT : _LEFT + SIDE_PX, _LEFT : _LEFT + SIDE_PX]
        drawn = glyph > 0
        area[drawn, :3] = mark * glyph[drawn, None]
        return picture

    return paint


def element(number: int) -> Painter:
    """A flask's label: the number of a chemical element on its family's colour."""
    mask = number_mask(number)

    def paint(grain: Grain, base: Colour) -> Picture:
        picture = rim(shaded(base, grained(grain, 0.06, 0.06)), 0.2)
        left, top = (SIDE - mask.shape[1]) // 2, 5
        area = picture[top : top + 5, left : left + mask.shape[1]]
        area[mask, :3] = 24 + 0.12 * base
        return picture

    return paint


def faced(grain: Grain, base: Colour, mark: Colour) -> Picture:
    """A pumpkin's ribs with a face cut into them."""
    picture = columnar(grain, base)
    large = np.kron(GLYPHS["face"], np.ones((2, 2)))[:, :SIDE]
    return put(picture, (large > 0) & box(2, 2, 14, 15), mark, grained(grain, 0.12, 0.0))


def shulker(grain: Grain, base: Colour) -> Picture:
    """A box and its lid, with the seam between."""
    picture = rim(shaded(base, grained(grain, 0.08, 0.12)), 0.2)
    picture[(ROWS == 9) | ((ROWS == 10) & (COLUMNS % 5 < 2)), :3] *= 0.55
    picture[ROWS == 4, :3] *= 1.12
    return picture


def shell(grain: Grain, base: Colour) -> Picture:
    """That box from above: a ring of knobs."""
    picture = rim(shaded(base, grained(grain, 0.08, 0.12)), 0.2)
    ring = disc(8, 8, 5.4) & ~disc(8, 8, 4)
    picture[ring, :3] *= 0.7
    picture[disc(8, 8, 1.6), :3] *= 1.3
    return picture


def circuit(grain: Grain, base: Colour, wire: Colour, studs: Colour) -> Picture:
    """A smooth slab with a wire along it and two studs; the studs' red gives the distance of the second."""
    picture = rim(shaded(base, grained(grain, 0.06, 0.06)), 0.1)
    put(picture, box(7, 3, 9, 14), wire, grained(grain, 0.2, 0.0))
    return put(picture, box(6, 2, 10, 4) | box(6, 9, 10, 11), studs)


def balance(grain: Grain, base: Colour, wire: Colour, studs: Colour) -> Picture:
    """A smooth slab with three studs in a triangle."""
    picture = rim(shaded(base, grained(grain, 0.06, 0.06)), 0.1)
    put(picture, (np.abs(COLUMNS - 7.5) * 1.3 + 3 < ROWS) & (ROWS < 12) & (ROWS > 4), wire, grained(grain, 0.2, 0.0))
    return put(picture, box(6, 2, 10, 4) | box(2, 11, 5, 14) | box(11, 11, 14, 14), studs)


def pane_frame(grain: Grain, base: Colour, mark: Colour) -> Picture:
    """Leather in a wooden frame; the mark's colour is the leather's."""
    picture = shaded(base, grained(grain, 0.14, 0.1))
    put(picture, ~frame(3), mark, grained(grain, 0.12, 0.1))
    picture[box(2, 2, 14, 14) & ~box(3, 3, 13, 13), :3] *= 0.7
    return picture


def piston_head(grain: Grain, base: Colour, mark: Colour) -> Picture:
    """Boards with iron corners; the second colour in the middle, such as slime."""
    picture = rim(shaded(base, 0.92 + 0.1 * grain.clouds(16, 2) + 0.05 * grain.dust()), 0.2)
    corners = frame(3) & ((COLUMNS < 3) | (COLUMNS > 12)) & ((ROWS < 3) | (ROWS > 12))
    put(picture, corners, np.array([150.0, 150.0, 148.0]))
    return put(picture, disc(8, 8, 4.6) & (grain.clouds(5, 5) > 0.25), mark, grained(grain, 0.2, 0.0))


def candle(grain: Grain, base: Colour) -> Picture:
    """Wax, paler above, with a wick in it."""
    picture = shaded(base, grained(grain, 0.04, 0.06) * (1.08 - 0.012 * ROWS))
    put(picture, box(7, 0, 9, 3), np.array([40.0, 36.0, 32.0]))
    picture[(COLUMNS % 5 == 1) & (ROWS < 7), :3] *= 1.1
    return picture


def cake_top(grain: Grain, base: Colour, wax: Colour) -> Picture:
    """Icing with a candle's foot in the middle."""
    picture = shaded(base, grained(grain, 0.05, 0.04))
    put(picture, disc(8, 8, 2.4), wax)
    return put(picture, (grain.dust() > 0.94) & ~disc(8, 8, 4), np.array([200.0, 40.0, 44.0]))


def pennon(grain: Grain, base: Colour, mark: Colour) -> Picture:
    """A banner's cloth with a bend across it."""
    return put(shaded(base, grained(grain, 0.08, 0.1)), np.abs(COLUMNS - ROWS) < 3, mark, grained(grain, 0.1, 0.0))


def dotted(grain: Grain, base: Colour, dots: Colour) -> Picture:
    """A cap with round warts."""
    picture = shaded(base, grained(grain, 0.08, 0.1))
    for x, y, radius in ((4, 4, 2.2), (11, 3, 1.4), (12, 9, 2.4), (5, 11, 1.8), (9, 14, 1.2)):
        put(picture, disc(x, y, radius), dots, grained(grain, 0.08, 0.0))
    return picture


def made_bed(grain: Grain, base: Colour, linen: Colour) -> Picture:
    """A blanket with a pillow at its upper end."""
    picture = shaded(base, grained(grain, 0.06, 0.1))
    put(picture, ROWS < 5, linen, grained(grain, 0.06, 0.0))
    picture[ROWS == 5, :3] *= 0.7
    return picture


def rod(grain: Grain, base: Colour) -> Picture:
    """A thick head on a thin rod."""
    return put(clear(base), box(6, 0, 10, 4) | box(7, 4, 9, 16), base, grained(grain, 0.16, 0.0))


def links(grain: Grain, base: Colour) -> Picture:
    """A chain in the middle two columns, the only ones that its model shows."""
    light = grained(grain, 0.12, 0.0) * (1.15 - 0.5 * ((ROWS + 2 * (COLUMNS == 8)) % 4 == 3))
    return put(clear(base), box(7, 0, 9, 16), base, light)


def caged(grain: Grain, base: Colour, warm: Colour) -> Picture:
    """A lantern: lit iron, and the light where its sides are cut out."""
    picture = rim(shaded(base * 0.75 + warm * 0.25, grained(grain, 0.1, 0.1)), 0.12)
    put(picture, box(6, 10, 10, 15), warm, 0.85 + 0.3 * grain.dust())
    return put(picture, box(7, 11, 9, 14), warm * 0.4 + 153)


def whetstone(grain: Grain, base: Colour, hub: Colour) -> Picture:
    """A round stone with its axle."""
    picture = shaded(base * 0.72, grained(grain, 0.1, 0.1))
    put(picture, disc(8, 8, 6.6), base, grained(grain, 0.2, 0.1))
    return put(picture, disc(8, 8, 2.2), hub, grained(grain, 0.2, 0.0))


def vessel(grain: Grain, base: Colour, inside: Colour) -> Picture:
    """The rim of a vessel, and how dark it is inside."""
    return put(rim(shaded(base, grained(grain, 0.08, 0.1)), 0.16), ~frame(2), inside, grained(grain, 0.2, 0.1))


def jelly(grain: Grain, base: Colour, opacity: Colour) -> Picture:
    """A see-through block with a darker one in it; the second colour's red is its opacity."""
    picture = rim(shaded(base, grained(grain, 0.06, 0.08)), 0.12)
    picture[box(4, 4, 12, 12), :3] *= 0.8
    picture[..., 3] = opacity[0]
    return picture


def molten(grain: Grain, base: Colour, hot: Colour) -> Picture:
    """A kettle's rim around something hot."""
    return put(rim(stone(grain, base), 0.14), ~frame(2), hot, 0.75 + 0.5 * grain.clouds(4, 4))
