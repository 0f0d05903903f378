"""A simulated wire with loss, repetition, reordering and delay, repeatable by seed.

A ``Wire`` is one direction of a path, in virtual time. A datagram whose delay is drawn individually may be overtaken;
the others share a delay that drifts between the same bounds, and keep their order.

``Delayed`` delays messages above RakNet, like a distant server. The delay causes no loss and no slowdown in RakNet, so
measurements over it count round trips of requests and answers, not the growth of a congestion window (``Wire`` delays
datagrams).

``dice`` makes seeded random generators, so that a failed run can be repeated. Only this module of ``net`` uses
``random``; keys and salts come from an injected entropy function instead.
"""

import heapq
from collections import deque
from collections.abc import Callable
from random import Random

import msgspec
from msgspec.structs import replace

from net.bedrock import Message
from net.peer import Event, PeerStats
from net.transport.interface import Transport


class Delayed:
    """A ``Transport`` around another one; due messages are sent and received when ``events`` is called."""

    def __init__(self, transport: Transport, round_trip_s: float, clock: Callable[[], float]) -> None:
        """Delays each way by half of ``round_trip_s``; ``clock`` gives monotonic seconds."""
        self.codec = transport.codec
        self._transport = transport
        self._way_s = round_trip_s / 2
        self._clock = clock
        self._up: deque[tuple[float, Message]] = deque()
        self._down: deque[tuple[float, Event]] = deque()

    def send(self, message: Message) -> None:
        self._up.append((self._clock() + self._way_s, message))

    def events(self) -> list[Event]:
        """The events that have arrived by now; also sends due messages."""
        now = self._clock()
        while self._up and self._up[0][0] <= now:
            self._transport.send(self._up.popleft()[1])
        self._down.extend((now + self._way_s, event) for event in self._transport.events())
        arrived = []
        while self._down and self._down[0][0] <= now:
            arrived.append(self._down.popleft()[1])
        return arrived

    def close(self, reason: str) -> None:
        """Closes it; delayed messages are lost, as they would be on a real path."""
        self._transport.close(reason)

    def stats(self) -> PeerStats:
        """A snapshot of the counters; the round trip includes the delay."""
        stats = self._transport.stats()
        return stats if stats.rtt_s is None else replace(stats, rtt_s=stats.rtt_s + 2 * self._way_s)


def dice(seed: int | str) -> Random:
    """A generator whose numbers are the same on every machine; text seeds give one for each purpose."""
    return Random(seed)


class WireFaults(msgspec.Struct, frozen=True):
    """The faults of a wire."""

    loss: float = 0.0  # share of lost datagrams, 0..1
    repetition: float = 0.0  # share of datagrams that arrive twice
    delay_s: float = 0.0  # delay of the path
    jitter_s: float = 0.0  # largest addition to it
    reordering: float = 1.0  # share of datagrams whose addition is drawn individually, 0..1
    largest_bytes: int = 0  # larger datagrams are lost, as on a path with a small MTU; 0 for no limit
    # datagrams in flight at most; others are lost, as in a full socket buffer; 0 for no limit
    queue_datagrams: int = 0


PERFECT = WireFaults()
_DRIFT_STEP = 0.05


class Wire:
    """One direction; ``lost`` counts lost datagrams."""

    def __init__(self, faults: WireFaults = PERFECT, seed: int = 0) -> None:
        self.faults = faults
        self.lost = 0
        self._random = dice(seed)
        self._under_way: list[tuple[float, int, bytes]] = []
        self._pushed = 0
        self._drift = 0.5  # share of the jitter, for datagrams that keep their order
        self._last_in_order = 0.0

    def push(self, datagram: bytes, now: float) -> None:
        faults = self.faults
        too_large = faults.largest_bytes and len(datagram) > faults.largest_bytes
        full = faults.queue_datagrams and len(self._under_way) >= faults.queue_datagrams
        if too_large or full or self._random.random() < faults.loss:
            self.lost += 1
            return
        for _ in range(2 if self._random.random() < faults.repetition else 1):
            self._pushed += 1
            arrival = self._arrival(now)
            heapq.heappush(self._under_way, (arrival, self._pushed, datagram))

    def _arrival(self, now: float) -> float:
        faults = self.faults
        if faults.reordering >= 1.0 or self._random.random() < faults.reordering:
            return now + faults.delay_s + faults.jitter_s * self._random.random()
        drift = self._drift + _DRIFT_STEP * (2 * self._random.random() - 1)
        self._drift = min(1.0, max(0.0, drift))
        self._last_in_order = max(self._last_in_order, now + faults.delay_s + faults.jitter_s * self._drift)
        return self._last_in_order

    def pop(self, now: float) -> list[bytes]:
        """The datagrams that have arrived by now, in order of arrival."""
        out = []
        while self._under_way and self._under_way[0][0] <= now:
            out.append(heapq.heappop(self._under_way)[2])
        return out

    def next_timer(self) -> float | None:
        return self._under_way[0][0] if self._under_way else None
