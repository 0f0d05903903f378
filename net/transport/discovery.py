"""Queries one address (``ping``, ``find_game``) or a whole LAN (``scan``) for servers.

Scan:
1. Pings go by broadcast for IPv4 (one datagram to 255.255.255.255 for each port), by multicast to all nodes of the link
   for IPv6, and to the loopback of both; targets that the system refuses are left out.
2. Pings are repeated: a broadcast over Wi-Fi is sent once and lost often. Each carries its time, so each answer gives a
   round trip; the shortest is reported.
3. A server that receives several pings answers each, from several addresses of its own; identical answers with one id
   are one server, at the address that answers fastest.
4. ``Sightings`` is pure; ``scan`` owns sockets and clock.
5. Hosts of NetherNet are queried on a port of their own, over the same sockets. Their answers carry no time: the round
   trip is counted from the last question.
"""

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from net.errors import DecodeError
from net.nethernet.discovery import DiscoveryKind, DiscoveryPacket, LanGame, read_discovery, read_world, write_discovery
from net.raknet.handshake import Address
from net.raknet.ping import Pong, read_pong, write_ping
from net.transport.udp import LARGEST_DATAGRAM_BYTES, address_of_socket, connected_socket

_REPEAT_S: Final = 0.3


T = TypeVar("T")


def ping(server: Address, timeout_s: float = 2.0) -> Pong | None:
    """A server's description; None without an answer in time.

    ``server``: an IP literal and port, see ``udp.resolve``. ``timeout_s``: the deadline; until then the ping is
    repeated every 0.3 s. Raises ConnectionClosed: the system has no route.
    """
    return _ask_one(server, lambda now: write_ping(int(now * 1000), 0), read_pong, timeout_s)


def find_game(host: Address, timeout_s: float) -> LanGame | None:
    """The LAN game that a machine hosts over NetherNet; None without an answer. Otherwise as ``ping``."""
    own = int.from_bytes(os.urandom(8), "big")
    request = write_discovery(DiscoveryPacket(DiscoveryKind.REQUEST, own))
    return _ask_one(host, lambda _now: request, lambda datagram: read_game(host, datagram), timeout_s)


def read_game(address: Address, datagram: bytes) -> LanGame | None:
    """The game of a response; None for another packet of discovery.

    Raises DecodeError: it is not a packet of discovery.
    """
    packet = read_discovery(datagram)
    if packet.kind is not DiscoveryKind.RESPONSE:
        return None
    return LanGame(address, packet.sender, read_world(packet.body))


def _ask_one(
    server: Address, question: Callable[[float], bytes], read: Callable[[bytes], T | None], timeout_s: float
) -> T | None:
    """Sends a question to an address repeatedly until an answer or the deadline."""
    deadline = time.monotonic() + timeout_s
    with connected_socket(server) as sock:
        while (now := time.monotonic()) < deadline:
            with contextlib.suppress(OSError):  # reported as not listening: a server may be starting
                sock.send(question(now))
            repeat_at = min(deadline, now + _REPEAT_S)
            while (left_s := repeat_at - time.monotonic()) > 0:
                if not select.select([sock], [], [], left_s)[0]:
                    break
                try:
                    answer = read(sock.recv(LARGEST_DATAGRAM_BYTES))
                except (OSError, DecodeError):
                    answer = None
                if answer is not None:
                    return answer
    return None


PORTS: Final = (19132, 19133)
"""The games' default ports for IPv4 and IPv6."""
REPEAT_S: Final = 0.5
MOST_SERVERS: Final = 1024
"""Further servers are dropped; a stranger could invent any number."""
_BROADCAST: Final = "255.255.255.255"
_ALL_NODES: Final = "ff02::1"
_REQUEST: Final = write_discovery(DiscoveryPacket(DiscoveryKind.REQUEST, int.from_bytes(os.urandom(8), "big")))


class Sighting(msgspec.Struct, frozen=True):
    """One server that answered."""

    address: Address  # to join it
    pong: Pong  # its description
    latency_s: float  # the shortest round trip
    answers: int = 1  # number of answers
    transport: str = "raknet"  # or nethernet: a LAN game, or a server that takes offers by HTTP
    scheme: str = ""  # lan or http where it is joined over NetherNet, as in a SOURCE


class Sightings:
    """All servers that answered so far."""

    def __init__(self) -> None:
        self.malformed = 0  # datagrams that are no answer
        self.left_out = 0  # answers of servers beyond ``MOST_SERVERS``
        self._found: dict[tuple[object, ...], Sighting] = {}
        self._asked_ms = 0

    def ask(self, now_ms: int) -> bytes:
        """The question for hosts of NetherNet; notes its time, which the one for RakNet carries."""
        self._asked_ms = now_ms
        return _REQUEST

    def receive(self, address: Address, datagram: bytes, now_ms: float) -> bool:
        """Handles one datagram; returns whether it is an answer that is kept. ``now_ms``: on the clock of the pings."""
        try:
            pong, transport = self._read(address, datagram)
        except DecodeError:
            self.malformed += 1
            return False
        if pong is None:
            return False  # the answer to another program's ping
        latency_s = max(0.0, now_ms - pong.sent_ms) / 1000
        scheme = "lan" if transport == "nethernet" else ""
        who: tuple[object, ...] = (address,)
        if pong.guid:
            who = (pong.guid, pong.motd, pong.protocol, pong.version, pong.port_v4, transport)
        known = self._found.get(who)
        if known is None:
            if len(self._found) >= MOST_SERVERS:
                self.left_out += 1
                return False
            self._found[who] = Sighting(address, pong, latency_s, transport=transport, scheme=scheme)
        elif latency_s < known.latency_s:
            self._found[who] = Sighting(address, pong, latency_s, known.answers + 1, transport, scheme)
        else:
            self._found[who] = replace(known, pong=pong, answers=known.answers + 1)
        return True

    def _read(self, address: Address, datagram: bytes) -> tuple[Pong | None, str]:
        if (pong := read_pong(datagram)) is not None:
            return pong, "raknet"
        game = read_game(address, datagram)
        if game is None:
            return None, "nethernet"
        return replace(game.world.pong, guid=game.network_id, sent_ms=self._asked_ms), "nethernet"

    def all(self) -> tuple[Sighting, ...]:
        """All servers, by latency, then by address."""
        return tuple(sorted(self._found.values(), key=lambda sighting: (sighting.latency_s, sighting.address)))


def everywhere(ports: Iterable[int] = PORTS) -> tuple[Address, ...]:
    """Targets for pinging a whole LAN."""
    return tuple((host, port) for port in ports for host in (_BROADCAST, "127.0.0.1", _ALL_NODES, "::1"))


def scan(
    targets: Iterable[Address],
    timeout_s: float,
    report: Callable[[tuple[Sighting, ...]], None] | None = None,
    refused: Callable[[Mapping[Address, str]], None] | None = None,
    hosts: Iterable[Address] = (),
    found: Sightings | None = None,
) -> tuple[Sighting, ...]:
    """Pings all targets for a while and returns the servers that answered.

    ``targets``: IP literals and ports, broadcast and multicast addresses included. ``report``: called with all
    sightings after an answer, and several times a second. ``refused``: called after each round of pings with the
    targets that the system would not send to, and why. ``hosts``: targets for LAN games of NetherNet. ``found``:
    collects the answers; None for a new one.
    """
    targets, hosts = tuple(targets), tuple(hosts)
    found = found or Sightings()
    start = time.monotonic()
    with contextlib.ExitStack() as undo:
        sockets: dict[int, socket.socket] = {
            family: undo.enter_context(sock)
            for family in (socket.AF_INET, socket.AF_INET6)
            if (sock := _open(family)) is not None
        }
        while (now := time.monotonic()) - start < timeout_s:
            now_ms = int(now * 1000)
            failed = _ask(sockets, targets, write_ping(now_ms, 0)) | _ask(sockets, hosts, found.ask(now_ms))
            if refused:
                refused(failed)
            until = min(start + timeout_s, now + REPEAT_S)
            while (left_s := until - time.monotonic()) > 0:
                ready = select.select(list(sockets.values()), [], [], min(left_s, 0.1))[0]
                for sock in ready:
                    _receive(sock, found)
                if report:
                    report(found.all())
    return found.all()


def _open(family: int) -> socket.socket | None:
    try:
        sock = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        return None
    sock.setblocking(False)
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    return sock


def _ask(sockets: Mapping[int, socket.socket], targets: tuple[Address, ...], datagram: bytes) -> dict[Address, str]:
    """Sends to all targets; returns those that failed, and why: no route, or no such address family."""
    failed: dict[Address, str] = {}
    for host, port in targets:
        sock = sockets.get(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if sock is None:
            failed[host, port] = "no socket of that address family"
            continue
        try:
            sock.sendto(datagram, (host, port))
        except ConnectionRefusedError:
            pass  # result of an earlier ping: its target is not listening
        except OSError as error:
            failed[host, port] = error.strerror or str(error)
    return failed


def _receive(sock: socket.socket, found: Sightings) -> None:
    for _ in range(64):
        try:
            datagram, address = sock.recvfrom(LARGEST_DATAGRAM_BYTES)
        except BlockingIOError:
            return
        except OSError:
            continue  # a target is not listening
        found.receive(address_of_socket(address), datagram, time.monotonic() * 1000)
