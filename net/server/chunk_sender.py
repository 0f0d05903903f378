"""Chunk data on its way to one client: columns, answers and blobs, within what a tick and the client's backlog allow.

Rules:
1. Chunk data flows within a budget of bytes a tick, and not while the client has too much unacknowledged; in one turn
   no more than the connection sends in about two, since a change that comes next waits behind all of it.
2. Columns go before answers: an answer for a column that was not sent would be a lie. What is not at hand, a column or
   what an answer needs again, is requested, and sent when it was made (``generation_queue``).
3. A client with a blob cache is sent the ids of terrain and biomes (``blob_cache``); blobs that it lacks are chunk
   data, too, and go first: columns and answers wait for them.
4. Changes of what the client has (``BlockUpdates``) are small, and somebody waits for them: they go in the turn in
   which they were made, before chunk data of anybody, also where the budget of the tick is used up.
5. The player's own priorities order columns and answers (``interest``).

Rules of block changes (``BlockUpdates``, seed 003):
1. A change waits as a place, not as a block: what is sent is what stands there when it goes, once.
2. Only who has a sub-chunk is sent a change of it; a client that was sent a newer version of it meanwhile is not sent
   it again. What several clients are sent in one turn is encoded once.
3. Sub-chunks of the highest priority go first, each within one packet; they cost the budget of chunk data.

Who built a block is in ``actor_id`` of UpdateBlockSynced or of UpdateSubChunkBlocks, with transition 0: no entity
stands for the block.

Limits: places wait for sub-chunks of the client's area alone, 8,192 a sub-chunk.
"""

import math
from collections.abc import Mapping
from typing import Final

from net.bedrock import BlockChange, LevelChunk, Message, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks
from net.bedrock.codec import Codec
from net.peer import ServerPeer
from net.server.blob_cache import OpenBlobs
from net.server.block_ids import BlockIdForm
from net.server.column_provider import ColumnProvider
from net.server.column_snapshots import NO_BORDERS
from net.server.dimensions import ServerDimension
from net.server.host_options import ColumnMode, HostOptions, LimitForm, Quota
from net.server.player_priority import PlayerPriority, Priorities, weights_of
from net.server.requests import PACKET_NEEDS, AnswerQueue
from net.server.sent_chunks import SentChunks
from net.space import BlockPos, ColumnPos, Dimension

UPDATE_FLAGS: Final = 3
"""Neighbours and network, as a real server marks an ordinary change."""
UPDATE_BYTES: Final = 12
"""Average size of one block change on the wire."""

Cell = tuple[BlockPos, int]
"""A position and its layer."""
ChangePackets = dict[
    tuple[ColumnProvider, tuple[ColumnPos, int], tuple[tuple[Cell, int], ...], BlockIdForm, Codec], bytes
]
"""Packets of one turn by what they say, for all clients that are sent the same."""


class BlockUpdates:
    """Block changes that wait for one client; see the module."""

    def __init__(self, provider: ColumnProvider, dimension: Dimension) -> None:
        self._provider = provider
        self._floor = dimension.floor_section
        self.waiting: dict[tuple[ColumnPos, int], dict[Cell, int]] = {}  # value: the last builder

    def record(self, position: BlockPos, layer: int, builder: int, tracking: SentChunks) -> None:
        """Queues a changed block. ``builder``: entity that did it, 0 for none. ``tracking``: what the client has."""
        column, index = position.column, (position.y >> 4) - self._floor
        if tracking.version_of(column, index) is not None:
            self.waiting.setdefault((column, index), {})[position, layer] = builder

    def next_packet(
        self, tracking: SentChunks, form: BlockIdForm, needs: Priorities, codec: Codec, packets: ChangePackets
    ) -> tuple[bytes, int] | None:
        """What the client is sent next, and what it costs of its budget in bytes; None for nothing.

        ``form``: how it reads blocks. ``needs``: its priorities. ``codec``: its packets. ``packets``: what others were
        sent since a block changed last; what it is sent is added.
        """
        centre = tracking.position.column
        while self.waiting:
            place = min(
                self.waiting,
                key=lambda key: needs.get(key[0], math.hypot(key[0].x - centre.x, key[0].z - centre.z)),
            )
            cells = self.waiting.pop(place)
            column, index = place
            snapshot = self._provider.snapshot(column)
            version, held = snapshot.version(index).number, tracking.version_of(column, index)
            if held is None or held >= version or not tracking.send(column, index, version):
                continue
            changes = (self._provider, place, tuple(cells.items()), form, codec)
            packet = packets.get(changes)
            if packet is None:
                layers: tuple[list[BlockChange], list[BlockChange]] = ([], [])
                for (position, layer), builder in cells.items():
                    local_id = snapshot.local_id(index, position.in_subchunk, layer)
                    layers[layer].append(BlockChange(position, int(form.runtime_ids[local_id]), UPDATE_FLAGS, builder))
                packet = packets[changes] = codec.encode(_message(column, self._floor + index, *layers))
            return packet, UPDATE_BYTES * len(cells)
        return None


def _message(column: ColumnPos, section: int, layer0: list[BlockChange], layer1: list[BlockChange]) -> Message:
    if len(layer0) + len(layer1) == 1:
        change = (layer0 or layer1)[0]
        layer = 0 if layer0 else 1
        if change.actor_id:
            return UpdateBlockSynced(change.position, change.runtime_id, UPDATE_FLAGS, layer, change.actor_id)
        return UpdateBlock(change.position, change.runtime_id, UPDATE_FLAGS, layer)
    base = BlockPos(column.x << 4, section << 4, column.z << 4)
    return UpdateSubChunkBlocks(base, tuple(layer0), tuple(layer1))


SPAWN_COLUMNS = 81
"""The player spawns when this many columns are sent: radius 4, the area that a client ticks."""
COLUMNS_AHEAD = 32
"""Columns considered for sending next; the first one at hand is sent. The missing ones are requested together."""

AT_ONCE_BYTES = 1 << 17
"""If no more than this is in flight or waiting, a request's answers go in one packet: 0.1 s on a link of 10 Mbit/s, too
short for their order to be visible."""
ENTRY_BYTES = 512
"""Average size of an answer on the wire."""
LEAST_ENTRIES = 8
"""Of a packet, where the connection takes little at once."""


class ChunkSender:
    """Chunk data for one client in one dimension; see the module. ``client``: its number, which seeds its faults."""

    def __init__(
        self, peer: ServerPeer, served: ServerDimension, options: HostOptions, quota: Quota, client: int
    ) -> None:
        self._peer = peer
        self.served = served
        self._provider = served.provider
        self._dimension = served.dimension
        self._options = options
        self._quota = quota
        # the player's state
        weights = weights_of(options.fov_degrees, options.aspect)
        self.interest = PlayerPriority(served.provider, served.dimension, weights)
        self.tracking = SentChunks(BlockPos(0, 0, 0), 0)  # what the client has
        self.updates = BlockUpdates(served.provider, served.dimension)  # changes of blocks that it has
        self._crossed = False  # whether the client came here from another dimension
        # the client's requests
        self.answers = AnswerQueue(
            served.provider, served.dimension, served.forms.home, options.faults, client, self.interest.needs
        )
        self.blobs: OpenBlobs | None = None  # None without a client cache
        self._ahead = max(COLUMNS_AHEAD, options.columns_a_turn)
        self.budget = options.bytes_a_tick  # bytes that may still be sent in this tick
        self._space = 0  # bytes of chunk data that may still be sent in this turn, see rule 1
        self.columns_sent = 0  # whole columns and skeletons

    def follow(self, before: "ChunkSender") -> None:
        """Takes over radius, blob cache and budget from the previous dimension's sender, which then stops."""
        self._crossed = True
        self.tracking.resize(before.tracking.radius)
        self.blobs = before.blobs
        if self.blobs is not None:
            self.blobs.forget()
        self.budget = before.budget

    def start(self, feet: tuple[float, float, float], eye: tuple[float, float, float]) -> None:
        """Starts at the player's position; the client's protocol is known by now."""
        self.answers.entries.form = self.served.forms.of(self._peer.codec.protocol, self._options.faults.ids_shifted)
        at, radius = BlockPos.containing(*feet), self.tracking.radius
        self.tracking = SentChunks(at, radius, hold_back=self._options.occlusion)
        self.interest.place(eye)

    @property
    def form(self) -> BlockIdForm:
        return self.answers.entries.form

    def keep_blobs(self, supported: bool) -> None:
        self.blobs = OpenBlobs(self._peer.codec.dialect.profile) if supported else None

    def refill(self) -> None:
        self.budget = self._options.bytes_a_tick

    def think(self, now: float) -> bool:
        """Recalculates the player's priorities if it is time; returns whether it did."""
        area, hides = self.tracking, self._options.occlusion
        waits = bool(hides or area.missing or self.answers.waiting)
        if not self.interest.step(now, area.position.column, area.radius, occlusion=hides, sight=waits):
            return False
        if waits:
            wanted = self.interest.now
            area.arrange(sorted((one for one in area.missing if one in wanted), key=lambda one: (wanted[one], one)))
            self.answers.arrange()
        return True

    def send(self, now: float) -> None:
        self.answers.resume(self.tracking)
        self._space = self._peer.backlog.space_bytes
        if self._may_send_now():
            self._send_blobs()
            self._send_columns()
            self._send_answers(now)

    def send_changes(self, packets: ChangePackets) -> None:
        """Sends what is owed of blocks that changed, also where the budget is used up; see rule 4.

        ``packets``: what others were sent in this turn; what the client is sent is added.
        """
        while self.updates.waiting and self._takes_more():
            needs, codec = self.interest.now, self._peer.codec
            found = self.updates.next_packet(self.tracking, self.form, needs, codec, packets)
            if found is None:
                return
            packet, size = found
            self._peer.send_packet(packet)
            self.budget -= size

    def has_section(self, position: BlockPos) -> bool:
        """Whether the client has the sub-chunk of a block and its column is at hand."""
        index = (position.y >> 4) - self._dimension.floor_section
        inside = self._dimension.holds_section(position.y >> 4)
        has = inside and self.tracking.version_of(position.column, index) is not None
        return has and self._provider.holds(position.column)

    def local_ids(self, position: BlockPos) -> tuple[int, int]:
        """Local ids by layer at a position inside the dimension."""
        snapshot, index = self._provider.snapshot(position.column), (position.y >> 4) - self._dimension.floor_section
        cell = position.in_subchunk
        return snapshot.local_id(index, cell, 0), snapshot.local_id(index, cell, 1)

    def update(self, position: BlockPos, layer: int, local_id: int) -> UpdateBlock:
        """The message that sets one block for this client."""
        return UpdateBlock(position, int(self.form.runtime_ids[local_id]), UPDATE_FLAGS, layer)

    def may_send(self) -> bool:
        """Whether budget and backlog allow more."""
        return self.budget > 0 and self._takes_more()

    def _may_send_now(self) -> bool:
        return self._space > 0 and self.may_send()

    def _spend(self, size: int) -> None:
        self.budget -= size
        self._space -= size

    def _takes_more(self) -> bool:
        return self._peer.backlog.queued_bytes < self._options.backlog_bytes

    def owes(self, now: float) -> bool:
        """Whether more could be sent at once."""
        due = self.answers.next_due()
        owed = self._next_column() is not None or (due is not None and due <= now and not self.answers.held_up)
        owed |= bool(self.updates.waiting) or (self.blobs is not None and self.blobs.owed)
        return owed and self._may_send_now()

    @property
    def may_play(self) -> bool:
        """Whether the client has enough columns to spawn: ``SPAWN_COLUMNS``, or all of its area that it needs."""
        if self.columns_sent >= SPAWN_COLUMNS:
            return True
        return (bool(self.interest.now) or not self._options.occlusion) and not self.tracking.waiting

    @property
    def wanted_columns(self) -> Mapping[ColumnPos, float]:
        """Columns to generate for the client, with its priorities; empty while nothing could be sent to it.

        Columns that answers lack or that are to be sent next come first. If there are none: columns that it may need
        soon.
        """
        if not self.may_send():
            return {}
        ahead, known, centre = self.tracking.ahead(self._ahead), self.interest.now, self.tracking.position.column
        wanted = {
            column: known.get(column, math.hypot(column.x - centre.x, column.z - centre.z))
            for column in ahead
            if not self._provider.holds(column)
        }
        wanted.update(self.answers.lacking)
        soon = {} if wanted else self.interest.soon
        return wanted or {column: number for column, number in soon.items() if not self._provider.holds(column)}

    # ---------------------------------------------------------------- inside

    def _send_blobs(self) -> None:
        while self.blobs is not None and self._may_send_now():
            response = self.blobs.next_response()
            if response is None:
                return
            message, size = response
            self._peer.send(message)
            self._spend(size)

    def _send_columns(self) -> None:
        for _ in range(self._options.columns_a_turn):
            column = self._next_column()
            if column is None or not self._may_send_now():
                return
            self.tracking.send_column(column)
            if self._withheld(column):
                continue
            message = self.column(column)
            self._peer.send(message)
            self._spend(len(message.payload) + 8 * len(message.blob_ids or ()) + 16)
            self.columns_sent += 1

    def _withheld(self, column: ColumnPos) -> bool:
        """Whether an injected fault keeps a column from the client."""
        faults = self._options.faults
        away = column.chebyshev(self.tracking.position.column)
        too_far = faults.columns_within is not None and away > faults.columns_within
        return too_far or (faults.empty_dimensions and self._crossed) or faults.withholds(column)

    def _next_column(self) -> ColumnPos | None:
        """The first of the next columns that is at hand; columns still to be generated do not block others."""
        return next((column for column in self.tracking.ahead(self._ahead) if self._provider.holds(column)), None)

    def _send_answers(self, now: float) -> None:
        all_at_once = self._peer.backlog.queued_bytes + self.answers.waiting * ENTRY_BYTES <= AT_ONCE_BYTES
        apart = math.inf if all_at_once else PACKET_NEEDS
        while self._may_send_now():
            most = min(self._options.entries_a_packet, max(self._space // ENTRY_BYTES, LEAST_ENTRIES))
            packet = self.answers.next_packet(self.tracking, most, now, self.blobs, self._quota, apart=apart)
            if packet is None:
                return
            message, size = packet
            self._peer.send(message)
            self._spend(size)

    def column(self, position: ColumnPos) -> LevelChunk:
        """The message for a column; records the column as sent (again)."""
        snapshot, form = self._provider.snapshot(position), self.form
        whole = self._options.mode is ColumnMode.FULL
        terrain = snapshot.subchunks(form) if whole else ()
        count = len(terrain) if whole else None
        limit = None
        if self._options.mode is ColumnMode.LIMITED:
            extra = 1 if self._options.limit_form is LimitForm.COUNT else 0
            limit = max(snapshot.highest + extra, 0)
        self.tracking.announce(position, snapshot.versions(), self._sent_from(limit))
        ids = None if self.blobs is None else self.blobs.announce(terrain, snapshot.biome_blob(form))
        payload = b"".join(terrain) + snapshot.skeleton(form) if ids is None else NO_BORDERS
        if whole:
            payload += snapshot.all_entities()
        return LevelChunk(position, self._dimension.number, count, limit, ids, payload)

    def _sent_from(self, limit: int | None) -> int:
        """The first section, from the floor, that the column itself gives the client: its limit says "air above"."""
        match self._options.mode:
            case ColumnMode.FULL:
                return 0
            case ColumnMode.LIMITLESS:
                return self._dimension.sections
            case ColumnMode.LIMITED:
                return (limit or 0) + (1 if self._options.limit_form is LimitForm.INDEX else 0)
