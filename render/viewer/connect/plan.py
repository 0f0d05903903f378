"""What a connect screen works with: how sources are joined, where it looks, and where it keeps what was joined.

Rules:
1. Looked at are the folder one is in, downloads, and where games keep worlds; each only one level deep, by names and
   the presence of ``level.dat``: nothing is opened but ``levelname.txt``.
2. A folder that cannot be read is one sentence, unless it is merely not there; the others are looked at all the same.
3. At most ``MOST_ENTRIES`` of a folder and ``MOST_FOUND`` in all, the newest first.
"""

import os
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.joining import Open
from client.connection.opening import open_connection
from client.options import Options
from client.source import FILE_SUFFIXES, PACKED_SUFFIXES, Embedded, Remote, Source, WorldFile, one_line
from render.viewer.connect.recent import FILE_NAME, RecentSources
from render.viewer.options import ViewerOptions

# ---------------------------------------------------------------- places

LEVEL: Final = "level.dat"
NAME_FILE: Final = "levelname.txt"
LONGEST_NAME_BYTES: Final = 400
MOST_ENTRIES: Final = 2000
MOST_FOUND: Final = 30
WORLDS: Final = Path("games", "com.mojang", "minecraftWorlds")


class Found(msgspec.Struct, frozen=True):
    """A world or a recording that lies there."""

    path: Path  # as it is joined
    name: str  # the world's own, else the file's
    kind: str  # ``world folder``, ``packed world`` or ``recording``
    changed: float  # when, in seconds of Unix time


def usual_folders(home: Path, here: Path) -> tuple[Path, ...]:
    """Where worlds lie: the current folder, downloads, and the folders of games (ecosystem.md)."""
    local = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return (
        here,
        home / "Downloads",
        home / ".local" / "share" / "mcpelauncher" / WORLDS,
        home / ".var" / "app" / "io.mrarm.mcpelauncher" / "data" / "mcpelauncher" / WORLDS,
        home / "Library" / "Application Support" / "mcpelauncher" / WORLDS,
        local / "Packages" / "Microsoft.MinecraftUWP_8wekyb3d8bbwe" / "LocalState" / WORLDS,
    )


def look_around(folders: Iterable[Path]) -> tuple[tuple[Found, ...], str]:
    """What lies in some folders, the newest first; and what is wrong with one of them, in a sentence."""
    found: dict[Path, Found] = {}
    trouble = ""
    for folder in folders:
        try:
            for entry in _entries(folder):
                if (each := _found(Path(entry.path), entry)) is not None:
                    found.setdefault(each.path.absolute(), each)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            trouble = trouble or f"{folder}: {error.strerror}."
    newest = sorted(found.values(), key=lambda each: (-each.changed, str(each.path)))
    return tuple(newest[:MOST_FOUND]), trouble


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        yield from islice(entries, MOST_ENTRIES)


def _found(path: Path, entry: "os.DirEntry[str]") -> Found | None:
    """An entry, if it is a source; one that cannot be looked at is none."""
    try:
        if entry.is_dir():
            level = path / LEVEL
            return Found(path, _level_name(path), "world folder", level.stat().st_mtime) if level.is_file() else None
        suffix = path.suffix.lower()
        if suffix not in FILE_SUFFIXES or suffix == ".zip" or not entry.is_file():  # most zip files are no worlds
            return None
        kind = "packed world" if suffix in PACKED_SUFFIXES else "recording"
        return Found(path, one_line(path.name), kind, entry.stat().st_mtime)
    except OSError:
        return None


def _level_name(folder: Path) -> str:
    try:
        with (folder / NAME_FILE).open("rb") as file:
            name = one_line(file.read(LONGEST_NAME_BYTES).decode("utf-8", "replace"))
    except OSError:
        name = ""
    return name or one_line(folder.name)


# ---------------------------------------------------------------- plan


class ConnectPlan(msgspec.Struct, frozen=True):
    """Of one window."""

    options: Options  # of the command line, for its own source; others are joined without what was said of its world
    source: Source | None  # the command line's, None where it named none
    ports: tuple[int, ...]  # on which the LAN is asked
    recent: RecentSources  # sources that were joined
    folders: tuple[Path, ...]  # where worlds and recordings are looked for
    opened: Open = open_connection  # joins a source
    discovery_port: int = 7551  # on which LAN games of NetherNet are asked for, 0 for none

    def note(self, connection: Connection) -> None:
        """Remembers what was joined; our own worlds are listed anyway."""
        source = connection.opened
        if not isinstance(source, Embedded):
            path = WorldFile(source.path.resolve()) if isinstance(source, WorldFile) else source
            self.recent.note(path, connection.session.spawn.world_name, time.time(), connection.spoken)

    def as_before(self, source: Source, options: Options) -> Options:
        """Options that prefer where a server was joined before."""
        return replace(options, joined_at=self.recent.joined_at(source)) if isinstance(source, Remote) else options


def plan_of(settings: ViewerOptions, options: Options, source: Source | None) -> ConnectPlan:
    """A window's."""
    file = settings.settings_file
    recent = RecentSources(file.with_name(FILE_NAME) if file else None)
    return ConnectPlan(
        options, source, settings.lan_ports, recent, usual_folders(Path.home(), Path.cwd()),
        discovery_port=settings.discovery_port,
    )  # fmt: skip
