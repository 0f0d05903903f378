"""What a connection still waits for: in words while it waits, by kind and place when it no longer does.

Rules:
1. Knowledge comes first, then its light, then that the source comes to rest; one word at a time.
2. Of a recording that rests nothing more comes, whatever the clock says.
"""

from collections.abc import Callable

from client.connect.live import Live
from client.connect.missing import Lack, lack_of, lacking
from client.connect.replay import Replay
from client.connect.upkeep import Upkeep
from client.session.session import Session
from client.streaming.anchor import Anchor
from net.frozen import frozen


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
        """What is missing, by kind and place (``connect.missing``); the light of what is known among it.

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
    states = session.states()
    missing = states.get("wanted", 0) + states.get("requested", 0)
    known = states.get("data", 0) + states.get("all_air", 0)
    return known / max(known + missing, 1)
