"""Packets, or parts of them, that wait for blobs: their order, limits and timeouts.

Rules:
1. A part waits for blobs (``Asked``) and for earlier parts (``PartOrder``). It leaves when it waits for neither any
   more; parts that waited only for it leave with it.
2. Parts beyond ``BlobLimits`` are dropped and counted, as if they had never been sent.
3. The timeout counts from the last blob that arrived, so a slow connection is not taken for a silent server; but no
   part waits longer than ``longest_s``.

What parts contain (wire.md 2.1, 2.3, 4):

| packet | blobs | without a cache |
|---|---|---|
| skeleton | the biomes | biomes + its payload (border blocks) |
| whole column | sub-chunks from the bottom, then the biomes | these in order + its payload (borders, block entities) |
| answer of result 1 | the sub-chunk's terrain | terrain + its payload (block entities) |

Under the documented profile a blob holds terrain and block entities in the vendor's form, and the payload is empty: the
result is the same, converted as ``net.bedrock.documented_profile`` converts a payload.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar

import msgspec

from net.bedrock import ClientCacheBlobStatus, LevelChunk, Message, SubChunkEntry, SubChunkResult
from net.bedrock.documented_profile import to_zigzag
from net.errors import DecodeError
from net.space import ColumnPos, coordinates
from net.wire.fields import Profile

Item = TypeVar("Item")


FEW: Final = 64
"""Parts that have left are not removed from a list while it is this short."""


class Parcel(msgspec.Struct, Generic[Item], eq=False):
    """A packet that arrived."""

    number: int  # sequence number of arrival
    message: Message  # its content
    item: Item  # the owner's value, returned with the packet


class PendingPart(msgspec.Struct, Generic[Item], eq=False):
    """A packet or a part of one that waits."""

    parcel: Parcel[Item]  # its packet
    index: int  # its index in the packet
    columns: tuple[ColumnPos, ...]  # that it touches
    section: int | None  # absolute section y, None for whole columns
    entry: SubChunkEntry | None  # the answer, None for a packet that is not split
    due: float  # when it times out
    found: dict[int, bytes]  # blobs that are available
    missing: int  # number of blobs and parts that it waits for
    waits: bool = True  # False once it has left or was dropped
    size_bytes: int = 0  # bytes that it counts for
    followers: list["PendingPart[Item]"] = []  # parts that wait for it


class _Column(msgspec.Struct, Generic[Item]):
    """Waiting parts of one column: the last part about the whole column, and the parts about sections after it."""

    waiting: int = 0
    whole: PendingPart[Item] | None = None
    since: list[PendingPart[Item]] = []
    last: dict[int, PendingPart[Item]] = {}


class PartOrder(Generic[Item]):
    """Which waiting part waits for which other one.

    1. A part is about one section of a column, or about whole columns. Parts about the same section, and a part about a
       column and any in it, keep their order; all others may overtake each other.
    2. A part leaves when it waits for no blob and no earlier part. The parts that wait for it are then updated.
    3. A section's part waits for at most one other part, and a column's part for those since the previous part about
       the whole column. So there are at most twice as many links as parts, whatever a server sends.
    4. A column removes parts that have left before they outnumber those that wait: otherwise one part that never leaves
       would keep all later ones in memory.
    """

    def __init__(self) -> None:
        self._columns: dict[ColumnPos, _Column[Item]] = {}

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether a part about this place waits; ``section`` None means the whole column."""
        found = self._columns.get(column)
        if found is None:
            return False
        return section is None or self._before(found, section) is not None

    def add(self, part: PendingPart[Item]) -> None:
        """Adds a waiting part and links it to the earlier ones."""
        for position in part.columns:
            column = self._columns.setdefault(position, _Column())
            column.waiting += 1
            if part.section is None:
                for other in (*column.since, column.whole):
                    self._link(other, part)
                column.whole, column.since, column.last = part, [], {}
            else:
                self._link(self._before(column, part.section), part)
                if len(column.since) >= FEW + 2 * column.waiting:
                    column.since = [other for other in column.since if other.waits]
                    column.last = {other.section: other for other in column.since if other.section is not None}
                column.since.append(part)
                column.last[part.section] = part

    def remove(self, part: PendingPart[Item]) -> list[PendingPart[Item]]:
        """Removes a part that leaves; returns the parts that wait for nothing any more."""
        part.waits = False
        for position in part.columns:
            column = self._columns[position]
            column.waiting -= 1
            if not column.waiting:
                del self._columns[position]
        followers, part.followers = part.followers, []
        for follower in followers:
            follower.missing -= 1
        return [follower for follower in followers if not follower.missing and follower.waits]

    def _before(self, column: _Column[Item], section: int) -> PendingPart[Item] | None:
        for part in (column.last.get(section), column.whole):
            if part is not None and part.waits:
                return part
        return None

    def _link(self, before: PendingPart[Item] | None, part: PendingPart[Item]) -> None:
        if before is not None and before.waits and before is not part:
            before.followers.append(part)
            part.missing += 1


def column_ids(message: LevelChunk) -> tuple[int, ...]:
    """The blob ids of a column, in the order of its content.

    Raises DecodeError: their number does not match the column's parts.
    """
    ids = message.blob_ids or ()
    expected = 1 if message.inline_count is None else message.inline_count + 1
    if len(ids) != expected:
        reason = f"names {len(ids)} blobs for {expected} parts of column {coordinates(message.column)}"
        raise DecodeError("LevelChunk", "blob_ids", 0, reason)
    return ids


def entry_id(entry: SubChunkEntry) -> int | None:
    """The blob id of one answer; None for failures and air, whose id field is 0 or missing."""
    return (entry.blob_id or None) if entry.result == SubChunkResult.SUCCESS else None


def whole_column(message: LevelChunk, blobs: Mapping[int, bytes], profile: Profile) -> LevelChunk:
    """The column in its form without a cache."""
    payload = b"".join(blobs[blob_id] for blob_id in message.blob_ids or ()) + message.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, message.inline_count or 0, biomes=True)
    return LevelChunk(
        message.column, message.dimension, message.inline_count, message.limit, blob_ids=None, payload=payload
    )


def whole_entry(entry: SubChunkEntry, terrain: bytes | None, profile: Profile) -> SubChunkEntry:
    """The answer in its form without a cache; ``terrain`` is its blob, None if it has none."""
    if terrain is None:
        return entry._replace(blob_id=None)
    payload = terrain + entry.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, 1, biomes=False)
    return entry._replace(payload=payload, blob_id=None)


MOST_IDS: Final = 4095

Waiter = TypeVar("Waiter")


class Asked(Generic[Waiter]):
    """Ids to report to the server, and requested ids with the parts that wait for each.

    1. An announced id is reported once, as hit or miss, however many packets name it before the next status. An id that
       is announced again while it is requested is reported as a hit when it arrives: the server holds it open again.
    2. A status names at most 4095 ids (wire.md 2.7; an implementation of 486 accepts 4096 in both lists together).
    3. An id stays requested until it arrives, times out or everything is cleared; a blob that arrives later is
       rejected.
    """

    def __init__(self) -> None:
        self._waiters: dict[int, list[Waiter]] = {}
        self._due: dict[int, float] = {}  # in the order of requesting, the oldest first
        self._again: set[int] = set()
        self._misses: dict[int, None] = {}
        self._hits: dict[int, None] = {}

    def __len__(self) -> int:
        return len(self._waiters)

    def __contains__(self, blob_id: int) -> bool:
        return blob_id in self._waiters

    def have(self, blob_id: int) -> None:
        self._hits[blob_id] = None

    def want(self, blob_id: int, due: float) -> bool:
        """An announced blob is missing: a miss. Returns whether it was not requested yet. ``due`` never decreases."""
        if blob_id in self._waiters:
            if blob_id not in self._misses:
                self._again.add(blob_id)
            return False
        self._misses[blob_id] = None
        self._waiters[blob_id] = []
        self._due[blob_id] = due
        return True

    def wait(self, blob_id: int, waiter: Waiter) -> None:
        self._waiters[blob_id].append(waiter)

    def came(self, blob_id: int) -> list[Waiter]:
        """A requested blob arrived; returns its waiters."""
        if blob_id in self._again:
            self._again.discard(blob_id)
            self._hits[blob_id] = None
        del self._due[blob_id]
        return self._waiters.pop(blob_id)

    def expire(self, until: float) -> None:
        """Drops the ids that were due by then."""
        overdue = []
        for blob_id, due in self._due.items():
            if due > until:
                break
            overdue.append(blob_id)
        for blob_id in overdue:
            del self._due[blob_id], self._waiters[blob_id]
            self._again.discard(blob_id)
            self._misses.pop(blob_id, None)

    def next_due(self) -> float | None:
        """When the oldest id times out."""
        return next(iter(self._due.values()), None)

    def clear(self) -> None:
        """Drops everything: the server has forgotten the blobs it held open, so all must be requested again."""
        for each in (self._waiters, self._due, self._again, self._misses, self._hits):
            each.clear()

    def statuses(self) -> Iterator[ClientCacheBlobStatus]:
        """The reports to send now; each id once."""
        misses, hits = tuple(self._misses), tuple(self._hits)
        self._misses.clear()
        self._hits.clear()
        for start in range(0, len(misses) + len(hits), MOST_IDS):
            end = start + MOST_IDS
            yield ClientCacheBlobStatus(
                misses[start:end], hits[max(0, start - len(misses)) : max(0, end - len(misses))]
            )


PART_BYTES: Final = 1024
"""Memory of a part besides its contents (measured: 950)."""


class BlobLimits(msgspec.Struct, frozen=True):
    """Limits of what waits."""

    parts: int = 1 << 16  # columns and answers
    held_bytes: int = 64 << 20  # of all parts together
    asked: int = 1 << 16  # requested ids
    silence_s: float = 10.0  # time without any blob after which a part is dropped
    longest_s: float = 60.0  # time after which a part is dropped in any case


class PendingItems(Generic[Item]):
    """All waiting parts and requested ids."""

    def __init__(self, limits: BlobLimits) -> None:
        self._limits = limits
        self.asked: Asked[PendingPart[Item]] = Asked()  # requested ids, and the parts that wait for each
        self._order: PartOrder[Item] = PartOrder()
        # waiting parts, and some that have left, in the order of their due times
        self._queue: deque[PendingPart[Item]] = deque()
        self.waiting = 0  # number of waiting parts
        self.size_bytes = 0  # of all of them
        self.came_at = float("-inf")  # when the last blob arrived, monotonic seconds
        self.misses = 0  # ids requested so far
        self.timed_out = 0  # parts timed out so far
        self.overflowed = 0  # parts dropped for the limits so far

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether a part about this place waits; ``section`` None means the whole column."""
        return self._order.blocked(column, section)

    def hold(self, part: PendingPart[Item], ids: Collection[int]) -> None:
        """Makes a part wait for the missing ones of ``ids``, or drops it if a limit is reached."""
        missing = [blob_id for blob_id in dict.fromkeys(ids) if blob_id not in part.found]
        part.size_bytes += PART_BYTES + sum(map(len, part.found.values()))
        limits = self._limits
        if (
            self.waiting >= limits.parts
            or self.size_bytes + part.size_bytes > limits.held_bytes
            or len(self.asked) + len(missing) > limits.asked
        ):
            self.overflowed += 1
            return
        for blob_id in missing:
            self.misses += self.asked.want(blob_id, part.due)
            self.asked.wait(blob_id, part)
        part.missing = len(missing)
        self._order.add(part)
        if len(self._queue) >= FEW + 2 * self.waiting:  # one that stays first must not keep all that left
            self._queue = deque(other for other in self._queue if other.waits)
        self._queue.append(part)
        self.waiting += 1
        self.size_bytes += part.size_bytes

    def complete(self, blob_id: int, content: bytes, now: float) -> Iterator[PendingPart[Item]]:
        """The parts that wait for nothing more after this blob arrived."""
        self.came_at = now
        for part in self.asked.came(blob_id):
            if not part.waits:
                continue
            part.found[blob_id] = content
            part.size_bytes += len(content)
            self.size_bytes += len(content)
            part.missing -= 1
            if not part.missing:
                yield part

    def leave(self, ready: Iterable[PendingPart[Item]]) -> list[PendingPart[Item]]:
        """Removes parts, and those that waited only for them; returns all in the order of their arrival."""
        leaving, left = list(ready), []
        while leaving:
            part = leaving.pop()
            leaving += self._remove(part)
            left.append(part)
        return sorted(left, key=_wire_order)

    def _remove(self, part: PendingPart[Item]) -> list[PendingPart[Item]]:
        self.waiting -= 1
        self.size_bytes -= part.size_bytes
        return self._order.remove(part)

    def expire(self, now: float) -> list[PendingPart[Item]]:
        """Drops parts that waited too long; returns those that waited only for them, in the order of their arrival."""
        until = now - self._extension(now)
        self.asked.expire(until)
        left: list[PendingPart[Item]] = []
        while self._queue and (not self._queue[0].waits or self._queue[0].due <= until):
            part = self._queue.popleft()
            if part.waits:
                self.timed_out += 1
                left += self.leave(self._remove(part))
        return sorted(left, key=_wire_order)

    def _extension(self, now: float) -> float:
        """Seconds added to the due times, because blobs still arrive."""
        limits = self._limits
        return limits.longest_s - limits.silence_s if now < self.came_at + limits.silence_s else 0.0

    def next_timer(self) -> float | None:
        """When ``expire`` has work at the latest; None while nothing waits."""
        while self._queue and not self._queue[0].waits:
            self._queue.popleft()
        dues = [self._queue[0].due] if self._queue else []
        asked = self.asked.next_due()
        dues += [] if asked is None else [asked]
        if not dues:
            return None
        due, limits = min(dues), self._limits
        return min(max(due, self.came_at + limits.silence_s), due + limits.longest_s - limits.silence_s)

    def drop_all(self) -> None:
        """Drops all waiting parts and requested ids."""
        self.asked.clear()
        self._order = PartOrder()
        self._queue.clear()
        self.waiting = self.size_bytes = 0


def _wire_order(part: PendingPart[Item]) -> tuple[int, int]:
    return part.parcel.number, part.index
