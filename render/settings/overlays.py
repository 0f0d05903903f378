"""The overlays by name: the letter that switches each in the chooser, and the one line that says what it shows.

Rules:
1. This table is the one list of overlays: the file, ``--overlay``, the chooser, F1 and the README follow it.
2. What draws an overlay stands in ``render.overlays.registry`` and ``render.scene.frame.overlays``; a test holds all
   three together. Nothing here loads what draws, so that the command line knows names before anything else.
3. No two overlays have one letter. Each is an action too (its name with ``_``), so that ``[keys]`` can bind it.

Nearest: The nearest of some names to one that somebody wrote.
"""

import difflib
from collections.abc import Iterable
from typing import Final, NamedTuple

# ---------------------------------------------------------------- nearest

NEAR: Final = 0.4


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """`` (did you mean 'that'?)``, or nothing where none is near.

    Args:
        name: that somebody wrote.
        names: that there are.
        prefix: what all of them begin with, which makes none of them near.
    """
    bare = sorted(each.removeprefix(prefix) for each in names)
    found = difflib.get_close_matches(name.removeprefix(prefix), bare, 1, NEAR)
    return f" (did you mean '{prefix}{found[0]}'?)" if found else ""


# ---------------------------------------------------------------- overlays


class Named(NamedTuple):
    """One overlay.

    Attributes:
        name: as ``--overlay`` takes it.
        letter: its key while the chooser is open, as pyglet names it without ``_``.
        means: what it shows, in a few words.
    """

    name: str
    letter: str
    means: str


OVERLAY_TABLE: Final = (
    Named("states", "S", "the state of every sub-chunk"),
    Named("xray-placeholder", "P", "placeholders that terrain hides"),
    Named("xray-air", "X", "air that terrain hides"),
    Named("waves", "W", "what is asked and answered just now, batch by batch"),
    Named("age", "A", "seconds until it was answered, and until it was drawn"),
    Named("priority", "U", "how urgent each sub-chunk was when it was planned"),
    Named("proof", "F", "why air is taken for air, and whether height maps fit"),
    Named("errors", "E", "beams at what was refused or does not decode"),
    Named("palette", "T", "bits a block, palette size, second layer, unknown ids"),
    Named("borders", "N", "where columns, sub-chunks and render cells end"),
    Named("cells", "C", "render cells: generation, vertices, merging"),
    Named("biomes", "Y", "the biome of the ground"),
    Named("light-seams", "L", "where light hangs on what is missing"),
    Named("verdict", "V", "why each render cell is drawn or not"),
    Named("graph", "G", "how sight goes through sub-chunks, and where it stops"),
    Named("merge", "M", "each merged quad, and T-junctions"),
    Named("mirror", "I", "the GPU's copy of the blocks against the store"),
    Named("light-r", "1", "red light, level by level"),
    Named("light-g", "2", "green light, level by level"),
    Named("light-b", "3", "blue light, level by level"),
    Named("light-d", "4", "daylight, level by level"),
    Named("channel-albedo", "5", "textures and tints without light"),
    Named("channel-normal", "6", "which way surfaces look"),
    Named("channel-depth", "7", "how far surfaces are"),
    Named("channel-block", "8", "a colour for each block state"),
    Named("channel-light", "9", "light alone, of all four channels"),
    Named("channel-overdraw", "0", "how often each pixel is shaded"),
    Named("channel-wire", "Q", "edges of quads, hidden ones too"),
)
"""In the order of the chooser."""

OVERLAYS: Final = tuple(overlay.name for overlay in OVERLAY_TABLE)
BY_LETTER: Final = {overlay.letter: overlay.name for overlay in OVERLAY_TABLE}
MEANING_OF: Final = {overlay.name: overlay.means for overlay in OVERLAY_TABLE}


def unknown_overlay(name: str) -> str:
    """The sentence for a name that no overlay has, without its full stop."""
    return f"There is no overlay '{name}'{nearest(name, OVERLAYS)}; there are {', '.join(OVERLAYS)}"
