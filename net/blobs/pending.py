"""Parts of packets that wait: how many may, for what, and for how long.

Rules:
1. A part waits for blobs (``asked``) and for parts before it (``order``); it leaves when it lacks neither, and what
   waited for it alone leaves with it.
2. What is too much (``BlobLimits``) is dropped and counted, as if it had never been sent.
3. Patience is counted from the last blob that came, so a slow wire is not taken for a silent server; but no part
   waits longer than ``longest_s``.

Order: Which part of a packet waits for which other one.
1. A part is about one section of a column, or about whole columns. Parts about the same section, and a part about a
   column and any in it, keep their order; all others pass each other.
2. A part leaves when it lacks nothing: no blob, and no part before it. Whoever waits for it is told then.
3. A section's part waits for at most one other part and a column's for those since the last of its kind, so there are
   never more links than twice the parts, whatever a server sends.
4. A column forgets parts that have left before they are as many as those that wait: one that never comes must not make
   it remember all that came meanwhile.

Parts: What a packet touches, which blobs it names, and what it looks like without a cache (wire.md 2.1, 2.3, 4).

| packet | blobs | without a cache |
|---|---|---|
| skeleton | the biomes | biomes + its payload (border blocks) |
| whole column | sub-chunks from the bottom, then the biomes | these in order + its payload (borders, block entities) |
| answer of result 1 | the sub-chunk's terrain | terrain + its payload (block entities) |

Under the documented profile a blob holds terrain and block entities in the vendor text's form, and the payload is
empty: the same sum, turned as ``net.bedrock.documented_profile`` turns a payload.

Asked: Which blobs the server is to be told of, and which were asked for.
1. An announced id is told once, as hit or miss, however many packets name it before the next status leaves. An id
   that is announced again while it is under way is told as a hit when it has come: the server holds it open again.
2. A status names at most 4095 ids (wire.md 2.7; an implementation of 486 takes 4096 in both lists together).
3. An id stays asked until it comes, its time is over or all is cleared; what comes later was not asked for.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar

import msgspec

from net.bedrock import ClientCacheBlobStatus, LevelChunk, Message, SubChunkEntry, SubChunkResult
from net.bedrock.documented_profile import to_zigzag
from net.errors import DecodeError
from net.space import ColumnPos
from net.wire.fields import Profile

Item = TypeVar("Item")


FEW: Final = 64
"""Parts that have left are not worth looking for among so few."""


class Parcel(msgspec.Struct, Generic[Item], eq=False):
    """A packet that came in."""

    number: int  # packets are numbered in their order
    message: Message  # what it says
    item: Item  # whatever its owner wants back with it


class PendingPart(msgspec.Struct, Generic[Item], eq=False):
    """Something that waits."""

    parcel: Parcel[Item]  # the packet it is of
    index: int  # its place in the packet
    columns: tuple[ColumnPos, ...]  # which it touches
    section: int | None  # absolute height it is about, None for whole columns
    entry: SubChunkEntry | None  # the answer, None for a packet that is not taken apart
    due: float  # when it is given up
    found: dict[int, bytes]  # blobs that are there
    missing: int  # blobs and parts that are not
    waits: bool = True  # False once it has left or was given up
    size_bytes: int = 0  # what it is counted with
    followers: list["PendingPart[Item]"] = []  # parts that wait for it


class _Column(msgspec.Struct, Generic[Item]):
    """What waits in one column: the last part about all of it, and the parts about sections since."""

    waiting: int = 0
    whole: PendingPart[Item] | None = None
    since: list[PendingPart[Item]] = []
    last: dict[int, PendingPart[Item]] = {}


class PartOrder(Generic[Item]):
    """The links between waiting parts."""

    def __init__(self) -> None:
        self._columns: dict[ColumnPos, _Column[Item]] = {}

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether something about this place waits; ``section`` None asks for the whole column."""
        found = self._columns.get(column)
        if found is None:
            return False
        return section is None or self._before(found, section) is not None

    def add(self, part: PendingPart[Item]) -> None:
        """Takes a part that waits, and links it to those before it."""
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
        """A part leaves; gives those that lack nothing any more."""
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
    """The blobs of a column, in the order of its content.

    Raises DecodeError: there are not as many as the column has parts.
    """
    ids = message.blob_ids or ()
    expected = 1 if message.inline_count is None else message.inline_count + 1
    if len(ids) != expected:
        told = f"names {len(ids)} blobs for {expected} parts of column {tuple(message.column)}"
        raise DecodeError("LevelChunk", "blob_ids", 0, told)
    return ids


def entry_id(entry: SubChunkEntry) -> int | None:
    """The blob of one answer. Failures and air have none, whatever stands in its place: it is 0, or left out."""
    return (entry.blob_id or None) if entry.result == SubChunkResult.SUCCESS else None


def whole_column(message: LevelChunk, blobs: Mapping[int, bytes], profile: Profile) -> LevelChunk:
    """A column as it is without a cache."""
    payload = b"".join(blobs[blob_id] for blob_id in message.blob_ids or ()) + message.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, message.inline_count or 0, biomes=True)
    return LevelChunk(
        message.column, message.dimension, message.inline_count, message.limit, blob_ids=None, payload=payload
    )


def whole_entry(entry: SubChunkEntry, terrain: bytes | None, profile: Profile) -> SubChunkEntry:
    """An answer as it is without a cache; ``terrain`` is its blob, None where it has none."""
    if terrain is None:
        return entry._replace(blob_id=None)
    payload = terrain + entry.payload
    if profile is Profile.DOCUMENTED:
        payload = to_zigzag(payload, 1, biomes=False)
    return entry._replace(payload=payload, blob_id=None)


MOST_IDS: Final = 4095

Waiter = TypeVar("Waiter")


class Asked(Generic[Waiter]):
    """Ids under way, and who waits for each."""

    def __init__(self) -> None:
        self._waiters: dict[int, list[Waiter]] = {}
        self._due: dict[int, float] = {}  # in the order of asking, so the oldest come first
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
        """An announced blob is not there; whether it was not asked for before. ``due`` never falls."""
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
        """A blob that was asked for is there; gives who waits for it."""
        if blob_id in self._again:
            self._again.discard(blob_id)
            self._hits[blob_id] = None
        del self._due[blob_id]
        return self._waiters.pop(blob_id)

    def expire(self, until: float) -> None:
        """Gives up what was due by then."""
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
        """When the oldest is given up."""
        return next(iter(self._due.values()), None)

    def clear(self) -> None:
        """Nobody waits any more, and the server has forgotten what it held open: all must be asked anew."""
        for each in (self._waiters, self._due, self._again, self._misses, self._hits):
            each.clear()

    def statuses(self) -> Iterator[ClientCacheBlobStatus]:
        """What is to be told now; each id once."""
        misses, hits = tuple(self._misses), tuple(self._hits)
        self._misses.clear()
        self._hits.clear()
        for start in range(0, len(misses) + len(hits), MOST_IDS):
            end = start + MOST_IDS
            yield ClientCacheBlobStatus(
                misses[start:end], hits[max(0, start - len(misses)) : max(0, end - len(misses))]
            )


PART_BYTES: Final = 1024
"""What a part costs beside its contents (measured: 950)."""


class BlobLimits(msgspec.Struct, frozen=True):
    """Bounds of what waits."""

    parts: int = 1 << 16  # columns and answers
    held_bytes: int = 64 << 20  # of all parts
    asked: int = 1 << 16  # ids
    silence_s: float = 10.0  # without any blob, until a part is given up
    longest_s: float = 60.0  # until a part is given up in any case


class PendingItems(Generic[Item]):
    """What waits."""

    def __init__(self, limits: BlobLimits) -> None:
        self._limits = limits
        self.asked: Asked[PendingPart[Item]] = Asked()  # ids under way, and which parts wait for each
        self._order: PartOrder[Item] = PartOrder()
        self._queue: deque[PendingPart[Item]] = (
            deque()
        )  # all that wait, and some that left, in the order of their due times
        self.waiting = 0  # how many parts wait
        self.size_bytes = 0  # of all of them
        self.came_at = float("-inf")  # when the last blob came, monotonic seconds; its owner says so
        self.misses = 0  # ids asked for so far
        self.timed_out = 0  # parts given up so far
        self.overflowed = 0  # parts dropped so far

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether something about this place waits; ``section`` None asks for the whole column."""
        return self._order.blocked(column, section)

    def hold(self, part: PendingPart[Item], ids: Collection[int]) -> None:
        """Lets a part wait for what it lacks of ``ids``, or drops it where too much waits."""
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
        if len(self._queue) >= FEW + 2 * self.waiting:  # a first one that stays must not keep all that came and left
            self._queue = deque(other for other in self._queue if other.waits)
        self._queue.append(part)
        self.waiting += 1
        self.size_bytes += part.size_bytes

    def complete(self, blob_id: int, content: bytes) -> Iterator[PendingPart[Item]]:
        """The parts that lack nothing more now that this blob is there."""
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
        """Parts leave, and with them those that waited for them alone; in the order in which they came."""
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
        """Gives up what waited too long; gives what waited for that alone, in the order in which it came."""
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
        """Seconds that what waits is given beyond its due time."""
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
        """Nothing waits any more, nothing is asked."""
        self.asked.clear()
        self._order = PartOrder()
        self._queue.clear()
        self.waiting = self.size_bytes = 0


def _wire_order(part: PendingPart[Item]) -> tuple[int, int]:
    return part.parcel.number, part.index
