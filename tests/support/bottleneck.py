"""Sessions that meet in one bottleneck: a link of a fixed rate behind a drop-tail queue, in virtual time.

All sending ends share the link; acknowledgements come back over a free path. A datagram costs its UDP payload and 28
bytes of headers. ``lost`` counts what the queue dropped: all loss is of the senders' own making.
"""

import heapq
from dataclasses import dataclass, field

from net.raknet.connection import RaknetSession
from net.raknet.limits import Limits
from net.transport.faulty import Wire

HEADER_BYTES = 28


@dataclass(slots=True)
class Link:
    """A rate, a delay each way and a queue. ``busy_until`` is when its last byte leaves."""

    rate_bytes_s: float = 2e6
    delay_s: float = 0.025
    queue_bytes: int = 64 << 10
    busy_until: float = 0.0
    carried: int = 0
    lost: int = 0
    log: list[tuple[float, int]] = field(default_factory=list)

    def arrival(self, size_bytes: int, now: float) -> float | None:
        """When a datagram that enters now arrives, None when the queue is full."""
        waiting_bytes = max(0.0, self.busy_until - now) * self.rate_bytes_s
        if waiting_bytes + size_bytes > self.queue_bytes:
            self.lost += 1
            return None
        self.busy_until = max(self.busy_until, now) + size_bytes / self.rate_bytes_s
        self.carried += 1
        return self.busy_until + self.delay_s

    @property
    def loss(self) -> float:
        """Share of datagrams that it dropped."""
        return self.lost / max(1, self.carried + self.lost)


class Flow:
    """One session that sends as much as it can through a link."""

    def __init__(self, starts_at: float, mtu_bytes: int = 1492, payload_bytes: int = 1 << 16) -> None:
        limits = Limits()
        self.starts_at = starts_at
        self.sender = RaknetSession(limits, mtu_bytes, starts_at)
        self.receiver = RaknetSession(limits, mtu_bytes, starts_at)
        self.received = 0  # payload bytes that were handed out at the other end
        self._payload = b"\xfe" * payload_bytes
        self.sender.send(b"\xfehello")  # the handshake, which times the way before anything large goes

    def feed(self) -> None:
        """Keeps the outbox full."""
        while self.received and self.sender.sender.waiting_bytes < 1 << 20:
            self.sender.send(self._payload)

    def take(self) -> None:
        """Takes what has come whole and in order."""
        while (payload := self.receiver.next_payload()) is not None:
            self.received += len(payload)


class Bottleneck:
    """Flows on a link; ``run`` lets virtual time pass event by event."""

    def __init__(self, link: Link, *flows: Flow) -> None:
        self.link = link
        self.flows = flows
        self.now = 0.0
        self._events: list[tuple[float, int, RaknetSession, bytes]] = []
        self._count = 0

    def _push(self, at: float, to: RaknetSession, datagram: bytes) -> None:
        self._count += 1
        heapq.heappush(self._events, (at, self._count, to, datagram))

    def _send(self, flow: Flow) -> None:
        flow.feed()
        for datagram in flow.sender.datagrams(self.now):
            arrival = self.link.arrival(len(datagram) + HEADER_BYTES, self.now)
            if arrival is not None:
                self._push(arrival, flow.receiver, datagram)
        for datagram in flow.receiver.datagrams(self.now):
            self._push(self.now + self.link.delay_s, flow.sender, datagram)

    def run(self, seconds: float) -> list[int]:
        """Payload bytes each flow delivered meanwhile."""
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
    """One direction of a loopback through a link, whose rate may change meanwhile."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def push(self, datagram: bytes, now: float) -> None:
        """One datagram enters the queue, or finds it full."""
        arrival = self.link.arrival(len(datagram) + HEADER_BYTES, now)
        if arrival is None:
            self.lost += 1
            return
        self._pushed += 1
        heapq.heappush(self._under_way, (arrival, self._pushed, datagram))
