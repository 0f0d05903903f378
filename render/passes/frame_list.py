"""What one eye may see whichever way it looks, and what of it one frame draws: plain arrays, no GL.

Theory. Where the eye is decides what is behind what, which faces look away, and the order; where it looks only narrows
that. So an eye's meshes become runs once, each with the mesh it is of, and a turn of the camera picks runs by one mask.
An equal mask gives the same ``FrameList`` again: whoever loaded it once need not load it again.

Translucent runs go from far to near. A cell's level quads come before its slopes, so between two cells with slopes
there is one step of each; cells near the eye are left to ``near_quads``, which sorts them quad by quad.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from render.mesh.quads import Group
from render.passes.draw_list import DrawList
from render.passes.near_quads import NearQuads

Mask = npt.NDArray[np.bool_]
Runs = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""First units, and quads, more than 0 each."""
Step = tuple[int, int, int, int]
"""First run and runs of level quads, then of slopes."""


@dataclass(frozen=True, slots=True)
class FrameList:
    """One frame's runs, in the order they are drawn in.

    Attributes:
        opaque: faces that can look at the eye, nearest cell first.
        cutout: nearest first.
        models: nearest first.
        translucent: level glass and liquids, farthest first, without those of near cells.
        slopes: liquids that slope, likewise.
        steps: how the last two are drawn by turns.
        near: the near cells' translucent quads, whole; they are few, so no turn changes them.
        cells: how many meshes.
        quads: how many quads they have, before faces that look away are left out.
    """

    opaque: Runs
    cutout: Runs
    models: Runs
    translucent: Runs
    slopes: Runs
    steps: tuple[Step, ...]
    near: NearQuads
    cells: int
    quads: int

    @property
    def shines_through(self) -> bool:
        """Whether anything in it is drawn with blending."""
        return bool(len(self.translucent[1]) or len(self.slopes[1]) or self.near.steps)


@dataclass(frozen=True, slots=True)
class _Owned:
    """Runs and the mesh each is of, runs without quads left out."""

    mesh: npt.NDArray[np.int64]
    first_units: npt.NDArray[np.int32]
    quads: npt.NDArray[np.int32]

    @classmethod
    def of(cls, mesh: npt.NDArray[np.int64], runs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> "_Owned":
        some = np.flatnonzero(runs[1])
        return cls(mesh[some], runs[0][some].astype(np.int32), runs[1][some].astype(np.int32))

    def of_meshes(self, shown: Mask) -> tuple[npt.NDArray[np.int64], Runs]:
        """Which meshes the runs left are of, and they."""
        kept = np.flatnonzero(shown[self.mesh])
        return kept, (self.first_units[kept], self.quads[kept])


class EyeList:
    """An eye's meshes as runs.

    Attributes:
        meshes: they, nearest first.
        near: translucent quads of the near ones.
    """

    def __init__(self, meshes: DrawList, near: NearQuads) -> None:
        """Sorts nothing: ``meshes`` are nearest first."""
        self.meshes = meshes
        self.near = near
        count = len(meshes.cells)
        each = np.arange(count)
        far = np.ones(count, np.bool_)
        far[near.meshes] = False
        self._quads = meshes.counts.sum(axis=1)
        self._opaque = _Owned.of(np.repeat(each, 6), meshes.opaque())
        self._cutout = _Owned.of(each, meshes.group(Group.CUTOUT))
        self._models = _Owned.of(each, meshes.models())
        self._translucent = _Owned.of(each[::-1], _where(far[::-1], meshes.translucent()))
        self._slopes = _Owned.of(each[::-1], _where(far[::-1], meshes.slopes()))
        self._shown: Mask | None = None
        self._narrowed: FrameList | None = None

    def narrowed(self, shown: Mask) -> FrameList:
        """The meshes that a mask names, bool[meshes]; the same object again for the same mask."""
        if self._narrowed is None or self._shown is None or not np.array_equal(self._shown, shown):
            self._shown, self._narrowed = shown, self._narrow(shown)
        return self._narrowed

    def _narrow(self, shown: Mask) -> FrameList:
        level, translucent = self._translucent.of_meshes(shown)
        sloping, slopes = self._slopes.of_meshes(shown)
        return FrameList(
            opaque=self._opaque.of_meshes(shown)[1],
            cutout=self._cutout.of_meshes(shown)[1],
            models=self._models.of_meshes(shown)[1],
            translucent=translucent,
            slopes=slopes,
            steps=_steps(self._translucent.mesh[level], self._slopes.mesh[sloping]),
            near=self.near,
            cells=int(shown.sum()),
            quads=int(self._quads[shown].sum()),
        )


def _where(
    far: Mask, runs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    return runs[0], np.where(far, runs[1], 0)


def _steps(level: npt.NDArray[np.int64], sloping: npt.NDArray[np.int64]) -> tuple[Step, ...]:
    """Turns of two lists of meshes, farthest (highest) first: up to each mesh with slopes, and the rest."""
    until = np.searchsorted(-level, -sloping, side="right").tolist()
    steps: list[Step] = []
    done = 0
    for slope, end in enumerate(until):
        if steps and end == done:
            first, count, first_slope, slopes = steps[-1]
            steps[-1] = (first, count, first_slope, slopes + 1)
        else:
            steps.append((done, end - done, slope, 1))
        done = end
    if done < len(level):
        steps.append((done, len(level) - done, len(until), 0))
    return tuple(steps)
