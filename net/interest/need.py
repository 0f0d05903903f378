"""One float32 a place: 0 is needed most (seed 003's priority).

Rules:
1. The number is a distance in sub-chunks plus the penalties of ``Weights``: for lying aside of where the player looks
   or is likely to look, and for what sight says.
2. Ground comes first: the sub-chunk at the highest one expected to hold blocks, and its neighbours above and below.
   Then air that may lie before ground, then what lies deeper, what sight did not reach, and sky that no line from the
   eye to ground goes through.
3. "Now" and "soon" are one number with an offset: what is only seen from where the player will be comes last.
4. Equal inputs give equal numbers on every machine: float64 inside, no sums whose order could differ.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.interest.skyline import NO_GROUND, Skyline
from net.interest.weights import Weights
from net.space.layout import SubChunkPositions

NOWHERE: Final = (0.0, 0.0, 0.0)
"""A look without a direction: only distance counts (a server is not told one before the player moves)."""

NEAREST: Final = 1.0
"""Sub-chunks; what is nearer lies aside of nothing."""

HALF_DIAGONAL: Final = 0.87
"""Sub-chunks from a sub-chunk's middle to its corners: one whose middle lies beside the cone may reach into it."""

Direction = tuple[float, float, float]
Numbers = npt.NDArray[np.float64]
"""[n]"""


@frozen
class Looker:
    """Who needs places.

    Attributes:
        at: x, y, z of the eye in sub-chunks, with fractions.
        forward: unit vector of the look, or ``NOWHERE``.
        likely: unit vectors of looks that may come, and how much each is doubted: 0 as good as the look, 1 never.
        keen: how much the look counts, 0..1: all right after a turn.
    """

    at: tuple[float, float, float]
    forward: Direction = NOWHERE
    likely: tuple[tuple[Direction, float], ...] = ()
    keen: float = 1.0


@frozen
class Sight:
    """What is known of places' sight, an element each.

    Attributes:
        reached: bool[n]: sight reaches it, from where the player is.
        soon: bool[n]: it is wanted only for where the player will be.
        ground: int64[n]: y of the highest sub-chunk expected to hold blocks in its column, or NO_GROUND.
        skyline: how high ground stands around the eye; None where no ground is expected at all.
    """

    reached: npt.NDArray[np.bool_]
    soon: npt.NDArray[np.bool_]
    ground: npt.NDArray[np.int64]
    skyline: Skyline | None = None


def need(
    positions: SubChunkPositions, looker: Looker, weights: Weights, sight: Sight | None = None
) -> npt.NDArray[np.float32]:
    """How soon each place is needed: float32[n], 0 first.

    Args:
        positions: the places.
        looker: whose need it is.
        weights: how things are weighed.
        sight: what is known of sight; None takes every place for reached, and the ground for unknown.
    """
    away, distance = _away(positions, looker)
    weighed = distance
    if weights.attention and looker.forward != NOWHERE and looker.keen > 0.0:
        weighed = distance + weights.aside * looker.keen * _off_axis(away, distance, looker, weights)
    if sight is not None:
        weighed = weighed + _penalties(positions, weights, sight)
    numbers: npt.NDArray[np.float32] = weighed.astype(np.float32)
    return numbers


def looked_at(positions: SubChunkPositions, looker: Looker, weights: Weights) -> npt.NDArray[np.bool_]:
    """Which places lie where the player looks, or is likely to look soon: bool[n]; none without attention."""
    if not weights.attention or looker.forward == NOWHERE:
        return np.zeros(len(positions), bool)
    seen: npt.NDArray[np.bool_] = _off_axis(*_away(positions, looker), looker, weights) <= weights.guess
    return seen


def _away(positions: SubChunkPositions, looker: Looker) -> tuple[tuple[Numbers, Numbers, Numbers], Numbers]:
    """From the eye to the middle of each place, by axis, and how far that is."""
    x, y, z = (positions[:, axis].astype(np.float64) + (0.5 - looker.at[axis]) for axis in range(3))
    return (x, y, z), np.sqrt(x**2 + y**2 + z**2)


def _off_axis(away: tuple[Numbers, Numbers, Numbers], distance: Numbers, looker: Looker, weights: Weights) -> Numbers:
    """0 where the player looks .. 1 straight behind, or less where another look is likely."""
    least = np.ones(len(distance))
    inverse = 1.0 / np.maximum(distance, NEAREST)
    for direction, doubt in ((looker.forward, 0.0), *looker.likely):
        cosine = (away[0] * direction[0] + away[1] * direction[1] + away[2] * direction[2]) * inverse
        aside = np.clip((weights.cone - cosine - HALF_DIAGONAL * inverse) / (weights.cone + 1.0), 0.0, 1.0)
        np.minimum(least, doubt + (1.0 - doubt) * aside, out=least)
    least[distance < NEAREST] = 0.0
    return least


def _penalties(positions: SubChunkPositions, weights: Weights, sight: Sight) -> npt.NDArray[np.float64]:
    above_ground = positions[:, 1] - sight.ground
    penalty = np.where(above_ground > 1, weights.air, np.where(above_ground < -1, weights.deep, 0.0))
    penalty[sight.ground == NO_GROUND] = 0.0
    penalty[~sight.reached] = weights.unreached
    if sight.skyline is not None:
        penalty[sight.skyline.hides(positions)] = weights.sky
    penalty[sight.soon] += weights.soon
    return penalty
