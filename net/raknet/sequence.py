"""24-bit sequence numbers as whole numbers.

The wire counts datagrams, reliable frames and order modulo 2**24. Inside, everything is a plain integer that never
wraps, so that comparing is ``<``: a short number means the whole one nearest to what is expected.
"""

from typing import Final

MASK: Final = 0xFFFFFF
_HALF: Final = 0x800000


def extend(short: int, near: int) -> int:
    """The whole number with these low 24 bits that is nearest to ``near``; below 0 it is older than the session."""
    ahead = (short - near) & MASK
    return near + ahead - (MASK + 1 if ahead >= _HALF else 0)
