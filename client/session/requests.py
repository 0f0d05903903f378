"""Plans and sends sub-chunk requests.

Each step:
1. Overdue requests are freed in the ledger.
2. If something changed that plans depend on (known sub-chunks, freed requests, anchors, the radius, the player's
   place), the planner makes a new plan; only the walks that a change concerns run again (``request_visibility``).
3. If only the look turned while something is wanted or outstanding, the planner also makes a new plan; with
   ``weights.attention`` off it only sorts the old one again. If nothing changed, the last plan goes on.
4. If nothing is wanted and the player moves, the walk also runs from where it is likely to be soon.
5. As many requests as pace and ledger allow are sent, and states follow (``Asking``). On a slow line, places that
   cannot matter for the picture (unseen caves, sky above all ground, predicted places) go only in the free entries of
   other packets or in a full burst, so that packets are left to request what the answers will show.

A player who stands still and waits for no answer costs nothing. Within a sub-chunk the walk runs again after every
``WALK_AGAIN_BLOCKS`` and where the player stops. Requests end at the granted radius around the player, also those for
anchors: their origin is the player, never the camera (seed 000: "from the player's Client-side position").
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
from client.streaming.limits import RequestLimits
from client.streaming.planner import ASKABLE, NEEDED, Batch, Planner, RequestPlan, WalkFacts, pack
from client.streaming.timeouts import RequestPacer
from client.visibility import Walk
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.arrays import Bytes, Places, SubChunkPositions
from net.bedrock import SubChunkRequest
from net.space import SubChunkPos
from net.visibility.priority import PlayerView, PriorityWeights


class ReplayedRequests(msgspec.Struct, frozen=True):
    """Requests of one recorded tick."""

    planned: bool  # whether a plan was made
    added: SubChunkPositions  # newly wanted and not requested
    removed: SubChunkPositions  # no longer wanted
    asked: SubChunkPositions  # named in requests
    packets: int  # number of request packets


class Asking:
    """The wanted places of the last plan, and the requests made for them.

    As much as pace and ledger allow is packed and requested, most urgent first. Requested places become REQUESTED, the
    rest of the plan WANTED; places that left the plan become UNKNOWN again, as do places whose request expired, once a
    new plan does not contain them.
    """

    def __init__(self, store: Store, ledger: Ledger, limits: RequestLimits, now: float) -> None:
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self._pacer = RequestPacer(limits, now)
        # places of the last plan that are not requested yet, in its order; read only
        self.wanted: Places = np.empty(0, np.int32)
        self.packets = 0  # request packets so far
        self.entries = 0  # places named in them, repetitions included
        self.first_asked_at: float | None = None  # when the first request was made; None before it

    def reset(self) -> None:
        self.wanted = np.empty(0, np.int32)

    def packets_now(self, now: float) -> int:
        return self._pacer.available(now) if self._ledger.space else 0

    def ask(
        self, planned: Places, centre: SubChunkPos, packets: int, now: float, round_trip_s: float
    ) -> tuple[list[Batch], Places]:
        """Requests the first places of a plan, as many as may go; returns the packets, and the places they name.

        ``planned``: most urgent first; none is outstanding. ``centre``: the player's sub-chunk, around which requests
        are packed. ``packets``: how many may go. ``round_trip_s``: the current estimate, for time-outs.
        """
        most = min(self._ledger.space, packets * self._limits.entries_per_packet)
        positions = self._store.positions_of(planned[:most])
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
        """Updates the states after a plan of which the places ``asked`` were just requested (rule 2)."""
        state = self._store.state
        part = np.zeros(len(state), np.uint8)  # of each place: 0 not in this plan, 1 wanted, 2 requested
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
        """Marks places as UNKNOWN whose request the ledger freed and which the new plan does not contain."""
        requested = np.flatnonzero(self._store.state == SubChunkState.REQUESTED).astype(np.int32)
        given_back = requested[~self._ledger.held(requested)]
        self._store.mark(np.setdiff1d(given_back, planned), SubChunkState.UNKNOWN, now)

    def retrace(self, then: ReplayedRequests, now: float, round_trip_s: float) -> None:
        """Applies the plan and the requests of a recorded tick, without those that are not legal after a loss."""
        asked = self._open(self._store.places_of(then.asked))
        kept = np.setdiff1d(self.wanted, self._store.places_of(then.removed))
        wanted = np.setdiff1d(self._open(np.union1d(kept, self._store.places_of(then.added))), asked)
        self._ledger.ask(asked, now, round_trip_s)
        self.packets += then.packets
        self.entries += len(asked)
        planned = np.union1d(wanted, asked)
        self.mark(planned, asked, now)
        if then.planned:
            self.let_go(planned, now)

    def _open(self, places: Places) -> Places:
        """Those places of announced columns that may be requested now, each once."""
        places = np.unique(places)
        places = places[np.isin(places // self._store.dimension.sections, self._store.announced_rows)]
        found: Places = places[np.isin(self._store.state[places], ASKABLE) & ~self._ledger.held(places)]
        return found


PLAYER_ANCHOR = "player"
WALK_AGAIN_BLOCKS: Final = 4.0
STANDING_BLOCKS: Final = 2.62
"""From the eye down into the block that the player stands on."""
SLOW_LINE_S: Final = 0.1  # from this round trip on, places below the surface are requested together with it
ORDER_AGAIN_COSINE: Final = 0.97
"""Cosine of the angle (14 degrees) by which the look must turn before the plan is sorted again."""


class RequestStats(msgspec.Struct, frozen=True):
    """Counts of requests."""

    wanted: int  # places in the plan that are not requested yet
    packets: int  # requests sent
    entries: int  # places named in them, repetitions included
    reached: int  # places that the last walks reached
    walks: int  # walks so far, those of anchors and of prediction included


class Requests:
    """Plans and requests; owned by the session."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        anchors: Anchors,
        limits: RequestLimits,
        now: float,
        weights: PriorityWeights | None = None,
    ) -> None:
        """The player's own anchor is pinned among ``anchors`` with the first plan."""
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self.asking = Asking(store, ledger, limits, now)  # the last plan and its requests
        self._weights = weights or PriorityWeights()
        self._planner = Planner(limits, self._weights)
        walk = Walk()
        self._visibility = RequestVisibility(store, walk)
        self._prediction = MovementPrediction(self._weights, walk)
        self._attention = self._prediction.attention
        self.anchors = anchors
        self._dirty = True
        self._eye = self._planned_from = Eye(0.0, 0.0, 0.0)  # at the last step; at the last plan that was dirty
        self._forward = Eye(0.0, 0.0, 0.0)  # the look when the plan was last sorted
        self._radius = -1
        self._surface: int | None = None  # section of the ground where the player entered the dimension
        self._entered_at: Eye | None = None  # where a replayed player entered the dimension; None before its first tick
        self._unmoved = True  # whether a replayed player was always near that place, and had the only anchor
        self._reached: Places = np.empty(0, np.int32)
        # float32[places] priority of each place when last planned, NaN: never; may be shorter than the store
        self.needs = np.empty(0, np.float32)
        self._pictured = np.empty(0, np.bool_)  # bool[places] whether it may matter for the picture, as last planned
        self._named: Bytes = np.empty(0, np.uint8)  # uint8[places] why each was in the last plan (``planner``)
        self.plans = 0  # number of plans so far

    @property
    def wanted(self) -> int:
        """Number of places in the plan that are not requested yet; only right when nothing is dirty."""
        return len(self.asking.wanted)

    @property
    def dirty(self) -> bool:
        """Whether the plan is out of date, or the player is elsewhere."""
        return self._dirty or self._eye != self._planned_from

    @property
    def needed(self) -> npt.NDArray[np.bool_]:
        """Which places the player sees, or must know unseen, as last planned: bool[places], or fewer than the store's.

        The others are known because they were requested ahead, or were needed from elsewhere. Empty without a plan.
        """
        return np.isin(self._named, NEEDED)

    def invalidate(self) -> None:
        """Requires a new plan, after a change of anything but visibility; for that see ``turned``."""
        self._dirty = True

    def turned(self, turn: DrainChanges) -> None:
        """Records what a drain changed for walks or the ground."""
        if turn.columns is None or len(turn.columns):
            self._prediction.forget()
        self._dirty |= self._visibility.record(turn.columns) or turn.ground

    def evicted(self) -> None:
        """Drops predicted places after an eviction of far blocks, which needs no new plan."""
        self._prediction.forget()

    def reset(self) -> None:
        """Forgets all, for another dimension, in which place numbers mean other places."""
        self._ledger.reset(len(self._store.state))
        self.asking.reset()
        self._reached = np.empty(0, np.int32)
        self.needs = np.empty(0, np.float32)
        self._named = np.empty(0, np.uint8)
        self._pictured = np.empty(0, np.bool_)
        self._surface = self._entered_at = None
        self._unmoved = True
        self._visibility.forget()
        self._prediction.forget()
        self.invalidate()

    def stats(self) -> RequestStats:
        return RequestStats(
            self.wanted,
            self.asking.packets,
            self.asking.entries,
            len(self._reached),
            self._visibility.walks + self._prediction.walks,
        )

    def step(self, eye: Eye, forward: Eye, radius: int, now: float, round_trip_s: float) -> list[SubChunkRequest]:
        """Plans if needed and returns the requests that may go now.

        ``forward``: unit vector of the look; what it looks at comes a little sooner. ``radius``: of the player's
        anchor, in columns. ``round_trip_s``: the current estimate, for time-outs.
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
        foresees = not self.wanted and self._prediction.elsewhere
        anew = self._looks_elsewhere(forward) or self._dirty or foresees
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
        """Like ``step``, but applies the recorded plan and requests; no walk and no planning."""
        self._record_position(eye)
        self._free_overdue(now)
        if not (then.planned or len(then.asked)):
            return
        self._eye = self._planned_from = eye
        self._dirty = False
        self.asking.retrace(then, now, round_trip_s)

    def survey(self, eye: Eye, forward: Eye, radius: int, now: float) -> None:
        """Plans without requesting, to tell what is ``needed`` in a replay, which plans nothing by itself.

        Nothing is planned if the player was elsewhere, or if there were other anchors: what was needed for those cannot
        be told from here.
        """
        if self._record_position(eye):
            self._attention.observe(now, (eye.x / 16, eye.y / 16, eye.z / 16), forward)
            self._dirty = True
            self._plan(eye, forward, radius, slow=False)

    def _record_position(self, eye: Eye) -> bool:
        """Returns whether a replayed player was always near the place where it entered, and had the only anchor."""
        self._entered_at = self._entered_at or eye
        near = eye.distance_blocks(self._entered_at) < WALK_AGAIN_BLOCKS
        self._unmoved &= near and self.anchors.pins.keys() <= {PLAYER_ANCHOR}
        return self._unmoved

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
        """Whether the look turned since the last plan while the order of wanted or outstanding places depends on it."""
        turned = _dot(forward, self._forward) < ORDER_AGAIN_COSINE
        turned = turned and (self.wanted > 0 or self._ledger.outstanding > 0)
        self._dirty |= turned and self._weights.attention
        return turned

    def _record_surface(self, eye: Eye) -> None:
        """Takes the section under the player as the ground; the first position within the dimension counts."""
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
        self._named = plan.named
        self._record_needs(plan)
        return plan.places

    def _ahead_of_spare(self, planned: Places, packets: int) -> Places:
        """The places that may go in so many packets; those that cannot matter for the picture only fill free entries.

        A full burst may spend one packet on them alone: it is one more than is kept for what the answers will show.
        """
        size, pictured = self._limits.entries_per_packet, self._pictured[planned]
        least = 1 if packets >= self._limits.burst_packets else 0
        count = int(pictured.sum())
        capacity = max(-(-count // size), least) * size - count
        first: Places = planned[pictured | (np.cumsum(~pictured) <= capacity)]
        return first

    def _record_needs(self, plan: RequestPlan) -> None:
        more = len(self._store.state) - len(self.needs)
        if more > 0:
            self.needs = np.append(self.needs, np.full(more, np.nan, np.float32))
            self._pictured = np.append(self._pictured, np.zeros(more, bool))
        self.needs[plan.places] = plan.needs
        self._pictured[plan.places] = plan.pictured

    def _walk_ahead(self, granted: Anchor) -> Places | None:
        """Places within the granted columns that the player is likely to see soon; None while anything is wanted."""
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
