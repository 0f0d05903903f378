"""One session with one server: a deterministic machine.

In: events of a peer, ticks, views, pinned anchors. Out: changes of the store, and messages to be sent.

Rules:
1. Nothing here reads a clock, starts a thread or does I/O; the same inputs give the same store and the same messages.
2. ``handle`` applies one event; ``tick`` ends a drain (masks, connectivity and revisions of what changed, in one
   batch), moves the player, and asks for more. Call ``tick`` after the events of each frame.
3. A packet that does not decode, or comes when it makes no sense, is counted and skipped. Only ``Closed`` and
   ``Disconnect`` end a session; then ``closed_reason`` says why.
4. Columns and answers are taken as soon as a dimension is known, whatever the order of the rest (ecosystem.md 2.4).

Light is not made here: ``light`` is the map, reset with the dimension; a ``LightKeeper`` or a scene drives it.

Owned by the thread that made it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from client.light.map import LightMap
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.dimensions import Dimensions
from client.session.entropy import entropy_of
from client.session.event_log import EventLog
from client.session.loading_screen import LoadingScreen
from client.session.motion import Motion
from client.session.phase import Phase, may_become
from client.session.publisher import Publisher
from client.session.release import Release
from client.session.requests import PLAYER_ANCHOR, Requests, Retraced
from client.session.stats import SessionStats, states_of
from client.session.terrain import BLOCK_CHANGES, Terrain, leaves_blocks_alone
from client.session.waiting import Waiting
from client.session.warnings import warnings_of
from client.streaming.anchors import Anchor, Anchors
from client.streaming.ledger import Ledger
from client.visibility import connectivity
from client.world.block_table import BlockTable
from client.world.errors import WorldError
from client.world.pools import BlockPools
from client.world.store import Store
from net.bedrock import (
    BlockActorData,
    ChangeDimension,
    ChunkRadiusUpdated,
    CorrectPlayerMovePrediction,
    DimensionData,
    Disconnect,
    LevelChunk,
    LevelEvent,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    Respawn,
    SetLocalPlayerAsInitialized,
    SetTime,
    StartGame,
    SubChunk,
    Transfer,
    UpdateBlock,
    UpdateBlockSynced,
    UpdateSubChunkBlocks,
)
from net.errors import LocalProtocolError
from net.palette import Palette
from net.peer import Closed, Event, Faulty, Received
from net.space.dimensions import OVERWORLD, Dimension
from net.space.layout import Places

PLAYER_SPAWN = 3
DIMENSION_CHANGE_DONE = 14
RESPAWN_READY, RESPAWN_CLIENT_READY = 1, 2
TICKS_A_DAY = 24000


class Session:
    """What the server says, applied; what we want of it, said.

    Attributes:
        config: as it was made with.
        started_at: when it was made, monotonic seconds.
        events: what happened to blocks, as events and sounds tell.
    """

    def __init__(self, config: SessionConfig, palette: Palette, now: float) -> None:
        """A session that has not joined yet.

        Args:
            config: frozen.
            palette: block states of the protocol spoken; custom blocks of StartGame are added.
            now: monotonic seconds.
        """
        self.config = config
        self.started_at = now
        self._palette = palette
        self._phase = Phase.JOINING
        self._closed_reason: str | None = None
        self._ledger = Ledger(config.limits, entropy=entropy_of(now))
        self._motion = Motion(config.player, config.tick_s, now)
        self._make_world(palette, now)
        self._view = View(Eye(0.0, 0.0, 0.0))
        self._start: StartGame | None = None
        self._time = 0
        self._granted = config.activity_radius
        self._changing_dimension = self._initialized = False
        self._dimensions = Dimensions()
        self._loading_screen = LoadingScreen(config.protocol)
        self._outgoing: list[Message] = []
        self._messages: Counter[str] = Counter()
        self._sent: Counter[str] = Counter()
        self._faulty = self._derived = 0
        self._last_fault = ""
        self._handlers: dict[type, Callable[[Any, float], None]] = {  # Any: each handler takes its own message
            DimensionData: self._on_ranges,
            StartGame: self._on_start,
            PlayStatus: self._on_status,
            Transfer: lambda m, _: self._close(f"the server sends its players on to {m.address}:{m.port}"),
            Disconnect: lambda m, _: self._close(m.message or "the server closed the session without a word"),
            SetTime: self._on_time,
            ChunkRadiusUpdated: self._on_radius,
            NetworkChunkPublisherUpdate: self._on_publisher,
            LevelChunk: self._on_column,
            SubChunk: self._on_answers,
            UpdateBlock: lambda m, _: self._terrain.block(m),
            UpdateBlockSynced: lambda m, _: self._terrain.block(m),
            UpdateSubChunkBlocks: lambda m, _: self._terrain.blocks(m),
            BlockActorData: lambda m, _: self._terrain.entity(m),
            LevelEvent: self._on_event,
            ChangeDimension: self._on_dimension,
            MovePlayer: lambda m, _: self._on_move(m),
            CorrectPlayerMovePrediction: lambda m, _: self._motion.corrected(m),
            NetworkStackLatency: self._on_latency,
            Respawn: self._on_respawn,
        }

    def _make_world(self, palette: Palette, now: float) -> None:
        self.table = BlockTable.build(palette)
        self.store = Store(self.table, BlockPools(self.table), OVERWORLD)
        self.light = LightMap(self.store)
        self._terrain = Terrain(self.store, self._ledger)
        self.events = EventLog(self.table)
        self._requests = Requests(self.store, self._ledger, self.config.limits, now, self.config.weights)
        self._release = Release(self.store, self._requests.anchors)

    # ------------------------------------------------------------ in

    def handle(self, event: Event, now: float) -> None:
        """Applies one event of the peer."""
        match event:
            case Received(message=message, number=number):
                self._messages[type(message).__name__] += 1
                self.events.note(message, number, now)
                handler = self._handlers.get(type(message))
                if handler and self._phase is not Phase.CLOSED:
                    if not leaves_blocks_alone(message):
                        if type(message) not in BLOCK_CHANGES:  # those are applied together
                            self._terrain.apply_changes()
                        self.store.begin_packet(number, now)
                    handler(message, now)
            case Faulty(error=error):
                self._note(str(error))
            case Closed(reason=reason):
                self._close(reason)

    def look(self, view: View) -> None:
        """The camera is there; the player follows it."""
        self._view = view
        self._motion.look(view)

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Keeps columns until ``unpin``, wants what ``eye`` sees of them, or all; ValueError as ``Anchors.pin``."""
        self._requests.anchors.pin(name, anchor, eye)
        self._requests.invalidate()

    def unpin(self, name: str) -> None:
        """Ends ``pin``."""
        self._requests.anchors.release(name)
        self._requests.invalidate()

    def tick(self, now: float, round_trip_s: float = 0.0) -> None:
        """Ends a drain, moves the player, asks for more.

        Args:
            now: monotonic seconds.
            round_trip_s: the peer's estimate, for time-outs of requests.
        """
        self.end_drain()
        if self._release.step(now):
            self._requests.evicted()
        if self._phase not in (Phase.SPAWNING, Phase.PLAYING):
            return
        self._send(*self._motion.tick(now))
        self._send(*self._requests.step(self.player, self._view.forward, self._granted, now, round_trip_s))

    def end_drain(self) -> None:
        """Shows what was applied: masks, connectivity and revisions, in one batch. A tick begins with it."""
        self._terrain.apply_changes()
        changed = self.store.finish_drain()
        if len(changed):
            connectivity.derive(self.store.pools, changed)
            self._derived += len(changed)
            self._requests.invalidate()

    # ------------------------------------------------------------ lived through again (replay)

    def retrace(self, now: float, round_trip_s: float, requests: Retraced, sent: Sequence[Message]) -> None:
        """As ``tick``, with what was planned and sent then in place of what would be now.

        Args:
            now: as it was then; likewise the next.
            round_trip_s: of the peer then.
            requests: what was wanted and asked.
            sent: all messages that went out in this turn.
        """
        self.end_drain()
        self._release.step(now)
        if self._phase in (Phase.SPAWNING, Phase.PLAYING):
            self._motion.tick(now)  # what it would say is among what was said
            self._requests.retrace(self.player, requests, now, round_trip_s)
        self._outgoing.clear()
        self._sent.update(type(message).__name__ for message in sent)

    def watch(self, view: View) -> None:
        """The camera is there, and the player stays where it is."""
        self._view = view

    @property
    def anchors(self) -> Anchors:
        """What is pinned, the player's own anchor included; changed by ``pin`` alone."""
        return self._requests.anchors

    @property
    def plans(self) -> int:
        """Plans made so far; ``wanted_places`` is the last one's."""
        return self._requests.plans

    @property
    def wanted_places(self) -> Places:
        """Places wanted and not asked, in the plan's order; not to be written."""
        return self._requests.wanted_places

    @property
    def first_asked_at(self) -> float | None:
        """When the first request went out, monotonic seconds; None while none did."""
        return self._requests.first_asked_at

    @property
    def evicted(self) -> int:
        """Sub-chunks given back so far because no anchor held them."""
        return self._release.evicted

    @property
    def movement_ticks(self) -> int:
        """Ticks of the player's movement so far."""
        return self._motion.ticks

    # ------------------------------------------------------------ out

    def take_outgoing(self) -> list[Message]:
        """Messages to be sent, in order; each once."""
        outgoing, self._outgoing = self._outgoing, []
        self._sent.update(type(message).__name__ for message in outgoing)
        return outgoing

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self._phase

    @property
    def closed_reason(self) -> str | None:
        """Why it is over, in one sentence; None while it is not."""
        return self._closed_reason

    @property
    def player(self) -> Eye:
        """The player's eye, in blocks."""
        return self._motion.player.position

    @property
    def held_at(self) -> Eye | None:
        """Where the server holds the player, or None while it lets it move."""
        return self._motion.player.held_at

    @property
    def view(self) -> View:
        """The camera's last view; the server's at first."""
        return self._view

    @property
    def publisher(self) -> Publisher | None:
        """The circle whose columns the server keeps up to date; None while it named none."""
        return self._terrain.publisher

    @property
    def stale(self) -> npt.NDArray[np.bool_]:
        """bool[rows] by the store's rows: columns that the server does not keep up to date; not to be written."""
        return self._terrain.stale

    @property
    def ledger(self) -> Ledger:
        """What is outstanding."""
        return self._ledger

    @property
    def time_of_day(self) -> int:
        """Ticks since sunrise, 0..23999, as the server last said.

        Not counted on between: whether the server's clock runs at all is a game rule, and one told time is one picture.
        """
        return self._time % TICKS_A_DAY

    def unsettled(self, now: float) -> str | None:
        """What knowledge still waits for, in words; None when nothing is wanted or outstanding (see ``waiting``)."""
        return self._not_playing() or self._waiting().for_all(self._granted, now)

    def unsettled_within(self, columns: Anchor, now: float) -> str | None:
        """As ``unsettled``, for pinned columns alone: these must be announced, and one around them if they come.

        Args:
            columns: what must be known.
            now: monotonic seconds.
        """
        return self._not_playing() or self._waiting().within(columns, now)

    def _not_playing(self) -> str | None:
        return None if self._phase is Phase.PLAYING else "the server has not let the player in yet"

    def _waiting(self) -> Waiting:
        return Waiting(self.store, self._motion, self._requests, self._ledger, self._terrain, self.config.quiet_s)

    @property
    def radius(self) -> int:
        """Visibility radius in columns, as far as the server granted it."""
        return self._granted - 1

    def states(self) -> dict[str, int]:
        """How many sub-chunks of announced columns are in each state, by its name."""
        return states_of(self.store)

    def stats(self, now: float) -> SessionStats:
        """A frozen snapshot."""
        terrain, ledger = self._terrain.stats(), self._ledger.stats()
        return SessionStats(
            phase=self._phase.value,
            dimension=self.store.dimension.number,
            world_name=self._start.world_name if self._start else "",
            player=self.player,
            held_at=self.held_at,
            time=self.time_of_day,
            radius=self.radius,
            columns=len(self.store.announced_rows),
            states=self.states(),
            messages=dict(sorted(self._messages.items())),
            faulty_packets=self._faulty,
            last_fault=self._last_fault,
            messages_out=dict(sorted(self._sent.items())),
            terrain=terrain,
            requests=self._requests.stats(),
            ledger=ledger,
            connectivity=self._derived,
            pins=sum(name != PLAYER_ANCHOR for name in self.anchors.pins),
            warnings=warnings_of(terrain, ledger, self._faulty, self._last_fault),
        )

    def _send(self, *messages: Message) -> None:
        self._outgoing += messages

    def _become(self, phase: Phase) -> bool:
        legal = may_become(self._phase, phase)
        if legal:
            self._phase = phase
        return legal

    # ------------------------------------------------------------ the messages

    def _on_start(self, message: StartGame, now: float) -> None:
        if self._start is not None or not self._become(Phase.SPAWNING):
            return
        self._start = message
        if message.tail_fault is not None:
            self._note(message.tail_fault)
        self._take_palette(message, now)
        self._change_dimension(message.dimension)
        self._view = self._motion.start(message)
        self._time = message.time
        self._send(RequestChunkRadius(self.config.activity_radius), *self._loading_screen.appear())

    def _take_palette(self, message: StartGame, now: float) -> None:
        """Ids as this server means them: hashes where it says so, its own blocks sorted in.

        Without these ids mean other blocks, so a list that cannot be meant is told, not silently dropped.
        """
        vanilla = self._palette.hashed() if message.ids_are_hashes else self._palette
        try:
            palette = vanilla.with_custom(message.custom_blocks)
            if palette is not self._palette:
                self._make_world(palette, now)
        except (WorldError, LocalProtocolError) as error:
            self._note(f"StartGame.custom_blocks: {error}")
            if vanilla is not self._palette:
                self._make_world(vanilla, now)

    def _note(self, fault: str) -> None:
        self._faulty += 1
        self._last_fault = fault

    def _on_status(self, message: PlayStatus, now: float) -> None:
        if message.status != PLAYER_SPAWN or self._start is None or not self._become(Phase.PLAYING):
            return
        self._ledger.resume()
        self._requests.invalidate()
        self._send(*self._loading_screen.vanish())
        if self._changing_dimension:
            self._changing_dimension = False
            self._send(PlayerAction(self._start.runtime_id, DIMENSION_CHANGE_DONE))
        elif not self._initialized:
            self._initialized = True
            self._send(SetLocalPlayerAsInitialized(self._start.runtime_id))

    def _on_time(self, message: SetTime, now: float) -> None:
        self._time = message.time

    def _on_radius(self, message: ChunkRadiusUpdated, now: float) -> None:
        self._granted = min(self.config.activity_radius, max(message.radius, 1))
        self._requests.invalidate()

    def _on_publisher(self, message: NetworkChunkPublisherUpdate, now: float) -> None:
        self._terrain.publish(message, self._requests.anchors)
        self._requests.invalidate()

    def _on_column(self, message: LevelChunk, now: float) -> None:
        if self._start is None:
            return  # which dimension it belongs to is not known
        self._terrain.column(message, now)
        self._requests.invalidate()

    def _on_event(self, message: LevelEvent, now: float) -> None:
        self._terrain.cracks(message, now)

    def _on_answers(self, message: SubChunk, now: float) -> None:
        self._terrain.answers(message, now)
        self._requests.invalidate()

    def _on_dimension(self, message: ChangeDimension, now: float) -> None:
        if self._start is None or not self._become(Phase.SPAWNING):
            return
        self._changing_dimension = True
        self._send(*self._loading_screen.appear(message.loading_screen_id))
        self._change_dimension(message.dimension)
        self._motion.player.place(Eye(*message.position))
        self._view = View(self.player, self._view.yaw_deg, self._view.pitch_deg, self._view.fov_deg)

    def _on_ranges(self, message: DimensionData, now: float) -> None:
        """Ranges are told before StartGame; later ones hold at once as long as no column was measured by the old."""
        for fault in self._dimensions.hear(message):
            self._note(fault)
        current = self._dimensions.of(self.store.dimension.number)
        if self._start is None or current == self.store.dimension:
            return
        if self.store.row_of:
            self._note(f"DimensionData: a range of {current.name} that comes after its columns holds when it is left")
        else:
            self._enter(current)

    def _change_dimension(self, number: int) -> None:
        self._enter(self._dimensions.of(number))
        self._terrain.reset()

    def _enter(self, dimension: Dimension) -> None:
        self.store.change_dimension(dimension)
        self.light.reset(self.store)
        self._requests.reset()

    def _on_move(self, message: MovePlayer) -> None:
        if self._motion.moved_by_server(message):
            self._requests.invalidate()

    def _on_latency(self, message: NetworkStackLatency, now: float) -> None:
        if message.wants_reply:
            self._send(NetworkStackLatency(message.time, wants_reply=False))

    def _on_respawn(self, message: Respawn, now: float) -> None:
        if message.state == RESPAWN_READY and self._phase is Phase.SPAWNING:
            self._send(Respawn(message.position, RESPAWN_CLIENT_READY, message.runtime_id))

    def _close(self, reason: str) -> None:
        if self._become(Phase.CLOSED) and self._closed_reason is None:
            self._closed_reason = reason
