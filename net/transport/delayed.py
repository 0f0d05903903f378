"""A transport whose messages take longer: what a far-away server would be like.

The delay lies above RakNet. Nothing is lost or slowed down by it, so what is measured over it counts round trips of
requests and answers, and not how a congestion window opens (``faulty`` delays datagrams).
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from net.bedrock import Codec, Message
from net.peer import Event, PeerStats
from net.transport.contract import Transport


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
        """Queues one message."""
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
