"""One edit's cells and bricks: shown in one frame, or not yet.

Theory. A block change can affect several cells (its own, and neighbours whose faces it hides or opens) and the light of
up to nine columns. Shown one after another they flicker: a hole for a frame, or a lamp that gives light before it is
visible. So all edits of one drain are held in an ``EditSet`` until all their meshes and light are made. Edits that
arrive meanwhile wait and form the next sets (``HeldEdits``); if they joined the current set, a steady stream of edits
would never be shown.

Bulk arrivals are not held: they are shown cell by cell.
"""

from collections import deque
from typing import Final

import msgspec
import numpy as np

from net.arrays import I32, U32, Bools, Places
from render.mesh.mesher import MeshResult
from render.scene.gpu_copy.volumes import Edits
from render.scene.grid import CellIndices, Reach

NO_PLACES: Final[Places] = np.zeros(0, np.int32)


class Made(msgspec.Struct, frozen=True):
    """A mesh that is not on the GPU yet: cell number, its revision, units and counts by group."""

    cell: int
    revision: int
    units: U32
    counts: I32

    @classmethod
    def of(cls, cell: int, meshes: MeshResult, index: int) -> "Made":
        return cls(cell, int(meshes.revisions[index]), meshes.units(index), meshes.counts[index])


class EditSet(msgspec.Struct):
    """The meshes and light that one set of edits waits for."""

    revision: int  # of the cells; meshes of this or a later revision count
    missing: set[int]  # cells without such a mesh yet
    places: Places  # whose block bricks go up with the set
    blocks: Edits  # the single blocks that changed
    lit: bool = False  # whether the light step of the edits is published
    made: dict[int, Made] = {}  # meshes that have arrived
    dark_places: Places = NO_PLACES  # whose light bricks go up with the set


class HeldEdits:
    """The current edit set and the edits after it. Owner thread only."""

    def __init__(self) -> None:
        self._set: EditSet | None = None
        self.later: deque[Reach] = deque()  # edits that wait until the current set is shown, oldest first

    def let_go(self) -> list[tuple[Places, Edits]]:
        """Drops all sets; returns the places and single blocks of each, to be shown like any other change."""
        under_way = [] if self._set is None else [(self._set.places, self._set.blocks)]
        later = [(reach.edited, (reach.edit_places, reach.edit_cells)) for reach in self.later]
        self.clear()
        return under_way + later

    def clear(self) -> None:
        self._set = None
        self.later.clear()

    def next(self) -> Reach | None:
        """Takes the next edits; None while a set is current, or without further edits."""
        return self.later.popleft() if self._set is None and self.later else None

    def begin(self, reach: Reach, revision: int, cells: CellIndices) -> None:
        self._set = EditSet(revision, set(cells.tolist()), reach.edited, (reach.edit_places, reach.edit_cells))

    def complete(self) -> EditSet | None:
        """Takes the current set if it is complete, so that the next can begin; else None."""
        edit = self._set
        if edit is None or edit.missing or not edit.lit:
            return None
        self._set = None
        return edit

    @property
    def some(self) -> bool:
        return self._set is not None or bool(self.later)

    @property
    def cells_made(self) -> set[int]:
        """Cells whose meshes are here and not shown."""
        return set() if self._set is None else set(self._set.made)

    @property
    def dark_places(self) -> Places:
        """Whose light goes up with the set under way, and not before."""
        return NO_PLACES if self._set is None else self._set.dark_places

    def holds(self, cells: CellIndices) -> Bools:
        """Which cells' next meshes belong to the set under way."""
        if self._set is None:
            return np.zeros(len(cells), np.bool_)
        own = self._set.missing | self._set.made.keys()
        return np.isin(cells, np.fromiter(own, np.int64, len(own)))

    def take(self, mesh: Made) -> bool:
        """Keeps a mesh if it belongs to the current set; returns whether it does."""
        edit = self._set
        if edit is None or mesh.revision < edit.revision or not (mesh.cell in edit.missing or mesh.cell in edit.made):
            return False
        edit.missing.discard(mesh.cell)
        edit.made[mesh.cell] = mesh
        return True

    def miss(self, cell: int, revision: int) -> None:
        """Reports that the mesh of a cell with that revision cannot be made."""
        if self._set is not None and revision >= self._set.revision:
            self.forget(np.array([cell]))

    def forget(self, cells: CellIndices) -> None:
        """Stops waiting for cells whose column was removed, or whose mesh cannot be made."""
        if self._set is not None:
            for cell in cells.tolist():
                self._set.missing.discard(cell)
                self._set.made.pop(cell, None)

    def light_came(self, places: Places = NO_PLACES) -> bool:
        """Reports that the light of the current set is made, or never will be, and its places; False without a set."""
        if self._set is None:
            return False
        self._set.lit = True
        self._set.dark_places = places
        return True
