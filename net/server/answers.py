"""What a client is owed for its requests: entries with honest result codes, in packets of bounded size.

| the entry | result |
|---|---|
| in a dimension that the player is not in | 3 wrong dimension |
| above the roof or below the floor | 5 y out of bounds |
| in a column that this client has not been sent (any more) | 2 chunk not found |
| without any block | 6 success, all air |
| else | 1 success |

Rules:
1. A request is answered entry by entry, as the player needs them (``owed_requests``), in as many packets as it takes;
   each packet keeps its centre.
2. Height maps come with results 1 and 6 alone.
3. A fault script may spoil answers: codes, entries left out, height maps, the dimension named (see ``faults``).
4. For a client with a blob cache terrain is named by its id alone, unless too much is open (``open_blobs``); a packet
   is in one form or the other. Block entities stand behind the terrain, or where it would.
5. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries, or ``MOST_REQUESTS`` requests, new
   ones are dropped.
6. What a client's quota does not allow yet waits: entries of any result cost one token each.
7. An entry whose column is not at hand any more waits until it was made again (``lacking``, ``resume``).
"""

from collections.abc import Mapping

import numpy as np

from net.bedrock import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.server.faults import Faults, Spoiler
from net.server.open_blobs import OpenBlobs
from net.server.owed_requests import Needs, Owed, OwedRequests
from net.server.provider import Provider
from net.server.quota import Quota
from net.server.tracking import Tracking
from net.server.wire_forms import WireForm
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos, SubChunkPos

MOST_WAITING = 1 << 17
"""Entries waiting for one client."""
MOST_REQUESTS = 1 << 13
"""Requests waiting for one client: our own asks for at most 4,096 sub-chunks at a time."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this."""
PACKET_NEEDS = 16.0
"""A packet is closed when another request's next entry is needed sooner by so many sub-chunks: a column's worth."""
_NAMED_BYTES = 14
"""Of an entry whose terrain is named by its id."""
Answer = tuple[SubChunkEntry, bytes]
"""An entry with its terrain, and the block entities of its sub-chunk."""
_SUCCESSES = (SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR)


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
        self._dimension = dimension
        self.form = form
        self._faults = faults
        self._spoiler = Spoiler(faults, client)
        self._owed = OwedRequests(None if faults.reverse else needs)
        self._waiting = 0
        self.held_up = False
        """Whether the quota stopped the last packet short."""
        self.dropped = 0
        """Entries of requests that were dropped."""

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
    ) -> tuple[SubChunk, int] | None:
        """The next packet that is due and the bytes in it, None when nothing is.

        Args:
            tracking: the client's columns.
            most_entries: of one packet.
            now: monotonic seconds.
            blobs: of a client that has a cache.
            quota: of the client; None allows everything.
        """
        self.held_up = False
        while (turn := self._owed.next(now)) is not None:
            owed = turn.owed
            if self._lacks(owed, owed.column, tracking):
                self._owed.put_aside(turn)
                continue
            answers, size = self._entries(owed, most_entries, tracking, quota, now)
            if not owed.finished:
                self._owed.back(turn)
            if self.held_up and not answers:
                return None
            dimension = self._spoiler.dimension(owed.dimension)
            named = None if blobs is None else _named(answers, blobs)
            if named is None:
                return SubChunk(False, dimension, owed.centre, tuple(map(_whole, answers))), size
            return SubChunk(True, dimension, owed.centre, named[0]), named[1]
        return None

    def _entries(
        self, owed: Owed, most: int, tracking: Tracking, quota: Quota | None, now: float
    ) -> tuple[list[Answer], int]:
        """The next entries of a request, as many as may go together, and their bytes."""
        answers: list[Answer] = []
        size, first = 0, owed.done
        spoil = self._faults.spoil_entries
        latest = self._owed.latest_need(owed, PACKET_NEEDS)
        at_hand = {owed.column}
        rows, needs = owed.next_ones(most)
        for offset, need in zip(rows, needs, strict=True):
            column = ColumnPos(owed.centre.x + offset[0], owed.centre.z + offset[2])
            if size >= PACKET_BYTES or (owed.done > first and need > latest):
                break
            if column not in at_hand:  # asked once a packet: nothing that is at hand goes meanwhile
                if self._lacks(owed, column, tracking):
                    break
                at_hand.add(column)
            if quota is not None and not quota.entries.take(1, now):
                self.held_up = True
                break
            answer = self._spoilt(owed, offset, tracking) if spoil else self._answer(owed, offset, tracking)
            owed.done += 1
            if answer is not None:
                answers.append(answer)
                size += 6 + len(answer[0].payload) + len(answer[1]) + len(answer[0].heights or b"")
        self._waiting -= owed.done - first
        return answers, size

    def _lacks(self, owed: Owed, column: ColumnPos, tracking: Tracking) -> bool:
        """Whether an entry of a column needs it and it is not at hand."""
        mine = owed.dimension == self._dimension.number and tracking.has(column)
        return mine and not self._provider.holds(column)

    def _answer(self, owed: Owed, offset: list[int], tracking: Tracking, *, counts: bool = True) -> Answer:
        """What is owed; ``counts`` says that the client is about to have it."""
        dx, dy, dz = offset
        x, y, z = owed.centre
        column = ColumnPos(x + dx, z + dz)
        index = y + dy - self._dimension.floor_section
        if owed.dimension != self._dimension.number:
            result = SubChunkResult.WRONG_DIMENSION
        elif not 0 <= index < self._dimension.sections:
            result = SubChunkResult.Y_OUT_OF_BOUNDS
        elif not tracking.has(column):
            result = SubChunkResult.CHUNK_NOT_FOUND
        else:
            snapshot = self._provider.snapshot(column)
            if counts:
                tracking.send(column, index, snapshot.version(index).number)
            kind, heights = snapshot.heights(index)
            if snapshot.is_air(index):
                return SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS_ALL_AIR, b"", kind, heights, None), b""
            terrain = snapshot.subchunk(index, self.form)
            entry = SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS, terrain, kind, heights, None)
            return entry, snapshot.entities(index)
        return SubChunkEntry(dx, dy, dz, result, b"", HeightKind.NONE, None, None), b""

    def _spoilt(self, owed: Owed, offset: list[int], tracking: Tracking) -> Answer | None:
        """An answer as the fault script wants it; None for one that is left out."""
        dx, dy, dz = offset
        position = SubChunkPos(owed.centre.x + dx, owed.centre.y + dy, owed.centre.z + dz)
        if self._spoiler.leave_out(position):
            return None
        entry, entities = self._answer(owed, offset, tracking, counts=False)
        if entry.result not in _SUCCESSES:
            return entry, b""
        code = self._spoiler.refusal(position)
        if code is not None:
            return SubChunkEntry(dx, dy, dz, code, b"", HeightKind.NONE, None, None), b""
        entry, entities = self._answer(owed, offset, tracking)
        entry = entry._replace(payload=self._spoiler.corrupt(position, entry.payload))
        if self._spoiler.contradict(position):
            below = entry.height_kind == HeightKind.ALL_TOO_LOW
            opposite = HeightKind.ALL_TOO_HIGH if below else HeightKind.ALL_TOO_LOW
            entry = entry._replace(height_kind=opposite, heights=None)
        return entry, entities


def _whole(answer: Answer) -> SubChunkEntry:
    """An entry without a cache."""
    entry, entities = answer
    return entry._replace(payload=entry.payload + entities) if entities else entry


def _named(answers: list[Answer], blobs: OpenBlobs) -> tuple[tuple[SubChunkEntry, ...], int] | None:
    """The entries with ids in the place of terrain, and their bytes; None where nothing can be named."""
    full = [answer for answer in answers if answer[0].result == SubChunkResult.SUCCESS]
    beside = not blobs.holds_entities
    ids = blobs.announce([entry.payload if beside else entry.payload + more for entry, more in full]) if full else None
    if ids is None:
        return None
    left = iter(ids)
    named = tuple(
        entry._replace(payload=more if beside else b"", blob_id=next(left))
        if entry.result == SubChunkResult.SUCCESS
        else entry
        for entry, more in answers
    )
    return named, sum(_NAMED_BYTES + len(entry.payload) + len(entry.heights or b"") for entry in named)
