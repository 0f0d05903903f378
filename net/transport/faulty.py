"""A wire with faults: loss, repetition, disorder and delay, the same for the same seed.

One direction of a path, in whatever time it is told. A datagram whose delay is drawn on its own may be overtaken; the
others share a delay that drifts between the same bounds, and keep their order.

Delayed: A transport whose messages take longer: what a far-away server would be like.

The delay lies above RakNet. Nothing is lost or slowed down by it, so what is measured over it counts round trips of
requests and answers, and not how a congestion window opens (``faulty`` delays datagrams).

Dice: Chance for faults that are made on purpose: seeded, so that a run that went wrong goes wrong again.

The only room of ``net`` that knows ``random``; keys and salts come from an injected entropy function instead.
"""

import heapq
from collections import deque
from collections.abc import Callable
from random import Random

import msgspec
from msgspec.structs import replace

from net.bedrock import Codec, Message
from net.peer import Event, PeerStats
from net.transport.interface import Transport


class Delayed:
    """A ``Transport`` around another one; messages leave and arrive when ``events`` is called and they are due."""

    def __init__(self, transport: Transport, round_trip_s: float, clock: Callable[[], float]) -> None:
        """Delays each way by half of ``round_trip_s``; ``clock`` gives monotonic seconds."""
        self._transport = transport
        self._way_s = round_trip_s / 2
        self._clock = clock
        self._up: deque[tuple[float, Message]] = deque()
        self._down: deque[tuple[float, Event]] = deque()

    @property
    def codec(self) -> Codec:
        """Packets of the protocol that is spoken."""
        return self._transport.codec

    def send(self, message: Message) -> None:
        self._up.append((self._clock() + self._way_s, message))

    def events(self) -> list[Event]:
        """What has arrived by now; sends what is due."""
        now = self._clock()
        while self._up and self._up[0][0] <= now:
            self._transport.send(self._up.popleft()[1])
        self._down.extend((now + self._way_s, event) for event in self._transport.events())
        arrived = []
        while self._down and self._down[0][0] <= now:
            arrived.append(self._down.popleft()[1])
        return arrived

    def close(self, reason: str) -> None:
        """Says goodbye; what is still on its way is lost, as it would be."""
        self._transport.close(reason)

    def stats(self) -> PeerStats:
        """A snapshot of the counters; the round trip with the delay in it."""
        stats = self._transport.stats()
        return stats if stats.rtt_s is None else replace(stats, rtt_s=stats.rtt_s + 2 * self._way_s)


Dice = Random
"""What a fault draws from; the same seed draws the same, on every machine."""


def dice(seed: int | str) -> Dice:
    """Dice of a seed; words tell apart those of one seed that must not move each other."""
    return Dice(seed)


class WireFaults(msgspec.Struct, frozen=True):
    """What a wire does to datagrams."""

    loss: float = 0.0  # share that is lost, 0..1
    repetition: float = 0.0  # share that arrives twice
    delay_s: float = 0.0  # the way's length
    jitter_s: float = 0.0  # at most so much is added
    reordering: float = 1.0  # share whose addition is drawn on its own, 0..1
    largest_bytes: int = 0  # larger datagrams are lost, as on a path with a small MTU; 0 for no limit
    # at most so many are under way, the rest is lost, as in a full socket buffer; 0 for no limit
    queue_datagrams: int = 0


PERFECT = WireFaults()
_DRIFT_STEP = 0.05


class Wire:
    """One direction; ``lost`` counts what did not arrive."""

    def __init__(self, faults: WireFaults = PERFECT, seed: int = 0) -> None:
        self.faults = faults
        self.lost = 0
        self._random = dice(seed)
        self._under_way: list[tuple[float, int, bytes]] = []
        self._pushed = 0
        self._drift = 0.5  # of the jitter, for those that keep their order
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
        """What has arrived by now, in the order of arrival."""
        out = []
        while self._under_way and self._under_way[0][0] <= now:
            out.append(heapq.heappop(self._under_way)[2])
        return out

    def next_timer(self) -> float | None:
        return self._under_way[0][0] if self._under_way else None
