"""Data of blocks besides their ids: block entities, small values, further layers, cracks, the surface.

    drop      the blocks of places go, or others come: their data goes
    changing  blocks are about to change: data that does not survive the change ends
    changed   the blocks are written: the surface follows

The parts of the store call these methods where they write blocks; ``Store`` has the methods for packets and readers.
"""

from typing import Final, Generic, Protocol, TypeVar

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
from net.errors import LimitExceeded
from net.space import BLOCKS_PER_SUBCHUNK

Values = npt.NDArray[np.uint8]  # uint8[4096] in the order of BlockIds

NO_VALUES: Final[Values] = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint8)
NO_LAYERS: Final[BlockIds] = np.empty((0, BLOCKS_PER_SUBCHUNK), np.uint16)
MOST_BYTES: Final = 64 << 20  # of small values, and of further layers


class Sized(Protocol):
    """Something with a known size in memory."""

    @property
    def nbytes(self) -> int: ...


Kept = TypeVar("Kept", bound=Sized)


class LimitedMap(Generic[Kept]):
    """Values by place or row that few have, with at most ``most_bytes`` together; owned by the store."""

    def __init__(self, name: str, most_bytes: int, nothing: Kept) -> None:
        """``name``: in errors and statistics. ``nothing``: the value of the others."""
        self._name = name
        self._most_bytes = most_bytes
        self._nothing = nothing
        self._bytes = self._peak = 0
        self._of: dict[int, Kept] = {}

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, key: int) -> bool:
        return key in self._of

    def take(self, key: int, value: Kept) -> LimitExceeded | None:
        """Stores a value instead of the one before; returns the exceeded limit, or None."""
        self.drop_one(key)
        size = self._bytes + value.nbytes
        if size > self._most_bytes:
            return LimitExceeded(f"bytes of {self._name}", size, self._most_bytes)
        self._of[key], self._bytes, self._peak = value, size, max(self._peak, size)
        return None

    def of(self, key: int) -> Kept:
        return self._of.get(key, self._nothing)

    def memory(self) -> PoolBytes:
        return PoolBytes(self._name, self._bytes, self._bytes, self._bytes, self._peak)

    def drop(self, keys: Places) -> None:
        if self._of:
            for key in keys.tolist():
                self.drop_one(key)

    def drop_one(self, key: int) -> None:
        before = self._of.pop(key, None)
        self._bytes -= 0 if before is None else before.nbytes

    def clear(self) -> None:
        self._of.clear()
        self._bytes = 0


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


def _share_per_s(argument: int) -> float:
    return max(argument, 0) / FULL_ARGUMENT * TICKS_PER_S


Cells = npt.NDArray[np.int64]


class Attachments:
    """The data of blocks in one store, by kind."""

    def __init__(self, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> None:
        self._table = table
        self.heights = HeightMaps(table, pools, tables)
        self.entities = BlockEntities(tables)
        # Of sub-chunks of versions 0 and 2..7, which name a block by ``id << 4 | data``: uint8[4096] the data of every
        # block as it came, 0 for a block that changed since.
        self.small_values = LimitedMap("small values", MOST_BYTES, NO_VALUES)
        # uint16[n, 4096] dense ids of third and later layers. No game sends any. They are kept as they came, for
        # readers, and never drawn; block changes do not apply to them.
        self.further_layers = LimitedMap("further layers", MOST_BYTES, NO_LAYERS)
        self.mining = Mining()

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
            states = self._table.states
            differ = [
                states[old].name != states[new].name for old, new in zip(before[standing], dense[standing], strict=True)
            ]
            self.entities.ending(places[standing], cells[standing], np.array(differ, np.bool_))
        if self.small_values:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                if place in self.small_values:
                    self.small_values.of(place)[cell] = 0
        self.mining.ending(places, cells)
