"""How much a peer may make us hold. Every bound of the packet layer stands here.

A length that runs over the end of its packet is a DecodeError, so the bounds below are about what fits into a packet
and still costs too much.
"""

from typing import Final

from net.errors import LimitExceeded

INFLATED_BATCH_BYTES: Final = 64 << 20
"""A batch after inflation (wire.md 5.3)."""
PACKETS_PER_BATCH: Final = 8192
"""A real server packs some hundred; a bomb packs one packet a byte."""
NBT_DEPTH: Final = 128
"""Compounds and lists inside each other. Real ones nest a dozen deep; the reader takes up to three Python frames a
level, and must stay below the interpreter's limit of a thousand."""
NBT_TAGS: Final = 1 << 18
"""Values in one root: the largest real one (a creative inventory) holds some ten thousand."""
PACKET_BYTES: Final = 16 << 20
"""One packet. The largest real ones, a server's items or creative inventory, take a few megabytes."""
OBJECTS_BYTES: Final = 64 << 20
"""What the values of one packet's lists and NBT may cost as objects: 7 bytes of a changed block become 260."""
ELEMENT_BYTES: Final = 384
"""Counted for an element of a list, beside its bytes. Measured: 40 to 270."""
NBT_VALUE_BYTES: Final = 160
"""Counted for a value of NBT, beside its bytes. Measured: 60 to 150."""
TOKEN_BYTES: Final = 8 << 20
"""A login's chain and client token; real ones with a large skin stay under 400 kB."""


def check_limit(what: str, value: int, limit: int) -> None:
    """Raises LimitExceeded if ``value`` is over ``limit``."""
    if value > limit:
        raise LimitExceeded(what, value, limit)
