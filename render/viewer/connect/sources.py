"""The lists of the connect screen: sections of rows from servers, recent sources, files and our worlds.

It searches the LAN and folders, reads the file of recent sources, and asks recent servers and the typed one what they
say of themselves, only while it is open.

Rules:
1. It searches the current folder, downloads, and the games' folders of worlds, each one level deep, by names and the
   presence of ``level.dat``; the only file it opens is ``levelname.txt``.
2. A folder that cannot be read gives one sentence, unless it is missing; the others are searched anyway. All are read
   in the background, since some are on networks.
3. At most ``MOST_ENTRIES`` of a folder and ``MOST_FOUND`` in all, the newest first.
4. A typed server is asked once its text has been the same for ``TYPED_S``; each server again ``ASKED_EVERY_S`` after
   its last answer. At most ``MOST_ASKED`` are asked at once: each question is up to six (RakNet, HTTP, LAN discovery).
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.lan import GONE_S, Lan, Neighbour, ask
from client.options import Options
from client.source import EMBEDDED_WORLDS, FILE_SUFFIXES, PACKED_SUFFIXES, Embedded, Remote, Source, WorldFile, one_line
from render.panels.connect import ConnectRow, ConnectSection
from render.viewer.connect.join import Open
from render.viewer.connect.recent import FILE_NAME, Recent, RecentSources
from render.viewer.event_stream import EventStream
from render.viewer.window_options import WindowOptions

# ---------------------------------------------------------------- places

LEVEL: Final = "level.dat"
NAME_FILE: Final = "levelname.txt"
LONGEST_NAME_BYTES: Final = 400
MOST_ENTRIES: Final = 2000
MOST_FOUND: Final = 30
WORLDS: Final = Path("games", "com.mojang", "minecraftWorlds")


class Found(msgspec.Struct, frozen=True):
    """A world or a recording that was found."""

    path: Path  # to join it
    name: str  # the world's own, else the file's
    kind: str  # ``world folder``, ``packed world`` or ``recording``
    changed: float  # last change, in seconds of Unix time


def usual_folders(home: Path, here: Path) -> tuple[Path, ...]:
    """Folders to search: the current one, downloads, and those of games (ecosystem.md)."""
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
    """The sources in some folders, the newest first; and an error of one folder, in a sentence."""
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
    """A directory entry as a source; None if it is none or not readable."""
    try:
        if entry.is_dir():
            level = path / LEVEL
            return Found(path, _level_name(path), "world folder", level.stat().st_mtime) if level.is_file() else None
        suffix = path.suffix.lower()
        if suffix not in FILE_SUFFIXES or suffix == ".zip" or not entry.is_file():  # most zip files are not worlds
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
    """What the connect screen of one window needs."""

    options: Options  # of the command line, for its own source; others are joined without options about its world
    source: Source | None  # the command line's, None if it has none
    ports: tuple[int, ...]  # ports for pinging the LAN
    recent: RecentSources  # recently joined sources
    folders: tuple[Path, ...]  # searched for worlds and recordings
    opened: Open = open_connection  # joins a source
    discovery_port: int = 7551  # port for finding LAN games of NetherNet, 0 for none
    asked: Callable[[Remote, str], Neighbour | None] = ask  # asks a server, given the place where it was joined before

    def record(self, connection: Connection) -> None:
        """Remembers a joined source; our own worlds are always listed."""
        source = connection.opened
        if not isinstance(source, Embedded):
            path = WorldFile(source.path.resolve()) if isinstance(source, WorldFile) else source
            self.recent.record(path, connection.session.spawn.world_name, time.time(), connection.spoken)

    def as_before(self, source: Source, options: Options) -> Options:
        """Options that prefer the place where a server was joined before."""
        return replace(options, joined_at=self.recent.joined_at(source)) if isinstance(source, Remote) else options


def plan_of(settings: WindowOptions, options: Options, source: Source | None) -> ConnectPlan:
    file = settings.settings_file
    recent = RecentSources(file.with_name(FILE_NAME) if file else None)
    return ConnectPlan(
        options, source, settings.lan_ports, recent, usual_folders(Path.home(), Path.cwd()),
        discovery_port=settings.discovery_port,
    )  # fmt: skip


# ---------------------------------------------------------------- lists

FADES_AFTER_S: Final = 2.5
"""Pings go twice a second: a server that missed several is shown fainter until it is removed."""
FAINTEST: Final = 0.25
EMBEDDED_WORDS: Final = {
    "hills": "hills, lakes, caves and lamps in six colours",
    "bench": "varied terrain, for benchmarks",
    "flat": "flat ground, for small tests",
}
UNITS: Final = ((86400 * 365, "year"), (86400 * 30, "month"), (86400, "day"), (3600, "hour"), (60, "minute"))


def lan_section(found: Iterable[Neighbour], trouble: str) -> ConnectSection:
    """Servers of the LAN; those that stopped answering are fainter."""
    return ConnectSection("On this network", tuple(map(_neighbour, found)), "looking …", trouble)


def recent_section(
    found: Iterable[Recent], trouble: str, unix_time: float, answers: Mapping[Remote, Neighbour | None]
) -> ConnectSection:
    """Recent sources, with the time since they were joined; of servers that answer, what they say now.

    ``answers``: of the servers that were asked; None: no answer.
    """
    rows = []
    for each in found:
        detail, status = _recent_detail(each), ago(unix_time - each.joined)
        if isinstance(each.source, Remote) and each.source in answers:
            answer = answers[each.source]
            status = f"{NO_ANSWER}   {status}" if answer is None else _present(answer)
            detail = detail if answer is None else f"{each.source}   {_spoken(answer)}"
        rows.append(ConnectRow(each.source, each.name or str(each.source), detail, status, forgettable=True))
    return ConnectSection("Recent", tuple(rows), "none yet", trouble)


def places_section(found: Iterable[Found], trouble: str) -> ConnectSection:
    rows = (ConnectRow(WorldFile(each.path), each.name, shortened_path(each.path.parent), each.kind) for each in found)
    empty = "none in this folder, in Downloads, or in the game's folders"
    return ConnectSection("Worlds and recordings", tuple(rows), empty, trouble)


def embedded_section() -> ConnectSection:
    rows = (ConnectRow(Embedded(world), world, EMBEDDED_WORDS[world], "built-in") for world in EMBEDDED_WORLDS)
    return ConnectSection("Built in", tuple(rows))


def ago(seconds: float) -> str:
    """A time span in its largest unit."""
    for size, unit in UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def shortened(source: object) -> str:
    return shortened_path(source.path) if isinstance(source, WorldFile) else str(source)


def shortened_path(path: Path) -> str:
    """A path with the home folder as ``~``."""
    home = Path.home()
    return one_line(str(Path("~") / path.relative_to(home) if path.is_relative_to(home) else path))


def _recent_detail(each: Recent) -> str:
    spoken, where = each.spoken, shortened(each.source)
    return f"{where}   {spoken.transport}   {_version(spoken.version, spoken.protocol)}" if spoken else where


def _version(version: str, protocol: int) -> str:
    return f"{version} ({protocol})" if version else f"protocol {protocol or 'unknown'}"


def _spoken(each: Neighbour) -> str:
    """``nethernet   1.26.51 (2193)``."""
    return f"{each.transport}   {_version(each.version, each.protocol)}"


def _present(each: Neighbour) -> str:
    """``3/10 players   12 ms``; without players if the server does not say them."""
    players = f"{each.players}/{each.max_players} players   " if each.max_players else ""
    return f"{players}{1000 * each.latency_s:.0f} ms"


def _neighbour(each: Neighbour) -> ConnectRow:
    silent = each.silent_s > FADES_AFTER_S
    left = (GONE_S - each.silent_s) / (GONE_S - FADES_AFTER_S)
    record = f"no reply for {each.silent_s:.0f} s" if silent else _present(each)
    strength = min(1.0, max(FAINTEST, left)) if silent else 1.0
    detail = f"{each.source}   {_spoken(each)}"
    return ConnectRow(each.source, each.name or str(each.source), detail, record, strength)


# ---------------------------------------------------------------- servers by address

NO_ANSWER: Final = "no answer"
ASKED_EVERY_S: Final = 5.0
TYPED_S: Final = 0.5
MOST_ASKED: Final = 4


class ServerQuestions:
    """What servers say of themselves when they are asked by address; owner thread."""

    def __init__(self, asked: Callable[[Remote, str], Neighbour | None]) -> None:
        """``asked``: see ``ConnectPlan``."""
        self._asked = asked
        self._tasks: dict[Remote, BackgroundTask[Neighbour | None]] = {}  # that are running
        self._ended: dict[Remote, tuple[float, Neighbour | None]] = {}  # when the last one ended, and its answer

    def ask(self, servers: Mapping[Remote, str], now: float) -> None:
        """Takes the answers that came, and asks those of ``servers`` whose time it is; forgets all others.

        ``servers``: with the places where they were joined before, see ``client.lan.ask``.
        """
        for source in [source for source, task in self._tasks.items() if task.over]:
            self._ended[source] = now, self._tasks.pop(source).outcome()
        self._ended = {source: ended for source, ended in self._ended.items() if source in servers}
        for source, before in servers.items():
            is_due = source not in self._ended or now - self._ended[source][0] >= ASKED_EVERY_S
            if is_due and source not in self._tasks and len(self._tasks) < MOST_ASKED:
                self._tasks[source] = BackgroundTask("asking", partial(self._asked, source, before))

    def answers(self) -> dict[Remote, Neighbour | None]:
        """The servers that were asked; None: no answer."""
        return {source: answer for source, (_, answer) in self._ended.items()}


LISTED_EVERY_S: Final = 0.25
LOOKED_EVERY_S: Final = 5.0
"""Interval of searching folders and of reading the file of recent sources."""


class SourceDiscovery:
    """Searches for sources; owner thread."""

    def __init__(self, plan: ConnectPlan, events: EventStream) -> None:
        self._plan = plan
        self._events = events
        self._lan: Lan | None = None
        self._reading: BackgroundTask[tuple[tuple[Found, ...], str]] | None = None
        self._places: tuple[tuple[Found, ...], str] = (), ""
        self._recent: tuple[Sequence[Recent], str] = (), ""
        self._servers = ServerQuestions(plan.asked)
        self._typed: tuple[Remote | None, float] = None, 0.0
        self._told_servers = 0
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def open(self) -> None:
        self._lan = Lan(self._plan.ports, discovery_port=self._plan.discovery_port)
        self._told_servers = 0
        self.again()

    def again(self) -> None:
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def close(self) -> None:
        if self._lan:
            self._lan.close()
            self._lan = None

    def typed_answer(self, typed: Source | None, now: float) -> str:
        """What the typed server says of itself, in words; empty before it is asked, and of other sources."""
        server = typed if isinstance(typed, Remote) else None
        if server != self._typed[0]:
            self._typed = server, now
        if server is None or now - self._typed[1] < TYPED_S:
            return ""
        answers = self._servers.answers()
        if server not in answers:
            return "asking …"
        answer = answers[server]
        if answer is None:
            return NO_ANSWER
        return "   ".join(filter(None, (answer.name, _spoken(answer), _present(answer))))

    def sections(self, now: float) -> tuple[ConnectSection, ...] | None:
        """The present sections, some times a second; None between. ``now`` in monotonic seconds."""
        if self._reading and self._reading.over:
            try:
                self._places = self._reading.outcome()
            except OSError as error:
                self._places = (), str(error)
            self._reading = None
        if now - self._looked_at >= LOOKED_EVERY_S and self._reading is None:
            self._looked_at = now
            folders = self._plan.folders
            self._reading = BackgroundTask("places", lambda: look_around(folders))
            rows = self._plan.recent.all()
            self._recent = rows, self._plan.recent.trouble
        if now - self._listed_at < LISTED_EVERY_S or self._lan is None:
            return None
        self._listed_at = now
        servers = {
            each.source: each.spoken.place if each.spoken else ""
            for each in self._recent[0]
            if isinstance(each.source, Remote)
        }
        typed, since = self._typed
        if typed is not None and now - since >= TYPED_S:
            servers = {typed: servers.get(typed, "")} | servers
        self._servers.ask(servers, now)
        neighbours, trouble = self._lan.neighbours(now)
        if len(neighbours) != self._told_servers:
            self._told_servers = len(neighbours)
            self._events.tell_when_shown("listed", servers=len(neighbours))
        return (
            lan_section(neighbours, trouble),
            recent_section(*self._recent, time.time(), self._servers.answers()),
            places_section(*self._places),
            embedded_section(),
        )
