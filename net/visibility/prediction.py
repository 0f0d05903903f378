"""What a player is likely to see next (seed 003's attention predictor): likely eyes and likely looks.

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
from typing import Final

from net.space import SubChunkPos
from net.visibility.priority import NOWHERE, Direction, PriorityWeights

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
