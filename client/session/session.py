"""One session with one server: a deterministic machine.

In: events of a peer, ticks, views, pinned anchors. Out: changes of the store, and messages to be sent.
1. Nothing here reads a clock, starts a thread or does I/O; the same inputs give the same store and the same messages.
2. ``handle`` applies one event; ``tick`` ends a drain (masks, connectivity and revisions of what changed, in one
   batch), moves the player, and asks for more. Call ``tick`` after the events of each frame.
3. Only the server and the transport end a session; then ``spawn.closed_reason`` says why.

Its parts are public, and are asked themselves: ``session.dimension.store``, ``session.movement.view``. What changes the
session goes through the methods here. Light is not made here: ``dimension.light`` is the map, reset with the
dimension; a ``LightKeeper`` or a scene drives it.
Owned by the thread that made it.

Entropy: Chance for a session: a machine whose replay must be what it was, so its chance comes from what is recorded.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

from client.entities import EntityTracks
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.dimension_state import DimensionState
from client.session.dispatch import PacketDispatcher
from client.session.join_steps import STALLED_S, JoinFacts, find_fault
from client.session.movement import Motion
from client.session.outbox import Outbox
from client.session.publisher_area import MissingColumns
from client.session.request_log import RequestLog, trail_of
from client.session.requests import PLAYER_ANCHOR, ReplayedRequests
from client.session.spawn import SpawnPhase, SpawnSequence
from client.session.stats import SessionStats, SessionWaits, states_of, warnings_of
from client.streaming.anchors import Anchor, Anchors
from client.streaming.ledger import Ledger
from net.bedrock import Message
from net.palette import Palette
from net.peer import Event
from net.space import BlockPos, ColumnPositions, Places


def entropy_of(started_at: float) -> Callable[[int], bytes]:
    """Gives up to 32 bytes that differ between clients, and not between a session and its replay.

    ``started_at``: when the session was made, monotonic seconds; a recording holds it.
    """
    return lambda size: sha256(repr(started_at).encode()).digest()[:size]


class Session:
    """What the server says, applied; what we want of it, said."""

    def __init__(self, config: SessionConfig, palette: Palette, now: float) -> None:
        """A session that has not joined yet.

        ``palette``: block states of the protocol spoken; custom blocks of StartGame are added.
        """
        self.config = config
        self.started_at = now  # when it was made, monotonic seconds
        self.now = now  # when something was last heard or done, monotonic seconds
        self.outbox = Outbox()  # messages to be sent, and counts of both directions
        self.ledger = Ledger(config.limits, entropy=entropy_of(now))  # what is outstanding
        self.anchors = Anchors()
        """What is pinned, the player's own anchor included; changed by ``pin`` and ``unpin`` alone."""
        self.movement = Motion(config.player, config.tick_s, now)  # the player, and the camera's view
        self.spawn = SpawnSequence(config, palette, self.outbox, self.ledger, self.anchors, self.movement, now)
        """Where the session stands: its phase, and why it is over."""
        self.dispatcher = PacketDispatcher(self.spawn, self.movement, self.outbox, config)
        """Who hands each message on; how far the server lets the player see."""
        self.environment = self.dispatcher.environment  # time, weather and names of biomes
        self.chat = self.dispatcher.chat  # what is said to the player
        self.entities = self.dispatcher.entities  # players, animals, items: what moves
        self.commands = self.dispatcher.commands  # what the server is told in words, and what came of it
        self._unsent = MissingColumns()

    @property
    def dimension(self) -> DimensionState:
        """What is known and wanted; StartGame may replace it, and so all that it holds."""
        return self.spawn.dimension

    # ------------------------------------------------------------ in

    def handle(self, event: Event, now: float) -> None:
        self.now = now
        self.dispatcher.receive(event, now)

    def set_view(self, view: View) -> None:
        """The camera is there; the player follows it."""
        self.movement.look(view)

    def break_block(self, position: BlockPos) -> None:
        """Breaks a block; the server says what became of it."""
        self.outbox.say(*self.movement.break_block(position))

    def build(self, against: BlockPos, face: int, block: int) -> None:
        """Places a block at a face of another, 0 down, 1 up, 2 -z, 3 +z, 4 -x, 5 +x; the server says what became of it.

        ``block``: its dense id.
        """
        runtime_id = self.dimension.store.table.runtime_id_of(block)
        self.outbox.say(*self.movement.place_block(against, face, runtime_id))

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Keeps columns until ``unpin``, wants what ``eye`` sees of them, or all; ValueError as ``Anchors.pin``."""
        self.anchors.pin(name, anchor, eye)
        self.dimension.requests.invalidate()

    def unpin(self, name: str) -> None:
        """Ends ``pin``."""
        self.anchors.release(name)
        self.dimension.requests.invalidate()

    def tick(self, now: float, round_trip_s: float = 0.0, under_way: bool = False) -> None:
        """Ends a drain, moves the player, asks for more.

        ``round_trip_s``: the peer's estimate, for time-outs of requests. ``under_way``: whether something said or
        answered is known to be on its way (``PeerStats.under_way``).
        """
        self._begin_turn(now, under_way)
        if self.spawn.phase in (SpawnPhase.SPAWNING, SpawnPhase.PLAYING):
            movement, granted = self.movement, self.dispatcher.granted
            self.outbox.say(*movement.tick(now))
            eye, forward = movement.eye, movement.view.forward
            self.outbox.say(*self.dimension.requests.step(eye, forward, granted, now, round_trip_s))

    def retrace(
        self, now: float, round_trip_s: float, under_way: bool, requests: ReplayedRequests, sent: Sequence[Message]
    ) -> None:
        """As ``tick`` in a replay, with what was planned and sent then in place of what would be now.

        ``now``: as it was then; likewise the next two. ``round_trip_s``: of the peer then. ``under_way``: whether
        something was on its way. ``sent``: all messages that went out in this turn.
        """
        self._begin_turn(now, under_way)
        if self.spawn.phase in (SpawnPhase.SPAWNING, SpawnPhase.PLAYING):
            self.movement.tick(now)  # what it would say is among what was said
            self.dimension.requests.retrace(self.movement.eye, requests, now, round_trip_s)
        self.outbox.retrace(sent)

    def _begin_turn(self, now: float, under_way: bool) -> None:
        """Shows what was applied, and gives back what anchors let go."""
        self.dimension.end_drain()
        self.entities.apply()
        self.now = now
        if under_way:
            self.ledger.busy(now)
        self.dimension.let_go(now)

    # ------------------------------------------------------------ what takes several parts to answer

    @property
    def radius(self) -> int:
        """Visibility radius in columns, as far as the server granted it."""
        return self.dispatcher.granted - 1

    @property
    def unsent(self) -> ColumnPositions:
        """int32[n, 2] columns that the server left out amid those that it announced (``publisher_area``)."""
        dimension, player = self.dimension, self.movement.eye
        circle, announcements = dimension.terrain.staleness.publisher, dimension.terrain.announcements
        return self._unsent.columns(dimension.store, circle, player.column, self.dispatcher.granted, announcements)

    def join_fault(self, now: float, *, complete: bool = False) -> str:
        """The step of the join, or of the last change of dimension, that is missing or wrong; empty where none is.

        Args:
            now: monotonic seconds.
            complete: whether no more is to come; else steps count as missing once nothing has come for ``STALLED_S``.
        """
        steps = self.dispatcher.steps
        if not complete and now - max(steps.progress_at, self.started_at) < STALLED_S:
            return ""
        return find_fault(steps, self.join_facts(complete=complete))

    def join_facts(self, *, complete: bool) -> JoinFacts:
        """What decides whether a step of the join is wrong; ``complete`` as for ``join_fault``."""
        terrain = self.dimension.terrain
        return JoinFacts(
            closed=self.spawn.closed_reason,
            paused=self.ledger.paused,
            foreign_columns=terrain.stats().foreign_columns,
            granted=self.dispatcher.granted,
            circle=terrain.staleness.publisher,
            sent_outside=terrain.staleness.sent_outside,
            store=self.dimension.store,
            centre=self.movement.eye.column,
            complete=complete,
        )

    def trail(self, places: Places) -> RequestLog:
        """What was asked of places, what was answered and when; a snapshot."""
        dimension, player = self.dimension, self.movement.eye
        needs = dimension.requests.needs
        return trail_of(dimension.store, self.ledger, needs, places, self.now, self.started_at, player)

    def tracks(self) -> EntityTracks:
        """Where entities are now, and were of late."""
        return self.entities.tracks(self.now)

    def unsettled(self, now: float) -> str | None:
        """What knowledge still waits for, in words; None when nothing is wanted or outstanding (``stats``)."""
        return self._not_playing() or self._waiting().for_all(self.dispatcher.granted, now)

    def unsettled_within(self, columns: Anchor, now: float) -> str | None:
        """As ``unsettled``, for pinned columns alone: these must be announced, and one around them if they come.

        ``columns``: what must be known.
        """
        return self._not_playing() or self._waiting().within(columns, now)

    def _not_playing(self) -> str | None:
        return None if self.spawn.phase is SpawnPhase.PLAYING else "the server has not spawned the player yet"

    def _waiting(self) -> SessionWaits:
        known = self.dimension
        return SessionWaits(known.store, self.movement, known.requests, self.ledger, known.terrain, self.config.quiet_s)

    def stats(self, now: float) -> SessionStats:
        """A frozen snapshot."""
        outbox, known, player = self.outbox, self.dimension, self.movement.player
        terrain, ledger = known.terrain.stats(), self.ledger.stats()
        return SessionStats(
            phase=self.spawn.phase.value,
            dimension=known.store.dimension.number,
            world_name=self.spawn.world_name,
            player=player.position,
            held_at=player.held_at,
            time=self.environment.time_of_day,
            radius=self.radius,
            columns=len(known.store.announced_rows),
            states=states_of(known.store),
            messages=outbox.heard,
            faulty_packets=outbox.faulty,
            last_fault=outbox.last_fault,
            messages_out=outbox.said,
            terrain=terrain,
            requests=known.requests.stats(),
            ledger=ledger,
            connectivity=known.derived,
            pins=sum(name != PLAYER_ANCHOR for name in self.anchors.pins),
            join_fault=self.join_fault(now),
            warnings=(*warnings_of(terrain, ledger, outbox.faulty, outbox.last_fault), *self.entities.warnings()),
        )
