"""A wire with faults: loss, repetition, disorder and delay, the same for the same seed.

One direction of a path, in whatever time it is told. Disorder is what jitter makes: each datagram's delay is drawn
on its own, so a later one may overtake.
"""

import heapq
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Faults:
    """What a wire does to datagrams.

    Attributes:
        loss: share that is lost, 0..1.
        repetition: share that arrives twice.
        delay_s: the way's length.
        jitter_s: at most so much is added, drawn for each datagram.
        largest_bytes: larger datagrams are lost, as on a path with a small MTU; 0 for no limit.
        queue_datagrams: at most so many are under way, the rest is lost, as in a full socket buffer; 0 for no limit.
    """

    loss: float = 0.0
    repetition: float = 0.0
    delay_s: float = 0.0
    jitter_s: float = 0.0
    largest_bytes: int = 0
    queue_datagrams: int = 0


PERFECT = Faults()


class Wire:
    """One direction; ``lost`` counts what did not arrive."""

    def __init__(self, faults: Faults = PERFECT, seed: int = 0) -> None:
        self.faults = faults
        self.lost = 0
        self._random = Random(seed)
        self._under_way: list[tuple[float, int, bytes]] = []
        self._pushed = 0

    def push(self, datagram: bytes, now: float) -> None:
        """One datagram enters."""
        faults = self.faults
        too_large = faults.largest_bytes and len(datagram) > faults.largest_bytes
        full = faults.queue_datagrams and len(self._under_way) >= faults.queue_datagrams
        if too_large or full or self._random.random() < faults.loss:
            self.lost += 1
            return
        for _ in range(2 if self._random.random() < faults.repetition else 1):
            self._pushed += 1
            arrival = now + faults.delay_s + faults.jitter_s * self._random.random()
            heapq.heappush(self._under_way, (arrival, self._pushed, datagram))

    def pop(self, now: float) -> list[bytes]:
        """What has arrived by now, in the order of arrival."""
        out = []
        while self._under_way and self._under_way[0][0] <= now:
            out.append(heapq.heappop(self._under_way)[2])
        return out

    def next_timer(self) -> float | None:
        """When the next one arrives."""
        return self._under_way[0][0] if self._under_way else None
