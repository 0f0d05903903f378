"""Block entities: NBT compounds after a sub-chunk's terrain, concatenated to the end (wire.md 2.3).

Each contains its position, in absolute blocks: ``x``, ``y``, ``z``.

World folders keep a column's compounds concatenated, in the disk's NBT; they are returned as a client gets them, as
roots of the network's NBT.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from net.errors import DecodeError, LimitExceeded
from net.nbt import DISK, NETWORK, Compound, encode_root, read_root
from net.space import BlockPos, ColumnPos, coordinates
from net.wire.cursor import Reader

__all__ = ["Compound"]


class FoundEntity(NamedTuple):
    """One block entity."""

    position: BlockPos | None  # absolute, None if it has none
    start: int  # of its first byte, from the first entity's
    content: bytes  # its bytes, a whole root of the network's flavour


class FoundEntities(msgspec.Struct, frozen=True):
    """The entities before the first fault, and that fault; entities after it cannot be found."""

    entities: tuple[FoundEntity, ...]
    fault: DecodeError | LimitExceeded | None


def read_entity(content: bytes) -> Compound:
    """One block entity, as ``find_entities`` returned its bytes."""
    return read_root(Reader(content, "SubChunk"), NETWORK)


def find_entities(data: bytes, most: int, packet: str = "SubChunk") -> FoundEntities:
    """The positions of the block entities of ``data``, up to the first invalid one; ``most``: largest number."""
    reader = Reader(data, packet)
    found: list[FoundEntity] = []
    while reader.left:
        if len(found) == most:
            return FoundEntities(tuple(found), LimitExceeded("block entities", most + 1, most))
        start = reader.offset
        reader.field = f"entities[{len(found)}]"
        try:
            root = read_root(reader, NETWORK)
        except (DecodeError, LimitExceeded) as error:
            return FoundEntities(tuple(found), error)
        found.append(FoundEntity(position_of(root), start, bytes(data[start : reader.offset])))
    return FoundEntities(tuple(found), None)


def write_entity(compound: Compound) -> bytes:
    """One block entity as ``read_entity`` reads it."""
    return encode_root(compound, NETWORK)


def position_of(root: Compound) -> BlockPos | None:
    """The position that an entity contains; None if it has none."""
    x, y, z = (root.get(axis) for axis in "xyz")
    if not (isinstance(x, int) and isinstance(y, int) and isinstance(z, int)):
        return None
    return BlockPos(x, y, z)


def read_saved_entities(data: bytes, column: ColumnPos, report: Callable[[str], None]) -> dict[BlockPos, bytes]:
    """A column's block entities; of two at one position the later.

    ``data``: the value under key 49. ``report``: called with a sentence if one is invalid, since those after it cannot
    be found, and if some have no position in the column.
    """
    where = f"column {coordinates(column)}"
    reader = Reader(data, where)
    found: dict[BlockPos, bytes] = {}
    astray = number = 0
    while reader.left:
        reader.field = f"block entities[{number}]"
        try:
            root = read_root(reader, DISK)
        except (DecodeError, LimitExceeded) as error:
            report(f"{error}; it and the block entities after it are omitted.")
            break
        number += 1
        position = position_of(root)
        if position is None or position.column != column:
            astray += 1
        else:
            found[position] = write_entity(root)
    if astray:
        report(f"{where}: {astray} of {number} block entities have no position in it and are omitted.")
    return found
