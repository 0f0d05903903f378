"""One client on the server, from the end of its login to its goodbye (wire.md 5.5, from StartGame on).

| phase | what ends it |
|---|---|
| joining | Joined: StartGame and the tables are sent |
| waiting | RequestChunkRadius: radius granted, publisher set, columns begin to flow |
| loading | the columns nearest to the spawn are sent: PlayStatus 3 |
| playing | the connection |

Rules:
1. Chunk data (columns and answers) flows within a budget of bytes a tick, and not while the client has too much
   unacknowledged; everything else is sent at once.
2. Columns go before answers: an answer for a column that was not sent would be a lie. A column that is not at hand is
   wished for, and sent when it was made (``provision``); only one that an answer needs again is made at once.
3. Positions come from the client and are believed if they are finite and no jumps: this server shows worlds, it rules
   no game, but nobody makes it generate the other end of one. Who jumps is told where it is held.
4. A client that says it has a blob cache is told of terrain and biomes by their ids (``open_blobs``); what it has not
   is chunk data, too, and goes first: columns and answers wait for it.
5. Messages that a viewer's server has no use for are ignored.
6. What one client may cost is its ``quota``. The last radius that it asked for, and the last column that it entered,
   are acted upon as soon as the quota allows; answers and columns wait; small replies beyond it are not given.
7. Where players are saved, one that comes again starts where it was.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from net.bedrock import (
    ChunkRadiusUpdated,
    ClientCacheBlobStatus,
    ClientCacheStatus,
    LevelChunk,
    Message,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    PlayerAuthInput,
    PlayStatus,
    PlayStatusCode,
    RequestChunkRadius,
    SetLocalPlayerAsInitialized,
    SubChunkRequest,
    TickSync,
)
from net.peer import Closed, Joined, Received, ServerPeer
from net.server.answers import Answers
from net.server.greeting import EYE_HEIGHT, greeting
from net.server.interest.player import PlayerInterest, weights_of
from net.server.open_blobs import OpenBlobs, OpenBlobStats
from net.server.options import ColumnMode, HostOptions, LimitForm
from net.server.persistence.players import Players, SavedPlayer
from net.server.provider import Provider
from net.server.quota import Quota
from net.server.snapshots import NO_BORDERS
from net.server.tracking import Tracking
from net.server.troubles import Troubles
from net.server.worlds import Spawn, World
from net.space.positions import BlockPos, ColumnPos, SubChunkPos

SPAWN_COLUMNS = 81
"""PlayStatus 3 comes when so many columns are sent: radius 4, the area a client ticks."""
COLUMNS_AHEAD = 32
"""Columns that are to be sent next, of which the first at hand is; so many are wished for at a time."""
KEEP_ALIVE_S = 5.0
FARTHEST_BLOCKS = 30_000_000
"""A position further out is not believed."""


class Phase(Enum):
    """How far a client is; see the module."""

    JOINING = "joining"
    WAITING = "waiting"
    LOADING = "loading"
    PLAYING = "playing"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class SessionStats:
    """A snapshot of one client's counters.

    Attributes:
        phase: how far it is.
        columns_sent: columns, whole or as skeletons.
        columns_waiting: columns still to be sent.
        entries_sent: answered sub-chunks.
        entries_waiting: sub-chunks asked for and not answered yet.
        entries_dropped: sub-chunks whose request was dropped.
        jumps: steps that were not believed.
        rtt_s: round trip of the last keep-alive, None before it.
        initialized: whether the client has said that it is in the world.
        blobs: of its blob cache, None where it has none.
    """

    phase: Phase
    columns_sent: int
    columns_waiting: int
    entries_sent: int
    entries_waiting: int
    entries_dropped: int
    jumps: int
    rtt_s: float | None
    initialized: bool
    blobs: OpenBlobStats | None


class Session:
    """One client; see the module.

    Args:
        peer: its connection.
        world: where it plays.
        provider: of that world.
        options: of the host.
        runtime_id: its own number.
        now: monotonic seconds.
        players: where players are saved, None where they are not.
    """

    def __init__(
        self,
        peer: ServerPeer,
        world: World,
        provider: Provider,
        options: HostOptions,
        runtime_id: int,
        now: float,
        players: Players | None = None,
    ) -> None:
        self._peer = peer
        self._world = world
        self._provider = provider
        self._options = options
        self.runtime_id = runtime_id
        self._players = players
        self.phase = Phase.JOINING
        self._quota = Quota(options.quota, now)
        self._feet = world.spawn.feet
        self._wished_radius: int | None = None
        self._jumps = 0
        self._tracking = Tracking(BlockPos.containing(*self._feet), 0)
        self._interest = PlayerInterest(provider, world.dimension, weights_of(options.fov_degrees, options.aspect))
        self._answers = Answers(provider, world.dimension, options.faults, runtime_id)
        self._troubles = Troubles(options.faults, runtime_id)
        self._ahead = max(COLUMNS_AHEAD, options.columns_a_turn)
        self._budget = options.bytes_a_tick
        self._columns_sent = 0
        self._entries_sent = 0
        self._keep_alive_at = now + KEEP_ALIVE_S
        self._rtt_s: float | None = None
        self._initialized = False
        self._delayed_until: float | None = None
        self._blobs: OpenBlobs | None = None

    # ---------------------------------------------------------------- in

    def receive(self, time: int, now: float) -> None:
        """Handles what the peer has decoded.

        Args:
            time: the world's clock, for a client that joins now.
            now: monotonic seconds.
        """
        while (event := self._peer.next_event()) is not None:
            if isinstance(event, Joined):
                self._start(time)
            elif isinstance(event, Received):
                self._handle(event.message, now)
            elif isinstance(event, Closed):
                self.phase = Phase.GONE

    def _handle(self, message: Message, now: float) -> None:
        match message:
            case RequestChunkRadius():
                self._wished_radius = message.radius
                self._grant(now)
            case SubChunkRequest():
                if self.phase in {Phase.LOADING, Phase.PLAYING}:
                    self._answers.ask(message, now)
            case PlayerAuthInput() | MovePlayer():
                self._move(message.position, message.yaw, message.pitch, now)
            case TickSync():
                self._reply(TickSync(message.request_time, message.request_time), now)
            case NetworkStackLatency():
                self._time(message, now)
            case SetLocalPlayerAsInitialized():
                self._initialized = True
            case ClientCacheStatus():
                self._blobs = OpenBlobs(self._peer.codec.dialect.profile) if message.supported else None
            case ClientCacheBlobStatus():
                if self._blobs is not None:
                    self._blobs.acknowledge(message)
            case _:
                pass

    def _start(self, time: int) -> None:
        start = self._start_of_player()
        self._feet = start.feet
        self._tracking = Tracking(BlockPos.containing(*start.feet), 0)
        self._tracking.hold_back = self._options.occlusion
        self._interest.place((start.feet[0], start.feet[1] + EYE_HEIGHT, start.feet[2]))
        protocol = self._peer.codec.protocol
        for message in greeting(self._world, self._options.ids, self.runtime_id, time, protocol, start):
            self._peer.send(message)
        self.phase = Phase.WAITING

    def _start_of_player(self) -> Spawn:
        identity = self._peer.login.identity
        if self._players is not None and identity is not None:
            saved = self._players.restore(identity.uuid)
            if saved is not None and saved.dimension == self._world.dimension.number and _is_near(saved.feet):
                return Spawn(saved.feet, saved.yaw, saved.pitch)
        return self._world.spawn

    def _grant(self, now: float) -> None:
        """Grants the radius that was asked for last, once the quota allows it."""
        asked = self._wished_radius
        if asked is None or self.phase in {Phase.JOINING, Phase.GONE} or not self._quota.radius.take(1, now):
            return
        self._wished_radius = None
        radius = max(1, min(asked, self._options.radius_max))
        self._tracking.resize(radius)
        self._peer.send(ChunkRadiusUpdated(radius))
        self._publish()
        if self.phase is Phase.WAITING:
            self.phase = Phase.LOADING

    def _publish(self) -> None:
        self._peer.send(NetworkChunkPublisherUpdate(self._tracking.position, self._tracking.publisher_radius_blocks))

    def _move(self, eye: tuple[float, float, float], yaw: float, pitch: float, now: float) -> None:
        if self.phase in {Phase.JOINING, Phase.WAITING, Phase.GONE} or not _is_near(eye):
            return
        feet = (eye[0], eye[1] - EYE_HEIGHT, eye[2])
        if not self._quota.travel.take(math.hypot(feet[0] - self._feet[0], feet[2] - self._feet[2]), now):
            self._jumps += 1
            self._hold(yaw, pitch, now)
            return
        self._feet = feet
        self._interest.observe(now, eye, yaw, pitch)
        self._follow(now)
        identity = self._peer.login.identity
        if self._players is not None and identity is not None and math.isfinite(yaw) and math.isfinite(pitch):
            self._players.note(identity.uuid, SavedPlayer(self._world.dimension.number, feet, yaw, pitch))

    def _hold(self, yaw: float, pitch: float, now: float) -> None:
        """Tells a client that jumped where it is."""
        looks = (pitch, yaw) if math.isfinite(yaw) and math.isfinite(pitch) else (0.0, 0.0)
        eye = (self._feet[0], self._feet[1] + EYE_HEIGHT, self._feet[2])
        self._reply(MovePlayer(self.runtime_id, eye, *looks, looks[1], MoveMode.RESET), now)

    def _follow(self, now: float) -> None:
        """Lets area and publisher follow the client, once the quota allows it."""
        at = BlockPos.containing(*self._feet)
        if at.column != self._tracking.position.column and not self._quota.moves.take(1, now):
            return
        if self._tracking.move(at):
            self._publish()

    def _reply(self, message: Message, now: float) -> None:
        if self._quota.replies.take(1, now):
            self._peer.send(message)

    def _time(self, message: NetworkStackLatency, now: float) -> None:
        if message.wants_reply:
            self._reply(NetworkStackLatency(message.time, False), now)
        else:
            self._rtt_s = max(0.0, now - message.time / 1e6)

    # ---------------------------------------------------------------- out

    def refill(self, now: float) -> None:
        """A tick has begun: its budget may be spent, and what the quota held up is done if it may be by now."""
        self._budget = self._options.bytes_a_tick
        self._grant(now)
        if self.phase in {Phase.LOADING, Phase.PLAYING}:
            self._follow(now)

    def think(self, now: float) -> bool:
        """Looks at what the client needs, if it is time to; says whether it was."""
        if self.phase not in {Phase.LOADING, Phase.PLAYING}:
            return False
        area, hides = self._tracking, self._options.occlusion
        if not hides and not area.missing:  # nothing to be put in order
            return False
        if not self._interest.step(now, area.position.column, area.radius, occlusion=hides):
            return False
        wanted = self._interest.now
        area.arrange(sorted((one for one in area.missing if one in wanted), key=lambda one: (wanted[one], one)))
        return True

    def pump(self, now: float) -> bool:
        """Sends what this turn allows; True when more could be sent at once."""
        if self.phase not in {Phase.LOADING, Phase.PLAYING}:
            return False
        if self._may_send():
            self._send_blobs()
            self._send_columns()
            self._send_answers(now)
        if now >= self._keep_alive_at:
            self._keep_alive_at = now + KEEP_ALIVE_S
            self._peer.send(NetworkStackLatency(int(now * 1e6), True))
        due = self._answers.next_due()
        self._delayed_until = due if due is not None and due > now else None
        owed = self._next_column() is not None or (due is not None and due <= now and not self._answers.held_up)
        owed |= self._blobs is not None and self._blobs.owed
        return owed and self._may_send()

    def next_due(self) -> float | None:
        """When an answer that is held back may be sent; None where only budget or backlog hold it."""
        return self._delayed_until

    def _may_send(self) -> bool:
        return self._budget > 0 and self._peer.queued_bytes < self._options.backlog_bytes

    def _send_blobs(self) -> None:
        while self._blobs is not None and self._may_send():
            response = self._blobs.next_response()
            if response is None:
                return
            message, size = response
            self._peer.send(message)
            self._budget -= size

    def _send_columns(self) -> None:
        for _ in range(self._options.columns_a_turn):
            column = self._next_column()
            if column is None or self._budget <= 0:
                break
            self._tracking.send_column(column)
            message = self._column(column)
            self._peer.send(message)
            self._budget -= len(message.payload) + 8 * len(message.blob_ids or ()) + 16
            self._columns_sent += 1
        looked = bool(self._interest.now) or not self._options.occlusion
        all_sent = looked and not self._tracking.waiting
        if self.phase is Phase.LOADING and (self._columns_sent >= SPAWN_COLUMNS or all_sent):
            self.phase = Phase.PLAYING
            self._peer.send(PlayStatus(PlayStatusCode.PLAYER_SPAWN))

    def _next_column(self) -> ColumnPos | None:
        """The first column ahead that is at hand: one that is not yet holds back no other."""
        return next((column for column in self._tracking.ahead(self._ahead) if self._provider.holds(column)), None)

    @property
    def wishes(self) -> Mapping[ColumnPos, float]:
        """Columns that are to be made for the client, with its own priorities; none while it could not be sent them."""
        if self.phase not in {Phase.LOADING, Phase.PLAYING} or not self._may_send():
            return {}
        ahead, known, centre = self._tracking.ahead(self._ahead), self._interest.now, self._tracking.position.column
        wanted = {
            column: known.get(column, math.hypot(column.x - centre.x, column.z - centre.z))
            for column in ahead
            if not self._provider.holds(column)
        }
        soon = {} if wanted else self._interest.soon
        return wanted or {column: number for column, number in soon.items() if not self._provider.holds(column)}

    @property
    def budget(self) -> int:
        """Bytes of chunk data that it may still be sent in this tick."""
        return self._budget

    @property
    def quota(self) -> Quota:
        """What it may still cost."""
        return self._quota

    def _column(self, position: ColumnPos) -> LevelChunk:
        snapshot, dimension = self._provider.snapshot(position), self._world.dimension.number
        whole = self._options.mode is ColumnMode.FULL
        terrain = snapshot.subchunks() if whole else ()
        count = len(terrain) if whole else None
        limit = None
        if self._options.mode is ColumnMode.LIMITED:
            extra = 1 if self._options.limit_form is LimitForm.COUNT else 0
            limit = max(snapshot.highest + extra, 0)
        sections = range(self._world.dimension.sections)
        self._tracking.announce(position, [snapshot.version(at).number for at in sections], self._sent_from(limit))
        ids = None if self._blobs is None else self._blobs.announce(terrain, snapshot.biome_blob())
        payload = b"".join(terrain) + snapshot.skeleton() if ids is None else NO_BORDERS
        return LevelChunk(position, dimension, count, limit, ids, payload)

    def _sent_from(self, limit: int | None) -> int:
        """The first section, from the floor, that a client has with the column itself: its limit says "air above"."""
        match self._options.mode:
            case ColumnMode.FULL:
                return 0
            case ColumnMode.LIMITLESS:
                return self._world.dimension.sections
            case ColumnMode.LIMITED:
                return (limit or 0) + (1 if self._options.limit_form is LimitForm.INDEX else 0)

    def _send_answers(self, now: float) -> None:
        while self._may_send():
            packet = self._answers.next_packet(
                self._tracking, self._options.entries_a_packet, now, self._blobs, self._quota
            )
            if packet is None:
                return
            message, size = packet
            self._peer.send(message)
            self._budget -= size
            self._entries_sent += len(message.entries)

    def suffer(self, now: float) -> Sequence[BlockPos]:
        """Lets the fault script's troubles of this tick happen; gives the places where the world is to change."""
        if self.phase is not Phase.PLAYING:
            return ()
        happening = self._troubles.due(self._tracking.sent, now)
        for column in happening.replaced:
            self._peer.send(self._column(column))
        if happening.kick is not None:
            self.close(happening.kick, now)
        return happening.edits

    def tell(self, message: Message) -> None:
        """Sends a message to a client that has joined."""
        if self.phase not in {Phase.JOINING, Phase.GONE}:
            self._peer.send(message)

    def tell_change(self, message: Message, position: SubChunkPos, version: int) -> None:
        """Sends what makes a section that version, to a client that has an older one of it."""
        column, index = position.column, position.y - self._world.dimension.floor_section
        if self._tracking.version_of(column, index) is not None and self._tracking.send(column, index, version):
            self.tell(message)

    def close(self, reason: str, now: float) -> None:
        """Says goodbye."""
        self._peer.close(reason, now)

    def stats(self) -> SessionStats:
        """A snapshot of the counters."""
        return SessionStats(
            self.phase,
            self._columns_sent,
            self._tracking.waiting,
            self._entries_sent,
            self._answers.waiting,
            self._answers.dropped,
            self._jumps,
            self._rtt_s,
            self._initialized,
            None if self._blobs is None else self._blobs.stats(),
        )


def _is_near(point: tuple[float, float, float]) -> bool:
    """Whether a position is one, and not so far out that nobody believes it."""
    return all(math.isfinite(part) and abs(part) < FARTHEST_BLOCKS for part in point)
