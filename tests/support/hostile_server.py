"""A server that lets a client in and then says whatever a test wants, and a session that has to bear it.

The login is the real one, encrypted; everything goes over the loopback in virtual time.
"""

from collections.abc import Callable, Sequence

from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from net.bedrock import Message, PlayStatus, StartGame, SubChunk, SubChunkEntry, SubChunkRequest
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.bedrock.releases import ProtocolRange
from net.blobs import BlobSource
from net.peer import ClientPeer, Joined, PeerListener, Received, ServerPeer
from net.raknet import Address
from net.server.virtual_host import even_entropy
from net.space.positions import SubChunkPos
from net.transport.loopback import Loopback
from net.wire.dialect import Profile
from tests.support.session_messages import start_game
from tests.support.virtual_session import ADDRESS, SWIFT, UNIX_TIME, VirtualSession, palette

Offset = tuple[int, int, int]


class HostileServer:
    """Answers the login, sends ``first`` after it, keeps what it hears; answers no request unless told how."""

    def __init__(self, codec: Codec, first: Sequence[Message | bytes]) -> None:
        self._listener = PeerListener(
            ProtocolRange.only(codec.protocol, codec.dialect.profile),
            "MCPE;hostile;486;1.18.11;0;9;",
            0.0,
            UNIX_TIME,
            even_entropy(1),
        )
        self._first = first
        self._peers: list[ServerPeer] = []
        self.heard: list[Message] = []  # messages of the client
        # gives the entry for each place that is asked for, or None for no answer
        self.answer: Callable[[Offset], SubChunkEntry] | None = None
        self.silent = False  # sends nothing more, not even acknowledgements, like a process that died

    @property
    def peer(self) -> ServerPeer:
        return self._peers[0]

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        if not self.silent:
            self._listener.receive(address, datagram, now)
            self._listen()

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        if self.silent:
            return []
        out = self._listener.datagrams(now)
        self._listen()
        return out

    def next_timer(self) -> float | None:
        return self._listener.next_timer()

    def say(self, *messages: Message | bytes) -> None:
        """Sends messages, or packets as they are, each in a batch of its own."""
        for message in messages:
            packet = message if isinstance(message, bytes) else self.peer.codec.encode(message)
            self.peer.send_packet(packet)
            self.peer.flush()

    def say_raw(self, payload: bytes) -> None:
        """Sends bytes in the place of a batch, past compression and encryption."""
        self.peer.flush()
        self.peer._link.send(payload)

    def say_body(self, body: bytes) -> None:
        """Sends a batch whose body is this, properly encrypted."""
        self.peer.flush()
        seal = self.peer._stream._writer._seal
        assert seal is not None
        self.peer._link.send(b"\xfe" + seal.run(body + seal.next_tag(body)))

    def asked(self) -> set[SubChunkPos]:
        """Every place the client asked for so far."""
        return {
            SubChunkPos(*(int(c) + int(d) for c, d in zip(request.centre, offset, strict=True)))
            for request in self.heard
            if isinstance(request, SubChunkRequest)
            for offset in request.offsets
        }

    def _listen(self) -> None:
        while (peer := self._listener.accept()) is not None:
            self._peers.append(peer)
        for peer in self._peers:
            while (event := peer.next_event()) is not None:
                if isinstance(event, Joined):
                    self.say(*self._first)
                elif isinstance(event, Received):
                    self.heard.append(event.message)
                    if self.answer and isinstance(event.message, SubChunkRequest):
                        self._answer(event.message, self.answer)

    def _answer(self, request: SubChunkRequest, answer: Callable[[Offset], SubChunkEntry]) -> None:
        entries = tuple(answer((dx, dy, dz)) for dx, dy, dz in request.offsets.tolist())
        self.say(SubChunk(False, request.dimension, request.centre, entries))


class Besieged(VirtualSession):
    """A session that joined a hostile server."""

    def __init__(
        self,
        *first: Message | bytes,
        start: StartGame | None = None,
        join: bool = True,
        profile: Profile = Profile.BEDROCK,
        config: SessionConfig | None = None,
        blobs: BlobSource | None = None,
    ) -> None:
        codec = Codec(486, profile)
        opening = (start or start_game(), PlayStatus(3)) if join else ()
        self.server = HostileServer(codec, (*opening, *first))
        identity = Identity("tester", "00000000-0000-0000-0000-000000000001")
        self.link = Loopback(
            ClientPeer(ADDRESS, codec, identity, 0.0, UNIX_TIME, even_entropy(2), blobs=blobs), self.server
        )
        self.session = Session(config or SessionConfig(radius=2, player=SWIFT), palette(486), 0.0)
        self.sent = []
        if join:
            assert self.run(lambda: self.session.spawn.phase is SpawnPhase.PLAYING)

    def bear(self, *messages: Message | bytes) -> None:
        """The server says something; the session hears it all and goes on."""
        self.server.say(*messages)
        self.rest()

    def rest(self, seconds: float = 0.2) -> None:
        """Lets time pass."""
        end = self.now + seconds
        self.run(lambda: self.now >= end, seconds + 1.0)

    def until(self, condition: Callable[[], bool], limit_s: float = 30.0) -> None:
        """Turns until something is so, and fails if it never is."""
        assert self.run(condition, limit_s)
