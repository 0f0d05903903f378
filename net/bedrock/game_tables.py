"""Tables of a server's own that StartGame brings: its blocks and, before protocol 776, its items."""

from dataclasses import field
from typing import Final

from net.frozen import frozen
from net.nbt import ROOT, Compound
from net.wire.fields import BOOL, I16LE, STRING, UV32, Field, Record, listed


@frozen
class CustomBlock:
    """A block of the server's own. It takes part in the sorting of the palette (wire.md 6.1).

    Attributes:
        name: with its namespace.
        nbt: its properties and components.
    """

    name: str
    nbt: Compound = field(default_factory=dict)


@frozen
class ItemType:
    """An entry of the item table.

    Attributes:
        name: with its namespace.
        number: runtime id.
        component_based: whether it is a server's own.
    """

    name: str
    number: int
    component_based: bool = False


CUSTOM_BLOCKS: Final = listed(Record(CustomBlock, (Field("name", STRING), Field("nbt", ROOT))).kind, UV32)
ITEMS: Final = listed(
    Record(ItemType, (Field("name", STRING), Field("number", I16LE), Field("component_based", BOOL))).kind, UV32
)
