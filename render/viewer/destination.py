"""Where somebody wants to go who types it: three numbers, a line of text, or a bookmark's name."""

from typing import Final

from client.connect.options import parse_at
from client.player import Eye, View
from render.view_line import ViewLine, parse_view_line
from render.viewer.bookmarks import Bookmarks

RELATIVE: Final = "~"


def destination(text: str, now: View, bookmarks: Bookmarks) -> ViewLine:
    """What a text means.

    Args:
        text: ``8 90 8`` or ``8,90,8``, each number after ``~`` counted from where one is; a line of text; or a name.
        now: where one is.
        bookmarks: of this server.

    Raises:
        UsageError: it is none of them.
    """
    if text.startswith("--"):
        return parse_view_line(text)
    parts = text.replace(",", " ").split()
    if len(parts) == 3 and all(_is_number(part.removeprefix(RELATIVE) or "0") for part in parts):
        axes = zip(parts, now.eye, strict=True)
        at = [float(part.removeprefix(RELATIVE) or 0) + (here if part[0] == RELATIVE else 0.0) for part, here in axes]
        return ViewLine(parse_at(",".join(map(repr, at))))
    return bookmarks.view(text)


def _is_number(text: str) -> bool:
    try:
        Eye(float(text), 0.0, 0.0)
    except ValueError:
        return False
    return True
