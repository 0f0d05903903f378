"""The connect screen's content: an address, LAN servers, recent sources, files, our own worlds; or a running join.

Drawn over the whole window. It decides nothing: selection and text come from the view, clicks are returned.
"""

from enum import Enum
from typing import Final

import msgspec

from client.source import Source

BETWEEN: Final = "   "
"""Space between hints."""
FIELD: Final = 0
"""Number of the address field in the selection; rows follow it."""


class ConnectRow(msgspec.Struct, frozen=True):
    """A source in the list."""

    source: Source
    title: str  # its name
    detail: str  # its place, in smaller text
    status: str = ""  # at the right: players, time of joining, or kind
    strength: float = 1.0  # 1 if present, less while it fades
    forgettable: bool = False  # whether Delete removes it


class ConnectSection(msgspec.Struct, frozen=True):
    """Rows of one kind."""

    title: str  # of them
    rows: tuple[ConnectRow, ...]  # of it
    empty: str = ""  # text if there are no rows
    trouble: str = ""  # error of the search for them, in a sentence


class Underway(msgspec.Struct, frozen=True):
    """A running join."""

    source: str  # that is joined
    words: str  # what it waits for
    share: float  # done, 0..1
    seconds: float  # since its start


class ConnectView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    text: str  # of the address field
    caret: int  # characters before it
    meaning: str  # meaning of the text, or its error
    wrong: bool  # whether ``meaning`` is an error
    trouble: str  # why the last join failed, or the connection was lost; empty otherwise
    sections: tuple[ConnectSection, ...]  # of rows
    selected: int  # ``FIELD``, or from 1 on the row's number through all sections
    moved: bool  # whether the selection has just moved, so that it must be scrolled into view
    underway: Underway | None  # None without a join
    beneath: str  # the world that Escape returns to; empty without one
    retry: str  # the source that F5 joins again; empty without one
    forgets: bool = False  # whether Delete removes the selected row


class ConnectButton(Enum):
    """Clicked controls other than rows."""

    JOIN = "join"  # the button beside the address
    FIELD = "field"
    CANCEL = "cancel"
    BACK = "back"
    RETRY = "retry"


Click = int | ConnectButton
"""A row's number, or another control."""


def choosing(view: ConnectView) -> str:
    """The keys that act on the list; other keys have buttons at the bottom."""
    if view.underway:
        return ""
    keys = ["Arrows, Tab: choose", "Enter: join"]
    keys += ["Ctrl+digit: join that row"] if any(section.rows for section in view.sections) else []
    keys += ["Del: forget"] if view.forgets else []
    keys += ["Ctrl+Q: end"]
    return BETWEEN.join(keys)
