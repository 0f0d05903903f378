"""Both ends of a connection on simulated wires, in virtual time.

- ``PeerPair``: a client peer and a listener, with the events of both.
- ``Pair``: a client and a listener of RakNet alone.
- ``Bottleneck``: sessions that share a link of a fixed rate behind a drop-tail queue. Acknowledgements return over a
  path without limit. A datagram costs its UDP payload and 28 bytes of headers; the queue is the only cause of loss.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from net.bedrock import Codec, StartGame
from net.bedrock.login import Identity
from net.nethernet.sctp_association import SctpAssociation
from net.peer import ClientPeer, Event, Joined, PeerListener, ServerPeer
from net.raknet import Address, ClientConnection, Listener, ServerConnection
from net.raknet.connection import RaknetSession
from net.raknet.limits import Limits
from net.releases import ProtocolRange, release_of
from net.transport.faulty import PERFECT, Wire, WireFaults
from net.transport.loopback import Loopback

# ---------------------------------------------------------------- peer pair

SERVER = ("127.0.0.1", 19132)
ADA = Identity("Ada", "0d3b1f9c-3a83-4b41-9d60-0c6e6a1c5e11", "127.0.0.1:19132")
UNIX_TIME = 1_700_000_000.0
START = StartGame(entity_unique_id=1, runtime_id=1, position=(0.0, 64.0, 0.0))


class GreetingHost:
    """A host that answers a finished login with StartGame and ``afterwards``, and keeps all events."""

    def __init__(self, now: float, seed: int = 1, afterwards: Sequence[bytes] = (), protocol: int = 486) -> None:
        self.afterwards = afterwards
        pong = f"MCPE;pair;{protocol};{release_of(protocol).name};0;9;"
        self.listener = PeerListener(ProtocolRange.only(protocol), pong, now, UNIX_TIME, Random(seed).randbytes)
        self.peers: list[ServerPeer] = []
        self.events: list[Event] = []

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self.listener.receive(address, datagram, now)
        while (peer := self.listener.accept()) is not None:
            self.peers.append(peer)
        self._receive()

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        out = self.listener.datagrams(now)
        self._receive()  # logins that had to wait may have finished, too
        return out

    def _receive(self) -> None:
        for peer in self.peers:
            while (event := peer.next_event()) is not None:
                self.events.append(event)
                if isinstance(event, Joined):
                    peer.send(START)
                    for packet in self.afterwards:  # each in a batch of its own
                        peer.send_packet(packet)
                        peer.flush()

    def next_timer(self) -> float | None:
        return self.listener.next_timer()


class PeerPair:
    """A client peer and a greeting host; ``events`` are the client's, ``host.events`` the server's."""

    def __init__(
        self, up: WireFaults = PERFECT, down: WireFaults = PERFECT, seed: int = 0, protocol: int = 486
    ) -> None:
        self.up, self.down = Wire(up, seed), Wire(down, seed + 1)
        self.host = GreetingHost(0.0, seed + 2, protocol=protocol)
        self.client = ClientPeer(SERVER, Codec(protocol), ADA, 0.0, UNIX_TIME, Random(seed + 3).randbytes)
        self.link = Loopback(self.client, self.host, self.up, self.down)
        self.events: list[Event] = []

    @property
    def server(self) -> ServerPeer:
        return self.host.peers[0]

    def run(self, limit_s: float = 60.0, joined: bool = False, messages: int = -1) -> bool:
        """Runs until both ends have joined, or there are so many client events, or the time is over."""

        def done() -> bool:
            self.events += self.link.events()
            return (joined and self.client.joined) or (0 <= messages <= len(self.events))

        return self.link.run(done, limit_s)

    def join(self) -> "PeerPair":
        assert self.run(joined=True), (self.client.closed, self.events)
        return self


# ---------------------------------------------------------------- raknet wire

CLIENT = ("127.0.0.1", 50000)


def entropy(seed: int) -> Callable[[int], bytes]:
    return Random(seed).randbytes


class Pair:
    """``run`` lets virtual time pass event by event until a condition holds."""

    def __init__(
        self,
        up: WireFaults = PERFECT,
        down: WireFaults = PERFECT,
        seed: int = 0,
        limits: Limits | None = None,
        **client_options: object,
    ) -> None:
        self.now = 100.0
        self.limits = limits or Limits()
        self.up, self.down = Wire(up, seed), Wire(down, seed + 1)
        self.listener = Listener(7, "MCPE;x;486;1.18.11;0;1;7;y;Survival;1;19132;19132;", entropy(seed))
        self.client = ClientConnection(SERVER, 9, self.now, limits=self.limits, **client_options)
        self.server: ServerConnection | None = None
        self.from_client: list[bytes] = []
        self.from_server: list[bytes] = []

    def exchange(self) -> None:
        """Delivers what has arrived and sends what is due, once."""
        for datagram in self.up.pop(self.now):
            self.listener.receive(CLIENT, datagram, self.now)
        for datagram in self.down.pop(self.now):
            self.client.receive(datagram, self.now)
        self.server = self.listener.accept() or self.server
        while self.server and (payload := self.server.next_payload()) is not None:
            self.from_client.append(payload)
        while (payload := self.client.next_payload()) is not None:
            self.from_server.append(payload)
        for datagram in self.client.datagrams(self.now):
            self.up.push(datagram, self.now)
        for _, datagram in self.listener.datagrams(self.now):
            self.down.push(datagram, self.now)

    def run(self, until: Callable[[], bool], limit_s: float = 120.0) -> bool:
        """Runs; returns whether the condition held within so much virtual time."""
        end = self.now + limit_s
        while self.now < end:
            self.exchange()
            if until():
                return True
            timers = [part.next_timer() for part in (self.client, self.listener, self.up, self.down)]
            due = [timer for timer in timers if timer is not None]
            if not due:
                return False
            self.now = max(self.now + 1e-6, min(due))
        return False

    def connect(self) -> ServerConnection:
        assert self.run(lambda: self.client.connected and self.server is not None), self.client.closed
        assert self.server is not None
        return self.server


# ---------------------------------------------------------------- bottleneck

HEADER_BYTES = 28
DTLS_BYTES = 37
"""Bytes of header, number and tag of a DTLS record."""


@dataclass(slots=True)
class Link:
    """A link with a rate, a delay each way and a queue; ``busy_until`` is when its last byte leaves."""

    rate_bytes_s: float = 2e6
    delay_s: float = 0.025
    queue_bytes: int = 64 << 10
    busy_until: float = 0.0
    carried: int = 0
    lost: int = 0
    log: list[tuple[float, int]] = field(default_factory=list)

    def arrival(self, size_bytes: int, now: float) -> float | None:
        """The time at which a datagram that enters now arrives; None if the queue is full."""
        waiting_bytes = max(0.0, self.busy_until - now) * self.rate_bytes_s
        if waiting_bytes + size_bytes > self.queue_bytes:
            self.lost += 1
            return None
        self.busy_until = max(self.busy_until, now) + size_bytes / self.rate_bytes_s
        self.carried += 1
        return self.busy_until + self.delay_s

    @property
    def loss(self) -> float:
        """Share of dropped datagrams."""
        return self.lost / max(1, self.carried + self.lost)


class Flow:
    """One session that sends as much as it can through a link."""

    def __init__(self, starts_at: float, mtu_bytes: int = 1492, payload_bytes: int = 1 << 16) -> None:
        limits = Limits()
        self.starts_at = starts_at
        self.sender = RaknetSession(limits, mtu_bytes, starts_at)
        self.receiver = RaknetSession(limits, mtu_bytes, starts_at)
        self.received = 0  # payload bytes that the receiver delivered
        self._payload = b"\xfe" * payload_bytes
        self.sender.send(b"\xfehello")  # measures the round trip before anything large is sent

    def feed(self) -> None:
        """Keeps the outbox full."""
        while self.received and self.sender.sender.waiting_bytes < 1 << 20:
            self.sender.send(self._payload)

    def take(self) -> None:
        """Takes complete payloads in order."""
        while (payload := self.receiver.next_payload()) is not None:
            self.received += len(payload)


class AssociationEnd:
    """An SCTP association whose packets have the length that DTLS gives them, without handshake and cipher."""

    def __init__(self, entropy: Callable[[int], bytes], now: float) -> None:
        self.association = SctpAssociation(entropy, Limits(), now)
        self.association.start(now)

    def datagrams(self, now: float) -> list[bytes]:
        return [packet + bytes(DTLS_BYTES) for packet in self.association.packets(now)]

    def receive(self, datagram: bytes, now: float) -> None:
        self.association.receive(datagram[:-DTLS_BYTES], now)

    def next_timer(self) -> float | None:
        return self.association.next_timer()


class AssociationFlow:
    """Like ``Flow``, over NetherNet; the receiver has sent nothing but its handshake."""

    def __init__(self, starts_at: float, message_bytes: int = 1 << 16) -> None:
        self.starts_at = starts_at
        self.sender, self.receiver = (AssociationEnd(Random(seed).randbytes, starts_at) for seed in (1, 2))
        self.received = 0  # message bytes that the receiver delivered
        self._message = bytes(message_bytes)

    def feed(self) -> None:
        """Keeps the outbox full."""
        association = self.sender.association
        while association.is_up and association.queued_bytes < 2 << 20:
            association.send(1, 53, self._message)

    def take(self) -> None:
        """Takes complete payloads in order."""
        while (message := self.receiver.association.next_message()) is not None:
            self.received += len(message.body)


class Bottleneck:
    """Flows on a link; ``run`` lets virtual time pass event by event."""

    def __init__(self, link: Link, *flows: Flow | AssociationFlow) -> None:
        self.link = link
        self.flows = flows
        self.now = 0.0
        self._events: list[tuple[float, int, RaknetSession | AssociationEnd, bytes]] = []
        self._count = 0

    def _push(self, at: float, to: RaknetSession | AssociationEnd, datagram: bytes) -> None:
        self._count += 1
        heapq.heappush(self._events, (at, self._count, to, datagram))

    def _send(self, flow: Flow | AssociationFlow) -> None:
        flow.feed()
        for datagram in flow.sender.datagrams(self.now):
            arrival = self.link.arrival(len(datagram) + HEADER_BYTES, self.now)
            if arrival is not None:
                self._push(arrival, flow.receiver, datagram)
        for datagram in flow.receiver.datagrams(self.now):
            self._push(self.now + self.link.delay_s, flow.sender, datagram)

    def run(self, seconds: float) -> list[int]:
        """Runs for so long; returns the payload bytes that each flow delivered."""
        before = [flow.received for flow in self.flows]
        end = self.now + seconds
        while self.now < end:
            while self._events and self._events[0][0] <= self.now:
                _, _, session, datagram = heapq.heappop(self._events)
                session.receive(datagram, self.now)
            due = [end]
            for flow in self.flows:
                if flow.starts_at > self.now:
                    due.append(flow.starts_at)
                    continue
                flow.take()
                self._send(flow)
                due += [timer for each in (flow.sender, flow.receiver) if (timer := each.next_timer()) is not None]
            if self._events:
                due.append(self._events[0][0])
            self.now = max(self.now + 1e-5, min(due))
        return [flow.received - was for flow, was in zip(self.flows, before, strict=True)]


class LinkWire(Wire):
    """One direction of a loopback through a link; the link's rate may change."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def push(self, datagram: bytes, now: float) -> None:
        """Queues a datagram, or drops it if the queue is full."""
        arrival = self.link.arrival(len(datagram) + HEADER_BYTES, now)
        if arrival is None:
            self.lost += 1
            return
        self._pushed += 1
        heapq.heappush(self._under_way, (arrival, self._pushed, datagram))
