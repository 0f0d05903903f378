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
    """A source that can be joined.

    Attributes:
        title: its name.
        detail: where it is, smaller.
        note: at the right: players, when it was joined, what it is.
        strength: 1 as it is there, less while it fades.
    """

    title: str
    detail: str
    note: str = ""
    strength: float = 1.0


class ConnectSection(msgspec.Struct, frozen=True):
    """Rows of one kind.

    Attributes:
        title: of them.
        rows: of it.
        empty: what there is to say where there are none.
        trouble: what is wrong with looking for them, in a sentence.
    """

    title: str
    rows: tuple[ConnectRow, ...]
    empty: str = ""
    trouble: str = ""


class Underway(msgspec.Struct, frozen=True):
    """A join.

    Attributes:
        source: that is joined.
        words: what is waited for.
        share: done, 0..1.
        seconds: since it began.
    """

    source: str
    words: str
    share: float
    seconds: float


class ConnectView(msgspec.Struct, frozen=True):
    """One moment.

    Attributes:
        text: of the address field.
        caret: characters before it.
        meaning: what the text means, or what is wrong with it.
        wrong: whether that is what it says.
        trouble: why the last join failed, or the connection was lost; empty where neither is.
        sections: of rows.
        selected: ``FIELD``, or 1 and on: the row's number through all sections.
        moved: whether the selection has just moved, so that it must be in sight.
        underway: a join, where there is one.
        beneath: the world that Escape goes back to; empty where there is none.
        retry: the source that F5 joins again; empty where there is none.
        forgets: whether Delete takes the selected row out.
    """

    text: str
    caret: int
    meaning: str
    wrong: bool
    trouble: str
    sections: tuple[ConnectSection, ...]
    selected: int
    moved: bool
    underway: Underway | None
    beneath: str
    retry: str
    forgets: bool = False


class Press(Enum):
    """What was clicked, beside rows."""

    JOIN = "join"  # the button beside the address
    FIELD = "field"
    CANCEL = "cancel"
    BACK = "back"
    RETRY = "retry"


Click = int | Press
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
