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
7. A client's first batch contains its protocol (``net.releases``): its peer uses that codec even if the
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
from net.peer.packet_stream import Joined, Link, PacketStream, level_towards
from net.raknet import Address, Limits, Listener
from net.raknet.limits import SERVER_LIMITS, VERSIONS
from net.releases import SETTINGS_FIRST, ProtocolRange, readable_by

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


class Backlog(Protocol):
    """What waits to be sent over a link."""

    @property
    def queued_bytes(self) -> int:
        """Bytes sent and not acknowledged."""

    @property
    def space_bytes(self) -> int:
        """How much more may be queued for what is queued later, as an edit, to be early."""


class ServerLink(Link, Protocol):
    """A link to a client."""

    @property
    def address(self) -> Address:
        """The client's address."""

    @property
    def backlog(self) -> Backlog:
        """What waits to be sent to it."""

    @property
    def login_key(self) -> PublicKey | None:
        """The key that must sign the login; None: any."""


class ServerPeer(PacketStream):
    """One client, without I/O. Only a ``PeerListener`` makes it."""

    _link: ServerLink

    def __init__(self, link: ServerLink, codecs: "ClientCodecs", unix_time: float, level: int | None) -> None:
        super().__init__(link, codecs.codec_of(None), level_towards(link.address, level), CLIENT_BATCH_BYTES)
        self.address = link.address
        self.backlog = link.backlog  # a server sends chunks by it
        self._codecs = codecs
        self._unix_time = unix_time
        self.login = self._new_login()

    def _receive_first(self, payload: bytes) -> None:
        """Selects the codec from the first payload; see rule 7."""
        self.use_codec(self._codecs.codec_of(readable_by(payload, self._link.batch_header)))
        self.login = self._new_login()

    def _new_login(self) -> ServerLogin:
        return self._codecs.login(self.codec, self._unix_time, encrypt=self._link.encrypts, key=self._link.login_key)

    def _handle(self, message: Message, now: float) -> None:
        if self.joined:
            return
        step = self.login.handle(message)
        for answer in step.send:
            self.send(answer)
        if step.compress is not None:
            self.compress_with(step.compress)
        if step.key is not None:
            self.encrypt_with(step.key)
        if step.refused is not None:
            self.close(step.refused, now)
        elif step.joined:
            self.joined = True
            self.push(Joined(now))

    def close(self, reason: str, now: float) -> None:
        """Sends the client a reason and ends the session after everything that was sent before."""
        if self.closed is None:
            self.send(Disconnect(hidden=False, message=reason))
            self.flush()
            self.end(reason)
        self._link.close(reason, now)


class ClientCodecs:
    """The codecs of one listener's clients. ``spoken``: accepted protocols."""

    def __init__(self, spoken: ProtocolRange, entropy: Callable[[int], bytes]) -> None:
        self._highest = spoken.highest
        self._codec = lru_cache(MOST_CODECS)(partial(Codec, profile=spoken.profile))
        self.login = partial(ServerLogin, entropy=entropy, spoken=spoken)  # the server's end of a login

    def codec_of(self, protocol: int | None) -> Codec:
        """The codec of a protocol; of the highest supported one if the client named none."""
        return self._codec(self._highest if protocol is None else protocol)


class PeerListener:
    """All sessions of one address, without I/O.

    ``spoken``: the accepted protocols. ``pong_text``: the answer to pings, see ``net.raknet.ping.pong_text``.
    ``unix_time``: seconds since 1970 at ``now``, for the tokens' validity. ``entropy``: returns a number of
    unpredictable bytes. ``most_peers``: further clients are told that the server is full. ``level``: deflate level of
    sent data; None for 1 to this machine and 6 elsewhere.
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
        self._codecs = ClientCodecs(spoken, entropy)
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

    def set_pong(self, text: str) -> None:
        """Replaces the answer to pings."""
        self._listener.pong_text = text

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        if self.nethernet is not None and self.nethernet.takes(address, datagram):
            self.nethernet.receive(address, datagram, now)
        elif self._transports is not Transports.NETHERNET:
            self._listener.receive(address, datagram, now)
        while (link := self._accepted_link()) is not None:
            peer = ServerPeer(link, self._codecs, self._unix_offset + now, self._level)
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
