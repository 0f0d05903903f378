"""Goes a path with a connection and measures what came when.

Rules:
1. The path is gone in the connection's own time, real or virtual; what is measured is dated by it.
2. Nothing is looked at while the way goes on: pictures are dated at the next rest, when it is known what they show.
3. The player is where the eye is, as far as the server lets it: where a server rules movement, "teleport" is a flight.
4. Of a recording nothing can be asked, so it is measured as it was: one leg, from its first request to its end, dated
   by its own time.

Limits: what left the circle before the rest is not counted; on the standard path that is nothing but behind the fly.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from client.connection.connection import Connection
from client.player import Eye, View
from client.streaming.anchors import Anchor
from client.visibility.walk import Walk
from client.world.lifecycle import Knowledge
from client.world.places import NO_LIMIT
from client.world.store import Store
from net.frozen import frozen
from net.space.layout import Places
from render.capture.streaming.path import Leg
from render.capture.streaming.report import RECORDED, SHARES, LegReport, StreamReport
from render.capture.streaming.sight import holes, right_since

ANSWERED = (Knowledge.DATA, Knowledge.ALL_AIR, Knowledge.REFUSED, Knowledge.UNDECODABLE)
EVERYTHING = "everything"
LOOK_AROUND_BLOCKS = 4.0
"""Eyes of a way this far apart are asked what they can see."""
RECORDED_STEP_S = 0.002
"""A recording is lived through in pieces of so many seconds: some 0.2 s of its own (measured)."""

Progress = Callable[[float, str], None]


@frozen
class _Counters:
    """What a connection has counted at one moment."""

    asked: int
    received: int
    packets: int
    bytes_in: int
    bytes_out: int


@dataclass(slots=True)
class _Gone:
    """A leg that was gone, and not looked at yet."""

    leg: Leg
    ended_at: float
    before: _Counters
    after: _Counters


class StreamMeter:
    """Measures one connection; drives it meanwhile, and belongs to its thread."""

    def __init__(
        self,
        connection: Connection,
        clock: Callable[[], float],
        rest: Callable[[float], None],
        everything: bool = False,
    ) -> None:
        """Measures from now on.

        Args:
            connection: joined, its light off; not pumped by anybody else.
            clock: the connection's own.
            rest: waits so many seconds where nothing is to be done.
            everything: ask for every sub-chunk in the radius instead of what can be seen: the baseline.
        """
        self._connection = connection
        self._clock = clock
        self._rest = rest
        self._everything = everything
        self._walk = Walk()
        self._eyes: list[Eye] = []
        self._gone: list[_Gone] = []
        self._reports: list[LegReport] = []
        self._began_at = clock()
        self._settled_since = 0.0

    def run(self, path: tuple[Leg, ...], timeout_s: float, progress: Progress | None = None) -> StreamReport:
        """Goes the path.

        Args:
            path: its legs; the first begins where the connection looks.
            timeout_s: how long each rest may last.
            progress: told (share done 0..1, what is done) now and then.

        Raises:
            SourceError: the source ended the session.
        """
        tell = progress or (lambda _share, _what: None)
        start = self._connection.session.view
        before = _Counters(0, 0, 0, 0, 0)  # joining is part of the first leg
        for index, leg in enumerate(path):
            tell(index / len(path), leg.name)
            self._go(leg, start)
            now = self._clock()
            after = self._counters()
            self._gone.append(_Gone(leg, now if index else self._first_asked_at(now), before, after))
            rests = leg.rests or leg is path[-1]
            before = self._rest_and_look(timeout_s, tell, index / len(path)) if rests else after
            start = leg.end
        return self._told("every sub-chunk in radius" if self._everything else "what can be seen")

    def live_through(self, progress: Progress | None = None) -> StreamReport:
        """Measures a recording (rule 4), seen from where its player ended."""
        connection, tell = self._connection, progress or (lambda _share, _what: None)
        replay = connection.replay
        assert replay is not None
        first = self._first_answerable()
        while not replay.resting:
            connection.pump(budget_s=RECORDED_STEP_S)
            first = self._first_answerable() if first is None else first
            self._note_eye()
            tell(replay.position.time_s / max(replay.duration_s, 1e-6), RECORDED)
        now, view = connection.now, connection.session.view
        leg = Leg(RECORDED, View(connection.session.player, view.yaw_deg, view.pitch_deg, view.fov_deg))
        gone = _Gone(leg, now if first is None else first, _Counters(0, 0, 0, 0, 0), self._counters())
        self._reports.append(self._report(gone, now, connection.unsettled() is None, True))
        return self._told("what was asked then")

    def _told(self, wanted: str) -> StreamReport:
        counted = self._connection.statistics()
        return StreamReport(
            str(self._connection.source),
            wanted,
            self._connection.session.radius,
            counted.peer.rtt_s or 0.0,
            tuple(self._reports),
            counted.session.warnings,
        )

    # ------------------------------------------------------------ on the way

    def _go(self, leg: Leg, start: View) -> None:
        began_at = self._clock()
        while True:
            elapsed_s = self._clock() - began_at
            self._connection.look(leg.view(start, elapsed_s))
            self._turn()
            if elapsed_s >= leg.seconds:
                return

    def _turn(self) -> None:
        if self._everything:
            session = self._connection.session
            session.pin(EVERYTHING, Anchor.square(session.player.column, session.radius))
        busy = self._connection.pump()
        self._note_eye()
        if not busy:
            self._rest(0.002)

    def _note_eye(self) -> None:
        eye = self._connection.session.player
        if not self._eyes or eye.distance_blocks(self._eyes[-1]) >= LOOK_AROUND_BLOCKS:
            self._eyes.append(eye)

    def _first_answerable(self) -> float | None:
        """When the first of the places that are held or were answered was asked; of a recording, in its own time."""
        session = self._connection.session
        asked_at = session.ledger.entries.asked_at(session.store.places_of_rows(session.store.announced_rows))
        asked_at = asked_at[~np.isnan(asked_at)]
        return float(asked_at.min()) if len(asked_at) else None

    def _first_asked_at(self, now: float) -> float:
        """The spawn is dated from the first request: what a server does before it is not ours to hasten."""
        first = self._connection.session.first_asked_at
        return now if first is None else first

    # ------------------------------------------------------------ at rest

    def _rest_and_look(self, timeout_s: float, tell: Progress, share: float) -> _Counters:
        began_at = self._clock()
        settled = False
        while not settled and self._clock() < began_at + timeout_s:
            waiting_for = self._connection.unsettled()
            settled = waiting_for is None
            if not settled:
                tell(share, str(waiting_for))
                self._turn()
        now = self._clock()
        self._eyes.append(self._connection.session.player)
        after = self._counters()
        for gone in self._gone:
            last = gone is self._gone[-1]
            if last:
                gone.after = after
            self._reports.append(self._report(gone, now, settled, last))
        self._gone.clear()
        self._eyes.clear()
        self._settled_since = now
        return after

    def _report(self, gone: _Gone, now: float, settled: bool, last: bool) -> LegReport:
        store = self._connection.session.store
        since = right_since(store, gone.leg.end, gone.leg.yaws) - gone.ended_at
        places = store.places_of_rows(store.announced_rows)
        limits = store.limit[places // store.dimension.sections]
        below = (limits == NO_LIMIT) | (places % store.dimension.sections <= limits)
        return LegReport(
            name=gone.leg.name,
            terrain_px=len(since),
            right_s={share: _when(since, share) for share in SHARES} if len(since) else {},
            settled_s=now - gone.ended_at if last else 0.0,
            settled=settled,
            holes=holes(store, gone.leg.end, self._connection.session.radius) if last else 0,
            asked=gone.after.asked - gone.before.asked,
            received=gone.after.received - gone.before.received,
            in_vain=self._in_vain(store, places) if last else 0,
            packets=gone.after.packets - gone.before.packets,
            bytes_in=gone.after.bytes_in - gone.before.bytes_in,
            bytes_out=gone.after.bytes_out - gone.before.bytes_out,
            places=len(places),
            places_below_limit=int(below.sum()),
            answered=int(np.isin(store.state[places], ANSWERED).sum()),
        )

    def _in_vain(self, store: Store, places: Places) -> int:
        """Places answered since the last rest that no eye of the way needed."""
        session = self._connection.session
        ticking = session.config.limits.ticking_radius
        needed = np.zeros(len(store.state), bool)
        columns = store.columns[places // store.dimension.sections]
        for eye in self._eyes:
            needed[self._walk.run(store, eye, session.radius + 1).places] = True
            needed[places[Anchor.square(eye.column, ticking).holds(columns)]] = True
        fresh = np.isin(store.state[places], ANSWERED) & (store.since[places] >= self._settled_since)
        return int((fresh & ~needed[places]).sum())

    def _counters(self) -> _Counters:
        statistics = self._connection.statistics()
        requests, terrain, peer = statistics.session.requests, statistics.session.terrain, statistics.peer
        recorded = self._connection.replay is not None  # nothing is known of datagrams
        bytes_in, bytes_out = (
            (peer.packet_bytes_in, peer.packet_bytes_out) if recorded else (peer.bytes_in, peer.bytes_out)
        )
        return _Counters(requests.entries, terrain.accepted, requests.packets, bytes_in, bytes_out)


def _when(since: npt.NDArray[np.float64], share: int) -> float:
    """Seconds until ``share`` per cent of some pixels were right; 0 where they were from the start."""
    return max(float(since[-(-len(since) * share // 100) - 1]), 0.0)
