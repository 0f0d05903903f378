"""Named views, stored per server in one TOML file beside the settings.

    ["embedded:hills:1"]
    "over the lake" = "--at 8.500,90.000,8.000 --look 30.00,20.00 --fov 70 --dimension overworld"

Rules:
1. A view is one self-contained line of text (``render.view_line``).
2. Users may edit the file; their comments are kept. A file that is not TOML is not changed, and this is reported.
3. The file is read at each use, which is rare: two windows share it.
"""

import difflib
from pathlib import Path
from typing import Any, Final

from client.errors import UsageError
from render.settings.file import alone, put, read_tables, read_text, write_text
from render.view_line import ViewLine, parse_view_line

LONGEST_NAME: Final = 60
FILE_NAME: Final = "bookmarks.toml"


def beside(settings: Path | None) -> Path | None:
    """The file of bookmarks beside a settings file; None without one."""
    return settings.with_name(FILE_NAME) if settings else None


class Bookmarks:
    """The bookmarks of one server."""

    def __init__(self, path: Path | None, source: str) -> None:
        """Reads nothing yet. ``path``: the file, which may not exist; None: they last as long as the window."""
        self._path = path
        self._source = source
        self._unkept: dict[str, str] = {}

    def names(self) -> list[str]:
        """In the order of the file. Raises UsageError: the file cannot be read."""
        return list(self._lines())

    def view(self, name: str) -> ViewLine:
        """A bookmark's view. Raises UsageError: there is none of that name, or its line is invalid."""
        lines = self._lines()
        if name not in lines:
            near = difflib.get_close_matches(name, lines, 1, 0.4)
            there = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(lines) or 'none'}."
            raise UsageError(f"Unknown bookmark '{name}' of {self._source}; {there}")
        try:
            return parse_view_line(lines[name])
        except UsageError as error:
            raise UsageError(f"The bookmark '{name}' of {self._source}: {error}") from None

    def after(self, name: str | None) -> str:
        """The name after one, cyclically; None: the first. Raises UsageError: there is none, or no file."""
        names = self.names()
        if not names:
            raise UsageError(f"{self._source} has no bookmarks yet.")
        return names[(names.index(name) + 1) % len(names)] if name in names else names[0]

    def save(self, name: str, line: ViewLine) -> None:
        """Stores a view; replaces one of that name. Raises UsageError: no name, or the file is invalid."""
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UsageError(f"A bookmark's name must have 1 to {LONGEST_NAME} characters.")
        if self._path is None:
            self._unkept[name] = str(line)
            return
        try:
            with alone(self._path):
                self._lines()  # a file that is not TOML is not written
                text = read_text(self._path) if self._path.exists() else ""
                write_text(self._path, put(text, self._source, {name: str(line)}))
        except OSError as error:
            raise UsageError(f"{self._path}: {error.strerror}.") from None

    def _lines(self) -> dict[str, str]:
        """Lines by name; skips values that are not texts."""
        if self._path is None:
            return self._unkept
        rows: Any = read_tables(self._path).get(self._source, {})
        if not isinstance(rows, dict):
            raise UsageError(f"{self._path}: '{self._source}' must be a table.")
        return {name: line for name, line in rows.items() if isinstance(line, str)}
