"""BiomeDefinitionList: what biomes exist. A viewer needs only to skip it, real clients to receive it."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import REST, Field


@dataclass(frozen=True, slots=True)
class BiomeDefinitionList:
    """Biomes as one compound.

    Attributes:
        nbt: a root of network NBT, not decoded; the default is the empty one.
    """

    nbt: bytes = b"\x0a\x00\x00"


PACKET = Packet(
    122,
    BiomeDefinitionList,
    (Field("nbt", REST),),
)
