"""Tells the log of events what a frame was the first to show: the first frame, terrain, all of it, where one stands."""

from dataclasses import asdict
from typing import Any

from client.connection.stats import Statistics
from client.player import View
from client.recording.replay import Replay
from render.viewer.events import EventLog
from render.viewer.world import World


class Milestones:
    """Between frames."""

    def __init__(self, events: EventLog, view: View) -> None:
        """Nothing was shown yet.

        Args:
            events: told.
            view: where one begins.
        """
        self._events = events
        self._awaited = ["frame", "world", "settled"]
        self._told_view = view
        self._rested: Any = None  # where a recording last came to rest and was drawn

    def shown(self, world: World, known: Statistics, view: View) -> None:
        """A frame was flipped.

        Args:
            world: that it shows.
            known: its numbers in that frame.
            view: of it.
        """
        cells, drawn, replay = world.scene.stats().cells_drawn, world.scene.settled, world.connection.replay
        settled = drawn and known.settled
        rests = replay if replay is not None and drawn and replay.resting else None
        reached = {"frame": True, "world": cells > 0, "settled": settled}
        while self._awaited and reached[self._awaited[0]]:
            self._events.tell(self._awaited.pop(0), cells=cells)
        if rests is not None:
            self._tell_rest(rests, cells)
        if view != self._told_view:
            self._told_view = view
            eye = [round(axis, 3) for axis in view.eye]
            self._events.tell("view", eye=eye, yaw_deg=round(view.yaw_deg, 2), pitch_deg=round(view.pitch_deg, 2))
        self._events.shown()

    def _tell_rest(self, replay: Replay, cells: int) -> None:
        rest = replay.position, replay.paused, replay.speed
        if rest != self._rested:
            self._rested = rest
            self._events.tell("rest", **asdict(replay.position), paused=replay.paused, speed=replay.speed, cells=cells)
