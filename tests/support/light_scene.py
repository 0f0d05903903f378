"""Columns of hand-made blocks with their light, to be compared with brute force, or with a relight."""

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from tests.support.fake_world import FakeTable, FakeWorld
from tests.support.light_twin import brute_force


def cell(x: int, y: int, z: int) -> int:
    """Index of a cell in its sub-chunk."""
    return x << 8 | z << 4 | y


class LightScene:
    """A square of columns, every sub-chunk of them air; x, z and y run from 0 at its corner and floor."""

    def __init__(
        self, dimension: Dimension, columns: int = 3, table: FakeTable | None = None, slots: int = 2048
    ) -> None:
        self.world = FakeWorld(dimension, table or FakeTable.plain(), slots=slots)  # the columns
        self.world.add_columns([ColumnPos(x, z) for x in range(columns) for z in range(columns)])
        for column in self.world.row_of:
            for section in range(dimension.sections):
                self.world.show(self.world.place(column, section), np.zeros(4096, np.uint16))
        self.light = LightMap(self.world, 4096)  # their light, made once
        self.relight()

    def rows(self) -> npt.NDArray[np.int32]:
        """All rows in use."""
        return np.array(sorted(self.world.row_of.values()), np.int32)

    def relight(self) -> None:
        """Everything from nothing."""
        self.light.reset(self.world)
        self.light.step(self.world, self.rows())

    def at(self, x: int, y: int, z: int) -> tuple[int, int]:
        """Place and cell of a position."""
        return self.world.place(ColumnPos(x >> 4, z >> 4), y >> 4), cell(x & 15, y & 15, z & 15)

    def level(self, x: int, y: int, z: int) -> tuple[int, int, int, int]:
        """R, G, B, D there."""
        value = self.light.at(*self.at(x, y, z))
        return value & 15, value >> 4 & 15, value >> 8 & 15, value >> 12

    def edit(self, blocks: dict[tuple[int, int, int], int]) -> int:
        """Changes blocks and mends the light; gives the cells that were visited."""
        changes: dict[int, dict[int, int]] = {}
        for position, block in blocks.items():
            place, index = self.at(*position)
            changes.setdefault(place, {})[index] = block
        for place, cells in changes.items():
            ids = self.world.pools.blocks[self.world.slot[place]].copy()
            ids[list(cells)] = list(cells.values())
            self.world.show(place, ids)
        places = np.array([place for place, cells in changes.items() for _ in cells], np.int32)
        indices = np.array([index for cells in changes.values() for index in cells])
        before = self.light.stats()
        self.light.publish(self.light.run(self.light.prepare_edits(self.world, places, indices)))
        after = self.light.stats()
        assert after.edits == before.edits + len(blocks), "relit, not mended"
        return after.visited - before.visited

    def counts(self, channel: int) -> list[int]:
        """How many cells have each level 0..15 of a channel."""
        places = np.arange(self.world.dimension.sections) + self.rows()[:, None] * self.world.dimension.sections
        values = self.light.values[self.light.table[places.reshape(-1)]]
        return np.bincount((values >> (4 * channel) & 15).reshape(-1), minlength=16).tolist()

    def values(self) -> npt.NDArray[np.uint16]:
        """Light of every place of the table."""
        return self.light.values[self.light.table]

    def check(self) -> None:
        """The light is the brute-force fixed point."""
        for place, expected in brute_force(self.world).items():
            got = self.light.values[self.light.table[place]]
            wrong = np.flatnonzero(got != expected)
            assert not len(wrong), f"place {place} cell {wrong[0]}: {got[wrong[0]]:04x}, not {expected[wrong[0]]:04x}"

    def check_equals_relit(self) -> None:
        """The light is what a map that starts from nothing makes."""
        fresh = LightMap(self.world, 4096)
        fresh.step(self.world, self.rows())
        assert (fresh.values[fresh.table] == self.values()).all()
