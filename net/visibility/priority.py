"""One float32 a place: 0 is needed most (seed 003's priority).

Rules:
1. The number is a distance in sub-chunks plus the penalties of ``PriorityWeights``: for lying aside of where the
   player looks or is likely to look, and for what sight says.
2. Ground comes first: the sub-chunk at the highest one expected to hold blocks, and its neighbours above and below.
   Then air that may lie before ground, then what lies deeper, what sight did not reach, and sky that no line from the
   eye to ground goes through.
3. "Now" and "soon" are one number with an offset: what is only seen from where the player will be comes last.
4. Equal inputs give equal numbers on every machine: float64 inside, no sums whose order could differ.

All penalties are in sub-chunks: a place with a penalty of 8 is needed as late as one without that lies 8 further away.

Skyline: How high the ground stands around an eye: what lies above every line from the eye to ground cannot matter.

Theory. A place of air matters for the picture only where a ray from the eye goes through it and then meets ground. The
ground that lies farther out than the place gives the steepest such ray. So for each ring of columns the greatest slope
of that ring's ground and all ground outside it is kept, and a place matters when its lowest point lies below the line
of that slope.

Limits: slopes are kept by ring and not by direction, so a mountain in the north keeps the southern sky in question.

``ViewPrediction``: what a player is likely to see next (seed 003's attention predictor): likely eyes and likely looks.

Rules:
1. Movement (two steps or more) goes on as it was over the last quarter of a second: an eye for each of
   ``PriorityWeights.soon_after_s`` along it, and one as high as a jump. What they see beyond the present is needed
   soon.
2. A turn goes on as it was. The look where it leads, the way the player moves, and the look back are likely looks, each
   doubted as ``PriorityWeights`` says. They change the order of what is needed now, not what is needed. Right after a
   turn the look counts in full, later ``PriorityWeights.calm`` of it.
3. A player who stands still and does not turn predicts no eye, so a still camera plans nothing.
4. Nobody moves faster than ``FASTEST``: such a step is a teleport and says nothing about the next one.

Theory. Sampling rays of likely positions and directions by chance would find, most of the time, what a walk from the
middle of the likely positions finds at once: a walk has no direction. So positions become walks, and directions become
weights. All is plain arithmetic on what is given: the same inputs predict the same.
"""

from itertools import pairwise
from math import floor, hypot, inf
from typing import Final, Self

import msgspec
import numpy as np
import numpy.typing as npt

from net.space import ColumnPositions, SubChunkPos, SubChunkPositions


class PriorityWeights(msgspec.Struct, frozen=True):
    """How distance, direction, sight and time trade against each other."""

    # whether look and movement count at all. Without, a place's need is its distance and what it may
    # show, and nothing is needed soon.
    attention: bool = True
    aside: float = 48.0  # penalty of a place straight behind; less beside, none within the cone of sight
    # share of it that is left where the look has not turned for ``keen_s``: what is looked at is there by then,
    # and the next turn goes anywhere
    calm: float = 0.05
    keen_s: float = 1.0  # how long after a turn what is looked at comes first
    cone: float = 0.6  # cosine of half the angle that is seen at once
    # how far off the axis (0 = on it, 1 = straight behind) a place counts that lies where the look goes
    # if it goes on turning as it does
    doubt_turning: float = 0.1
    doubt_moving: float = 0.3  # the same for a place that lies where the player moves to, wherever it looks
    doubt_back: float = 0.7  # the same for a place straight behind: players look back
    # at places at most so far off the axis ground is thought to lie lower than expected, so that what would be seen
    # then is asked for before it is known (``client.streaming.expected_ground``)
    guess: float = 0.3
    turning_s: float = 0.3  # how far ahead a turn is thought to go on
    air: float = 4.0  # penalty of a place that is reached and thought to be air in front of ground
    deep: float = 8.0  # penalty of a place that is reached and lies more than one below the ground: a cave, a shaft
    # penalty of a place that the walk did not reach, though it is wanted: the ticking area's caves
    unreached: float = 32.0
    sky: float = 256.0  # penalty of a place above every line from the eye to ground: it cannot matter for the picture
    soon: float = 1024.0  # penalty of a place that is only seen from where the player will be
    # how far ahead the player's movement is thought to go on; one eye each
    soon_after_s: tuple[float, ...] = (0.5, 1.0, 2.0, 3.0)
    soon_entries: int = 512  # so many places are wanted soon at most
    jump_blocks: float = 1.25  # how high an eye is thought to jump; 0 never


RINGS: Final = 128
"""Farther columns count with the last ring."""
NO_GROUND: Final = -(1 << 20)
"""Stands for "no ground is expected here"."""


class Skyline(msgspec.Struct, frozen=True):
    """The greatest slopes to ground, by ring."""

    at: tuple[float, float, float]  # the eye, in sub-chunks
    # float64[RINGS]: of the ground in this ring of columns and outside it; -inf where there is none
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


NOWHERE: Final = (0.0, 0.0, 0.0)
"""A look without a direction: only distance counts (a server is not told one before the player moves)."""

NEAREST: Final = 1.0
"""Sub-chunks; what is nearer lies aside of nothing."""

HALF_DIAGONAL: Final = 0.87
"""Sub-chunks from a sub-chunk's middle to its corners: one whose middle lies beside the cone may reach into it."""

Direction = tuple[float, float, float]
Numbers = npt.NDArray[np.float64]
"""[n]"""


class PlayerView(msgspec.Struct, frozen=True):
    """Who needs places."""

    at: tuple[float, float, float]  # x, y, z of the eye in sub-chunks, with fractions
    forward: Direction = NOWHERE  # unit vector of the look, or ``NOWHERE``
    # unit vectors of looks that may come, and how much each is doubted: 0 as good as the look, 1 never
    likely: tuple[tuple[Direction, float], ...] = ()
    keen: float = 1.0  # how much the look counts, 0..1: all right after a turn


class PlaceVisibility(msgspec.Struct, frozen=True):
    """What is known of places' sight, an element each."""

    reached: npt.NDArray[np.bool_]  # bool[n]: sight reaches it, from where the player is
    soon: npt.NDArray[np.bool_]  # bool[n]: it is wanted only for where the player will be
    # int64[n]: y of the highest sub-chunk expected to hold blocks in its column, or NO_GROUND
    ground: npt.NDArray[np.int64]
    skyline: Skyline | None = None  # how high ground stands around the eye; None where no ground is expected at all


def need(
    positions: SubChunkPositions, looker: PlayerView, weights: PriorityWeights, sight: PlaceVisibility | None = None
) -> npt.NDArray[np.float32]:
    """How soon each place is needed: float32[n], 0 first.

    ``sight``: what is known of sight; None takes every place for reached, and the ground for unknown.
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
    """Which places lie where the player looks, or is likely to look soon: bool[n]; none without attention."""
    if not weights.attention or looker.forward == NOWHERE:
        return np.zeros(len(positions), bool)
    seen: npt.NDArray[np.bool_] = _off_axis(*_away(positions, looker), looker, weights) <= weights.guess
    return seen


def _away(positions: SubChunkPositions, looker: PlayerView) -> tuple[tuple[Numbers, Numbers, Numbers], Numbers]:
    """From the eye to the middle of each place, by axis, and how far that is."""
    x, y, z = (positions[:, axis].astype(np.float64) + (0.5 - looker.at[axis]) for axis in range(3))
    return (x, y, z), np.sqrt(x**2 + y**2 + z**2)


def _off_axis(
    away: tuple[Numbers, Numbers, Numbers], distance: Numbers, looker: PlayerView, weights: PriorityWeights
) -> Numbers:
    """0 where the player looks .. 1 straight behind, or less where another look is likely."""
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
"""Of 20 degrees: a look that has gone so far from where it rested has turned."""
LEAST_TURN: Final = 0.05
"""Of a look's unit vector in the time remembered: three degrees."""


class ViewPrediction:
    """What one player's movement promises; owned by whoever observes."""

    def __init__(self, weights: PriorityWeights) -> None:
        self._weights = weights
        self._seen: list[tuple[float, Position, Direction]] = []
        self._rested = NOWHERE  # the look that the last turn ended or passed by
        self._turned_at = -inf

    def observe(self, now: float, at: Position, forward: Direction) -> None:
        """The player is there at ``now`` (monotonic seconds) and looks that way."""
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
        """Sub-chunks a second; zero where the player stands."""
        steps = sum(one[1] != next_one[1] for one, next_one in pairwise(self._seen))
        if steps < 2:  # one step is no movement
            return NOWHERE
        (then, before, _), (now, after, _) = self._seen[0], self._seen[-1]
        seconds = max(now - then, MEMORY_S)
        speed = tuple((b - a) / seconds for a, b in zip(before, after, strict=True))
        return (speed[0], speed[1], speed[2]) if SLOWEST < hypot(*speed) <= FASTEST else NOWHERE

    @property
    def keen(self) -> float:
        """How much the look counts: 1 right after a turn."""
        if self._seen and self._seen[-1][0] <= self._turned_at + self._weights.keen_s:
            return 1.0
        return self._weights.calm

    def eyes(self) -> tuple[Position, ...]:
        """Where the player is likely to be soon, soonest first; empty where it stands."""
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
        """The sub-chunks of ``eyes``: what is seen from there changes little within them."""
        return tuple(SubChunkPos(floor(x), floor(y), floor(z)) for x, y, z in self.eyes())

    def looks(self) -> tuple[tuple[Direction, float], ...]:
        """Where the player is likely to look soon besides where it does, each with its doubt."""
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
        """The look if the turn goes on; None where there is none, or it was one jerk."""
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
