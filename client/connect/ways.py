"""The ways of one recording: the track that is shown, and the one on its way to where somebody wants to be.

Rules:
1. Back is forward from the start, or from the last waypoint before the goal, on a second track; the first one stays
   what is shown until the second is there.
2. Ways leave waypoints behind where there is room for them (``footholds``).
"""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from client.connect.errors import UnreadableFile
from client.connect.footholds import Footholds
from client.connect.goal import Goal
from client.connect.track import Position, Track
from client.connect.waypoints import Waypoint
from client.session.phase import Phase
from net.bedrock import Codec
from net.palette import Palette
from net.recording import Recording


class Ways:
    """Of one recording; owner thread only.

    Attributes:
        track: what is shown.
        goal: where one wants to be; None where one is.
    """

    def __init__(
        self, recording: Recording, path: Path, codec: Codec, palette: Palette, footholds: Footholds, goal: Goal
    ) -> None:
        """Stands at the start, or at the last waypoint from which a goal lies ahead, and goes nowhere.

        Raises:
            UnreadableFile: the header says no session.
        """
        self._recording, self._path = recording, path
        self._codec, self._palette = codec, palette
        self._footholds = footholds
        self.track = self._begun(footholds.before(self._whole(goal)))
        self.goal: Goal | None = None
        self._ahead: Track | None = None  # the second session, on its way to the goal
        self._goal_us = 0.0  # when that is, roughly

    @property
    def on_the_way(self) -> Position | None:
        """How far the way to the goal is; None without one."""
        return None if self.goal is None else (self._ahead or self.track).position

    def leave_waypoint(self) -> None:
        """Later ways may begin at what is shown, which is between two turns; nothing where there is no room for any."""
        if self._footholds.has_room:
            self._footholds.leave(self.track.waypoint(), near=False)

    def set_out(self, goal: Goal) -> None:
        """Goes to a goal from now on; the one before is forgotten."""
        self.goal = goal = self._whole(goal)
        found = self._footholds.before(goal)
        nearer = found is not None and found.time_us > self.track.time_us
        ahead = nearer or self.track.is_past(goal)
        self._goal_us = goal.time_us if math.isfinite(goal.time_us) else self.track.time_us
        self._ahead = self._begun(found) if ahead else None

    def travel(self, deadline: float, clock: Callable[[], float]) -> bool:
        """Part of the way to the goal; arriving, its end is what is shown, and one is there."""
        assert self.goal is not None
        track = self._ahead or self.track
        there = self._go_on(track, self.goal, deadline, clock, self._goal_us)
        if there:
            track.show()
            self.track, self._ahead, self.goal = track, None, None
        return there

    def go_on(self, until_us: float, deadline: float, clock: Callable[[], float]) -> bool:
        """Lives on what is shown to a time; whether anything came."""
        before = self.track.position
        self._go_on(self.track, Goal(time_us=until_us), deadline, clock, None)
        return self.track.position != before

    def _whole(self, goal: Goal) -> Goal:
        """No goal lies where something was left out."""
        whole_from_us = self._recording.header.whole_from_us
        return replace(goal, not_before_us=whole_from_us) if whole_from_us else goal  # 0: nothing was left out

    def _begun(self, found: Waypoint | None) -> Track:
        try:
            return Track(self._recording, self._codec, self._palette, found.begin() if found else None)
        except (TypeError, ValueError) as error:
            raise UnreadableFile(f"{self._path}: its header says no session: {error}.") from None

    def _go_on(
        self, track: Track, goal: Goal, deadline: float, clock: Callable[[], float], goal_us: float | None
    ) -> bool:
        """Part of a way to a goal, from one foothold to the next; whether it is there. None: one goes on from there.

        Each turn of the loop but the first lives through a record at least, and so looks at the deadline: no stop lies
        before the next turn of the recording, wherever footholds want one.
        """
        passed_us: float = track.time_us
        while True:
            stop_us, near = self._footholds.next_stop(passed_us, goal_us)
            if not track.advance(replace(goal, time_us=min(goal.time_us, stop_us)), deadline, clock):
                return False
            if track.arrived(goal):
                return True
            if track.session.phase is Phase.PLAYING:
                self._footholds.leave(track.waypoint(), near)
            passed_us = track.next_us - 1
