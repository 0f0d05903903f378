"""One client on the server, from the end of its login to its disconnect (wire.md 5.5, from StartGame on).

| phase | what ends it |
|---|---|
| joining | Joined: StartGame and the tables are sent |
| waiting | RequestChunkRadius: radius granted, publisher set, columns begin to flow |
| loading | the columns nearest to the player are sent: PlayStatus 3 |
| playing | the end of the connection; a change of dimension (``player``) goes back to loading |

Rules:
1. ``chunk_sender`` sends chunk data; everything else is sent at once.
2. ``player`` handles the player's position and what depends on it.
3. Messages that a viewer's server does not need are ignored.
4. ``quota`` bounds the cost of one client. The last requested radius and the last entered column take effect as soon as
   the quota allows; answers and columns wait; small replies beyond it are dropped.
5. A client that has not joined within ``LOGIN_S``, or then requests no radius within ``LOGIN_S``, is disconnected to
   free its place.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

from net.bedrock import (
    ClientCacheBlobStatus,
    ClientCacheStatus,
    CommandRequest,
    InventoryTransaction,
    Message,
    MovePlayer,
    NetworkStackLatency,
    PlayerAction,
    PlayerAuthInput,
    PlayStatus,
    PlayStatusCode,
    RequestChunkRadius,
    SetLocalPlayerAsInitialized,
    SubChunkRequest,
    TickSync,
)
from net.peer import Closed, Joined, Received, ServerPeer
from net.server.blob_cache import OpenBlobStats
from net.server.building import BlockReplacement, Builder, BuildRequest, PlayerBuilding, Refusal, requests_in
from net.server.chunk_sender import ChangePackets, ChunkSender
from net.server.commands import word_of
from net.server.dimensions import ServerDimension, ServerDimensions
from net.server.entities import LOOK_TICKS, SeenEntities, ServerEntity, player_of
from net.server.faults import FaultSchedule
from net.server.host_options import HostOptions, Quota
from net.server.join_packets import greeting
from net.server.player import DIMENSION_COMMAND, PlayerDestination, ServerPlayer
from net.server.save.players import Players
from net.space import BlockPos, ColumnPos

KEEP_ALIVE_S = 5.0
LOGIN_S = 30.0
MOST_COMMANDS = 16
"""Commands of one client that wait for the host."""
MOST_BUILDS = 256
"""Builds that one client may request in one turn of the host."""


class KeepAlive:
    """Sends a question every few seconds and measures the round trip. It starts at ``now``."""

    def __init__(self, now: float) -> None:
        self._due = now + KEEP_ALIVE_S
        self.rtt_s: float | None = None  # of the last answer, None before it

    def question(self, now: float) -> NetworkStackLatency | None:
        """The question to send now; None if it is too early."""
        if now < self._due:
            return None
        self._due = now + KEEP_ALIVE_S
        return NetworkStackLatency(int(now * 1e6), True)

    def receive(self, message: NetworkStackLatency, now: float) -> NetworkStackLatency | None:
        """Handles an answer or a question of the client; returns the reply to a question."""
        if message.wants_reply:
            return NetworkStackLatency(message.time, False)
        self.rtt_s = max(0.0, now - message.time / 1e6)
        return None


class JoinPhase(Enum):
    """The phases of a session; see the module."""

    JOINING = "joining"
    WAITING = "waiting"
    LOADING = "loading"
    PLAYING = "playing"
    GONE = "gone"


class ClientSessionStats(msgspec.Struct, frozen=True):
    """A snapshot of one client's counters."""

    phase: JoinPhase  # how far it is
    columns_sent: int  # columns, whole or as skeletons
    columns_waiting: int  # columns still to be sent
    entries_sent: int  # answered sub-chunks
    entries_waiting: int  # requested sub-chunks not answered yet
    entries_dropped: int  # sub-chunks of dropped requests
    jumps: int  # moves rejected as jumps
    rtt_s: float | None  # round trip of the last keep-alive, None before it
    initialized: bool  # whether the client has said that it is in the world
    blobs: OpenBlobStats | None  # of its blob cache, None where it has none
    player: int  # its number on this server
    dimension: int  # number of the dimension it is in
    built: int  # blocks that it broke or placed
    refused: Mapping[str, int]  # builds that were refused, by reason


class ClientSession:
    """The session of one client; see the module. ``players``: storage of players, None if they are not saved."""

    def __init__(
        self,
        peer: ServerPeer,
        dimensions: ServerDimensions,
        options: HostOptions,
        runtime_id: int,
        now: float,
        players: Players | None = None,
    ) -> None:
        self._peer = peer
        self._options = options
        self.runtime_id = runtime_id
        self.phase = JoinPhase.JOINING
        self.quota = Quota(options.quota, now)
        self._here = ServerPlayer(peer, dimensions, options, self.quota, runtime_id, players)
        self._faults = FaultSchedule(options.faults, runtime_id)
        self._requested_radius: int | None = None
        self._keep_alive = KeepAlive(now)
        self._join_until = now + LOGIN_S
        self._initialized = False
        self._delayed_until: float | None = None
        self._seen = SeenEntities(runtime_id)
        self._building = PlayerBuilding(self.quota)
        self._builds: list[BuildRequest] = []
        self._commands: list[CommandRequest] = []

    @property
    def served(self) -> ServerDimension:
        return self._flow.served

    @property
    def _flow(self) -> ChunkSender:
        return self._here.flow

    # ---------------------------------------------------------------- in

    def receive(self, time: int, now: float) -> None:
        """Handles the events of the peer. ``time``: the world's clock, sent to a client that joins now."""
        while (event := self._peer.next_event()) is not None:
            if isinstance(event, Joined):
                self._start(time)
                self._join_until = now + LOGIN_S
            elif isinstance(event, Received):
                self._handle(event.message, now)
            elif isinstance(event, Closed):
                self.phase = JoinPhase.GONE

    def _handle(self, message: Message, now: float) -> None:
        match message:
            case RequestChunkRadius():
                self._requested_radius = message.radius
                self._grant(now)
            case SubChunkRequest():
                if self.plays:
                    self._flow.answers.ask(message, now)
            case CommandRequest() if word_of(message.command) != DIMENSION_COMMAND:
                if self.plays and len(self._commands) < MOST_COMMANDS:
                    self._commands.append(message)
            case PlayerAuthInput() | MovePlayer() | PlayerAction() | CommandRequest():
                if self.plays:
                    self._here.receive(message, now)
                    if isinstance(message, PlayerAuthInput | PlayerAction):
                        self._build(message)
            case InventoryTransaction():
                if self.plays:
                    self._build(message)
            case TickSync():
                self._here.reply(TickSync(message.request_time, message.request_time), now)
            case NetworkStackLatency():
                self._here.reply(self._keep_alive.receive(message, now), now)
            case SetLocalPlayerAsInitialized():
                self._initialized = True
            case ClientCacheStatus():
                self._flow.keep_blobs(message.supported)
            case ClientCacheBlobStatus():
                if self._flow.blobs is not None:
                    self._flow.blobs.acknowledge(message)
            case _:
                pass

    def _build(self, message: Builder) -> None:
        for request in requests_in(message):
            if len(self._builds) < MOST_BUILDS:
                self._builds.append(request)
            else:
                self._building.refuse(request.position, Refusal.RATE)

    @property
    def plays(self) -> bool:
        """Whether a radius is granted, so that chunk data flows."""
        return self.phase is JoinPhase.LOADING or self.phase is JoinPhase.PLAYING

    def _start(self, time: int) -> None:
        start = self._here.start(self._peer.login.identity)
        protocol, world, everywhere = self._peer.codec.protocol, self.served.world, self._here.reachable
        for message in greeting(world, self._options.ids, self.runtime_id, time, protocol, start, everywhere):
            self._peer.send(message)
        self.phase = JoinPhase.WAITING

    def _grant(self, now: float) -> None:
        """Grants the last requested radius once the quota allows it."""
        asked = self._requested_radius
        if asked is None or self.phase in {JoinPhase.JOINING, JoinPhase.GONE} or not self.quota.radius.take(1, now):
            return
        self._requested_radius = None
        self._here.resize(max(1, min(asked, self._options.radius_max)))
        if self.phase is JoinPhase.WAITING:
            self.phase = JoinPhase.LOADING

    # ---------------------------------------------------------------- out

    def refill(self, now: float) -> None:
        """Starts a tick: refills the budget and does what the quota held up, if it allows it now."""
        if now >= self._join_until and self.phase in {JoinPhase.JOINING, JoinPhase.WAITING}:
            late = "the login took" if self.phase is JoinPhase.JOINING else "no chunk radius was requested within"
            self.close(f"{late} longer than {LOGIN_S:g} s", now)
        self._flow.refill()
        self._grant(now)
        if self.phase is JoinPhase.PLAYING and self._here.cross():
            self.phase = JoinPhase.LOADING
        if self.plays:
            self._here.follow(now)
            for message in self._building.corrections(self._flow, now):
                self.send(message)

    def think(self, now: float) -> bool:
        """Recalculates the player's priorities if it is time; returns whether it did."""
        return self.plays and self._flow.think(now)

    def send_changes(self, packets: ChangePackets) -> None:
        """Sends what is owed of blocks that changed: at once, whoever's turn for chunk data it is.

        ``packets``: what others were sent in this turn; what the client is sent is added.
        """
        if self.plays:
            self._flow.send_changes(packets)

    def pump(self, now: float) -> bool:
        """Sends what this turn allows; True when more could be sent at once."""
        if not self.plays:
            return False
        self._flow.send(now)
        if self.phase is JoinPhase.LOADING and self._flow.may_play and not self._options.faults.unspawned:
            self.phase = JoinPhase.PLAYING
            self._peer.send(PlayStatus(PlayStatusCode.PLAYER_SPAWN))
            self._here.let_in(now)
        if (question := self._keep_alive.question(now)) is not None:
            self._peer.send(question)
        due = self._flow.answers.next_due()
        self._delayed_until = due if due is not None and due > now else None
        return self._flow.owes(now)

    def next_due(self) -> float | None:
        """When a delayed answer may be sent; None if only budget or backlog hold it."""
        return self._delayed_until

    @property
    def wanted_columns(self) -> Mapping[ColumnPos, float]:
        """Columns to generate for the client, with its priorities."""
        return self._flow.wanted_columns if self.plays else {}

    def apply_faults(self, now: float) -> Sequence[BlockPos]:
        """Applies the fault script's events of this tick; returns the positions of blocks to change."""
        if self.phase is not JoinPhase.PLAYING:
            return ()
        event = self._faults.due(self._flow.tracking.sent, now)
        for column in event.replaced:
            self._peer.send(self._flow.column(column))
        if event.cross:
            self._here.go_on()
        if event.kick is not None:
            self.close(event.kick, now)
        return event.edits

    def cross(self, destination: PlayerDestination) -> None:
        """Requests that the player moves there as soon as it can; see ``player``."""
        self._here.request_move(destination)

    def send(self, message: Message) -> None:
        """Sends a message to a client that has joined."""
        if self.phase not in {JoinPhase.JOINING, JoinPhase.GONE}:
            self._peer.send(message)

    def record_change(self, position: BlockPos, layer: int, builder: int) -> None:
        """A block changed: a client that has its sub-chunk will be sent it (``send_changes``).

        ``layer``: 0 or 1. ``builder``: the entity that did it, 0 for none.
        """
        self._flow.updates.record(position, layer, builder, self._flow.tracking)

    def answer(self, message: Message, now: float) -> None:
        """Sends a small reply if the quota allows it."""
        self._here.reply(message, now)

    @property
    def budget(self) -> int:
        """Bytes of chunk data that may still be sent in this tick."""
        return self._flow.budget

    @property
    def feet(self) -> tuple[float, float, float]:
        """Position of the player's feet."""
        return self._here.at.feet

    def edits_of(self, request: BuildRequest, now: float) -> Sequence[BlockReplacement]:
        """The edits for a build request; empty if it is refused."""
        return self._building.edits(request, self._flow, self._here.at.eye, self._here.at.look, now)

    def take_builds(self) -> Sequence[BuildRequest]:
        """Removes and returns the requested builds."""
        taken, self._builds = self._builds, []
        return taken

    def take_commands(self) -> Sequence[CommandRequest]:
        """Removes and returns the client's world commands."""
        taken, self._commands = self._commands, []
        return taken

    def count_build(self, *, done: bool, edit: BlockReplacement) -> None:
        """Counts a build as done or as failed."""
        self._building.count(edit.position, done=done)

    def entity(self) -> ServerEntity:
        """The player's entity as other clients see it."""
        identity = self._peer.login.identity
        return player_of(identity, self.runtime_id, self.served.dimension.number, self._here.at)

    def show(self, entities: Mapping[int, ServerEntity], most: int, tick: int, news: Sequence[int]) -> None:
        """Sends entities that appeared or disappeared for this client, and at most ``most`` moves.

        ``news``: ids of entities that appeared or disappeared in this tick; they may exist only briefly.
        """
        among = None if (tick + self.runtime_id) % LOOK_TICKS == 0 else news
        number, flow = self.served.dimension.number, self._flow
        for message in self._seen.look(entities, number, flow.tracking, flow.form, among):
            self._peer.send(message)
        for packet in self._seen.moves(entities, most, self._peer.codec):
            self._peer.send_packet(packet)

    def close(self, reason: str, now: float) -> None:
        """Disconnects the client with a reason."""
        self._peer.close(reason, now)

    def stats(self) -> ClientSessionStats:
        """A snapshot of the counters."""
        flow = self._flow
        return ClientSessionStats(
            self.phase,
            flow.columns_sent,
            flow.tracking.waiting,
            flow.entries_sent,
            flow.answers.waiting,
            flow.answers.dropped,
            self._here.at.jumps,
            self._keep_alive.rtt_s,
            self._initialized,
            None if flow.blobs is None else flow.blobs.stats(),
            self.runtime_id,
            flow.served.dimension.number,
            self._building.built,
            {why.value: count for why, count in self._building.refused.items()},
        )
