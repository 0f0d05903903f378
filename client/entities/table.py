"""The tables of entities; owned by the session.

Rules:
1. One row an entity, without gaps: the last row moves to the place of a removed one. To find an entity again use its
   number or id.
2. Moves are queued and applied together, before rows change and before they are read.
3. Positions are those of the feet. Positions in moves are above them by ``LIFTS``, those in add packets are not
   (dragonfly, PocketMine). A rider is at its vehicle's position, on its seat.
4. An entity belongs to the column at its position, and is dropped with it (seed 002). Its server may remove it later;
   until then it is listed in ``gone``. A change of dimension drops all.
5. If an id comes again, it means the new entity; the old one is dropped, and counted.
6. Whatever exceeds ``MOST_ENTITIES``, ``MOST_TYPES``, ``LONGEST_NAME``, ``METADATA_BYTES`` or ``MOST_VALUES`` is left
   out, and counted.
7. The player itself is not in the tables; messages about it are ignored here.

Measured on a shared 2-core machine: 10,000 entities with forty values each take 5.6 MB; 1,000 moves a second in 20
batches take 0.8 ms of each second, 1.8 with what a session does for each message.
"""

import copy
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.entities import metadata
from client.entities.move_kernels import MOVE_NUMBERS, apply_moves
from client.entities.picture import TRACK_S, EntityPicture, EntityTracks
from client.world.block_table import BlockTable
from client.world.slots import PoolBytes
from net import bedrock

MOST_ENTITIES: Final = 1 << 16
MOST_TYPES: Final = 4096
LONGEST_TYPE: Final = 128
LONGEST_NAME: Final = 256
METADATA_BYTES: Final = 16 << 10
"""Of one entity; real ones have some hundred."""
MOST_VALUES: Final = 256
"""Values of metadata of one entity; real ones have some forty. Each SetActorData unpacks all of them, 2 us each."""
ALL_METADATA_BYTES: Final = 32 << 20
MOST_PLAYERS: Final = 4096
"""Of the player list, and of far players."""
MOST_GONE: Final = 4096
MOST_REMOVED: Final = 1024
"""Titles kept of removed entities and of players who left, for reports about what they changed."""
MOST_WAITING: Final = 4096
"""Moves that are queued; some 300 bytes each."""
KEPT_FAULTS: Final = 256

PLAYER, ITEM, PAINTING, FALLING_BLOCK = (
    "minecraft:player",
    "minecraft:item",
    "minecraft:painting",
    "minecraft:falling_block",
)
OTHER_TYPES: Final = "(further types)"
LIFTS: Final = {PLAYER: 1.62, ITEM: 0.125, FALLING_BLOCK: 0.49, "minecraft:tnt": 0.49}
"""Height of the position in a move above the feet, in blocks, by type."""
UNKNOWN_SIZE: Final = (0.6, 0.6)
"""Size of a type that is in no table and whose server sends none: width and height in blocks."""
LARGEST_BLOCKS: Final = 64.0  # larger sizes are ignored
SEAT_PART: Final = 0.75  # height of a seat as a share of the vehicle's height, if the server sends none
NOBODY: Final = 0  # unique id for no vehicle
UNKNOWN: Final = -1  # value for no runtime id
NO_BLOCK: Final = -1
AIR: Final = 0
"""Dense id."""

ROW: Final = np.dtype(
    [
        ("position", "f8", 3),
        ("before", "f8", 3),
        ("moved_at", "i8"),
        ("heard_at", "i8"),
        ("added_at", "i8"),
        ("runtime_id", "u8"),
        ("unique_id", "i8"),
        ("ridden", "i8"),
        ("angles", "f4", 3),
        ("angles_before", "f4", 3),
        ("velocity", "f4", 3),
        ("size", "f4", 2),
        ("seat", "f4", 3),
        ("number", "u4"),
        ("packet", "u4"),
        ("block", "i4"),
        ("kind", "u2"),
        ("direction", "i1"),
        ("teleported", "?"),
        ("name_always", "?"),
        ("invisible", "?"),
        ("sized", "?"),
        ("unused", "u1", 5),
    ]
)
"""``packet`` is the last one about it, received at ``heard_at``; ``ridden`` is its vehicle's unique id; ``sized``: its
size is known. Times are microseconds of the session's clock."""
MOVING: Final = "position", "before", "moved_at", "teleported", "angles", "angles_before"
LASTING: Final = "number", "kind", "size", "name_always", "invisible", "block", "direction"
"""Fields that a picture copies: all of them, and those that moves do not change, whose arrays pictures share."""
FIRST_ROWS: Final = 64
GROWTH: Final = 1.25

TRACK: Final = np.dtype(
    [("position", "f8", 3), ("moved_at", "i8"), ("number", "u4"), ("teleported", "?"), ("unused", "u1", 3)]
)
KEPT_TRACK: Final = 4096
"""Moves whose positions are kept."""

STAYS: Final = float("nan")


class EntityFault(msgspec.Struct, frozen=True):
    """A fault of the server in a message about entities."""

    time_s: float  # when, in the session's clock
    packet: int  # number of the inbound packet
    what: str  # one of ``FAULTS``
    unique_id: int | None  # None if unknown
    runtime_id: int | None
    type: str  # of the entity; empty if unknown


FAULTS: Final = {
    "id_reused": "was added with an id that is still in use",
    "move_without_add": "was moved before it was added",
    "data_without_add": "was changed before it was added",
    "remove_without_add": "was removed before it was added",
    "said_after_gone": "was sent packets after its column was gone",
    "no_room": f"was left out: at most {MOST_ENTITIES:,} are tracked",
    "too_much_metadata": "has more metadata than chunkscope keeps",
    "too_many_types": f"has a new type: at most {MOST_TYPES:,} are told apart",
    "no_number": "has a velocity or seat that is not a number",
}
"""Texts of the counted faults, which follow the words "an entity"."""


class GoneEntity(msgspec.Struct, frozen=True):
    """An entity that was dropped with its column, and that the server has not removed."""

    unique_id: int
    runtime_id: int
    type: str
    gone_s: float  # when


class KnownPlayer(msgspec.Struct, frozen=True):
    """An entry of the player list."""

    uuid: str
    unique_id: int
    name: str
    colour: int  # signed 0xAARRGGBB; 0: unknown


class EntityRow(msgspec.Struct, frozen=True):
    """One entity."""

    number: int  # in this session; the ``entity`` channel of a picture has it
    type: str
    unique_id: int
    runtime_id: int
    at: tuple[float, float, float]  # feet, in blocks
    angles: tuple[float, float, float]  # pitch, yaw, head's yaw in degrees
    velocity: tuple[float, float, float]  # blocks a tick, as last sent
    size: tuple[float, float]  # width and height in blocks
    size_known: bool  # whether the server sent it, or a table has it
    name: str
    block: str  # name of the block that it is or carries, or empty
    painting: str  # its motif, or empty
    rides: int  # unique id of the entity that it rides, or 0
    added_s: float  # when it was added
    age_s: float  # since the last packet about it
    packet: int  # that packet's number
    metadata: Mapping[str, Any]  # by name; Any: what metadata holds

    @property
    def title(self) -> str:
        kind = self.type.removeprefix("minecraft:")
        return f"{kind} '{self.name}'" if self.name else kind


class Entities:
    """The entities of one session."""

    def __init__(self, protocol: int) -> None:
        self._protocol = protocol
        self._table: BlockTable | None = None
        self._own = (UNKNOWN, UNKNOWN)  # runtime and unique id of the player
        self._packet, self._now = 0, 0.0  # number and time of the last message
        self._next_number = 0
        self.version = 0  # changes with every change of the tables
        self.added = self.removed = self.moves = 0  # so far
        self.went = 0  # dropped with their column, or at a change of dimension
        self.refused = 0  # left out at the limit
        self.faults: Counter[str] = Counter()  # by ``FAULTS``
        self._last_faults: deque[EntityFault] = deque(maxlen=KEPT_FAULTS)
        self._kinds: list[str] = []
        self._kind_of: dict[str, int] = {}
        self._lifts = np.zeros(0)
        self.players: dict[str, KnownPlayer] = {}  # the player list, by uuid
        self._listed: dict[int, str] | None = None  # their names by unique id; None since the list changed
        self._drop_all()

    def _drop_all(self) -> None:
        self._count = 0
        self._rows = np.zeros(FIRST_ROWS, ROW)
        self._metadata: list[bytes] = []  # by row
        self._metadata_bytes = 0
        self._names: dict[int, str] = {}  # by number, without empty ones
        self._titles: dict[int, str] = {}  # of paintings, likewise
        self._at: dict[int, int] = {}  # rows by runtime id
        self._runtime_of: dict[int, int] = {}  # runtime ids by unique id
        self._waiting: list[float] = []  # queued moves, ``MOVE_NUMBERS`` each
        self._gone: dict[int, GoneEntity] = {}  # by runtime id, the oldest first
        self._gone_runtime: dict[int, int] = {}  # runtime ids by unique id
        self._removed_titles: dict[int, str] = {}  # by unique id, the oldest first
        self.far: dict[int, tuple[float, float, float]] = {}  # players far away, by unique id
        self._track = np.zeros(KEPT_TRACK, TRACK)
        self._tracked = 0  # number of all; ``_track`` has the last ones
        self._picture: EntityPicture | None = None
        self._texts: tuple[tuple[str, ...], tuple[str, ...]] | None = None  # names and titles by row
        self._lasting: dict[str, npt.NDArray[Any]] = {}  # ``LASTING``, and which are items; empty after a change

    def __deepcopy__(self, memo: dict[int, object]) -> "Entities":
        """A copy; the values in maps and lists are immutable and shared."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            plain = isinstance(value, dict | list | tuple | deque)
            setattr(made, name, copy.copy(value) if plain else copy.deepcopy(value, memo))
        made._picture = None
        return made

    def __len__(self) -> int:
        return self._count

    # ------------------------------------------------------------ received

    def begin(self, runtime_id: int, unique_id: int, table: BlockTable) -> None:
        self._own, self._table = (runtime_id, unique_id), table

    def leave(self) -> None:
        """Drops all, for another dimension, in which ids begin anew."""
        self.went += self._count
        self._drop_all()
        self.version += 1

    def columns_gone(self, columns: npt.NDArray[np.int32], now: float) -> None:
        """Drops the entities in removed columns, [n, 2] x and z."""
        if not self._count or not len(columns):
            return
        self.apply()
        standing = np.floor(self._rows["position"][: self._count, ::2] / 16).astype(np.int64)
        inside = np.isin(_keys(standing), _keys(columns.astype(np.int64)))
        for at in np.flatnonzero(inside)[::-1].tolist():
            row = self._rows[at]
            gone = GoneEntity(int(row["unique_id"]), int(row["runtime_id"]), self._kinds[row["kind"]], now)
            self._remove(at)
            self.went += 1
            self._gone[gone.runtime_id] = gone
            self._gone_runtime[gone.unique_id] = gone.runtime_id
            if len(self._gone) > MOST_GONE:
                self._forget_gone(next(iter(self._gone)))

    def takes(self, message: bedrock.Message) -> bool:
        """Whether a message is about entities, and not about the player itself."""
        if isinstance(message, bedrock.MovePlayer):
            return message.runtime_id != self._own[0]
        return type(message) in HANDLERS

    def receive(self, message: Any, packet: int, now: float) -> None:
        self._packet, self._now = packet, now
        HANDLERS[type(message)](self, message)

    def add_player(self, message: bedrock.AddPlayer) -> None:
        at = self._add(message, PLAYER)
        if at is not None:
            self._name(at, message.name)
            self._rows["name_always"][at] = True
            self._describe(at, message.metadata, {})
            self._turn(at, message.pitch, message.yaw, message.head_yaw)
            self._link(message.links)

    def add_actor(self, message: bedrock.AddActor) -> None:
        at = self._add(message, message.type)
        if at is not None:
            self._describe(at, message.metadata, {})
            self._turn(at, message.pitch, message.yaw, message.head_yaw)
            self._link(message.links)

    def add_item(self, message: bedrock.AddItemActor) -> None:
        at = self._add(message, ITEM)
        if at is not None:
            self._describe(at, message.metadata, {})
            block = self._dense(message.item.block) if message.item.block else NO_BLOCK
            self._rows["block"][at] = NO_BLOCK if block == AIR else block  # SerenityJS sends air for other items

    def add_painting(self, message: bedrock.AddPainting) -> None:
        at = self._add(message, PAINTING)
        if at is not None:
            self._rows["direction"][at] = message.direction & 3
            self._titles[int(self._rows["number"][at])] = message.title[:LONGEST_NAME]

    def move(self, message: bedrock.MoveActorAbsolute) -> None:
        look = message.pitch, message.yaw, message.head_yaw
        self._move(message.runtime_id, (*message.position, *look), message.flags & 2)

    def move_player(self, message: bedrock.MovePlayer) -> None:
        there = (STAYS,) * 3 if message.mode == bedrock.MoveMode.ROTATION else message.position
        once = message.mode in (bedrock.MoveMode.RESET, bedrock.MoveMode.TELEPORT)
        self._move(message.runtime_id, (*there, message.pitch, message.yaw, message.head_yaw), once)

    def move_delta(self, message: bedrock.MoveActorDelta) -> None:
        """A move that contains only the changed values."""
        said = message.x, message.y, message.z, message.pitch, message.yaw, message.head_yaw
        self._move(message.runtime_id, (STAYS if part is None else part for part in said), message.teleport)

    def _move(self, runtime_id: int, values: Iterable[float], once: float) -> None:
        """Queues a move. ``values``: x, y, z, pitch, yaw, head's yaw."""
        at = self._at.get(runtime_id)
        if at is None:
            self._unknown("move_without_add", runtime_id)
            return
        self._waiting += (at, *values, once, self._now * 1e6, self._packet)
        if len(self._waiting) >= MOST_WAITING * MOVE_NUMBERS:
            self.apply()

    def set_data(self, message: bedrock.SetActorData) -> None:
        at = self._heard(message.runtime_id)
        if at is not None and message.metadata:
            self._describe(at, message.metadata, metadata.unpacked(self._metadata[at]))

    def set_motion(self, message: bedrock.SetActorMotion) -> None:
        at = self._heard(message.runtime_id)
        if at is not None:
            self._rows["velocity"][at] = self._finite(message.velocity, at)

    def set_link(self, message: bedrock.SetActorLink) -> None:
        runtime_id = self._runtime_of.get(message.link.rider_id)
        if runtime_id is not None:
            self._heard(runtime_id)
        self._link((message.link,))

    def take_item(self, message: bedrock.TakeItemActor) -> None:
        """Records that an item is picked up; its removal follows."""
        self._heard(message.item_id)

    def remove(self, message: bedrock.RemoveActor) -> None:
        runtime_id = self._runtime_of.get(message.unique_id)
        if runtime_id is not None:
            self.apply()
            at = self._at[runtime_id]
            row = self._rows[at]
            self._keep_title(message.unique_id, self._names.get(int(row["number"])) or self._kinds[row["kind"]])
            self._remove(at)
            self.removed += 1
        elif message.unique_id in self._gone_runtime:
            self._forget_gone(self._gone_runtime[message.unique_id])
        elif message.unique_id != self._own[1]:
            self._fault("remove_without_add", unique_id=message.unique_id)

    def list_players(self, message: bedrock.PlayerList) -> None:
        self._listed = None
        for entry in message.entries:
            if entry.player is None:
                player = self.players.pop(entry.uuid, None)
                if player is not None:
                    self._keep_title(player.unique_id, player.name)
            elif len(self.players) < MOST_PLAYERS or entry.uuid in self.players:
                name = entry.player.name[:LONGEST_NAME]
                self.players[entry.uuid] = KnownPlayer(entry.uuid, entry.player.unique_id, name, entry.player.colour)

    def locate_player(self, message: bedrock.PlayerLocation) -> None:
        """Sets the position of a player too far away to be sent as an entity."""
        if message.position is None:
            self.far.pop(message.unique_id, None)
        elif len(self.far) < MOST_PLAYERS or message.unique_id in self.far:
            self.far[message.unique_id] = message.position

    def apply(self) -> None:
        if not self._waiting:
            return
        moves = np.array(self._waiting, np.float64).reshape(-1, MOVE_NUMBERS)
        self._waiting.clear()
        self.moves += len(moves)
        self.version += 1
        rows, track = self._rows, self._track
        apply_moves(
            moves, self._lifts, _as(rows, np.float64), _as(rows, np.int64), _as(rows, np.float32),
            _as(rows, np.uint32), _as(rows, np.uint16), _as(rows, np.uint8), _as(track, np.float64),
            _as(track, np.int64), _as(track, np.uint32), _as(track, np.uint8), self._tracked,
        )  # fmt: skip
        self._tracked += len(moves)

    # ------------------------------------------------------------ read

    def picture(self) -> EntityPicture:
        """The snapshot to draw; the same object until something changes."""
        self.apply()
        if self._picture is None or self._picture.version != self.version:
            self._picture = self._draw()
        return self._picture

    def tracks(self, now: float) -> EntityTracks:
        """Present positions, and the moves of the last ``TRACK_S``. ``now``: in the session's clock."""
        entities, now_us = self.picture(), round(now * 1e6)
        kept = self._track[: min(self._tracked, KEPT_TRACK)]
        kept = kept[kept["moved_at"] >= now_us - TRACK_S * 1e6]
        kept = kept[np.lexsort((kept["moved_at"], kept["number"]))]
        return EntityTracks(
            now_us=now_us,
            entities=entities,
            heard_at=self._rows["heard_at"][: self._count].copy(),
            numbers=kept["number"],
            positions=kept["position"],
            teleported=kept["teleported"],
            far=tuple((self.title_of(unique_id), place) for unique_id, place in self.far.items()),
        )

    def rows(self, now: float, started_at: float, which: Iterable[int] | None = None) -> tuple[EntityRow, ...]:
        """All that is known of entities, some 70 us each. ``started_at``: when the session was made.

        ``which``: their indices in ``places`` and ``are``, which hold until the next message; None: all.
        """
        self.apply()
        return tuple(self._row(at, now, started_at) for at in (range(self._count) if which is None else which))

    def title_of(self, unique_id: int) -> str:
        """The name of an entity or player by unique id, or its type, also after it was removed; empty if unknown."""
        if unique_id == self._own[1]:
            return "this player"
        at = self._at.get(self._runtime_of.get(unique_id, UNKNOWN))
        if self._listed is None:  # of several with one unique id the first counts
            self._listed = {player.unique_id: player.name for player in reversed(self.players.values())}
        listed = self._listed.get(unique_id, "")
        if at is None:
            return listed or self._removed_titles.get(unique_id, "")
        return self._names.get(int(self._rows["number"][at]), listed) or self._kinds[self._rows["kind"][at]]

    def kinds(self) -> dict[str, int]:
        """Number of entities by type, most first."""
        counts = np.bincount(self._rows["kind"][: self._count], minlength=len(self._kinds))
        found = {self._kinds[kind]: int(count) for kind, count in enumerate(counts) if count}
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def last_faults(self) -> Sequence[EntityFault]:
        return tuple(self._last_faults)

    def gone(self) -> Sequence[GoneEntity]:
        """Entities dropped with their column and never removed, oldest first."""
        return tuple(self._gone.values())

    def places(self) -> npt.NDArray[np.int32]:
        """[n, 3] the sub-chunk of each one's feet."""
        self.apply()
        return np.floor(self._rows["position"][: self._count] / 16).astype(np.int32)

    def are(self, kind: str) -> npt.NDArray[np.bool_]:
        """[n] whether each one is of a type."""
        return np.asarray(self._rows["kind"][: self._count] == self._kind_of.get(kind, -1))

    @property
    def size_bytes(self) -> int:
        """Their memory, without maps of ids (some 180 bytes each)."""
        return self._rows.nbytes + self._metadata_bytes + 41 * len(self._metadata) + 180 * self._count

    def memory(self) -> PoolBytes:
        size = self.size_bytes
        return PoolBytes("entities", size, size, size, size)

    def warnings(self) -> tuple[str, ...]:
        """Sentences about entities that were left out; empty if none were."""
        if not self.refused:
            return ()
        one = "entity was" if self.refused == 1 else "entities were"
        return (f"{self.refused:,} {one} left out: at most {MOST_ENTITIES:,} are tracked",)

    # ------------------------------------------------------------ rows

    def _add(
        self,
        message: bedrock.AddPlayer | bedrock.AddActor | bedrock.AddItemActor | bedrock.AddPainting,
        kind: str,
    ) -> int | None:
        """A new row with the values that all add messages have; None if it is the player or at the limit."""
        runtime_id, unique_id = message.runtime_id, message.unique_id
        if runtime_id == self._own[0] or unique_id == self._own[1]:
            return None
        self.added += 1
        self._forget_gone(runtime_id)
        self._forget_gone(self._gone_runtime.get(unique_id, UNKNOWN))
        self._replace(runtime_id, unique_id, kind)
        if self._count >= MOST_ENTITIES:
            self.refused += 1
            self._fault("no_room", unique_id, runtime_id, kind)
            return None
        at = self._count
        if at == len(self._rows):
            self._grow()
        index = self._kind(kind)
        width, height = load_sizes().get(self._kinds[index], UNKNOWN_SIZE)
        row = self._rows[at]
        row["number"], row["kind"] = self._next_number, index
        row["runtime_id"], row["unique_id"] = runtime_id, unique_id
        row["position"] = row["before"] = message.position
        row["angles"] = row["angles_before"] = row["velocity"] = row["seat"] = 0.0
        row["size"] = width, height
        row["moved_at"] = row["added_at"] = row["heard_at"] = round(self._now * 1e6)
        row["packet"], row["block"], row["ridden"], row["direction"] = self._packet, NO_BLOCK, NOBODY, 0
        row["teleported"], row["name_always"], row["invisible"] = True, False, False
        row["sized"] = self._kinds[index] in load_sizes()
        self._next_number += 1
        self._count += 1
        self._metadata.append(b"")
        self._at[runtime_id], self._runtime_of[unique_id] = at, runtime_id
        self.version += 1
        self._texts, self._lasting = None, {}
        if not isinstance(message, bedrock.AddPainting):
            row["velocity"] = self._finite(message.velocity, at)
        return at

    def _replace(self, runtime_id: int, unique_id: int, kind: str) -> None:
        """Removes entities that have one of these ids already."""
        old = {self._at.get(runtime_id), self._at.get(self._runtime_of.get(unique_id, UNKNOWN))} - {None}
        if not old:
            return
        self.apply()
        self._fault("id_reused", unique_id, runtime_id, kind)
        for at in sorted((at for at in old if at is not None), reverse=True):
            self._remove(at)

    def _remove(self, at: int) -> None:
        """Moves the last row to its place; queued moves must be applied before."""
        rows, last = self._rows, self._count - 1
        number, runtime_id = int(rows["number"][at]), int(rows["runtime_id"][at])
        unique_id = int(rows["unique_id"][at])
        del self._at[runtime_id]
        if self._runtime_of.get(unique_id) == runtime_id:
            del self._runtime_of[unique_id]
        self._names.pop(number, None)
        self._titles.pop(number, None)
        self._metadata_bytes -= len(self._metadata[at])
        if at != last:
            rows[at] = rows[last]
            self._metadata[at] = self._metadata[last]
            self._at[int(rows["runtime_id"][at])] = at
        self._metadata.pop()
        self._count = last
        self.version += 1
        self._texts, self._lasting = None, {}

    def _grow(self) -> None:
        rows = np.zeros(int(len(self._rows) * GROWTH) + 1, ROW)
        rows[: self._count] = self._rows[: self._count]
        self._rows = rows

    def _kind(self, name: str) -> int:
        name = name[:LONGEST_TYPE]
        if name not in self._kind_of and len(self._kinds) >= MOST_TYPES:
            self._fault("too_many_types", kind=name)
            name = OTHER_TYPES
        index = self._kind_of.get(name)
        if index is None:
            index = self._kind_of[name] = len(self._kinds)
            self._kinds.append(name)
            self._lifts = np.array([LIFTS.get(kind, 0.0) for kind in self._kinds])
        return index

    def _heard(self, runtime_id: int) -> int | None:
        """The row of an entity, after recording the packet there; None with a fault if it is unknown."""
        at = self._at.get(runtime_id)
        if at is None:
            self._unknown("data_without_add", runtime_id)
            return None
        self._rows["heard_at"][at], self._rows["packet"][at] = round(self._now * 1e6), self._packet
        self.version += 1
        return at

    def _unknown(self, what: str, runtime_id: int) -> None:
        """Records the fault of a packet about an unknown entity."""
        gone = self._gone.get(runtime_id)
        if gone is not None:
            self._fault("said_after_gone", gone.unique_id, runtime_id, gone.type)
        elif runtime_id != self._own[0]:
            self._fault(what, runtime_id=runtime_id)

    def _keep_title(self, unique_id: int, title: str) -> None:
        self._removed_titles.pop(unique_id, None)
        self._removed_titles[unique_id] = title
        if len(self._removed_titles) > MOST_REMOVED:
            del self._removed_titles[next(iter(self._removed_titles))]

    def _forget_gone(self, runtime_id: int) -> None:
        gone = self._gone.pop(runtime_id, None)
        if gone is not None:
            self._gone_runtime.pop(gone.unique_id, None)

    def _fault(self, what: str, unique_id: int | None = None, runtime_id: int | None = None, kind: str = "") -> None:
        """Records a fault of the last message."""
        self.faults[what] += 1
        fault = EntityFault(self._now, self._packet, what, unique_id, runtime_id, kind[:LONGEST_TYPE])
        self._last_faults.append(fault)

    def _fault_of(self, at: int, what: str) -> None:
        row = self._rows[at]
        self._fault(what, int(row["unique_id"]), int(row["runtime_id"]), self._kinds[row["kind"]])

    # ------------------------------------------------------------ values of a row

    def _describe(self, at: int, said: Iterable[bedrock.EntityValue], values: metadata.Values) -> None:
        values |= {value.key: value for value in said}
        self._keep(at, values)
        self._lasting = {}
        row, kind = self._rows[at], self._kinds[self._rows["kind"][at]]
        usual = load_sizes().get(kind)
        wide, high = usual or UNKNOWN_SIZE
        scale = _sensible(metadata.number(values, metadata.SCALE, 1.0), 1.0)
        width = _sensible(metadata.number(values, metadata.WIDTH, wide), wide)
        height = _sensible(metadata.number(values, metadata.HEIGHT, high), high)
        row["size"] = min(width * scale, LARGEST_BLOCKS), min(height * scale, LARGEST_BLOCKS)
        row["sized"] = usual is not None or metadata.WIDTH in values
        name = metadata.text(values, metadata.NAME)
        if metadata.NAME in values and (name or kind != PLAYER):
            self._name(at, name)
        flags = int(metadata.number(values, metadata.FLAGS, 0))
        always = metadata.number(values, metadata.NAME_ALWAYS, 0) != 0 or bool(flags & metadata.NAME_ALWAYS_FLAG)
        row["name_always"] = always or kind == PLAYER
        row["invisible"] = bool(flags & metadata.INVISIBLE_FLAG)
        seat = values.get(metadata.SEAT)
        if seat is not None and isinstance(seat.value, tuple):
            row["seat"] = self._finite(seat.value, at)
        if kind == FALLING_BLOCK and metadata.VARIANT in values:
            row["block"] = self._dense(int(metadata.number(values, metadata.VARIANT, 0)))
            row["invisible"] |= row["block"] == AIR  # a floating text of dragonfly
        elif kind.endswith("minecart"):
            has = metadata.number(values, metadata.HAS_BLOCK, 0)
            row["block"] = self._dense(int(metadata.number(values, metadata.MINECART_BLOCK, 0))) if has else NO_BLOCK

    def _keep(self, at: int, values: metadata.Values) -> None:
        if len(values) > MOST_VALUES:
            self._fault_of(at, "too_much_metadata")
            return
        kept = metadata.packed(values)
        more = len(kept) - len(self._metadata[at])
        if len(kept) > METADATA_BYTES or self._metadata_bytes + more > ALL_METADATA_BYTES:
            self._fault_of(at, "too_much_metadata")
            return
        self._metadata[at] = kept
        self._metadata_bytes += more

    def _name(self, at: int, name: str) -> None:
        number, name = int(self._rows["number"][at]), name[:LONGEST_NAME]
        if self._names.get(number, "") == name:
            return
        self._texts = None
        if name:
            self._names[number] = name
        else:
            del self._names[number]

    def _turn(self, at: int, pitch: float, yaw: float, head_yaw: float) -> None:
        self._rows["angles"][at] = self._rows["angles_before"][at] = pitch, yaw, head_yaw

    def _dense(self, runtime_id: int) -> int:
        """The dense id of a block; ids that are hashes arrive as signed numbers."""
        found = None if self._table is None else self._table.find(runtime_id & 0xFFFFFFFF)
        return NO_BLOCK if found is None else found

    def _finite(self, vector: tuple[float, float, float], at: int) -> tuple[float, float, float]:
        if all(abs(part) < 1e6 for part in vector):  # False for NaN, too
            return vector
        self._fault_of(at, "no_number")
        return 0.0, 0.0, 0.0

    def _link(self, links: Iterable[bedrock.EntityLink]) -> None:
        for link in links:
            at = self._at.get(self._runtime_of.get(link.rider_id, UNKNOWN))
            if at is not None:
                self._rows["ridden"][at] = link.ridden_id if link.kind else NOBODY
                self.version += 1

    # ------------------------------------------------------------ drawing

    def _draw(self) -> EntityPicture:
        rows = self._rows[: self._count].copy()
        self._seat(rows)
        if not self._lasting:
            self._lasting = {name: np.ascontiguousarray(rows[name]) for name in LASTING}
            self._lasting["item"] = self.are(ITEM)
        columns = {name: np.ascontiguousarray(rows[name]) for name in MOVING} | self._lasting
        for values in columns.values():
            values.setflags(write=False)
        if self._texts is None:
            numbers = rows["number"].tolist()
            names, titles = self._names.get, self._titles.get
            none = ("",) * len(numbers)
            self._texts = (
                tuple(names(number, "") for number in numbers) if self._names else none,
                tuple(titles(number, "") for number in numbers) if self._titles else none,
            )
        return EntityPicture(
            version=self.version,
            kinds=tuple(self._kinds),
            rows=columns.pop("number"),
            name=self._texts[0],
            painting=self._texts[1],
            **columns,
        )

    def _seat(self, rows: np.ndarray) -> None:
        for at in np.flatnonzero(rows["ridden"] != NOBODY).tolist():
            vehicle = self._at.get(self._runtime_of.get(int(rows["ridden"][at]), UNKNOWN))
            if vehicle is None or vehicle == at:
                continue
            seat = rows["seat"][at].astype(np.float64)
            if not seat.any():
                seat[1] = float(rows["size"][vehicle][1]) * SEAT_PART
            for place in ("position", "before"):
                rows[place][at] = self._rows[place][vehicle] + seat
            for fact in ("moved_at", "teleported"):
                rows[fact][at] = rows[fact][vehicle]

    def _row(self, at: int, now: float, started_at: float) -> EntityRow:
        row = self._rows[at]
        number, block = int(row["number"]), int(row["block"])
        return EntityRow(
            number=number,
            type=self._kinds[row["kind"]],
            unique_id=int(row["unique_id"]),
            runtime_id=int(row["runtime_id"]),
            at=_three(row["position"]),
            angles=_three(row["angles"]),
            velocity=_three(row["velocity"]),
            size=(float(row["size"][0]), float(row["size"][1])),
            size_known=bool(row["sized"]),
            name=self._names.get(number, ""),
            block=self._table.states[block].name if self._table is not None and block >= 0 else "",
            painting=self._titles.get(number, ""),
            rides=int(row["ridden"]),
            added_s=int(row["added_at"]) / 1e6 - started_at,
            age_s=max(0.0, now - int(row["heard_at"]) / 1e6),
            packet=int(row["packet"]),
            metadata=metadata.named(metadata.unpacked(self._metadata[at]), self._protocol),
        )


def _as(table: np.ndarray, kind: type[np.generic]) -> npt.NDArray[Any]:
    """A table as numbers of one kind, [rows, numbers a row], the same memory."""
    return table.view(kind).reshape(len(table), -1)


HANDLERS: Final[dict[type, Any]] = {
    bedrock.AddPlayer: Entities.add_player,
    bedrock.AddActor: Entities.add_actor,
    bedrock.AddItemActor: Entities.add_item,
    bedrock.AddPainting: Entities.add_painting,
    bedrock.RemoveActor: Entities.remove,
    bedrock.TakeItemActor: Entities.take_item,
    bedrock.MoveActorAbsolute: Entities.move,
    bedrock.MoveActorDelta: Entities.move_delta,
    bedrock.MovePlayer: Entities.move_player,
    bedrock.SetActorData: Entities.set_data,
    bedrock.SetActorMotion: Entities.set_motion,
    bedrock.SetActorLink: Entities.set_link,
    bedrock.PlayerList: Entities.list_players,
    bedrock.PlayerLocation: Entities.locate_player,
}
"""The method for each message type; Any: each takes its own."""


@cache
def load_sizes() -> Mapping[str, tuple[float, float]]:
    """Width and height in blocks by type: minecraft-data's tables, baked into ``assets``; reads the file once."""
    lines = resources.files("assets").joinpath("entities.txt").read_text("utf-8").splitlines()
    fields = (line.split() for line in lines if not line.startswith("#"))
    return MappingProxyType({f"minecraft:{name}": (float(width), float(height)) for name, width, height in fields})


def _keys(columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return columns[:, 0] << 32 ^ columns[:, 1] & 0xFFFFFFFF


def _three(vector: npt.NDArray[Any]) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


def _sensible(value: float, usual: float) -> float:
    """A size or scale if it is plausible, else ``usual``."""
    return value if 0.0 < value <= LARGEST_BLOCKS else usual  # False for NaN, too
