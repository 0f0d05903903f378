"""The entities of one host (players, animals, bots, falling blocks), and which of them each client sees.

Rules:
1. A client sees an entity while it has the entity's column (seed 002): the entity is added when both are present, and
   removed when the column or the entity goes. A client does not see its own player.
2. Moves for all clients together are at most ``MOVES_A_TICK`` a tick, in turn; the entity whose move waited longest
   goes first. An entity that has not moved is not sent.
3. Players are on every client's player list while they play.
4. A client that changes dimension has dropped its entities: no removals are sent for them.

Animals move deterministically by the tick number: each walks between points near its home, which follow from world,
animal and the number of the walk. Bots walk in circles and build a wall beside their path, which they remove in the
next round; they serve films and tests of other clients. All of them stand on the present ground and are not shown where
the column is not in memory. They have no AI, no health and no physics.
"""

import hashlib
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import msgspec
import numpy as np

from net.bedrock import (
    AddActor,
    AddPlayer,
    EntityValue,
    ListedPlayer,
    Message,
    MoveActorAbsolute,
    MovePlayer,
    PlayerList,
    PlayerListEntry,
    RemoveActor,
    ValueType,
)
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.server.block_ids import AIR, BlockIdForm
from net.server.building import BlockReplacement
from net.server.dimensions import ServerDimension
from net.server.join_packets import CREATIVE, EYE_HEIGHT
from net.server.player import PlayerPosition
from net.server.sent_chunks import SentChunks
from net.space import BlockPos, ColumnPos

MOVES_A_TICK: Final = 256
"""Of all clients: 0.7 ms (measured: 2.5 us each, since a move is encoded once for all of them)."""
FIRST_ANIMAL: Final = 1 << 20
"""Runtime and unique ids; players have lower ids."""
ANIMALS: Final[Mapping[str, tuple[float, float]]] = {
    "minecraft:pig": (0.9, 0.9),
    "minecraft:sheep": (0.9, 1.3),
    "minecraft:cow": (0.9, 1.3),
    "minecraft:chicken": (0.6, 0.8),
}
"""Width and height in blocks (minecraft-data)."""
FALLING_BLOCK: Final = "minecraft:falling_block"
FALLING_SIZE: Final = 0.98
FALLING_LIFT: Final = 0.49
"""In moves, height of a falling block's position above its feet, as games send it."""
FIRST_BOT: Final = 1 << 21
ROUND_TICKS: Final = 480
BUILD_TICKS: Final = 8
"""Ticks between two blocks that a bot places."""
WALL: Final = ("obsidian", "gold_block", "iron_block")
"""Blocks of a bot's wall, from the bottom up."""
WAY_TICKS: Final = 120
HOME_BLOCKS: Final = 24
WANDER_BLOCKS: Final = 8
KEY_VARIANT, KEY_NAME, KEY_WIDTH, KEY_HEIGHT, KEY_ALWAYS_NAMED = 2, 4, 53, 54, 81
LOOK_TICKS: Final = 4
"""Ticks between two checks of one client for entities that appear or disappear."""
MOST_NAME: Final = 32
LEAST_MOVE: Final = 1 / 64
"""Smaller moves are not sent; blocks and degrees."""

Point = tuple[float, float, float]


class ServerEntity(msgspec.Struct, frozen=True, dict=True):
    """One entity, as it is in one tick: what follows from that is worked out once for all clients."""

    entity_id: int  # runtime and unique id
    type: str  # ``minecraft:player`` or another
    dimension: int  # number of the dimension it is in
    feet: Point
    yaw: float = 0.0
    pitch: float = 0.0
    name: str = ""  # of a player
    uuid: str = ""  # of a player
    block: int = AIR  # local id of a falling block

    @property
    def is_player(self) -> bool:
        return bool(self.uuid)

    @cached_property
    def place(self) -> tuple[float, ...]:
        return (*self.feet, self.yaw, self.pitch)

    @cached_property
    def column(self) -> ColumnPos:
        return BlockPos.containing(*self.feet).column

    @cached_property
    def _moved(self) -> dict[Codec, bytes]:
        return {}

    def added(self, form: BlockIdForm) -> Message:
        """The message that adds it for a client. ``form``: the client's block ids."""
        if self.is_player:
            named = (
                EntityValue(KEY_NAME, ValueType.STRING, self.name),
                EntityValue(KEY_WIDTH, ValueType.FLOAT, 0.6),
                EntityValue(KEY_HEIGHT, ValueType.FLOAT, 1.8),
                EntityValue(KEY_ALWAYS_NAMED, ValueType.BYTE, 1),
            )
            return AddPlayer(
                self.uuid,
                self.name,
                self.entity_id,
                self.entity_id,
                self.feet,
                pitch=self.pitch,
                yaw=self.yaw,
                head_yaw=self.yaw,
                game_mode=CREATIVE,
                metadata=named,
            )
        width, height = ANIMALS.get(self.type, (FALLING_SIZE, FALLING_SIZE))
        shown = [EntityValue(KEY_WIDTH, ValueType.FLOAT, width), EntityValue(KEY_HEIGHT, ValueType.FLOAT, height)]
        if self.type == FALLING_BLOCK:
            block = int(np.uint32(form.runtime_ids[self.block]).astype(np.int32))  # hashes are signed here
            shown.append(EntityValue(KEY_VARIANT, ValueType.INT, block))
        return AddActor(
            self.entity_id,
            self.entity_id,
            self.type,
            self.feet,
            yaw=self.yaw,
            head_yaw=self.yaw,
            body_yaw=self.yaw,
            metadata=tuple(shown),
        )

    def moved(self, codec: Codec) -> bytes:
        """The packet that takes it where it is now, for a client that sees it; encoded once for all clients."""
        packet = self._moved.get(codec)
        if packet is None:
            packet = self._moved[codec] = codec.encode(self._move())
        return packet

    def _move(self) -> Message:
        x, y, z = self.feet
        if self.type == FALLING_BLOCK:
            return MoveActorAbsolute(self.entity_id, (x, y + FALLING_LIFT, z))
        if self.is_player:
            return MovePlayer(self.entity_id, (x, y + EYE_HEIGHT, z), self.pitch, self.yaw, self.yaw)
        return MoveActorAbsolute(self.entity_id, self.feet, self.pitch, self.yaw, self.yaw, flags=1)


def on_list(players: Iterable[ServerEntity]) -> PlayerList:
    """The message that adds players to a client's player list."""
    return PlayerList(
        tuple(PlayerListEntry(player.uuid, ListedPlayer(player.entity_id, player.name)) for player in players)
    )


def off_list(player: ServerEntity) -> PlayerList:
    return PlayerList((PlayerListEntry(player.uuid),))


def player_of(identity: Identity | None, entity_id: int, dimension: int, at: PlayerPosition) -> ServerEntity:
    """A player's entity. Texts from its login are cut to what a packet can hold."""
    said = identity or Identity("", "")
    name = said.display_name.encode(errors="replace").decode()[:MOST_NAME] or f"player {entity_id}"
    try:
        account = str(uuid.UUID(said.uuid))
    except ValueError:
        account = str(uuid.UUID(int=entity_id))
    yaw, pitch = at.look
    return ServerEntity(entity_id, "minecraft:player", dimension, at.feet, yaw, pitch, name, account)


class SeenEntities:
    """The entities that one client sees. ``own``: id of its own player."""

    def __init__(self, own: int) -> None:
        self._own = own
        self._dimension: int | None = None
        self._shown: dict[int, tuple[float, ...]] = {}  # place last sent, by id; the one that waited longest first

    def look(
        self,
        entities: Mapping[int, ServerEntity],
        dimension: int,
        tracking: SentChunks,
        form: BlockIdForm,
        among: Iterable[int] | None = None,
    ) -> Sequence[Message]:
        """The messages for entities that appear or disappear for the client. ``among``: ids to check, None for all."""
        if dimension != self._dimension:
            self._dimension = dimension
            self._shown.clear()
        said: list[Message] = []
        if among is None:
            among = [*self._shown, *(entity_id for entity_id in entities if entity_id not in self._shown)]
        for entity_id in among:
            entity = entities.get(entity_id)
            if entity is None or entity.dimension != dimension or not tracking.has(entity.column):
                if self._shown.pop(entity_id, None) is not None:
                    said.append(RemoveActor(entity_id))
            elif entity_id not in self._shown and entity_id != self._own:
                self._shown[entity_id] = entity.place
                said.append(entity.added(form))
        return said

    def moves(self, entities: Mapping[int, ServerEntity], most: int, codec: Codec) -> Sequence[bytes]:
        """Packets of where what it sees has moved to, ``most`` of it. ``codec``: the client's."""
        said: list[bytes] = []
        for entity_id, place in list(self._shown.items()):
            if len(said) == most:
                break
            entity = entities.get(entity_id)
            if entity is not None and _moved(entity.place, place):
                del self._shown[entity_id]  # moves it to the end, so that all others are sent before it is sent again
                self._shown[entity_id] = entity.place
                said.append(entity.moved(codec))
        return said


def _moved(now: Sequence[float], before: Sequence[float]) -> bool:
    return any(abs(new - old) >= LEAST_MOVE for new, old in zip(now, before, strict=True))


# ---------------------------------------------------------------- animals


def _ground(x: float, z: float, served: ServerDimension) -> int | None:
    """The y above the highest block that stops sight; None if there is none, or the column is not in memory."""
    place = BlockPos.containing(x, 0.0, z)
    snapshot = served.provider.provided(place.column)
    if snapshot is None:
        return None
    for index in range(snapshot.highest, -1, -1):
        levels = np.flatnonzero(served.states.stops_sight[snapshot.stack(index, place.in_subchunk)])
        if len(levels):
            return (served.dimension.floor_section + index << 4) + int(levels[-1]) + 1
    return None


class Animals:
    """The animals of a dimension; see the module. ``count``: number of animals around its start."""

    def __init__(self, served: ServerDimension, count: int) -> None:
        self._served = served
        self._count = count
        self._kinds = tuple(ANIMALS)

    def at(self, tick: int) -> Sequence[ServerEntity]:
        """The animals whose column is in memory."""
        found = []
        for number in range(self._count):
            x, z, yaw = self._level(number, tick)
            y = _ground(x, z, self._served)
            if y is not None:
                kind = self._kinds[number % len(self._kinds)]
                place = (x, float(y), z)
                found.append(ServerEntity(FIRST_ANIMAL + number, kind, self._served.dimension.number, place, yaw))
        return found

    def _level(self, number: int, tick: int) -> tuple[float, float, float]:
        """x, z and yaw."""
        way, done = divmod(tick + number * WAY_TICKS // max(self._count, 1), WAY_TICKS)
        (x0, z0), (x1, z1) = self._point(number, way), self._point(number, way + 1)
        share = min(2.0 * done / WAY_TICKS, 1.0)  # it walks for the first half of the time, and stands for the second
        yaw = math.degrees(math.atan2(x0 - x1, z1 - z0))
        return x0 + share * (x1 - x0), z0 + share * (z1 - z0), yaw

    def _point(self, number: int, way: int) -> tuple[float, float]:
        x, _, z = self._served.world.spawn.feet
        home = _dice(f"{self._served.world.name} home {number}")
        there = _dice(f"{self._served.world.name} way {number} {way}")
        at = [HOME_BLOCKS * one + WANDER_BLOCKS * other for one, other in zip(home, there, strict=True)]
        return x + at[0], z + at[1]


class Bots:
    """Players controlled by the server; see the module. ``count``: number of bots around the start."""

    def __init__(self, served: ServerDimension, count: int) -> None:
        self._served = served
        self._count = count

    def at(self, tick: int) -> Sequence[ServerEntity]:
        """The bots whose column is in memory."""
        found = []
        for number in range(self._count):
            x, z, angle = self._level(number, tick, 0.0)
            y = _ground(x, z, self._served)
            if y is not None:
                account = str(uuid.UUID(int=FIRST_BOT + number))
                yaw, feet = math.degrees(angle) % 360.0, (x, float(y), z)
                dimension, name = self._served.dimension.number, f"bot {number + 1}"
                bot = FIRST_BOT + number
                found.append(ServerEntity(bot, "minecraft:player", dimension, feet, yaw, 10.0, name, account))
        return found

    def edits(self, tick: int) -> Sequence[BlockReplacement]:
        """The blocks that they build in a tick, where the column is in memory."""
        found = []
        for number in range(self._count if tick % BUILD_TICKS == 0 else 0):
            built, height = divmod(tick // BUILD_TICKS, len(WALL))
            x, z, _ = self._level(number, built * BUILD_TICKS * len(WALL), 2.0)
            y = _ground(x, z, self._served)
            if y is None or not self._served.dimension.holds_section(y >> 4):
                continue
            takes_away = tick // ROUND_TICKS % 2
            name = "air" if takes_away else WALL[height]
            there = BlockPos.containing(x, float(y - 1 if takes_away else y), z)
            before = self._served.block(there, 0).name.removeprefix("minecraft:")
            if before in WALL if takes_away else before not in WALL:
                found.append(BlockReplacement(there, 0, self._served.forms.home.named(name, {}), FIRST_BOT + number))
        return found

    def _level(self, number: int, tick: int, beside: float) -> tuple[float, float, float]:
        """x, z and the angle on a bot's circle, ``beside`` blocks outside of it."""
        x, _, z = self._served.world.spawn.feet
        radius = 6.0 + 4.0 * number
        angle = math.tau * (tick % ROUND_TICKS / ROUND_TICKS + number / max(self._count, 1))
        return x + (radius + beside) * math.cos(angle), z + (radius + beside) * math.sin(angle), angle


@lru_cache(256)
def _dice(text: str) -> tuple[float, float]:
    """Two numbers from -1 to 1, from a hash of the text."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    x, z = (int.from_bytes(digest[at : at + 4]) / (1 << 31) - 1.0 for at in (0, 4))
    return x, z
