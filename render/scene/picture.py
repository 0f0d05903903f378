"""What the picture knows of a render cell; the other half of a sub-chunk's state, beside client's ``Knowledge``.

``LIFE`` says what may happen to a cell, for people; ``diagram`` writes it down. ``scene.cells`` does it for many cells
at once, and a test holds both together.
"""

from enum import IntEnum
from typing import Final

from net.frozen import frozen


class Picture(IntEnum):
    """State of one render cell, as shaders see it."""

    ABSENT = 0  # no column there
    DIRTY = 1  # nothing shown yet; a mesh is wanted or being made
    READY = 2  # its first mesh waits for room in the upload budget, for its light, or for the rest of its edit
    EMPTY = 3  # up to date, and nothing to draw
    SHOWN = 4  # up to date, its quads on the GPU
    STALE = 5  # drawn as it was; a newer mesh is wanted or being made
    FAILED = 6  # making its mesh raised; drawn as it was, if ever, until a change reaches it


TOLD: Final = {
    Picture.ABSENT: "absent: its column is not announced, or lies at the rim of what is kept, where nothing is meshed",
    Picture.DIRTY: "dirty: nothing is shown yet, its first mesh is being made",
    Picture.READY: "ready: its first mesh waits for its light, or for its turn to go to the GPU",
    Picture.EMPTY: "empty: up to date, and nothing in it is to be drawn",
    Picture.SHOWN: "shown: up to date",
    Picture.STALE: "stale: drawn as it was, a newer mesh is being made",
    Picture.FAILED: "failed: its mesh cannot be made, so it is drawn as it was, if ever",
}
"""States in words for people."""


class Event(IntEnum):
    """What happens to a render cell."""

    MARKED = 0  # its column came, or a change can reach it
    MADE = 1  # a mesh with quads is there, of the newest revision
    UPLOADED = 2  # that mesh has its place on the GPU, and the light it needs
    EMPTIED = 3  # nothing is to be drawn in it, by its blocks or by its newest mesh
    RAISED = 4  # making the newest mesh, or uploading it, raised
    GONE = 5  # its column went, or is no longer resident


@frozen
class Turn:
    """One row of the cell's life.

    Attributes:
        event: what happens.
        before: states in which it may.
        after: the state then, None: the same.
        drawn: what is drawn of the cell then.
    """

    event: Event
    before: tuple[Picture, ...]
    after: Picture | None
    drawn: str


_P = Picture
_THERE = (_P.DIRTY, _P.READY, _P.EMPTY, _P.SHOWN, _P.STALE, _P.FAILED)
LIFE: Final = (
    Turn(Event.MARKED, (_P.ABSENT,), _P.DIRTY, "nothing"),
    Turn(Event.MARKED, (_P.DIRTY, _P.READY), None, "nothing"),
    Turn(Event.MARKED, (_P.EMPTY, _P.SHOWN), _P.STALE, "its older mesh"),
    Turn(Event.MARKED, (_P.STALE,), None, "its older mesh"),
    Turn(Event.MARKED, (_P.FAILED,), _P.STALE, "its older mesh; DIRTY where there is none"),
    Turn(Event.MADE, (_P.DIRTY,), _P.READY, "nothing"),
    Turn(Event.MADE, (_P.READY, _P.STALE), None, "as before"),
    Turn(Event.UPLOADED, (_P.READY, _P.STALE), _P.SHOWN, "its mesh"),
    Turn(Event.EMPTIED, (_P.DIRTY, _P.READY, _P.STALE), _P.EMPTY, "nothing"),
    Turn(Event.RAISED, (_P.DIRTY, _P.READY, _P.STALE), _P.FAILED, "its older mesh, if ever; marked by the overlay"),
    Turn(Event.GONE, _THERE, _P.ABSENT, "nothing"),
)
"""Every event and state that may meet."""


def diagram() -> str:
    """``LIFE`` as render/README.md shows it: a table in Markdown, a line for each row."""
    lines = ["| event | before | after | what is drawn |", "|---|---|---|---|"]
    for row in LIFE:
        before = "any but ABSENT" if row.before == _THERE else ", ".join(state.name for state in row.before)
        after = "the same" if row.after is None else row.after.name
        lines.append(f"| {row.event.name} | {before} | {after} | {row.drawn} |")
    return "\n".join(lines)
