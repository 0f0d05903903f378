"""Entities (players, animals, items, paintings): how they appear, move, change and disappear.

A runtime id identifies the entity in moves and data, a unique id in removals and links; both are valid for one session.

Positions are feet, except in moves: MovePlayer has eyes, and in MoveActorAbsolute and MoveActorDelta servers send a
height that depends on the type (``client.entities``). A position outside of any world is a fault of its packet.

MoveActorAbsolute: an entity's position. Its angles are a byte each: pitch, yaw, head's yaw (gophertunnel, PocketMine;
minecraft-data names them otherwise).
MoveActorDelta: some of an entity's coordinates and angles, each with its new value. Up to protocol 1001 flags say which
are present; from 2168 on each has a flag of its own.
SetActorData: metadata; keys that it does not contain keep their values.
PlayerLocation: position of a distant player.

Packets 110 and 12 to 41 have the vendor's names, where an entity is an actor.
"""

from typing import Annotated, Any, Final, Self

from net.bedrock.packets.entity_values import (
    ABILITIES,
    ATTRIBUTES,
    ENTITY_LINKS,
    FLOAT_PROPERTIES,
    INT_PROPERTIES,
    ITEM,
    LINK,
    METADATA,
    NEW_FORMS,
    NO_ITEM,
    TURN,
    AbilityLayer,
    EntityAttribute,
    EntityLink,
    EntityProperty,
    EntityValue,
    ItemStack,
)
from net.bedrock.packets.packet import Blocks, Message, Passing, Sender, packet
from net.space import BlockPos, ColumnPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    ANGLE,
    BOOL,
    FARTHEST_BLOCKS,
    I32LE,
    I64LE,
    POSITION,
    STRING,
    U8,
    U16LE,
    UUID,
    UV32,
    UV64,
    VEC3,
    ZZ32,
    ZZ64,
    Dialect,
    Field,
    Kind,
    Values,
    optional,
    wire,
)

__all__ = [
    "AddActor",
    "AddItemActor",
    "AddPainting",
    "AddPlayer",
    "MoveActorAbsolute",
    "MoveActorDelta",
    "PlayerLocation",
    "RemoveActor",
    "SetActorData",
    "SetActorLink",
    "SetActorMotion",
    "TakeItemActor",
]

Vector = tuple[float, float, float]
STILL: Final = (0.0, 0.0, 0.0)


def _column_of(position: Vector) -> tuple[ColumnPos, ...]:
    """The column where an entity appears: a history that drops the column drops the packet."""
    return (BlockPos.containing(*position).column,)


# ---------------------------------------------------------------- what comes


def _read_last_number(reader: Reader) -> int:
    return reader.i32le() if reader.left else 0


LAST_NUMBER: Final = Kind(_read_last_number, Writer.i32le, 0)
"""A number that may be missing at the packet's end."""


@packet(12, Sender.SERVER, blocks=Blocks.NONE)
class AddPlayer(Message, frozen=True):
    """A player appears."""

    uuid: str  # of the account
    name: str  # shown above it
    unique_id: int  # in this session
    runtime_id: int  # in this session
    position: Vector  # feet
    velocity: Vector = STILL  # blocks a tick
    pitch: float = 0.0  # degrees, positive = down
    yaw: float = 0.0  # degrees, 0 = +Z, 90 = -X
    head_yaw: float = 0.0  # degrees
    chat_id: str = ""  # id on its platform
    item: ItemStack = NO_ITEM  # in its hand
    game_mode: int = 0  # 0 survival, 1 creative, 2 adventure; from protocol 503
    metadata: tuple[EntityValue, ...] = ()  # its visible properties
    int_properties: tuple[EntityProperty, ...] = ()  # from protocol 557
    float_properties: tuple[EntityProperty, ...] = ()  # from protocol 557
    flags: int = 0  # bits of its permissions; before protocol 534
    action_permissions: int = 0  # before protocol 534
    custom_permissions: int = 0  # before protocol 534
    user_id: int = 0  # before protocol 534
    permission: int = 1  # 0 visitor, 1 member, 2 operator, 3 custom
    command_permission: int = 0  # 0 normal, 1 operator
    abilities: tuple[AbilityLayer, ...] = ()  # from protocol 534
    links: tuple[EntityLink, ...] = ()  # its riders and its vehicle
    device_id: str = ""  # of its device
    device_os: int = 0  # number of its operating system

    FIELDS = (
        Field("uuid", UUID),
        Field("name", STRING),
        Field("unique_id", ZZ64, until=534),
        Field("runtime_id", UV64),
        Field("chat_id", STRING),
        Field("position", POSITION),
        Field("velocity", VEC3),
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("head_yaw", ANGLE),
        Field("item", ITEM),
        Field("game_mode", ZZ32, since=503),
        Field("metadata", METADATA),
        Field("int_properties", INT_PROPERTIES, since=557),
        Field("float_properties", FLOAT_PROPERTIES, since=557),
        Field("flags", UV32, until=534),
        Field("command_permission", UV32, until=534),
        Field("action_permissions", UV32, until=534),
        Field("permission", UV32, until=534),
        Field("custom_permissions", UV32, until=534),
        Field("user_id", I64LE, until=534),
        Field("unique_id", I64LE, since=534),
        Field("permission", U8, since=534),
        Field("command_permission", U8, since=534),
        Field("abilities", ABILITIES, since=534),
        Field("links", ENTITY_LINKS),
        Field("device_id", STRING),
        Field("device_os", I32LE, until=NEW_FORMS),
        Field("device_os", LAST_NUMBER, since=NEW_FORMS),
    )

    def columns(self) -> tuple[ColumnPos, ...]:
        return _column_of(self.position)


@packet(13, Sender.SERVER, blocks=Blocks.NONE)
class AddActor(Message, frozen=True):
    """An entity appears that is neither a player nor an item nor a painting."""

    unique_id: Annotated[int, ZZ64]  # in this session
    runtime_id: Annotated[int, UV64]  # in this session
    type: Annotated[str, STRING]  # for example ``minecraft:pig``
    position: Annotated[Vector, POSITION]  # feet
    velocity: Annotated[Vector, VEC3] = STILL  # blocks a tick
    pitch: Annotated[float, ANGLE] = 0.0  # degrees, positive = down
    yaw: Annotated[float, ANGLE] = 0.0  # degrees, 0 = +Z, 90 = -X
    head_yaw: Annotated[float, ANGLE] = 0.0  # degrees
    body_yaw: Annotated[float, wire(ANGLE, since=534)] = 0.0  # degrees
    attributes: Annotated[tuple[EntityAttribute, ...], ATTRIBUTES] = ()  # health, speed
    metadata: Annotated[tuple[EntityValue, ...], METADATA] = ()  # its visible properties
    int_properties: Annotated[tuple[EntityProperty, ...], wire(INT_PROPERTIES, since=557)] = ()
    float_properties: Annotated[tuple[EntityProperty, ...], wire(FLOAT_PROPERTIES, since=557)] = ()
    links: Annotated[tuple[EntityLink, ...], ENTITY_LINKS] = ()  # its riders and its vehicle

    def columns(self) -> tuple[ColumnPos, ...]:
        return _column_of(self.position)


@packet(15, Sender.SERVER, blocks=Blocks.NONE)
class AddItemActor(Message, frozen=True):
    """A dropped item appears."""

    unique_id: Annotated[int, ZZ64]  # in this session
    runtime_id: Annotated[int, UV64]  # in this session
    item: Annotated[ItemStack, ITEM]  # the item
    position: Annotated[Vector, POSITION]  # feet
    velocity: Annotated[Vector, VEC3] = STILL  # blocks a tick
    metadata: Annotated[tuple[EntityValue, ...], METADATA] = ()  # its visible properties
    from_fishing: Annotated[bool, BOOL] = False  # whether it was fished

    def columns(self) -> tuple[ColumnPos, ...]:
        return _column_of(self.position)


@packet(22, Sender.SERVER, blocks=Blocks.NONE)
class AddPainting(Message, frozen=True):
    """A painting."""

    unique_id: Annotated[int, ZZ64]  # in this session
    runtime_id: Annotated[int, UV64]  # in this session
    position: Annotated[Vector, POSITION]  # its centre, at the wall
    direction: Annotated[int, ZZ32]  # its front: 0 = +Z, 1 = -X, 2 = -Z, 3 = +X
    title: Annotated[str, STRING]  # name of its motif

    def columns(self) -> tuple[ColumnPos, ...]:
        return _column_of(self.position)


# ---------------------------------------------------------------- what goes


@packet(14, Sender.SERVER, blocks=Blocks.NONE)
class RemoveActor(Message, frozen=True):
    """An entity disappears."""

    unique_id: Annotated[int, ZZ64]  # the entity's


@packet(17, Sender.SERVER, blocks=Blocks.NONE)
class TakeItemActor(Passing, frozen=True):
    """An entity picks up an item; the item's removal follows."""

    item_id: Annotated[int, UV64]  # runtime id of the item
    taker_id: Annotated[int, UV64]  # runtime id of the entity that takes it


# ---------------------------------------------------------------- what moves


@packet(18, Sender.EITHER, blocks=Blocks.NONE, order=("runtime_id", "flags", "position", "pitch", "yaw", "head_yaw"))
class MoveActorAbsolute(Passing, frozen=True):
    """Position and orientation of an entity."""

    runtime_id: Annotated[int, UV64]  # the entity's
    position: Annotated[Vector, POSITION]  # feet, but see above
    pitch: Annotated[float, TURN] = 0.0  # degrees, in steps of 360/256
    yaw: Annotated[float, TURN] = 0.0  # degrees, in steps of 360/256
    head_yaw: Annotated[float, TURN] = 0.0  # degrees, in steps of 360/256
    flags: Annotated[int, U8] = 0  # 1 on the ground, 2 teleported, 4 forced, 8 the last move of a path

    @property
    def teleport(self) -> bool:
        """Whether it moves there at once."""
        return bool(self.flags & 2)


def _read_coordinate(reader: Reader) -> float:
    start = reader.offset
    coordinate = reader.f32le()
    if not abs(coordinate) <= FARTHEST_BLOCKS:  # written so that NaN fails, too
        raise reader.fault(f"{coordinate} is not a coordinate in a world", start)
    return coordinate


COORDINATE: Final = Kind(_read_coordinate, Writer.f32le, 4)
OPTIONAL_COORDINATE: Final = optional(COORDINATE)
OPTIONAL_TURN: Final = optional(TURN)
PARTS: Final = ("x", "y", "z", "pitch", "yaw", "head_yaw")
"""Each has a bit in ``flags``, the first the lowest."""
ON_GROUND, TELEPORT, FORCED = 64, 128, 256


def _flagged(bit: int) -> Any:
    return lambda values: bool(values["flags"] & bit)


@packet(111, Sender.SERVER, blocks=Blocks.NONE)
class MoveActorDelta(Passing, frozen=True):
    """Changed parts of an entity's position and orientation; None: unchanged."""

    runtime_id: int  # the entity's
    x: float | None = None  # feet, but see above; y and z likewise
    y: float | None = None
    z: float | None = None
    pitch: float | None = None  # degrees, in steps of 360/256; both yaws likewise
    yaw: float | None = None
    head_yaw: float | None = None
    on_ground: bool = False  # whether it is on the ground
    teleport: bool = False  # whether it moves there at once; before protocol 2168
    forced: bool = False  # whether it overrides the client's prediction
    forced_local: bool = False  # the same for its rider; from protocol 2168
    last: bool = False  # whether it is the last move of a path; from protocol 2168
    tick: int = 0  # of the simulation; from protocol 2193

    FIELDS = (
        Field("runtime_id", UV64),
        Field("flags", U16LE, until=NEW_FORMS),
        *(Field(name, COORDINATE, until=NEW_FORMS, when=_flagged(1 << at)) for at, name in enumerate(PARTS[:3])),
        *(Field(name, TURN, until=NEW_FORMS, when=_flagged(8 << at)) for at, name in enumerate(PARTS[3:])),
        *(Field(name, OPTIONAL_COORDINATE, since=NEW_FORMS) for name in PARTS[:3]),
        *(Field(name, OPTIONAL_TURN, since=NEW_FORMS) for name in PARTS[3:]),
        Field("on_ground", BOOL, since=NEW_FORMS),
        Field("forced", BOOL, since=NEW_FORMS),
        Field("forced_local", BOOL, since=NEW_FORMS),
        Field("last", BOOL, since=NEW_FORMS),
        Field("tick", UV64, since=2193),
    )

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        flags = values.get("flags")
        if flags is None:
            return cls(**values)
        own = {name: value for name, value in values.items() if name != "flags"}
        on_ground, teleport, forced = (bool(flags & bit) for bit in (ON_GROUND, TELEPORT, FORCED))
        return cls(**own, on_ground=on_ground, teleport=teleport, forced=forced)

    def to_values(self, dialect: Dialect) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in self.FIELDS if field.name != "flags"}
        there = sum(1 << at for at, name in enumerate(PARTS) if values[name] is not None)
        flags = self.on_ground * ON_GROUND | self.teleport * TELEPORT | self.forced * FORCED
        return values | {"flags": there | flags}


# ---------------------------------------------------------------- what changes


@packet(39, Sender.EITHER, blocks=Blocks.NONE)
class SetActorData(Passing, frozen=True):
    """Metadata that changed."""

    runtime_id: Annotated[int, UV64]  # the entity's
    metadata: Annotated[tuple[EntityValue, ...], METADATA]  # what changed
    int_properties: Annotated[tuple[EntityProperty, ...], wire(INT_PROPERTIES, since=557)] = ()
    float_properties: Annotated[tuple[EntityProperty, ...], wire(FLOAT_PROPERTIES, since=557)] = ()
    tick: Annotated[int, UV64] = 0  # of the simulation


@packet(40, Sender.EITHER, blocks=Blocks.NONE)
class SetActorMotion(Passing, frozen=True):
    """An entity's velocity."""

    runtime_id: Annotated[int, UV64]  # the entity's
    velocity: Annotated[Vector, VEC3]  # blocks a tick
    tick: Annotated[int, wire(UV64, since=662)] = 0  # of the simulation


@packet(41, Sender.SERVER, blocks=Blocks.NONE)
class SetActorLink(Passing, frozen=True):
    """An entity mounts or leaves another one."""

    link: Annotated[EntityLink, LINK]  # rider and vehicle


SHOWN, HIDDEN = 0, 1


def _shown(values: Values) -> bool:
    return bool(values["kind"] == SHOWN)


@packet(326, Sender.SERVER, since=800, blocks=Blocks.NONE)
class PlayerLocation(Passing, frozen=True):
    """Position of another player that is too far away to be an entity of this client."""

    unique_id: int  # the player's
    position: Vector | None = None  # feet; None: the player is no longer shown

    FIELDS = (
        Field("kind", I32LE, until=NEW_FORMS),
        Field("unique_id", ZZ64),
        Field("kind", UV32, since=NEW_FORMS),
        Field("unused", ZZ32, since=NEW_FORMS),
        Field("position", POSITION, when=_shown),
    )

    @classmethod
    def from_values(cls, values: Values, _dialect: Dialect) -> Self:
        return cls(values["unique_id"], values.get("position"))

    def to_values(self, _dialect: Dialect) -> dict[str, Any]:
        kind = HIDDEN if self.position is None else SHOWN
        return {"kind": kind, "unique_id": self.unique_id, "unused": 0, "position": self.position}
