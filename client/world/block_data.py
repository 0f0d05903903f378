"""What blocks have besides their ids, kept where the blocks are: block entities, small values, cracks, the surface.

    drop      the blocks of places go, or others come: all of theirs goes
    changing  blocks are about to change: what may not outlive them ends
    changed   they are written: the surface follows
    close     nothing is going to come for places: what waited for their blocks goes

The rooms of the store call these where they write blocks; ``store`` is told by packets and asked by others.

Small values: One byte of small data a block, for the few sub-chunks that have any.

Sub-chunks of versions 0 and 2..7 name a block by ``id << 4 | data``; its block state keeps both as ``legacy_id`` and
``legacy_data`` where it is unknown, and this keeps the data as it came, whatever state the id is mapped to. Newer
versions have none: states say all.

Rules:
1. Memory is there with the sub-chunk that needs it; where all values are 0 there is none.
2. A block that changes has the value 0.

Limit: ``MOST`` sub-chunks at once, 64 MiB; what is more is a fault.

Mining: How far blocks are broken by somebody who digs at them, as the server's block-cracking events tell.

    start   a block begins to crack at some speed       update  the speed changes, what is broken stays
    stop    the digger gives up                         ending  the block changes, or its sub-chunk goes

Rules:
1. By place and cell, as block entities; one a block.
2. Progress is computed when somebody asks: nothing runs while blocks crack. It ends at 1, until the block changes.
3. At most ``MOST`` at once; beyond it the one that began first is dropped and counted, so that a server which starts
   and never stops cannot fill the memory.

Kept as they came: a column's are a few hundred bytes. At most ``MOST_BYTES`` are kept, so that a server cannot fill the
memory with them; what is more is a fault.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_entities import BlockEntities
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.height_maps import HeightMaps, HeightVerdict
from client.world.places import PlaceTables
from client.world.slots import PoolBytes
from net.errors import DecodeError, LimitExceeded
from net.space import BLOCKS_PER_SUBCHUNK, BlockIds, Places
from net.subchunk.biomes import ColumnBiomes, SectionBiomes, read_biomes

MOST: Final = (64 << 20) // BLOCKS_PER_SUBCHUNK

Values = npt.NDArray[np.uint8]
"""[4096] in the order of BlockIds."""

NONE: Final[Values] = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint8)
NO_LAYERS: Final[BlockIds] = np.empty((0, BLOCKS_PER_SUBCHUNK), np.uint16)


class SmallValues:
    """By place; owned by the store."""

    def __init__(self, most: int = MOST) -> None:
        """None yet, and at most so many sub-chunks of them."""
        self._most = most
        self._peak = 0
        self._of: dict[int, Values] = {}

    def __len__(self) -> int:
        """Sub-chunks that have any."""
        return len(self._of)

    def take(self, place: int, values: Values) -> LimitExceeded | None:
        """The values of a sub-chunk that came; says why they could not be kept."""
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
        """The values of a sub-chunk: uint8[4096], not to be written."""
        return self._of.get(place, NONE)

    def changed(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Blocks of the first layer changed."""
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                if place in self._of:
                    self._of[place][cell] = 0

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
        if self._of:
            for place in places.tolist():
                self._of.pop(place, None)

    def clear(self) -> None:
        self._of.clear()


class FurtherLayers:
    """Dense ids of third and later layers by place, uint16[n, 4096]; owned by the store.

    No game sends any. They are kept as they came, for whoever asks, and never drawn; changes of blocks do not reach
    them. ``most_bytes``: of all together.
    """

    def __init__(self, most_bytes: int = 64 << 20) -> None:
        self._most_bytes = most_bytes
        self._bytes = self._peak = 0
        self._of: dict[int, BlockIds] = {}

    def __len__(self) -> int:
        return sum(len(layers) for layers in self._of.values())

    def take(self, place: int, layers: BlockIds) -> LimitExceeded | None:
        """The layers of a sub-chunk that came; says why they could not be kept."""
        self._drop(place)
        if self._bytes + layers.nbytes > self._most_bytes:
            return LimitExceeded("bytes of further layers", self._bytes + layers.nbytes, self._most_bytes)
        self._of[place] = layers
        self._bytes += layers.nbytes
        self._peak = max(self._peak, self._bytes)
        return None

    def of(self, place: int) -> BlockIds:
        """The layers of a sub-chunk, lowest first; not to be written."""
        return self._of.get(place, NO_LAYERS)

    def memory(self) -> PoolBytes:
        return PoolBytes("further layers", self._bytes, self._bytes, self._bytes, self._peak)

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
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
"""An event's argument is this divided by the ticks that the whole block takes."""
TICKS_PER_S: Final = 20


class Cracking(msgspec.Struct, frozen=True):
    """One block being broken."""

    done: float  # share that was broken at ``since_s``, 0..1
    since_s: float  # monotonic seconds
    per_s: float  # share that breaks in a second

    def progress(self, now: float) -> float:
        """Share that is broken, 0..1."""
        return min(1.0, self.done + max(0.0, now - self.since_s) * self.per_s)


class Mining:
    """Blocks being broken; owned by the store."""

    def __init__(self, most: int = MOST_CRACKS) -> None:
        self._most = most
        self.dropped = 0  # how many found no room, since it was made
        self._of: dict[tuple[int, int], Cracking] = {}

    def clear(self) -> None:
        self._of.clear()

    def __len__(self) -> int:
        """Blocks that crack now."""
        return len(self._of)

    def start(self, place: int, cell: int, argument: int, now: float) -> None:
        """A block begins to crack, from the beginning if it did before.

        ``place``: of an announced column. ``argument``: FULL_ARGUMENT / ticks; below 1 it does not move.
        """
        key = place, cell
        self._of.pop(key, None)  # so that it is the youngest
        if len(self._of) >= self._most:
            del self._of[next(iter(self._of))]
            self.dropped += 1
        self._of[key] = Cracking(0.0, now, _share_per_s(argument))

    def update(self, place: int, cell: int, argument: int, now: float) -> None:
        """The speed of a cracking block changed; of one whose start nobody told it starts."""
        before = self._of.get((place, cell))
        if before is None:
            self.start(place, cell, argument, now)
        else:
            self._of[place, cell] = Cracking(before.progress(now), now, _share_per_s(argument))

    def stop(self, place: int, cell: int) -> None:
        """Nobody digs there any more."""
        self._of.pop((place, cell), None)

    def ending(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Blocks of the first layer change."""
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                self.stop(place, cell)

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
        if self._of:
            gone = set(places.tolist())
            for key in [key for key in self._of if key[0] in gone]:
                del self._of[key]

    def at(self, place: int, cell: int) -> Cracking | None:
        return self._of.get((place, cell))

    def progress(self, now: float) -> tuple[Places, npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Places, cells and shares broken, 0..1, of all blocks that crack now, [n] each, in no order."""
        keys = np.array(list(self._of), np.int64).reshape(-1, 2)
        shares = np.array([cracking.progress(now) for cracking in self._of.values()], np.float64)
        return keys[:, 0].astype(np.int32), keys[:, 1], shares

    def of(self, place: int) -> dict[int, Cracking]:
        """The cracking blocks of a place by their cells."""
        return {cell: cracking for (at, cell), cracking in self._of.items() if at == place}


def _share_per_s(argument: int) -> float:
    return max(argument, 0) / FULL_ARGUMENT * TICKS_PER_S


Cells = npt.NDArray[np.int64]


class AttachmentStats(msgspec.Struct, frozen=True):
    """Counts of what is attached to blocks."""

    block_entities: int  # that stand now
    block_entities_waiting: int  # that wait for blocks
    block_entities_ended: int  # that ended with their block so far
    block_entity_bytes: int  # of all that stand or wait
    small_values: int  # sub-chunks that have any
    cracking: int  # blocks being broken now
    cracking_dropped: int  # those that found no room so far
    height_verdicts: dict[HeightVerdict, int]  # answers by what their height maps say of their blocks
    further_layers: int = 0  # third and later ones that are kept


class Attachments(msgspec.Struct, frozen=True):
    """The parts of one store; each says what it keeps, and how long."""

    table: BlockTable
    heights: HeightMaps
    entities: BlockEntities
    small_values: SmallValues
    mining: Mining
    further_layers: FurtherLayers

    @classmethod
    def empty(cls, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> "Attachments":
        """Nothing is attached to any block."""
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
        """The blocks of some places go, or others come."""
        self.entities.drop(places)
        self.small_values.drop(places)
        self.further_layers.drop(places)
        self.mining.drop(places)

    def changing(self, places: Places, cells: Cells, before: BlockIds, dense: BlockIds) -> None:
        """Blocks of the first layer are about to change: [n] place, cell, dense id that is there, and to come."""
        standing = np.flatnonzero(self.entities.stands_at(places, cells))
        if len(standing):
            states = self.table.states
            differ = [
                states[old].name != states[new].name for old, new in zip(before[standing], dense[standing], strict=True)
            ]
            self.entities.ending(places[standing], cells[standing], np.array(differ, np.bool_))
        self.small_values.changed(places, cells)
        self.mining.ending(places, cells)

    def stats(self) -> AttachmentStats:
        """A frozen snapshot."""
        counted = self.heights.counted.tolist()
        return AttachmentStats(
            len(self.entities),
            self.entities.waiting,
            self.entities.ended,
            self.entities.used_bytes,
            len(self.small_values),
            len(self.mining),
            self.mining.dropped,
            {verdict: counted[verdict] for verdict in HeightVerdict if counted[verdict]},
            len(self.further_layers),
        )


MOST_BYTES: Final = 128 << 20
"""Biomes of 10,000 columns take some 30 MiB."""


class Extras:
    """Biomes by row; owned by the store."""

    def __init__(self) -> None:
        self._bytes = self._peak = 0
        self._biomes: dict[int, ColumnBiomes] = {}
        self._nothing = ColumnBiomes.nothing()

    def take_biomes(
        self, row: int, tail: bytes, sections: int, inline_count: int | None
    ) -> tuple[int, DecodeError | LimitExceeded | None]:
        """Reads a column's biomes and border bytes; (bytes used, what was wrong). Broken ones are unknown.

        inline_count: see ``read_biomes``.
        """
        self._drop_biomes(row)
        try:
            biomes = read_biomes(tail, sections, inline_count=inline_count)
        except DecodeError as error:
            return 0, error
        excess = self._spend(_size(biomes))
        if excess is None:
            self._biomes[row] = biomes
        return biomes.end, excess

    def section_biomes(self, row: int, section: int) -> SectionBiomes:
        """Biomes of one section, counted from the floor: uint16[4096], UNKNOWN_BIOME where nobody said."""
        return self._biomes.get(row, self._nothing).section(section)

    def sources(self, row: int, sections: int) -> npt.NDArray[np.int64]:
        """The section whose storage each section of a column has, from the floor: int64[sections]; -1: none."""
        return self._biomes.get(row, self._nothing).sources(sections)

    def surface_biomes(self, row: int, highest: int) -> npt.NDArray[np.uint16]:
        """Biomes at the top of a section, or of the highest there is: uint16[256] by x << 4 | z."""
        biomes = self._biomes.get(row, self._nothing)
        return biomes.section(min(highest, len(biomes) - 1))[15::16]

    def memory(self) -> PoolBytes:
        return PoolBytes("biomes", self._bytes, self._bytes, self._bytes, self._peak)

    def drop_column(self, row: int) -> None:
        self._drop_biomes(row)

    def _drop_biomes(self, row: int) -> None:
        before = self._biomes.pop(row, None)
        self._bytes -= 0 if before is None else _size(before)

    def _spend(self, size: int) -> LimitExceeded | None:
        if self._bytes + size > MOST_BYTES:
            return LimitExceeded("bytes of biomes", self._bytes + size, MOST_BYTES)
        self._bytes += size
        self._peak = max(self._peak, self._bytes)
        return None


def _size(biomes: ColumnBiomes) -> int:
    return biomes.buffer.nbytes + biomes.rows.nbytes + biomes.palette.nbytes
