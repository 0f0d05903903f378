"""What a client is owed for its requests, in packets of bounded size; what single answers say is ``entries``'s.

Rules:
1. A request is answered entry by entry, as the player needs them (``owed_requests``), in as many packets as it takes;
   each packet keeps its centre.
2. A fault script may leave entries out or name another dimension (see ``faults``).
3. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries, or ``MOST_REQUESTS`` requests, new
   ones are dropped.
4. What a client's quota does not allow yet waits: entries of any result cost one token each.
5. An entry whose column is not at hand any more waits until it was made again (``lacking``, ``resume``).

Entries: What an answer says of one sub-chunk.

| the sub-chunk | result |
|---|---|
| in a dimension that the player is not in | 3 wrong dimension |
| above the roof or below the floor | 5 y out of bounds |
| in a column that this client has not been sent (any more) | 2 chunk not found |
| without any block | 6 success, all air |
| else | 1 success |

Rules:
1. Height maps come with results 1 and 6 alone.
2. A fault script may spoil answers: codes, entries left out, height maps, bytes (see ``faults``).
3. For a client with a blob cache terrain is named by its id alone, unless too much is open (``blob_cache``); a packet
   is in one form or the other. Block entities stand behind the terrain, or where it would.

Owed requests: Requests that wait to be answered to one client, and which of them comes next.
1. Entries go by the player's own priority, over all requests; what was asked a second earlier goes before what is
   nearer by less than ``AGE_WEIGHT``, so that nothing waits for ever. Equal ones keep the order of asking.
2. What is not due yet waits in the order of asking: a host's delay is one number.
3. A request whose next entry lacks its column is put aside until that was made, and holds up no other.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from net.bedrock import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.server.blob_cache import OpenBlobs
from net.server.block_ids import BlockIdForm
from net.server.column_provider import ColumnProvider
from net.server.column_snapshots import ColumnSnapshot
from net.server.faults import ServerFaults, Spoiler
from net.server.options import Quota
from net.server.sent_chunks import SentChunks
from net.space import ColumnPos, Dimension, SubChunkPos, SubChunkPositions

_NAMED_BYTES: Final = 14
"""Of an entry whose terrain is named by its id."""
_SUCCESS: Final = SubChunkResult.SUCCESS  # asking an enumeration each time costs more than the rest (CPython 3.11)
_ALL_AIR: Final = SubChunkResult.SUCCESS_ALL_AIR
Offset = list[int]
"""dx, dy, dz from a request's centre."""
Answer = tuple[SubChunkEntry, bytes]
"""An entry with its terrain, and the block entities of its sub-chunk."""


class RequestedColumn(NamedTuple):
    """A column that is asked about."""

    column: ColumnPos  # where it is
    result: SubChunkResult  # what all answers about it are, unless there is no such height; SUCCESS where it can be had
    snapshot: ColumnSnapshot | None  # with SUCCESS


class EntryAnswers:
    """Answers to one client.

    ``provider``: of its world. ``dimension``: of that world. ``form``: how the client reads blocks. ``faults``: how
    answers are spoilt. ``spoiler``: that decides.
    """

    def __init__(
        self, provider: ColumnProvider, dimension: Dimension, form: BlockIdForm, faults: ServerFaults, spoiler: Spoiler
    ) -> None:
        self._provider = provider
        self._dimension = dimension
        self.form = form
        self._spoiler = spoiler
        self._spoils = faults.spoil_entries

    def place(self, dimension: int, column: ColumnPos, tracking: SentChunks) -> RequestedColumn | None:
        """A column as it is asked about; None where it is not at hand and has to be made first."""
        if dimension != self._dimension.number:
            return RequestedColumn(column, SubChunkResult.WRONG_DIMENSION, None)
        if not tracking.has(column):
            return RequestedColumn(column, SubChunkResult.CHUNK_NOT_FOUND, None)
        snapshot = self._provider.at_hand(column)
        return None if snapshot is None else RequestedColumn(column, _SUCCESS, snapshot)

    def answer(self, place: RequestedColumn, y: int, offset: Offset, tracking: SentChunks) -> Answer | None:
        """What the client is told of the sub-chunk at a height; None for nothing at all."""
        if self._spoils:
            return self._spoilt(place, y, offset, tracking)
        return self._honest(place, y, offset, tracking)

    def _honest(self, place: RequestedColumn, y: int, offset: Offset, tracking: SentChunks | None) -> Answer:
        """What is owed; ``tracking`` where the client is about to have it."""
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
        """An answer as the fault script wants it; None for one that is left out."""
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
    """The entries of a packet without a cache."""
    return tuple(entry._replace(payload=entry.payload + entities) if entities else entry for entry, entities in answers)


def by_id(answers: list[Answer], blobs: OpenBlobs) -> tuple[tuple[SubChunkEntry, ...], int] | None:
    """The entries with ids in the place of terrain, and their bytes; None where nothing can be named."""
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
"""Where more entries wait, they keep their order when the player has moved; looking at so many takes a millisecond."""
AGE_WEIGHT: Final = 32.0
"""Sub-chunks a second."""

Needs = Callable[[SubChunkPositions], npt.NDArray[np.float32]]
"""How soon a player needs places, 0 first."""


class RequestInWork(msgspec.Struct):
    """A request that is being answered."""

    dimension: int  # that was asked about
    centre: SubChunkPos  # what the offsets count from
    offsets: npt.NDArray[np.int8]  # int8[n, 3] dx, dy, dz, in the order of answering
    asked: float  # when
    due: float  # not before
    needs: npt.NDArray[np.float32]  # float32[n], of the player, least first; all alike where it has none
    done: int = 0  # entries answered

    @property
    def finished(self) -> bool:
        """Whether all of it is answered."""
        return self.done == len(self.offsets)

    @property
    def need(self) -> float:
        """The player's, of the next entry."""
        return float(self.needs[self.done])

    @property
    def rank(self) -> float:
        """The least goes first; see rule 1."""
        return self.need + AGE_WEIGHT * self.asked

    def next_ones(self, most: int) -> Iterable[tuple[list[int], float]]:
        """Offsets and needs of the next entries, so many at most."""
        end = self.done + most
        return zip(self.offsets[self.done : end].tolist(), self.needs[self.done : end].tolist(), strict=True)

    @property
    def left(self) -> SubChunkPositions:
        """The places that are not answered yet."""
        return self.offsets[self.done :].astype(np.int32) + np.array(self.centre, np.int32)

    @property
    def column(self) -> ColumnPos:
        """That of the next entry."""
        dx, _, dz = self.offsets[self.done].tolist()
        return ColumnPos(self.centre.x + dx, self.centre.z + dz)

    def arrange(self, needs: npt.NDArray[np.float32]) -> None:
        """What is left goes by these needs."""
        order = np.argsort(needs, kind="stable")
        self.offsets = self.offsets[self.done :][order]
        self.needs, self.done = needs[order], 0


class QueuedRequest(NamedTuple):
    """A request in the queue."""

    rank: float
    number: int
    owed: RequestInWork


class RequestQueue:
    """One client's; ``needs`` says how soon its player needs places, None for none sooner than others."""

    def __init__(self, needs: Needs | None) -> None:
        self._needs = needs
        self._later: deque[RequestInWork] = deque()
        self._due: list[QueuedRequest] = []  # a heap
        self._aside: dict[ColumnPos, list[QueuedRequest]] = {}
        self._numbered = 0

    def __len__(self) -> int:
        return len(self._later) + len(self._due) + sum(map(len, self._aside.values()))

    @property
    def lacking(self) -> Mapping[ColumnPos, float]:
        """The columns that requests are put aside for, with the player's need."""
        return {column: min(turn.owed.need for turn in turns) for column, turns in self._aside.items()}

    def next_due(self) -> float | None:
        """When one may be answered that was not put aside."""
        if self._due:
            return self._due[0].owed.due
        return self._later[0].due if self._later else None

    def add(self, owed: RequestInWork) -> None:
        """A request was made."""
        self._later.append(owed)

    def next(self, now: float) -> QueuedRequest | None:
        """The one that goes first of those that are due; it is taken out."""
        due = []
        while self._later and self._later[0].due <= now:
            due.append(self._later.popleft())
        if due:
            self._arrange(due)
        for owed in due:
            self._numbered += 1
            self.back(QueuedRequest(0.0, self._numbered, owed))
        return heappop(self._due) if self._due else None

    def back(self, turn: QueuedRequest) -> None:
        """A request that is not finished comes back."""
        heappush(self._due, QueuedRequest(turn.owed.rank, turn.number, turn.owed))

    def latest_need(self, owed: RequestInWork, margin: float) -> float:
        """Up to which need entries of this one go before another one that is due, by a margin; see rule 1."""
        return self._due[0].rank + margin - AGE_WEIGHT * owed.asked if self._due else inf

    def put_aside(self, turn: QueuedRequest) -> None:
        """Its next entry lacks its column."""
        self._aside.setdefault(turn.owed.column, []).append(turn)

    def resume(self, ready: Callable[[ColumnPos], bool]) -> None:
        """Those come back whose column is ready."""
        for column in [column for column in self._aside if ready(column)]:
            for turn in self._aside.pop(column):
                self.back(turn)

    def arrange(self) -> None:
        """The player's needs have changed."""
        if self._needs is None or not self._due:
            return
        if sum(len(turn.owed.offsets) - turn.owed.done for turn in self._due) > MOST_ARRANGED:
            return
        self._arrange([turn.owed for turn in self._due])
        self._due = [QueuedRequest(turn.owed.rank, turn.number, turn.owed) for turn in self._due]
        heapify(self._due)

    def _arrange(self, requests: Sequence[RequestInWork]) -> None:
        """Each by itself; looked at together, since a look costs more than what it looks at."""
        if self._needs is None:
            return
        places = [owed.left for owed in requests]
        needs = self._needs(np.concatenate(places))
        at = 0
        for owed, its in zip(requests, places, strict=True):
            owed.arrange(needs[at : at + len(its)])
            at += len(its)


MOST_WAITING = 1 << 17
"""Entries waiting for one client."""
MOST_REQUESTS = 1 << 13
"""Requests waiting for one client: our own asks for at most 4,096 sub-chunks at a time."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this."""
PACKET_NEEDS = 16.0
"""A packet is closed when another request's next entry is needed sooner by so many sub-chunks: a column's worth."""


class AnswerQueue:
    """The queue of one client.

    ``provider``: of its world. ``dimension``: of that world. ``form``: how the client reads blocks. ``faults``: how
    answers are spoilt; reversed ones are arranged by nothing else. ``client``: its number, for faults that are its own.
    ``needs``: how soon its player needs places; None for none sooner than others.
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
        self._entries = EntryAnswers(provider, dimension, form, faults, self._spoiler)
        self._owed = RequestQueue(None if faults.reverse else needs)
        self._waiting = 0
        self.held_up = False  # whether the quota stopped the last packet short
        self.dropped = 0  # entries of requests that were dropped

    @property
    def form(self) -> BlockIdForm:
        """How the client reads blocks."""
        return self._entries.form

    @form.setter
    def form(self, form: BlockIdForm) -> None:
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

    def resume(self, tracking: SentChunks) -> None:
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
        self._owed.add(
            RequestInWork(request.dimension, request.centre, offsets, now, now + self._faults.delay_s, alike)
        )
        self._waiting += count

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
        """The next packet that is due and the bytes in it, None when nothing is.

        ``tracking``: the client's columns. ``blobs``: of a client that has a cache. ``quota``: of the client; None
        allows everything. ``apart``: a packet is closed when another request's next entry is needed sooner by so many
        sub-chunks.
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
        self, owed: RequestInWork, most: int, tracking: SentChunks, quota: Quota | None, now: float, apart: float
    ) -> tuple[list[Answer], int]:
        """The next entries of a request, as many as may go together, and their bytes."""
        allowed = most if quota is None else min(most, int(quota.entries.held(now)))
        latest = self._owed.latest_need(owed, apart)
        answers: list[Answer] = []
        places: dict[
            tuple[int, int], RequestedColumn
        ] = {}  # looked for once a packet: nothing that is at hand goes meanwhile
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
