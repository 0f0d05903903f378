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
3. Requests are not binding (seed 000): beyond ``MOST_WAITING`` unanswered entries new requests are dropped.
"""

from collections import deque
from dataclasses import dataclass

from net.bedrock import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.server.faults import Faults, Refusals
from net.server.provider import Provider
from net.server.tracking import Tracking
from net.space.dimensions import Dimension
from net.space.positions import SubChunkPos

MOST_WAITING = 1 << 17
"""Entries waiting for one client."""
PACKET_BYTES = 1 << 18
"""A packet is closed when its payloads reach this."""


@dataclass(slots=True)
class _Owed:
    """A request that is being answered.

    Attributes:
        dimension: that was asked about.
        centre: what the offsets count from.
        offsets: [dx, dy, dz] each, in the order of answering.
        due: not before.
        done: entries answered.
    """

    dimension: int
    centre: SubChunkPos
    offsets: list[list[int]]
    due: float
    done: int = 0


class Answers:
    """The queue of one client."""

    def __init__(self, provider: Provider, dimension: Dimension, faults: Faults) -> None:
        self._provider = provider
        self._dimension = dimension
        self._faults = faults
        self._refusals = Refusals(faults)
        self._owed: deque[_Owed] = deque()
        self._waiting = 0
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
        if self._waiting + count > MOST_WAITING:
            self.dropped += count
            return
        offsets = request.offsets.tolist()
        if self._faults.reverse:
            offsets.reverse()
        self._owed.append(_Owed(request.dimension, request.centre, offsets, now + self._faults.delay_s))
        self._waiting += count

    def next_packet(self, tracking: Tracking, most_entries: int, now: float) -> tuple[SubChunk, int] | None:
        """The next packet that is due and the bytes in it, None when nothing is."""
        if not self._owed or self._owed[0].due > now:
            return None
        owed = self._owed[0]
        entries: list[SubChunkEntry] = []
        size = 0
        while owed.done < len(owed.offsets) and len(entries) < most_entries and size < PACKET_BYTES:
            entry = self._entry(owed, tracking)
            owed.done += 1
            entries.append(entry)
            size += 6 + len(entry.payload) + len(entry.heights or b"")
        self._waiting -= len(entries)
        if owed.done == len(owed.offsets):
            self._owed.popleft()
        return SubChunk(False, owed.dimension, owed.centre, tuple(entries)), size

    def _entry(self, owed: _Owed, tracking: Tracking) -> SubChunkEntry:
        dx, dy, dz = owed.offsets[owed.done]
        position = SubChunkPos(owed.centre.x + dx, owed.centre.y + dy, owed.centre.z + dz)
        result = self._result(owed.dimension, position, tracking)
        if result is not SubChunkResult.SUCCESS:
            return SubChunkEntry(dx, dy, dz, result, b"", HeightKind.NONE, None, None)
        snapshot = self._provider.snapshot(position.column)
        index = position.y - self._dimension.floor_section
        kind, heights = snapshot.heights(index)
        if snapshot.is_air(index):
            return SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS_ALL_AIR, b"", kind, heights, None)
        return SubChunkEntry(dx, dy, dz, SubChunkResult.SUCCESS, snapshot.subchunk(index), kind, heights, None)

    def _result(self, dimension: int, position: SubChunkPos, tracking: Tracking) -> SubChunkResult:
        """SUCCESS for whatever can be answered from the column, air included."""
        if dimension != self._dimension.number:
            return SubChunkResult.WRONG_DIMENSION
        if not self._dimension.holds_section(position.y):
            return SubChunkResult.Y_OUT_OF_BOUNDS
        if not tracking.has(position.column) or self._refusals.refuse(position):
            return SubChunkResult.CHUNK_NOT_FOUND
        return SubChunkResult.SUCCESS
