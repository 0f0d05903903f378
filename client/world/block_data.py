"""Data of blocks besides their ids: block entities, small values, further layers, cracks, the surface; biomes.

    drop      the blocks of places go, or others come: their data goes
    changing  blocks are about to change: data that does not survive the change ends
    changed   the blocks are written: the surface follows

The parts of the store call these methods where they write blocks; ``Store`` has the methods for packets and readers.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_entities import BlockEntities
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.height_maps import HeightMaps
from client.world.places import PlaceTables
from client.world.slots import PoolBytes
from net.arrays import BlockIds, Places
from net.errors import DecodeError, LimitExceeded
from net.space import BLOCKS_PER_SUBCHUNK
from net.subchunk.biomes import ColumnBiomes, SectionBiomes, read_biomes

MOST: Final = (64 << 20) // BLOCKS_PER_SUBCHUNK

Values = npt.NDArray[np.uint8]  # uint8[4096] in the order of BlockIds

NONE: Final[Values] = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint8)
NO_LAYERS: Final[BlockIds] = np.empty((0, BLOCKS_PER_SUBCHUNK), np.uint16)


class SmallValues:
    """One byte of small data a block, for the few sub-chunks that have any, by place; owned by the store.

    Sub-chunks of versions 0 and 2..7 name a block by ``id << 4 | data``; this keeps the data of every block as it came.
    A block that changes gets the value 0. More than ``most`` sub-chunks (64 MiB) at once are a fault.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._peak = 0
        self._of: dict[int, Values] = {}

    def __len__(self) -> int:
        return len(self._of)

    def take(self, place: int, values: Values) -> LimitExceeded | None:
        """Stores the values of a received sub-chunk; returns the exceeded limit, or None."""
        self._of.pop(place, None)
        if not values.any():
            return None
        if len(self._of) == self._most:
            return LimitExceeded("sub-chunks with small data", self._most + 1, self._most)
        self._of[place] = values.astype(np.uint8)
        self._peak = max(self._peak, len(self._of))
        return None

    def memory(self) -> PoolBytes:
        size = len(self._of) * BLOCKS_PER_SUBCHUNK
        return PoolBytes("small values", size, size, size, self._peak * BLOCKS_PER_SUBCHUNK)

    def of(self, place: int) -> Values:
        """The values of a sub-chunk: uint8[4096], read only."""
        return self._of.get(place, NONE)

    def changed(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Resets the values of changed blocks of the first layer."""
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                if place in self._of:
                    self._of[place][cell] = 0

    def drop(self, places: Places) -> None:
        if self._of:
            for place in places.tolist():
                self._of.pop(place, None)

    def clear(self) -> None:
        self._of.clear()


class FurtherLayers:
    """Dense ids of third and later layers by place, uint16[n, 4096]; owned by the store.

    No game sends any. They are kept as they came, for readers, and never drawn; block changes do not apply to them.
    """

    def __init__(self, most_bytes: int = 64 << 20) -> None:
        self._most_bytes = most_bytes
        self._bytes = self._peak = 0
        self._of: dict[int, BlockIds] = {}

    def __len__(self) -> int:
        return sum(len(layers) for layers in self._of.values())

    def take(self, place: int, layers: BlockIds) -> LimitExceeded | None:
        """Stores the layers of a received sub-chunk; returns the exceeded limit, or None."""
        self._drop(place)
        if self._bytes + layers.nbytes > self._most_bytes:
            return LimitExceeded("bytes of further layers", self._bytes + layers.nbytes, self._most_bytes)
        self._of[place] = layers
        self._bytes += layers.nbytes
        self._peak = max(self._peak, self._bytes)
        return None

    def of(self, place: int) -> BlockIds:
        """The layers of a sub-chunk, lowest first; read only."""
        return self._of.get(place, NO_LAYERS)

    def memory(self) -> PoolBytes:
        return PoolBytes("further layers", self._bytes, self._bytes, self._bytes, self._peak)

    def drop(self, places: Places) -> None:
        if self._of:
            for place in places.tolist():
                self._drop(place)

    def clear(self) -> None:
        self._of.clear()
        self._bytes = 0

    def _drop(self, place: int) -> None:
        before = self._of.pop(place, None)
        self._bytes -= 0 if before is None else before.nbytes


MOST_CRACKS: Final = 4096
FULL_ARGUMENT: Final = 65_535
"""An event's argument is this divided by the ticks until the block breaks."""
TICKS_PER_S: Final = 20


class Cracking(msgspec.Struct, frozen=True):
    """One block that is being broken."""

    done: float  # broken share at ``since_s``, 0..1
    since_s: float  # monotonic seconds
    per_s: float  # share a second

    def progress(self, now: float) -> float:
        """Broken share, 0..1."""
        return min(1.0, self.done + max(0.0, now - self.since_s) * self.per_s)


class Mining:
    """How far blocks are broken, from the server's block-cracking events, by place and cell; owned by the store.

    Progress is computed when it is read. It ends at 1, until the block changes. Beyond ``most`` cracks the oldest is
    dropped, so that a server that never stops any cannot fill the memory.
    """

    def __init__(self, most: int = MOST_CRACKS) -> None:
        self._most = most
        self._of: dict[tuple[int, int], Cracking] = {}

    def clear(self) -> None:
        self._of.clear()

    def __len__(self) -> int:
        return len(self._of)

    def start(self, place: int, cell: int, argument: int, now: float) -> None:
        """Starts the cracks of a block, again from 0. ``argument``: FULL_ARGUMENT / ticks; below 1 they do not grow."""
        key = place, cell
        self._of.pop(key, None)  # so that it becomes the youngest
        if len(self._of) >= self._most:
            del self._of[next(iter(self._of))]
        self._of[key] = Cracking(0.0, now, _share_per_s(argument))

    def update(self, place: int, cell: int, argument: int, now: float) -> None:
        """Changes the speed of a cracking block; starts the cracks of one without a start event."""
        before = self._of.get((place, cell))
        if before is None:
            self.start(place, cell, argument, now)
        else:
            self._of[place, cell] = Cracking(before.progress(now), now, _share_per_s(argument))

    def stop(self, place: int, cell: int) -> None:
        self._of.pop((place, cell), None)

    def ending(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                self.stop(place, cell)

    def drop(self, places: Places) -> None:
        if self._of:
            gone = set(places.tolist())
            for key in [key for key in self._of if key[0] in gone]:
                del self._of[key]

    def at(self, place: int, cell: int) -> Cracking | None:
        return self._of.get((place, cell))

    def progress(self, now: float) -> tuple[Places, npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Places, cells and broken shares, 0..1, of all cracking blocks, [n] each, in no order."""
        keys = np.array(list(self._of), np.int64).reshape(-1, 2)
        shares = np.array([cracking.progress(now) for cracking in self._of.values()], np.float64)
        return keys[:, 0].astype(np.int32), keys[:, 1], shares

    def of(self, place: int) -> dict[int, Cracking]:
        """The cracking blocks of a place by their cells."""
        return {cell: cracking for (at, cell), cracking in self._of.items() if at == place}


def _share_per_s(argument: int) -> float:
    return max(argument, 0) / FULL_ARGUMENT * TICKS_PER_S


Cells = npt.NDArray[np.int64]


class Attachments(msgspec.Struct, frozen=True):
    """The data of blocks in one store, by kind."""

    table: BlockTable
    heights: HeightMaps
    entities: BlockEntities
    small_values: SmallValues
    mining: Mining
    further_layers: FurtherLayers

    @classmethod
    def empty(cls, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> "Attachments":
        return cls(
            table, HeightMaps(table, pools, tables), BlockEntities(tables), SmallValues(), Mining(), FurtherLayers()
        )

    def reset(self) -> None:
        self.heights.reset()
        self.entities.reset()
        self.small_values.clear()
        self.further_layers.clear()
        self.mining.clear()

    def drop(self, places: Places) -> None:
        self.entities.drop(places)
        self.small_values.drop(places)
        self.further_layers.drop(places)
        self.mining.drop(places)

    def changing(self, places: Places, cells: Cells, before: BlockIds, dense: BlockIds) -> None:
        """Prepares a change of blocks of the first layer: [n] place, cell, present dense id and new one."""
        standing = np.flatnonzero(self.entities.stands_at(places, cells))
        if len(standing):
            states = self.table.states
            differ = [
                states[old].name != states[new].name for old, new in zip(before[standing], dense[standing], strict=True)
            ]
            self.entities.ending(places[standing], cells[standing], np.array(differ, np.bool_))
        self.small_values.changed(places, cells)
        self.mining.ending(places, cells)


MOST_BYTES: Final = 128 << 20  # biomes of 10,000 columns take some 30 MiB


class Extras:
    """Biomes by row, as they came, ``MOST_BYTES`` at most (a column takes some hundred bytes); owned by the store."""

    def __init__(self) -> None:
        self._bytes = self._peak = 0
        self._biomes: dict[int, ColumnBiomes] = {}
        self._nothing = ColumnBiomes.nothing()

    def take_biomes(
        self, row: int, tail: bytes, sections: int, inline_count: int | None
    ) -> tuple[int, DecodeError | LimitExceeded | None]:
        """Reads a column's biomes and border bytes; returns (used bytes, fault or None).

        Broken ones count as unknown.
        """
        self.drop_column(row)
        try:
            biomes = read_biomes(tail, sections, inline_count=inline_count)
        except DecodeError as error:
            return 0, error
        size = self._bytes + _size(biomes)
        if size > MOST_BYTES:
            return biomes.end, LimitExceeded("bytes of biomes", size, MOST_BYTES)
        self._biomes[row], self._bytes, self._peak = biomes, size, max(self._peak, size)
        return biomes.end, None

    def section_biomes(self, row: int, section: int) -> SectionBiomes:
        """Biomes of one section, counted from the floor: uint16[4096], UNKNOWN_BIOME where unknown."""
        return self._biomes.get(row, self._nothing).section(section)

    def sources(self, row: int, sections: int) -> npt.NDArray[np.int64]:
        """For each section of a column the section whose storage it uses, from the floor: int64[sections]; -1: none."""
        return self._biomes.get(row, self._nothing).sources(sections)

    def surface_biomes(self, row: int, highest: int) -> npt.NDArray[np.uint16]:
        """Biomes at the top of a section, or of the highest known one: uint16[256] by x << 4 | z."""
        biomes = self._biomes.get(row, self._nothing)
        return biomes.section(min(highest, len(biomes) - 1))[15::16]

    def memory(self) -> PoolBytes:
        return PoolBytes("biomes", self._bytes, self._bytes, self._bytes, self._peak)

    def drop_column(self, row: int) -> None:
        before = self._biomes.pop(row, None)
        self._bytes -= 0 if before is None else _size(before)


def _size(biomes: ColumnBiomes) -> int:
    return biomes.buffer.nbytes + biomes.rows.nbytes + biomes.palette.nbytes
