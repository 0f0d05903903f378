"""How soon a place is needed: one float32 a place, 0 is needed most (seed 003's priority).

Rules:
1. The number is a distance in sub-chunks plus the penalties of ``PriorityWeights``: for the angle to the player's
   present or likely directions, and for visibility.
2. Ground comes first: the highest sub-chunk expected to hold blocks, and its neighbours above and below. Then air that
   may lie before ground, then deeper sub-chunks, those that sight did not reach, and sky that no line from the eye to
   ground crosses.
3. "Now" and "soon" are one number with an offset: places that are visible only from the player's likely future
   positions come last.
4. Equal inputs give equal numbers on every machine: float64 inside, no sums whose order could differ.

All penalties are in sub-chunks: a place with a penalty of 8 is needed as late as one without that lies 8 further away.

``Skyline``: the height of the ground around an eye; a place above every line from the eye to ground cannot matter.

Theory. A place of air matters for the picture only if a ray from the eye crosses it and then meets ground. The ground
that lies farther out than the place gives the steepest such ray. So for each ring of columns the greatest slope of that
ring's ground and all ground outside it is kept, and a place matters if its lowest point lies below the line of that
slope.

Limits: slopes are kept by ring and not by direction, so a mountain in the north keeps the southern sky relevant.

``ViewPrediction``: what a player is likely to see next (seed 003's attention predictor): likely eyes and directions.

1. Movement (two steps or more) is extrapolated from the last quarter of a second: an eye for each of
   ``PriorityWeights.soon_after_s`` along it, and one as high as a jump. What they see beyond the present is needed
   soon.
2. A turn is extrapolated. The direction where it leads, the direction of movement, and the one straight back are likely
   directions, each with a doubt from ``PriorityWeights``. They change the order of what is needed now, not what is
   needed. Right after a turn the direction counts in full, later ``PriorityWeights.calm`` of it.
3. A player who stands still and does not turn gives no likely eye, so a still camera plans nothing.
4. A step faster than ``FASTEST`` is a teleport and is not extrapolated.

Theory. Sampling rays of likely positions and directions randomly would mostly find what one walk from the middle of the
likely positions finds at once: a walk has no direction. So positions become walks, and directions become weights. All
is plain arithmetic on the inputs: the same inputs give the same prediction.
"""

from itertools import pairwise
from math import floor, hypot, inf
from typing import Final, Self

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import ColumnPositions, SubChunkPositions
from net.space import SubChunkPos


class PriorityWeights(msgspec.Struct, frozen=True):
    """Weights of distance, direction, visibility and time."""

    # whether direction and movement count at all. If not, a place's need is its distance and visibility, and nothing
    # is needed soon.
    attention: bool = True
    aside: float = 48.0  # penalty of a place straight behind; less beside, none within the cone of sight
    # share of it that remains if the player has not turned for ``keen_s``: what it looks at is loaded by then,
    # and the next turn may go anywhere
    calm: float = 0.05
    keen_s: float = 1.0  # how long after a turn the direction counts in full
    cone: float = 0.6  # cosine of half the angle of the field of view
    # how far off the axis (0 = on it, 1 = straight behind) a place counts that lies in the direction where the
    # present turn leads
    doubt_turning: float = 0.1
    doubt_moving: float = 0.3  # the same for a place in the direction of movement
    doubt_back: float = 0.7  # the same for a place straight behind: players look back
    # for places at most this far off the axis ground is assumed lower than expected, so that what would then be
    # visible is requested before it is known (``client.streaming.expected_ground``)
    guess: float = 0.3
    turning_s: float = 0.3  # how far ahead a turn is extrapolated
    air: float = 4.0  # penalty of a place that is reached and expected to be air in front of ground
    deep: float = 8.0  # penalty of a place that is reached and lies more than one below the ground: a cave, a shaft
    # penalty of a place that the walk did not reach, though it is needed: the ticking area's caves
    unreached: float = 32.0
    sky: float = 256.0  # penalty of a place above every line from the eye to ground: it cannot matter for the picture
    soon: float = 1024.0  # penalty of a place that is visible only from likely future positions
    # how far ahead the movement is extrapolated; one eye each
    soon_after_s: tuple[float, ...] = (0.5, 1.0, 2.0, 3.0)
    soon_entries: int = 512  # at most this many places are needed soon
    jump_blocks: float = 1.25  # assumed height of a jump; 0 for none


RINGS: Final = 128
"""Farther columns count with the last ring."""
NO_GROUND: Final = -(1 << 20)
"""No ground is expected here."""


class Skyline(msgspec.Struct, frozen=True):
    """The greatest slopes to ground, by ring."""

    at: tuple[float, float, float]  # the eye, in sub-chunks
    # float64[RINGS]: of the ground in this ring of columns and outside it; -inf if there is none
    slopes: npt.NDArray[np.float64]

    @classmethod
    def of(cls, columns: ColumnPositions, ground: npt.NDArray[np.int64], at: tuple[float, float, float]) -> Self:
        """Of columns whose highest sub-chunk with blocks is at ``ground`` (absolute y, NO_GROUND where unknown)."""
        known = ground != NO_GROUND
        ring, across = _rings(columns[known], at)
        # One sub-chunk above the expected ground, which is not known more precisely.
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
    """The ring of each column around the eye's, and the distance of its middle from the eye, in columns."""
    away_x, away_z = columns[:, 0] + 0.5 - at[0], columns[:, 1] + 0.5 - at[2]
    ring = np.minimum(np.maximum(np.abs(away_x), np.abs(away_z)) + 0.5, RINGS - 1).astype(np.int64)
    return ring, np.sqrt(away_x**2 + away_z**2)


NOWHERE: Final = (0.0, 0.0, 0.0)
"""No direction: only distance counts (a server does not know one before the player moves)."""

NEAREST: Final = 1.0
"""Sub-chunks; nearer places have no angle."""

HALF_DIAGONAL: Final = 0.87
"""Sub-chunks from a sub-chunk's middle to its corners: one whose middle lies beside the cone may reach into it."""

Direction = tuple[float, float, float]
Numbers = npt.NDArray[np.float64]
"""[n]"""


class PlayerView(msgspec.Struct, frozen=True):
    """The position and directions of one player."""

    at: tuple[float, float, float]  # x, y, z of the eye in sub-chunks, with fractions
    forward: Direction = NOWHERE  # unit vector of the look, or ``NOWHERE``
    # unit vectors of likely directions, each with its doubt: 0 as good as the present direction, 1 never
    likely: tuple[tuple[Direction, float], ...] = ()
    keen: float = 1.0  # how much the direction counts, 0..1: all right after a turn


class PlaceVisibility(msgspec.Struct, frozen=True):
    """The visibility of places, an element each."""

    reached: npt.NDArray[np.bool_]  # bool[n]: sight reaches it from the player's position
    soon: npt.NDArray[np.bool_]  # bool[n]: it is needed only for likely future positions
    # int64[n]: y of the highest sub-chunk expected to hold blocks in its column, or NO_GROUND
    ground: npt.NDArray[np.int64]
    skyline: Skyline | None = None  # None if no ground is expected at all


def need(
    positions: SubChunkPositions, looker: PlayerView, weights: PriorityWeights, sight: PlaceVisibility | None = None
) -> npt.NDArray[np.float32]:
    """How soon each place is needed: float32[n], 0 first.

    ``sight``: visibility of the places; None treats every place as reached, and the ground as unknown.
    """
    away, distance = _away(positions, looker)
    weighed = distance
    if weights.attention and looker.forward != NOWHERE and looker.keen > 0.0:
        weighed = distance + weights.aside * looker.keen * _off_axis(away, distance, looker, weights)
    if sight is not None:
        weighed = weighed + _penalties(positions, weights, sight)
    numbers: npt.NDArray[np.float32] = weighed.astype(np.float32)
    return numbers


def looked_at(positions: SubChunkPositions, looker: PlayerView, weights: PriorityWeights) -> npt.NDArray[np.bool_]:
    """Which places lie in the player's present or likely directions: bool[n]; none without attention."""
    if not weights.attention or looker.forward == NOWHERE:
        return np.zeros(len(positions), bool)
    seen: npt.NDArray[np.bool_] = _off_axis(*_away(positions, looker), looker, weights) <= weights.guess
    return seen


def _away(positions: SubChunkPositions, looker: PlayerView) -> tuple[tuple[Numbers, Numbers, Numbers], Numbers]:
    """Vector from the eye to the middle of each place, by axis, and its length."""
    x, y, z = (positions[:, axis].astype(np.float64) + (0.5 - looker.at[axis]) for axis in range(3))
    return (x, y, z), np.sqrt(x**2 + y**2 + z**2)


def _off_axis(
    away: tuple[Numbers, Numbers, Numbers], distance: Numbers, looker: PlayerView, weights: PriorityWeights
) -> Numbers:
    """0 in the player's direction .. 1 straight behind, or less in another likely direction."""
    least = np.ones(len(distance))
    inverse = 1.0 / np.maximum(distance, NEAREST)
    for direction, doubt in ((looker.forward, 0.0), *looker.likely):
        cosine = (away[0] * direction[0] + away[1] * direction[1] + away[2] * direction[2]) * inverse
        aside = np.clip((weights.cone - cosine - HALF_DIAGONAL * inverse) / (weights.cone + 1.0), 0.0, 1.0)
        np.minimum(least, doubt + (1.0 - doubt) * aside, out=least)
    least[distance < NEAREST] = 0.0
    return least


def _penalties(
    positions: SubChunkPositions, weights: PriorityWeights, sight: PlaceVisibility
) -> npt.NDArray[np.float64]:
    above_ground = positions[:, 1] - sight.ground
    penalty = np.where(above_ground > 1, weights.air, np.where(above_ground < -1, weights.deep, 0.0))
    penalty[sight.ground == NO_GROUND] = 0.0
    penalty[~sight.reached] = weights.unreached
    if sight.skyline is not None:
        penalty[sight.skyline.hides(positions)] = weights.sky
    penalty[sight.soon] += weights.soon
    return penalty


# --------------------------------------------------------------------- prediction

Position = tuple[float, float, float]
"""x, y, z in sub-chunks, with fractions."""

MEMORY_S: Final = 0.25
FASTEST: Final = 4.0
"""Sub-chunks a second; creative flight sprints at 1.4."""
SLOWEST: Final = 0.03
"""Sub-chunks a second: half a block; what is slower stands."""
TURNED_COSINE: Final = 0.94
"""Cosine of 20 degrees: a direction that has moved this far from where it rested has turned."""
LEAST_TURN: Final = 0.05
"""Least change of the unit vector in the observed time: three degrees."""


class ViewPrediction:
    """Predicts one player's movement; owned by the observer."""

    def __init__(self, weights: PriorityWeights) -> None:
        self._weights = weights
        self._seen: list[tuple[float, Position, Direction]] = []
        self._rested = NOWHERE  # direction where the last turn ended, or which it passed
        self._turned_at = -inf

    def observe(self, now: float, at: Position, forward: Direction) -> None:
        """Records position and direction at ``now`` (monotonic seconds)."""
        if self._seen and now <= self._seen[-1][0]:
            self._seen.pop()
        if self._seen and _apart(self._seen[-1][1], at) > FASTEST * (now - self._seen[-1][0]) + 1.0:
            self._seen.clear()
        self._seen.append((now, at, forward))
        if self._rested == NOWHERE:
            self._rested = forward
        elif _cosine(forward, self._rested) < TURNED_COSINE:
            self._rested, self._turned_at = forward, now
        while len(self._seen) > 2 and self._seen[1][0] <= now - MEMORY_S:
            self._seen.pop(0)

    @property
    def velocity(self) -> Position:
        """Sub-chunks a second; zero if the player stands."""
        steps = sum(one[1] != next_one[1] for one, next_one in pairwise(self._seen))
        if steps < 2:  # one step is no movement
            return NOWHERE
        (then, before, _), (now, after, _) = self._seen[0], self._seen[-1]
        seconds = max(now - then, MEMORY_S)
        speed = tuple((b - a) / seconds for a, b in zip(before, after, strict=True))
        return (speed[0], speed[1], speed[2]) if SLOWEST < hypot(*speed) <= FASTEST else NOWHERE

    @property
    def keen(self) -> float:
        """How much the direction counts: 1 right after a turn."""
        if self._seen and self._seen[-1][0] <= self._turned_at + self._weights.keen_s:
            return 1.0
        return self._weights.calm

    def eyes(self) -> tuple[Position, ...]:
        """Likely eye positions, soonest first; empty if the player stands."""
        velocity, weights = self.velocity, self._weights
        if not weights.attention or velocity == NOWHERE:
            return ()
        at = self._seen[-1][1]
        ahead = [
            (at[0] + velocity[0] * s, at[1] + velocity[1] * s, at[2] + velocity[2] * s) for s in weights.soon_after_s
        ]
        jump = [(at[0], at[1] + weights.jump_blocks / 16, at[2])] if weights.jump_blocks else []
        return (*ahead, *jump)

    def subchunks(self) -> tuple[SubChunkPos, ...]:
        """The sub-chunks of ``eyes``: visibility changes little within them."""
        return tuple(SubChunkPos(floor(x), floor(y), floor(z)) for x, y, z in self.eyes())

    def looks(self) -> tuple[tuple[Direction, float], ...]:
        """Likely directions besides the present one, each with its doubt."""
        if not self._seen or self._seen[-1][2] == NOWHERE:
            return ()
        forward, weights = self._seen[-1][2], self._weights
        found = [((-forward[0], -forward[1], -forward[2]), weights.doubt_back)]
        turned = self._turned()
        if turned is not None:
            found.append((turned, weights.doubt_turning))
        velocity = self.velocity
        if velocity != NOWHERE:
            found.append((_unit(velocity), weights.doubt_moving))
        return tuple(found)

    def _turned(self) -> Direction | None:
        """The extrapolated direction of a turn; None if there is no turn, or only one jerk."""
        steps = sum(one[2] != next_one[2] for one, next_one in pairwise(self._seen))
        (then, _, before), (now, _, after) = self._seen[0], self._seen[-1]
        change = tuple(b - a for a, b in zip(before, after, strict=True))
        if steps < 2 or before == NOWHERE or now <= then or hypot(*change) < LEAST_TURN:
            return None
        share = min(self._weights.turning_s / (now - then), 1.0)
        onward = (after[0] + change[0] * share, after[1] + change[1] * share, after[2] + change[2] * share)
        return _unit(onward) if hypot(*onward) > LEAST_TURN else None


def _apart(a: Position, b: Position) -> float:
    return hypot(*(p - q for p, q in zip(a, b, strict=True)))


def _cosine(a: Direction, b: Direction) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _unit(v: Position) -> Direction:
    length = hypot(*v)
    return v[0] / length, v[1] / length, v[2] / length
