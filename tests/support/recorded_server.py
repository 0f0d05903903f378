"""A server made of a recording: says what the recorded server said, answers what it answered, when a script says.

The recorded session's own requests play no part: who joins asks for itself, in its own order, and is answered place by
place with the recorded bytes. Columns that came after the recording's last answer are left out: nobody had asked for
them when it ended. The login is ours; everything goes over the loopback in virtual time.
"""

import heapq
from itertools import count, cycle
from pathlib import Path

import msgspec

from client.session.config import SessionConfig
from client.session.session import Session
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
from tests.support.virtual_session import ADDRESS, SWIFT, UNIX_TIME, VirtualSession, palette

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
