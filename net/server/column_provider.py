"""Provides columns: from memory, or generated with the stored edits on top; the only place for edits (seed 003).

Rules:
1. An unchanged column may be dropped at any time: it is generated again identically. A changed column is kept until a
   storage has it (for ever without a storage). Then it may be dropped, too: it is generated again and the stored
   sections are laid over it.
2. Every edit goes through ``set_block``. It makes a new snapshot of the column, increments the version of the section,
   and records the world's tick in it; older snapshots do not change.
3. ``take_changes`` returns the sections changed since its last call, as they are now (copy on write: nothing is
   copied). They count as being written until ``settle`` reports the result.
4. At most ``MOST_CHANGED`` columns may be changed and not stored. An edit of one more is refused: dropping a column
   would lose confirmed edits, and keeping all would exhaust memory.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from net.arrays import BlockIds
from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_snapshots import ColumnSnapshot, SectionBlocks, SectionVersion
from net.server.worlds import GeneratedColumn, ServerWorld, SteppedWorld
from net.space import BlockPos, ColumnPos, SubChunkPos

MOST_CHANGED: Final = 2048
"""100 to 400 MB if the columns are full; as many as are cached."""
MOST_NEWS: Final = 1024
"""Positions of the columns made or changed last, for ``news_since``."""


class TooManyChanges(ValueError):
    """The edit exceeds rule 4."""


class StoredSection(msgspec.Struct, frozen=True):
    """One section as a storage keeps it: names and states, no ids of a protocol."""

    palette: Sequence[BlockState]  # the states that ``layers`` index
    layers: Sequence[BlockIds]  # [4096] indices, one or two layers
    version: SectionVersion  # of the section
    ended: frozenset[int] = frozenset()  # as in ``SectionBlocks``


StoredSections = Callable[[ColumnPos], Mapping[int, StoredSection]]
"""The stored sections of a column from earlier runs, by absolute section y."""


class ChangedSection(msgspec.Struct, frozen=True):
    """A section to store and the snapshot that holds it. Immutable; any thread may read it."""

    position: SubChunkPos
    index: int
    snapshot: ColumnSnapshot


class ColumnProvider:
    """Snapshots of one world's columns.

    ``states``: local states, including all that the world knows. ``kept_columns``: snapshots that are cached and may be
    dropped. ``stored``: sections stored by earlier runs, None without a storage.
    """

    def __init__(
        self, world: ServerWorld, states: LocalStates, kept_columns: int, stored: StoredSections | None = None
    ) -> None:
        self._world = world
        self._stepped = world if isinstance(world, SteppedWorld) else None  # not per column: it costs 50 us
        self._states = states
        self._dimension = world.dimension
        self._kept = kept_columns
        self._stored = stored
        self._cached: OrderedDict[ColumnPos, ColumnSnapshot] = OrderedDict()
        self._modified: dict[ColumnPos, ColumnSnapshot] = {}
        self._dirty: set[tuple[ColumnPos, int]] = set()
        self._written: list[ChangedSection] = []
        self._numbers = np.zeros(0, np.uint16)  # local id by the world's id
        self._alike = True
        self._alter: Callable[[ColumnPos, GeneratedColumn], GeneratedColumn] | None = None
        self._changed_last: deque[ColumnPos] = deque(maxlen=MOST_NEWS)
        self.news = 0  # columns made or changed so far; observers compare it with the last value they saw

    @property
    def dirty_sections(self) -> int:
        """Sections changed since ``take_changes`` was last called."""
        return len(self._dirty)

    def let_alter(self, alter: Callable[[ColumnPos, GeneratedColumn], GeneratedColumn]) -> None:
        """Sets a function that changes each generated column, before stored sections are laid over it."""
        self._alter = alter

    def snapshot(self, position: ColumnPos) -> ColumnSnapshot:
        """The newest version of a column."""
        found = self.at_hand(position)
        if found is not None:
            return found
        column = self._in_local_ids(self._world.column(position))
        if self._alter is not None:
            column = self._alter(position, column)
        made = ColumnSnapshot(column, self._states, self._dimension, self._laid_over(position))
        self._record_news(position)
        self._keep(position, made)
        return made

    def at_hand(self, position: ColumnPos) -> ColumnSnapshot | None:
        """The newest version of a column if it is in memory; marks it as recently used."""
        found = self._cached.get(position)
        if found is None:
            return self._modified.get(position)
        self._cached.move_to_end(position)
        return found

    def steps(self, position: ColumnPos) -> Iterator[None]:
        """The steps before ``snapshot`` can make the column, some milliseconds each; may be abandoned."""
        return iter(()) if self._stepped is None else self._stepped.steps(position)

    def _record_news(self, position: ColumnPos) -> None:
        self._changed_last.append(position)
        self.news += 1

    def news_since(self, news: int) -> Sequence[ColumnPos] | None:
        """The columns made or changed since the counter was ``news``; None if that is too long ago."""
        new = self.news - news
        recent = self._changed_last
        return None if new > len(recent) else list(islice(recent, len(recent) - new, None))

    def _keep(self, position: ColumnPos, snapshot: ColumnSnapshot) -> None:
        self._cached[position] = snapshot
        if len(self._cached) > self._kept:
            self._cached.popitem(last=False)

    def _laid_over(self, position: ColumnPos) -> Mapping[int, SectionBlocks]:
        """The stored sections of a column in local ids, by index from the floor."""
        if self._stored is None:
            return {}
        floor = self._dimension.floor_section
        found = self._stored(position)
        held = {y: section for y, section in found.items() if self._dimension.holds_section(y)}
        return {y - floor: self._section_in_local_ids(section) for y, section in held.items()}

    def _section_in_local_ids(self, section: StoredSection) -> SectionBlocks:
        numbers = self._states.local_ids_of(section.palette)
        layers = [numbers[layer] for layer in section.layers]
        return SectionBlocks(layers[0], layers[1] if len(layers) > 1 else None, section.version, section.ended)

    def _in_local_ids(self, column: GeneratedColumn) -> GeneratedColumn:
        """A column in local ids; the world's own ids differ only if it learns states as it reads."""
        states = self._world.states
        if len(states) != len(self._numbers):
            self._numbers = self._states.local_ids_of(states)
            self._alike = bool((self._numbers == np.arange(len(states))).all())
        if self._alike:
            return column
        second = None if column.layer1 is None else self._numbers[column.layer1]
        return replace(column, layer0=self._numbers[column.layer0], layer1=second)

    def holds(self, position: ColumnPos) -> bool:
        """Whether a column is in memory."""
        return position in self._modified or position in self._cached

    def provided(self, position: ColumnPos) -> ColumnSnapshot | None:
        """The newest version of a column if it is in memory; does not mark it as used."""
        return self._modified.get(position) or self._cached.get(position)

    def set_block(self, position: BlockPos, layer: int, local_id: int, tick: int = 0) -> SectionVersion:
        """Changes one block, which must be inside the dimension; returns the new version of its section.

        ``layer``: 0 or 1. ``local_id``: the new block. Raises TooManyChanges: see rule 4.
        """
        column = position.column
        if column not in self._modified and len(self._modified) >= MOST_CHANGED:
            raise TooManyChanges(
                f"{len(self._modified)} columns have unsaved changes, which is the maximum; other columns cannot "
                "change until something is saved"
            )
        index = (position.y >> 4) - self._dimension.floor_section
        changed = self.snapshot(column).edited(index, position.in_subchunk, layer, local_id, tick)
        self._cached.pop(column, None)
        self._modified[column] = changed
        self._dirty.add((column, index))
        self._record_news(column)
        return changed.version(index)

    def forget(self) -> None:
        """Drops all columns that can be made again; clients see no difference."""
        self._cached.clear()

    def take_changes(self) -> Sequence[ChangedSection]:
        """See rule 3; the changes taken before must be settled."""
        floor = self._dimension.floor_section
        self._written = [
            ChangedSection(SubChunkPos(column.x, floor + index, column.z), index, self._modified[column])
            for column, index in self._dirty
        ]
        self._dirty.clear()
        return self._written

    def settle(self, *, stored: bool) -> None:
        """Reports whether the changes taken last are stored; if not, they count as changed again."""
        places = {(change.position.column, change.index) for change in self._written}
        self._written = []
        if not stored:
            self._dirty |= places
            return
        changing = {column for column, _ in self._dirty}
        for column in {column for column, _ in places} - changing:
            self._keep(column, self._modified.pop(column))


def warm_up(provider: ColumnProvider, centre: ColumnPos, radius: int) -> Iterator[bool]:
    """Makes the columns of a square ring by ring from its centre, some milliseconds a step; yields True."""
    for column in _around(centre, radius):
        for _ in provider.steps(column):
            yield True
        provider.snapshot(column)
        yield True


def _around(centre: ColumnPos, radius: int) -> Iterator[ColumnPos]:
    """The columns of a square, ring by ring from its centre."""
    for ring in range(radius + 1):
        for dx in range(-ring, ring + 1):
            step = 1 if abs(dx) == ring else max(2 * ring, 1)
            for dz in range(-ring, ring + 1, step):
                yield ColumnPos(centre.x + dx, centre.z + dz)
