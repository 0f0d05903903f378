"""Both ends in one thread and in virtual time: no socket, no thread, no clock.

Rules:
1. ``step`` delivers everything that has arrived by ``now`` and all answers to it, until nothing more can happen at that
   time.
2. ``next_timer`` is the next time at which something happens, so a test jumps from event to event.
3. It is a ``Transport``: a session uses it like a network connection.
"""

from collections.abc import Callable
from typing import Final

from net.bedrock import Message
from net.peer import ClientPeer, Event, PeerStats
from net.raknet.handshake import Address
from net.transport.faulty import Wire
from net.transport.interface import ServerTransport

CLIENT_ADDRESS: Final[Address] = ("127.0.0.1", 50000)
_MOST_ROUNDS: Final = 100_000
_SMALLEST_STEP_S: Final = 1e-6


class Loopback:
    """One client and one host.

    ``client``: its peer. ``host``: the server's side. ``up``: the wire to the host; None for a perfect one. ``down``:
    the wire to the client. ``address``: the client's address as the host sees it. ``now``: time of the first step;
    ``close`` may be called before it.
    """

    def __init__(
        self,
        client: ClientPeer,
        host: ServerTransport,
        up: Wire | None = None,
        down: Wire | None = None,
        address: Address = CLIENT_ADDRESS,
        now: float = 0.0,
    ) -> None:
        self.now = now
        self.codec = client.codec
        self._client = client
        self._host = host
        self._up = up or Wire()
        self._down = down or Wire()
        self._address = address
        self._events: list[Event] = []

    def step(self, now: float) -> None:
        """Delivers everything up to ``now``."""
        self.now = now
        for _ in range(_MOST_ROUNDS):
            if not self._round(now):
                return
        raise RuntimeError(f"the two ends do not come to rest at {now} s")

    def _round(self, now: float) -> bool:
        outgoing = self._client.datagrams(now)
        for datagram in outgoing:
            self._up.push(datagram, now)
        arrived = self._up.pop(now)
        for datagram in arrived:
            self._host.receive(self._address, datagram, now)
        answers = [datagram for address, datagram in self._host.datagrams(now) if address == self._address]
        for datagram in answers:
            self._down.push(datagram, now)
        returned = self._down.pop(now)
        for datagram in returned:
            self._client.receive(datagram, now)
        while (event := self._client.next_event()) is not None:
            self._events.append(event)
        return bool(outgoing or arrived or answers or returned)

    def next_timer(self) -> float | None:
        """The next time at which something happens."""
        parts = (self._client, self._host, self._up, self._down)
        return min((timer for part in parts if (timer := part.next_timer()) is not None), default=None)

    def run(self, until: Callable[[], bool], limit_s: float, between: Callable[[float], None] | None = None) -> bool:
        """Steps from event to event until a condition holds; False if it does not within ``limit_s`` of virtual time.

        ``until``: checked after each step. ``limit_s``: seconds of virtual time. ``between``: called with the time
        after each step; a session ticks there.
        """
        end = self.now + limit_s
        while True:
            self.step(self.now)
            if between is not None:
                between(self.now)
            if until():
                return True
            timer = self.next_timer()
            if timer is None or self.now >= end:
                return False
            self.now = min(end, max(timer, self.now + _SMALLEST_STEP_S))

    # ---------------------------------------------------------------- Transport

    def send(self, message: Message) -> None:
        """Queues one message; it leaves with the next step."""
        self._client.send(message)

    def events(self) -> list[Event]:
        """Everything that happened since the last call."""
        events, self._events = self._events, []
        return events

    def close(self, reason: str) -> None:
        """Disconnects; on a perfect wire the host receives it at once."""
        self._client.close(reason, self.now)
        self.step(self.now)

    def stats(self) -> PeerStats:
        """A snapshot of the client's counters."""
        return self._client.stats()
