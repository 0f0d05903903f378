"""The client's end: finds the datagram size that passes, opens a session, and then is that session.

    PROBING --reply 1--> OPENING --reply 2--> CONNECTING --accepted--> CONNECTED
       |  ^                 |                     |                        |
       |  '-- other version |                     |                        |
       '------- no answer, refusal, time-out, close, disconnect --------> CLOSED

Rules:
1. Requests start large and shrink after a few tries: a path that cannot carry a size drops it silently.
2. If a server has another version, the client tries again in the version that the server names, once each, if it
   supports it.
3. ``closed`` is None or the reason; after it only the session's outstanding acknowledgements are sent. Payloads that
   came before may still be taken.
4. Payloads of the game stay in the session's inbox, within its limit, until they are taken.
"""

from collections.abc import Sequence
from enum import Enum, auto

from net.errors import DecodeError, LocalProtocolError
from net.raknet import handshake
from net.raknet.connection import LinkStats, RaknetSession, link_stats
from net.raknet.datagram import Reliability
from net.raknet.handshake import (
    REFUSALS,
    Address,
    HandshakeRefusal,
    IncompatibleVersion,
    OpenReply1,
    OpenReply2,
    OpenRequest1,
    OpenRequest2,
    read_offline,
    write_offline,
)
from net.raknet.limits import VERSIONS, Limits


class ConnectPhase(Enum):
    """The state of a client."""

    PROBING = auto()  # sending open request 1
    OPENING = auto()  # sending open request 2
    CONNECTING = auto()  # a session exists, its handshake is in progress
    CONNECTED = auto()
    CLOSED = auto()


class ClientConnection:
    """One attempt and, if it succeeds, one session.

    ``server``: destination of the datagrams; sent to the server, since some insist on its port. ``version``: the RakNet
    version tried first, 10 below protocol 554. ``versions``: those that the client supports.
    """

    batch_header = b"\xfe"
    encrypts = True

    def __init__(
        self,
        server: Address,
        guid: int,
        now: float,
        version: int = VERSIONS[0],
        versions: Sequence[int] = VERSIONS,
        limits: Limits | None = None,
    ) -> None:
        self.phase = ConnectPhase.PROBING
        self.closed: str | None = None
        self._server = server
        self._guid = guid
        self._limits = limits or Limits()
        self._version = version
        self._untried = {each for each in versions if each != version}
        self._tries = 0
        self._retry_at = now
        self._deadline: float | None = None
        self._reply: OpenReply1 | None = None
        self._probed_mtu = self._limits.mtus[0]
        self._session: RaknetSession | None = None
        self._datagrams_in = self._datagrams_out = self._bytes_in = self._bytes_out = self._malformed = 0

    @property
    def connected(self) -> bool:
        return self.phase is ConnectPhase.CONNECTED

    def set_hold(self, hold: bool) -> None:
        """Sets whether received data is neither stored nor acknowledged, see ``connection`` rule 2."""
        if self._session is not None:
            self._session.set_hold(hold)

    # ---------------------------------------------------------------- in

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Handles one datagram from the server's address."""
        del sender  # the socket receives only from the server
        self._datagrams_in += 1
        self._bytes_in += len(datagram)
        if self._session is not None:
            self._session.receive(datagram, now)
            self._take_payloads(self._session, now)
        elif self.phase is not ConnectPhase.CLOSED:
            try:
                self._receive_offline(datagram, now)
            except DecodeError:
                self._malformed += 1

    def _receive_offline(self, datagram: bytes, now: float) -> None:
        match read_offline(datagram):
            case OpenReply1() as reply if self.phase is ConnectPhase.PROBING:
                self._opened(reply, now)
            case OpenReply2(_, _, mtu_bytes) if self.phase is ConnectPhase.OPENING and self._reply is not None:
                self._connect(min(mtu_bytes, self._agreed(self._reply)), now)
            case IncompatibleVersion(version, _) if self.phase is ConnectPhase.PROBING:
                self._change_version(version, now)
            case HandshakeRefusal(kind, _):
                self._end(REFUSALS[kind])
            case _:
                self._malformed += 1

    def _agreed(self, reply: OpenReply1) -> int:
        return min(reply.mtu_bytes, self._probed_mtu, self._limits.mtus[0])

    def _opened(self, reply: OpenReply1, now: float) -> None:
        if self._agreed(reply) < self._limits.smallest_mtu:
            self._end(f"the server offers datagrams of {reply.mtu_bytes} bytes, too small for a session")
            return
        self.phase = ConnectPhase.OPENING
        self._reply = reply
        self._tries = 0
        self._retry_at = now

    def _change_version(self, version: int, now: float) -> None:
        if version == self._version:
            return  # a second answer to an earlier probe
        if version not in self._untried:
            self._end(f"the server speaks RakNet {version}, but this client tried {self._version}")
            return
        self._untried.discard(version)
        self._version = version
        self._retry_at = now

    def _connect(self, mtu_bytes: int, now: float) -> None:
        if mtu_bytes < self._limits.smallest_mtu:
            self._end(f"the server offers datagrams of {mtu_bytes} bytes, too small for a session")
            return
        self.phase = ConnectPhase.CONNECTING
        self._deadline = now + self._limits.handshake_s
        self._session = RaknetSession(self._limits, mtu_bytes, now)
        request = handshake.ConnectionRequest(self._guid, int(now * 1000))
        self._session.send(handshake.write_connection_request(request), Reliability.RELIABLE_ORDERED)

    def _take_payloads(self, session: RaknetSession, now: float) -> None:
        while self.phase is ConnectPhase.CONNECTING and (payload := session.next_payload()) is not None:
            if payload[0] == handshake.CONNECTION_ACCEPTED:
                self._accepted(session, payload, now)
            else:
                self._malformed += 1
        if session.ended is not None:
            self._end(session.ended)

    def _accepted(self, session: RaknetSession, payload: bytes, now: float) -> None:
        try:
            accepted = handshake.read_accepted(payload)
        except DecodeError as error:
            self._end(f"the server's acceptance cannot be decoded: {error}")
            return
        answer = handshake.ConnectionAccepted(self._server, accepted.second_ms, int(now * 1000))
        session.send(handshake.write_new_incoming(answer))
        self.phase = ConnectPhase.CONNECTED
        self._deadline = None

    def next_payload(self) -> bytes | None:
        """The next payload of the game, in order."""
        session = self._session
        while session is not None and self.phase is not ConnectPhase.CONNECTING:
            payload = session.next_payload()
            if payload is None or payload[0] >= handshake.FIRST_USER_ID:
                return payload
            self._malformed += 1
        return None

    @property
    def payload_at(self) -> float:
        """When the last datagram of the payload taken last arrived."""
        return 0.0 if self._session is None else self._session.payload_at

    # ---------------------------------------------------------------- out

    def send(self, payload: bytes, reliability: Reliability = Reliability.RELIABLE_ORDERED, channel: int = 0) -> None:
        """Queues one payload of the game; after the end it is dropped.

        Raises LocalProtocolError: there is no session yet, or the payload has no wire form.
        """
        if self._session is None or self.phase is ConnectPhase.CONNECTING:
            if self.phase is ConnectPhase.CLOSED:
                return
            raise LocalProtocolError("nothing can be sent before the connection is open")
        self._session.send(payload, reliability, channel)

    def close(self, reason: str, now: float) -> None:
        """Ends it from our side; ``closed`` is set when the goodbye has arrived or ``linger_s`` is over."""
        if self._session is None:
            self._end(reason)
        else:
            self._session.close(reason, now)

    def datagrams(self, now: float) -> list[bytes]:
        """All datagrams to send now; also runs the timers."""
        if self._session is None:
            out = self._offline_requests(now)
        else:
            if self._deadline is not None and now >= self._deadline and self.phase is ConnectPhase.CONNECTING:
                self._session.end("the server opened a session and then sent nothing")
            out = self._session.datagrams(now)
            if self._session.ended is not None:
                self._end(self._session.ended)
        self._datagrams_out += len(out)
        self._bytes_out += sum(map(len, out))
        return out

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """As ``datagrams``, with destinations."""
        return [(self._server, datagram) for datagram in self.datagrams(now)]

    def _offline_requests(self, now: float) -> list[bytes]:
        if self.phase is ConnectPhase.CLOSED or now < self._retry_at:
            return []
        if self._tries == self._limits.tries_per_mtu * len(self._limits.mtus):
            host, port = self._server
            self._end(f"{host} port {port} does not answer")
            return []
        self._retry_at = now + self._limits.retry_s
        self._tries += 1
        if self.phase is ConnectPhase.OPENING and self._reply is not None:
            mtu_bytes = self._agreed(self._reply)
            return [write_offline(OpenRequest2(self._server, mtu_bytes, self._guid, self._reply.cookie))]
        self._probed_mtu = self._limits.mtus[(self._tries - 1) // self._limits.tries_per_mtu]
        return [write_offline(OpenRequest1(self._version, self._probed_mtu))]

    def _end(self, reason: str) -> None:
        if self.closed is None:
            self.closed = reason
            self.phase = ConnectPhase.CLOSED

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once all is over."""
        if self._session is None:
            return None if self.phase is ConnectPhase.CLOSED else self._retry_at
        timer = self._session.next_timer()
        return timer if self._deadline is None or timer is None else min(timer, self._deadline)

    def stats(self) -> LinkStats:
        counted = LinkStats(self._datagrams_in, self._datagrams_out, self._bytes_in, self._bytes_out, self._malformed)
        return link_stats(self._session, counted)
