"""How high the ground stands around an eye: what lies above every line from the eye to ground cannot matter.

Theory. A place of air matters for the picture only where a ray from the eye goes through it and then meets ground. The
ground that lies farther out than the place gives the steepest such ray. So for each ring of columns the greatest slope
of that ring's ground and all ground outside it is kept, and a place matters when its lowest point lies below the line
of that slope.

Limits: slopes are kept by ring and not by direction, so a mountain in the north keeps the southern sky in question.
"""

from typing import Final, Self

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import ColumnPositions, SubChunkPositions

RINGS: Final = 128
"""Farther columns count with the last ring."""
NO_GROUND: Final = -(1 << 20)
"""Stands for "no ground is expected here"."""


@frozen
class Skyline:
    """The greatest slopes to ground, by ring.

    Attributes:
        at: the eye, in sub-chunks.
        slopes: float64[RINGS]: of the ground in this ring of columns and outside it; -inf where there is none.
    """

    at: tuple[float, float, float]
    slopes: npt.NDArray[np.float64]

    @classmethod
    def of(cls, columns: ColumnPositions, ground: npt.NDArray[np.int64], at: tuple[float, float, float]) -> Self:
        """Of columns whose highest sub-chunk with blocks is at ``ground`` (absolute y, NO_GROUND where unknown)."""
        known = ground != NO_GROUND
        ring, across = _rings(columns[known], at)
        # One sub-chunk more than expected: ground is not known better than that.
        rise = (ground[known] + 2.0 - at[1]) / np.maximum(across - 0.75, 0.5)
        highest = np.full(RINGS, -np.inf)
        np.maximum.at(highest, ring, rise)
        return cls(at, np.maximum.accumulate(highest[::-1])[::-1])

    def hides(self, positions: SubChunkPositions) -> npt.NDArray[np.bool_]:
        """Which places lie above every line from the eye to ground: bool[n]."""
        ring, across = _rings(positions[:, ::2], self.at)
        slope = self.slopes[ring]
        reach = np.where(slope > 0, across + 0.75, np.maximum(across - 0.75, 0.0))
        with np.errstate(invalid="ignore"):  # no ground at all, straight above the eye
            line = np.where(np.isfinite(slope), slope * reach, 1.0)
        above: npt.NDArray[np.bool_] = positions[:, 1] - self.at[1] > line
        return above


def _rings(
    columns: ColumnPositions, at: tuple[float, float, float]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The ring of each column around the eye's, and how far its middle is from the eye, in columns."""
    away_x, away_z = columns[:, 0] + 0.5 - at[0], columns[:, 1] + 0.5 - at[2]
    ring = np.minimum(np.maximum(np.abs(away_x), np.abs(away_z)) + 0.5, RINGS - 1).astype(np.int64)
    return ring, np.sqrt(away_x**2 + away_z**2)
