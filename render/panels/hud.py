"""What stands over the picture beside the panels: numbers and lists, the legend, a banner. ``hud_card`` draws it."""

from enum import Enum
from typing import NamedTuple

import msgspec

from render.overlays.registry import OverlayLegend


class Room(NamedTuple):
    """What panels leave of the picture, in pixels, y down."""

    left: float
    top: float
    right: float
    bottom: float


class BannerKind(Enum):
    """What a banner tells of; each has its colour."""

    LOST = "lost"
    JOINING = "joining"
    PAST = "past"


class Banner(msgspec.Struct, frozen=True):
    """A card low over the world."""

    kind: BannerKind
    title: str  # the first line
    words: str  # below it, wrapped
    keys: str  # what can be done, the last line
    share: float | None = None  # of a join, or of the time that is kept, 0..1


class HudView(msgspec.Struct, frozen=True):
    """One moment."""

    lines: tuple[str, ...] = ()  # in the upper left corner; a tab leads to the next column
    legend: tuple[OverlayLegend, ...] = ()  # in the lower left corner
    more: str = ""  # the legend's first line
    banner: Banner | None = None
    small: bool = False  # whether the legend is to be small
