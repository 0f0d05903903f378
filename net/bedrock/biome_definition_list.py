"""BiomeDefinitionList: what biomes exist. Real clients want one; what ours says is read by ``biome_definitions``.

One compound of network NBT before protocol 800, from then on a list of definitions and a list of the strings in them.
It is not read here, so that a list of another form is told and never a packet that does not decode.
"""

from typing import Any, Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import REST, Field
from net.wire.profile import Dialect

EMPTY_COMPOUND: Final = b"\x0a\x00\x00"
EMPTY_LISTS: Final = b"\x00\x00"


@frozen
class BiomeDefinitionList:
    """Biomes.

    Attributes:
        content: the packet's body, not decoded; None is written as one without biomes.
    """

    content: bytes | None = None


def _split(message: BiomeDefinitionList, dialect: Dialect) -> dict[str, Any]:
    empty = EMPTY_LISTS if dialect.protocol >= 800 else EMPTY_COMPOUND
    return {"content": empty if message.content is None else message.content}


PACKET = Packet(122, BiomeDefinitionList, (Field("content", REST),), split=_split)
