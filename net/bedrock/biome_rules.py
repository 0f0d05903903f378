"""How a biome is generated, as BiomeDefinitionList says it from protocol 800 on. Stepped over: nobody here generates.

Servers that let clients generate far terrain themselves send it with each biome, and where the next biome begins is
known only behind it. So its form stands here, without its meaning: ``octets`` are numbers and bools of fixed length.

Sources: npm minecraft-data (800 to 2193) and gophertunnel 1.59.0 (2168), which agree; no capture of a server holds it.
"""

from typing import Final

from net.wire.fields import (
    STRING,
    U32LE,
    UV32,
    ZZ32,
    Field,
    Kind,
    Values,
    by_dialect,
    decode_fields,
    encode_fields,
    listed,
    optional,
    select,
)
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer


def octets(count: int) -> Kind[bytes]:
    """So many bytes, kept as they are."""
    return Kind(lambda reader: reader.take(count), Writer.raw, count)


def structure(*fields: Field) -> Kind[Values]:
    """Fields in order, of each dialect its own."""

    def settle(dialect: Dialect) -> Kind[Values]:
        chosen = select(fields, dialect)

        def read(reader: Reader) -> Values:
            name, reader.field = reader.field, reader.field + "."
            values = decode_fields(chosen, reader)
            reader.field = name
            return values

        def write(writer: Writer, values: Values) -> None:
            name, writer.field = writer.field, writer.field + "."
            encode_fields(chosen, writer, values)
            writer.field = name

        return Kind(read, write, sum(field.kind.least_bytes for field in chosen))

    return by_dialect(settle)


WEIGHTS: Final = listed(octets(6), UV32)
"""Of i16 biome and u32 weight."""
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
"""All that a definition says of its generation."""
