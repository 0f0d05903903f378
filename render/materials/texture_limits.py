"""Room for pictures: how many layers, how large they are, and which blocks do without what packs have for them.

Rules:
1. A block shows packs' pictures on all faces that packs have, or, where there is no room for them, on none.
2. Blocks are served in the order of the table; room for our own pictures of those behind is kept, so nothing turns
   white while packs show something.
3. All pictures have one size: the largest that a face shows, halved until all of them fit ``MOST_TILE_BYTES``.

Limits: where even our own pictures are more than there is room for (below some 960 layers), the last blocks are white.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import Final

import msgspec

from render.materials.canvas import SIDE

MOST_LAYERS: Final = 2048
"""Of an array texture on every driver tried (GL 3.3 promises 256); what a context has goes to ``Materials``."""
MOST_TILE_BYTES: Final = 128 << 20
"""Of all pictures with their mip levels, on the GPU; 1,536 of 128 x 128, 6,144 of 64 x 64."""

MOST_NAMED: Final = 10

Keys = Collection[Hashable]


class TextureRequest(msgspec.Struct, frozen=True):
    """The pictures of one look."""

    shown: frozenset[Hashable]  # keys of what it would show, packs over ours
    ours: frozenset[Hashable]  # keys of what it would show without packs


def fitting(wishes: Sequence[TextureRequest], taken: Keys, most: int) -> list[bool]:
    """Which looks, in order, have room for what they would show beside those that are ``taken``; others show ours."""
    used = set(taken)
    if len(used.union(*(wish.shown for wish in wishes))) <= most:
        return [True] * len(wishes)
    last = {key: number for number, wish in enumerate(wishes) for key in wish.ours}
    waiting = last.keys() - used  # pictures of ours that somebody from here on may need
    served = []
    for number, wish in enumerate(wishes):
        later = {key for key in wish.ours if last[key] > number}
        after = len(waiting) - len(waiting & ((wish.ours - later) | wish.shown))
        fits = len(used) + len(wish.shown - used) + after <= most
        used |= wish.shown if fits else wish.ours
        waiting -= (wish.shown if fits else wish.ours) | (wish.ours - later)
        served.append(fits)
    return served


def crowded_line(names: Keys, most: int) -> str:
    """Says which blocks do without what packs have for them, in one line; all names are in ``doctor --pack``."""
    first = sorted(str(name).removeprefix("minecraft:") for name in names)
    shown = " ".join(first[:MOST_NAMED]) + (" ..." if len(first) > MOST_NAMED else "")
    return (
        f"no texture layers are left for {len(first)} blocks ({most:,} layers in all); they keep their "
        f"built-in look: {shown}"
    )


def side_of(largest: int, layers: int) -> int:
    """Texels a side of all pictures. ``largest``: a power of two, from 16 on, that the largest picture has."""
    side = largest
    while side > SIDE and layers * side * side * 4 * 4 // 3 > MOST_TILE_BYTES:
        side //= 2
    return side
