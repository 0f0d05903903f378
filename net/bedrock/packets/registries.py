"""The entities, items, biomes and dimensions that exist. A viewer skips most of it; real clients need it.

AvailableEntityIdentifiers: the entities.

CreativeContent: the creative inventory. Before protocol 776 a list of items, from then on a list of groups and one of
items.
ItemRegistry: the items, from protocol 776 on; before, StartGame has them (wire.md 2). A list by uv32 of name, i16le
number, whether the server defines it, zz32 version, and an NBT compound. It may be a megabyte.

BiomeDefinitionList: the biomes, kept undecoded, so that a list of unknown form can be reported and does not make the
packet fail; ``read_biome_definitions`` decodes it:
1. Before protocol 800 it is one compound of network NBT by name; only ``id`` gives a biome's number.
2. From 800 on it is a list of definitions, then a list of strings; a definition's name is an index into the latter.
3. No number, or 65535, means the usual number of that name.
4. A list that does not end where its packet ends was not understood: DecodeError.

Biome rules: how a biome is generated, from protocol 800 on. Servers that let clients generate far terrain send them
with each biome, and the next biome starts after them. So their form is described here to skip them, without their
meaning: ``octets`` are numbers and bools of fixed length. No capture of a server has them.

Sources: npm minecraft-data (800 to 2193), gophertunnel 1.59.0; recordings of servers of 486, 527, 748, 975 and 2168.

DimensionData: vertical ranges of dimensions that differ from the usual ones (wire.md 2.5).
"""

from functools import cache
from typing import Annotated, Any, Final

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.nbt import NETWORK, read_root
from net.releases import DIMENSION_DATA, DIMENSIONS_NUMBERED
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    NO_UUID,
    REST,
    STRING,
    U16LE,
    U32LE,
    UUID,
    UV32,
    ZZ32,
    Dialect,
    Field,
    Kind,
    Profile,
    Record,
    listed,
    optional,
)

__all__ = [
    "AvailableEntityIdentifiers",
    "BiomeDefinitionList",
    "CreativeContent",
    "DimensionData",
    "DimensionDefinition",
    "ItemRegistry",
]


@packet(119, Sender.SERVER)
class AvailableEntityIdentifiers(Message, frozen=True):
    """All entities as one compound."""

    nbt: Annotated[bytes, REST] = b"\x0a\x00\x00"  # a root of network NBT, not decoded; the default is the empty one


NO_ITEMS: Final = b"\x00"
NO_GROUPS_NO_ITEMS: Final = b"\x00\x00"


@packet(145, Sender.SERVER)
class CreativeContent(Message, frozen=True):
    """The creative inventory."""

    content: Annotated[bytes | None, REST] = None  # the packet's body, not decoded; None is written as an empty list

    def to_values(self, dialect: Dialect) -> dict[str, Any]:
        empty = NO_GROUPS_NO_ITEMS if dialect.protocol >= 776 else NO_ITEMS
        return {"content": empty if self.content is None else self.content}


FIRST_PROTOCOL: Final = 776
"""The number 162 was another packet before this protocol."""


@packet(162, Sender.SERVER, since=FIRST_PROTOCOL)
class ItemRegistry(Message, frozen=True):
    """The item types."""

    content: Annotated[bytes | None, REST] = None  # the packet's body, not decoded; None is written as an empty list

    def to_values(self, _dialect: Dialect) -> dict[str, Any]:
        return {"content": NO_ITEMS if self.content is None else self.content}


EMPTY_COMPOUND: Final = b"\x0a\x00\x00"
EMPTY_LISTS: Final = b"\x00\x00"


@packet(122, Sender.SERVER)
class BiomeDefinitionList(Message, frozen=True):
    """The biomes."""

    content: Annotated[bytes | None, REST] = None  # the packet's body, not decoded; None is written as an empty list

    def to_values(self, dialect: Dialect) -> dict[str, Any]:
        empty = EMPTY_LISTS if dialect.protocol >= 800 else EMPTY_COMPOUND
        return {"content": empty if self.content is None else self.content}


def octets(count: int) -> Kind[bytes]:
    """A number of bytes, kept unchanged."""
    return Kind(lambda reader: reader.take(count), Writer.raw, count)


def structure(*fields: Field) -> Kind[dict[str, Any]]:
    """Fields in order, as values by name."""
    return Record(dict[str, Any], fields).kind


WEIGHTS: Final = listed(octets(6), UV32)
"""Pairs of i16 biome and u32 weight."""
CONDITIONAL: Final = listed(structure(Field("biomes", WEIGHTS), Field("condition", octets(6))), UV32)
COORDINATE: Final = structure(
    Field("low_kind", ZZ32),
    Field("low", octets(2)),
    Field("high_kind", ZZ32),
    Field("high_and_grid", octets(10)),
    Field("distribution", ZZ32),
)
FEATURE: Final = structure(
    Field("coordinates", listed(COORDINATE, UV32)),
    Field("order", ZZ32),
    Field("chance_kind", ZZ32),
    Field("chance", octets(10)),
    Field("iterations_kind", ZZ32),
    Field("iterations_and_names", octets(9)),
)
ADJUSTMENT: Final = structure(
    Field("noise", octets(12)),
    Field("low_kind", ZZ32),
    Field("low", octets(2)),
    Field("high_kind", ZZ32),
    Field("high_and_materials", octets(26)),
)
CAPPED: Final = structure(
    Field("floor", listed(octets(4), UV32)),
    Field("ceiling", listed(octets(4), UV32)),
    Field("sea", optional(U32LE)),
    Field("foundation", optional(U32LE)),
    Field("beach", optional(U32LE)),
)
OVERWORLD: Final = structure(
    *(Field(name, WEIGHTS) for name in ("hills", "mutations", "rivers", "shores")),
    Field("hill_edges", CONDITIONAL),
    Field("shore_edges", CONDITIONAL),
    Field("climates", listed(structure(Field("temperature", ZZ32), Field("weight", U32LE)), UV32)),
)
REPLACEMENT: Final = structure(
    Field("biome_and_dimension", octets(4)), Field("targets", listed(octets(2), UV32)), Field("noise", octets(12))
)
GRADIENT: Final = structure(
    Field("kept", listed(octets(4), UV32)),
    Field("blocks", listed(octets(4), UV32), until=1001),
    Field("blocks", listed(structure(Field("noise", STRING), Field("where", octets(16))), UV32), since=1001),
    Field("seed", STRING),
    Field("first_octave", U32LE),
    Field("amplitudes", listed(octets(4), UV32)),
)
SURFACE: Final = (
    Field("materials", optional(octets(24))),
    Field("plain_surface", octets(1), since=844),
    Field("swamp_frozen_end", octets(3)),
    Field("mesa", optional(octets(10))),
    Field("capped", optional(CAPPED)),
)
BUILDER: Final = structure(*SURFACE, Field("gradient", optional(GRADIENT)))


def _until_975(field: Field) -> Field:
    return Field(field.name, field.kind, field.since, 975)


RULES: Final = structure(
    Field("climate", optional(octets(32)), until=844),
    Field("climate", optional(octets(16)), since=844),
    Field("features", optional(listed(FEATURE, UV32))),
    Field("mountains", optional(octets(9))),
    Field("adjustments", optional(listed(ADJUSTMENT, UV32))),
    *(_until_975(field) for field in SURFACE),
    Field("overworld", optional(OVERWORLD)),
    Field("multi_noise", optional(octets(20))),
    Field("legacy", optional(CONDITIONAL)),
    Field("replacements", optional(listed(REPLACEMENT, UV32)), since=859),
    Field("village", optional(octets(1)), since=924),
    Field("surface_builder", optional(BUILDER), since=975),
    Field("subsurface_builder", optional(BUILDER), since=975),
)
"""All of a definition's generation rules."""

LISTS_FIRST: Final = 800
NO_NUMBER: Final = 65535
PACKET_NAME: Final = "BiomeDefinitionList"


class BiomeDefinition(msgspec.Struct, frozen=True):
    """One biome."""

    name: str  # as the server writes it, with or without ``minecraft:``
    number: int | None = None  # its number in columns; None: the usual one of its name


def read_biome_definitions(content: bytes, protocol: int) -> tuple[BiomeDefinition, ...]:
    """The biomes of a BiomeDefinitionList; ``content`` is the packet's body.

    Raises DecodeError: it is not such a list, a name's index is beyond the strings, or bytes follow the list;
    LimitExceeded: the list is longer than a packet may hold.
    """
    reader = Reader(content, PACKET_NAME)
    biomes = _listed(reader, protocol) if protocol >= LISTS_FIRST else _compound(reader)
    if reader.left:
        reader.field = "end"
        raise reader.fault(f"{reader.left} bytes follow")
    return biomes


def _compound(reader: Reader) -> tuple[BiomeDefinition, ...]:
    reader.field = "content"
    return tuple(BiomeDefinition(name, _own(said)) for name, said in read_root(reader, NETWORK).items())


def _own(said: object) -> int | None:
    number = said.get("id") if isinstance(said, dict) else None
    return number if isinstance(number, int) and 0 <= number < NO_NUMBER else None


def _listed(reader: Reader, protocol: int) -> tuple[BiomeDefinition, ...]:
    definitions, strings = _lists(protocol)
    reader.field = "definitions"
    rows = definitions.read(reader)
    reader.field = "strings"
    names = strings.read(reader)
    for index, (at, _) in enumerate(rows):
        if at >= len(names):
            reader.field = f"definitions[{index}].name"
            raise reader.fault(f"is string {at} of {len(names)}")
    return tuple(BiomeDefinition(names[at], None if number == NO_NUMBER else number) for at, number in rows)


def _row(name: int, number: int | None, **_rest: Any) -> tuple[int, int | None]:
    return name, number


DEFINITION: Final = Record(
    _row,
    (
        Field("name", U16LE),
        Field("number", optional(U16LE), until=827),
        Field("number", U16LE, since=827),
        Field("climate", octets(32), until=844),
        Field("climate", octets(20), since=844),
        Field("map_water_and_rain", octets(5)),
        Field("tags", optional(listed(octets(2), UV32))),
        Field("rules", optional(RULES)),
    ),
)
"""The name's index among the strings, and the number; climate, tags and rules are dropped."""


@cache
def _lists(protocol: int) -> tuple[Kind[tuple[tuple[int, int | None], ...]], Kind[tuple[str, ...]]]:
    dialect = Dialect(protocol, Profile.BEDROCK)
    return listed(DEFINITION.kind, UV32).of(dialect), listed(STRING, UV32)


class DimensionDefinition(msgspec.Struct, frozen=True):
    """One dimension."""

    identifier: str  # ``minecraft:overworld`` for example
    low: int  # of the lowest block
    high: int  # above the highest block
    generator: int = 1  # 1 overworld, 2 flat, 3 nether, 4 end, 5 void
    kind: int = 0  # the dimension's number; from protocol 975
    pack_id: str = NO_UUID  # of the pack that defines it; from protocol 2168
    default_biome: str = ""  # its name; from protocol 2193

    @property
    def height(self) -> int:
        """Number of blocks from the lowest to the highest: the wire has this from protocol 2193 on."""
        return self.high - self.low


def _definition(**values: Any) -> DimensionDefinition:
    height = values.pop("height", None)
    if height is not None:
        values["high"] = values["low"] + height
    return DimensionDefinition(**values)


DEFINITIONS = listed(
    Record(
        _definition,
        (
            Field("identifier", STRING),
            Field("high", ZZ32, until=2193),
            Field("low", ZZ32),
            Field("height", ZZ32, since=2193),
            Field("generator", ZZ32),
            Field("kind", ZZ32, since=DIMENSIONS_NUMBERED),
            Field("pack_id", UUID, since=2168),
            Field("default_biome", STRING, since=2193),
        ),
    ).kind,
    UV32,
)


@packet(180, Sender.SERVER, since=DIMENSION_DATA)
class DimensionData(Message, frozen=True):
    """Sent before StartGame by servers with dimensions of other ranges."""

    definitions: Annotated[tuple[DimensionDefinition, ...], DEFINITIONS]  # those that differ
