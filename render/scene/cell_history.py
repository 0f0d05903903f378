"""How often each render cell showed something else, how many faces its mesh stands for, and when it was seen to change.

``Cells`` tells of every mesh that it shows; ``look`` notes the time of what changed since the look before, so that
nothing here needs a clock. A look costs nothing while no cell changed.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from render.mesh.quads import CUBE_GROUPS, Words
from render.scene.grid import CellIndices
from render.scene.upload_kernels import cover

NEVER: Final = np.nan
BEFORE: Final = -np.inf

Received = Callable[[CellIndices], npt.NDArray[np.bool_]]
"""bool[n, 2] of n cells: whether the blocks of the lower, and of the upper sub-chunk are there."""


class CellHistory:
    """Of one attached store's cells. Owner thread only.

    Attributes:
        generations: int64[cells].
        faces: int64[cells] of what each shows: faces that cube quads cover, and model quads.
        first_s: float64[cells, 2] when the blocks of its lower and its upper sub-chunk were first seen in a mesh;
            NEVER: not yet; BEFORE: when nobody looked yet.
        changed_s: float64[cells] when each was last seen with another generation than before; NEVER: not yet.
    """

    def __init__(self) -> None:
        """No cells yet."""
        self.generations: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.faces: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.first_s: npt.NDArray[np.float64] = np.zeros((0, 2))
        self.changed_s: npt.NDArray[np.float64] = np.zeros(0)
        self._seen: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._shown: list[int] = []  # since the last look, some of them more than once
        self._looked = False

    def fit(self, cells: int) -> None:
        """Makes room for so many cells."""
        more = cells - len(self.generations)
        if more > 0:
            none, never = np.zeros(more, np.int64), np.full(more, NEVER)
            self.generations, self.faces = np.append(self.generations, none), np.append(self.faces, none)
            self._seen = np.append(self._seen, none)
            self.first_s = np.append(self.first_s, np.full((more, 2), NEVER), axis=0)
            self.changed_s = np.append(self.changed_s, never)

    def show(self, cell: int, units: Words, counts: npt.NDArray[np.int32]) -> None:
        """A cell shows a mesh from now on."""
        self._shown.append(cell)
        self.generations[cell] += 1
        self.faces[cell] = faces_of(units, counts)

    def show_empty(self, cells: CellIndices) -> None:
        """Cells show nothing from now on; those that showed nothing before do not change."""
        some = cells[self.faces[cells] > 0]
        self._shown += some.tolist()
        self.generations[some] += 1
        self.faces[some] = 0

    def forget(self, cells: CellIndices) -> None:
        """Cells that are gone begin anew."""
        self.generations[cells] = self._seen[cells] = self.faces[cells] = 0
        self.first_s[cells] = self.changed_s[cells, None] = NEVER

    def look(self, seconds: float, received: Received) -> None:
        """Notes what changed since the last look as changed at ``seconds``; what the first look finds has no time.

        Args:
            seconds: grows with time.
            received: asked of cells that changed.
        """
        if not self._shown and self._looked:
            return
        changed = np.array(sorted(set(self._shown)), np.int64)
        self._shown.clear()
        changed = changed[self.generations[changed] != self._seen[changed]]  # others are gone
        self._seen[changed] = self.generations[changed]
        first_s = self.first_s[changed]
        self.first_s[changed] = np.where(
            np.isnan(first_s) & received(changed), seconds if self._looked else BEFORE, first_s
        )
        if self._looked:
            self.changed_s[changed] = seconds
        self._looked = True


def faces_of(units: Words, counts: npt.NDArray[np.int32]) -> int:
    """Faces of blocks that the cube quads of a mesh cover, and its model quads."""
    groups = counts.tolist()
    faces: int = cover(units, sum(groups[:CUBE_GROUPS])) + sum(groups[CUBE_GROUPS:])
    return faces
