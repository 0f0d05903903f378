"""Asks for sub-chunks: when a plan is made, from where, and what of it is asked.

Once a step:
1. what is overdue is free again;
2. when something changed that plans depend on (what is known, what is free again, anchors, the radius, where the
   player stands), the planner says what is wanted; only whom the change concerns is walked (``request_visibility``),
   and an edit that changes neither sight nor ground is no reason to plan;
3. when only the look turned while something is wanted or awaited, what is guessed where it looks changes: then, too,
   the planner says what is wanted; without attention it only orders that anew. When nothing changed, the last plan
   goes on;
4. when nothing is wanted and the player moves, the walk also runs from where it is likely to be soon;
5. as much as pace and ledger allow is asked, and states follow (``asking``). Over a slow line, what cannot matter for
   the picture (caves that sight does not reach, sky above all ground, what is needed soon) goes only beside the rest or
   out of a full burst: what the answers will show finds packets to be asked with.

A player who stands still and waits for nothing costs nothing. One that moves within a sub-chunk is walked for every
``WALK_AGAIN_BLOCKS`` and where it comes to rest: the walk's angle masks see from the eye, not from its sub-chunk.

Requests end at the granted radius around the player, whoever wants them.

The player is the eye of requests, never the camera (seed 000: "from the player's Client-side position").

Asking: What is wanted and asked: one plan after another, joined to pace, ledger and store.
1. As much as pace and ledger allow is packed and asked, most urgent first.
2. States follow: asked places are REQUESTED, the rest of the plan is WANTED, what left the plan is UNKNOWN again, as is
   what was asked in vain, once nobody waits for it and a new plan does not want it.
3. In a replay it asks what was asked then (``retrace``); what makes no sense here, since part of a recording was lost,
   is left out.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import Eye
from client.session.request_visibility import DrainChanges, MovementPrediction, RequestVisibility
from client.streaming.anchors import Anchor, Anchors
from client.streaming.expected_ground import GroundEstimator
from client.streaming.ledger import Ledger
from client.streaming.planner import ASKABLE, Batch, Planner, RequestPlan, WalkFacts, pack, positions_of
from client.streaming.timeouts import RequestLimits, RequestPacer
from client.visibility import Walk
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.bedrock import SubChunkRequest
from net.space import Places, SubChunkPos, SubChunkPositions
from net.visibility import PlayerView, PriorityWeights


class ReplayedRequests(msgspec.Struct, frozen=True):
    """What was wanted and asked in a tick that is lived through again."""

    planned: bool  # whether a plan was made
    added: SubChunkPositions  # wanted and not asked, and not so before
    removed: SubChunkPositions  # so no longer
    asked: SubChunkPositions  # named in requests
    packets: int  # how many requests


class Asking:
    """What the last plan wants, and what of it was asked."""

    def __init__(self, store: Store, ledger: Ledger, limits: RequestLimits, now: float) -> None:
        """Wants nothing yet; ``now`` in monotonic seconds."""
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self._pacer = RequestPacer(limits, now)
        # places of the last plan that are not asked yet, in its order; not to be written
        self.wanted: Places = np.empty(0, np.int32)
        self.packets = 0  # requests so far
        self.entries = 0  # places named in them, repetitions included
        self.first_asked_at: float | None = None  # when the first request went out; None while none did

    def reset(self) -> None:
        """Another dimension: nothing is wanted there yet."""
        self.wanted = np.empty(0, np.int32)

    def packets_now(self, now: float) -> int:
        """How many requests may go now."""
        return self._pacer.available(now) if self._ledger.space else 0

    def ask(
        self, planned: Places, centre: SubChunkPos, packets: int, now: float, round_trip_s: float
    ) -> tuple[list[Batch], Places]:
        """Asks the first of what is planned, as much as may go.

        ``planned``: places, most urgent first; none is held. ``centre``: the player's sub-chunk, round which requests
        are packed. ``packets``: how many may go. ``round_trip_s``: the current estimate, for time-outs. Returns the
        requests, and the places they name.
        """
        most = min(self._ledger.space, packets * self._limits.entries_per_packet)
        positions = positions_of(self._store, planned[:most])
        batches = pack(positions, centre, self._limits.entries_per_packet)[:packets]
        if not batches:
            return [], np.empty(0, np.int32)
        asked: Places = planned[np.concatenate([batch.indices for batch in batches])]
        self._ledger.ask(asked, now, round_trip_s)
        if self.first_asked_at is None:
            self.first_asked_at = now
        self._pacer.spend(len(batches))
        self.packets += len(batches)
        self.entries += len(asked)
        return batches, asked

    def mark(self, planned: Places, asked: Places, now: float) -> None:
        """States follow a plan of which some places were just asked (rule 2); the others are wanted from now on."""
        state = self._store.state
        part = np.zeros(len(state), np.uint8)  # of each place in this plan: 0 none, 1 wanted, 2 asked
        part[planned] = 1
        part[asked] = 2
        wanted = planned[part[planned] == 1]
        left = self.wanted[part[self.wanted] == 0]
        fresh = wanted[(state[wanted] != SubChunkState.WANTED) & (state[wanted] != SubChunkState.RESET)]
        self._store.mark(left[state[left] == SubChunkState.WANTED], SubChunkState.UNKNOWN, now)
        self._store.mark(fresh, SubChunkState.WANTED, now)
        self._store.mark(asked, SubChunkState.REQUESTED, now)
        self.wanted = wanted

    def let_go(self, planned: Places, now: float) -> None:
        """Asked places that the ledger gave back and a new plan does not want: nobody waits for them any more."""
        requested = np.flatnonzero(self._store.state == SubChunkState.REQUESTED).astype(np.int32)
        given_back = requested[~self._ledger.held(requested)]
        self._store.mark(np.setdiff1d(given_back, planned), SubChunkState.UNKNOWN, now)

    def retrace(self, then: ReplayedRequests, now: float, round_trip_s: float) -> None:
        """Wants and asks what was wanted and asked then."""
        asked = self._places_open(then.asked)
        kept = self.wanted[np.isin(self.wanted // self._store.dimension.sections, self._store.announced_rows)]
        kept = np.setdiff1d(kept, self._store.places_of(then.removed))
        wanted = np.setdiff1d(np.union1d(kept, self._places_open(then.added)), asked)
        self._ledger.ask(asked, now, round_trip_s)
        self.packets += then.packets
        self.entries += len(asked)
        planned = np.union1d(wanted, asked)
        self.mark(planned, asked, now)
        if then.planned:
            self.let_go(planned, now)

    def _places_open(self, positions: SubChunkPositions) -> Places:
        """Places of announced columns that a request can help."""
        places = np.unique(self._store.places_of(positions))
        places = places[places >= self._store.dimension.sections]  # row 0 is what lies outside
        open_places: Places = places[np.isin(self._store.state[places], ASKABLE) & ~self._ledger.held(places)]
        return open_places


PLAYER_ANCHOR = "player"
WALK_AGAIN_BLOCKS: Final = 4.0
STANDING_BLOCKS: Final = 2.62
"""From an eye down into the block that its player stands on."""
SLOW_LINE_S: Final = 0.1
"""Over a round trip this long what lies below the surface is asked for with it."""
ORDER_AGAIN_COSINE: Final = 0.97
"""Of the angle (14 degrees) by which the look turned since what is wanted was ordered."""


class RequestStats(msgspec.Struct, frozen=True):
    """Counts of requests."""

    wanted: int  # places in the plan that are not asked yet
    packets: int  # requests sent
    entries: int  # places named in them, repetitions included
    reached: int  # places that the last walks reached
    walks: int  # walks so far, those of look-outs and of prediction among them


class Requests:
    """What is wanted and asked; owned by the session."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        anchors: Anchors,
        limits: RequestLimits,
        now: float,
        weights: PriorityWeights | None = None,
    ) -> None:
        """Asks nothing until columns are announced; pins the player's own among the session's anchors."""
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self.asking = Asking(store, ledger, limits, now)  # what of the last plan is asked, and when
        self._weights = weights or PriorityWeights()
        self._planner = Planner(limits, self._weights)
        walk = Walk()
        self._visibility = RequestVisibility(store, walk)
        self._prediction = MovementPrediction(self._weights, walk)
        self._attention = self._prediction.attention
        self.anchors = anchors
        self._dirty = True
        self._eye = self._planned_from = Eye(0.0, 0.0, 0.0)  # of the last step, of the last plan that was dirty
        self._forward = Eye(0.0, 0.0, 0.0)  # when what is wanted was ordered
        self._radius = -1
        self._surface: int | None = None  # section of the ground under where the player entered the dimension
        self._reached: Places = np.empty(0, np.int32)
        self._needs = np.empty(0, np.float32)
        self._pictured = np.empty(0, np.bool_)  # bool[places] whether it may matter for the picture, as last planned
        self.plans = 0  # made so far

    @property
    def needs(self) -> npt.NDArray[np.float32]:
        """float32[places] interest of each place when it was last planned, NaN: never; maybe shorter than the store."""
        return self._needs

    @property
    def wanted(self) -> int:
        """Places wanted and not asked yet; only right when nothing is dirty."""
        return len(self.asking.wanted)

    @property
    def dirty(self) -> bool:
        """Whether the plan is older than the world, or the player stands elsewhere."""
        return self._dirty or self._eye != self._planned_from

    def invalidate(self) -> None:
        """Something changed what is wanted, or what became of it; of what is seen, ``turned`` tells."""
        self._dirty = True

    def turned(self, turn: DrainChanges) -> None:
        """A drain changed what walks find, or the ground."""
        if turn.columns is None or len(turn.columns):
            self._prediction.forget()
        self._dirty |= self._visibility.record(turn.columns) or turn.ground

    def evicted(self) -> None:
        """Blocks far away were dropped: no reason to plan, but what was foreseen may be seen no more."""
        self._prediction.forget()

    def reset(self) -> None:
        """Another dimension: no place means what it did."""
        self._ledger.reset(len(self._store.state))
        self.asking.reset()
        self._reached = np.empty(0, np.int32)
        self._needs = np.empty(0, np.float32)
        self._pictured = np.empty(0, np.bool_)  # bool[places] whether it may matter for the picture, as last planned
        self._surface = None
        self._visibility.forget()
        self._prediction.forget()
        self.invalidate()

    def stats(self) -> RequestStats:
        """A frozen snapshot."""
        return RequestStats(
            self.wanted,
            self.asking.packets,
            self.asking.entries,
            len(self._reached),
            self._visibility.walks + self._prediction.walks,
        )

    def step(self, eye: Eye, forward: Eye, radius: int, now: float, round_trip_s: float) -> list[SubChunkRequest]:
        """Plans if needed and gives the requests that may go now.

        ``eye``: the player's. ``forward``: unit vector of its look; what it looks at comes a little sooner. ``radius``:
        how far the activity anchor reaches, in columns. ``round_trip_s``: the current estimate, for time-outs.
        """
        self._free_overdue(now)
        self._record_moves(eye, radius)
        self._record_surface(eye)
        self._attention.observe(now, (eye.x / 16, eye.y / 16, eye.z / 16), forward)
        packets = 0 if self._store.pools.crowded else self.asking.packets_now(now)
        if not packets:
            return []
        planned = self.asking.wanted
        slow = round_trip_s >= SLOW_LINE_S
        anew = self._looks_elsewhere(forward) or self._dirty or self._foresees()
        if anew:
            planned = self._plan(eye, forward, radius, slow)
        first = planned if not slow else self._ahead_of_spare(planned, packets)
        batches, asked = self.asking.ask(first, self._planned_from.subchunk, packets, now, round_trip_s)
        if anew or batches:
            self.asking.mark(planned, asked, now)
        if anew:
            self.asking.let_go(planned, now)
        self.plans += anew
        return [SubChunkRequest(self._store.dimension.number, batch.centre, batch.offsets) for batch in batches]

    def retrace(self, eye: Eye, then: ReplayedRequests, now: float, round_trip_s: float) -> None:
        """As ``step``, but wants and asks what was wanted and asked then; nothing is walked or planned."""
        self._free_overdue(now)
        if not (then.planned or len(then.asked)):
            return
        self._eye = self._planned_from = eye
        self._dirty = False
        self.asking.retrace(then, now, round_trip_s)

    def _free_overdue(self, now: float) -> None:
        self._ledger.resize(len(self._store.state))
        if len(self._ledger.expire(now)):
            self._dirty = True

    def _record_moves(self, eye: Eye, radius: int) -> None:
        """Whether the player stands where sight differs enough from the last plan's, or came to rest elsewhere."""
        came_to_rest, self._eye = eye == self._eye, eye
        planned_from = self._planned_from
        far = eye.subchunk != planned_from.subchunk or eye.distance_blocks(planned_from) >= WALK_AGAIN_BLOCKS
        self._dirty |= radius != self._radius or far or (came_to_rest and eye != planned_from)

    def _looks_elsewhere(self, forward: Eye) -> bool:
        """Whether the look turned since the last plan, and something still comes whose order or need that changes."""
        turned = _dot(forward, self._forward) < ORDER_AGAIN_COSINE
        turned = turned and (self.wanted > 0 or self._ledger.outstanding > 0)
        self._dirty |= turned and self._weights.attention
        return turned

    def _record_surface(self, eye: Eye) -> None:
        """Who enters a dimension stands on its ground, unless the server says where only later."""
        section = int((eye.y - STANDING_BLOCKS) // 16)
        if self._surface is None and self._store.dimension.holds_section(section):
            self._surface = section - self._store.dimension.floor_section

    def _plan(self, eye: Eye, forward: Eye, radius: int, slow: bool) -> Places:
        looker = PlayerView(
            (eye.x / 16, eye.y / 16, eye.z / 16), forward, self._attention.looks(), self._attention.keen
        )
        if self._dirty:
            self.anchors.pin(PLAYER_ANCHOR, Anchor.square(eye.column, radius))
            self._reached = self._visibility.look(
                eye, radius, self.anchors.pins, GroundEstimator(looker, self._weights, self._surface, slow)
            )
            self._dirty = False
            self._planned_from, self._radius = eye, radius
        granted, pins = Anchor.square(eye.column, radius), self.anchors.pins.items()
        pinned = [pin.anchor.common(granted) for name, pin in pins if name != PLAYER_ANCHOR and pin.eye is None]
        self._forward = forward
        expected = self._visibility.expected
        outlook = WalkFacts(expected.ground if expected else None, self._walk_ahead(granted))
        plan = self._planner.plan(self._store, self._ledger, looker, pinned, self._reached, granted, outlook)
        self._record_needs(plan)
        return plan.places

    def _ahead_of_spare(self, planned: Places, packets: int) -> Places:
        """What of a plan may go in so many packets: of what cannot matter for the picture no more than fits beside.

        A full burst is one packet more than is kept for what the answers will show.
        """
        size, pictured = self._limits.entries_per_packet, self._pictured[planned]
        least = 1 if packets >= self._limits.burst_packets else 0
        count = int(pictured.sum())
        capacity = max(-(-count // size), least) * size - count
        first: Places = planned[pictured | (np.cumsum(~pictured) <= capacity)]
        return first

    def _record_needs(self, plan: RequestPlan) -> None:
        more = len(self._store.state) - len(self._needs)
        if more > 0:
            self._needs = np.append(self._needs, np.full(more, np.nan, np.float32))
            self._pictured = np.append(self._pictured, np.zeros(more, bool))
        self._needs[plan.places] = plan.needs
        self._pictured[plan.places] = plan.pictured

    def _foresees(self) -> bool:
        """Whether the player is likely to come to where the last plan did not look, and nothing else is wanted."""
        return not self.wanted and self._prediction.elsewhere

    def _walk_ahead(self, granted: Anchor) -> Places | None:
        """Places that the player is likely to see soon in the columns it holds now; none while much is wanted now."""
        if self.wanted:
            self._prediction.look_nowhere()
            return None
        expected = self._visibility.open
        places = self._prediction.look_ahead(self._store, self._planned_from.column, self._radius, expected)
        if places is None:
            return None
        ahead: Places = places[granted.holds(self._store.columns[places // self._store.dimension.sections])]
        return ahead


def _dot(first: Eye, second: Eye) -> float:
    return first.x * second.x + first.y * second.y + first.z * second.z
