"""Waiting on the thread that owns a connection: turn after turn, until nothing is missing or there is no more to come.

Rules:
1. What is missing is asked after each turn, so that a wait for what is there already takes one turn.
2. The time is looked at between turns; a turn itself must end (``PUMP_S``).

Waits: What a connection still waits for: in words while it waits, by kind and place when it no longer does.

Rules:
1. Knowledge comes first, then its light, then that the source comes to rest; one word at a time.
2. Of a recording that rests nothing more comes, whatever the clock says.
"""

from collections.abc import Callable
from typing import Final

from client.connection.live import Live, Upkeep
from client.connection.stats import Lack, Settled, lack_of, lacking
from client.recording.replay import Replay
from client.session.session import Session
from client.session.stats import states_of
from client.streaming.anchors import Anchor
from net.frozen import frozen

# ---------------------------------------------------------------- settling

IDLE_S: Final = 0.002
"""How long a waiting owner sleeps when nothing came."""
PUMP_S: Final = 0.25
"""How long one turn of a wait may apply messages before it looks at the time."""


@frozen
class Settling:
    """How one waits.

    Attributes:
        turn: does what is due; whether anything was.
        at_rest: whether no turn will ever change anything again.
        clock: monotonic seconds.
        rest: waits for so many seconds.
    """

    turn: Callable[[], bool]
    at_rest: Callable[[], bool]
    clock: Callable[[], float]
    rest: Callable[[float], None]

    def wait(
        self, missing: Callable[[float], str | None], timeout_s: float, tell: Callable[[str], None] | None = None
    ) -> Settled:
        """Until nothing is missing, the time runs out, or all is at rest.

        Args:
            missing: says what is, in words, at a time; None: nothing.
            timeout_s: seconds to wait.
            tell: told what is missing after each turn.
        """
        start = self.clock()
        while True:
            busy = self.turn()
            now = self.clock()
            waiting_for = missing(now)
            if waiting_for is None:
                return Settled(True, "", now - start)
            if now >= start + timeout_s or self.at_rest():
                return Settled(False, waiting_for, now - start)
            if tell:
                tell(waiting_for)
            if not busy:
                self.rest(IDLE_S)


# ---------------------------------------------------------------- waits


@frozen
class Waits:
    """Of one connection.

    Attributes:
        shown: the session that is shown.
        replay: what moves through a recording or the past; None where the present is shown.
        live: what came and is not applied, and whether the source floods.
        upkeep: what is not lit.
    """

    shown: Callable[[], Session]
    replay: Callable[[], Replay | None]
    live: Live
    upkeep: Upkeep

    def unsettled(self, now: float, within: Anchor | None = None) -> str | None:
        """What knowledge is waited for, in words, or None.

        Args:
            now: monotonic seconds.
            within: columns that alone count.
        """
        if self.live.pending:
            return f"{len(self.live.pending)} messages are not applied yet"

        def ask(session: Session, at: float) -> str | None:
            return session.unsettled(at) if within is None else session.unsettled_within(within, at)

        replay = self.replay()
        return replay.unsettled(ask) if replay else ask(self.shown(), now)

    def unfinished(self, now: float, within: Anchor | None = None) -> str | None:
        """The same, light and the source's own rest included; makes a step of that light."""
        light = self._light_up if self.replay() else self.upkeep.step  # a recording rests once it is over, lit or not
        return self.unsettled(now, within) or light() or self.live.flood.words(now)

    def _light_up(self) -> None:
        self.upkeep.light_up()

    def missing(self, now: float, session_now: float, within: Anchor | None = None) -> tuple[Lack, ...]:
        """What is missing, by kind and place (``stats``); the light of what is known among it.

        Args:
            now: monotonic seconds.
            session_now: the session's time, which is another in a recording.
            within: columns that alone count.
        """
        changes, seconds = self.live.flood.changes(now)
        flood = Lack("changing", "changes", changes, words=f"in the last {seconds:.2g} s")
        found = (
            Lack("undecoded", "messages", len(self.live.pending)),
            *((flood,) if self.live.flood.words(now) else ()),
            *lacking(self.shown(), session_now, within),
            lack_of("unlit", "columns", self.upkeep.unlit),
        )
        return tuple(lack for lack in found if lack.count)


def share_done(session: Session) -> float:
    """How much of what is wanted is known, 0..1."""
    states = states_of(session.dimension.store)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    known = states.get("data", 0) + states.get("all_air", 0)
    return known / max(known + missing, 1)
