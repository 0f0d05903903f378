"""One player's interest: where it is, how it looks and moves, and which columns it is owed, in what order.

Rules:
1. A column's priority is that of its sub-chunk that is seen nearest to the player's height: a float32 of
   ``net.interest``, 0 first. Columns that no line of sight reaches count as farther away.
2. A column is reached when a line of sight ends in it or in one beside it: a client needs the eight around what it
   shows. The area that a client ticks counts as reached: clients wait for it.
3. Now and soon are apart, where occlusion counts. ``soon`` are columns that the player has no use for yet, but would
   from where it is likely to be: they are worth making, not worth sending.
4. ``step`` does nothing while nothing changed, and looks at most every ``EVERY_S``.

Limits: a look takes 0.3 ms at radius 6 and 1 at 16 (measured); where occlusion counts each likely eye is one more walk.
"""

import math
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from net.interest import NO_GROUND, NOWHERE, Attention, Looker, Weights, need
from net.interest import Sight as Seen
from net.server.interest.sight import Reached, Sight
from net.server.provider import Provider
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos

EVERY_S: Final = 0.25
TICKED_COLUMNS: Final = 4
"""Radius of the area that a client ticks, and is sent whatever it sees."""

Direction = tuple[float, float, float]
Priorities = dict[ColumnPos, float]
"""By column, float32 as Python has it, 0 first."""


def weights_of(fov_degrees: float, aspect: float) -> Weights:
    """The shared weights for pictures of that vertical field of view: the cone goes through their corners."""
    half = math.atan(math.tan(math.radians(fov_degrees) / 2) * math.hypot(1.0, aspect))
    return replace(Weights(), cone=math.cos(half))


class PlayerInterest:
    """One player's; see the module.

    Args:
        provider: whose columns are listened to.
        dimension: of the world.
        weights: how things are weighed.
    """

    def __init__(self, provider: Provider, dimension: Dimension, weights: Weights) -> None:
        self._provider = provider
        self._dimension = dimension
        self._weights = weights
        self._sight = Sight(provider, dimension)
        self._attention = Attention(weights)
        self._eye = (0.0, 0.0, 0.0)
        self._forward: Direction = NOWHERE
        self._looked_at: object = None
        self._next = -math.inf
        self.now: Priorities = {}
        """Columns of the area with their priorities, but for those that were unreached when occlusion counts."""
        self.soon: Priorities = {}
        """Columns that are worth making ahead."""

    def place(self, eye: tuple[float, float, float]) -> None:
        """The player is there, and nobody knows how it looks."""
        self._eye, self._forward = eye, NOWHERE

    def observe(self, now: float, eye: tuple[float, float, float], yaw: float, pitch: float) -> None:
        """The player says where its eye is, in blocks, and how it looks, in degrees; nonsense is no look."""
        forward = NOWHERE
        if math.isfinite(yaw) and math.isfinite(pitch):
            turn, rise = math.radians(yaw), math.radians(pitch)
            forward = (-math.sin(turn) * math.cos(rise), -math.sin(rise), math.cos(turn) * math.cos(rise))
        self._eye, self._forward = eye, forward
        self._attention.observe(now, _in_subchunks(eye), forward)

    def step(self, now: float, centre: ColumnPos, radius: int, *, occlusion: bool) -> bool:
        """Looks again where something changed and it is time; True when ``now`` and ``soon`` are new.

        Args:
            now: monotonic seconds.
            centre: of the area, in columns.
            radius: of it.
            occlusion: whether unreached columns are left out of ``now``.
        """
        eyes = self._attention.eyes()
        state = (centre, radius, self._eye, self._forward, eyes, self._attention.keen, self._provider.news)
        moved = self._looked_at is None or state[:2] != self._looked_at[:2]  # type: ignore[index]
        if state == self._looked_at or (now < self._next and not moved):
            return False
        self._looked_at, self._next = state, now + EVERY_S
        self._look(centre, radius, occlusion=occlusion)
        return True

    def _look(self, centre: ColumnPos, radius: int, *, occlusion: bool) -> None:
        self._sight.listen(centre, radius)
        reached = self._sight.reached(self._eye)
        likely = np.zeros_like(reached)
        for eye in self._attention.eyes() if occlusion else ():  # otherwise all of the area is wanted now
            likely |= self._sight.reached((eye[0] * 16, eye[1] * 16, eye[2] * 16))
        seen, side = _spread(reached), 2 * radius + 1
        near = slice(max(radius - TICKED_COLUMNS, 0), radius + TICKED_COLUMNS + 1)
        seen[near, near] = True
        soon = _spread(likely) & ~seen
        x, z = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        columns = np.stack([x.ravel() + centre.x - radius, z.ravel() + centre.z - radius], axis=1)
        numbers = self._needs(columns, reached | likely, seen.ravel(), soon.ravel())
        wanted = seen.ravel() if occlusion else np.ones(side * side, bool)
        self.now = _by_column(columns, numbers, wanted)
        self.soon = _by_column(columns, numbers, soon.ravel() & ~wanted)

    def _needs(
        self,
        columns: npt.NDArray[np.int64],
        reached: Reached,
        seen: npt.NDArray[np.bool_],
        soon: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.float32]:
        sections = self._dimension.sections
        own = min(max(math.floor(self._eye[1] / 16) - self._dimension.floor_section, 0), sections - 1)
        away = np.abs(np.arange(sections) - own)
        nearest = np.where(reached.reshape(-1, sections), away, sections).argmin(axis=1)
        nearest[~reached.reshape(-1, sections).any(axis=1)] = own
        places = np.stack([columns[:, 0], nearest + self._dimension.floor_section, columns[:, 1]], axis=1)
        attention = self._attention
        looker = Looker(_in_subchunks(self._eye), self._forward, attention.looks(), attention.keen)
        sight = Seen(seen | soon, soon, np.full(len(columns), NO_GROUND, np.int64))
        return need(places.astype(np.int32), looker, self._weights, sight)


def _by_column(
    columns: npt.NDArray[np.int64], numbers: npt.NDArray[np.float32], chosen: npt.NDArray[np.bool_]
) -> Priorities:
    return {
        ColumnPos(x, z): number
        for (x, z), number in zip(columns[chosen].tolist(), numbers[chosen].tolist(), strict=True)
    }


def _spread(subchunks: Reached) -> npt.NDArray[np.bool_]:
    """The columns of those sub-chunks, and the eight around each: bool[side, side]."""
    columns: npt.NDArray[np.bool_] = np.logical_or.reduce(subchunks, axis=2)
    wide = np.pad(columns, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    spread: npt.NDArray[np.bool_] = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return spread


def _in_subchunks(eye: tuple[float, float, float]) -> tuple[float, float, float]:
    return eye[0] / 16, eye[1] / 16, eye[2] / 16
