"""One session with one server: a deterministic state machine.

In: events of a peer, ticks, views, pinned anchors. Out: changes of the store, and messages to send. Nothing here reads
a clock, starts a thread or does I/O; the same inputs give the same store and the same messages. Call ``tick`` after the
events of each frame. The parts are public to read; changes go through the methods here. The session does not compute
light: a ``LightKeeper`` or a scene does. Owned by the thread that made it.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

from client.entities import EntityTracks
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.dimension_state import DimensionState
from client.session.dispatch import PacketDispatcher
from client.session.join_steps import GRANTED, STALLED_S, find_fault
from client.session.movement import Motion
from client.session.outbox import Outbox
from client.session.publisher_area import MissingColumns
from client.session.request_log import RequestLog, trail_of
from client.session.requests import PLAYER_ANCHOR, ReplayedRequests
from client.session.spawn import SpawnPhase, SpawnSequence
from client.session.stats import SessionStats, SessionWaits, states_of, warnings_of
from client.streaming.anchors import Anchor, Anchors
from client.streaming.ledger import Ledger
from net.arrays import ColumnPositions, Places
from net.bedrock import Message
from net.palette import Palette
from net.peer import Event
from net.space import BlockPos


def entropy_of(started_at: float) -> Callable[[int], bytes]:
    """Gives up to 32 pseudo-random bytes: others for each client, the same in the replay of its recording."""
    return lambda size: sha256(repr(started_at).encode()).digest()[:size]


class Session:
    """A session: applies the server's messages and produces ours."""

    def __init__(self, config: SessionConfig, palette: Palette, now: float) -> None:
        """A session that has not joined yet; ``palette``: of the protocol in use, custom blocks are added."""
        self.config = config
        self.started_at = now  # when it was made, monotonic seconds
        self.now = now  # time of the last event or tick, monotonic seconds
        self.outbox = Outbox()  # messages to be sent, and counts of both directions
        self.ledger = Ledger(config.limits, entropy=entropy_of(now))  # outstanding requests
        self.anchors = Anchors()
        """All anchors, the player's own included; changed only by ``pin`` and ``unpin``."""
        self.movement = Motion(config.player, config.tick_s, now)  # the player, and the camera's view
        self.spawn = SpawnSequence(config, palette, self.outbox, self.ledger, self.anchors, self.movement, now)
        """The phase of the session, and why it ended."""
        self.dispatcher = PacketDispatcher(self.spawn, self.movement, self.outbox, config)
        """Passes messages to the components; holds the radius that the server granted."""
        self.environment = self.dispatcher.environment  # time, weather, fogs and names of biomes
        self.chat = self.dispatcher.chat  # chat lines
        self.entities = self.dispatcher.entities  # all entities but the player
        self.commands = self.dispatcher.commands  # sends commands and keeps their answers
        self._unsent = MissingColumns()

    @property
    def dimension(self) -> DimensionState:
        """The store and all that depends on it; StartGame may replace the whole object."""
        return self.spawn.dimension

    # ------------------------------------------------------------ in

    def handle(self, event: Event, now: float) -> None:
        self.now = now
        self.dispatcher.receive(event, now)

    def set_view(self, view: View) -> None:
        self.movement.look(view)

    def break_block(self, position: BlockPos) -> None:
        self.outbox.say(*self.movement.break_block(position))

    def build(self, against: BlockPos, face: int, block: int) -> None:
        """Places a block (its dense id) at a face of another: 0 down, 1 up, 2 -z, 3 +z, 4 -x, 5 +x."""
        runtime_id = self.dimension.store.table.runtime_id_of(block)
        self.outbox.say(*self.movement.place_block(against, face, runtime_id))

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Keeps columns until ``unpin``, requests what ``eye`` sees of them, or all; ValueError as ``Anchors.pin``."""
        self.anchors.pin(name, anchor, eye)
        self.dimension.requests.invalidate()

    def unpin(self, name: str) -> None:
        self.anchors.release(name)
        self.dimension.requests.invalidate()

    def tick(self, now: float, round_trip_s: float = 0.0, under_way: bool = False) -> None:
        """Ends a drain, moves the player, requests more.

        ``round_trip_s``: the peer's estimate, for time-outs of requests. ``under_way``: whether messages are known to
        be still in transit (``PeerStats.under_way``).
        """
        self._begin_turn(now, under_way)
        if self.spawn.phase in (SpawnPhase.SPAWNING, SpawnPhase.PLAYING):
            if not self.dispatcher.steps.has(GRANTED):
                self.spawn.await_radius(now)
            movement, granted = self.movement, self.dispatcher.granted
            self.outbox.say(*movement.tick(now))
            eye, forward = movement.eye, movement.view.forward
            self.outbox.say(*self.dimension.requests.step(eye, forward, granted, now, round_trip_s))

    def retrace(
        self, now: float, round_trip_s: float, under_way: bool, requests: ReplayedRequests, sent: Sequence[Message]
    ) -> None:
        """Like ``tick`` in a replay, with recorded arguments, plan, requests, and all messages ``sent``."""
        self._begin_turn(now, under_way)
        if self.spawn.phase in (SpawnPhase.SPAWNING, SpawnPhase.PLAYING):
            self.movement.tick(now)  # ``sent`` holds its messages
            self.dimension.requests.retrace(self.movement.eye, requests, now, round_trip_s)
        self.outbox.retrace(sent)

    def _begin_turn(self, now: float, under_way: bool) -> None:
        """Finishes the applied changes, and evicts what anchors released."""
        self.dimension.end_drain()
        self.entities.apply()
        self.now = now
        if under_way:
            self.ledger.busy(now)
        self.dimension.let_go(now)

    # ------------------------------------------------------------ answers that need several parts

    @property
    def radius(self) -> int:
        """Granted visibility radius in columns."""
        return self.dispatcher.granted - 1

    @property
    def unsent(self) -> ColumnPositions:
        """int32[n, 2] columns that the server skipped among those that it announced (``publisher_area``)."""
        return self.unsent_columns(complete=False)

    def unsent_columns(self, *, complete: bool) -> ColumnPositions:
        """Like ``unsent``; if no more will come (``complete``), also those at the edge. int32[n, 2]."""
        return self._unsent.columns(self, complete=complete)

    def join_fault(self, now: float, *, complete: bool = False, steps_only: bool = False) -> str:
        """The step of the join, or of the last change of dimension, that is missing or wrong; empty if all are right.

        ``complete``: whether no more will come; else steps count as missing once no packet of the join came for
        ``STALLED_S``. ``steps_only``: as for ``find_fault``.
        """
        stalled = now - max(self.dispatcher.steps.progress_at, self.started_at) >= STALLED_S
        return find_fault(self, complete=complete, steps_only=steps_only) if complete or stalled else ""

    def trail(self, places: Places) -> RequestLog:
        return trail_of(self, places)

    def tracks(self) -> EntityTracks:
        return self.entities.tracks(self.now)

    def unsettled(self, now: float, within: Anchor | None = None) -> str | None:
        """What the session still waits for, in words; None when nothing is wanted or outstanding.

        ``within``: for these columns alone: all must be announced, and those one around them if they come.
        """
        if self.spawn.phase is not SpawnPhase.PLAYING:
            return "the server has not spawned the player yet"
        return self.waits.for_all(self.dispatcher.granted, now) if within is None else self.waits.within(within, now)

    @property
    def waits(self) -> SessionWaits:
        known = self.dimension
        return SessionWaits(known.store, self.movement, known.requests, self.ledger, known.terrain, self.config.quiet_s)

    def stats(self, now: float) -> SessionStats:
        outbox, known, player = self.outbox, self.dimension, self.movement.player
        terrain, ledger = known.terrain.stats(), self.ledger.stats()
        warnings = warnings_of(terrain, ledger, outbox.faulty, outbox.last_fault)
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
            warnings=(*(words for _, words in warnings), *self.entities.warnings()),
        )
