"""Where somebody wants to go who types it: three numbers, a dimension, both, a line of text, or a bookmark's name."""

from typing import Final

from client.options import parse_at
from client.player import Eye, View
from net.space.dimensions import VANILLA
from render.view_line import ViewLine, parse_dimension, parse_view_line
from render.viewer.bookmarks import Bookmarks

RELATIVE: Final = "~"
NAMES: Final = {dimension.name: dimension.number for dimension in VANILLA.values()}


def destination(text: str, now: View, bookmarks: Bookmarks) -> ViewLine | int:
    """What a text means.

    Args:
        text: ``8 90 8`` or ``8,90,8``, each number after ``~`` counted from where one is; the same after a dimension,
            ``nether 8 90 8``; a line of text; a bookmark's name; or a dimension alone.
        now: where one is.
        bookmarks: of this server.

    Returns:
        The view; a dimension's number where nothing is said of the place in it.

    Raises:
        UsageError: it is none of them.
    """
    if text.startswith("--"):
        return parse_view_line(text)
    parts = text.replace(",", " ").split()
    if _is_place(parts):
        return ViewLine(_place(parts, now.eye))
    if len(parts) == 4 and _is_place(parts[1:]):
        return ViewLine(_place(parts[1:], now.eye), dimension=parse_dimension(parts[0].lower()))
    if text.lower() in NAMES and text not in bookmarks.names():
        return NAMES[text.lower()]
    return bookmarks.view(text)


def _is_place(parts: list[str]) -> bool:
    return len(parts) == 3 and all(_is_number(part.removeprefix(RELATIVE) or "0") for part in parts)


def _place(parts: list[str], here: Eye) -> Eye:
    axes = zip(parts, here, strict=True)
    at = [float(part.removeprefix(RELATIVE) or 0) + (now if part[0] == RELATIVE else 0.0) for part, now in axes]
    return parse_at(",".join(map(repr, at)))


def _is_number(text: str) -> bool:
    try:
        Eye(float(text), 0.0, 0.0)
    except ValueError:
        return False
    return True
