"""The live end of a connection: what the transport brings is told to the session, and what that says is sent.

Rules:
1. Events are applied in the order in which they came; what a budget leaves waits for the next turn, before newer ones.
2. What came and is not applied yet is on its way to the session, as what its transport has not got through.
3. A session that is recorded is ticked by its ``session_recorder``, which records what the tick decided.

Upkeep: What a connection does for the session that it shows: light, and memory that nobody reads any more.
1. One step lights at most ``COLUMNS_A_LIGHT_STEP`` columns, so that a wait looks at the time between two.
2. Slots are given back only by who makes the light: where somebody else does (a scene with workers), that one reads
   older slots, and knows when it has done.
3. Another session than before (a way back in a recording, or to the present) is lit from its own beginning.

Flood: Whether a source does not stop changing its world: then no moment of it is the one to look at.
1. Blocks that change now and then (a clock, flowing water, players) are a world's life: a picture of it is one moment.
   More than ``MOST_CHANGES_S`` are a flood, which is waited for: an edit of thousands of blocks, a server that sends
   its columns over and over.
2. A block that changes counts one, a column that is announced again ``COLUMN_CHANGES``. First announcements count
   nothing: they are what is waited for anyway.
3. The rate is that of the last ``WINDOW_S``, or of the time since changes began where that is less: a small world is
   loaded before a flood has filled its window.

Time is passed in. Memory is one entry a turn in which something changed, ``WINDOW_S`` long.

``LightKeeper`` keeps light up to date without a renderer: it collects columns that changed, and relights them in one
step. A scene drives the same light map with its own workers; then nobody makes a LightKeeper. One step at a time may
publish, so a map has one keeper.

Rule: columns for whose light there is no slot stay as dark as they are and count as unlit no longer; they are lit when
there is room again.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from client.connection.stats import give_back_free_pages
from client.errors import OutOfSlots
from client.recording.recorder import SessionRecorder
from client.session.session import Session
from client.world.changes import ChangeKind, ChangeReader
from client.world.store import Store
from net.bedrock import Blocks, LevelChunk, Message, UpdateSubChunkBlocks
from net.peer import Event, Received
from net.space import ColumnPos, ColumnPositions
from net.transport.interface import Transport

COLUMNS_A_LIGHT_STEP: Final = 96
NO_COLUMNS: Final = np.empty((0, 2), np.int32)


class Housekeeping:
    """Of one connection."""

    def __init__(self, session: Session, light: bool) -> None:
        """Nothing is lit yet. ``light``: whether its light is made here."""
        self._light = light
        self._session = session
        self._keeper = LightKeeper(session) if light else None
        self._held = False

    @property
    def pending(self) -> int:
        """Columns that are to be lit."""
        return self._keeper.pending if self._keeper else 0

    @property
    def unlit(self) -> ColumnPositions:
        """Those columns: int32[n, 2]."""
        return self._keeper.unlit if self._keeper else NO_COLUMNS

    def show(self, session: Session) -> None:
        """This is shown from now on."""
        if self._session is not session:
            self._session = session
            self._keeper = LightKeeper(session) if self._light else None

    def step(self) -> str | None:
        """One step of light; says what is left, if anything is."""
        if self._keeper and self._keeper.pending:
            self._keeper.step(COLUMNS_A_LIGHT_STEP)
            return f"{self._keeper.pending} columns have no light yet" if self._keeper.pending else None
        return None

    def light_up(self) -> None:
        while self.step():
            pass

    def reclaim(self) -> None:
        """Gives back the slots that changed, and everything once the last column has gone."""
        if self._keeper:  # nobody works on older slots: there are no jobs but the keeper's, which are over
            self._session.dimension.store.pools.reclaim(self._session.dimension.store.pools.epoch)
            self._when_empty()

    def _when_empty(self) -> None:
        """Once, when the last column has gone and its light with it."""
        holds = bool(self._session.dimension.store.row_of)
        if self._held and not holds:
            self.light_up()
            give_back_free_pages()
        self._held = holds


WINDOW_S: Final = 0.5
"""As long as no column must have come for a world to be complete (``SessionConfig.quiet_s``)."""
SHORTEST_S: Final = 0.1
"""What came at once counts as spread over two ticks."""
MOST_CHANGES_S: Final = 2000.0
"""100 a tick: no player, piston or river does that; not measured on real servers."""
COLUMN_CHANGES: Final = 64


class RestlessSource:
    """Counts one connection's changes."""

    def __init__(self) -> None:
        self._turns: deque[tuple[float, int]] = deque()
        self._sum = 0

    def receive(self, message: Message, known: dict[ColumnPos, int], now: float) -> None:
        """Counts a message that is about to be applied.

        ``known``: columns that are announced. ``now``: monotonic seconds, never less than before.
        """
        count = _changes(message, known)
        if not count:
            return
        self._sum += count
        if self._turns and self._turns[-1][0] == now:
            count += self._turns.pop()[1]
        self._turns.append((now, count))

    def words(self, now: float) -> str | None:
        """That there is one, in words; None where there is none."""
        count, seconds = self.changes(now)
        if count <= MOST_CHANGES_S * seconds:
            return None
        return f"the world does not settle: {count} changes in the last {seconds:.2g} s"

    def changes(self, now: float) -> tuple[int, float]:
        """How many changes came within how many seconds."""
        while self._turns and self._turns[0][0] <= now - WINDOW_S:
            self._sum -= self._turns.popleft()[1]
        since = self._turns[0][0] if self._turns else now
        return self._sum, min(max(now - since, SHORTEST_S), WINDOW_S)


def _changes(message: Message, known: dict[ColumnPos, int]) -> int:
    match message:
        case UpdateSubChunkBlocks(layer0=layer0, layer1=layer1):
            return len(layer0) + len(layer1)
        case LevelChunk(column=column):
            return COLUMN_CHANGES if column in known else 0
    return int(message.BLOCKS is Blocks.CHANGED)


class LiveSource:
    """One session on one transport: a source of events as ``client.recording.replay`` is another; both have ``run``."""

    def __init__(self, session: Session, transport: Transport, clock: Callable[[], float]) -> None:
        """Nothing has come; the clock tells monotonic seconds."""
        self.pending: deque[Event] = deque()  # events that came and are not applied yet
        self.flood = RestlessSource()  # whether the source does not stop changing
        self.session_recorder: SessionRecorder | None = None  # who writes the session down, where somebody does
        self._session = session
        self._transport = transport
        self._clock = clock

    def run(self, now: float, budget_s: float | None, before_tick: Callable[[], None]) -> bool:
        """Applies what came, ticks the session and sends what it says; whether anything came or went.

        ``budget_s``: no event is begun after so long; None: all are applied. ``before_tick``: called between the last
        event and the tick.
        """
        busy = self._apply(now, budget_s)
        before_tick()
        return self._tick(now) or busy

    def _apply(self, now: float, budget_s: float | None) -> bool:
        """Applies what came, for so long at most; whether anything had."""
        if self.session_recorder:
            self.session_recorder.begin(now)
        self.pending.extend(self._transport.events())
        busy = bool(self.pending)
        deadline = None if budget_s is None else self._clock() + budget_s
        while self.pending:
            event = self.pending.popleft()
            if self.session_recorder:
                self.session_recorder.heard(event)
            if isinstance(event, Received):
                self.flood.receive(event.message, self._session.dimension.store.row_of, now)
            self._session.handle(event, now)
            if deadline is not None and self._clock() >= deadline:
                break
        return busy

    def _tick(self, now: float) -> bool:
        """One tick; sends what the session says, and whether it said anything."""
        stats = self._transport.stats()
        round_trip_s = stats.rtt_s or 0.0
        under_way = bool(self.pending) or stats.under_way(now)
        if self.session_recorder:
            said = self.session_recorder.tick(now, round_trip_s, under_way)
        else:
            self._session.tick(now, round_trip_s, under_way)
            said = self._session.outbox.take()
        for message in said:
            self._transport.send(message)
        return bool(said)


# --------------------------------------------------------------------- lighting

LOG: Final = logging.getLogger("chunkscope.light")


class LightKeeper:
    """Drives a session's light map on the owner thread."""

    def __init__(self, session: Session) -> None:
        """Follows the session's store, also when StartGame replaces it."""
        self._session = session
        self._rows: set[int] = set()
        self._roomless: set[int] = set()
        self._least_free = 0
        self._store: Store = session.dimension.store
        self._reader: ChangeReader = self._store.changes.subscribe()
        self._all()

    @property
    def pending(self) -> int:
        """Columns whose light is older than their blocks."""
        self._collect()
        return len(self._rows)

    @property
    def unlit(self) -> ColumnPositions:
        """Those columns, by the numbers of their rows: int32[n, 2]."""
        self._collect()
        columns: ColumnPositions = self._store.columns[sorted(self._rows)]
        return columns

    def step(self, most_columns: int) -> int:
        """Relights up to so many columns, in the order of their numbers; says how many."""
        self._collect()
        light = self._session.dimension.light
        if self._roomless and light.free_slots >= self._least_free:
            self._rows |= self._roomless
            self._roomless.clear()
        rows = np.array(sorted(self._rows)[:most_columns], np.int32)
        if len(rows):
            try:
                light.step(self._store, rows)
            except OutOfSlots:
                for row in rows.tolist():
                    self._try(row)
            self._rows.difference_update(rows.tolist())
            if not self._rows:
                light.rest()
        return len(rows)

    def _try(self, row: int) -> None:
        """Relights one column, if there are slots for it."""
        try:
            self._session.dimension.light.step(self._store, np.array([row], np.int32))
        except OutOfSlots as full:
            if not self._roomless:
                LOG.warning("%s: columns without a light slot stay dark until one is free", full)
            self._roomless.add(row)
            self._least_free = self._session.dimension.light.free_slots + self._store.dimension.sections

    def _collect(self) -> None:
        if self._session.dimension.store is not self._store:
            self._reader.close()
            self._store = self._session.dimension.store
            self._reader = self._store.changes.subscribe()
            self._all()
        batch = self._reader.drain()
        if batch.everything:
            self._all()
        darkened = batch.kinds != ChangeKind.STATE  # or brightened; a state alone changes no light
        rows = np.unique(batch.places[darkened] // self._store.dimension.sections).tolist()
        self._rows.update(rows)
        self._roomless.difference_update(rows)

    def _all(self) -> None:
        self._rows = set(self._store.announced_rows.tolist())
        self._roomless.clear()
