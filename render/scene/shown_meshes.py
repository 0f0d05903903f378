"""Meshes read back from the GPU: what is drawn, not what was once made."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.mesh.quads import CUBE_GROUPS, CUBE_WORDS, MODEL_WORDS, Words


@frozen
class ShownMeshes:
    """The meshes of all cells that have any, in no order that means anything.

    Attributes:
        cells: int32[n, 3] positions of render cells.
        counts: int32[n, 11] quads by ``Group``.
        units: uint32[m, 2] every mesh's units as the arena holds them.
        first: int64[n] where each mesh begins in ``units``.
    """

    cells: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    units: Words
    first: npt.NDArray[np.int64]

    def quads(self) -> Iterator[tuple[Words, Words]]:
        """Each mesh's cube quads, uint32[c, 2], and model quads, uint32[m, 6]."""
        cubes = self.counts[:, :CUBE_GROUPS].sum(axis=1)
        models = self.counts[:, CUBE_GROUPS:].sum(axis=1)
        a_model = MODEL_WORDS // CUBE_WORDS
        for first, cube, model in zip(self.first.tolist(), cubes.tolist(), models.tolist(), strict=True):
            behind = first + cube
            yield self.units[first:behind], self.units[behind : behind + a_model * model].reshape(-1, MODEL_WORDS)
