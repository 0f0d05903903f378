"""One edit's cells and bricks: shown in one frame, or not yet.

Theory. A block change can reach several cells (its own, and neighbours whose faces it hides or opens) and the light of
up to nine columns. Shown one by one they flicker: a hole for a frame, or a lamp that is lit before it is there. So
everything of one drain's edits is held here until all of it is made. Edits that come meanwhile wait and make the next
set; without that rule a steady stream of edits would never be shown.

Bulk arrivals do not pass through here: they swap cell by cell.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.scene.grid import CellIndices


@dataclass(frozen=True, slots=True)
class Made:
    """A mesh that is not on the GPU yet: cell number, its revision, units and counts by group."""

    cell: int
    revision: int
    units: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.int32]


@dataclass(slots=True)
class EditSet:
    """What one set of edits waits for.

    Attributes:
        revision: of the cells; a mesh of this revision or a later one counts.
        missing: cells without such a mesh yet.
        places: whose block bricks go up with the set.
        lit: whether the light step of the edits is published.
        made: meshes that are here.
        dark_places: whose light bricks go up with the set.
    """

    revision: int
    missing: set[int]
    places: Places
    lit: bool = False
    made: dict[int, Made] = field(default_factory=dict)
    dark_places: Places = field(default_factory=lambda: np.zeros(0, np.int32))

    @classmethod
    def of(cls, revision: int, cells: CellIndices, places: Places) -> "EditSet":
        """A set that misses everything."""
        return cls(revision, set(cells.tolist()), places)

    @property
    def complete(self) -> bool:
        """Whether everything is here."""
        return self.lit and not self.missing

    def takes(self, mesh: Made) -> bool:
        """Keeps a mesh if it belongs to the set."""
        if mesh.revision < self.revision or not (mesh.cell in self.missing or mesh.cell in self.made):
            return False
        self.missing.discard(mesh.cell)
        self.made[mesh.cell] = mesh
        return True

    def forget(self, cells: CellIndices) -> None:
        """Waits no longer for cells whose column went, or whose mesh cannot be made."""
        for cell in cells.tolist():
            self.missing.discard(cell)
            self.made.pop(cell, None)
