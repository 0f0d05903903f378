"""All that a window with a world has to do with other worlds, in one hand: screen, banner, the way.

Rules:
1. The old world stays to be flown through until the new one has arrived: once nothing of it is missing, or some terrain
   was shown for ``SHOWN_S``, or after ``LONGEST_S`` whatever it is: a server may have nothing to send.
2. The view is kept where the same source is joined again in the same dimension; else it is the new server's.
3. One that is lost, or given up, before it was shown is left beside the window; the old one knows nothing of it.
4. Another dimension of a recording is joined at the first moment that shows it, of a world that our own server brings
   in that dimension. Another server decides itself where its players begin: that is said; while it lives it is asked
   (``render.viewer.control.server_moves``).
5. Who joins a lost world again comes to the dimension in which it was lost, not to the one it began in.
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
from render.panels.hud import Banner, PastView, banner_of
from render.view_line import ViewLine, dimension_name
from render.viewer.connect.connect_screen import ConnectDialog
from render.viewer.connect.join import OpenConnections, again, play
from render.viewer.connect.sources import plan_of
from render.viewer.control.camera_control import Controls
from render.viewer.scene_updater import collect_all
from render.viewer.shown_world import ShownWorld
from render.viewer.window_state import WindowState

SHOWN_S: Final = 6.0
LONGEST_S: Final = 20.0


class WorldTransition:
    """Of one window."""

    def __init__(self, dialog: ConnectDialog, visit: OpenConnections, make: Callable[[Connection], ShownWorld]) -> None:
        """Nothing is on its way. ``make``: makes what shows another."""
        self._dialog = dialog
        self._visit = visit
        self._make = make
        self._coming: ShownWorld | None = None
        self._since = 0.0
        self._terrain_since: float | None = None
        self.keeps_view = False  # whether the view goes on in the world that ``frame`` gave last

    def frame(self, now: float, elapsed_s: float, view: View) -> ShownWorld | None:
        """Goes on; the world that is shown from now on, which is the caller's, and the connection the visit's."""
        connection = self._dialog.frame(now)
        if connection is not None:
            self._begin(connection, view, now)
        if self._coming is None:
            return None
        if self._dialog.take_refusal():
            self._drop()
            return None
        lost = self._coming.step(elapsed_s, view.eye if self.keeps_view else None)
        if lost is not None:
            self._drop()
            self._dialog.failed(lost)
            return None
        return self._arrived(self._coming, now)

    def close(self) -> None:
        """The window ends."""
        self._dialog.release()
        if self._coming is not None:
            self._drop()

    def _begin(self, connection: Connection, view: View, now: float) -> None:
        play(connection)
        old = self._visit.connection
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
        complete = coming.scene.settled and coming.known.settled
        enough = self._terrain_since is not None and now - self._terrain_since >= SHOWN_S
        if not (complete or enough or waited >= LONGEST_S):
            self._dialog.arriving = progress_of(coming, waited)
            return None
        self._dialog.arriving, self._coming = None, None
        self._dialog.lost = ""
        self._dialog.close()
        return coming

    def _drop(self) -> None:
        assert self._coming is not None
        self._dialog.arriving = None
        coming, self._coming = self._coming, None
        coming.close()
        self._visit.leave(coming.connection)


def progress_of(coming: ShownWorld, waited_s: float) -> Underway:
    """How much of a world's terrain is there, in words."""
    states = coming.known.session.states
    there = states.get("data", 0) + states.get("all_air", 0)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    share = TERRAIN_SHARE + (1 - TERRAIN_SHARE) * there / max(there + missing, 1)
    words = f"waiting for terrain, {waited_s:.1f} s; {counted(there, 'sub-chunk')} of {there + missing} arrived"
    if there and not missing:  # what is still to be made is ours: light and meshes
        shown = counted(coming.scene.stats().cells_shown, "render cell")
        words = f"waiting for the first picture, {waited_s:.1f} s; {counted(there, 'sub-chunk')} arrived, {shown} drawn"
    return Underway(str(coming.connection.source), words, share, waited_s)


# ---------------------------------------------------------------- dimensions


def source_with(connection: Connection, dimension: int) -> Source:
    """What to join for another dimension of a connection's world. Raises UsageError: none, or its server decides."""
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
        return source  # its server says so where it is a world of one dimension
    raise UsageError(f"{words}: only {source} can take you there.")


def options_towards(options: Options, dimension: int, line: ViewLine | None, now: View) -> Options:
    """How to join for a view, or a dimension alone, where one joined before with ``options`` and looks as ``now``."""
    view = line.view(now) if line else None
    return replace(
        again(options),
        dimension=dimension,
        at=view.eye if view else None,
        look_deg=(view.yaw_deg, view.pitch_deg) if view else None,
        start=None,
        still=None,
    )


def options_back(connection: Connection) -> Options:
    """How to join a lost world again so that one is where one was, as far as that is ours to say."""
    options = again(connection.options)
    if connection.past is None and connection.replay is not None:
        return options
    served = is_served(connection.source)
    return replace(options, dimension=connection.session.dimension.store.dimension.number if served else None)


class WorldSwitcher:
    """Of one window."""

    def __init__(
        self,
        state: WindowState,
        visit: OpenConnections,
        make: Callable[[Connection], ShownWorld],
        keyless: Callable[[str], bool],
    ) -> None:
        """Closed; others are joined with, and told from, the options and source of the visit's connection."""
        self.visit = visit  # the connection that is shown
        self._keyless = keyless
        plan = plan_of(state.settings, visit.connection.options, visit.connection.source)
        # to choose another world; ``cross`` joins with it, too
        self.screen = ConnectDialog(state.window, state.interface, plan, state.events, keyless, state.say)
        self._crossing = WorldTransition(self.screen, visit, make)
        self.be_at(visit.connection)

    def cross(self, dimension: int, line: ViewLine | None, now: View) -> str:
        """Sets out for another dimension by joining the same world there; what there is to say.

        ``line``: the view of it that is wanted; None: wherever one comes to.

        Raises:
            UsageError: nobody takes one there.
        """
        connection = self.visit.connection
        source = source_with(connection, dimension)
        self.screen.join(source, None, options_towards(connection.options, dimension, line, now), line)
        return f"Going to dimension {dimension_name(dimension)} of {source}."

    def lose(self, reason: str) -> None:
        """The connection is over; the world stays."""
        self.screen.lost = reason
        self.screen.way_back = options_back(self.visit.connection)

    def go_on(self, world: ShownWorld, controls: Controls) -> None:
        """A world takes the place of the one before, of which nothing is drawn any more; the camera goes there."""
        self.visit.go_on(world.connection)
        self.be_at(world.connection)
        controls.release_all()
        if not self._crossing.keeps_view:
            there = world.connection.session.movement.view
            seen = replace(controls.view, eye=there.eye, yaw_deg=there.yaw_deg, pitch_deg=there.pitch_deg)
            controls.go(self.screen.towards.view(seen) if self.screen.towards else seen)

    def be_at(self, connection: Connection) -> None:
        """This is what is shown from now on."""
        self.screen.last = connection.source
        self.screen.beneath = connection.session.spawn.world_name or str(connection.source)

    def frame(self, now: float, elapsed_s: float, view: View) -> ShownWorld | None:
        """Keeps screen and joins going; the world that has just arrived, which takes the place of this one."""
        if self.visit.parted():
            collect_all()
        return self._crossing.frame(now, elapsed_s, view)

    def banner(self, now: float, connect_key: str, past: PastView | None) -> Banner | None:
        """What there is to say over the world: that it is lost, that a join is under way, or that it is the past."""
        return banner_of(self.screen.lost, self.screen.underway(now), self._keyless("R"), connect_key, past)

    def close(self) -> None:
        """Frees everything; what was joined and not shown is left."""
        self._crossing.close()
        self.visit.settle()
