"""Keyframes that ways through a recording leave behind, so that later ways begin near their goals.

Rules:
1. One every ``APART_US`` of what was lived through, where none stands yet; a few more just before where a way back
   ends, for who goes back one step goes back another.
2. The owner takes them, a thread packs each.
3. They never take more than their room: of those that are packed, the one goes whose neighbours are nearest to each
   other. Where that is the one just left, the next is left as late as if it stood.
4. Waypoints that somebody else made (``given``) take no room here and stay.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final

from client.connect.beside import Beside
from client.connect.goal import Goal
from client.connect.waypoints import Waypoint

APART_US: Final = 30_000_000
"""0.2 to 0.6 s of a processor at radius 8, flying (measured)."""
BEFORE_GOAL_US: Final = (8_000_000, 2_000_000, 300_000)
"""Where a way back may be followed by others a little shorter: from the last of these a tick is a matter of some ms."""
NEAR: Final = 2 * len(BEFORE_GOAL_US)
"""How many of those stay."""


class Footholds:
    """Of one recording; owner thread."""

    def __init__(self, given: Sequence[Waypoint], room_bytes: int) -> None:
        """None yet; without room there never will be.

        Args:
            given: waypoints made before, in order.
            room_bytes: for all that are made here.
        """
        self._given = tuple(given)
        self._room_bytes = room_bytes
        self._far: list[Waypoint] = []
        self._near: list[Waypoint] = []
        self._tried_us = 0  # when the last far one was left, which may have found no room

    @property
    def has_room(self) -> bool:
        """Whether any are made here."""
        return self._room_bytes > 0

    @property
    def size_bytes(self) -> int:
        """What those take that were made here."""
        return sum(one.keyframe.size_bytes for one in (*self._far, *self._near))

    def before(self, goal: Goal) -> Waypoint | None:
        """The last one from which a goal lies ahead."""
        return next((one for one in reversed(self._all()) if not one.is_past(goal)), None)

    def next_stop(self, passed_us: float, goal_us: float | None) -> tuple[float, bool]:
        """When a way should leave the next one, inf: never; and whether that is for steps back from its goal.

        Args:
            passed_us: later than that.
            goal_us: where a way ends that one may step back from; None: it goes on.
        """
        if not self.has_room:
            return math.inf, False
        before_us = () if goal_us is None else (goal_us - before for before in BEFORE_GOAL_US)
        near_us = min((at for at in before_us if at > passed_us), default=math.inf)
        far_us = self._next_far(passed_us)
        return min(near_us, far_us), near_us < far_us

    def leave(self, waypoint: Waypoint, near: bool) -> None:
        """Keeps one, and has it packed."""
        Beside("keyframe", waypoint.keyframe.pack)
        if near:
            self._near = [*self._near[1 - NEAR :], waypoint]
        else:
            self._far = sorted([*self._far, waypoint], key=attrgetter("time_us"))
            self._tried_us = waypoint.time_us
        while self.size_bytes > self._room_bytes and (packed := [one for one in self._far if one.keyframe.size_bytes]):
            self._far.remove(packed[_least_missed(packed)])

    def _all(self) -> list[Waypoint]:
        return sorted([*self._given, *self._far, *self._near], key=attrgetter("time_us"))

    def _next_far(self, passed_us: float) -> float:
        """The first time later than that from which on no waypoint comes for long, as none came for some time."""
        times_us = sorted([0, self._tried_us, *(one.time_us for one in (*self._given, *self._far))])
        at = bisect_right(times_us, passed_us)
        for before_us, after_us in pairwise([*times_us[max(at - 1, 0) :], math.inf]):
            due_us = max(before_us + APART_US, passed_us + 1)
            if due_us + APART_US / 2 < after_us:
                return due_us
        return math.inf


def _least_missed(footholds: Sequence[Waypoint]) -> int:
    """Which one's neighbours are nearest to each other; the first one's is the start."""
    times_us = [0, *(one.time_us for one in footholds)]
    gaps = [after - before for before, after in zip(times_us, times_us[2:], strict=False)]
    return gaps.index(min(gaps)) if gaps else 0
