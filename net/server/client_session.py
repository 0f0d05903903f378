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
    SubChunkRequest,
    TickSync,
)
from net.peer import Closed, Joined, Received, ServerPeer
from net.server.building import BlockReplacement, Builder, BuildRequest, PlayerBuilding, Refusal, requests_in
from net.server.chunk_sender import ChunkSender
from net.server.commands import word_of
from net.server.dimensions import ServerDimension, ServerDimensions
from net.server.entities import LOOK_TICKS, SeenEntities, ServerEntity, player_of
from net.server.faults import FaultSchedule
from net.server.host_options import HostOptions, Quota
from net.server.join_packets import greeting
from net.server.player import DIMENSION_COMMAND, ServerPlayer
from net.server.save.players import Players
from net.space import BlockPos

KEEP_ALIVE_S = 5.0
LOGIN_S = 30.0
MOST_COMMANDS = 16
"""Commands of one client that wait for the host."""
MOST_BUILDS = 256
"""Builds that one client may request in one turn of the host."""


class JoinPhase(Enum):
    """The phases of a session; see the module."""

    JOINING = "joining"
    WAITING = "waiting"
    LOADING = "loading"
    PLAYING = "playing"
    GONE = "gone"


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
        self.player = ServerPlayer(peer, dimensions, options, self.quota, runtime_id, players)
        self._faults = FaultSchedule(options.faults, runtime_id)
        self._requested_radius: int | None = None
        self._keep_alive_at = now + KEEP_ALIVE_S
        self._join_until = now + LOGIN_S
        self.delayed_until: float | None = None  # when a delayed answer may be sent; None: no answer is delayed
        self._seen = SeenEntities(runtime_id)
        self.building = PlayerBuilding(self.quota)
        self.builds: list[BuildRequest] = []  # requested and not made yet
        self.commands: list[CommandRequest] = []  # for the world, not run yet

    @property
    def served(self) -> ServerDimension:
        return self.flow.served

    @property
    def flow(self) -> ChunkSender:
        return self.player.flow

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
                    self.flow.answers.ask(message, now)
            case CommandRequest() if word_of(message.command) != DIMENSION_COMMAND:
                if self.plays and len(self.commands) < MOST_COMMANDS:
                    self.commands.append(message)
            case PlayerAuthInput() | MovePlayer() | PlayerAction() | CommandRequest():
                if self.plays:
                    self.player.receive(message, now)
                    if isinstance(message, PlayerAuthInput | PlayerAction):
                        self._build(message)
            case InventoryTransaction():
                if self.plays:
                    self._build(message)
            case TickSync():
                self.player.reply(TickSync(message.request_time, message.request_time), now)
            case NetworkStackLatency():
                if message.wants_reply:
                    self.player.reply(NetworkStackLatency(message.time, False), now)
            case ClientCacheStatus():
                self.flow.keep_blobs(message.supported)
            case ClientCacheBlobStatus():
                if self.flow.blobs is not None:
                    self.flow.blobs.acknowledge(message)
            case _:
                pass

    def _build(self, message: Builder) -> None:
        for request in requests_in(message):
            if len(self.builds) < MOST_BUILDS:
                self.builds.append(request)
            else:
                self.building.refuse(request.position, Refusal.RATE)

    @property
    def plays(self) -> bool:
        """Whether a radius is granted, so that chunk data flows."""
        return self.phase is JoinPhase.LOADING or self.phase is JoinPhase.PLAYING

    def _start(self, time: int) -> None:
        start = self.player.start(self._peer.login.identity)
        protocol, world, everywhere = self._peer.codec.protocol, self.served.world, self.player.reachable
        for message in greeting(world, self._options.ids, self.runtime_id, time, protocol, start, everywhere):
            self._peer.send(message)
        self.phase = JoinPhase.WAITING

    def _grant(self, now: float) -> None:
        """Grants the last requested radius once the quota allows it."""
        asked = self._requested_radius
        if asked is None or self.phase in {JoinPhase.JOINING, JoinPhase.GONE} or not self.quota.radius.take(1, now):
            return
        self._requested_radius = None
        self.player.resize(max(1, min(asked, self._options.radius_max)))
        if self.phase is JoinPhase.WAITING:
            self.phase = JoinPhase.LOADING

    # ---------------------------------------------------------------- out

    def refill(self, now: float) -> None:
        """Starts a tick: refills the budget and does what the quota held up, if it allows it now."""
        if now >= self._join_until and self.phase in {JoinPhase.JOINING, JoinPhase.WAITING}:
            late = f"the login took longer than {LOGIN_S:g} s"
            if self.phase is JoinPhase.WAITING:
                late = f"no chunk radius was requested within {LOGIN_S:g} s"
            self.close(late, now)
        self.flow.refill()
        self._grant(now)
        if self.phase is JoinPhase.PLAYING and self.player.cross():
            self.phase = JoinPhase.LOADING
        if self.plays:
            self.player.follow(now)
            for message in self.building.corrections(self.flow, now):
                self.send(message)

    def pump(self, now: float) -> bool:
        """Sends what this turn allows; True when more could be sent at once."""
        if not self.plays:
            return False
        self.flow.send(now)
        if self.phase is JoinPhase.LOADING and self.flow.may_play and not self._options.faults.unspawned:
            self.phase = JoinPhase.PLAYING
            self._peer.send(PlayStatus(PlayStatusCode.PLAYER_SPAWN))
            self.player.let_in(now)
        if now >= self._keep_alive_at:
            self._keep_alive_at = now + KEEP_ALIVE_S
            self._peer.send(NetworkStackLatency(int(now * 1e6), True))
        due = self.flow.answers.next_due()
        self.delayed_until = due if due is not None and due > now else None
        return self.flow.owes(now)

    def apply_faults(self, now: float) -> Sequence[BlockPos]:
        """Applies the fault script's events of this tick; returns the positions of blocks to change."""
        if self.phase is not JoinPhase.PLAYING:
            return ()
        event = self._faults.due(self.flow.tracking.sent, now)
        for column in event.replaced:
            self._peer.send(self.flow.column(column))
        if event.cross:
            self.player.go_on()
        if event.kick is not None:
            self.close(event.kick, now)
        return event.edits

    def send(self, message: Message) -> None:
        """Sends a message to a client that has joined."""
        if self.phase not in {JoinPhase.JOINING, JoinPhase.GONE}:
            self._peer.send(message)

    def edits_of(self, request: BuildRequest, now: float) -> Sequence[BlockReplacement]:
        """The edits for a build request; empty if it is refused."""
        return self.building.edits(request, self.flow, self.player.at.eye, self.player.at.look, now)

    def entity(self) -> ServerEntity:
        identity = self._peer.login.identity
        return player_of(identity, self.runtime_id, self.served.dimension.number, self.player.at)

    def show(self, entities: Mapping[int, ServerEntity], most: int, tick: int, news: Sequence[int]) -> None:
        """Sends entities that appeared or disappeared for this client, and at most ``most`` moves.

        ``news``: ids of entities that appeared or disappeared in this tick; they may exist only briefly.
        """
        among = None if (tick + self.runtime_id) % LOOK_TICKS == 0 else news
        number, flow = self.served.dimension.number, self.flow
        for message in self._seen.look(entities, number, flow.tracking, flow.form, among):
            self._peer.send(message)
        for packet in self._seen.moves(entities, most, self._peer.codec):
            self._peer.send_packet(packet)

    def close(self, reason: str, now: float) -> None:
        self._peer.close(reason, now)
