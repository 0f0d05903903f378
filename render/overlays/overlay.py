"""Declares an overlay where its marks are made: ``@overlay(...)`` above a pure function from facts to marks.

A module of its own since every overlay imports it, and ``registry`` imports every overlay.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from render.overlays.facts import OverlayFacts
from render.overlays.marks import OverlayMarks
from render.settings.overlays import Named, declare

Make = Callable[[OverlayFacts], OverlayMarks]


class MarkOverlay(msgspec.Struct, frozen=True):
    """What is drawn of one, and how long that stays true."""

    make: Make  # facts to marks; a pure function
    layer: int = 0  # those of higher layers are drawn over it
    lasts_s: float | None = None  # how long marks stay true though nothing came: time alone changes them then
    from_within: bool = False  # whether sides of its boxes are seen from inside, too
    by_eye: bool = False  # whether marks are other ones for an eye in another sub-chunk
    by_frame: bool = False  # whether they are other ones where culling did something else


REGISTRY: Final[dict[str, MarkOverlay]] = {}
"""By name, in the order they are drawn in; what lies over all comes last."""


def overlay(
    name: str,
    *,
    letter: str,
    title: str,
    place: int = 0,
    keys: tuple[str, ...] = (),
    then: str = "",
    layer: int = 0,
    lasts_s: float | None = None,
    from_within: bool = False,
    by_eye: bool = False,
    by_frame: bool = False,
) -> Callable[[Make], Make]:
    """Makes a function an overlay; window, legend, help, settings and command line know it from then on.

    ``name``: as ``--overlay`` takes it. ``keys``: that switch it in the preset ``qwerty``. ``then``: the
    overlay that its key shows when pressed again. ``layer``: this and what
    follows are ``MarkOverlay``'s.

    The first six are plain words and numbers: ``render.settings.overlays`` reads them from the text.
    """

    def register(make: Make) -> Make:
        declare(Named(name, letter, title, place, keys, then))
        REGISTRY[name] = MarkOverlay(make, layer, lasts_s, from_within, by_eye, by_frame)
        ordered = sorted(REGISTRY.items(), key=lambda entry: entry[1].layer)
        REGISTRY.clear()
        REGISTRY.update(ordered)
        return make

    return register
