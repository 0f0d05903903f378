"""Switches a window between worlds: connect screen, banner, transition.

Rules:
1. The old world stays visible until the new one has arrived: when nothing of it is missing, or some terrain was shown
   for ``SHOWN_S``, or after ``LONGEST_S`` in any case, since a server may have nothing to send.
2. The view is kept if the same source is joined again in the same dimension; otherwise it is the new server's.
3. A connection that is lost or cancelled before it was shown is closed in the background; the old world is not
   affected.
4. Another dimension of a recording is joined at the first time at which the recording shows it; another dimension of
   our own server's world by joining the world in that dimension. Other servers decide where players start: this is
   reported; while such a connection is live the server is asked (``render.viewer.control.server_moves``).
5. Joining a lost world again leads to the dimension in which it was lost, not to its first one.
"""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import TERRAIN_SHARE, counted
from client.embedded_server import is_served
from client.errors import UsageError
from client.options import Options
from client.player import View
from client.source import Embedded, Source, WorldFile, is_saved_world
from net.space import VANILLA
from render.panels.connect import Underway
from render.view_line import ViewLine, dimension_name
from render.viewer.connect.connect_screen import ConnectDialog
from render.viewer.connect.join import OpenConnections, play
from render.viewer.control.camera_control import Controls
from render.viewer.scene_updater import collect_all
from render.viewer.shown_world import ShownWorld


def progress_of(coming: ShownWorld, waited_s: float) -> Underway:
    """How much of a world's terrain has arrived, in words."""
    states = coming.known.session.states
    there = states.get("data", 0) + states.get("all_air", 0)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    share = TERRAIN_SHARE + (1 - TERRAIN_SHARE) * there / max(there + missing, 1)
    words = f"waiting for terrain, {waited_s:.1f} s; {counted(there, 'sub-chunk')} of {there + missing} arrived"
    if there and not missing:  # the rest is our own work: light and meshes
        shown = counted(coming.scene.stats().cells_shown, "render cell")
        words = f"waiting for the first picture, {waited_s:.1f} s; {counted(there, 'sub-chunk')} arrived, {shown} drawn"
    return Underway(str(coming.connection.source), words, share, waited_s)


# ---------------------------------------------------------------- dimensions


def source_with(connection: Connection, dimension: int) -> Source:
    """The source for another dimension of a connection's world. Raises UsageError: none, or its server decides."""
    there, here = dimension_name(dimension), connection.session.dimension.store.dimension.name
    words = f"That view is in dimension {there}, but you are in {here}"
    if connection.past is None and connection.replay is not None:
        return WorldFile(connection.replay.path)
    source = connection.source
    if is_saved_world(source):
        if dimension not in VANILLA:
            raise UsageError(f"{words}: a saved world has no such dimension.")
        return source
    if isinstance(source, Embedded) and dimension in VANILLA:
        return source  # its server reports it if the world has only one dimension
    raise UsageError(f"{words}: only {source} can take you there.")


def options_towards(options: Options, dimension: int, line: ViewLine | None, now: View) -> Options:
    """Options for joining a view, or only a dimension, after ``options``, looking as ``now``."""
    view = line.view(now) if line else None
    return replace(
        options,
        record=None,  # not overwritten
        dimension=dimension,
        at=view.eye if view else None,
        look_deg=(view.yaw_deg, view.pitch_deg) if view else None,
        start=None,
        still=None,
    )


def options_back(connection: Connection) -> Options:
    """Options for joining a lost world again at the same place, as far as possible."""
    options = replace(connection.options, record=None)  # not overwritten
    if connection.past is None and connection.replay is not None:
        return options
    served = is_served(connection.source)
    return replace(options, dimension=connection.session.dimension.store.dimension.number if served else None)


# ---------------------------------------------------------------- switching

SHOWN_S: Final = 6.0
LONGEST_S: Final = 20.0


class WorldSwitcher:
    """The switching between worlds of one window."""

    def __init__(self, screen: ConnectDialog, visit: OpenConnections, make: Callable[[Connection], ShownWorld]) -> None:
        """Starts without a transition. ``make``: makes the objects that show another connection."""
        self.screen = screen  # chooses another world; ``cross`` uses it, too
        self.visit = visit  # the shown connection
        self._make = make
        self._coming: ShownWorld | None = None
        self._since = 0.0
        self._terrain_since: float | None = None
        self.keeps_view = False  # whether the world that ``frame`` returned last keeps the view
        screen.be_at(visit.connection)

    def frame(self, now: float, elapsed_s: float, view: View) -> ShownWorld | None:
        """Advances screen and joins; returns a world that has arrived, to be shown in place of this one.

        The caller owns it; its connection belongs to the visit.
        """
        if self.visit.parted():
            collect_all()
        connection = self.screen.frame(now)
        if connection is not None:
            self._begin(connection, view, now)
        if self._coming is None:
            return None
        if self.screen.take_refusal():
            self._drop()
            return None
        lost = self._coming.step(elapsed_s, view.eye if self.keeps_view else None)
        if lost is not None:
            self._drop()
            self.screen.failed(lost)
            return None
        return self._arrived(self._coming, now)

    def cross(self, dimension: int, line: ViewLine | None, now: View) -> str:
        """Changes to another dimension by joining the same world there; returns a sentence.

        ``line``: the wanted view; None: where the server puts the player.

        Raises:
            UsageError: it is not possible.
        """
        connection = self.visit.connection
        source = source_with(connection, dimension)
        self.screen.join(source, None, options_towards(connection.options, dimension, line, now), line)
        return f"Going to dimension {dimension_name(dimension)} of {source}."

    def lose(self, reason: str) -> None:
        """The connection has ended; its world stays visible."""
        self.screen.lose(reason, options_back(self.visit.connection))

    def go_on(self, world: ShownWorld, controls: Controls) -> None:
        """Shows another world in place of the one before; the camera moves there."""
        self.visit.go_on(world.connection)
        self.screen.be_at(world.connection)
        controls.release_all()
        if not self.keeps_view:
            there = world.connection.session.movement.view
            seen = replace(controls.view, eye=there.eye, yaw_deg=there.yaw_deg, pitch_deg=there.pitch_deg)
            controls.go(self.screen.towards.view(seen) if self.screen.towards else seen)

    def close(self) -> None:
        """Frees everything; closes connections that were joined but not shown."""
        self.screen.release()
        if self._coming is not None:
            self._drop()
        self.visit.settle()

    def _begin(self, connection: Connection, view: View, now: float) -> None:
        play(connection)
        old = self.visit.connection
        same_place = connection.session.dimension.store.dimension.number == old.session.dimension.store.dimension.number
        self.keeps_view = str(connection.source) == str(old.source) and same_place
        if self.keeps_view:
            connection.look(view)
        self._coming = self._make(connection)
        self._since, self._terrain_since = now, None

    def _arrived(self, coming: ShownWorld, now: float) -> ShownWorld | None:
        if self._terrain_since is None and coming.scene.stats().cells_shown:
            self._terrain_since = now
        waited = now - self._since
        enough = self._terrain_since is not None and now - self._terrain_since >= SHOWN_S
        if not (coming.complete or enough or waited >= LONGEST_S):
            self.screen.arriving = progress_of(coming, waited)
            return None
        self.screen.arriving, self._coming = None, None
        self.screen.lost = ""
        self.screen.close()
        return coming

    def _drop(self) -> None:
        assert self._coming is not None
        self.screen.arriving = None
        coming, self._coming = self._coming, None
        coming.close()
        self.visit.leave(coming.connection)
