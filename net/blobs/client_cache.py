"""Replaces blob ids in packets by their blobs; the interface of blob stores, and blob ids. See the package's rules.

Rules:
1. A SubChunk packet is split: complete answers are returned at once, as one packet. Answers that lack a blob follow
   when it arrives; those of one packet that become complete together form one packet again. So a missing blob delays
   one place by a round trip, not the hundred places beside it.
2. A packet that changes blocks waits while anything in its columns waits: it would be lost on a place that is not
   loaded.
3. A change of dimension drops everything: the server forgets the blobs that it held open, and waiting packets are of
   the old dimension.

``pending`` holds what waits. The owner of the peer owns this object; time is passed in, and it starts nothing itself.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, Generic, Protocol

import msgspec
import xxhash
from msgspec.structs import replace

from net.bedrock import (
    Blocks,
    ChangeDimension,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    LevelChunk,
    Message,
    SubChunk,
    SubChunkEntry,
)
from net.blobs.pending import (
    BlobLimits,
    Item,
    Parcel,
    PendingItems,
    PendingPart,
    column_ids,
    entry_id,
    whole_column,
    whole_entry,
)
from net.errors import DecodeError
from net.space import ColumnPos
from net.wire.fields import Profile


def blob_id_of(content: bytes) -> int:
    """The id of a blob: xxHash64 of its bytes, seed 0 (wire.md 4)."""
    return int(xxhash.xxh64_intdigest(content))


class BlobSource(Protocol):
    """A store of blobs by id. Errors never raise: a failing store finds nothing and stores nothing."""

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """The blobs among these ids that are stored; each matches its id."""

    def put(self, blobs: Mapping[int, bytes]) -> None:
        """Stores blobs if possible. The caller has checked that each matches its id."""


AT_HAND_BYTES: Final = 16 << 20
"""Enough for the blobs of a radius-16 view of natural terrain, so that flying back and forth needs no disk access."""
_ENTRY_BYTES: Final = 128  # of a dictionary entry and its objects


class MemoryBlobs:
    """A ``BlobSource`` in memory, bounded in bytes; the least recently used blobs are dropped first.

    ``most_bytes``: limit of contents and dictionary. ``behind``: a second store that is asked for missing blobs and
    gets all new ones.
    """

    def __init__(self, most_bytes: int = AT_HAND_BYTES, behind: BlobSource | None = None) -> None:
        self._most = most_bytes
        self._behind = behind
        self._blobs: OrderedDict[int, bytes] = OrderedDict()
        self.held_bytes = 0

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """The blobs among these ids that are stored here or in ``behind``."""
        found: dict[int, bytes] = {}
        absent: list[int] = []
        for blob_id in ids:
            content = self._blobs.get(blob_id)
            if content is None:
                absent.append(blob_id)
            else:
                found[blob_id] = content
                self._blobs.move_to_end(blob_id)
        if absent and self._behind is not None:
            fetched = self._behind.get(absent)
            self._keep(fetched)
            found.update(fetched)
        return found

    def put(self, blobs: Mapping[int, bytes]) -> None:
        """Stores blobs here and in ``behind``."""
        self._keep(blobs)
        if self._behind is not None:
            self._behind.put(blobs)

    def _keep(self, blobs: Mapping[int, bytes]) -> None:
        for blob_id, content in blobs.items():
            if blob_id not in self._blobs:
                self.held_bytes += len(content) + _ENTRY_BYTES
            self._blobs[blob_id] = content
            self._blobs.move_to_end(blob_id)
        while self.held_bytes > self._most:
            _, content = self._blobs.popitem(last=False)
            self.held_bytes -= len(content) + _ENTRY_BYTES


class BlobStats(msgspec.Struct, frozen=True):
    """A snapshot of the counters."""

    hits: int  # announced blobs that were stored already; one in several packets counts in each
    misses: int  # requested blobs
    saved_bytes: int  # of the hits' contents, before compression
    received_bytes: int  # of requested blobs that arrived
    unasked: int  # blobs rejected because they were not requested, or no longer
    lying: int  # blobs rejected because they do not match their id
    malformed: int  # packets whose number of ids is wrong
    timed_out: int  # parts of packets dropped because their blobs did not arrive
    overflowed: int  # parts of packets dropped because of the limits
    waiting: int  # parts of packets waiting now
    waiting_bytes: int  # bytes that they use
    asked: int  # blobs requested and not arrived yet


MOST_IDS_A_PACKET: Final = 1 << 15
"""Four times what one request may contain (wire.md 2.2); further ids are not looked up."""


class BlobWaiting(Generic[Item]):
    """One session's client end of the cache. ``profile``: wire profile of the blobs' content."""

    def __init__(self, source: BlobSource, profile: Profile, limits: BlobLimits | None = None) -> None:
        self._source = source
        self._profile = profile
        self._limits = limits or BlobLimits()
        self._held: PendingItems[Item] = PendingItems(self._limits)
        self._parcels = 0
        self._hits = self._saved_bytes = self._received_bytes = 0
        self._unasked = self._lying = self._malformed = 0

    # ---------------------------------------------------------------- in

    def receive(
        self, message: Message, item: Item, now: float, size_bytes: int = 0
    ) -> list[tuple[Message | DecodeError, Item]]:
        """Handles one packet; returns the packets that are complete now, in order, each with the item it came with.

        An error in place of a packet means that its ids are invalid. ``item``: any value that is returned with the
        packet. ``size_bytes``: memory that the message uses while it waits.
        """
        match message:
            case LevelChunk():
                return self._receive_column(message, item, now, size_bytes)
            case SubChunk():
                return self._receive_answers(message, item, now)
            case ClientCacheMissResponse():
                return self._take(message, now)
            case ChangeDimension():
                self._held.drop_all()
                return [(message, item)]
        changes = self._held.waiting and message.BLOCKS in {Blocks.ENTITIES, Blocks.CHANGED}
        columns = (message.columns() or ()) if changes else ()
        if not any(self._held.blocked(column, None) for column in columns):
            return [(message, item)]
        self._held.hold(self._part(self._parcel(message, item), columns, now, size_bytes), ())
        return []

    def _receive_column(
        self, message: LevelChunk, item: Item, now: float, size_bytes: int
    ) -> list[tuple[Message | DecodeError, Item]]:
        try:
            ids = () if message.blob_ids is None else column_ids(message)
        except DecodeError as error:
            self._malformed += 1
            return [(error, item)]
        found = self._look_up(ids)
        if len(found) == len(set(ids)) and not self._held.blocked(message.column, None):
            return [(self._without_cache(message, found), item)]
        part = self._part(self._parcel(message, item), (message.column,), now, size_bytes)
        part.found.update(found)
        self._held.hold(part, ids)
        return []

    def _receive_answers(self, message: SubChunk, item: Item, now: float) -> list[tuple[Message | DecodeError, Item]]:
        if not (self._held.waiting or message.cache_enabled):
            return [(message, item)]
        named = [entry_id(entry) if message.cache_enabled else None for entry in message.entries]
        found = self._look_up([blob_id for blob_id in named if blob_id is not None])
        parcel = self._parcel(replace(message, entries=()), item)
        complete: list[SubChunkEntry] = []
        for index, (entry, blob_id) in enumerate(zip(message.entries, named, strict=True)):
            column = ColumnPos(message.centre.x + entry.dx, message.centre.z + entry.dz)
            section = message.centre.y + entry.dy
            terrain = None if blob_id is None else found.get(blob_id)
            if (blob_id is None or terrain is not None) and not self._held.blocked(column, section):
                complete.append(whole_entry(entry, terrain, self._profile))
                continue
            due = now + self._limits.silence_s
            part = PendingPart(parcel, index, (column,), section, entry, due, {}, 0, size_bytes=len(entry.payload))
            if blob_id is not None and terrain is not None:
                part.found[blob_id] = terrain
            self._held.hold(part, () if blob_id is None else (blob_id,))
        if not complete and message.entries:
            return []
        return [(replace(message, cache_enabled=False, entries=tuple(complete)), item)]

    def _parcel(self, message: Message, item: Item) -> Parcel[Item]:
        self._parcels += 1
        return Parcel(self._parcels, message, item)

    def _part(
        self, parcel: Parcel[Item], columns: tuple[ColumnPos, ...], now: float, size_bytes: int
    ) -> PendingPart[Item]:
        due = now + self._limits.silence_s
        return PendingPart(parcel, 0, columns, None, None, due, {}, 0, size_bytes=size_bytes)

    def _look_up(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """The stored blobs among these ids; each is reported as a hit."""
        if not ids:
            return {}
        found = self._source.get(list(dict.fromkeys(ids))[:MOST_IDS_A_PACKET])
        for blob_id, content in found.items():
            self._held.asked.have(blob_id)
            self._saved_bytes += len(content)
        self._hits += len(found)
        return found

    # ---------------------------------------------------------------- blobs come

    def _take(self, message: ClientCacheMissResponse, now: float) -> list[tuple[Message | DecodeError, Item]]:
        good: dict[int, bytes] = {}
        ready: list[PendingPart[Item]] = []
        for blob in message.blobs:
            if blob.blob_id not in self._held.asked:
                self._unasked += 1
            elif blob_id_of(blob.content) != blob.blob_id:
                self._lying += 1
            else:
                good[blob.blob_id] = blob.content
                self._received_bytes += len(blob.content)
                ready += self._held.complete(blob.blob_id, blob.content, now)
        if good:
            self._source.put(good)
        return list(self._messages(self._held.leave(ready)))

    def _messages(self, parts: Sequence[PendingPart[Item]]) -> Iterator[tuple[Message | DecodeError, Item]]:
        """The messages of complete parts; parts of one packet are joined."""
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

    def _entry(self, part: PendingPart[Item]) -> SubChunkEntry:
        assert part.entry is not None
        entry, part.entry = part.entry, None  # the queue of due times may keep the part for a while
        terrain = next(iter(part.found.values()), None)
        part.found = {}
        return whole_entry(entry, terrain, self._profile)

    def _without_cache(self, message: LevelChunk, found: Mapping[int, bytes]) -> LevelChunk:
        return message if message.blob_ids is None else whole_column(message, found, self._profile)

    # ---------------------------------------------------------------- out, and time

    def statuses(self) -> list[ClientCacheBlobStatus]:
        """The reports to send now: hits and misses since the last call."""
        return list(self._held.asked.statuses())

    def expire(self, now: float) -> list[tuple[Message | DecodeError, Item]]:
        """Drops parts that waited too long; returns what waited only for those."""
        return list(self._messages(self._held.expire(now)))

    def next_timer(self) -> float | None:
        """When ``expire`` has work at the latest; None while nothing waits."""
        return self._held.next_timer()

    def stats(self) -> BlobStats:
        """A snapshot of the counters."""
        return BlobStats(
            hits=self._hits,
            misses=self._held.misses,
            saved_bytes=self._saved_bytes,
            received_bytes=self._received_bytes,
            unasked=self._unasked,
            lying=self._lying,
            malformed=self._malformed,
            timed_out=self._held.timed_out,
            overflowed=self._held.overflowed,
            waiting=self._held.waiting,
            waiting_bytes=self._held.size_bytes,
            asked=len(self._held.asked),
        )
