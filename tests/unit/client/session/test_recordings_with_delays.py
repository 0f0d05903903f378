"""All that is visible of what foreign servers really sent is asked, and none of it left open, whenever they answer.

The planner against recordings' contents, served when a script says. Seen, in virtual time (asked, of these again,
settled after):

    of nine columns, limited       36, 0, 0.50 s     uneven 37, 1, 1.62 s       stalling 56, 20, 1.29 s
    of nine columns, limitless    216, 0, 0.50 s     uneven 240, 24, 1.63 s     stalling 312, 96, 3.35 s
    dragonfly 527, limitless      864, 0, 0.51 s     uneven 864, 0, 2.73 s      stalling 1248, 384, 4.20 s
    dragonfly 2168, limited        72, 0, 0.51 s     uneven 72, 0, 2.89 s       stalling 107, 35, 3.94 s

Recorded server: A server made of a recording: says what the recorded server said, answers what it answered, when a
script says.

The recorded session's own requests play no part: who joins asks for itself, in its own order, and is answered place by
place with the recorded bytes. Columns that came after the recording's last answer are left out: nobody had asked for
them when it ended. The login is ours; everything goes over the loopback in virtual time.
"""

import heapq
from collections.abc import Callable
from itertools import count, cycle
from pathlib import Path

import msgspec
import numpy as np
import pytest

from client.session.config import SessionConfig
from client.session.session import Session
from client.streaming.anchors import Anchor
from client.streaming.planner import ASKABLE
from client.visibility.walk import Walk
from net.bedrock import (
    Message,
    NetworkSettings,
    PlayStatus,
    ResourcePacksInfo,
    ResourcePackStack,
    ServerToClientHandshake,
    SubChunk,
    SubChunkEntry,
    SubChunkRequest,
    SubChunkResult,
)
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.bedrock.releases import ProtocolRange
from net.peer import ClientPeer, Joined, PeerListener, Received, ServerPeer
from net.raknet import Address
from net.recording import ReceivedRecord, Recording
from net.server.virtual_host import even_entropy
from net.space.positions import SubChunkPos
from net.transport.loopback import Loopback
from render.bench.rays import cast, sphere_rays
from tests.recordings import NAMES, RADIUS, recording
from tests.support.session.virtual import ADDRESS, SWIFT, UNIX_TIME, VirtualSession, palette

# ---------------------------------------------------------------- recorded server

LOGIN = (NetworkSettings, ServerToClientHandshake, ResourcePacksInfo, ResourcePackStack)
LOGGED_IN = 0
SUCCESSES = (SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR)


class Script(msgspec.Struct, frozen=True):
    """When a recorded server speaks."""

    name: str  # of the script, for tests
    packet_s: float  # between two packets of what it says unasked
    answers_s: tuple[float, ...]  # how long packets of answers wait, one after the other, over and over
    entries: int = 64  # answers in one packet, at most

    def __str__(self) -> str:
        return self.name


class RecordedServer:
    """The host's side."""

    def __init__(self, path: Path, script: Script) -> None:
        self.asked: dict[SubChunkPos, int] = {}  # how often each place was asked
        self.unknown: set[SubChunkPos] = set()  # places asked of which the recording has no answer; they are not found
        self._asked_until = 0  # of what is said, how much came before the last answer
        self._said: list[bytes] = []
        self._answers: dict[SubChunkPos, SubChunkEntry] = {}
        self._read(path)
        pong = f"MCPE;recorded;{self.codec.protocol};1;0;9;"
        self._listener = PeerListener(ProtocolRange.only(self.codec.protocol), pong, 0.0, UNIX_TIME, even_entropy(1))
        self._script = script
        self._waits = cycle(script.answers_s)
        self._peer: ServerPeer | None = None
        self._queue: list[tuple[float, int, bytes]] = []
        self._number = count()

    def _read(self, path: Path) -> None:
        with Recording.open(path) as recording:
            self.codec = Codec(recording.header.protocol)
            for entry in recording.entries():
                if isinstance(entry.record, ReceivedRecord):
                    self._take(entry.record.packet, self.codec.decode(entry.record.packet))
        if self._answers:
            del self._said[self._asked_until :]

    def _take(self, packet: bytes, message: Message) -> None:
        if isinstance(message, LOGIN) or (isinstance(message, PlayStatus) and message.status == LOGGED_IN):
            return
        if not isinstance(message, SubChunk):
            self._said.append(packet)
            return
        self._asked_until = len(self._said)
        for entry in message.entries:
            position = SubChunkPos(*(c + d for c, d in zip(message.centre, entry[:3], strict=True)))
            if position not in self._answers or entry.result in SUCCESSES:
                self._answers[position] = entry

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self._listener.receive(address, datagram, now)
        self._listen(now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        while self._peer and self._queue and self._queue[0][0] <= now:
            self._peer.send_packet(heapq.heappop(self._queue)[2])
            self._peer.flush()
        out = self._listener.datagrams(now)
        self._listen(now)
        return out

    def next_timer(self) -> float | None:
        timers = [self._listener.next_timer(), self._queue[0][0] if self._queue else None]
        return min((timer for timer in timers if timer is not None), default=None)

    def _listen(self, now: float) -> None:
        self._peer = self._listener.accept() or self._peer
        while self._peer and (event := self._peer.next_event()) is not None:
            if isinstance(event, Joined):
                for index, packet in enumerate(self._said):
                    self._speak(packet, now + index * self._script.packet_s)
            elif isinstance(event, Received) and isinstance(event.message, SubChunkRequest):
                self._answer(event.message, now)

    def _speak(self, packet: bytes, at: float) -> None:
        heapq.heappush(self._queue, (at, next(self._number), packet))

    def _answer(self, request: SubChunkRequest, now: float) -> None:
        entries = [self._entry(request.centre, tuple(offset)) for offset in request.offsets.tolist()]
        for start in range(0, len(entries), self._script.entries):
            part = tuple(entries[start : start + self._script.entries])
            answers = SubChunk(False, request.dimension, request.centre, part)
            self._speak(self.codec.encode(answers), now + next(self._waits))

    def _entry(self, centre: SubChunkPos, offset: tuple[int, ...]) -> SubChunkEntry:
        position = SubChunkPos(*(c + d for c, d in zip(centre, offset, strict=True)))
        self.asked[position] = self.asked.get(position, 0) + 1
        recorded = self._answers.get(position)
        if recorded is None:
            self.unknown.add(position)
            return SubChunkEntry(*offset, SubChunkResult.CHUNK_NOT_FOUND)
        return SubChunkEntry(*offset, *recorded[3:])


class Revisited(VirtualSession):
    """A session that joins a server made of a recording."""

    def __init__(self, path: Path, script: Script, radius: int) -> None:
        self.server = RecordedServer(path, script)
        codec = self.server.codec
        identity = Identity("tester", "00000000-0000-0000-0000-000000000001")
        self.link = Loopback(ClientPeer(ADDRESS, codec, identity, 0.0, UNIX_TIME, even_entropy(2)), self.server)
        config = SessionConfig(radius=radius, player=SWIFT, protocol=codec.protocol)
        self.session = Session(config, palette(codec.protocol), 0.0)
        self.sent = []


# ---------------------------------------------------------------- recordings with delays

SCRIPTS = (
    Script("steady", 0.0, (0.2,)),
    Script("uneven", 0.02, (0.05, 1.4, 0.3, 0.0, 0.8), entries=24),
    Script("stalling", 0.01, (0.1, 0.1, 3.5), entries=16),
)
"""The second brings answers out of order and beyond the time-out; the third keeps every third packet for three."""
RAYS = sphere_rays(3000)
WHOLE = ("serenity-975", "jsprismarine-748")
"""Servers without sub-chunk requests: nothing is asked of them."""


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_visible_is_asked_and_none_of_it_stays_open(
    name: str, script: Script, record_property: Callable[[str, object], None]
) -> None:
    virtual = Revisited(recording(name), script, RADIUS)
    assert virtual.settle(120.0), virtual.session.unsettled(virtual.now)
    session, server = virtual.session, virtual.server
    store, ledger = session.dimension.store, session.stats(virtual.now).ledger
    reached = Walk().run(store, session.movement.eye, session.radius + 1).places
    assert not np.isin(store.state[reached], ASKABLE).any()
    eye = session.movement.eye
    hits = cast(store, eye, RAYS)
    within = Anchor.square(eye.column, RADIUS).holds(store.columns[hits.places // store.dimension.sections])
    assert not (hits.in_holes & within).any()
    assert server.unknown == set()  # whatever the order of answers, it is the recorded session's places that are asked
    assert (ledger.outstanding, ledger.waiting, ledger.closed, ledger.failed) == (0, 0, 0, 0)
    assert ledger.settled == len(server.asked)
    assert ledger.asked == sum(server.asked.values()) == ledger.settled + ledger.timed_out
    if name in WHOLE:
        assert not server.asked
    else:
        assert (hits.on_terrain & within).any()
        assert ledger.timed_out > 0 or script.name != "stalling"
    for figure in ("asked", "timed_out", "unasked", "window"):
        record_property(figure, getattr(ledger, figure))
    record_property("settled_s", round(virtual.now, 2))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WHOLE])
def test_an_even_server_is_asked_once_for_each_place(name: str) -> None:
    virtual = Revisited(recording(name), SCRIPTS[0], RADIUS)
    assert virtual.settle()
    assert set(virtual.server.asked.values()) == {1}
    assert virtual.session.stats(virtual.now).warnings == ()
