"""CreativeContent: the creative inventory. A viewer needs only to skip it, real clients to receive it.

A list of items before protocol 776, from then on a list of groups and one of items.
"""

from typing import Any, Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import REST, Field
from net.wire.profile import Dialect

NO_ITEMS: Final = b"\x00"
NO_GROUPS_NO_ITEMS: Final = b"\x00\x00"


@frozen
class CreativeContent:
    """Items.

    Attributes:
        content: the packet's body, not decoded; None is written as one without items.
    """

    content: bytes | None = None


def _split(message: CreativeContent, dialect: Dialect) -> dict[str, Any]:
    empty = NO_GROUPS_NO_ITEMS if dialect.protocol >= 776 else NO_ITEMS
    return {"content": empty if message.content is None else message.content}


PACKET = Packet(145, CreativeContent, (Field("content", REST),), split=_split)
