"""What a BiomeDefinitionList says of names and numbers; apart from the packet, so that a broken list is no lost packet.

Rules:
1. Before protocol 800 it is one compound of network NBT by name; a biome has a number there only in ``id``.
2. From 800 on it is a list of definitions, then a list of strings; a definition's name is a place in the latter.
3. No number, or 65535, means the usual one of that name.
4. A list that does not end where its packet does was not understood: DecodeError.

Sources: npm minecraft-data, gophertunnel 1.59.0; recordings of servers of 486, 527, 748, 975 and 2168.
"""

from functools import cache
from typing import Any, Final

from net.bedrock.biome_rules import RULES, octets
from net.frozen import frozen
from net.nbt import NETWORK, read_root
from net.wire.fields import STRING, U16LE, UV32, Field, Kind, Record, listed, optional
from net.wire.profile import Dialect, Profile
from net.wire.reader import Reader

LISTS_FIRST: Final = 800
NO_NUMBER: Final = 65535
PACKET_NAME: Final = "BiomeDefinitionList"


@frozen
class BiomeDefinition:
    """One biome.

    Attributes:
        name: as the server writes it, with or without ``minecraft:``.
        number: what stands for it in columns; None: the usual one of its name.
    """

    name: str
    number: int | None = None


def read_biome_definitions(content: bytes, protocol: int) -> tuple[BiomeDefinition, ...]:
    """The biomes of a BiomeDefinitionList.

    Args:
        content: the packet's body.
        protocol: whose form it has.

    Raises:
        DecodeError: for bytes that are no such list, for a name beyond the strings, for bytes behind the list.
        LimitExceeded: for a list that says more than a packet may.
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
"""Name's place among the strings, number; of its climate, tags and rules nothing is kept."""


@cache
def _lists(protocol: int) -> tuple[Kind[tuple[tuple[int, int | None], ...]], Kind[tuple[str, ...]]]:
    dialect = Dialect(protocol, Profile.BEDROCK)
    return listed(DEFINITION.kind, UV32).of(dialect), listed(STRING, UV32)
