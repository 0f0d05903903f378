"""Where in its sub-chunk an eye is, as far as a walk can tell: all eyes of one sector walk alike.

Theory. What a walk asks of an eye inside of a sub-chunk is which of two axes a sub-chunk's middle is farther on:
``|16 d + u|`` against ``|16 e + v|``, with whole numbers of sub-chunks d and e, and u and v from -8 to 8, the way from
the eye to the middle of its own. Where ``|d|`` and ``|e|`` differ they decide (both are as far only where u or v is 8);
where they are equal, u and v do, as they are or with their signs turned. So a walk goes by their signs and by the order
of their sizes alone: nine planes through the middle of the sub-chunk part it into sectors, and an eye that moves
straight on crosses one every few blocks, not in each frame.

A sector is told by one of its eyes, the same for all of it, and walks begin there: so equal sectors give equal walks,
to the last place. Its numbers are whole. What is rounded on the way to it may only make two lengths equal, and a pair
of faces is dropped where one is larger.
"""

from math import copysign
from typing import NamedTuple

from net.space.dimensions import Dimension
from net.space.positions import ColumnPos

Blocks = tuple[float, float, float]
MIDDLE = 8.0


class Sector(NamedTuple):
    """Eyes from which walks are the same.

    Attributes:
        column: that holds them.
        section: y of their sub-chunk, in sub-chunks; of a far one, above or below the dimension, just outside of it.
        within: where walks begin, in blocks from the lowest corner of that sub-chunk.
    """

    column: ColumnPos
    section: int
    within: Blocks


def sector_of(eye: Blocks, dimension: Dimension) -> Sector:
    """The sector of an eye, in blocks; above and below the dimension each eye has its own."""
    x, y, z = eye
    column, section = ColumnPos(int(x // 16), int(z // 16)), int(y // 16)
    if not dimension.holds_section(section):
        section = max(dimension.floor_section - 1, min(dimension.roof_section, section))
        return Sector(column, section, (x - column.x * 16, y - section * 16, z - column.z * 16))
    ways = column.x * 16 + MIDDLE - x, section * 16 + MIDDLE - y, column.z * 16 + MIDDLE - z
    ranks = sorted({0.0, *map(abs, ways)})
    a, b, c = (MIDDLE - copysign(MIDDLE if abs(way) == MIDDLE else ranks.index(abs(way)), way) for way in ways)
    return Sector(column, section, (a, b, c))
