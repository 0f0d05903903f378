"""Answers sub-chunk requests in packets of bounded size.

Rules:
1. A request is answered entry by entry in the order in which the player needs them, in as many packets as it takes;
   each packet keeps the request's centre.
2. A fault script may leave entries out or name another dimension (see ``faults``).
3. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries, or ``MOST_REQUESTS`` requests, new
   ones are dropped.
4. Entries beyond the client's quota wait: an entry with any result costs one token.
5. An entry whose column is not in memory any more waits until the column was made again (``lacking``, ``resume``).

Results of entries (``EntryAnswers``):

| the sub-chunk | result |
|---|---|
| in a dimension that the player is not in | 3 wrong dimension |
| above the roof or below the floor | 5 y out of bounds |
| in a column that this client has not been sent, or no longer holds | 2 chunk not found |
| without any block | 6 success, all air |
| else | 1 success |

1. Only results 1 and 6 have height maps.
2. A fault script may falsify answers: codes, missing entries, height maps, bytes (see ``faults``).
3. For a client with a blob cache the terrain is sent as its id, unless too many blobs are open (``blob_cache``); all
   entries of a packet use one form. Block entities follow the terrain or its id.

Order of requests (``RequestQueue``):
1. Entries go by the player's priority, over all requests. An entry requested a second earlier goes before one that is
   nearer by less than ``AGE_WEIGHT``, so that none waits for ever. Equal ones keep their order of arrival.
3. A request whose next entry lacks its column is put aside until the column is made, and does not block others.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import SubChunkPositions
from net.bedrock import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.server.blob_cache import OpenBlobs
from net.server.block_ids import BlockIdForm
from net.server.column_provider import ColumnProvider
from net.server.column_snapshots import ColumnSnapshot
from net.server.faults import ServerFaults, Spoiler
from net.server.host_options import Quota
from net.server.sent_chunks import SentChunks
from net.space import ColumnPos, Dimension, SubChunkPos

_NAMED_BYTES: Final = 14
"""Bytes of an entry whose terrain is sent as an id."""
_SUCCESS: Final = SubChunkResult.SUCCESS  # reading the enumeration each time costs more than the rest (CPython 3.11)
_ALL_AIR: Final = SubChunkResult.SUCCESS_ALL_AIR
Offset = list[int]
"""dx, dy, dz from a request's centre."""
Answer = tuple[SubChunkEntry, bytes]
"""An entry with its terrain, and the block entities of its sub-chunk."""


class RequestedColumn(NamedTuple):
    """A column in a request."""

    column: ColumnPos
    result: SubChunkResult  # of all entries inside the dimension's height; SUCCESS if the column can be sent
    snapshot: ColumnSnapshot | None  # None unless SUCCESS


class EntryAnswers:
    """Makes the entries for one client. ``form``: its block ids. ``spoiler``: applies the injected faults."""

    def __init__(
        self, provider: ColumnProvider, dimension: Dimension, form: BlockIdForm, faults: ServerFaults, spoiler: Spoiler
    ) -> None:
        self._provider = provider
        self._dimension = dimension
        self.form = form
        self._spoiler = spoiler
        self._spoils = faults.spoil_entries

    def place(self, dimension: int, column: ColumnPos, tracking: SentChunks) -> RequestedColumn | None:
        """The column of an entry; None if it has to be generated first."""
        if dimension != self._dimension.number:
            return RequestedColumn(column, SubChunkResult.WRONG_DIMENSION, None)
        if not tracking.has(column):
            return RequestedColumn(column, SubChunkResult.CHUNK_NOT_FOUND, None)
        snapshot = self._provider.at_hand(column)
        return None if snapshot is None else RequestedColumn(column, _SUCCESS, snapshot)

    def answer(self, place: RequestedColumn, y: int, offset: Offset, tracking: SentChunks) -> Answer | None:
        """The answer for a sub-chunk; None if a fault leaves it out."""
        return (self._spoilt if self._spoils else self._honest)(place, y, offset, tracking)

    def _honest(self, place: RequestedColumn, y: int, offset: Offset, tracking: SentChunks | None) -> Answer:
        """The correct answer. ``tracking``: records the version as sent; None records nothing."""
        dx, dy, dz = offset
        snapshot, index = place.snapshot, y - self._dimension.floor_section
        if snapshot is not None and 0 <= index < self._dimension.sections:
            if tracking is not None:
                tracking.send(place.column, index, snapshot.version(index).number)
            kind, heights = snapshot.heights(index)
            if snapshot.is_air(index):
                return SubChunkEntry(dx, dy, dz, _ALL_AIR, b"", kind, heights), b""
            terrain = snapshot.subchunk(index, self.form)
            entry = SubChunkEntry(dx, dy, dz, _SUCCESS, terrain, kind, heights)
            return entry, snapshot.entities(index)
        wrong = place.result is SubChunkResult.WRONG_DIMENSION or 0 <= index < self._dimension.sections
        return SubChunkEntry(dx, dy, dz, place.result if wrong else SubChunkResult.Y_OUT_OF_BOUNDS), b""

    def _spoilt(self, place: RequestedColumn, y: int, offset: Offset, tracking: SentChunks) -> Answer | None:
        """The answer with injected faults; None if it is left out."""
        position = SubChunkPos(place.column.x, y, place.column.z)
        if self._spoiler.leave_out(position):
            return None
        entry, entities = self._honest(place, y, offset, None)
        if entry.result not in (_SUCCESS, _ALL_AIR):
            return entry, b""
        code = self._spoiler.refusal(position)
        if code is not None:
            dx, dy, dz = offset
            return SubChunkEntry(dx, dy, dz, code), b""
        entry, entities = self._honest(place, y, offset, tracking)
        entry = entry._replace(payload=self._spoiler.corrupt(position, entry.payload))
        if self._spoiler.contradict(position):
            below = entry.height_kind == HeightKind.ALL_TOO_LOW
            opposite = HeightKind.ALL_TOO_HIGH if below else HeightKind.ALL_TOO_LOW
            entry = entry._replace(height_kind=opposite, heights=None)
        return entry, entities


def in_full(answers: list[Answer]) -> tuple[SubChunkEntry, ...]:
    """The entries of a packet without blob ids."""
    return tuple(entry._replace(payload=entry.payload + entities) if entities else entry for entry, entities in answers)


def by_id(answers: list[Answer], blobs: OpenBlobs) -> tuple[tuple[SubChunkEntry, ...], int] | None:
    """The entries with ids instead of terrain, and their bytes; None if nothing can be announced."""
    full = [answer for answer in answers if answer[0].result == _SUCCESS]
    beside = not blobs.holds_entities
    ids = blobs.announce([entry.payload if beside else entry.payload + more for entry, more in full]) if full else None
    if ids is None:
        return None
    left = iter(ids)
    named = tuple(
        entry._replace(payload=more if beside else b"", blob_id=next(left)) if entry.result == _SUCCESS else entry
        for entry, more in answers
    )
    return named, sum(_NAMED_BYTES + len(entry.payload) + len(entry.heights or b"") for entry in named)


MOST_ARRANGED: Final = 1 << 13
"""With more entries waiting, the order is not updated when the player moves; sorting this many takes a millisecond."""
AGE_WEIGHT: Final = 32.0
"""Sub-chunks of distance that one second of age is worth."""

Needs = Callable[[SubChunkPositions], npt.NDArray[np.float32]]
"""How soon a player needs sub-chunks, 0 first."""


class RequestInWork(msgspec.Struct):
    """A request that is being answered."""

    dimension: int  # requested dimension
    centre: SubChunkPos  # origin of the offsets
    offsets: npt.NDArray[np.int8]  # int8[n, 3] dx, dy, dz, in the order of answering
    asked: float  # time of the request
    due: float  # earliest time of the answer
    needs: npt.NDArray[np.float32]  # float32[n], the player's, ascending; all equal without a player's needs
    done: int = 0  # entries answered

    @property
    def finished(self) -> bool:
        return self.done == len(self.offsets)

    @property
    def need(self) -> float:
        """The player's need of the next entry."""
        return float(self.needs[self.done])

    @property
    def rank(self) -> float:
        """The lowest goes first; see rule 1."""
        return self.need + AGE_WEIGHT * self.asked

    def next_ones(self, most: int) -> Iterable[tuple[list[int], float]]:
        """Offsets and needs of the next entries, at most this many."""
        end = self.done + most
        return zip(self.offsets[self.done : end].tolist(), self.needs[self.done : end].tolist(), strict=True)

    @property
    def left(self) -> SubChunkPositions:
        return self.offsets[self.done :].astype(np.int32) + np.array(self.centre, np.int32)

    @property
    def column(self) -> ColumnPos:
        """The column of the next entry."""
        dx, _, dz = self.offsets[self.done].tolist()
        return ColumnPos(self.centre.x + dx, self.centre.z + dz)

    def arrange(self, needs: npt.NDArray[np.float32]) -> None:
        """Sorts the remaining entries by these needs."""
        order = np.argsort(needs, kind="stable")
        self.offsets = self.offsets[self.done :][order]
        self.needs, self.done = needs[order], 0


class QueuedRequest(NamedTuple):
    """A request in the queue."""

    rank: float
    number: int
    owed: RequestInWork


MOST_WAITING = 1 << 17
"""Entries that may wait for one client."""
MOST_REQUESTS = 1 << 13
"""Requests that may wait for one client: our own asks for at most 4,096 sub-chunks at a time."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this size."""
PACKET_NEEDS = 16.0
"""A packet is closed when another request's next entry is nearer by this many sub-chunks: a column's worth."""


class AnswerQueue:
    """The requests of one client and their answers.

    ``faults``: with ``reverse`` the player's needs are ignored. ``client``: its number, which seeds its own faults.
    ``needs``: how soon its player needs sub-chunks; None: all alike.
    """

    def __init__(
        self,
        provider: ColumnProvider,
        dimension: Dimension,
        form: BlockIdForm,
        faults: ServerFaults,
        client: int = 0,
        needs: Needs | None = None,
    ) -> None:
        self._provider = provider
        self._faults = faults
        self._spoiler = Spoiler(faults, client)
        self.entries = EntryAnswers(provider, dimension, form, faults, self._spoiler)
        self._needs = None if faults.reverse else needs
        self._later: deque[RequestInWork] = deque()
        self._due: list[QueuedRequest] = []  # a heap
        self._aside: dict[ColumnPos, list[QueuedRequest]] = {}
        self._numbered = 0
        self.waiting = 0  # entries not answered yet
        self.held_up = False  # whether the quota ended the last packet early

    @property
    def lacking(self) -> Mapping[ColumnPos, float]:
        """Columns that entries wait for, with the player's need."""
        return {column: min(turn.owed.need for turn in turns) for column, turns in self._aside.items()}

    def next_due(self) -> float | None:
        """When a request that waits for no column may be answered."""
        if self._due:
            return self._due[0].owed.due
        return self._later[0].due if self._later else None

    def _next(self, now: float) -> QueuedRequest | None:
        """Removes and returns the first of the due requests."""
        due = []
        while self._later and self._later[0].due <= now:
            due.append(self._later.popleft())
        if due:
            self._arrange(due)
        for owed in due:
            self._numbered += 1
            self._back(QueuedRequest(0.0, self._numbered, owed))
        return heappop(self._due) if self._due else None

    def _back(self, turn: QueuedRequest) -> None:
        """Puts back a request that is not finished."""
        heappush(self._due, QueuedRequest(turn.owed.rank, turn.number, turn.owed))

    def resume(self, tracking: SentChunks) -> None:
        """Continues requests whose column is in memory by now, or is no longer the client's."""
        for column in [at for at in self._aside if self._provider.holds(at) or not tracking.has(at)]:
            for turn in self._aside.pop(column):
                self._back(turn)

    def arrange(self) -> None:
        """Sorts again after the player's needs changed."""
        if self._needs is None or not self._due:
            return
        if sum(len(turn.owed.offsets) - turn.owed.done for turn in self._due) > MOST_ARRANGED:
            return
        turns, self._due = self._due, []
        self._arrange([turn.owed for turn in turns])
        for turn in turns:
            self._back(turn)

    def _arrange(self, requests: Sequence[RequestInWork]) -> None:
        """Sorts each request. The needs of all are calculated in one call, since a call costs more than its entries."""
        if self._needs is None:
            return
        places = [owed.left for owed in requests]
        needs = self._needs(np.concatenate(places))
        at = 0
        for owed, its in zip(requests, places, strict=True):
            owed.arrange(needs[at : at + len(its)])
            at += len(its)

    def ask(self, request: SubChunkRequest, now: float) -> None:
        """Queues a request; one without entries is ignored."""
        count = len(request.offsets)
        if not count:
            return
        requests = len(self._later) + len(self._due) + sum(map(len, self._aside.values()))
        if self.waiting + count > MOST_WAITING or requests >= MOST_REQUESTS:
            return
        offsets = request.offsets[: self._spoiler.answered_of(count)]
        count = len(offsets)
        if not count:
            return
        if self._faults.reverse:
            offsets = offsets[::-1]
        alike = np.zeros(count, np.float32)
        due = now + self._faults.delay_s
        self._later.append(RequestInWork(request.dimension, request.centre, offsets, now, due, alike))
        self.waiting += count

    def next_packet(
        self,
        tracking: SentChunks,
        most_entries: int,
        now: float,
        blobs: OpenBlobs | None = None,
        quota: Quota | None = None,
        *,
        apart: float = PACKET_NEEDS,
    ) -> tuple[SubChunk, int] | None:
        """The next packet that is due and the bytes in it; None if none is due.

        ``tracking``: the client's columns. ``blobs``: the client's blob cache, None without one. ``quota``: the
        client's; None allows everything. ``apart``: a packet is closed when another request's next entry is nearer by
        this many sub-chunks.
        """
        self.held_up = False
        while (turn := self._next(now)) is not None:
            owed = turn.owed
            if self.entries.place(owed.dimension, owed.column, tracking) is None:
                self._aside.setdefault(owed.column, []).append(turn)
                continue
            answers, size = self._take(owed, most_entries, tracking, quota, now, apart)
            if not owed.finished:
                self._back(turn)
            if self.held_up and not answers:
                return None
            dimension = self._spoiler.dimension(owed.dimension)
            named = None if blobs is None else by_id(answers, blobs)
            if named is None:
                return SubChunk(False, dimension, owed.centre, in_full(answers)), size
            return SubChunk(True, dimension, owed.centre, named[0]), named[1]
        return None

    def _take(
        self, owed: RequestInWork, most: int, tracking: SentChunks, quota: Quota | None, now: float, apart: float
    ) -> tuple[list[Answer], int]:
        """The next entries of a request that go into one packet, and their bytes."""
        allowed = most if quota is None else min(most, int(quota.entries.held(now)))
        # the largest need at which entries of this request still go before the next due request
        latest = self._due[0].rank + apart - AGE_WEIGHT * owed.asked if self._due else inf
        answers: list[Answer] = []
        # one look-up a packet: columns in memory stay there meanwhile
        places: dict[tuple[int, int], RequestedColumn] = {}
        size = taken = 0
        for offset, need in owed.next_ones(allowed):
            dx, dy, dz = offset
            place = places.get((dx, dz))
            if size >= PACKET_BYTES or (taken and need > latest):
                break
            if place is None:
                column = ColumnPos(owed.centre.x + dx, owed.centre.z + dz)
                place = self.entries.place(owed.dimension, column, tracking)
                if place is None:
                    break
                places[dx, dz] = place
            taken += 1
            answer = self.entries.answer(place, owed.centre.y + dy, offset, tracking)
            if answer is not None:
                answers.append(answer)
                size += 6 + len(answer[0].payload) + len(answer[1]) + len(answer[0].heights or b"")
        owed.done += taken
        self.waiting -= taken
        self.held_up = taken == allowed < most and not owed.finished
        if quota is not None:
            quota.entries.take(taken, now)
        return answers, size
