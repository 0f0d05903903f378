"""Block entities as world folders keep them: a column's compounds one after the other, in the disk's NBT.

Each says by itself where it is (``entities``). They are given as a client is sent them: a root of the network's NBT.
"""

from collections.abc import Callable

from net.errors import DecodeError, LimitExceeded
from net.nbt import DISK, read_root
from net.space.positions import BlockPos, ColumnPos
from net.subchunk.entities import position_of, write_entity
from net.wire.reader import Reader


def read_saved_entities(data: bytes, column: ColumnPos, tell: Callable[[str], None]) -> dict[BlockPos, bytes]:
    """A column's block entities; of two at one place the later.

    Args:
        data: the value under key 49.
        column: whose.
        tell: given a sentence where one makes no sense, since nothing behind it can be found, and one where some say
            no place in the column.
    """
    where = f"column {column.x} {column.z}"
    reader = Reader(data, where)
    found: dict[BlockPos, bytes] = {}
    astray = number = 0
    while reader.left:
        reader.field = f"block entities[{number}]"
        try:
            root = read_root(reader, DISK)
        except (DecodeError, LimitExceeded) as error:
            tell(f"{error}; it and what lies behind it are left out.")
            break
        number += 1
        position = position_of(root)
        if position is None or position.column != column:
            astray += 1
        else:
            found[position] = write_entity(root)
    if astray:
        tell(f"{where}: {astray} of {number} block entities say no place in it and are left out.")
    return found
