"""Provides the world of each frame: a recording at that moment, or a live world with the frame's stretch loaded.

Rules:
1. The world of a frame depends on the frame number alone, so an interrupted film continues without a visible seam. The
   session is not pumped between ``go_to`` and the picture.
2. In a live world the camera path is cut into stretches. For each stretch every sub-chunk of a rectangle is requested,
   visible or not, and nothing else is drawn. The rectangle extends past each eye as far as the fog lets it see, so no
   pixel shows where a stretch ends. The eyes of a stretch lie in at most ``2 * spare + 1`` columns each way.
3. Frame n is at n / fps. A film of d seconds has round(d * fps) frames, at least one; its last key is at the time of
   the frame that would come next.
4. With entities, a live world is first recorded for the duration of the path, which must be one stretch, and the
   recording is filmed.

Limits: without entities, frames show a live world as it was when their stretch was loaded.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.errors import SourceError, UsageError
from client.player import Eye, View
from client.recording.replay import Replay
from client.session.session import Session
from client.streaming.anchors import RELEASE_MARGIN_COLUMNS, Anchor, Anchors
from net.space import ColumnPos
from render.camera_path import CameraPath

# ---------------------------------------------------------------- stretches

SPARE_COLUMNS: Final = 4
"""How far a stretch's eyes are from its middle: 9 columns each way, 30 x 30 to be loaded at radius 8."""
LIGHT_COLUMNS: Final = 1
"""Light at the rim of what is drawn comes from at most so far beyond: it falls by one a block, from 15."""


class Stretch(msgspec.Struct, frozen=True):
    """Frames whose world is loaded at once."""

    first: int  # its first frame
    count: int  # how many there are
    columns: Anchor  # of its eyes
    height: float  # of its middle frame's eye, in blocks

    def drawn(self, radius: int) -> Anchor:
        """The columns that its frames may show."""
        return self.columns.grown(radius + RELEASE_MARGIN_COLUMNS)

    def known(self, radius: int) -> Anchor:
        return self.drawn(radius).grown(LIGHT_COLUMNS)

    @property
    def middle(self) -> Eye:
        """The player's position at which the server announces all of its columns."""
        centre = self.columns.centre
        return Eye(centre.x * 16 + 8.0, self.height, centre.z * 16 + 8.0)


def stretches_of(views: Sequence[View], spare: int = SPARE_COLUMNS) -> tuple[Stretch, ...]:
    """Cuts a film."""
    cut: list[Stretch] = []
    low = high = views[0].eye.column
    first = 0
    for frame, view in enumerate(views):
        column = view.eye.column
        lower = ColumnPos(min(low.x, column.x), min(low.z, column.z))
        higher = ColumnPos(max(high.x, column.x), max(high.z, column.z))
        if max(higher.x - lower.x, higher.z - lower.z) > 2 * spare:
            cut.append(_stretch(views, first, frame, Anchor(low, high)))
            first, lower, higher = frame, column, column
        low, high = lower, higher
    return (*cut, _stretch(views, first, len(views), Anchor(low, high)))


def _stretch(views: Sequence[View], first: int, end: int, columns: Anchor) -> Stretch:
    return Stretch(first, end - first, columns, views[(first + end) // 2].eye.y)


def radius_to_ask(radius: int, spare: int = SPARE_COLUMNS) -> int:
    """The visibility radius around a stretch's middle that holds all it needs; one column more is always known."""
    return radius + RELEASE_MARGIN_COLUMNS + spare


def spare_of(granted_radius: int, radius: int) -> int:
    """How far from its middle a stretch may lead where a server grants so much: all that is usual, or less."""
    return max(0, min(SPARE_COLUMNS, granted_radius - RELEASE_MARGIN_COLUMNS - radius))


MOST_FRAMES: Final = 1_000_000


class Timetable(msgspec.Struct, frozen=True):
    """The frames of a film."""

    fps: int  # frames a second
    count: int  # how many there are
    start_s: float = 0.0  # of a recording, where frame 0 is
    speed: float = 0.0  # seconds of the recording in a second of the film; 0: it stands still
    end_s: float = 0.0  # the position at which the recording stands still from then on

    @classmethod
    def lasting(
        cls, duration_s: float, fps: int, start_s: float = 0.0, speed: float = 0.0, end_s: float = 0.0
    ) -> "Timetable":
        """The frames of a film of that duration. Raises UsageError: more than a million."""
        count = max(1, round(duration_s * fps))
        if count > MOST_FRAMES:
            raise UsageError(
                f"A film of {duration_s:g} s at {fps} frames per second has {count} frames; the maximum is "
                f"{MOST_FRAMES}."
            )
        return cls(fps, count, start_s, speed, end_s)

    def film_s(self, frame: int) -> float:
        """When a frame is shown, seconds from the film's start."""
        return frame / self.fps

    def recorded_s(self, frame: int) -> float:
        """What moment of the recording it shows, seconds from that one's start."""
        return min(self.start_s + self.film_s(frame) * self.speed, self.end_s)


# ---------------------------------------------------------------- stages

PIN = "film"
TELL_EVERY_S = 0.05

Tell = Callable[[str], None]


class RecordedStage:
    """A recording, on its own timeline.

    ``missing``: what did not arrive in time, in words. ``anchors``: the columns to draw, or None for all; a new object
    means that the scene must be attached anew.
    """

    def __init__(
        self,
        connection: Connection,
        replay: Replay,
        timetable: Timetable,
        path: CameraPath | None,
        fov_deg: float,
        anchors: Anchors | None = None,
    ) -> None:
        """Leaves the recording at the position of the last frame.

        ``path``: None for the recorded camera, with ``fov_deg``. ``anchors``: what is drawn; None: all that was known.
        """
        self._connection = connection
        self._replay = replay
        self._timetable = timetable
        self._path = path
        self._fov_deg = fov_deg
        self.anchors = anchors
        self.missing = ""
        replay.pause()

    @property
    def session(self) -> Session:
        """What is known; another one after a way back."""
        return self._connection.session

    def go_to(self, frame: int, tell: Tell) -> View:
        """Makes the world that of a frame; says where it is seen from."""
        self._replay.seek(self._timetable.recorded_s(frame))
        while (there := self._replay.on_the_way) is not None:
            tell(f"the recording is at {there.time_s:.1f} s")
            self._connection.pump(budget_s=TELL_EVERY_S)
        if self._path is not None:
            return self._path.view(self._timetable.film_s(frame), self._fov_deg)
        return replace(self.session.movement.view, fov_deg=self._fov_deg)


class LiveStage:
    """A server's world, loaded stretch by stretch; used like ``RecordedStage``."""

    def __init__(self, connection: Connection, views: Sequence[View], radius: int) -> None:
        """Loads nothing yet. ``connection``: joined, of the radius that ``stretches.radius_to_ask`` names."""
        self._connection = connection
        self._views = views
        self._radius = radius
        self._stretches = stretches_of(views, spare_of(connection.session.radius, radius))
        self._stretch: Stretch | None = None
        self.anchors: Anchors | None = None
        self.missing = ""

    @property
    def session(self) -> Session:
        return self._connection.session

    def go_to(self, frame: int, tell: Tell) -> View:
        """As ``RecordedStage`` has it. Raises SourceError: the source ended the session."""
        stretch = next(s for s in self._stretches if s.first <= frame < s.first + s.count)
        if stretch is not self._stretch:
            self._load(stretch, tell)
            self._stretch = stretch
        return self._views[frame]

    def _load(self, stretch: Stretch, tell: Tell) -> None:
        connection = self._connection
        if connection.session.spawn.closed_reason is not None:
            raise SourceError(f"{connection.source}: {connection.session.spawn.closed_reason}.")
        self.missing = self.missing or load(connection, stretch, self._radius, self._views[stretch.first], tell)
        self.anchors = shown_of(stretch, self._radius)


FilmStage = RecordedStage | LiveStage
"""Where a film is made."""


def shown_of(stretch: Stretch, radius: int) -> Anchors:
    anchors = Anchors()
    anchors.pin(PIN, stretch.known(radius))
    return anchors


def load(connection: Connection, stretch: Stretch, radius: int, looks: View, tell: Tell) -> str:
    """Waits until a stretch is known; returns what did not arrive. ``looks``: the view whose angles are sent."""
    connection.session.pin(PIN, stretch.known(radius))
    connection.look(View(stretch.middle, looks.yaw_deg, looks.pitch_deg))
    settled = connection.wait_settled(progress=lambda _share, what: tell(what))
    return "" if settled else settled.waiting_for


def record_stretch(
    connection: Connection, stretch: Stretch, radius: int, views: Sequence[View], fps: int, tell: Tell
) -> str:
    """Loads a stretch, then pumps for the duration of its views; returns what did not arrive.

    ``connection``: joined, and recording. Raises SourceError: the source ended the session.
    """
    missing = load(connection, stretch, radius, views[0], tell)
    end = connection.now + len(views) / fps
    while (left_s := end - connection.now) > 0:
        if connection.session.spawn.closed_reason is not None:
            raise SourceError(f"{connection.source}: {connection.session.spawn.closed_reason}.")
        tell(f"recording, {left_s:.1f} s left")
        if not connection.pump():
            connection.rest()
    return missing
