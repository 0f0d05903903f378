"""Where columns come from: cache, then generator with what a storage holds on top; the one place of edits (seed 003).

Rules:
1. What was never changed may be forgotten at any time: it is made again alike. What was changed is kept until a storage
   has it, for ever where there is none, and may then be forgotten likewise: it is made again and laid over.
2. Every edit goes through ``set_block``. It makes a new snapshot of the column and raises the version of its section by
   one, with the tick of the world; older snapshots stay as they are.
3. ``take_changes`` gives the sections that changed since it was last called, as they are now (copy on write: nothing is
   copied). They count as being written until ``settle`` says how that went.
4. Columns that are changed and that no storage has are at most ``MOST_CHANGED``. An edit of one more is refused: to
   forget one would lose what was acknowledged, to keep them all would take the memory of whatever else runs here.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_snapshots import ColumnSnapshot, SectionBlocks, SectionVersion
from net.server.worlds import GeneratedColumn, ServerWorld, SteppedWorld
from net.space import BlockIds, BlockPos, ColumnPos, SubChunkPos

MOST_CHANGED: Final = 2048
"""100 to 400 MB where all of a column is filled; as many as are cached."""
MOST_NEWS: Final = 1024
"""Columns made or changed that are remembered for those who listen."""


class TooManyChanges(ValueError):
    """An edit beyond rule 4."""


class StoredSection(msgspec.Struct, frozen=True):
    """One section as a storage keeps it: names and states, never the ids of a protocol."""

    palette: Sequence[BlockState]  # what the numbers in ``layers`` are
    layers: Sequence[BlockIds]  # [4096] numbers, one or two layers
    version: SectionVersion  # of the section
    ended: frozenset[int] = frozenset()  # as ``SectionBlocks`` has it


StoredSections = Callable[[ColumnPos], Mapping[int, StoredSection]]
"""What a storage has of a column from earlier lives of the server: changed sections by their absolute y."""


class ChangedSection(msgspec.Struct, frozen=True):
    """A section that is to be stored, and the snapshot that holds it. Never changes; any thread may read it."""

    position: SubChunkPos
    index: int
    snapshot: ColumnSnapshot


class ColumnProvider:
    """Snapshots of one world's columns.

    ``world``: the generator. ``states``: local ids and what they are; all that the world has come to know are among
    them. ``kept_columns``: snapshots remembered that may be forgotten. ``stored``: what earlier lives left, None where
    nothing is stored.
    """

    def __init__(
        self, world: ServerWorld, states: LocalStates, kept_columns: int, stored: StoredSections | None = None
    ) -> None:
        self._world = world
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
        self.generated = 0  # columns made so far, repetitions included
        self._told: deque[ColumnPos] = deque(maxlen=MOST_NEWS)
        self.news = 0  # how many columns were made or changed so far: whoever listens looks again

    @property
    def dirty_sections(self) -> int:
        """Sections changed since ``take_changes`` was last called."""
        return len(self._dirty)

    def let_alter(self, alter: Callable[[ColumnPos, GeneratedColumn], GeneratedColumn]) -> None:
        """Lets something change each column after it is made, before what is stored is laid over it."""
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
        self.generated += 1
        self._tell(position)
        self._keep(position, made)
        return made

    def at_hand(self, position: ColumnPos) -> ColumnSnapshot | None:
        """The newest version of a column if it can be had without making it; it is not forgotten soon."""
        found = self._cached.get(position)
        if found is None:
            return self._modified.get(position)
        self._cached.move_to_end(position)
        return found

    def steps(self, position: ColumnPos) -> Iterator[None]:
        """What ``snapshot`` would do first to make a column, some milliseconds a step; may be dropped at any one."""
        return self._world.steps(position) if isinstance(self._world, SteppedWorld) else iter(())

    def _tell(self, position: ColumnPos) -> None:
        self._told.append(position)
        self.news += 1

    def news_since(self, news: int) -> Sequence[ColumnPos] | None:
        """The columns made or changed since ``news`` was so much; None where that is too long ago to be known."""
        new = self.news - news
        return None if new > len(self._told) else list(islice(self._told, len(self._told) - new, None))

    def _keep(self, position: ColumnPos, snapshot: ColumnSnapshot) -> None:
        self._cached[position] = snapshot
        if len(self._cached) > self._kept:
            self._cached.popitem(last=False)

    def _laid_over(self, position: ColumnPos) -> Mapping[int, SectionBlocks]:
        """What a storage has of a column, in local ids, by index from the floor."""
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
        """A column in local ids, which a world's own are unless it learns them as it goes."""
        states = self._world.states
        if len(states) != len(self._numbers):
            self._numbers = self._states.local_ids_of(states)
            self._alike = bool((self._numbers == np.arange(len(states))).all())
        if self._alike:
            return column
        second = None if column.layer1 is None else self._numbers[column.layer1]
        return replace(column, layer0=self._numbers[column.layer0], layer1=second)

    def holds(self, position: ColumnPos) -> bool:
        """Whether a column can be had without making it."""
        return position in self._modified or position in self._cached

    def provided(self, position: ColumnPos) -> ColumnSnapshot | None:
        """The newest version of a column that is at hand; looking makes nothing, and does not count as use."""
        return self._modified.get(position) or self._cached.get(position)

    def set_block(self, position: BlockPos, layer: int, local_id: int, tick: int = 0) -> SectionVersion:
        """Changes one block, which must lie inside the dimension; gives the version its section has now.

        ``layer``: 0 or 1. ``local_id``: what it becomes. Raises TooManyChanges: see rule 4.
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
        self._tell(column)
        return changed.version(index)

    def forget(self) -> None:
        """Drops everything that can be had again; nobody sees a difference."""
        self._cached.clear()

    def take_changes(self) -> Sequence[ChangedSection]:
        """See rule 3; what was taken before must have been settled."""
        floor = self._dimension.floor_section
        self._written = [
            ChangedSection(SubChunkPos(column.x, floor + index, column.z), index, self._modified[column])
            for column, index in self._dirty
        ]
        self._dirty.clear()
        return self._written

    def settle(self, *, stored: bool) -> None:
        """What was taken is stored for good, or has to be taken once more."""
        places = {(change.position.column, change.index) for change in self._written}
        self._written = []
        if not stored:
            self._dirty |= places
            return
        changing = {column for column, _ in self._dirty}
        for column in {column for column, _ in places} - changing:
            self._keep(column, self._modified.pop(column))


def warm_up(provider: ColumnProvider, centre: ColumnPos, radius: int) -> Iterator[bool]:
    """Makes the columns of a square, ring by ring from its middle, a step of some milliseconds each; always True."""
    for column in _around(centre, radius):
        for _ in provider.steps(column):
            yield True
        provider.snapshot(column)
        yield True


def _around(centre: ColumnPos, radius: int) -> Iterator[ColumnPos]:
    """The columns of a square, ring by ring from its middle."""
    for ring in range(radius + 1):
        for dx in range(-ring, ring + 1):
            step = 1 if abs(dx) == ring else max(2 * ring, 1)
            for dz in range(-ring, ring + 1, step):
                yield ColumnPos(centre.x + dx, centre.z + dz)
