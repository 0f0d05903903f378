"""ItemRegistry: what items exist, from protocol 776 on; before, StartGame says it (wire.md 2).

A list by uv32 of name, i16le number, whether it is a server's own, zz32 version, and an NBT compound. A viewer needs
only to skip what may be a megabyte, real clients to receive it.
"""

from typing import Any, Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import REST, Field
from net.wire.profile import Dialect

NO_ITEMS: Final = b"\x00"
FIRST_PROTOCOL: Final = 776
"""The number 162 meant another packet before."""


@frozen
class ItemRegistry:
    """Items.

    Attributes:
        content: the packet's body, not decoded; None is written as one without items.
    """

    content: bytes | None = None


def _split(message: ItemRegistry, _dialect: Dialect) -> dict[str, Any]:
    return {"content": NO_ITEMS if message.content is None else message.content}


PACKET = Packet(162, ItemRegistry, (Field("content", REST),), split=_split, since=FIRST_PROTOCOL)
