"""Where columns come from: cache first, then the generator, edits on top (seed 003).

Rules:
1. Unmodified columns may be forgotten at any time: they are made again alike. Modified ones are kept for ever.
2. Every modification raises the version of its column by one.

Limit: there is no storage; edits live as long as the process.
"""

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from net.server.snapshots import ColumnSnapshot, WireForm
from net.server.worlds import GeneratedColumn, World
from net.space.positions import BlockPos, ColumnPos


class Provider:
    """Snapshots of one world's columns.

    Args:
        world: the generator.
        form: what bytes depend on.
        kept_columns: unmodified snapshots remembered.
    """

    def __init__(self, world: World, form: WireForm, kept_columns: int) -> None:
        self._world = world
        self._form = form
        self._kept = kept_columns
        self._cached: OrderedDict[ColumnPos, ColumnSnapshot] = OrderedDict()
        self._modified: dict[ColumnPos, ColumnSnapshot] = {}
        self._numbers = np.zeros(0, np.uint16)  # local id by the world's id
        self._alike = True
        self.generated = 0
        """Columns made so far, repetitions included."""

    def snapshot(self, position: ColumnPos) -> ColumnSnapshot:
        """The newest version of a column."""
        found = self._modified.get(position) or self._cached.get(position)
        if found is not None:
            if position in self._cached:
                self._cached.move_to_end(position)
            return found
        made = ColumnSnapshot(self._in_local_ids(self._world.column(position)), self._form)
        self.generated += 1
        self._cached[position] = made
        if len(self._cached) > self._kept:
            self._cached.popitem(last=False)
        return made

    def _in_local_ids(self, column: GeneratedColumn) -> GeneratedColumn:
        """A column in local ids, which a world's own are unless it learns them as it goes."""
        states = self._world.states
        if len(states) != len(self._numbers):
            self._numbers = self._form.states.local_ids_of(states)
            self._alike = bool((self._numbers == np.arange(len(states))).all())
        if self._alike:
            return column
        second = None if column.layer1 is None else self._numbers[column.layer1]
        return replace(column, layer0=self._numbers[column.layer0], layer1=second)

    def holds(self, position: ColumnPos) -> bool:
        """Whether a column can be had without making it."""
        return position in self._modified or position in self._cached

    def set_block(self, position: BlockPos, layer: int, local_id: int) -> None:
        """Changes one block, which must lie inside the dimension."""
        column = position.column
        index = (position.y >> 4) - self._form.dimension.floor_section
        changed = self.snapshot(column).edited(index, position.in_subchunk, layer, local_id)
        self._cached.pop(column, None)
        self._modified[column] = changed
