"""Block entities as NBT, for example the items of a chest and the text of a sign.

Rules:
1. A block has at most one, which never outlives it: a block of another name, new blocks of its sub-chunk, a placeholder
   or an eviction end it. Another state of the same block (a chest that turns) keeps it.
2. One for a place whose blocks may yet come waits for them, and then replaces the one that came with them. A change of
   its block in the meantime ends it.
3. One that does not decode, or lies outside the sub-chunk or column that it came with, is dropped as a fault. After
   broken NBT the rest is lost, since the start of the next one is unknown.
4. They are kept as bytes by place and cell and decoded when read: 10 us each (measured), and most are never read.
5. All together take at most ``most_bytes``, with ``EACH_BYTES`` for each besides its content; more is a fault.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.places import PlaceTables
from client.world.reports import EntryFault
from client.world.slots import PoolBytes
from net.arrays import Places
from net.errors import DecodeError, LimitExceeded
from net.space import BLOCKS_PER_SUBCHUNK, BlockPos, SubChunkPos, coordinates
from net.subchunk.block_entities import Compound, FoundEntity, find_entities, read_entity, write_entity

MOST_BYTES: Final = 128 << 20
EACH_BYTES: Final = 200
"""About what Python takes for one, its key and its bytes object."""

Cells = npt.NDArray[np.int64]
Content = dict[int, dict[int, bytes]]


class BlockEntities:
    """Block entities by place and cell; owned by the store."""

    def __init__(self, tables: PlaceTables, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._peak = 0
        self.tables = tables  # has the positions of places
        self.reset()

    def reset(self) -> None:
        self.used_bytes = 0  # of all, as rule 5 counts
        self._standing: Content = {}
        self._waiting: Content = {}

    # ------------------------------------------------------------ received

    def take(self, place: int, data: bytes) -> tuple[EntryFault, ...]:
        """Stores those of a sub-chunk, whose older ones were dropped before."""
        return self._take(place, place + 1, data, "SubChunk")

    def take_column(self, row: int, data: bytes) -> tuple[EntryFault, ...]:
        low = row * self.tables.sections
        return self._take(low, low + self.tables.sections, data, "LevelChunk")

    def put(self, place: int, cell: int, compound: Compound) -> tuple[EntryFault, ...]:
        """Stores one from a packet, for a place that shows blocks."""
        return self._keep(self._standing, place, cell, write_entity(compound))

    def hold(self, place: int, cell: int, compound: Compound) -> tuple[EntryFault, ...]:
        """Stores one from a packet, for a place whose blocks may yet come."""
        return self._keep(self._waiting, place, cell, write_entity(compound))

    def release(self, places: Places) -> None:
        """Moves waiting ones to their blocks, which came; waiting block changes were applied before."""
        if not self._waiting:
            return
        for place in places.tolist():
            for cell, content in self._remove(self._waiting, place).items():
                self._keep(self._standing, place, cell, content)

    def ending(self, places: Places, cells: Cells, names_differ: npt.NDArray[np.bool_]) -> None:
        """Ends those of blocks of the first layer that change their name, not only their state: [n] each."""
        if self._standing:
            for place, cell in zip(places[names_differ].tolist(), cells[names_differ].tolist(), strict=True):
                self._remove_one(self._standing, place, cell)

    def ending_unseen(self, places: Places, cells: Cells) -> None:
        """Ends waiting ones at blocks that change before their sub-chunk came: the change is newer."""
        if self._waiting:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                self._remove_one(self._waiting, place, cell)

    def drop(self, places: Places) -> None:
        """Drops those of places whose blocks go or are replaced."""
        self._drop(self._standing, places)

    def drop_waiting(self, places: Places) -> None:
        """Drops waiting ones of places for which no blocks will come."""
        self._drop(self._waiting, places)

    # ------------------------------------------------------------ read

    def __len__(self) -> int:
        return sum(map(len, self._standing.values()))

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def memory(self) -> PoolBytes:
        return PoolBytes("block entities", self.used_bytes, self.used_bytes, self.used_bytes, self._peak)

    def at(self, place: int, cell: int) -> Compound | None:
        content = self._standing.get(place, {}).get(cell)
        return None if content is None else read_entity(content)

    def of(self, places: Places) -> list[Compound]:
        found: list[Compound] = []
        for place in places.tolist():
            found += [read_entity(content) for _, content in sorted(self._standing.get(place, {}).items())]
        return found

    def stands_at(self, places: Places, cells: Cells) -> npt.NDArray[np.bool_]:
        """Which of these blocks have one: bool[n]."""
        if not self._standing:
            return np.zeros(len(places), np.bool_)
        pairs = zip(places.tolist(), cells.tolist(), strict=True)
        return np.array([cell in self._standing.get(place, ()) for place, cell in pairs], np.bool_)

    # ------------------------------------------------------------ internal

    def _take(self, first: int, end: int, data: bytes, packet: str) -> tuple[EntryFault, ...]:
        """Stores those that came for places ``first`` to ``end``, exclusive."""
        if not data:
            return ()
        where = self.tables.position_of(first)
        found = find_entities(data, (end - first) * BLOCKS_PER_SUBCHUNK, packet)
        faults: list[DecodeError | LimitExceeded] = [] if found.fault is None else [found.fault]
        astray: list[tuple[int, FoundEntity]] = []
        for number, entity in enumerate(found.entities):
            place = self._place_of(where, entity.position)
            if entity.position is None or not first <= place < end:
                astray.append((number, entity))
            elif (fault := self._put(self._standing, place, entity.position.in_subchunk, entity.content)) is not None:
                faults.append(fault)
                break
        if astray:
            faults.append(_astray(packet, astray))
        return tuple(EntryFault(where, fault) for fault in faults)

    def _place_of(self, where: SubChunkPos, position: BlockPos | None) -> int:
        """The place of a position, -1 if it lies in another column than ``where``."""
        if position is None or position.column != where.column:
            return -1
        return self.tables.place_of(position.subchunk)

    def _keep(self, content: Content, place: int, cell: int, data: bytes) -> tuple[EntryFault, ...]:
        fault = self._put(content, place, cell, data)
        return () if fault is None else (EntryFault(self.tables.position_of(place), fault),)

    def _put(self, content: Content, place: int, cell: int, data: bytes) -> LimitExceeded | None:
        self._remove_one(content, place, cell)
        if self.used_bytes + _size(data) > self._most_bytes:
            return LimitExceeded("bytes of block entities", self.used_bytes + _size(data), self._most_bytes)
        self.used_bytes += _size(data)
        self._peak = max(self._peak, self.used_bytes)
        content.setdefault(place, {})[cell] = data
        return None

    def _drop(self, content: Content, places: Places) -> None:
        if content:
            for place in places.tolist():
                self._remove(content, place)

    def _remove(self, content: Content, place: int) -> dict[int, bytes]:
        removed = content.pop(place, {})
        self.used_bytes -= sum(map(_size, removed.values()))
        return removed

    def _remove_one(self, content: Content, place: int, cell: int) -> None:
        mine = content.get(place, {})
        data = mine.pop(cell, None)
        if data is not None:
            self.used_bytes -= _size(data)
            if not mine:
                del content[place]


def _size(content: bytes) -> int:
    return len(content) + EACH_BYTES


def _astray(packet: str, entities: list[tuple[int, FoundEntity]]) -> DecodeError:
    """One fault for all that lie outside: a packet could hold thousands."""
    number, first = entities[0]
    said = (
        "has no position"
        if first.position is None
        else f"lies at block {coordinates(first.position)}, outside the terrain it came with"
    )
    others = f", and {len(entities) - 1} others do, too" if len(entities) > 1 else ""
    return DecodeError(packet, f"entities[{number}]", first.start, said + others)
