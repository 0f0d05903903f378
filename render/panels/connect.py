"""The connect screen: an address, servers of the LAN, recent sources, files, our own worlds; or a join under way.

Drawn over the whole window. It decides nothing: what is selected and typed is the view's, what was clicked is returned.
"""

from enum import Enum
from typing import Final

import msgspec

BETWEEN: Final = "   "
"""Hints."""
FIELD: Final = 0
"""The address field's number among what can be selected; rows follow it."""


class ConnectRow(msgspec.Struct, frozen=True):
    """A source that can be joined."""

    title: str  # its name
    detail: str  # where it is, smaller
    status: str = ""  # at the right: players, when it was joined, what it is
    strength: float = 1.0  # 1 as it is there, less while it fades


class ConnectSection(msgspec.Struct, frozen=True):
    """Rows of one kind."""

    title: str  # of them
    rows: tuple[ConnectRow, ...]  # of it
    empty: str = ""  # what there is to say where there are none
    trouble: str = ""  # what is wrong with looking for them, in a sentence


class Underway(msgspec.Struct, frozen=True):
    """A join."""

    source: str  # that is joined
    words: str  # what is waited for
    share: float  # done, 0..1
    seconds: float  # since it began


class ConnectView(msgspec.Struct, frozen=True):
    """One moment."""

    text: str  # of the address field
    caret: int  # characters before it
    meaning: str  # what the text means, or what is wrong with it
    wrong: bool  # whether that is what it says
    trouble: str  # why the last join failed, or the connection was lost; empty where neither is
    sections: tuple[ConnectSection, ...]  # of rows
    selected: int  # ``FIELD``, or 1 and on: the row's number through all sections
    moved: bool  # whether the selection has just moved, so that it must be in sight
    underway: Underway | None  # a join, where there is one
    beneath: str  # the world that Escape goes back to; empty where there is none
    retry: str  # the source that F5 joins again; empty where there is none
    forgets: bool = False  # whether Delete takes the selected row out


class ConnectButton(Enum):
    """What was clicked, beside rows."""

    JOIN = "join"  # the button beside the address
    FIELD = "field"
    CANCEL = "cancel"
    BACK = "back"
    RETRY = "retry"


Click = int | ConnectButton
"""A row's number, or what else was clicked."""


def choosing(view: ConnectView) -> str:
    """The keys that do something with what is listed; the foot has buttons for others."""
    if view.underway:
        return ""
    keys = ["Arrows, Tab: choose", "Enter: join"]
    keys += ["Ctrl+digit: join that row"] if any(section.rows for section in view.sections) else []
    keys += ["Del: forget"] if view.forgets else []
    keys += ["Ctrl+Q: end"]
    return BETWEEN.join(keys)
