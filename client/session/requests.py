"""Asks for sub-chunks: the walk, the planner, the pace and the ledger, joined to the store.

Once a step:
1. what is overdue is free again;
2. when something changed, or the player stands in another sub-chunk, the walk runs from the player's eye;
3. the planner says what is wanted; as much as pace and ledger allow is packed and asked, nearest first;
4. states follow: asked places are REQUESTED, the rest of the plan is WANTED, what left the plan is UNKNOWN again.

The player is the eye of requests, never the camera (seed 000: "from the player's Client-side position").
"""

from dataclasses import dataclass

import numpy as np

from client.player import Eye
from client.streaming.anchors import Anchor, Anchors
from client.streaming.batches import Batch, pack
from client.streaming.ledger import Ledger
from client.streaming.limits import Pacer, RequestLimits
from client.streaming.planner import ASKABLE, Plan, Planner
from client.streaming.presumed import presumed_open
from client.visibility.walk import Walk
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.bedrock import SubChunkRequest
from net.interest import Looker
from net.space.layout import Places, SubChunkPositions
from net.space.positions import SubChunkPos

PLAYER_ANCHOR = "player"


@dataclass(frozen=True, slots=True)
class RequestStats:
    """Counts of requests.

    Attributes:
        wanted: places in the plan that are not asked yet.
        packets: requests sent.
        entries: places named in them, repetitions included.
        reached: places the last walk reached.
        walks: walks so far.
    """

    wanted: int
    packets: int
    entries: int
    reached: int
    walks: int


@dataclass(frozen=True, slots=True)
class Retraced:
    """What was wanted and asked in a tick that is lived through again.

    Attributes:
        planned: whether a plan was made.
        added: wanted and not asked, and not so before.
        removed: so no longer.
        asked: named in requests.
        packets: how many requests.
    """

    planned: bool
    added: SubChunkPositions
    removed: SubChunkPositions
    asked: SubChunkPositions
    packets: int


class Requests:
    """What is wanted and asked; owned by the session."""

    def __init__(self, store: Store, ledger: Ledger, limits: RequestLimits, now: float) -> None:
        """Asks nothing until an anchor is pinned and columns are announced."""
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self._pacer = Pacer(limits, now)
        self._planner = Planner(limits)
        self._walk = Walk()
        self.anchors = Anchors()
        self._dirty = True
        self._player = SubChunkPos(0, 0, 0)
        self._reached: Places = np.empty(0, np.int32)
        self._wanted: Places = np.empty(0, np.int32)
        self._packets = self._entries = self._walks = 0
        self.plans = 0  # made so far
        self.first_asked_at: float | None = None  # of the session's first request

    @property
    def wanted_places(self) -> Places:
        """Places of the last plan that are not asked yet, in its order; not to be written."""
        return self._wanted

    @property
    def wanted(self) -> int:
        """Places wanted and not asked yet; only right when nothing is dirty."""
        return len(self._wanted)

    @property
    def dirty(self) -> bool:
        """Whether the plan is older than the world."""
        return self._dirty

    def invalidate(self) -> None:
        """Something changed what is known or wanted."""
        self._dirty = True

    def reset(self) -> None:
        """Another dimension: no place means what it did."""
        self._ledger.reset()
        self._reached = self._wanted = np.empty(0, np.int32)
        self._dirty = True

    def stats(self) -> RequestStats:
        """A frozen snapshot."""
        return RequestStats(len(self._wanted), self._packets, self._entries, len(self._reached), self._walks)

    def step(self, eye: Eye, forward: Eye, radius: int, now: float, round_trip_s: float) -> list[SubChunkRequest]:
        """Plans if needed and gives the requests that may go now.

        Args:
            eye: the player's.
            forward: unit vector of its look; what it looks at comes a little sooner.
            radius: how far the activity anchor reaches, in columns.
            now: monotonic seconds.
            round_trip_s: the current estimate, for time-outs.
        """
        self._free_overdue(eye, now)
        packets = self._pacer.available(now) if self._ledger.room else 0
        if not packets or not (self._dirty or len(self._wanted)):
            return []
        self._player = eye.subchunk
        plan = self._plan(eye, forward, radius)
        room = min(self._ledger.room, packets * self._limits.entries_per_packet)
        batches = pack(plan.positions[:room], self._player, self._limits.entries_per_packet)[:packets]
        asked = self._ask(plan, batches, now, round_trip_s)
        self._mark(plan.places, asked, now)
        return [SubChunkRequest(self._store.dimension.number, batch.centre, batch.offsets) for batch in batches]

    def retrace(self, eye: Eye, then: "Retraced", now: float, round_trip_s: float) -> None:
        """As ``step``, but wants and asks what was wanted and asked then; nothing is walked or planned.

        What makes no sense here, since part of a recording was lost, is left out.
        """
        self._free_overdue(eye, now)
        if not (then.planned or len(then.asked)):
            return
        self._player = eye.subchunk
        self._dirty = False
        asked = self._places_open(then.asked)
        kept = self._wanted[np.isin(self._wanted // self._store.dimension.sections, self._store.announced_rows)]
        kept = np.setdiff1d(kept, self._store.places_of(then.removed))
        wanted = np.setdiff1d(np.union1d(kept, self._places_open(then.added)), asked)
        self._ledger.ask(asked, now, round_trip_s)
        self._packets += then.packets
        self._entries += len(asked)
        self._mark(np.union1d(wanted, asked), asked, now)

    def _places_open(self, positions: SubChunkPositions) -> Places:
        """Places of announced columns that a request can help."""
        places = np.unique(self._store.places_of(positions))
        places = places[places >= self._store.dimension.sections]  # row 0 is what lies outside
        open_places: Places = places[np.isin(self._store.state[places], ASKABLE) & ~self._ledger.held(places)]
        return open_places

    def _free_overdue(self, eye: Eye, now: float) -> None:
        self._ledger.resize(len(self._store.state))
        if len(self._ledger.expire(now)) or eye.subchunk != self._player:
            self._dirty = True

    def _plan(self, eye: Eye, forward: Eye, radius: int) -> Plan:
        self.anchors.pin(PLAYER_ANCHOR, Anchor.square(self._player.column, radius))
        if self._dirty:
            self._reached = self._walk_from(eye, radius)
            self._dirty = False
        pinned = [anchor for name, anchor in self.anchors.items() if name != PLAYER_ANCHOR]
        looker = Looker((eye.x / 16, eye.y / 16, eye.z / 16), forward)
        return self._planner.plan(self._store, self._ledger, looker, pinned, self._reached)

    def _walk_from(self, eye: Eye, radius: int) -> Places:
        self._walks += 1
        presumed = presumed_open(self._store, eye.column)
        reached: Places = self._walk.run(self._store, eye, radius, presumed).places
        return reached

    def _ask(self, plan: Plan, batches: list[Batch], now: float, round_trip_s: float) -> Places:
        if not batches:
            return np.empty(0, np.int32)
        asked: Places = plan.places[np.concatenate([batch.indices for batch in batches])]
        self._ledger.ask(asked, now, round_trip_s)
        if self.first_asked_at is None:
            self.first_asked_at = now
        self._pacer.spend(len(batches))
        self._packets += len(batches)
        self._entries += len(asked)
        return asked

    def _mark(self, planned: Places, asked: Places, now: float) -> None:
        state = self._store.state
        part = np.zeros(len(state), np.uint8)  # of each place in this plan: 0 none, 1 wanted, 2 asked
        part[planned] = 1
        part[asked] = 2
        wanted = planned[part[planned] == 1]
        left = self._wanted[part[self._wanted] == 0]
        fresh = wanted[(state[wanted] != Knowledge.WANTED) & (state[wanted] != Knowledge.RESET)]
        self._store.mark(left[state[left] == Knowledge.WANTED], Knowledge.UNKNOWN, now)
        self._store.mark(fresh, Knowledge.WANTED, now)
        self._store.mark(asked, Knowledge.REQUESTED, now)
        self.plans += 1
        self._wanted = wanted
