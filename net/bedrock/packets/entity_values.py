"""Parts of entity packets: metadata, properties, items, links, abilities, angles.

Metadata, the visible properties of an entity by key: a list by uv32 of {uv32 key, uv32 type, value}; from protocol 2168
on the type's number is repeated as a byte.
1. A key is a number; ``client.entities.metadata`` has their names. An unknown key has a value like any other.
2. An unknown type has no known length, so it is a fault of its packet; so is a list beyond ``MOST_VALUES``.

Items: one form before protocol 2168, in which number 0 ends the item; from there on another, which is always complete.
Further data of an item (names, enchantments) is not decoded.

Sources: npm minecraft-data 3.117.0, gophertunnel, PocketMine-MP.
"""

from typing import Annotated, Any, Final, NamedTuple

import msgspec

from net.nbt import ROOT
from net.wire.cursor import Reader, Writer, check_limit
from net.wire.fields import (
    BOOL,
    F32LE,
    I8,
    I16LE,
    SIGNED_BLOCK_POS,
    STRING,
    U8,
    U16LE,
    U32LE,
    UV32,
    VEC3,
    ZZ32,
    ZZ64,
    Dialect,
    Field,
    Kind,
    Record,
    by_dialect,
    listed,
    record,
    wire,
)

__all__ = ["AbilityLayer", "EntityAttribute", "EntityLink", "EntityProperty", "EntityValue", "ItemStack", "ValueType"]

NEW_FORMS: Final = 2168
"""From here on items, metadata and skins have another form."""

# ---------------------------------------------------------------- metadata


class ValueType:
    """Types of values, by number."""

    BYTE = 0
    SHORT = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    COMPOUND = 5
    BLOCK = 6
    LONG = 7
    VECTOR = 8


VALUE_KINDS: Final[tuple[Kind[Any], ...]] = (I8, I16LE, ZZ32, F32LE, STRING, ROOT, SIGNED_BLOCK_POS, ZZ64, VEC3)
"""By type."""
MOST_VALUES: Final = 1024
"""No release has more than 150 keys."""


class EntityValue(NamedTuple):
    """One value of an entity's metadata."""

    key: int  # its meaning
    type: int  # a number of ``ValueType``
    value: Any  # an int, a float, a text, a compound, a block's position or three floats


def _metadata(dialect: Dialect) -> Kind[tuple[EntityValue, ...]]:
    twice = dialect.protocol >= NEW_FORMS

    def read(reader: Reader) -> tuple[EntityValue, ...]:
        name = reader.field
        count = reader.count(Reader.uv32, 4 if twice else 3)
        check_limit("values of metadata", count, MOST_VALUES)
        reader.charge(count)
        values = []
        for index in range(count):
            reader.field = f"{name}[{index}]"
            key, kind = reader.uv32(), reader.uv32()
            if kind >= len(VALUE_KINDS):
                raise reader.fault(f"is of the unknown type {kind}")
            if twice:
                reader.u8()
            values.append(EntityValue(key, kind, VALUE_KINDS[kind].read(reader)))
        reader.field = name
        return tuple(values)

    def write(writer: Writer, values: tuple[EntityValue, ...]) -> None:
        writer.uv32(len(values))
        for key, kind, value in values:
            writer.uv32(key)
            writer.uv32(kind)
            if twice:
                writer.u8(kind)
            VALUE_KINDS[kind].write(writer, value)

    return Kind(read, write)


METADATA: Final = by_dialect(_metadata)


class EntityProperty(NamedTuple):
    """One property of an entity that the server defines."""

    number: int  # its index in the server's list
    value: float  # an integer or a float


INT_PROPERTIES: Final = listed(Record(EntityProperty, (Field("number", UV32), Field("value", ZZ32))).kind, UV32)
FLOAT_PROPERTIES: Final = listed(Record(EntityProperty, (Field("number", UV32), Field("value", F32LE))).kind, UV32)

# ---------------------------------------------------------------- items

NOTHING_ELSE: Final = bytes(10)
"""No compound, no blocks that it can be placed on or destroy."""


class ItemStack(msgspec.Struct, frozen=True):
    """A number of items of one type."""

    number: int = 0  # of the item's type in this session; 0: nothing
    count: int = 0  # how many
    metadata: int = 0  # damage, or the variant of old items
    stack_id: int | None = None  # of the stack in the server's inventory
    block: int = 0  # runtime id of the block that it places; 0 for none
    extra: bytes = NOTHING_ELSE  # further data, not decoded


NO_ITEM: Final = ItemStack(extra=b"")
"""Without item types from the server, gophertunnel reads further bytes as those of a shield."""


def _read_old_item(reader: Reader) -> ItemStack:
    number = reader.zz32()
    if number == 0:
        return NO_ITEM
    count, metadata = reader.u16le(), reader.uv32()
    stack_id = reader.zz32() if reader.u8() else None
    return ItemStack(number, count, metadata, stack_id, reader.zz32(), reader.byte_string())


def _write_old_item(writer: Writer, item: ItemStack) -> None:
    writer.zz32(item.number)
    if item.number:
        writer.u16le(item.count)
        writer.uv32(item.metadata)
        writer.boolean(item.stack_id is not None)
        if item.stack_id is not None:
            writer.zz32(item.stack_id)
        writer.zz32(item.block)
        writer.byte_string(item.extra)


def whole_item(*, kinded: bool) -> Kind[ItemStack]:
    """An item that is always complete. ``kinded``: whether a kind comes before the stack's id."""

    def read(reader: Reader) -> ItemStack:
        number, count, metadata, stack_id = reader.i16le(), reader.u16le(), reader.uv32(), None
        if reader.boolean():
            if kinded:
                reader.uv32()
            stack_id = reader.zz32()
        block = reader.uv32()
        block = block - (1 << 32) if block >> 31 else block
        return ItemStack(number, count, metadata, stack_id, block, reader.byte_string())

    def write(writer: Writer, item: ItemStack) -> None:
        writer.i16le(item.number)
        writer.u16le(item.count)
        writer.uv32(item.metadata)
        writer.boolean(item.stack_id is not None)
        if item.stack_id is not None:
            if kinded:
                writer.uv32(0)
            writer.zz32(item.stack_id)
        writer.uv32(item.block & 0xFFFFFFFF)
        writer.byte_string(item.extra)

    return Kind(read, write, 8)


OLD_ITEM: Final = Kind(_read_old_item, _write_old_item)
NEW_ITEM: Final = whole_item(kinded=False)
ITEM: Final = by_dialect(lambda dialect: NEW_ITEM if dialect.protocol >= NEW_FORMS else OLD_ITEM)

# ---------------------------------------------------------------- links, attributes, abilities


class EntityLink(msgspec.Struct, frozen=True):
    """A rider on a vehicle."""

    ridden_id: Annotated[int, ZZ64]  # vehicle's unique id
    rider_id: Annotated[int, ZZ64]  # unique id
    kind: Annotated[int, U8]  # 0 removed, 1 the rider steers, 2 it is a passenger
    immediate: Annotated[bool, BOOL] = False  # without the movement to the vehicle
    by_rider: Annotated[bool, BOOL] = False  # whether the rider initiated it
    angular_velocity: Annotated[float, wire(F32LE, since=712)] = 0.0  # of the vehicle


LINK: Final = record(EntityLink)
ENTITY_LINKS: Final = listed(LINK, UV32)


class EntityAttribute(msgspec.Struct, frozen=True):
    """Health, speed and the like."""

    name: Annotated[str, STRING]  # for example ``minecraft:health``
    least: Annotated[float, F32LE]  # lowest possible value
    value: Annotated[float, F32LE]  # present value
    most: Annotated[float, F32LE]  # highest possible value


ATTRIBUTES: Final = listed(record(EntityAttribute), UV32)


class AbilityLayer(msgspec.Struct, frozen=True):
    """Abilities of a player, from one source."""

    kind: Annotated[int, U16LE] = 1  # 1: the player's usual abilities
    allowed: Annotated[int, U32LE] = 0  # bits of the abilities that this layer defines
    enabled: Annotated[int, U32LE] = 0  # those of them that the player has
    fly_speed: Annotated[float, F32LE] = 0.05  # blocks a tick
    vertical_fly_speed: Annotated[float, wire(F32LE, since=776)] = 1.0
    walk_speed: Annotated[float, F32LE] = 0.1  # blocks a tick


ABILITIES: Final = listed(record(AbilityLayer), U8)

# ---------------------------------------------------------------- angles

STEPS: Final = 256
"""Steps of a full turn, in a byte."""


def _read_turn(reader: Reader) -> float:
    return reader.u8() * 360.0 / STEPS


def _write_turn(writer: Writer, degrees: float) -> None:
    writer.u8(round(degrees * STEPS / 360.0) % STEPS)


TURN: Final = Kind(_read_turn, _write_turn)
"""Degrees in a byte, 0 to 358.6."""
