"""What stands over the picture beside the panels: numbers and lists, the legend, cards low over the world, F1's table.

``hud_card`` draws it; nothing here loads imgui.
"""

from enum import Enum
from typing import Final, NamedTuple

import msgspec

from render.overlays.registry import OverlayLegend
from render.panels.connect import Underway


class HudArea(NamedTuple):
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


class KeyRow(msgspec.Struct, frozen=True):
    """A command and its keys."""

    group: str  # what it is about; empty on a card
    caps: tuple[str, ...]  # its keys, in the order in which they are shown; ``or`` between those that do the same
    means: str  # what it does


class KeyTableView(msgspec.Struct, frozen=True):
    """The table of keys and commands."""

    rows: tuple[KeyRow, ...]  # those that fit what was typed, by their groups
    selected: int  # number of the row that Enter runs
    text: str  # what was typed
    preset: str  # name of the layout of keys


class HudView(msgspec.Struct, frozen=True):
    """One moment."""

    lines: tuple[str, ...] = ()  # in the upper left corner; a tab leads to the next column
    columns_em: tuple[float, ...] = (0.0, 2.4, 4.5)  # where columns begin
    wide_em: float = 0.0  # width of the lines, whatever they say; 0: as wide as they are
    share: float | None = None  # of a recording, that is over: a bar below the lines
    legend: tuple[OverlayLegend, ...] = ()  # in the lower left corner
    more: str = ""  # the legend's first line
    banner: Banner | None = None
    keys: tuple[KeyRow, ...] = ()  # on a card low in the middle
    recorded: int | None = None  # keys of the camera path that is recorded; None: none is
    table: KeyTableView | None = None  # in place of all else, where it is open
    small: bool = False  # whether the legend is to be small


HUD_COLUMNS_EM: Final = (0.0, 5.4, 15.8, 27.4, 32.8, 37.4)
"""Of the HUD: labels, position, chunk, direction, dimension, biome."""
HUD_WIDE_EM: Final = 47.0


class PastView(msgspec.Struct, frozen=True):
    """The past of a live session, where that is shown."""

    ago: str  # how long ago it was, in words
    words: str  # what it does: whether it is paused, on its way, how fast it goes
    share: float  # of the time that is kept, 0..1
    keys: str  # what can be done


def banner_of(
    lost: str, underway: Underway | None, r_is_free: bool, connect_key: str, past: PastView | None = None
) -> Banner | None:
    """What there is to show; None: nothing. ``lost``: why the connection is over; ``r_is_free``: R does no more."""
    if underway:
        title = f"Joining {underway.source}, {underway.seconds:.1f} s"
        return Banner(BannerKind.JOINING, title, underway.words, "Esc: cancel", underway.share)
    if past:
        words = f"Connection lost: {lost}" if lost else f"{past.words}; live session continues"
        return Banner(BannerKind.PAST, f"Rewound {past.ago}", words, past.keys, past.share)
    if lost:
        keys = "R or Enter" if r_is_free else "Enter"
        keys += f": join again   {connect_key}: other worlds   the world is kept as it was"
        return Banner(BannerKind.LOST, "Connection lost", lost, keys)
    return None
