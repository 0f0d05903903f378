"""What a client is owed for its requests, in packets of bounded size; what single answers say is ``entries``'s.

Rules:
1. A request is answered entry by entry, as the player needs them (``owed_requests``), in as many packets as it takes;
   each packet keeps its centre.
2. A fault script may leave entries out or name another dimension (see ``faults``).
3. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries, or ``MOST_REQUESTS`` requests, new
   ones are dropped.
4. What a client's quota does not allow yet waits: entries of any result cost one token each.
5. An entry whose column is not at hand any more waits until it was made again (``lacking``, ``resume``).
"""

from collections.abc import Mapping

import numpy as np

from net.bedrock import SubChunk, SubChunkRequest
from net.server.entries import Answer, Entries, Place, by_id, in_full
from net.server.faults import Faults, Spoiler
from net.server.open_blobs import OpenBlobs
from net.server.owed_requests import Needs, Owed, OwedRequests
from net.server.provider import Provider
from net.server.quota import Quota
from net.server.tracking import Tracking
from net.server.wire_forms import WireForm
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos

MOST_WAITING = 1 << 17
"""Entries waiting for one client."""
MOST_REQUESTS = 1 << 13
"""Requests waiting for one client: our own asks for at most 4,096 sub-chunks at a time."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this."""
PACKET_NEEDS = 16.0
"""A packet is closed when another request's next entry is needed sooner by so many sub-chunks: a column's worth."""


class Answers:
    """The queue of one client.

    Args:
        provider: of its world.
        dimension: of that world.
        form: how the client reads blocks.
        faults: how answers are spoilt; reversed ones are arranged by nothing else.
        client: its number, for faults that are its own.
        needs: how soon its player needs places; None for none sooner than others.
    """

    def __init__(
        self,
        provider: Provider,
        dimension: Dimension,
        form: WireForm,
        faults: Faults,
        client: int = 0,
        needs: Needs | None = None,
    ) -> None:
        self._provider = provider
        self._faults = faults
        self._spoiler = Spoiler(faults, client)
        self._entries = Entries(provider, dimension, form, faults, self._spoiler)
        self._owed = OwedRequests(None if faults.reverse else needs)
        self._waiting = 0
        self.held_up = False
        """Whether the quota stopped the last packet short."""
        self.dropped = 0
        """Entries of requests that were dropped."""

    @property
    def form(self) -> WireForm:
        """How the client reads blocks."""
        return self._entries.form

    @form.setter
    def form(self, form: WireForm) -> None:
        self._entries.form = form

    @property
    def waiting(self) -> int:
        """Entries not answered yet."""
        return self._waiting

    @property
    def lacking(self) -> Mapping[ColumnPos, float]:
        """Columns that entries wait for, with the player's need."""
        return self._owed.lacking

    def next_due(self) -> float | None:
        """When a request may be answered that waits for no column."""
        return self._owed.next_due()

    def arrange(self) -> None:
        """The player's needs have changed."""
        self._owed.arrange()

    def resume(self, tracking: Tracking) -> None:
        """Goes on with what waited for columns that are at hand by now, or not the client's any more."""
        self._owed.resume(lambda column: self._provider.holds(column) or not tracking.has(column))

    def ask(self, request: SubChunkRequest, now: float) -> None:
        """Takes a request; one that asks for nothing is owed nothing."""
        count = len(request.offsets)
        if not count:
            return
        if self._waiting + count > MOST_WAITING or len(self._owed) >= MOST_REQUESTS:
            self.dropped += count
            return
        offsets = request.offsets[: self._spoiler.answered_of(count)]
        count = len(offsets)
        if not count:
            return
        if self._faults.reverse:
            offsets = offsets[::-1]
        alike = np.zeros(count, np.float32)
        self._owed.add(Owed(request.dimension, request.centre, offsets, now, now + self._faults.delay_s, alike))
        self._waiting += count

    def next_packet(
        self,
        tracking: Tracking,
        most_entries: int,
        now: float,
        blobs: OpenBlobs | None = None,
        quota: Quota | None = None,
        *,
        apart: float = PACKET_NEEDS,
    ) -> tuple[SubChunk, int] | None:
        """The next packet that is due and the bytes in it, None when nothing is.

        Args:
            tracking: the client's columns.
            most_entries: of one packet.
            now: monotonic seconds.
            blobs: of a client that has a cache.
            quota: of the client; None allows everything.
            apart: a packet is closed when another request's next entry is needed sooner by so many sub-chunks.
        """
        self.held_up = False
        while (turn := self._owed.next(now)) is not None:
            owed = turn.owed
            if self._entries.place(owed.dimension, owed.column, tracking) is None:
                self._owed.put_aside(turn)
                continue
            answers, size = self._take(owed, most_entries, tracking, quota, now, apart)
            if not owed.finished:
                self._owed.back(turn)
            if self.held_up and not answers:
                return None
            dimension = self._spoiler.dimension(owed.dimension)
            named = None if blobs is None else by_id(answers, blobs)
            if named is None:
                return SubChunk(False, dimension, owed.centre, in_full(answers)), size
            return SubChunk(True, dimension, owed.centre, named[0]), named[1]
        return None

    def _take(
        self, owed: Owed, most: int, tracking: Tracking, quota: Quota | None, now: float, apart: float
    ) -> tuple[list[Answer], int]:
        """The next entries of a request, as many as may go together, and their bytes."""
        allowed = most if quota is None else min(most, int(quota.entries.held(now)))
        latest = self._owed.latest_need(owed, apart)
        answers: list[Answer] = []
        places: dict[tuple[int, int], Place] = {}  # looked for once a packet: nothing that is at hand goes meanwhile
        size = taken = 0
        for offset, need in owed.next_ones(allowed):
            dx, dy, dz = offset
            place = places.get((dx, dz))
            if size >= PACKET_BYTES or (taken and need > latest):
                break
            if place is None:
                column = ColumnPos(owed.centre.x + dx, owed.centre.z + dz)
                place = self._entries.place(owed.dimension, column, tracking)
                if place is None:
                    break
                places[dx, dz] = place
            taken += 1
            answer = self._entries.answer(place, owed.centre.y + dy, offset, tracking)
            if answer is not None:
                answers.append(answer)
                size += 6 + len(answer[0].payload) + len(answer[1]) + len(answer[0].heights or b"")
        owed.done += taken
        self._waiting -= taken
        self.held_up = taken == allowed < most and not owed.finished
        if quota is not None:
            quota.entries.take(taken, now)
        return answers, size
