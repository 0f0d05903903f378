"""LevelEventGeneric: an event that needs more than a number: explosions of many blocks, sculk, vibrations.

Its content is NBT without the compound around it; ``originX``, ``originY`` and ``originZ`` stand for a position. No
event known says a runtime id. The sources disagree on the number's form: gophertunnel has a zigzag varint, as all
other event numbers are, minecraft-data an unsigned one.
"""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import REST, ZZ32, Field


@frozen
class LevelEventGeneric:
    """One event.

    Attributes:
        event: its number.
        tags: named NBT values of the network's flavour, one after the other.
    """

    event: int
    tags: bytes = b""


PACKET = Packet(
    124,
    LevelEventGeneric,
    (
        Field("event", ZZ32),
        Field("tags", REST),
    ),
)
