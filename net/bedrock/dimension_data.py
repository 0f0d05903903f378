"""DimensionData: vertical ranges of dimensions that differ from the usual ones (wire.md 2.5)."""

from typing import Any

from net.bedrock.packet import Packet
from net.bedrock.releases import DIMENSION_DATA, DIMENSIONS_NUMBERED
from net.frozen import frozen
from net.wire.fields import STRING, UUID, UV32, ZZ32, Field, Record, listed

NO_PACK = "00000000-0000-0000-0000-000000000000"


@frozen
class DimensionDefinition:
    """One dimension.

    Attributes:
        identifier: ``minecraft:overworld`` for example.
        low: y of the lowest block.
        high: y above the highest block.
        generator: 1 overworld, 2 flat, 3 nether, 4 end, 5 void.
        kind: the dimension's number; from protocol 975.
        pack_id: of the pack that defines it; from protocol 2168.
        default_biome: its name; from protocol 2193.
    """

    identifier: str
    low: int
    high: int
    generator: int = 1
    kind: int = 0
    pack_id: str = NO_PACK
    default_biome: str = ""

    @property
    def height(self) -> int:
        """Blocks from the lowest to the highest: what the wire says from protocol 2193 on."""
        return self.high - self.low


@frozen
class DimensionData:
    """Sent before StartGame by servers with dimensions of their own.

    Attributes:
        definitions: those that differ.
    """

    definitions: tuple[DimensionDefinition, ...]


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

PACKET = Packet(180, DimensionData, (Field("definitions", DEFINITIONS),), since=DIMENSION_DATA)
