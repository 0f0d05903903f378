"""The server's end: one socket, many sessions, answers to pings.

Rules:
1. No state is stored for an address before open request 2; from the version ``cookies_from`` on that request proves its
   address. If older versions are accepted, too, their clients prove nothing.
2. Answers to unproven addresses are shorter than the requests, except the pong, which is as long as its text: an
   address gets a limited number of pongs a second (``ping``).
3. ``accept`` returns a connection once, when its handshake is over; it is dropped when it has ended and sent its last
   datagram.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Sequence

from net.errors import DecodeError, LocalProtocolError
from net.raknet import handshake, ping
from net.raknet.connection import LinkStats, RaknetSession, link_stats
from net.raknet.datagram import Reliability
from net.raknet.handshake import (
    Address,
    HandshakeRefusal,
    IncompatibleVersion,
    OpenReply1,
    OpenReply2,
    OpenRequest1,
    OpenRequest2,
)
from net.raknet.limits import SERVER_LIMITS, VERSIONS, Limits
from net.raknet.ping import Pongs


class ServerConnection:
    """One client of a listener. Only the listener makes it."""

    batch_header = b"\xfe"
    encrypts = True
    login_key = None

    def __init__(self, address: Address, guid: int, mtu_bytes: int, now: float, limits: Limits) -> None:
        self.address = address
        self.guid = guid
        self.mtu_bytes = mtu_bytes
        self.connected = False
        self._answered = False  # its connection request
        self._session = RaknetSession(limits, mtu_bytes, now)
        self.backlog = self._session.sender
        self._deadline = now + limits.handshake_s
        self._datagrams_in = self._datagrams_out = self._bytes_in = self._bytes_out = self._malformed = 0

    @property
    def closed(self) -> str | None:
        """None, or why it is over."""
        return self._session.ended

    def receive(self, datagram: bytes, now: float) -> None:
        self._datagrams_in += 1
        self._bytes_in += len(datagram)
        self._session.receive(datagram, now)
        while not self.connected and (payload := self._session.next_payload()) is not None:
            try:
                self._take(payload, now)
            except DecodeError:
                self._malformed += 1

    def _take(self, payload: bytes, now: float) -> None:
        kind = payload[0]
        if kind == handshake.CONNECTION_REQUEST:
            request = handshake.read_connection_request(payload)
            if self._answered:
                return  # the acceptance is resent until it arrives; one for each request could be any number
            self._answered = True
            answer = handshake.ConnectionAccepted(self.address, request.sent_ms, int(now * 1000))
            self._session.send(handshake.write_accepted(answer))
        elif kind == handshake.NEW_INCOMING_CONNECTION:
            self.connected = True  # its content is the client's view of addresses, which differs between clients
        else:
            self._malformed += 1

    def next_payload(self) -> bytes | None:
        """The next payload of the game, in order; it stays in the session's inbox, within its limit, until taken."""
        while self.connected and (payload := self._session.next_payload()) is not None:
            if payload[0] >= handshake.FIRST_USER_ID:
                return payload
            self._malformed += 1
        return None

    @property
    def payload_at(self) -> float:
        """When the last datagram of the payload taken last arrived."""
        return self._session.payload_at

    def send(self, payload: bytes, reliability: Reliability = Reliability.RELIABLE_ORDERED, channel: int = 0) -> None:
        """Queues one payload of the game; after the end it is dropped.

        Raises LocalProtocolError: the handshake is not over, or the payload has no wire form.
        """
        if not self.connected:
            raise LocalProtocolError("nothing can be sent before the connection is open")
        self._session.send(payload, reliability, channel)

    def close(self, reason: str, now: float) -> None:
        """Ends it from our side; ``closed`` is set when the goodbye has arrived or ``linger_s`` is over."""
        self._session.close(reason, now)

    def datagrams(self, now: float) -> list[bytes]:
        """All datagrams to send now; also runs the timers."""
        if not self.connected and now >= self._deadline:
            self._session.end("the client did not finish the handshake")
        out = self._session.datagrams(now)
        self._datagrams_out += len(out)
        self._bytes_out += sum(map(len, out))
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once all is over."""
        timer = self._session.next_timer()
        return timer if timer is None or self.connected else min(timer, self._deadline)

    def stats(self) -> LinkStats:
        counted = LinkStats(self._datagrams_in, self._datagrams_out, self._bytes_in, self._bytes_out, self._malformed)
        return link_stats(self._session, counted)


class Listener:
    """All clients of one address.

    ``guid``: a unique 64-bit number. ``pong_text``: the answer to pings (``ping.pong_text``); may be replaced at any
    time. ``entropy``: for the secret behind the cookies. ``versions``: accepted RakNet versions; other clients are told
    the first. ``cookies_from``: the version from which clients prove their addresses, None for no version. Clients
    older than 1.19.30 mistake the cookie for encryption and leave. ``most_connections``: further clients are told that
    the server is full.
    """

    def __init__(
        self,
        guid: int,
        pong_text: str,
        entropy: Callable[[int], bytes],
        versions: Sequence[int] = VERSIONS,
        *,
        cookies_from: int | None = None,
        most_connections: int = 64,
        limits: Limits = SERVER_LIMITS,
    ) -> None:
        self.pong_text = pong_text
        self.strangers_malformed = 0
        self._guid = guid
        self._secret = entropy(16)
        self._versions = tuple(versions)
        self._cookies_from = cookies_from
        self._all_prove = cookies_from is not None and min(versions) >= cookies_from
        self._most_connections = most_connections
        self._limits = limits
        self._connections: dict[Address, ServerConnection] = {}
        self._accepted: deque[ServerConnection] = deque()
        self._replies: list[tuple[Address, bytes]] = []
        self._pongs = Pongs()

    @property
    def connections(self) -> int:
        """Number of connections, unfinished ones included."""
        return len(self._connections)

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        connection = self._connections.get(address)
        if connection is not None and datagram[:1] >= b"\x80":
            was_connected = connection.connected
            connection.receive(datagram, now)
            if connection.connected and not was_connected:
                self._accepted.append(connection)
            return
        try:
            self._receive_offline(address, datagram, now)
        except DecodeError:
            self.strangers_malformed += 1

    def _receive_offline(self, address: Address, datagram: bytes, now: float) -> None:
        sent_ms = ping.read_ping(datagram)
        if sent_ms is not None:
            free = len(self._connections) < self._most_connections
            asked = free or datagram[0] != ping.UNCONNECTED_PING_IF_FREE
            if asked and self._pongs.allow(address[0], now):
                self._replies.append((address, ping.write_pong(sent_ms, self._guid, self.pong_text)))
            return
        proves = self._all_prove or (self._cookies_from is not None and handshake.carries_cookie(datagram))
        match handshake.read_offline(datagram, cookies=proves):
            case OpenRequest1() as request:
                self._reply(address, self._answer_1(address, request))
            case OpenRequest2() as request:
                self._reply(address, self._answer_2(address, request, now))
            case _:
                self.strangers_malformed += 1

    def _reply(self, address: Address, message: handshake.OfflineMessage) -> None:
        self._replies.append((address, handshake.write_offline(message)))

    def _answer_1(self, address: Address, request: OpenRequest1) -> handshake.OfflineMessage:
        if request.version not in self._versions:
            return IncompatibleVersion(self._versions[0], self._guid)
        mtu_bytes = min(request.mtu_bytes, self._limits.mtus[0])
        asked = self._cookies_from is not None and request.version >= self._cookies_from
        return OpenReply1(self._guid, self._cookie(address) if asked else None, mtu_bytes)

    def _answer_2(self, address: Address, request: OpenRequest2, now: float) -> handshake.OfflineMessage:
        if request.cookie != (None if request.cookie is None else self._cookie(address)):
            raise DecodeError("OpenRequest2", "cookie", 17, "it is not the one that was assigned to this address")
        if request.mtu_bytes < self._limits.smallest_mtu:
            reason = f"{request.mtu_bytes} is below {self._limits.smallest_mtu}"
            raise DecodeError("OpenRequest2", "mtu_bytes", len(handshake.MAGIC), reason)
        known = self._connections.get(address)
        if known is None:
            if len(self._connections) >= self._most_connections:
                return HandshakeRefusal(handshake.NO_FREE_CONNECTIONS, self._guid)
            mtu_bytes = min(request.mtu_bytes, self._limits.mtus[0])
            known = ServerConnection(address, request.guid, mtu_bytes, now, self._limits)
            self._connections[address] = known
        elif known.guid != request.guid or known.connected:
            return HandshakeRefusal(handshake.ALREADY_CONNECTED, self._guid)
        return OpenReply2(self._guid, address, known.mtu_bytes)  # also if our first one was lost

    def _cookie(self, address: Address) -> int:
        digest = hashlib.blake2s(repr(address).encode(), key=self._secret, digest_size=4).digest()
        return int.from_bytes(digest, "big")

    def accept(self) -> ServerConnection | None:
        """The next client whose handshake is over."""
        return self._accepted.popleft() if self._accepted else None

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""
        out, self._replies = self._replies, []
        for address, connection in list(self._connections.items()):
            out += [(address, datagram) for datagram in connection.datagrams(now)]
            if connection.closed is not None:
                del self._connections[address]
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest, None for never."""
        if self._replies:
            return 0.0
        timers = (connection.next_timer() for connection in self._connections.values())
        return min((timer for timer in timers if timer is not None), default=None)
