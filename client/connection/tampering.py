"""Alters chosen answers of a server before the session gets them, for tests; the same way in every run.

Rules:
1. A ``refused`` sub-chunk is always answered with a result code. A ``lost`` one is not answered so many times, as if
   the packet were lost; an ``ignored`` one is never answered, and no wait expects it. A ``truncated`` one loses
   half of its bytes. A ``contradicted`` one comes with a height map that says its surface lies below it. A ``withheld``
   column is never announced.
2. ``most_answers`` counts entries that reach the session. The rest of that packet and all later packets are lost, so
   the session stays in the middle of loading.
"""

from collections import Counter
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from net.bedrock import HeightKind, LevelChunk, SubChunk, SubChunkEntry
from net.peer import Event, Received
from net.space import ColumnPos, SubChunkPos


class Tampering(msgspec.Struct, frozen=True):
    """What is altered; by default nothing."""

    refused: Mapping[SubChunkPos, int] = {}  # sub-chunks and the result code of each
    lost: Mapping[SubChunkPos, int] = {}  # sub-chunks and the number of lost answers
    ignored: frozenset[SubChunkPos] = frozenset()  # sub-chunks that are never answered
    truncated: frozenset[SubChunkPos] = frozenset()  # sub-chunks whose bytes end in the middle
    contradicted: frozenset[SubChunkPos] = frozenset()  # sub-chunks with a wrong height map
    withheld: frozenset[ColumnPos] = frozenset()  # columns whose announcements are lost
    most_answers: int | None = None  # entries that reach the session, or None for all

    def __bool__(self) -> bool:
        some = self.refused or self.lost or self.ignored or self.truncated or self.contradicted or self.withheld
        return bool(some or self.most_answers is not None)


class Tamperer:
    """Alters the events of one session, and counts."""

    def __init__(self, tampering: Tampering) -> None:
        self._tampering = tampering
        self._lost: Counter[SubChunkPos] = Counter()
        self.answers = 0  # entries that reached the session
        self.touched: set[SubChunkPos] = set()  # sub-chunks whose answers were altered so far

    @property
    def over(self) -> bool:
        """Whether no further answer reaches the session."""
        most = self._tampering.most_answers
        return most is not None and self.answers >= most

    def __call__(self, event: Event) -> Event | None:
        """The event for the session; None if nothing of it is left."""
        if not (self._tampering and isinstance(event, Received)):
            return event
        message = event.message
        if isinstance(message, LevelChunk):
            return None if message.column in self._tampering.withheld else event
        if not isinstance(message, SubChunk):
            return event
        entries = []
        for entry in message.entries:
            x, y, z = message.centre
            kept = self._entry(SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz), entry)
            if kept is not None and not self.over:
                self.answers += 1
                entries.append(kept)
        return replace(event, message=replace(message, entries=tuple(entries))) if entries else None

    def _entry(self, at: SubChunkPos, entry: SubChunkEntry) -> SubChunkEntry | None:
        spoiled = self._tampering
        if at in spoiled.ignored or self._lost[at] < spoiled.lost.get(at, 0):
            self._lost[at] += 1
            self.touched.add(at)
            return None
        if at in spoiled.refused:
            self.touched.add(at)
            return entry._replace(result=spoiled.refused[at], payload=b"", heights=None)
        if at in spoiled.truncated:
            self.touched.add(at)
            return entry._replace(payload=entry.payload[: len(entry.payload) // 2])
        if at in spoiled.contradicted:
            self.touched.add(at)
            return entry._replace(height_kind=HeightKind.ALL_TOO_LOW, heights=None)
        return entry
