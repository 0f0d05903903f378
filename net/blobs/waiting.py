"""The machine: packets in, packets without blobs out (the package's rules hold here).

Rules:
1. A SubChunk packet is taken apart: answers that are complete leave at once, as one packet; those that lack a blob
   follow when it comes, all of one packet that become complete together in one packet again. So one missing blob
   costs one place a round trip, and not the hundred beside it.
2. A packet that changes blocks waits while anything in its columns does: it would be lost on a place that is not there.
3. A change of dimension drops everything: the server forgets what it held open, and what waits is of the other world.
4. Patience is counted from the last blob that came, so a slow wire is not taken for a silent server; but no part
   waits longer than ``longest_s``.

Owned by whoever owns the peer; it is told the time and starts nothing.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, Generic

from net.bedrock import (
    ChangeDimension,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    LevelChunk,
    Message,
    SubChunk,
    SubChunkEntry,
)
from net.blobs.asked import Asked
from net.blobs.order import Item, Order, Parcel, Part
from net.blobs.parts import changed_columns, column_ids, entry_id, whole_column, whole_entry
from net.blobs.source import BlobSource, blob_id_of
from net.blobs.stats import BlobStats
from net.errors import DecodeError
from net.frozen import frozen
from net.space.positions import ColumnPos
from net.wire.profile import Profile

_FEW: Final = 64
"""Parts that have left are not worth looking for among so few."""

PART_BYTES: Final = 1024
"""What a part costs beside its contents (measured: 950)."""

MOST_IDS_A_PACKET: Final = 1 << 15
"""Four times what may be asked in one request (wire.md 2.2); what is beyond is not looked up."""


@frozen
class BlobLimits:
    """Bounds of what waits.

    Attributes:
        parts: columns and answers.
        held_bytes: of all parts.
        asked: ids.
        patience_s: without any blob, until a part is given up.
        longest_s: until a part is given up in any case.
    """

    parts: int = 1 << 16
    held_bytes: int = 64 << 20
    asked: int = 1 << 16
    patience_s: float = 10.0
    longest_s: float = 60.0


class BlobWaiting(Generic[Item]):
    """One session's end of the cache.

    Args:
        source: blobs that are there.
        profile: what the content of blobs looks like.
        limits: of what waits.
    """

    def __init__(self, source: BlobSource, profile: Profile, limits: BlobLimits | None = None) -> None:
        self._source = source
        self._profile = profile
        self._limits = limits or BlobLimits()
        self._asked: Asked[Part[Item]] = Asked()
        self._order: Order[Item] = Order()
        self._queue: deque[Part[Item]] = deque()  # all that wait, and some that left, in the order of their due times
        self._parcels = self._waiting = self._held_bytes = 0
        self._came_at = float("-inf")
        self._hits = self._misses = self._saved_bytes = self._received_bytes = 0
        self._unasked = self._lying = self._malformed = self._timed_out = self._overflowed = 0

    # ---------------------------------------------------------------- in

    def hear(
        self, message: Message, item: Item, now: float, size_bytes: int = 0
    ) -> list[tuple[Message | DecodeError, Item]]:
        """Takes one packet; gives those that leave now, in order, each with the item it came with.

        An error in the place of a packet says that it cannot be meant, and what is left of it.

        Args:
            message: what it says.
            item: whatever is wanted back with it.
            now: monotonic seconds.
            size_bytes: what the message costs while it is kept.
        """
        match message:
            case LevelChunk():
                return self._hear_column(message, item, now, size_bytes)
            case SubChunk():
                return self._hear_answers(message, item, now)
            case ClientCacheMissResponse():
                return self._take(message, now)
            case ChangeDimension():
                self._drop_all()
                return [(message, item)]
        columns = changed_columns(message) if self._waiting else ()
        if not any(self._order.blocked(column, None) for column in columns):
            return [(message, item)]
        self._hold(self._part(self._parcel(message, item), columns, now, size_bytes), ())
        return []

    def _hear_column(
        self, message: LevelChunk, item: Item, now: float, size_bytes: int
    ) -> list[tuple[Message | DecodeError, Item]]:
        try:
            ids = () if message.blob_ids is None else column_ids(message)
        except DecodeError as error:
            self._malformed += 1
            return [(error, item)]
        found = self._look_up(ids)
        if len(found) == len(set(ids)) and not self._order.blocked(message.column, None):
            return [(self._without_cache(message, found), item)]
        part = self._part(self._parcel(message, item), (message.column,), now, size_bytes)
        part.found.update(found)
        self._hold(part, ids)
        return []

    def _hear_answers(self, message: SubChunk, item: Item, now: float) -> list[tuple[Message | DecodeError, Item]]:
        if not (self._waiting or message.cache_enabled):
            return [(message, item)]
        named = [entry_id(entry) if message.cache_enabled else None for entry in message.entries]
        found = self._look_up([blob_id for blob_id in named if blob_id is not None])
        parcel = self._parcel(replace(message, entries=()), item)
        complete: list[SubChunkEntry] = []
        for index, (entry, blob_id) in enumerate(zip(message.entries, named, strict=True)):
            column = ColumnPos(message.centre.x + entry.dx, message.centre.z + entry.dz)
            section = message.centre.y + entry.dy
            terrain = None if blob_id is None else found.get(blob_id)
            if (blob_id is None or terrain is not None) and not self._order.blocked(column, section):
                complete.append(whole_entry(entry, terrain, self._profile))
                continue
            due = now + self._limits.patience_s
            part = Part(parcel, index, (column,), section, entry, due, {}, 0, size_bytes=len(entry.payload))
            if blob_id is not None and terrain is not None:
                part.found[blob_id] = terrain
            self._hold(part, () if blob_id is None else (blob_id,))
        if not complete and message.entries:
            return []
        return [(replace(message, cache_enabled=False, entries=tuple(complete)), item)]

    def _parcel(self, message: Message, item: Item) -> Parcel[Item]:
        self._parcels += 1
        return Parcel(self._parcels, message, item)

    def _part(self, parcel: Parcel[Item], columns: tuple[ColumnPos, ...], now: float, size_bytes: int) -> Part[Item]:
        due = now + self._limits.patience_s
        return Part(parcel, 0, columns, None, None, due, {}, 0, size_bytes=size_bytes)

    def _look_up(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """The blobs that are there, each told as a hit."""
        if not ids:
            return {}
        found = self._source.get(list(dict.fromkeys(ids))[:MOST_IDS_A_PACKET])
        for blob_id, content in found.items():
            self._asked.have(blob_id)
            self._saved_bytes += len(content)
        self._hits += len(found)
        return found

    def _hold(self, part: Part[Item], ids: Collection[int]) -> None:
        """Lets a part wait for what it lacks, or drops it where too much waits."""
        missing = [blob_id for blob_id in dict.fromkeys(ids) if blob_id not in part.found]
        part.size_bytes += PART_BYTES + sum(map(len, part.found.values()))
        limits = self._limits
        if (
            self._waiting >= limits.parts
            or self._held_bytes + part.size_bytes > limits.held_bytes
            or len(self._asked) + len(missing) > limits.asked
        ):
            self._overflowed += 1
            return
        for blob_id in missing:
            self._misses += self._asked.want(blob_id, part.due)
            self._asked.wait(blob_id, part)
        part.lacks = len(missing)
        self._order.add(part)
        if len(self._queue) >= _FEW + 2 * self._waiting:  # a first one that stays must not keep all that came and left
            self._queue = deque(other for other in self._queue if other.waits)
        self._queue.append(part)
        self._waiting += 1
        self._held_bytes += part.size_bytes

    # ---------------------------------------------------------------- blobs come

    def _take(self, message: ClientCacheMissResponse, now: float) -> list[tuple[Message | DecodeError, Item]]:
        good: dict[int, bytes] = {}
        ready: list[Part[Item]] = []
        for blob in message.blobs:
            if blob.blob_id not in self._asked:
                self._unasked += 1
            elif blob_id_of(blob.content) != blob.blob_id:
                self._lying += 1
            else:
                good[blob.blob_id] = blob.content
                self._received_bytes += len(blob.content)
                ready += self._complete(blob.blob_id, blob.content)
        if good:
            self._came_at = now
            self._source.put(good)
        return list(self._messages(self._leave(ready)))

    def _complete(self, blob_id: int, content: bytes) -> Iterator[Part[Item]]:
        """The parts that lack nothing more now that this blob is there."""
        for part in self._asked.came(blob_id):
            if not part.waits:
                continue
            part.found[blob_id] = content
            part.size_bytes += len(content)
            self._held_bytes += len(content)
            part.lacks -= 1
            if not part.lacks:
                yield part

    def _leave(self, ready: Iterable[Part[Item]]) -> list[Part[Item]]:
        """Parts leave, and with them those that waited for them alone; in the order in which they came."""
        leaving, left = list(ready), []
        while leaving:
            part = leaving.pop()
            leaving += self._remove(part)
            left.append(part)
        return sorted(left, key=_wire_order)

    def _remove(self, part: Part[Item]) -> list[Part[Item]]:
        self._waiting -= 1
        self._held_bytes -= part.size_bytes
        return self._order.remove(part)

    def _messages(self, parts: Sequence[Part[Item]]) -> Iterator[tuple[Message | DecodeError, Item]]:
        """What parts say, those of one packet together."""
        for parcel, group in groupby(parts, key=lambda part: part.parcel):
            message = parcel.message
            if isinstance(message, SubChunk):
                entries = tuple(self._entry(part) for part in group)
                yield replace(message, cache_enabled=False, entries=entries), parcel.item
                continue
            for part in group:
                found, part.found = part.found, {}
                whole = self._without_cache(message, found) if isinstance(message, LevelChunk) else message
                yield whole, parcel.item

    def _entry(self, part: Part[Item]) -> SubChunkEntry:
        assert part.entry is not None
        entry, part.entry = part.entry, None  # the queue of due times may hold the part for a while
        terrain = next(iter(part.found.values()), None)
        part.found = {}
        return whole_entry(entry, terrain, self._profile)

    def _without_cache(self, message: LevelChunk, found: Mapping[int, bytes]) -> LevelChunk:
        return message if message.blob_ids is None else whole_column(message, found, self._profile)

    # ---------------------------------------------------------------- out, and time

    def statuses(self) -> list[ClientCacheBlobStatus]:
        """What the server is to be told now: hits and misses since the last call."""
        return list(self._asked.statuses())

    def expire(self, now: float) -> list[tuple[Message | DecodeError, Item]]:
        """Gives up what waited too long; gives what waited for that alone."""
        until = now - self._extension(now)
        self._asked.expire(until)
        left: list[Part[Item]] = []
        while self._queue and (not self._queue[0].waits or self._queue[0].due <= until):
            part = self._queue.popleft()
            if part.waits:
                self._timed_out += 1
                left += self._leave(self._remove(part))
        return list(self._messages(sorted(left, key=_wire_order)))

    def _extension(self, now: float) -> float:
        """Seconds that what waits is given beyond its due time."""
        limits = self._limits
        return limits.longest_s - limits.patience_s if now < self._came_at + limits.patience_s else 0.0

    def next_timer(self) -> float | None:
        """When ``expire`` has work at the latest; None while nothing waits."""
        while self._queue and not self._queue[0].waits:
            self._queue.popleft()
        dues = [self._queue[0].due] if self._queue else []
        asked = self._asked.next_due()
        dues += [] if asked is None else [asked]
        if not dues:
            return None
        due, limits = min(dues), self._limits
        return min(max(due, self._came_at + limits.patience_s), due + limits.longest_s - limits.patience_s)

    def _drop_all(self) -> None:
        self._asked.clear()
        self._order = Order()
        self._queue.clear()
        self._waiting = self._held_bytes = 0

    def stats(self) -> BlobStats:
        """A snapshot of the counters."""
        return BlobStats(
            hits=self._hits,
            misses=self._misses,
            saved_bytes=self._saved_bytes,
            received_bytes=self._received_bytes,
            unasked=self._unasked,
            lying=self._lying,
            malformed=self._malformed,
            timed_out=self._timed_out,
            overflowed=self._overflowed,
            waiting=self._waiting,
            waiting_bytes=self._held_bytes,
            asked=len(self._asked),
        )


def _wire_order(part: Part[Item]) -> tuple[int, int]:
    return part.parcel.number, part.index
