"""Finds servers on the LAN, by repeated pings from a thread of its own; asks one address what it says of itself.

A server is listed for ``GONE_S`` after its last answer, so that a lost datagram does not hide it. Rounds start empty,
so that round trips and names are current. Each also asks this machine by HTTP, as servers of NetherNet need not answer
on the LAN.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from client.background_task import BackgroundTask
from client.source import DISCOVERY_PORT, Remote, one_line
from net.errors import ConnectionClosed
from net.raknet.handshake import Address
from net.raknet.ping import Pong
from net.transport.discovery import PORTS, Sighting, everywhere, scan
from net.transport.udp import resolve

if TYPE_CHECKING:
    from net.transport.http_signalling import FoundServer

ROUND_S: Final = 2.0
GONE_S: Final = 10.0
OURSELVES: Final = ("127.0.0.1", "::1")
MOST_SHOWN: Final = 64

Scan = Callable[..., tuple[Sighting, ...]]


class Neighbour(msgspec.Struct, frozen=True):
    """A server that answered."""

    source: Remote  # to join it by
    name: str  # its own
    version: str  # of the game, as the server names it
    protocol: int  # number, 0 unknown
    players: int  # present number
    max_players: int  # allowed number
    latency_s: float  # round trip
    silent_s: float  # since its last answer
    transport: str = "raknet"  # or nethernet


class Neighbourhood:
    """The answers with their times; no I/O."""

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], tuple[Sighting, float]] = {}
        self._answers: dict[tuple[object, ...], int] = {}
        self.trouble = ""

    def begin_round(self) -> None:
        self._answers = {}

    def receive(self, sightings: Iterable[Sighting], now: float) -> None:
        for sighting in sightings:
            pong = sighting.pong
            who = (pong.guid, pong.port_v4, sighting.transport) if pong.guid else (sighting.address, sighting.transport)
            if self._answers.get(who) != sighting.answers:
                self._answers[who] = sighting.answers
                self._seen[who] = sighting, now

    def refused(self, targets: tuple[Address, ...], failed: Mapping[Address, str]) -> None:
        beyond = [target for target in targets if target[0] not in OURSELVES]
        if all(target in failed for target in targets):
            self.trouble = (
                f"Servers cannot be searched for: {next(iter(failed.values()), 'there is no address to ask')}."
            )
        elif beyond and all(target in failed for target in beyond):
            self.trouble = (
                f"The network cannot be searched ({failed[beyond[0]]}): only servers on this machine are listed."
            )
        else:
            self.trouble = ""

    def at(self, now: float) -> tuple[Neighbour, ...]:
        """The servers of the last ``GONE_S``, by name and then address, so that rows keep their places."""
        self._seen = {who: seen for who, seen in self._seen.items() if now - seen[1] < GONE_S}
        found = [neighbour(sighting, now - heard) for sighting, heard in self._seen.values()]
        return tuple(sorted(found, key=lambda each: (each.name.lower(), str(each.source))))[:MOST_SHOWN]


def neighbour(sighting: Sighting, silent_s: float) -> Neighbour:
    return _described(remote_of(sighting), sighting.pong, sighting.latency_s, silent_s, sighting.transport)


def _described(source: Remote, pong: Pong, latency_s: float, silent_s: float, transport: str) -> Neighbour:
    """A list entry with the server's texts on one line."""
    name = one_line(pong.motd) or one_line(pong.level_name)
    return Neighbour(
        source, name, one_line(pong.version), pong.protocol, pong.players, pong.max_players, latency_s, silent_s,
        transport,
    )  # fmt: skip


def find(source: Remote, timeout_s: float | None = None, before: str = "") -> "FoundServer | None":
    """The transports of a server and what it says of itself, without joining it; None without an answer.

    ``timeout_s``: of each question; None: as long as an answer takes at most. ``before``: see ``find_server``. Raises
    ConnectionClosed: its name has no address, the system has no route, or the error of the only place that is asked.
    """
    from net.transport.http_signalling import (  # noqa: PLC0415 - takes a fortieth of a second, which no window needs
        find_server,
        timeout_towards,
    )

    address = resolve(source.host, source.port)
    within_s = timeout_towards(address[0]) if timeout_s is None else timeout_s
    return find_server(
        address, source.places, within_s, with_raknet=not source.scheme, lan_port=source.lan_port, before=before
    )


def ask(source: Remote, before: str = "") -> Neighbour | None:
    """A server as a list entry; None without an answer. ``before``: as in ``find``."""
    try:
        found = find(source, before=before)
    except (ConnectionClosed, OSError):  # no such name, no route, no socket
        return None
    if found is None:
        return None
    return _described(source, found.pong or Pong("", 0, "", 0, 0), found.round_trip_s, 0.0, found.transport)


def remote_of(sighting: Sighting) -> Remote:
    return Remote(*sighting.address, sighting.scheme)


class _Over(Exception):
    """Ends the scan thread after ``close``."""


class Lan:
    """The scan thread; ``close`` ends it."""

    def __init__(self, ports: Iterable[int] = PORTS, scan: Scan = scan, discovery_port: int = DISCOVERY_PORT) -> None:
        """Starts it.

        ``ports``: to ping. ``scan``: pings and collects answers for a while. ``discovery_port``: 0 for none.
        """
        self._ports = tuple(ports)
        self._targets = everywhere(self._ports)
        self._hosts = everywhere((discovery_port,) if discovery_port else ())
        self._scan = scan
        self._known = Neighbourhood()
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._beside: BackgroundTask[None] = BackgroundTask("lan", self._look)

    def neighbours(self, now: float) -> tuple[tuple[Neighbour, ...], str]:
        """The servers at a time in monotonic seconds, and a sentence if the scan is restricted, else empty."""
        with self._lock:
            return self._known.at(now), self._known.trouble

    def close(self) -> None:
        """Ends the thread within a tenth of a second; may be called again."""
        self._end.set()

    def wait(self, timeout_s: float) -> bool:
        """Waits for the thread to end, at most so long; returns whether it has ended."""
        return self._beside.wait(timeout_s)

    def _look(self) -> None:
        from net.transport.http_signalling import (  # noqa: PLC0415 - as in ``find``
            LOOPBACK_TIMEOUT_S,
            scan_by_http,
        )

        try:
            while not self._end.is_set():
                with self._lock:
                    self._known.begin_round()
                self._told(scan_by_http(self._ports, LOOPBACK_TIMEOUT_S))
                self._scan(self._targets, ROUND_S, self._told, self._refused, self._hosts)
        except _Over:
            pass
        except OSError as error:  # the system refuses sockets
            with self._lock:
                self._known.trouble = f"Servers cannot be searched for: {error.strerror or error}."

    def _told(self, sightings: tuple[Sighting, ...]) -> None:
        if self._end.is_set():
            raise _Over
        with self._lock:
            self._known.receive(sightings, time.monotonic())

    def _refused(self, failed: Mapping[Address, str]) -> None:
        with self._lock:
            self._known.refused(self._targets, failed)
