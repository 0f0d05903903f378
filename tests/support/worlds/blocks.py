"""A store's arrays without a store: columns of blocks set by hand, masks and kinds derived in plain NumPy.

Also random changes of single blocks at positions that affect much light.
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_table import ClassThresholds
from client.world.places import PlaceTables
from net.space import ABOVE_PLACE, BELOW_PLACE, DIRECTIONS, UNLOADED_PLACE, ColumnPos, Dimension
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

# ---------------------------------------------------------------- fake world

AIR = 0


FIRST = ClassThresholds(model=1, cutout=5, translucent=8, liquid=12, placeholder=15, opaque=16)


class FakeState(msgspec.Struct, frozen=True):
    """A block state without values."""

    name: str
    states: tuple[tuple[str, int | str | bool], ...] = ()


@dataclass
class FakeTable:
    """24 ids: air, 4 models, 3 cut-outs, 4 translucent, 3 liquids, the placeholder, 8 opaque."""

    emission: npt.NDArray[np.uint16]
    opacity: npt.NDArray[np.uint8]
    first: ClassThresholds = FIRST
    appended: int = 0

    @property
    def states(self) -> tuple[FakeState, ...]:
        """States named by their number."""
        return tuple(FakeState(f"minecraft:fake_{dense}") for dense in range(self.opacity.shape[1]))

    @property
    def obstructs(self) -> npt.NDArray[np.bool_]:
        """All blocks but models and liquids."""
        ids = np.arange(self.opacity.shape[1])
        return (ids >= self.first.cutout) & ((ids < self.first.liquid) | (ids >= self.first.placeholder))

    @classmethod
    def plain(cls) -> "FakeTable":
        """Clear models, leaves and glass; water dims; each kind has a lamp: id 1 is a torch, 23 an opaque lamp."""
        opacity = np.zeros((4, 24), np.uint8)
        opacity[:, 5:8] = 1
        opacity[:, 12:15] = np.array([[2], [1], [1], [1]], np.uint8)
        opacity[:, 15:] = 15
        emission = np.zeros(24, np.uint16)
        emission[1] = 14 | 13 << 4 | 11 << 8
        emission[23] = 15 | 14 << 4 | 10 << 8
        return cls(emission, opacity)

    @classmethod
    def random(cls, rng: np.random.Generator) -> "FakeTable":
        """Random opacities by channel and random lamps, within the rules of the kernels."""
        table = cls.plain()
        table.opacity[:, 1:15] = rng.choice([0, 0, 1, 1, 2, 3, 6, 9, 14, 15], (4, 14))
        table.opacity[3, 12:15] = np.maximum(table.opacity[3, 12:15], 1)
        lamps = np.flatnonzero(rng.random(24) < 0.4)
        lamps = lamps[(lamps > 0) & (lamps != 15)]
        levels = (rng.integers(1, 16, (len(lamps), 3)) * (rng.random((len(lamps), 3)) < 0.5)).astype(np.uint16)
        table.emission[:] = 0
        table.emission[lamps] = levels[:, 0] | levels[:, 1] << 4 | levels[:, 2] << 8
        return table


class FakePools:
    """Block slots; slot 0 is all air, slot 1 all placeholder."""

    def __init__(self, table: FakeTable, capacity: int) -> None:
        self.table = table
        self.blocks = np.zeros((capacity, 4096), np.uint16)
        self.opaque = np.zeros((capacity, 256), np.uint16)
        self.liquid = np.zeros((capacity, 256), np.uint16)
        self.other = np.zeros((capacity, 256), np.uint16)
        self.kinds = np.zeros(capacity, np.uint8)
        self.flags = np.zeros(capacity, np.uint32)
        self.connectivity = np.zeros(capacity, np.uint64)
        self.layer1 = np.zeros((1, 4096), np.uint16)
        self.wet = np.zeros((1, 256), np.uint16)
        self._next = 2
        self.write(1, np.full(4096, table.first.placeholder, np.uint16))
        self.kinds[1] |= IS_PLACEHOLDER

    def add(self, ids: npt.NDArray[np.uint16]) -> int:
        """A new slot; 0 if all is air."""
        if not ids.any():
            return 0
        slot = self._next
        self._next += 1
        self.write(slot, ids)
        return slot

    def write(self, slot: int, ids: npt.NDArray[np.uint16]) -> None:
        """Writes blocks and everything derived from them except connectivity."""
        first, table = self.table.first, self.table
        opaque = ids >= first.placeholder
        liquid = (ids >= first.liquid) & ~opaque
        other = (ids > AIR) & (ids < first.liquid)
        self.blocks[slot] = ids
        for masks, cells in ((self.opaque, opaque), (self.liquid, liquid), (self.other, other)):
            masks[slot] = np.packbits(cells.reshape(256, 16), axis=1, bitorder="little").view("<u2")[:, 0]
        self.kinds[slot] = (
            opaque.any() * HAS_OPAQUE | opaque.all() * ALL_OPAQUE | liquid.any() * HAS_LIQUID | other.any() * HAS_OTHER
        )
        present = np.unique(ids)
        flags = int((table.emission[present] != 0).any())
        flags |= int((table.emission[present[present >= first.opaque]] != 0).any()) << 5
        soft = present[present < first.placeholder]
        for channel in range(4):
            flags |= int((table.opacity[channel, soft] > 1).any()) << (1 + channel)
        self.flags[slot] = flags | int(
            np.bitwise_or.reduce(getattr(table, "flags", np.zeros(1 << 16, np.uint32))[present])
        )

    def add_second(self, ids: npt.NDArray[np.uint16]) -> int:
        """A new slot of the second layer; 0 if all is air."""
        if not ids.any():
            return 0
        slot = len(self.layer1)
        wet = (ids >= self.table.first.liquid) & (ids < self.table.first.placeholder)
        masks = np.packbits(wet.reshape(256, 16), axis=1, bitorder="little").view("<u2")[:, 0]
        self.layer1, self.wet = np.vstack([self.layer1, ids]), np.vstack([self.wet, masks])
        return slot


class FakeWorld:
    """The arrays of a store over one dimension; ``pools`` may be real ones."""

    place_of, places_of_rows, positions_of = PlaceTables.place_of, PlaceTables.places_of_rows, PlaceTables.positions_of

    def __init__(self, dimension: Dimension, table, rows: int = 32, slots: int = 2048, pools=None) -> None:
        self.dimension, self.table, self.sections = dimension, table, dimension.sections
        self.pools = pools or FakePools(table, slots)
        sections = dimension.sections
        places = rows * sections
        self.slot = np.full(places, 1, np.int32)
        self.slot[[ABOVE_PLACE, BELOW_PLACE]] = 0
        self.layer1_slot = np.zeros(places, np.int32)
        self.revision = np.zeros(places, np.int64)
        self.sky_top = np.zeros((places, 16), np.uint16)
        self.neighbours = np.zeros((places, 6), np.int32)
        self.column_neighbours = np.zeros((rows, 9), np.int32)
        self.row_of: dict[ColumnPos, int] = {}
        self.columns = np.zeros((rows, 2), np.int32)
        self._free = list(range(rows - 1, 0, -1))
        self._revisions = 0

    def add_column(self, column: ColumnPos) -> int:
        """Adds a column of placeholders; returns its row."""
        return self.add_columns([column])[0]

    def add_columns(self, columns: list[ColumnPos]) -> list[int]:
        """Adds columns of placeholders; returns their rows."""
        rows = [self._free.pop() for _ in columns]
        for column, row in zip(columns, rows, strict=True):
            self.row_of[column] = row
            self.columns[row] = column
        self._link()
        return rows

    def remove_column(self, column: ColumnPos) -> int:
        """Removes a column; returns the row it had."""
        row = self.row_of.pop(column)
        sections = self.dimension.sections
        self.slot[row * sections : (row + 1) * sections] = 1
        self.sky_top[row * sections : (row + 1) * sections] = 0
        self.revision[row * sections : (row + 1) * sections] = 0
        self._free.insert(0, row)
        self._link()
        return row

    def place(self, column: ColumnPos, section: int) -> int:
        """The place of a sub-chunk; ``section`` counts from the floor."""
        return self.row_of[column] * self.dimension.sections + section

    def show(self, place: int, ids: npt.NDArray[np.uint16] | None) -> None:
        """Sets the blocks of a place; None is a placeholder."""
        self.slot[place] = 1 if ids is None else self.pools.add(ids)
        self._revisions += 1
        self.revision[place] = self._revisions

    def soak(self, place: int, ids: npt.NDArray[np.uint16]) -> None:
        """Sets the second layer of a place."""
        self.layer1_slot[place] = self.pools.add_second(ids)

    def set_cell(self, place: int, cell: int, block: int) -> None:
        """Changes one block; the place gets a new slot."""
        ids = self.pools.blocks[self.slot[place]].copy()
        ids[cell] = block
        self.show(place, ids)

    def _link(self) -> None:
        sections = self.dimension.sections
        self.column_neighbours[:] = 0
        self.neighbours[:] = UNLOADED_PLACE
        for (x, z), row in self.row_of.items():
            for dx in (-1, 0, 1):
                for dz in (-1, 0, 1):
                    other = self.row_of.get(ColumnPos(x + dx, z + dz), 0)
                    self.column_neighbours[row, (dx + 1) * 3 + dz + 1] = other
            for section in range(sections):
                place = row * sections + section
                for d, (dx, dy, dz) in enumerate(DIRECTIONS):
                    beside = self.row_of.get(ColumnPos(x + dx, z + dz), 0)
                    if not 0 <= section + dy < sections:
                        self.neighbours[place, d] = ABOVE_PLACE if dy > 0 else BELOW_PLACE
                    elif beside:
                        self.neighbours[place, d] = beside * sections + section + dy


# ---------------------------------------------------------------- light edits

PLACEHOLDER = 15


def any_edit(rng: np.random.Generator) -> tuple[int, int]:
    """A random block and its new id: half of them at a border of the sub-chunk, often air, never a placeholder."""
    cell = int(rng.integers(4096))
    side = int(rng.integers(0, 12))
    if side < 6:
        field = (0xF00, 0xF0, 0xF)[side >> 1]
        cell = cell & ~field if side & 1 else cell | field
    block = 0 if rng.random() < 0.4 else int(rng.choice([b for b in range(24) if b != PLACEHOLDER]))
    return cell, block
