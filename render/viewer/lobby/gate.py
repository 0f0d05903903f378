"""All that a window with a world has to do with other worlds, in one hand: screen, banner, the way."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from client.connection.connection import Connection
from client.player import View
from render.gpu import Gpu
from render.view_line import ViewLine, dimension_name
from render.viewer.controls import Controls
from render.viewer.events import EventLog
from render.viewer.extent import Area, Extent
from render.viewer.leavings import collect_all
from render.viewer.lobby.banner import BannerPainter, PastView, banner_of
from render.viewer.lobby.crossing import Crossing
from render.viewer.lobby.dimensions import options_back, options_towards, source_with
from render.viewer.lobby.painter import Painter
from render.viewer.lobby.plan import plan_of
from render.viewer.lobby.room import Lobby
from render.viewer.lobby.visit import Visit
from render.viewer.options import ViewerOptions
from render.viewer.world import World


class Gate:
    """Of one window.

    Attributes:
        visit: the connection that is shown.
    """

    def __init__(
        self,
        window: Any,
        gpu: Gpu,
        settings: ViewerOptions,
        visit: Visit,
        events: EventLog,
        make: Callable[[Connection], World],
        keyless: Callable[[str], bool],
        say: Callable[[str], None],
    ) -> None:
        """Closed.

        Args:
            window: a pyglet window.
            gpu: its context.
            settings: how the window looks.
            visit: as the attribute; its connection's options and source are what others are joined with and told from.
            events: told what happens.
            make: makes what shows a connection.
            keyless: whether the world leaves a key to others.
            say: shows a sentence over the world.
        """
        self._window = window
        self.visit = visit
        self._scale = settings.settings.scale
        self._keyless = keyless
        self._painter = Painter(gpu, self._scale)
        self._banner: BannerPainter | None = None
        self._banner_px = 0
        plan = plan_of(settings, visit.connection.options, visit.connection.source)
        self._lobby = Lobby(window, self._painter, plan, events, keyless, say)
        self._crossing = Crossing(self._lobby, visit, make)
        self.be_at(visit.connection)

    @property
    def opened(self) -> bool:
        """Whether the connect screen is shown."""
        return self._lobby.opened

    def listen(self) -> None:
        """Lays the screen's handlers on top of the window's."""
        self._lobby.listen()

    def open(self) -> None:
        """Shows the connect screen over the world."""
        self._lobby.open()

    def cross(self, dimension: int, line: ViewLine | None, now: View) -> str:
        """Sets out for another dimension by joining the same world there; what there is to say.

        Args:
            dimension: its number.
            line: the view of it that is wanted; None: wherever one comes to.
            now: as one looks.

        Raises:
            UsageError: nobody takes one there.
        """
        connection = self.visit.connection
        source = source_with(connection, dimension)
        self._lobby.join(source, None, options_towards(connection.options, dimension, line, now), line)
        return f"On the way to dimension {dimension_name(dimension)} of {source}."

    def lose(self, reason: str) -> None:
        """The connection is over; the world stays."""
        self._lobby.lost = reason
        self._lobby.way_back = options_back(self.visit.connection)

    def go_on(self, world: World, controls: Controls) -> None:
        """A world takes the place of the one before, of which nothing is drawn any more; the camera goes there."""
        self.visit.go_on(world.connection)
        self.be_at(world.connection)
        controls.release_all()
        if not self._crossing.keeps_view:
            there = world.connection.session.view
            seen = replace(controls.view, eye=there.eye, yaw_deg=there.yaw_deg, pitch_deg=there.pitch_deg)
            controls.go(self._lobby.towards.view(seen) if self._lobby.towards else seen)

    def be_at(self, connection: Connection) -> None:
        """This is what is shown from now on."""
        self._lobby.last = connection.source
        self._lobby.beneath = connection.session.world_name or str(connection.source)

    def frame(self, now: float, elapsed_s: float, view: View) -> World | None:
        """Keeps screen and joins going; the world that has just arrived, which takes the place of this one.

        Args:
            now: monotonic seconds.
            elapsed_s: of the frame before.
            view: as one looks now.
        """
        if self.visit.parted():
            collect_all()
        return self._crossing.frame(now, elapsed_s, view)

    def draw(
        self, extent: Extent, area: Area, now: float, elapsed_s: float, connect_key: str, past: PastView | None
    ) -> None:
        """Draws over the window: the screen, or a banner where there is something to say, as that it is the past.

        Args:
            extent: of the window.
            area: what panels leave of it.
            now: monotonic seconds.
            elapsed_s: of the frame before.
            connect_key: of the screen.
            past: where it is shown.
        """
        self._banner_px = 0
        if self._lobby.opened:
            self._lobby.draw(extent, now, elapsed_s)
            return
        banner = banner_of(self._lobby.lost, self._lobby.underway(now), self._keyless("R"), connect_key, past)
        if banner is not None and extent.shown:
            self._banner = self._banner or BannerPainter(self._scale * extent.scale)
            self._banner_px = self._banner.draw(banner, area)

    def free(self, area: Area) -> Area:
        """What the banner of the last frame leaves of an area of the window: what lies above it."""
        return area.above(self._banner_px)

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self._scale:
            self._scale, self._banner = scale, None
            self._painter.rescale(scale)

    def close(self) -> None:
        """Frees everything; what was joined and not shown is left."""
        self._crossing.close()
        self._painter.close()
        self.visit.settle()
