"""Moves packets between transport and session; light and memory of a live session."""

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
from net.arrays import ColumnPositions
from net.bedrock import Blocks, LevelChunk, Message, UpdateSubChunkBlocks
from net.peer import Event, Received
from net.space import ColumnPos
from net.transport.interface import Transport

COLUMNS_A_LIGHT_STEP: Final = 96  # so that a wait can check the time between two steps


WINDOW_S: Final = 0.5  # the time without new columns after which a world counts as complete (``SessionConfig.quiet_s``)
SHORTEST_S: Final = 0.1  # the least time that changes count as spread over: two ticks
MOST_CHANGES_S: Final = 2000.0  # 100 a tick: more than players, pistons and rivers cause; not measured on real servers
COLUMN_CHANGES: Final = 64


class RestlessSource:
    """Detects a source that floods: it changes its world so much that no moment is a good one for a picture.

    Blocks that change now and then are normal; a wait goes on until a flood of more than ``MOST_CHANGES_S`` ends. A
    changed block counts 1, a repeated column ``COLUMN_CHANGES``. The rate is that of the last ``WINDOW_S``, or of the
    time since changes began where that is shorter: a small world is loaded before a flood has filled the window.
    """

    def __init__(self) -> None:
        self._turns: deque[tuple[float, int]] = deque()
        self._sum = 0

    def receive(self, message: Message, known: dict[ColumnPos, int], now: float) -> None:
        """Counts a message that is about to be applied; ``known``: announced columns."""
        count = _changes(message, known)
        if not count:
            return
        self._sum += count
        if self._turns and self._turns[-1][0] == now:
            count += self._turns.pop()[1]
        self._turns.append((now, count))

    def words(self, now: float) -> str | None:
        """A sentence if the source floods, else None."""
        count, seconds = self.changes(now)
        if count <= MOST_CHANGES_S * seconds:
            return None
        return f"the world does not settle: {count} changes in the last {seconds:.2g} s"

    def changes(self, now: float) -> tuple[int, float]:
        """The number of recent changes, and the seconds that they count over."""
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
    """Connects a session to one transport. ``Replay`` is the other source of events; both have ``run``.

    Events are applied in order; those beyond the time budget wait for the next turn, before newer ones, and count as
    under way. A recorded session is ticked by its ``session_recorder``, which records the decisions of the tick.
    """

    def __init__(self, transport: Transport, clock: Callable[[], float]) -> None:
        self.pending: deque[Event] = deque()  # events that arrived and are not applied yet
        self.flood = RestlessSource()  # detects flooding
        self.session_recorder: SessionRecorder | None = None  # records the session; None if not recorded
        self._transport = transport
        self._clock = clock

    def run(self, session: Session, now: float, budget_s: float | None, before_tick: Callable[[], None]) -> bool:
        """Applies what arrived, ticks the session and sends its messages; returns whether any came or went.

        ``budget_s``: no event is begun after this time; None: all are applied. ``before_tick``: called between the last
        event and the tick.
        """
        busy = self._apply(session, now, budget_s)
        before_tick()
        return self._tick(session, now) or busy

    def _apply(self, session: Session, now: float, budget_s: float | None) -> bool:
        """Applies what arrived, within the time budget; returns whether there was anything."""
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
                self.flood.receive(event.message, session.dimension.store.row_of, now)
            session.handle(event, now)
            if deadline is not None and self._clock() >= deadline:
                break
        return busy

    def _tick(self, session: Session, now: float) -> bool:
        stats = self._transport.stats()
        round_trip_s = stats.rtt_s or 0.0
        under_way = bool(self.pending) or stats.under_way(now)
        if self.session_recorder:
            said = self.session_recorder.tick(now, round_trip_s, under_way)
        else:
            session.tick(now, round_trip_s, under_way)
            said = session.outbox.take()
        for message in said:
            self._transport.send(message)
        return bool(said)


# --------------------------------------------------------------------- lighting

LOG: Final = logging.getLogger("chunkscope.light")


class LightKeeper:
    """Keeps the light of the session that a connection shows up to date without a renderer, and gives memory back.

    A scene drives the same light map with its own workers instead (``on`` False): a map has one keeper, since only one
    step at a time may publish, and only the keeper knows when older slots are no longer read. Columns without a free
    light slot stay as dark as they are and no longer count as unlit; they are lit when slots are free again. Owner
    thread only.
    """

    def __init__(self, session: Session, on: bool = True) -> None:
        self._session = session
        self._on = on
        self._rows: set[int] = set()
        self._roomless: set[int] = set()
        self._least_free = 0
        self._store: Store = session.dimension.store
        self._reader: ChangeReader | None = None  # of that store
        self._held = False  # whether there were columns at the last ``reclaim``

    def show(self, session: Session) -> None:
        """Keeps the light of this session from now on, and forgets a store that it no longer has."""
        self._session = session
        self._follow()

    @property
    def pending(self) -> int:
        self._collect()
        return len(self._rows)

    @property
    def unlit(self) -> ColumnPositions:
        """Columns whose light is older than their blocks, by the numbers of their rows: int32[n, 2]."""
        self._collect()
        columns: ColumnPositions = self._store.columns[sorted(self._rows)]
        return columns

    def step(self, most_columns: int = COLUMNS_A_LIGHT_STEP) -> int:
        """Relights up to so many columns, in the order of their rows; returns how many."""
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

    def light_up(self) -> None:
        while self.step():
            pass

    def reclaim(self) -> None:
        """Reclaims the slots that changed, and all free memory once the last column has gone."""
        if not self._on:
            return
        pools, holds = self._session.dimension.store.pools, bool(self._session.dimension.store.row_of)
        pools.reclaim(pools.epoch)  # no jobs but the keeper's read older slots, and those are over
        if self._held and not holds:
            self.light_up()
            give_back_free_pages()
        self._held = holds

    def _try(self, row: int) -> None:
        """Relights one column if there are slots for it."""
        try:
            self._session.dimension.light.step(self._store, np.array([row], np.int32))
        except OutOfSlots as full:
            if not self._roomless:
                LOG.warning("%s: columns without a light slot stay dark until one is free", full)
            self._roomless.add(row)
            self._least_free = self._session.dimension.light.free_slots + self._store.dimension.sections

    def _follow(self) -> None:
        """Takes the store of the session, which StartGame may have replaced."""
        store = self._session.dimension.store
        if self._store is not store:
            if self._reader:
                self._reader.close()
            self._store, self._reader = store, None

    def _collect(self) -> None:
        if not self._on:
            return
        self._follow()
        if self._reader is None:
            self._reader = self._store.changes.subscribe()
            self._all()
        batch = self._reader.drain()
        if batch.everything:
            self._all()
        darkened = batch.kinds != ChangeKind.STATE  # a change of state alone changes no light
        rows = np.unique(batch.places[darkened] // self._store.dimension.sections).tolist()
        self._rows.update(rows)
        self._roomless.difference_update(rows)

    def _all(self) -> None:
        self._rows = set(self._store.announced_rows.tolist())
        self._roomless.clear()
