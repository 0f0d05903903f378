"""Applies the terrain messages to the store and to the ledger.

Rules:
1. Every answer goes to both: the store shows it, the ledger decides what to request again. A place that the ledger
   gives up after the last try is refused in the store, too.
2. A bad entry costs only that entry. It is counted, and the last few texts are kept for reports.
3. Columns and answers of another dimension are dropped whole: they were sent or requested before a change.
4. A column outside any world, or beyond ``MOST_PLACES``, is a fault and is not kept. Terrain in blobs is reported as a
   fault, and its entries then fail to decode.
5. A full pool is a fault like any other: a place without a free slot becomes EVICTED, and is requested again when slots
   are free (``requests`` sends nothing while the pool is ``crowded``).
6. A column outside the publisher's circle + 2 columns is dropped if no anchor holds it: the server sends no updates for
   it any more, and will announce it again. Answers on their way are ignored and no fault.
"""

from collections import Counter, deque
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.session.event_log import CRACKING
from client.session.publisher_area import Publisher, StaleColumns
from client.streaming.anchors import Anchors
from client.streaming.ledger import Ledger
from client.world.lifecycle import NEEDS_REQUEST, SubChunkState, table_of
from client.world.reports import EntryFault
from client.world.store import Store
from net import bedrock
from net.arrays import Places
from net.space import FARTHEST_COLUMN, BlockPos, ColumnPos, coordinates

NUMBERS_A_CHANGE: Final = 7
"""x, y, z, layer and runtime id of a changed block, the number of its packet, unique id of the entity that did it."""
KEPT_CHANGES: Final = 2048


def leaves_blocks_alone(message: bedrock.Message) -> bool:
    """Whether a message neither changes nor judges blocks, so that changes may wait (``BlockChanges`` rule 2)."""
    if isinstance(message, bedrock.LevelEvent):
        return message.event not in CRACKING  # cracks end with their block
    return message.BLOCKS is bedrock.Blocks.NONE


class ReceivedChange(msgspec.Struct, frozen=True):
    """One change of a block, as received."""

    time_s: float  # when it came, in the session's clock
    packet: int  # number of the inbound packet
    layer: int
    runtime_id: int  # of the new block
    actor_id: int  # unique id of the entity that did it; 0 where the packet names none
    unchanged: bool  # the block was there before; so servers correct builds that they refuse


def signed_id(actor_id: int) -> int:
    """A unique id as a signed number; block packets carry it unsigned."""
    return actor_id - (1 << 64) if actor_id >> 63 else actor_id


class BlockChanges:
    """Collects changes of single blocks and applies them in one call; owned by the session's terrain.

    1. They are applied before the next message about blocks, and at the end of a drain, so the order of the wire holds.
       Each alone costs 70 us (measured, busy machine). Changes received at different times are applied apart, so that
       the history dates each by its own packet.
    2. Where the pools are full the changes are tried one by one, and those that find a free slot hold.
    3. The last ``KEPT_CHANGES`` are kept with their time and, where the packet names it, the entity that made them.
    """

    def __init__(self, store: Store) -> None:
        self.counted = 0  # changed blocks so far
        self._store = store
        self._waiting: list[int] = []
        self._kept = np.zeros((KEPT_CHANGES, NUMBERS_A_CHANGE), np.int64)
        self._kept_s = np.zeros(KEPT_CHANGES)
        self._kept_unchanged = np.zeros(KEPT_CHANGES, np.bool_)
        self._applied = 0  # number of applied changes; ``_kept`` is a ring of the last ones

    def at(self, position: BlockPos) -> tuple[ReceivedChange, ...]:
        """The kept changes of one block, oldest first."""
        known = min(self._applied, KEPT_CHANGES)
        rows = np.flatnonzero((self._kept[:known, :3] == position).all(axis=1))
        rows = rows[np.argsort((rows - self._applied) % KEPT_CHANGES)]
        return tuple(
            ReceivedChange(float(self._kept_s[row]), packet, layer, runtime_id, actor, bool(self._kept_unchanged[row]))
            for row in rows.tolist()
            for layer, runtime_id, packet, actor in [self._kept[row, 3:].tolist()]
        )

    def forget(self) -> None:
        self._applied = 0

    def block(self, message: bedrock.UpdateBlock | bedrock.UpdateBlockSynced) -> None:
        actor = message.actor_id if isinstance(message, bedrock.UpdateBlockSynced) else 0
        place, number = message.position, self._store.packet
        self._waiting += (*place, message.layer, message.runtime_id, number, signed_id(actor))
        self.counted += 1

    def blocks(self, message: bedrock.UpdateSubChunkBlocks) -> None:
        """Collects changes of several blocks; their positions are absolute, so the packet's base is not needed."""
        number = self._store.packet
        for layer, changes in enumerate((message.layer0, message.layer1)):
            for change in changes:
                self._waiting += (*change.position, layer, change.runtime_id, number, signed_id(change.actor_id))
            self.counted += len(changes)

    def apply(self) -> list[str]:
        """Applies the collected changes in order; returns a sentence for each without a free slot."""
        if not self._waiting:
            return []
        changes = np.array(self._waiting, np.int64).reshape(-1, NUMBERS_A_CHANGE)
        self._waiting.clear()
        unchanged = np.zeros(len(changes), np.bool_)
        faults = []
        if self._update(changes, unchanged):
            each = range(len(changes))
            faults = [text for at in each for text in self._update(changes[at : at + 1], unchanged[at : at + 1])]
        self._keep(changes[-KEPT_CHANGES:], unchanged[-KEPT_CHANGES:])
        return faults

    def _keep(self, changes: npt.NDArray[np.int64], unchanged: npt.NDArray[np.bool_]) -> None:
        rows = np.arange(self._applied, self._applied + len(changes)) % KEPT_CHANGES
        self._kept[rows], self._kept_s[rows], self._kept_unchanged[rows] = changes, self._store.now, unchanged
        self._applied += len(changes)

    def _update(self, changes: npt.NDArray[np.int64], unchanged: npt.NDArray[np.bool_]) -> list[str]:
        """Applies changes, all or none, and marks those that change nothing; a sentence if the pools are full."""
        positions, packets = changes[:, :3].astype(np.int32), changes[:, 5].astype(np.int32)
        try:
            effect = self._store.update_blocks(positions, changes[:, 3], changes[:, 4], packets)
        except OutOfSlots as error:
            return [str(error)]
        unchanged[:] = ~effect & ~self._store.is_placeholder(self._store.places_of(positions >> 4))
        return []


KEPT_FAULTS: Final = 16
MOST_PLACES: Final = 24 << 16
"""Sub-chunks of the columns kept at once, 400 bytes each without their blocks (measured): 65,536 columns of the
overworld, more than twice the circle around the largest radius, and fewer of a dimension that a server makes taller."""
DROP_MARGIN_COLUMNS: Final = 2
MOST_LEFT: Final = 1 << 14
"""Dropped columns that are remembered, 2 MiB; beyond it late answers for them count as unsolicited."""
NEEDS_SPACE: Final = table_of(NEEDS_REQUEST)
"""By state: whether blocks that came and are not shown found no room."""
NO_CACHE: Final = "the server sends blobs although the client announced no cache"


class TerrainStats(msgspec.Struct, frozen=True):
    """Counts of terrain messages."""

    columns: int  # columns announced, whole ones, repetitions and ignored ones included
    answers: int  # entries of SubChunk packets
    results: dict[int, int]  # entries by result code
    accepted: int  # places that got data or air
    ignored: int  # successes for places that were not marked, repeated ones, and answers for another dimension
    foreign: int  # of those, answers for another dimension
    outside: int  # of those, answers for places outside the announced columns, those that were dropped left out
    refused: dict[int, int]  # places refused for good by result code, those given up after the last try included
    faults: int  # entries that did not decode, or found no free slot
    last_faults: tuple[str, ...]  # the texts of the last few
    block_updates: int  # single blocks changed
    dropped_columns: int  # columns that left the publisher's circle
    stale_columns: int = 0  # columns kept now that the server does not keep up to date
    foreign_columns: int = 0  # columns of another dimension, ignored


class SessionTerrain:
    """Writes the received terrain to the store and the ledger; owned by the session."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger
        self.staleness = StaleColumns(store)  # which columns the server keeps up to date
        self.last_column_at: float | None = None
        self.announcements = 0  # columns received so far, repeated ones included
        self._answers = self._accepted = self._ignored = self._faults = 0
        self._dropped = self._foreign = self._foreign_columns = self._outside = 0
        self._refused: Counter[int] = Counter()
        self._results: Counter[int] = Counter()
        self._left: set[tuple[int, int]] = set()  # dropped columns, whose answers may still come
        self._last_faults: deque[str] = deque(maxlen=KEPT_FAULTS)
        self.changes = BlockChanges(store)  # changes of single blocks, which wait to be applied together

    def stats(self) -> TerrainStats:
        return TerrainStats(
            self.announcements,
            self._answers,
            dict(sorted(self._results.items())),
            self._accepted,
            self._ignored,
            self._foreign,
            self._outside,
            dict(sorted(self._refused.items())),
            self._faults,
            tuple(self._last_faults),
            self.changes.counted,
            self._dropped,
            self.staleness.columns,
            self._foreign_columns,
        )

    def reset(self) -> None:
        """Forgets circle and changes, for another dimension."""
        self.staleness.reset()
        self._left.clear()
        self.last_column_at = None
        self.changes.forget()

    # ------------------------------------------------------------ columns

    def column(self, message: bedrock.LevelChunk, now: float) -> None:
        self.announcements += 1
        if message.dimension not in (None, self._store.dimension.number):
            self._foreign_columns += 1
            return
        refusal = self._column_refusal(message.column)
        if refusal is not None:
            self._record(f"LevelChunk.column {coordinates(message.column)}: {refusal}")
            return
        self.last_column_at = now
        self._ledger.busy(now)
        if message.blob_ids is not None:
            self._record(f"LevelChunk.blob_ids of column {coordinates(message.column)}: {NO_CACHE}")
        if message.inline_count is None:
            self._record_faults(self._store.announce(message.column, message.limit, message.payload, now))
            self._ledger.resize(len(self._store.state))
            self._ledger.announced_again(self._places_of_column(message.column))
        else:
            self._fill(message, message.inline_count, now)
            self._ledger.resize(len(self._store.state))
            self._ledger.forget(self._places_of_column(message.column))  # the whole column is here
        self.staleness.announced(message.column)

    def _column_refusal(self, column: ColumnPos) -> str | None:
        if max(abs(column.x), abs(column.z)) >= FARTHEST_COLUMN:
            return "lies outside every world"
        most = MOST_PLACES // self._store.dimension.sections
        if len(self._store.row_of) >= most and column not in self._store.row_of:
            return f"{most} columns are already stored, which is the maximum"
        return None

    def _fill(self, message: bedrock.LevelChunk, inline_count: int, now: float) -> None:
        try:
            self._record_faults(self._store.fill(message.column, message.payload, inline_count, now).faults)
        except OutOfSlots as error:
            self._record(str(error))
            self._store.mark(self._places_of_column(message.column), SubChunkState.EVICTED, now)

    def publish(self, message: bedrock.NetworkChunkPublisherUpdate, anchors: Anchors) -> npt.NDArray[np.int32]:
        """Sets a new circle; drops columns outside that no anchor holds, and returns them int32[n, 2]."""
        publisher = Publisher(message.position, message.radius_blocks)
        self.staleness.publish(publisher)
        rows = self._store.announced_rows
        columns = self._store.columns[rows]
        left = ~publisher.holds(columns, DROP_MARGIN_COLUMNS) & anchors.released(columns)
        if len(self._left) > MOST_LEFT:
            self._left.clear()
        for x, z in columns[left].tolist():
            self._left.add((x, z))
            column = ColumnPos(x, z)
            self._ledger.forget(self._places_of_column(column))
            self.staleness.dropped(column)
            self._store.forget(column)
            self._dropped += 1
        return columns[left]

    def _places_of_column(self, column: ColumnPos) -> Places:
        row = self._store.row_of.get(column)
        return self._store.places_of_row(row) if row else np.empty(0, np.int32)

    # ------------------------------------------------------------ answers

    def answers(self, message: bedrock.SubChunk, now: float) -> None:
        entries = message.entries
        self._answers += len(entries)
        if not entries:
            return
        if message.cache_enabled:
            self._record(f"SubChunk.cache_enabled: {NO_CACHE}")
        if message.dimension != self._store.dimension.number:
            self._ignored += len(entries)
            self._foreign += len(entries)
            return
        self._apply(message, now)

    def _apply(self, message: bedrock.SubChunk, now: float) -> None:
        # Column by column: entry by entry took 41 us for 24 of them, this takes 14 (measured).
        *offsets, told, payloads, kinds, heights, _, _, _ = zip(*message.entries, strict=True)
        self._results.update(told)
        if bedrock.HeightKind.ALL_COPIED in kinds:
            kinds = tuple(entry.surface_kind for entry in message.entries)
            heights = tuple(entry.surface_heights for entry in message.entries)
        positions = np.array(offsets, np.int32).T + np.array(message.centre, np.int32)
        results = np.array(told, np.uint8)
        full = False
        try:
            kinds_told = np.array(kinds, np.uint8)
            report = self._store.answer(positions, results, list(payloads), kinds_told, list(heights), now)
        except OutOfSlots as error:
            self._record(str(error))
            full = True
        else:
            self._accepted += len(report.accepted_places)
            self._ignored += report.ignored
            self._record_faults(report.faults)
        places = self._store.places_of(positions)
        inside = places >= self._store.dimension.sections  # row 0 is for places outside the known columns
        strange = zip(positions[~inside, 0].tolist(), positions[~inside, 2].tolist(), strict=True)
        self._outside += sum(column not in self._left for column in strange)
        closed, codes = self._ledger.answered(places[inside], results[inside], now)
        self._refused.update(codes.tolist())
        self._store.refuse(closed, codes, now)
        if full:
            came = np.unique(places[inside & (results == bedrock.SubChunkResult.SUCCESS)])
            roomless = came[NEEDS_SPACE[self._store.state[came]]]
            self._store.mark(roomless, SubChunkState.EVICTED, now)

    def _record_faults(self, faults: tuple[EntryFault, ...]) -> None:
        for fault in faults:
            self._record(str(fault))

    def _record(self, fault: str) -> None:
        self._faults += 1
        self._last_faults.append(fault)

    # ------------------------------------------------------------ single blocks

    def apply_changes(self) -> None:
        for fault in self.changes.apply():
            self._record(fault)

    def entity(self, message: bedrock.BlockActorData) -> None:
        self._record_faults(self._store.put_entity(message.position, message.nbt))

    def cracks(self, message: bedrock.LevelEvent, now: float) -> None:
        """Starts, updates or stops cracks at a block; ignores other events."""
        position = BlockPos.containing(*message.position)
        match message.event:
            case bedrock.LevelEventNumber.START_CRACKING:
                self._store.crack(position, message.argument, now)
            case bedrock.LevelEventNumber.UPDATE_CRACKING:
                self._store.crack(position, message.argument, now, again=True)
            case bedrock.LevelEventNumber.STOP_CRACKING:
                self._store.stop_cracking(position)
