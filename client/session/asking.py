"""What is wanted and asked: one plan after another, joined to pace, ledger and store.

Rules:
1. As much as pace and ledger allow is packed and asked, most urgent first.
2. States follow: asked places are REQUESTED, the rest of the plan is WANTED, what left the plan is UNKNOWN again, as is
   what was asked in vain, once nobody waits for it and a new plan does not want it.
3. In a replay it asks what was asked then (``retrace``); what makes no sense here, since part of a recording was lost,
   is left out.
"""

import numpy as np

from client.streaming.batches import Batch, pack
from client.streaming.ledger import Ledger
from client.streaming.limits import Pacer, RequestLimits
from client.streaming.planner import ASKABLE, positions_of
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.frozen import frozen
from net.space.layout import Places, SubChunkPositions
from net.space.positions import SubChunkPos


@frozen
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


class Asking:
    """What the last plan wants, and what of it was asked.

    Attributes:
        wanted: places of the last plan that are not asked yet, in its order; not to be written.
        packets: requests so far.
        entries: places named in them, repetitions included.
        first_asked_at: when the first request went out; None while none did.
    """

    def __init__(self, store: Store, ledger: Ledger, limits: RequestLimits, now: float) -> None:
        """Wants nothing yet; ``now`` in monotonic seconds."""
        self._store = store
        self._ledger = ledger
        self._limits = limits
        self._pacer = Pacer(limits, now)
        self.wanted: Places = np.empty(0, np.int32)
        self.packets = self.entries = 0
        self.first_asked_at: float | None = None

    def reset(self) -> None:
        """Another dimension: nothing is wanted there yet."""
        self.wanted = np.empty(0, np.int32)

    def packets_now(self, now: float) -> int:
        """How many requests may go now."""
        return self._pacer.available(now) if self._ledger.room else 0

    def ask(
        self, planned: Places, centre: SubChunkPos, packets: int, now: float, round_trip_s: float
    ) -> tuple[list[Batch], Places]:
        """Asks the first of what is planned, as much as may go.

        Args:
            planned: places, most urgent first; none is held.
            centre: the player's sub-chunk, round which requests are packed.
            packets: how many may go.
            now: monotonic seconds.
            round_trip_s: the current estimate, for time-outs.

        Returns:
            The requests, and the places they name.
        """
        most = min(self._ledger.room, packets * self._limits.entries_per_packet)
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
        fresh = wanted[(state[wanted] != Knowledge.WANTED) & (state[wanted] != Knowledge.RESET)]
        self._store.mark(left[state[left] == Knowledge.WANTED], Knowledge.UNKNOWN, now)
        self._store.mark(fresh, Knowledge.WANTED, now)
        self._store.mark(asked, Knowledge.REQUESTED, now)
        self.wanted = wanted

    def let_go(self, planned: Places, now: float) -> None:
        """Asked places that the ledger gave back and a new plan does not want: nobody waits for them any more."""
        requested = np.flatnonzero(self._store.state == Knowledge.REQUESTED).astype(np.int32)
        given_back = requested[~self._ledger.held(requested)]
        self._store.mark(np.setdiff1d(given_back, planned), Knowledge.UNKNOWN, now)

    def retrace(self, then: Retraced, now: float, round_trip_s: float) -> None:
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
