"""What the connect screen lists: sections of rows from servers, recent sources, files and our own worlds.

Looking: What the connect screen looks for while it is open: servers of the LAN, folders, the file of recent sources.

Folders are read beside the window, since some lie on networks. Nothing is looked for once it is closed.
"""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from client.background_task import BackgroundTask
from client.lan import GONE_S, Lan, Neighbour
from client.source import EMBEDDED_WORLDS, Embedded, WorldFile, one_line
from render.panels.connect import ConnectRow
from render.viewer.connect.plan import ConnectPlan, Found, look_around
from render.viewer.connect.recent import Recent
from render.viewer.connect.screen_state import SourceEntry, SourceSection
from render.viewer.event_stream import EventStream

# ---------------------------------------------------------------- lists

FADES_AFTER_S: Final = 2.5
"""Pings go twice a second: a server that missed several fades until it is gone."""
FAINTEST: Final = 0.25
EMBEDDED_WORDS: Final = {
    "hills": "hills, lakes, caves and lamps in six colours",
    "bench": "benchmark world",
    "flat": "flat",
}
UNITS: Final = ((86400 * 365, "year"), (86400 * 30, "month"), (86400, "day"), (3600, "hour"), (60, "minute"))


def lan_section(found: Iterable[Neighbour], trouble: str) -> SourceSection:
    """Servers of the LAN, those that fell silent fainter."""
    return SourceSection("On this network", tuple(map(_neighbour, found)), "looking …", trouble)


def recent_section(found: Iterable[Recent], trouble: str, unix_time: float) -> SourceSection:
    """What was joined, with how long ago that was."""
    entries = tuple(
        SourceEntry(
            each.source,
            ConnectRow(each.name or str(each.source), _recent_detail(each), ago(unix_time - each.joined)),
            True,
        )
        for each in found
    )
    return SourceSection("Recent", entries, "none found yet", trouble)


def places_section(found: Iterable[Found], trouble: str) -> SourceSection:
    """Nearby worlds and recordings."""
    entries = tuple(
        SourceEntry(WorldFile(each.path), ConnectRow(each.name, shortened_path(each.path.parent), each.kind))
        for each in found
    )
    return SourceSection("Worlds and recordings", entries, "none here, in downloads, or in the game's folders", trouble)


def embedded_section() -> SourceSection:
    """Our own worlds."""
    worlds = [Embedded(world) for world in EMBEDDED_WORLDS]
    rows = (SourceEntry(each, ConnectRow(each.world, EMBEDDED_WORDS[each.world], "built-in")) for each in worlds)
    return SourceSection("Built in", tuple(rows))


def ago(seconds: float) -> str:
    """How long ago something was, in its largest unit."""
    for size, unit in UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def shortened(source: object) -> str:
    """A source, the home folder as ``~``."""
    return shortened_path(source.path) if isinstance(source, WorldFile) else str(source)


def shortened_path(path: Path) -> str:
    """A path, the home folder as ``~``."""
    home = Path.home()
    return one_line(str(Path("~") / path.relative_to(home) if path.is_relative_to(home) else path))


def _recent_detail(each: Recent) -> str:
    spoken, where = each.spoken, shortened(each.source)
    return f"{where}   {spoken.transport}   {_version(spoken.version, spoken.protocol)}" if spoken else where


def _version(version: str, protocol: int) -> str:
    return f"{version} ({protocol})" if version else f"protocol {protocol or 'not said'}"


def _neighbour(each: Neighbour) -> SourceEntry:
    silent = each.silent_s > FADES_AFTER_S
    left = (GONE_S - each.silent_s) / (GONE_S - FADES_AFTER_S)
    players = f"{each.players}/{each.max_players} players"
    note = f"no reply for {each.silent_s:.0f} s" if silent else f"{players}   {1000 * each.latency_s:.0f} ms"
    strength = min(1.0, max(FAINTEST, left)) if silent else 1.0
    detail = f"{each.source}   {each.transport}   {_version(each.version, each.protocol)}"
    return SourceEntry(each.source, ConnectRow(each.name or str(each.source), detail, note, strength))


LISTED_EVERY_S: Final = 0.25
LOOKED_EVERY_S: Final = 5.0
"""How often folders are looked at again, and the file of recent sources read."""


class SourceDiscovery:
    """Of one window; owner thread."""

    def __init__(self, plan: ConnectPlan, events: EventStream) -> None:
        self._plan = plan
        self._events = events
        self._lan: Lan | None = None
        self._reading: BackgroundTask[tuple[tuple[Found, ...], str]] | None = None
        self._places: tuple[tuple[Found, ...], str] = (), ""
        self._recent: tuple[Sequence[Recent], str] = (), ""
        self._told_servers = 0
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def open(self) -> None:
        """Begins."""
        self._lan = Lan(self._plan.ports, discovery_port=self._plan.discovery_port)
        self._told_servers = 0
        self.again()

    def again(self) -> None:
        """Everything is looked at with the next frame."""
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def close(self) -> None:
        """Ends."""
        if self._lan:
            self._lan.close()
            self._lan = None

    def sections(self, now: float) -> tuple[SourceSection, ...] | None:
        """What there is, some times a second; None between. ``now`` in monotonic seconds."""
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
        neighbours, trouble = self._lan.neighbours(now)
        if len(neighbours) != self._told_servers:
            self._told_servers = len(neighbours)
            self._events.tell_when_shown("listed", servers=len(neighbours))
        return (
            lan_section(neighbours, trouble),
            recent_section(*self._recent, time.time()),
            places_section(*self._places),
            embedded_section(),
        )
