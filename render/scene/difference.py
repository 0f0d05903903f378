"""What another store of the same dimension shows otherwise, said as a store says its own changes.

Theory. Two sessions that lived through the same packets have the same columns in the same rows, and their blocks in
slots of their own: so a place is the same where its blocks are, whatever their slots are called. What is drawn and lit
of a place follows from its blocks, both layers, from the daylight told for its top, and from what lies around it;
a change of those reaches the same cells and rows whether it came by packet or by a look at another time.

Measured over the hills at radius 8 (8,664 places, 1,320 slots), nothing of which differs: 1.4 ms.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeBatch, ChangeKind
from net.frozen import frozen
from net.space.layout import BlockIds, ColumnPositions, Places, Slots
from render.scene.difference_kernels import same_rows
from render.scene.world import World

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
SLOT_BITS: Final = 32


@frozen
class Difference:
    """What leads from one store to another.

    Attributes:
        changes: columns that are not there any more, those that are new, and places that show something else.
        same: bool[places of the store that was] which show the same in the other.
    """

    changes: ChangeBatch
    same: Flags


def comparable(before: World, after: World) -> bool:
    """Whether places of one are places of the other, and their dense ids mean the same blocks."""
    fits = before.dimension == after.dimension and len(before.columns) <= len(after.columns)
    return fits and before.table is after.table


def difference(before: World, after: World) -> Difference:
    """Compares two stores between their drains; they are ``comparable``."""
    rows, sections = len(after.columns), before.dimension.sections
    (was, at), (now, there) = _in_use(before, rows), _in_use(after, rows)
    stays = was & now & (at == there).all(axis=1)
    kept = _places(np.flatnonzero(stays), sections)
    same = np.zeros(len(before.slot), np.bool_)
    same[kept] = _show_the_same(before, after, kept)
    gone, fresh = np.flatnonzero(was & ~stays), np.flatnonzero(now & ~stays)
    changed = kept[~same[kept]]
    places = np.concatenate([_lowest(gone, sections), _lowest(fresh, sections), changed])
    kinds = np.repeat([ChangeKind.REMOVED, ChangeKind.ADDED, ChangeKind.DATA], [len(gone), len(fresh), len(changed)])
    columns = np.concatenate([at[gone], there[fresh], there[changed // sections]])
    return Difference(_batch(after, places, columns, kinds.astype(np.uint8)), same)


def _in_use(world: World, rows: int) -> tuple[Flags, ColumnPositions]:
    """bool[rows] which rows hold a column, and int32[rows, 2] which one."""
    used, columns = np.zeros(rows, np.bool_), np.zeros((rows, 2), np.int32)
    used[list(world.row_of.values())] = True
    columns[: len(world.columns)] = world.columns
    return used, columns


def _places(rows: Rows, sections: int) -> Places:
    """All places of rows."""
    places: Places = (rows[:, None] * sections + np.arange(sections)).ravel().astype(np.int32)
    return places


def _lowest(rows: Rows, sections: int) -> Places:
    """The place by which each column is called."""
    return (rows * sections).astype(np.int32)


def _show_the_same(before: World, after: World, places: Places) -> Flags:
    same = _equal(before.pools.blocks, before.slot[places], after.pools.blocks, after.slot[places])
    second = _equal(before.pools.layer1, before.layer1_slot[places], after.pools.layer1, after.layer1_slot[places])
    skies: Flags = (before.sky_top[places] == after.sky_top[places]).all(axis=1)
    return same & second & skies


def _equal(first: BlockIds, ours: Slots, second: BlockIds, theirs: Slots) -> Flags:
    """Which slots hold the same blocks, two and two; each pair is looked at once, however many places show it."""
    pairs, of = np.unique(ours.astype(np.int64) << SLOT_BITS | theirs, return_inverse=True)
    same = np.empty(len(pairs), np.bool_)
    mine, other = (pairs >> SLOT_BITS).astype(np.int32), pairs.astype(np.int32)
    same_rows(mine, other, first.view(np.uint64), second.view(np.uint64), same)
    answer: Flags = same[of]
    return answer


def _batch(after: World, places: Places, columns: ColumnPositions, kinds: npt.NDArray[np.uint8]) -> ChangeBatch:
    """Changes of whole places and columns."""
    positions = np.empty((len(places), 3), np.int32)
    positions[:, [0, 2]] = columns
    positions[:, 1] = places % after.dimension.sections + after.dimension.floor_section
    return ChangeBatch(
        everything=False,
        places=places,
        positions=positions,
        kinds=kinds,
        revisions=after.revision[places],
        boxes=np.zeros((len(places), 6), np.uint8),
        edit_starts=np.zeros(len(places) + 1, np.int32),
        edits=np.empty(0, np.uint16),
    )
