"""A small client for tests of the server: a peer on a loopback wire that keeps all received messages.

It decodes sub-chunks with a few plain lines of its own, so that our encoder is not checked by our decoder alone.

``BenchJoin`` joins the bench world at radius 8, requests every announced sub-chunk and keeps everything. It has no
store and no planner, so it measures and checks only the peers of both ends and their messages.
"""

import hashlib
import itertools
import struct
from collections.abc import Callable
from functools import cache

import numpy as np

from net.bedrock import LevelChunk, Message, RequestChunkRadius, SubChunk, SubChunkEntry, SubChunkRequest
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.peer import ClientPeer, Closed, Joined, Received
from net.raknet import Address
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.player import PlayerDestination, Point
from net.server.worlds import ServerWorld, open_worlds
from net.space import ColumnPos, SubChunkPos
from net.transport.faulty import Wire
from net.transport.interface import ServerTransport as HostContract
from net.transport.loopback import Loopback
from net.wire.fields import Profile

# ---------------------------------------------------------------- server talk

UNIX_TIME = 1_700_000_000.0


def entropy(name: str) -> Callable[[int], bytes]:
    """Bytes that are the same in every run."""
    count = itertools.count()
    return lambda size: hashlib.shake_256(f"{name} {next(count)}".encode()).digest(size)


def make_host(
    world: ServerWorld, options: HostOptions | None = None, profile: Profile = Profile.BEDROCK, protocol: int = 486
) -> Host:
    """A host at the time 0."""
    return Host(
        world, options or HostOptions(), ProtocolRange.only(protocol, profile), 0.0, UNIX_TIME, entropy("server")
    )


def go_to(host: Host, player: int, dimension: int, feet: Point | None = None) -> None:
    """Moves a player to a dimension as soon as it can go there."""
    session = next(session for session in host.sessions if session.runtime_id == player)
    session.player.destination = PlayerDestination(host.dimensions.of(dimension), feet)


class _Shared:
    """One host on several loopbacks; keeps datagrams for other clients until their loopbacks fetch them."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._kept: list[tuple[Address, bytes]] = []

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self.host.receive(address, datagram, now)

    def datagrams_for(self, address: Address, now: float) -> list[tuple[Address, bytes]]:
        everything = self._kept + self.host.datagrams(now)
        self._kept = [pair for pair in everything if pair[0] != address]
        return [pair for pair in everything if pair[0] == address]


class _Side:
    """A shared host for one loopback."""

    def __init__(self, shared: _Shared, address: Address) -> None:
        self._shared = shared
        self._address = address

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self._shared.receive(address, datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        return self._shared.datagrams_for(self._address, now)

    def next_timer(self) -> float | None:
        return self._shared.host.next_timer()


class Talk:
    """One client of a host; time is virtual."""

    def __init__(
        self, host: Host, profile: Profile = Profile.BEDROCK, port: int = 50000, now: float = 0.0, protocol: int = 486
    ) -> None:
        self.host = host
        address = ("127.0.0.1", port)
        identity = Identity("tester", "00000000-0000-4000-8000-000000000001")
        peer = ClientPeer(
            ("127.0.0.1", 19132), Codec(protocol, profile), identity, now, UNIX_TIME + now, entropy(f"client {port}")
        )
        if not hasattr(host, "_test_shared"):
            host._test_shared = _Shared(host)
        self.wire = Loopback(peer, _Side(host._test_shared, address), address=address, now=now)
        self.heard: list[Message] = []
        self.columns: dict[ColumnPos, LevelChunk] = {}
        self.entries: dict[SubChunkPos, SubChunkEntry] = {}
        self.packets: list[SubChunk] = []
        self.closed: str | None = None

    def run(self, until: Callable[[], bool], limit_s: float = 20.0) -> bool:
        """Lets virtual time pass until the condition holds."""
        return self.wire.run(until, limit_s, self._take)

    def rest(self, seconds: float) -> None:
        """Lets time pass."""
        end = self.wire.now + seconds
        self.run(lambda: self.wire.now >= end, seconds)

    def _take(self, _now: float) -> None:
        for event in self.wire.events():
            if isinstance(event, Closed):
                self.closed = event.reason
            elif isinstance(event, Received):
                self._receive(event.message)

    def _receive(self, message: Message) -> None:
        self.heard.append(message)
        if isinstance(message, LevelChunk):
            self.columns[message.column] = message
        elif isinstance(message, SubChunk):
            self.packets.append(message)
            for entry in message.entries:
                x, y, z = message.centre
                self.entries[SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz)] = entry

    def of(self, kind: type) -> list[Message]:
        """All received messages of a kind."""
        return [message for message in self.heard if isinstance(message, kind)]

    def join(self, radius: int, withheld: int = 0) -> None:
        """Logs in and waits for all columns of a radius, except ``withheld`` ones."""
        assert self.run(lambda: any(type(message).__name__ == "SetTime" for message in self.heard))
        self.wire.send(RequestChunkRadius(radius))
        assert self.run(lambda: len(self.columns) >= (2 * radius + 1) ** 2 - withheld)
        self.rest(0.2)

    def ask(self, centre: SubChunkPos, offsets: list[tuple[int, int, int]], dimension: int = 0) -> None:
        """Sends one request."""
        self.wire.send(SubChunkRequest(dimension, centre, np.array(offsets, np.int8).reshape(-1, 3)))

    def ask_columns(self, sections: range) -> None:
        """Requests the same sections of each column."""
        for column in self.columns:
            self.ask(SubChunkPos(column.x, 0, column.z), [(0, y, 0) for y in sections])


def plain_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def plain_storage(data: bytes, at: int) -> tuple[np.ndarray, int]:
    """Runtime ids [4096] of one storage, and the offset after it."""
    bits, at = data[at] >> 1, at + 1
    if bits == 0:
        value, at = plain_varint(data, at)
        return np.full(4096, value >> 1, np.int64), at
    per_word = 32 // bits
    words = -(-4096 // per_word)
    packed = struct.unpack_from(f"<{words}I", data, at)
    at += 4 * words
    count, at = plain_varint(data, at)
    palette = []
    for _ in range(count >> 1):
        value, at = plain_varint(data, at)
        palette.append(value >> 1)
    mask = (1 << bits) - 1
    indices = [word >> (slot * bits) & mask for word in packed for slot in range(per_word)][:4096]
    return np.array(palette, np.int64)[indices], at


def plain_subchunk(data: bytes, at: int = 0) -> tuple[int, list[np.ndarray], int]:
    """Section, layers of runtime ids, and the offset after a sub-chunk of version 9."""
    version, layers, section = struct.unpack_from("<BBb", data, at)
    assert version == 9
    at += 3
    found = []
    for _ in range(layers):
        ids, at = plain_storage(data, at)
        found.append(ids)
    return section, found, at


# ---------------------------------------------------------------- bench join

RADIUS = 8
COLUMNS = (2 * RADIUS + 1) ** 2
FLOOR = -4

bench_world = cache(lambda: open_worlds("bench:1")[0])


def bench_host(options: HostOptions | None = None) -> Host:
    """A host of the bench world at the time 0."""
    return Host(bench_world(), options or HostOptions(), ProtocolRange.only(486), 0.0, UNIX_TIME, entropy("server"))


class BenchJoin:
    """A client that joins; ``run`` ends when all columns and all their sub-chunks have come."""

    def __init__(self, host: HostContract, up: Wire | None = None, down: Wire | None = None, now: float = 0.0) -> None:
        identity = Identity("tester", "00000000-0000-4000-8000-000000000001")
        self.peer = ClientPeer(("127.0.0.1", 19132), Codec(486), identity, now, UNIX_TIME, entropy("client"))
        self.link = Loopback(self.peer, host, up, down, now=now)
        self.columns: dict[ColumnPos, bytes] = {}  # payload by column
        self.entries: dict[SubChunkPos, SubChunkEntry] = {}  # by sub-chunk
        # positions of columns and sub-chunks in the order in which they came
        self.order: list[ColumnPos | SubChunkPos] = []
        self.numbers: list[int] = []  # numbers of all packets
        self.asked = 0
        self.closed: str | None = None

    def run(self, limit_s: float = 60.0) -> bool:
        """Runs; returns whether everything came within so much virtual time."""
        return self.link.run(self._complete, limit_s)

    def _complete(self) -> bool:
        for event in self.link.events():
            if isinstance(event, Joined):
                self.link.send(RequestChunkRadius(RADIUS))
            elif isinstance(event, Received):
                self.numbers.append(event.number)
                self._receive(event.message)
            elif isinstance(event, Closed):
                self.closed = event.reason
        return self.closed is not None or (len(self.columns) == COLUMNS and len(self.entries) == self.asked)

    def _receive(self, message: object) -> None:
        if isinstance(message, LevelChunk):
            self.columns[message.column] = message.payload
            self.order.append(message.column)
            limit = 0 if message.limit is None else message.limit
            self._ask(message.column, limit + 1)
        elif isinstance(message, SubChunk):
            x, y, z = message.centre
            for entry in message.entries:
                place = SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz)
                self.entries[place] = entry
                self.order.append(place)

    def _ask(self, column: ColumnPos, sections: int) -> None:
        offsets = np.zeros((sections, 3), np.int8)
        offsets[:, 1] = np.arange(sections)
        self.asked += sections
        self.link.send(SubChunkRequest(0, SubChunkPos(column.x, FLOOR, column.z), offsets))
