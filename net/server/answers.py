"""What a client is owed for its requests: entries with honest result codes, in packets of bounded size.

| the entry | result |
|---|---|
| in a dimension that the player is not in | 3 wrong dimension |
| above the roof or below the floor | 5 y out of bounds |
| in a column that this client has not been sent (any more) | 2 chunk not found |
| without any block | 6 success, all air |
| else | 1 success |

Rules:
1. A request is answered entry by entry, in its order, in as many packets as it takes; each packet keeps its centre.
2. Height maps come with results 1 and 6 alone.
3. A fault script may spoil answers: codes, entries left out, height maps, the dimension named (see ``faults``).
4. For a client with a blob cache terrain is named by its id alone, unless too much is open (``open_blobs``); a packet
   is in one form or the other.
5. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries, or ``MOST_REQUESTS`` requests, new
   ones are dropped.
6. What a client's quota does not allow yet waits: entries of any result cost one token each, and one whose column has
   to be made again costs a column.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from net.bedrock import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.server.faults import Faults, Spoiler
from net.server.open_blobs import OpenBlobs
from net.server.provider import Provider
from net.server.quota import Quota
from net.server.tracking import Tracking
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos, SubChunkPos

MOST_WAITING = 1 << 17
"""Entries waiting for one client."""
MOST_REQUESTS = 1 << 13
"""Requests waiting for one client: our own asks for at most 4,096 sub-chunks at a time."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this."""
_NAMED_BYTES = 14
"""Of an entry whose terrain is named by its id."""
_SUCCESSES = (SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR)


@dataclass(slots=True)
class _Owed:
    """A request that is being answered.

    Attributes:
        dimension: that was asked about.
        centre: what the offsets count from.
        offsets: int8[n, 3] dx, dy, dz, in the order of answering.
        due: not before.
        done: entries answered.
    """

    dimension: int
    centre: SubChunkPos
    offsets: npt.NDArray[np.int8]
    due: float
    done: int = 0


class Answers:
    """The queue of one client."""

    def __init__(self, provider: Provider, dimension: Dimension, faults: Faults, client: int = 0) -> None:
        self._provider = provider
        self._dimension = dimension
        self._faults = faults
        self._spoiler = Spoiler(faults, client)
        self._owed: deque[_Owed] = deque()
        self._waiting = 0
        self.held_up = False
        """Whether the quota stopped the last packet short."""
        self.dropped = 0
        """Entries of requests that were dropped."""

    @property
    def waiting(self) -> int:
        """Entries not answered yet."""
        return self._waiting

    def next_due(self) -> float | None:
        """When the oldest request may be answered."""
        return self._owed[0].due if self._owed else None

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
        self._owed.append(_Owed(request.dimension, request.centre, offsets, now + self._faults.delay_s))
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
        if not self._owed or self._owed[0].due > now:
            return None
        owed = self._owed[0]
        entries: list[SubChunkEntry] = []
        size, taken = 0, 0
        spoil = self._faults.spoil_entries
        for offset in owed.offsets[owed.done : owed.done + most_entries].tolist():
            if quota is not None and not self._may_answer(owed, offset, tracking, quota, now):
                self.held_up = True
                break
            entry = self._spoilt(owed, offset, tracking) if spoil else self._entry(owed, offset, tracking)
            taken += 1
            if entry is not None:
                entries.append(entry)
                size += 6 + len(entry.payload) + len(entry.heights or b"")
            if size >= PACKET_BYTES:
                break
        if not taken:
            return None
        owed.done += taken
        self._waiting -= taken
        if owed.done == len(owed.offsets):
            self._owed.popleft()
        dimension = self._spoiler.dimension(owed.dimension)
        named = None if blobs is None else self._named(entries, blobs)
        if named is None:
            return SubChunk(False, dimension, owed.centre, tuple(entries)), size
        return SubChunk(True, dimension, owed.centre, named[0]), named[1]

    def _may_answer(self, owed: _Owed, offset: list[int], tracking: Tracking, quota: Quota, now: float) -> bool:
        """Whether the client's quota has room for an entry; takes what it costs."""
        column = ColumnPos(owed.centre.x + offset[0], owed.centre.z + offset[2])
        made = owed.dimension == self._dimension.number and tracking.has(column) and not self._provider.holds(column)
        if quota.entries.held(now) < 1 or (made and not quota.columns.take(1, now)):
            return False
        return quota.entries.take(1, now)

    def _named(self, entries: list[SubChunkEntry], blobs: OpenBlobs) -> tuple[tuple[SubChunkEntry, ...], int] | None:
        """The entries with ids in the place of terrain, and their bytes; None where nothing can be named."""
        full = [entry for entry in entries if entry.result == SubChunkResult.SUCCESS]
        ids = blobs.announce([entry.payload for entry in full]) if full else None
        if ids is None:
            return None
        left = iter(ids)
        named = tuple(
            entry._replace(payload=b"", blob_id=next(left)) if entry.result == SubChunkResult.SUCCESS else entry
            for entry in entries
        )
        return named, sum(_NAMED_BYTES + len(entry.heights or b"") for entry in named)

    def _entry(self, owed: _Owed, offset: list[int], tracking: Tracking, *, counts: bool = True) -> SubChunkEntry:
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
                return SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS_ALL_AIR, b"", kind, heights, None)
            return SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS, snapshot.subchunk(index), kind, heights, None)
        return SubChunkEntry(dx, dy, dz, result, b"", HeightKind.NONE, None, None)

    def _spoilt(self, owed: _Owed, offset: list[int], tracking: Tracking) -> SubChunkEntry | None:
        """An entry as the fault script wants it; None for one that is left out."""
        dx, dy, dz = offset
        position = SubChunkPos(owed.centre.x + dx, owed.centre.y + dy, owed.centre.z + dz)
        if self._spoiler.leave_out(position):
            return None
        entry = self._entry(owed, offset, tracking, counts=False)
        if entry.result not in _SUCCESSES:
            return entry
        code = self._spoiler.refusal(position)
        if code is not None:
            return SubChunkEntry(dx, dy, dz, code, b"", HeightKind.NONE, None, None)
        entry = self._entry(owed, offset, tracking)
        entry = entry._replace(payload=self._spoiler.corrupt(position, entry.payload))
        if self._spoiler.contradict(position):
            below = entry.height_kind == HeightKind.ALL_TOO_LOW
            opposite = HeightKind.ALL_TOO_HIGH if below else HeightKind.ALL_TOO_LOW
            return entry._replace(height_kind=opposite, heights=None)
        return entry
