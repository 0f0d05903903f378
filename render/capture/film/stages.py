"""What the world is at each frame: a recording at that moment, or a living world with the frame's stretch loaded.

Rules:
1. A frame's knowledge follows from the frame alone, not from the frames before it: so a film that was interrupted goes
   on as if it had not been. Recordings are one state at one moment (``client.recording.playback``); of living worlds a
   rectangle is known whole and nothing else is drawn (``stretches``).
2. Nobody pumps between ``go_to`` and the picture.

Limits: of a living world that changes, frames show what was there when their stretch was loaded.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from client.connection.connection import Connection
from client.errors import SourceError
from client.player import View
from client.recording.replay import Replay
from client.session.session import Session
from client.streaming.anchors import Anchors
from render.camera_path import CameraPath
from render.capture.film.stretches import Stretch, spare_of, stretches_of
from render.capture.film.timetable import Timetable

PIN = "film"
TELL_EVERY_S = 0.05

Tell = Callable[[str], None]


class Stage(Protocol):
    """Where a film is made."""

    @property
    def session(self) -> Session:
        """What is known."""
        ...

    @property
    def anchors(self) -> Anchors | None:
        """What of it is drawn; another object where all must be drawn anew. None for all of it."""
        ...

    @property
    def missing(self) -> str:
        """What was waited for in vain, in words; empty where nothing was."""
        ...

    def go_to(self, frame: int, tell: Tell) -> View:
        """Makes the world that of a frame; says where it is seen from."""
        ...


class RecordedStage:
    """A recording, on its own timeline."""

    def __init__(
        self, connection: Connection, replay: Replay, timetable: Timetable, path: CameraPath | None, fov_deg: float
    ) -> None:
        """Stands still wherever the frame before has left it; ``path`` None: seen as then, but for ``fov_deg``."""
        self._connection = connection
        self._replay = replay
        self._timetable = timetable
        self._path = path
        self._fov_deg = fov_deg
        self.missing = ""
        replay.pause()

    @property
    def session(self) -> Session:
        """See ``Stage``; another one after a way back."""
        return self._connection.session

    @property
    def anchors(self) -> Anchors | None:
        """See ``Stage``: all that was known."""
        return None

    def go_to(self, frame: int, tell: Tell) -> View:
        """See ``Stage``."""
        self._replay.seek(self._timetable.recorded_s(frame))
        while (there := self._replay.on_the_way) is not None:
            tell(f"the recording is at {there.time_s:.1f} s")
            self._connection.pump(budget_s=TELL_EVERY_S)
        if self._path is not None:
            return self._path.view(self._timetable.film_s(frame), self._fov_deg)
        return replace(self.session.view, fov_deg=self._fov_deg)


class LiveStage:
    """A server's world, loaded stretch by stretch."""

    def __init__(self, connection: Connection, views: Sequence[View], radius: int) -> None:
        """Loads nothing yet.

        Args:
            connection: joined, of the radius that ``stretches.radius_to_ask`` names.
            views: of all frames.
            radius: how far one sees, in columns.
        """
        self._connection = connection
        self._views = views
        self._radius = radius
        self._stretches = stretches_of(views, spare_of(connection.session.radius, radius))
        self._stretch: Stretch | None = None
        self.anchors: Anchors | None = None
        self.missing = ""

    @property
    def session(self) -> Session:
        """See ``Stage``."""
        return self._connection.session

    def go_to(self, frame: int, tell: Tell) -> View:
        """See ``Stage``.

        Raises:
            SourceError: the source ended the session.
        """
        stretch = next(s for s in self._stretches if s.first <= frame < s.first + s.count)
        if stretch is not self._stretch:
            self._load(stretch, tell)
            self._stretch = stretch
        return self._views[frame]

    def _load(self, stretch: Stretch, tell: Tell) -> None:
        connection, known = self._connection, stretch.known(self._radius)
        if connection.session.closed_reason is not None:
            raise SourceError(f"{connection.source}: {connection.session.closed_reason}.")
        connection.session.pin(PIN, known)
        looks = self._views[stretch.first]
        connection.look(View(stretch.middle, looks.yaw_deg, looks.pitch_deg))
        settled = connection.wait_settled(progress=lambda _share, what: tell(what))
        if not settled:
            self.missing = self.missing or settled.waiting_for
        self.anchors = Anchors()
        self.anchors.pin(PIN, known)
