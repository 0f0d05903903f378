"""Recently joined sources, the latest first, in one TOML file beside the settings.

    [[source]]
    source = "192.168.0.7:19132"
    name = "The old mill"
    joined = 2026-11-22T10:25:36Z
    place = "raknet"                  # where the server was joined: raknet, lan, or a URL
    protocol = 2193
    version = "1.26.51"

Rules:
1. The file is read at each use and written whole or not at all: windows share it, and none loses what another has
   added.
2. A file that is not TOML is not changed, and this is reported; new entries then last as long as the window.
3. At most ``MOST`` entries: the oldest are removed. Each source has one entry.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from client.connection.connection import Spoken
from client.errors import UsageError
from client.source import Source, one_line, parse_source
from render.settings.file import alone, read_tables, write_text

FILE_NAME: Final = "recent.toml"
MOST: Final = 20
HEAD: Final = (
    "# Sources that chunkscope's window has joined, the latest first. Lines may be removed; comments are lost.\n"
)


class Recent(msgspec.Struct, frozen=True):
    """One entry."""

    source: Source  # as it is joined
    name: str  # name of the world from its server
    joined: float  # last join, in seconds of Unix time
    spoken: Spoken | None = None  # its transport and protocol, if it is a server


class RecentSources:
    """The recent sources of one user."""

    def __init__(self, path: Path | None) -> None:
        """Reads nothing yet. ``path``: the file, which may not exist; None: entries last as long as the window."""
        self._path = path
        self._unkept: list[Recent] = []
        self.trouble = ""  # why they cannot be read or stored, in a sentence; empty if they can

    def all(self) -> list[Recent]:
        """The latest first; entries of this window that could not be stored come first."""
        try:
            kept = self._read()
        except UsageError as error:
            self.trouble = str(error)
            kept = []
        else:
            self.trouble = "" if not self._unkept or self._path is None else self.trouble
        return _once([*self._unkept, *kept])

    def record(self, source: Source, name: str, unix_time: float, spoken: Spoken | None = None) -> None:
        """Adds a joined source; if it cannot be stored, it lasts as long as the window."""
        self._change(Recent(source, one_line(name), unix_time, spoken), source)

    def joined_at(self, source: Source) -> str:
        """Where a server was joined last (``Spoken.place``); empty if never."""
        return next((each.spoken.place for each in self.all() if each.source == source and each.spoken), "")

    def forget(self, source: Source) -> None:
        self._unkept = [each for each in self._unkept if each.source != source]
        self._change(None, source)

    def _change(self, new: Recent | None, source: Source) -> None:
        first = [] if new is None else [new]
        try:
            if self._path is None:
                raise UsageError("")
            with alone(self._path):
                kept = [each for each in self._read() if each.source != source]
                self._write(self._path, _once([*first, *kept]))
            self.trouble = ""
        except UsageError as error:
            self.trouble = str(error)
            self._unkept = _once([*first, *self._unkept])

    def _read(self) -> list[Recent]:
        if self._path is None:
            return []
        rows: Any = read_tables(self._path).get("source", [])
        if not isinstance(rows, list):
            raise UsageError(f"{self._path}: 'source' must be a list of tables. Correct the file or remove it.")
        return [recent for row in rows if (recent := _recent(row)) is not None]

    def _write(self, path: Path, rows: list[Recent]) -> None:
        try:
            write_text(path, HEAD + "".join(map(_table, rows)))
        except (OSError, UnicodeEncodeError) as error:
            raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}.") from None


def _recent(row: Any) -> Recent | None:  # Any: a TOML value
    """An entry of the file; None if it has no source."""
    if not isinstance(row, dict) or not isinstance(row.get("source"), str):
        return None
    try:
        source = parse_source(row["source"])
    except UsageError:
        return None
    name, joined = row.get("name", ""), row.get("joined")
    at = joined.replace(tzinfo=joined.tzinfo or UTC).timestamp() if isinstance(joined, datetime) else 0.0
    return Recent(source, one_line(name) if isinstance(name, str) else "", at, _spoken(row))


def _spoken(row: dict[str, Any]) -> Spoken | None:
    place, protocol, version = row.get("place"), row.get("protocol"), row.get("version", "")
    if not isinstance(place, str) or type(protocol) is not int or not isinstance(version, str):
        return None
    return Spoken(one_line(place), protocol, one_line(version))


def _once(rows: Iterable[Recent]) -> list[Recent]:
    """Removes repeated sources and entries beyond ``MOST``."""
    return list({row.source: row for row in reversed(list(rows))}.values())[::-1][:MOST]


def _table(row: Recent) -> str:
    at = datetime.fromtimestamp(row.joined, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    spoken = ""
    if row.spoken is not None:
        place, version = _text(row.spoken.place), _text(row.spoken.version)
        spoken = f"place = {place}\nprotocol = {row.spoken.protocol}\nversion = {version}\n"
    return f"\n[[source]]\nsource = {_text(str(row.source))}\nname = {_text(row.name)}\njoined = {at}\n{spoken}"


def _text(text: str) -> str:
    """A TOML string: like JSON's, except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
