"""Movement and actions of players (wire.md 2.5, 2.6).

MovePlayer: a player's position, in either direction. Positions are eyes: feet + 1.62. Whether a teleport's cause is
present follows from the mode before protocol 2168, and from a bool of its own from there on.

PlayerAuthInput: the player's input, each tick, where the server controls movement.
1. Flags are bits of one number here; from protocol 2168 the wire lists the numbers of those that are set.
2. The use of an item and block actions are read and written; item stack requests and vehicles are neither: a viewer has
   none. Fields after those are not read (sources differ on the order of vehicles and block actions).

CorrectPlayerMovePrediction: the server moves the player, or its vehicle, back.
PlayerAction: an action of the player; here only "dimension change done".
Respawn: the respawn exchange.

SetPlayerGameType: another game mode for the player.
SetSpawnPosition: spawn point of the world or the player.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated, Any, Final, NamedTuple, Self

import msgspec

from net.bedrock.packets.inventory import ITEM_USE, ItemUse
from net.bedrock.packets.packet import Blocks, Message, Sender, packet
from net.space import BlockPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    ANGLE,
    BLOCK_POS,
    BOOL,
    F32LE,
    I32LE,
    POSITION,
    SIGNED_BLOCK_POS,
    U8,
    UV32,
    UV64,
    UV128,
    VEC2,
    VEC3,
    ZZ32,
    Dialect,
    Field,
    Kind,
    Values,
    by_dialect,
    listed,
    optional,
    record,
    wire,
)

__all__ = [
    "BlockAction",
    "CorrectPlayerMovePrediction",
    "MoveMode",
    "MovePlayer",
    "PlayerAction",
    "PlayerAuthInput",
    "Respawn",
    "SetPlayerGameType",
    "SetSpawnPosition",
]


class MoveMode(IntEnum):
    """Meaning of the position."""

    NORMAL = 0  # it moved
    RESET = 1  # the server resets it
    TELEPORT = 2  # the server teleports it, with a cause
    ROTATION = 3  # only its direction changes


def _has_cause(values: Values) -> bool:
    return bool(values.get("has_cause", values["mode"] == MoveMode.TELEPORT))


@packet(19, Sender.EITHER, blocks=Blocks.NONE)
class MovePlayer(Message, frozen=True):
    """Position and orientation of one player."""

    runtime_id: int  # the player's
    position: tuple[float, float, float]  # eyes
    pitch: float  # degrees, positive = down
    yaw: float  # degrees, 0 = +Z, 90 = -X
    head_yaw: float  # degrees
    mode: int = MoveMode.NORMAL  # a MoveMode
    on_ground: bool = False  # whether it is on the ground
    ridden_id: int = 0  # runtime id of its vehicle, 0 for none
    cause: int = 0  # of a teleport; mode TELEPORT only
    entity_type: int = 0  # that caused a teleport; mode TELEPORT only
    tick: int = 0  # of the simulation

    FIELDS = (
        Field("runtime_id", UV64),
        Field("position", POSITION),
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("head_yaw", ANGLE),
        Field("mode", U8),
        Field("on_ground", BOOL),
        Field("ridden_id", UV64),
        Field("has_cause", BOOL, since=2168),
        Field("cause", I32LE, when=_has_cause),
        Field("entity_type", I32LE, when=_has_cause),
        Field("tick", UV64),
    )

    @property
    def has_cause(self) -> bool:
        """Whether the wire form has a cause."""
        return self.mode == MoveMode.TELEPORT

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        return cls(**{name: value for name, value in values.items() if name != "has_cause"})


PLAY_MODE_REALITY: Final = 4
FLAGS: Final = 128
"""Limit; no release has more."""
USES_ITEM: Final = 1 << 34
REQUESTS_STACK: Final = 1 << 35
ACTS_ON_BLOCKS: Final = 1 << 36
IN_VEHICLE: Final = 1 << 45
ACTIONS: Final = USES_ITEM | REQUESTS_STACK | ACTS_ON_BLOCKS | IN_VEHICLE
"""Flags of the parts between ``delta`` and the fields after it."""
PLACED_ACTIONS: Final = (0, 1, 18, 26, 27)
"""Block actions that contain a position before protocol 2168; from there on all do."""
NOWHERE: Final = BlockPos(0, 0, 0)


def _is_placed(values: Values) -> bool:
    return values["action"] in PLACED_ACTIONS


class BlockAction(msgspec.Struct, frozen=True):
    """An action on one block."""

    # 0 starts breaking, 1 aborts, 2 stops, 13 creative break, 18 cracks, 26 finishes, 27 continues
    action: Annotated[int, ZZ32]
    # absolute
    position: Annotated[
        BlockPos, wire(SIGNED_BLOCK_POS, until=2168, when=_is_placed), wire(SIGNED_BLOCK_POS, since=2168)
    ] = NOWHERE
    face: Annotated[int, wire(ZZ32, until=2168, when=_is_placed), wire(ZZ32, since=2168)] = 0  # of the block


PLACED: Final = record(BlockAction)
BLOCK_ACTIONS: Final = by_dialect(lambda d: listed(PLACED, UV32 if d.protocol >= 2168 else ZZ32).of(d))


def _read_numbers(reader: Reader) -> int:
    flags = 0
    for number in NUMBERS.read(reader):
        if 0 <= number < FLAGS:  # others are of an unknown release
            flags |= 1 << number
    return flags


def _write_numbers(writer: Writer, flags: int) -> None:
    NUMBERS.write(writer, tuple(number for number in range(FLAGS) if flags >> number & 1))


def _read_optional_numbers(reader: Reader) -> int:
    return _read_numbers(reader) if reader.boolean() else 0


def _write_optional_numbers(writer: Writer, flags: int) -> None:
    writer.boolean(True)
    _write_numbers(writer, flags)


class Parts(NamedTuple):
    """The parts after ``delta`` from protocol 2168 on."""

    use: ItemUse | None = None
    actions: tuple[BlockAction, ...] = ()
    whole: bool = True  # whether the fields after them were read


def _parts(dialect: Dialect) -> Kind[Parts]:
    """Five parts; each is ``opt``, with another bool before it until protocol 2193."""
    marked = dialect.protocol < 2193
    item_use, actions = ITEM_USE.of(dialect), BLOCK_ACTIONS.of(dialect)

    def there(reader: Reader) -> bool:
        return (not marked or reader.boolean()) and reader.boolean()

    def read(reader: Reader) -> Parts:
        use = item_use.read(reader) if there(reader) else None
        if there(reader):  # an item stack request
            return Parts(use, whole=False)
        acted = actions.read(reader) if there(reader) else ()
        if there(reader):
            reader.vec2()
        if there(reader):
            reader.zz64()
        return Parts(use, acted)

    def mark(writer: Writer, present: bool) -> None:
        if marked:
            writer.boolean(True)
        writer.boolean(present)

    def write(writer: Writer, parts: Parts) -> None:
        mark(writer, parts.use is not None)
        if parts.use is not None:
            item_use.write(writer, parts.use)
        mark(writer, False)
        mark(writer, bool(parts.actions))
        if parts.actions:
            actions.write(writer, parts.actions)
        mark(writer, False)
        mark(writer, False)

    return Kind(read, write, 5)


def _has(flag: int, but: int = 0) -> Callable[[Values], bool]:
    return lambda values: bool(values["flags"] & flag) and not values["flags"] & but


def _readable(values: Values) -> bool:
    parts = values.get("parts")
    return bool(parts.whole if parts is not None else not values["flags"] & (REQUESTS_STACK | IN_VEHICLE))


NUMBERS = listed(ZZ32, UV32)


@packet(144, Sender.CLIENT)
class PlayerAuthInput(Message, frozen=True):
    """One tick of one player."""

    pitch: float  # degrees, positive = down
    yaw: float  # degrees, 0 = +Z, 90 = -X
    position: tuple[float, float, float]  # eyes
    move: tuple[float, float]  # (sideways, forward), each -1..1
    head_yaw: float  # degrees
    # bits: 6 jumping, 8 sneaking, 10 up, 11 down, 12 left, 13 right, 16 want up, 17 want down, 37 a teleport
    # was taken (567), 42 and 43 flying starts and stops (618)
    flags: int = 0
    input_mode: int = 1  # 1 = mouse
    play_mode: int = 0  # 0 = normal; 4 adds ``gaze``
    gaze: tuple[float, float, float] = (0.0, 0.0, 0.0)  # direction, play mode 4 and before protocol 748 only
    tick: int = 0  # counted from the session's first tick
    delta: tuple[float, float, float] = (0.0, 0.0, 0.0)  # movement since the previous tick, in blocks
    interaction: int = 1  # 0 touch, 1 crosshair, 2 classic; from protocol 527
    interact: tuple[float, float] = (0.0, 0.0)  # (pitch, yaw) of the pointer, degrees; from protocol 748
    analogue_move: tuple[float, float] = (0.0, 0.0)  # as ``move``, not rounded; from protocol 575
    camera: tuple[float, float, float] = (0.0, 0.0, 0.0)  # direction of sight; from protocol 748
    raw_move: tuple[float, float] = (0.0, 0.0)  # as ``move``, unprocessed; from protocol 766
    use: ItemUse | None = None  # of an item
    actions: tuple[BlockAction, ...] = ()  # on blocks

    FIELDS = (
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("position", POSITION),
        Field("move", VEC2),
        Field("head_yaw", ANGLE),
        Field("flags", UV64, until=766),
        Field("flags", UV128, since=766, until=2168),
        Field("flags", Kind(_read_optional_numbers, _write_optional_numbers), since=2168, until=2193),
        Field("flags", Kind(_read_numbers, _write_numbers), since=2193),
        Field("input_mode", UV32),
        Field("play_mode", UV32),
        Field("interaction", ZZ32, since=527),
        Field("gaze", VEC3, until=748, when=lambda v: v["play_mode"] == PLAY_MODE_REALITY),
        Field("interact", VEC2, since=748),
        Field("tick", UV64),
        Field("delta", VEC3),
        Field("use", ITEM_USE, until=2168, when=_has(USES_ITEM)),
        Field("actions", BLOCK_ACTIONS, until=2168, when=_has(ACTS_ON_BLOCKS, REQUESTS_STACK | IN_VEHICLE)),
        Field("parts", by_dialect(_parts), since=2168),
        Field("analogue_move", VEC2, since=575, when=_readable),
        Field("camera", VEC3, since=748, when=_readable),
        Field("raw_move", VEC2, since=766, when=_readable),
    )

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        own = {name: value for name, value in values.items() if name != "parts"}
        if (parts := values.get("parts")) is not None:
            own |= {"use": parts.use, "actions": parts.actions}
        return cls(**own)

    def to_values(self, dialect: Dialect) -> dict[str, Any]:
        """The values by wire field; the flags of parts follow from which parts are present."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        if dialect.protocol < 2168:
            values["flags"] &= ~ACTIONS
        values["flags"] |= (USES_ITEM if self.use else 0) | (ACTS_ON_BLOCKS if self.actions else 0)
        return values | ({"parts": Parts(self.use, self.actions)} if dialect.protocol >= 2168 else {})


VEHICLE = 1
ANGULAR_VELOCITY = optional(F32LE)


def _of_vehicle(values: Values) -> bool:
    return bool(values["kind"] == VEHICLE)


@packet(161, Sender.SERVER, order=("kind", "position", "delta", "rotation", "angular_velocity", "on_ground", "tick"))
class CorrectPlayerMovePrediction(Message, frozen=True):
    """The server corrects the client's predicted position."""

    position: Annotated[tuple[float, float, float], POSITION]  # eyes
    delta: Annotated[tuple[float, float, float], VEC3]  # movement at that tick
    on_ground: Annotated[bool, BOOL]  # at that tick
    tick: Annotated[int, UV64]  # the corrected tick
    kind: Annotated[int, wire(U8, since=671)] = 0  # 0 the player, 1 the vehicle
    # (pitch, yaw) in degrees; of the vehicle from protocol 671, of either from 827
    rotation: Annotated[
        tuple[float, float], wire(VEC2, since=671, until=827, when=_of_vehicle), wire(VEC2, since=827)
    ] = (0.0, 0.0)
    # of the vehicle
    angular_velocity: Annotated[
        float | None,
        wire(ANGULAR_VELOCITY, since=712, until=827, when=_of_vehicle),
        wire(ANGULAR_VELOCITY, since=827),
    ] = None


@packet(36, Sender.EITHER, order=("runtime_id", "action", "position", "result_position", "face"))
class PlayerAction(Message, frozen=True):
    """An action of the player."""

    runtime_id: Annotated[int, UV64]  # the player's
    action: Annotated[int, ZZ32]  # 14 = dimension change done
    position: Annotated[BlockPos, BLOCK_POS] = NOWHERE  # of the block concerned
    face: Annotated[int, ZZ32] = 0  # of that block
    result_position: Annotated[BlockPos, wire(BLOCK_POS, since=527)] = NOWHERE  # of the resulting block


@packet(45, Sender.EITHER)
class Respawn(Message, frozen=True):
    """A step of the respawn exchange."""

    position: Annotated[tuple[float, float, float], POSITION]  # eyes
    state: Annotated[int, U8]  # 0 searching, 1 ready to spawn (answer with 2), 2 client ready
    runtime_id: Annotated[int, UV64]  # the player's


@packet(62, Sender.EITHER)
class SetPlayerGameType(Message, frozen=True):
    """The player's new game mode."""

    game_mode: Annotated[int, ZZ32]  # 0 survival, 1 creative, 2 adventure, 5 default, 6 spectator


@packet(43, Sender.SERVER)
class SetSpawnPosition(Message, frozen=True):
    """A spawn point."""

    kind: Annotated[int, ZZ32]  # 0 the player's, 1 the world's
    player_position: Annotated[BlockPos, BLOCK_POS]  # where the player spawns
    dimension: Annotated[int, ZZ32]  # of the spawn
    world_position: Annotated[BlockPos, BLOCK_POS]  # where the world spawns
