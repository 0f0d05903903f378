"""The content of the HUD and other things over the picture: lists, the legend, cards, F1's table.

``hud_card`` draws it; this module does not load imgui.
"""

from enum import Enum
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from render.overlays.legend import OverlayLegend
from render.panels.connect import Underway


class HudArea(NamedTuple):
    """The area that panels leave of the picture, in pixels, y down."""

    left: float
    top: float
    right: float
    bottom: float


class BannerKind(Enum):
    """The subject of a banner; each has its colour."""

    LOST = "lost"
    JOINING = "joining"
    PAST = "past"


class Banner(msgspec.Struct, frozen=True):
    """A card low over the world."""

    kind: BannerKind
    title: str  # the first line
    words: str  # below it, wrapped
    keys: str  # available keys, the last line
    share: float | None = None  # of a join, or of the history, 0..1


class KeyRow(msgspec.Struct, frozen=True):
    """A command and its keys."""

    group: str  # its group; empty on a card
    caps: tuple[str, ...]  # its keys, in order; ``or`` between alternatives
    means: str  # what it does


class KeyTableView(msgspec.Struct, frozen=True):
    """The content of the table of keys and commands."""

    rows: tuple[KeyRow, ...]  # those that match the text, by groups
    selected: int  # number of the row that Enter runs
    text: str  # the typed text
    preset: str  # name of the layout of keys


class HudView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    lines: tuple[str, ...] = ()  # in the upper left corner; a tab leads to the next column
    columns_em: tuple[float, ...] = (0.0, 2.4, 4.5)  # where columns begin
    wide_em: float = 0.0  # fixed width of the lines; 0: as wide as their text
    share: float | None = None  # played share of a recording: a bar below the lines
    legend: tuple[OverlayLegend, ...] = ()  # in the lower left corner
    more: str = ""  # the legend's first line
    banner: Banner | None = None
    keys: tuple[KeyRow, ...] = ()  # on a card low in the middle
    recorded: int | None = None  # number of keys of the camera path being recorded; None without one
    table: KeyTableView | None = None  # shown in place of all else
    small: bool = False  # whether the legend is to be small


HUD_COLUMNS_EM: Final = (0.0, 5.4, 15.8, 27.4, 32.8, 37.4)
"""Columns of the HUD: labels, position, chunk, direction, dimension, biome."""
HUD_WIDE_EM: Final = 47.0


def banner_of(
    lost: str, underway: Underway | None, r_is_free: bool, connect_key: str, past: Banner | None = None
) -> Banner | None:
    """The banner to show; None without one. ``lost``: why the connection ended; ``r_is_free``: whether R is unbound."""
    if underway:
        title = f"Joining {underway.source}, {underway.seconds:.1f} s"
        return Banner(BannerKind.JOINING, title, underway.words, "Esc: cancel", underway.share)
    if past:
        return replace(past, words=f"Connection lost: {lost}") if lost else past
    if lost:
        keys = "R or Enter" if r_is_free else "Enter"
        keys += f": join again   {connect_key}: other worlds   the world is kept as it was"
        return Banner(BannerKind.LOST, "Connection lost", lost, keys)
    return None
