"""The connect screen: an address, servers of the LAN, recent sources, files, our own worlds; or a join under way.

Drawn over the whole window. It decides nothing: what is selected and typed is the view's, what was clicked is returned.
``as_text`` is the same as plain lines, for windows without imgui.
"""

from enum import Enum
from textwrap import wrap
from typing import Final

from net.frozen import frozen

INDENT: Final = "    "
BETWEEN: Final = "   "
"""Hints."""
UNBROKEN: Final = "\u00a0"
"""A space at which no line ends."""
FIELD: Final = 0
"""The address field's number among what can be selected; rows follow it."""


@frozen
class ConnectRow:
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


@frozen
class ConnectSection:
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


@frozen
class Underway:
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


@frozen
class ConnectView:
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
    """The keys that do something with what is listed; those beside them are buttons, too (``hints`` has all)."""
    if view.underway:
        return ""
    keys = ["Arrows, Tab: choose", "Enter: join"]
    keys += ["Ctrl+digit: join that row"] if any(section.rows for section in view.sections) else []
    keys += ["Del: forget"] if view.forgets else []
    keys += ["Ctrl+Q: end"]
    return BETWEEN.join(keys)


def hints(view: ConnectView) -> str:
    """The keys that do something now."""
    if view.underway:
        return "Esc: give up"
    keys = [choosing(view)]
    keys += [f"F5: again {view.retry}"] if view.retry else []
    keys += [f"Esc: back to {view.beneath}"] if view.beneath else []
    return BETWEEN.join(keys)


def as_text(view: ConnectView, most_lines: int = 40, wide: int = 78) -> list[str]:
    """The screen as plain lines of letters of one width, the selected row always among them.

    Args:
        view: of the moment.
        most_lines: that fit.
        wide: letters that a line holds; what is longer is wrapped, rows are cut before their notes.
    """
    head = ["chunkscope: connect"]
    if view.underway:
        return [*head, *underway_as_text(view.underway), hints(view)]
    head += wrap(view.trouble, wide)
    mark = "▶" if view.selected == FIELD else " "
    lead = f"{mark} address: "
    typed = f"{view.text[: view.caret]}▏{view.text[view.caret :]}"
    seen = max(wide - len(lead), 1)
    start = max(view.caret + 1 - seen, 0)  # the caret stays in sight
    head += [
        lead + typed[start : start + seen],
        *wrap(view.meaning, wide, initial_indent=INDENT, subsequent_indent=INDENT),
    ]
    lines, at, number = [], 0, 0
    for section in view.sections:
        lines.append(f"{section.title}" + ("" if section.rows or not section.empty else f": {section.empty}"))
        lines += wrap(section.trouble, wide, initial_indent=INDENT, subsequent_indent=INDENT)
        for row in section.rows:
            number += 1
            at = len(lines) if number == view.selected else at
            lines.append(row_as_text(row, number, number == view.selected, wide))
    whole = hints(view).replace(" ", UNBROKEN).replace(3 * UNBROKEN, BETWEEN)  # lines part between hints alone
    foot = [line.replace(UNBROKEN, " ") for line in wrap(whole, wide)]
    room = max(3, most_lines - len(head) - len(foot))
    first = min(max(0, at - room // 2), max(0, len(lines) - room))
    return [*head, *lines[first : first + room], *foot]


def underway_as_text(way: Underway) -> list[str]:
    """How far a join is, as plain lines."""
    bar = round(30 * way.share)
    return [f"joining {way.source}", f"{'█' * bar}{'░' * (30 - bar)} {way.seconds:.1f} s", way.words]


def row_as_text(row: ConnectRow, number: int, selected: bool, wide: int) -> str:
    """A row as a plain line: its note ends at the right edge, what comes before it is cut where both have no room."""
    start = f"{'▶' if selected else ' '} {number if number < 10 else ' '}  {row.title}   {row.detail}"
    note = row.note + ("  …" if row.strength < 1 else "")
    room = max(wide - len(note) - 2, 1)
    start = start if len(start) <= room else start[: room - 1].rstrip() + "…"
    return f"{start:<{room}}  {note}".rstrip()
