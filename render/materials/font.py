"""Our bitmap font: 5 x 7 texels a character, for texts in pictures that must be the same on every machine.

Small letters are drawn as capitals, and characters without a picture as a box. Shaders get ``bits``.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np

from net.arrays import Bools

WIDE: Final = 5
TALL: Final = 7

Glyph = Bools
"""[7, 5] row 0 at the top."""

_DRAWN: Final = """
A .###. #...# #...# ##### #...# #...# #...#
B ####. #...# #...# ####. #...# #...# ####.
C .###. #...# #.... #.... #.... #...# .###.
D ####. #...# #...# #...# #...# #...# ####.
E ##### #.... #.... ####. #.... #.... #####
F ##### #.... #.... ####. #.... #.... #....
G .###. #...# #.... #.### #...# #...# .###.
H #...# #...# #...# ##### #...# #...# #...#
I .###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.
J ..### ...#. ...#. ...#. ...#. #..#. .##..
K #...# #..#. #.#.. ##... #.#.. #..#. #...#
L #.... #.... #.... #.... #.... #.... #####
M #...# ##.## #.#.# #.#.# #...# #...# #...#
N #...# ##..# ##..# #.#.# #..## #..## #...#
O .###. #...# #...# #...# #...# #...# .###.
P ####. #...# #...# ####. #.... #.... #....
Q .###. #...# #...# #...# #.#.# #..#. .##.#
R ####. #...# #...# ####. #.#.. #..#. #...#
S .#### #.... #.... .###. ....# ....# ####.
T ##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..
U #...# #...# #...# #...# #...# #...# .###.
V #...# #...# #...# #...# #...# .#.#. ..#..
W #...# #...# #...# #.#.# #.#.# ##.## #...#
X #...# #...# .#.#. ..#.. .#.#. #...# #...#
Y #...# #...# .#.#. ..#.. ..#.. ..#.. ..#..
Z ##### ....# ...#. ..#.. .#... #.... #####
0 .###. #...# #..## #.#.# ##..# #...# .###.
1 ..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.
2 .###. #...# ....# ...#. ..#.. .#... #####
3 .###. #...# ....# ..##. ....# #...# .###.
4 ...#. ..##. .#.#. #..#. ##### ...#. ...#.
5 ##### #.... ####. ....# ....# #...# .###.
6 .###. #.... #.... ####. #...# #...# .###.
7 ##### ....# ...#. ...#. ..#.. ..#.. ..#..
8 .###. #...# #...# .###. #...# #...# .###.
9 .###. #...# #...# .#### ....# ....# .###.
. ..... ..... ..... ..... ..... .##.. .##..
, ..... ..... ..... ..... .##.. ..#.. .#...
: ..... .##.. .##.. ..... .##.. .##.. .....
; ..... .##.. .##.. ..... .##.. ..#.. .#...
! ..#.. ..#.. ..#.. ..#.. ..#.. ..... ..#..
? .###. #...# ....# ...#. ..#.. ..... ..#..
- ..... ..... ..... ##### ..... ..... .....
+ ..... ..#.. ..#.. ##### ..#.. ..#.. .....
= ..... ..... ##### ..... ##### ..... .....
_ ..... ..... ..... ..... ..... ..... #####
/ ....# ....# ...#. ..#.. .#... #.... #....
( ...#. ..#.. .#... .#... .#... ..#.. ...#.
) .#... ..#.. ...#. ...#. ...#. ..#.. .#...
[ .###. .#... .#... .#... .#... .#... .###.
] .###. ...#. ...#. ...#. ...#. ...#. .###.
< ...#. ..#.. .#... #.... .#... ..#.. ...#.
> .#... ..#.. ...#. ....# ...#. ..#.. .#...
% ##..# ##..# ...#. ..#.. .#... #..## #..##
* ..... ..#.. #.#.# .###. #.#.# ..#.. .....
# .#.#. .#.#. ##### .#.#. ##### .#.#. .#.#.
' ..#.. ..#.. ..... ..... ..... ..... .....
" .#.#. .#.#. ..... ..... ..... ..... .....
& .##.. #..#. #.#.. .#... #.#.# #..#. .##.#
@ .###. #...# #.### #.#.# #.### #.... .###.
^ ..#.. .#.#. #...# ..... ..... ..... .....
| ..#.. ..#.. ..#.. ..#.. ..#.. ..#.. ..#..
"""


def _glyph(rows: list[str]) -> Glyph:
    return np.array([[texel == "#" for texel in row] for row in rows])


GLYPHS: Final[Mapping[str, Glyph]] = MappingProxyType(
    {line.split()[0]: _glyph(line.split()[1:]) for line in _DRAWN.strip().splitlines()}
    | {" ": np.zeros((TALL, WIDE), np.bool_)}
)
"""By character."""
NO_GLYPH: Final[Glyph] = np.array([[row in (0, TALL - 1) or column in (0, WIDE - 1) for column in range(WIDE)]
                                   for row in range(TALL)])  # fmt: skip


def glyph(character: str) -> Glyph:
    return GLYPHS.get(character.upper(), NO_GLYPH)


@lru_cache(maxsize=512)
def bits(character: str) -> tuple[int, int]:
    """A character as two words: bit ``row * 5 + column`` of the first for rows 0 to 3, of the second for rows 4 on."""
    texels = [int(on) for on in glyph(character).ravel()]
    low = sum(on << at for at, on in enumerate(texels[: 4 * WIDE]))
    return low, sum(on << at for at, on in enumerate(texels[4 * WIDE :]))


def mask(text: str) -> Bools:
    """bool[7, 6 n - 1] a text of n characters, at least one, with one texel between two."""
    gap = np.zeros((TALL, 1), np.bool_)
    columns = [part for character in text for part in (glyph(character), gap)]
    return np.concatenate(columns[:-1], axis=1)
