"""The live end of a connection: what the transport brings is told to the session, and what that says is sent.

Rules:
1. Events are applied in the order in which they came; what a budget leaves waits for the next turn, before newer ones.
2. What came and is not applied yet is on its way to the session, as what its transport has not got through.
3. A session that is written down (``scribe``) is ticked by its scribe, which notes what the tick decided.
"""

from collections import deque
from collections.abc import Callable

from client.connect.flood import Flood
from client.connect.scribe import Scribe
from client.session.session import Session
from net.peer import Event, Received
from net.transport.interface import Transport


class Live:
    """One session on one transport.

    Attributes:
        pending: events that came and are not applied yet.
        flood: whether the source does not stop changing.
        scribe: who writes the session down, where somebody does.
    """

    def __init__(self, session: Session, transport: Transport, clock: Callable[[], float]) -> None:
        """Nothing has come; the clock tells monotonic seconds."""
        self.pending: deque[Event] = deque()
        self.flood = Flood()
        self.scribe: Scribe | None = None
        self._session = session
        self._transport = transport
        self._clock = clock

    def hear(self, now: float, budget_s: float | None) -> bool:
        """Applies what came, for so long at most; whether anything had."""
        if self.scribe:
            self.scribe.begin(now)
        self.pending.extend(self._transport.events())
        busy = bool(self.pending)
        deadline = None if budget_s is None else self._clock() + budget_s
        while self.pending:
            event = self.pending.popleft()
            if self.scribe:
                self.scribe.heard(event)
            if isinstance(event, Received):
                self.flood.hear(event.message, self._session.store.row_of, now)
            self._session.handle(event, now)
            if deadline is not None and self._clock() >= deadline:
                break
        return busy

    def tick(self, now: float) -> bool:
        """One tick; sends what the session says, and whether it said anything."""
        stats = self._transport.stats()
        round_trip_s = stats.rtt_s or 0.0
        under_way = bool(self.pending) or stats.under_way(now)
        if self.scribe:
            said = self.scribe.tick(now, round_trip_s, under_way)
        else:
            self._session.tick(now, round_trip_s, under_way)
            said = self._session.take_outgoing()
        for message in said:
            self._transport.send(message)
        return bool(said)
