"""The server's end: listeners of RakNet and NetherNet whose connections are Bedrock sessions.

Rules:
1. ``accept`` returns a peer when its link is open; its login follows, with its events. ``Joined`` says that the game
   may begin.
2. The listener drives its peers: after sending to a peer, only the listener's ``datagrams`` has to be called.
3. Compression and a key take effect after the messages of the step that set them: NetworkSettings is sent uncompressed,
   ServerToClientHandshake unencrypted.
4. The reason with which a peer is closed is shown to its client.
5. From protocol 554 on a client proves its address with a cookie before any state is stored for it. Older ones are
   accepted without one if their protocols are supported; otherwise RakNet's version tells them that they are too old.
6. A login costs 2 ms of signatures and keys (measured), so between two calls of ``datagrams`` at most ``LOGINS_A_CALL``
   datagrams of clients that are logging in are read at once; the others wait for the next calls.
7. A client's first batch contains its protocol (``net.bedrock.releases``): its peer uses that codec even if the
   protocol is not supported, so that the refusal is readable.
"""

from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, Protocol

from net.bedrock import Disconnect, Message
from net.bedrock.codec import Codec
from net.bedrock.login import ServerLogin
from net.bedrock.login.tokens import PublicKey
from net.bedrock.releases import SETTINGS_FIRST, ProtocolRange, readable_by
from net.peer.packet_stream import Event, Joined, Link, PacketStream, PeerStats, level_towards
from net.raknet import Address, Limits, Listener
from net.raknet.limits import SERVER_LIMITS, VERSIONS

if TYPE_CHECKING:
    from net.nethernet.listener import NetherNetListener

LOGINS_A_CALL: Final = 2
MOST_CODECS: Final = 64
"""Codecs that are cached: as many as there are players; each number between two releases has one of its own."""
CLIENT_BATCH_BYTES: Final = 16 << 20
"""Largest inflated size of a client's batch: twice the largest Login."""


class Transports(Enum):
    """Transports that a server accepts. The value is the word users type after ``--transport``."""

    RAKNET = "raknet"
    NETHERNET = "nethernet"
    BOTH = "both"


class ServerLink(Link, Protocol):
    """A link to a client."""

    @property
    def address(self) -> Address:
        """The client's address."""

    @property
    def queued_bytes(self) -> int:
        """Bytes sent and not acknowledged."""

    @property
    def login_key(self) -> PublicKey | None:
        """The key that must sign the login; None: any."""


class ServerPeer:
    """One client, without I/O. Only a ``PeerListener`` makes it."""

    def __init__(self, link: ServerLink, tongues: "ClientCodecs", unix_time: float, level: int | None) -> None:
        self.address = link.address
        self.codec = tongues.codec_of(None)
        self._key = link.login_key
        self._encrypts = link.encrypts
        self.login = self._new_login(tongues, unix_time)
        self._link = link
        self._tongues = tongues
        self._unix_time = unix_time
        level = level_towards(link.address, level)
        self._stream = PacketStream(
            link, self.codec, level, self._handle, CLIENT_BATCH_BYTES, first=self._receive_first_payload
        )
        self._joined = False

    def _receive_first_payload(self, payload: bytes) -> None:
        """Selects the codec from the first payload; see rule 7."""
        self.codec = self._tongues.codec_of(readable_by(payload, self._link.batch_header))
        self.login = self._new_login(self._tongues, self._unix_time)
        self._stream.speak(self.codec)

    def _new_login(self, tongues: "ClientCodecs", unix_time: float) -> ServerLogin:
        return tongues.login(self.codec, unix_time, encrypts=self._encrypts, key=self._key)

    @property
    def joined(self) -> bool:
        return self._joined

    @property
    def closed(self) -> str | None:
        """None, or why the session is over."""
        return self._stream.ended

    @property
    def finished(self) -> bool:
        """Whether nothing more will be sent."""
        return self._link.closed is not None

    @property
    def queued_bytes(self) -> int:
        """Bytes sent and not acknowledged; a server stops adding chunks at a limit of its own."""
        return self._link.queued_bytes

    def advance(self, now: float) -> None:
        """Reads what has arrived. Called by the listener."""
        self._stream.advance(now)

    def _handle(self, message: Message, now: float) -> None:
        if self._joined:
            return
        step = self.login.handle(message)
        for answer in step.send:
            self.send(answer)
        if step.compress is not None:
            self._stream.compress_with(step.compress)
        if step.key is not None:
            self._stream.encrypt_with(step.key)
        if step.refused is not None:
            self.close(step.refused, now)
        elif step.joined:
            self._joined = True
            self._stream.push(Joined(now))

    def send(self, message: Message) -> None:
        """Queues one message; after the end it is dropped.

        Raises LocalProtocolError: it has no wire form in this protocol.
        """
        self._stream.send(self.codec.encode(message))

    def send_packet(self, packet: bytes) -> None:
        """Queues one packet that is already encoded: the same one for many clients."""
        self._stream.send(packet)

    def flush(self) -> None:
        """Passes the waiting packets to the link. Called by the listener."""
        self._stream.flush()

    def next_event(self) -> Event | None:
        """Removes and returns the oldest event."""
        return self._stream.next_event()

    def close(self, reason: str, now: float) -> None:
        """Sends the client a reason and ends the session after everything that was sent before."""
        if self._stream.ended is None:
            self.send(Disconnect(hidden=False, message=reason))
            self._stream.flush()
            self._stream.end(reason)
        self._link.close(reason, now)

    def stats(self) -> PeerStats:
        """A snapshot of the counters."""
        return self._stream.stats()


class ClientCodecs:
    """The codecs of one listener's clients.

    ``spoken``: accepted protocols. ``entropy``: returns a number of unpredictable bytes.
    """

    def __init__(self, spoken: ProtocolRange, entropy: Callable[[int], bytes]) -> None:
        self.spoken = spoken
        self._entropy = entropy
        self._codec = lru_cache(MOST_CODECS)(partial(Codec, profile=spoken.profile))

    def codec_of(self, protocol: int | None) -> Codec:
        """The codec of a protocol; of the highest supported one if the client named none."""
        return self._codec(self.spoken.highest if protocol is None else protocol)

    def login(self, codec: Codec, unix_time: float, *, encrypts: bool, key: PublicKey | None) -> ServerLogin:
        """The server's end of a login; ``encrypts``: whether the link wants encryption."""
        login = partial(ServerLogin, codec, unix_time, self._entropy, spoken=self.spoken, key=key)
        return login() if encrypts else login(encrypt=False)


class PeerListener:
    """All sessions of one address, without I/O.

    ``spoken``: the accepted protocols. ``pong_text``: the answer to pings, see ``net.raknet.ping.pong_text``.
    ``unix_time``: seconds since 1970 at ``now``, for the tokens' validity. ``entropy``: returns a number of
    unpredictable bytes. ``limits``: RakNet's timings and limits, for each client. ``most_peers``: further clients are
    told that the server is full. ``level``: deflate level of sent data; None for 1 to this machine and 6 elsewhere.
    ``transports``: accepted transports.
    """

    def __init__(
        self,
        spoken: ProtocolRange,
        pong_text: str,
        now: float,
        unix_time: float,
        entropy: Callable[[int], bytes],
        limits: Limits = SERVER_LIMITS,
        most_peers: int = 64,
        level: int | None = None,
        transports: Transports = Transports.RAKNET,
    ) -> None:
        self._transports = transports
        self._tongues = ClientCodecs(spoken, entropy)
        self._unix_offset = unix_time - now
        self._level = level
        guid = int.from_bytes(entropy(8), "big")
        settled = spoken.lowest >= SETTINGS_FIRST
        self._listener = Listener(
            guid,
            pong_text,
            entropy,
            VERSIONS[1:] if settled else VERSIONS,
            cookies_from=VERSIONS[1] if spoken.highest >= SETTINGS_FIRST else None,
            most_connections=most_peers,
            limits=limits,
        )
        self.nethernet: NetherNetListener | None = None  # answers offers; None if NetherNet is off
        if transports is not Transports.RAKNET:
            # imported late: its certificates take a fortieth of a second, for which a viewer with an embedded server
            # would wait
            from net.nethernet import listener  # noqa: PLC0415 - as above

            self.nethernet = listener.NetherNetListener(entropy, unix_time, now, most_peers, limits)
        self._peers: dict[Address, ServerPeer] = {}
        self._accepted: deque[ServerPeer] = deque()
        self._knocking: dict[Address, None] = {}  # addresses with data while logging in, the longest waiting first
        self._logins_left = LOGINS_A_CALL

    @property
    def pong_text(self) -> str:
        """The answer to pings; may be replaced at any time."""
        return self._listener.pong_text

    @pong_text.setter
    def pong_text(self, text: str) -> None:
        self._listener.pong_text = text

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        if self.nethernet is not None and self.nethernet.takes(address, datagram):
            self.nethernet.receive(address, datagram, now)
        elif self._transports is not Transports.NETHERNET:
            self._listener.receive(address, datagram, now)
        while (link := self._accepted_link()) is not None:
            peer = ServerPeer(link, self._tongues, self._unix_offset + now, self._level)
            self._peers[link.address] = peer
            self._accepted.append(peer)
        known = self._peers.get(address)
        if known is not None and known.joined:
            known.advance(now)
        elif known is not None and self._logins_left:
            self._logins_left -= 1
            known.advance(now)
        elif known is not None:
            self._knocking.setdefault(address)

    def _accepted_link(self) -> ServerLink | None:
        return self._listener.accept() or (None if self.nethernet is None else self.nethernet.accept())

    def accept(self) -> ServerPeer | None:
        """The next client whose link is open."""
        return self._accepted.popleft() if self._accepted else None

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""
        for peer in self._peers.values():
            peer.flush()
        out = self._listener.datagrams(now)
        if self.nethernet is not None:
            out += self.nethernet.datagrams(now)
        self._logins_left = LOGINS_A_CALL
        while self._knocking and self._logins_left:
            self._logins_left -= 1
            address = next(iter(self._knocking))
            del self._knocking[address]
            if (knocking := self._peers.get(address)) is not None:
                knocking.advance(now)
        for peer in [peer for peer in self._peers.values() if peer.finished]:
            peer.advance(now)
            del self._peers[peer.address]
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest, None for never."""
        if self._knocking or self._logins_left < LOGINS_A_CALL:  # datagrams that were just read may need an answer
            return 0.0
        other = None if self.nethernet is None else self.nethernet.next_timer()
        timers = [timer for timer in (self._listener.next_timer(), other) if timer is not None]
        return min(timers, default=None)
