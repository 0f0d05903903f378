"""One float32 a place: 0 is needed most (seed 003's priority).

Rules:
1. The number is a distance in sub-chunks, stretched by how far the place lies off the view axis.
2. Places of the ticking area come first, nearest first, whatever the look (seed 000: unconditional); all others are
   moved behind the area's farthest corner, so that one sort by this number orders both.
3. Equal inputs give equal numbers on every machine: float64 inside, no sums whose order could differ.

Limits: positions within 2**20 sub-chunks of the looker are told apart exactly.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from net.interest.weights import Weights
from net.space.layout import SubChunkPositions

NOWHERE: Final = (0.0, 0.0, 0.0)
"""A look without a direction: only distance counts (a server is not told one before the player moves)."""


@dataclass(frozen=True, slots=True)
class Looker:
    """Who needs places.

    Attributes:
        at: x, y, z of the eye in sub-chunks, with fractions.
        forward: unit vector of the look, or ``NOWHERE``.
    """

    at: tuple[float, float, float]
    forward: tuple[float, float, float] = NOWHERE


def need(positions: SubChunkPositions, looker: Looker, weights: Weights | None = None) -> npt.NDArray[np.float32]:
    """How soon each place is needed: float32[n], 0 first.

    Args:
        positions: the places.
        looker: whose need it is.
        weights: how distance and direction are weighed.
    """
    chosen = weights or Weights()
    away = positions + 0.5 - np.array(looker.at)
    distance = np.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2 + away[:, 2] ** 2)
    along = away[:, 0] * looker.forward[0] + away[:, 1] * looker.forward[1] + away[:, 2] * looker.forward[2]
    cosine = np.divide(along, distance, out=np.ones_like(distance), where=distance > 0)
    off_axis = (1.0 - cosine) / 2 if any(looker.forward) else np.zeros_like(distance)
    columns = np.abs(positions[:, ::2] - np.floor(np.array(looker.at)[::2]))
    outside = columns.max(axis=1, initial=0) > chosen.ticking_radius_columns
    # The area's farthest corner: its half diagonal across, and the tallest dimension (64 sub-chunks) along y.
    behind_area = float(np.hypot(chosen.ticking_radius_columns + 1, chosen.ticking_radius_columns + 1)) + 64.0
    weighed = np.where(outside, behind_area + distance * (1.0 + chosen.behind * off_axis), distance)
    numbers: npt.NDArray[np.float32] = weighed.astype(np.float32)
    return numbers
