"""From one world to the next in one window: the old one stays to be flown through until the new one's terrain is there.

Rules:
1. A world has arrived once nothing of it is missing, or some terrain was shown for ``PATIENCE_S``, or after
   ``LONGEST_S`` whatever it is: a server may have nothing to send.
2. The view is kept where the same source is joined again in the same dimension; else it is the new server's.
3. One that is lost, or given up, before it was shown is left beside the window; the old one knows nothing of it.
"""

from collections.abc import Callable
from typing import Final

from client.connection.connection import Connection
from client.connection.opening import TERRAIN_SHARE, counted
from client.player import View
from render.panels.connect import Underway
from render.viewer.lobby.attempt import play
from render.viewer.lobby.room import Lobby
from render.viewer.lobby.visit import Visit
from render.viewer.world import World

PATIENCE_S: Final = 6.0
LONGEST_S: Final = 20.0


class Crossing:
    """Of one window.

    Attributes:
        keeps_view: whether the view goes on in the world that ``frame`` gave last.
    """

    def __init__(self, lobby: Lobby, visit: Visit, make: Callable[[Connection], World]) -> None:
        """Nothing is on its way.

        Args:
            lobby: that joins.
            visit: the connection that is shown.
            make: makes what shows another.
        """
        self._lobby = lobby
        self._visit = visit
        self._make = make
        self._coming: World | None = None
        self._since = 0.0
        self._terrain_since: float | None = None
        self.keeps_view = False

    def frame(self, now: float, elapsed_s: float, view: View) -> World | None:
        """Goes on; the world that is shown from now on, which is the caller's, and the connection the visit's.

        Args:
            now: monotonic seconds.
            elapsed_s: of the frame before.
            view: of the old world.
        """
        connection = self._lobby.frame(now)
        if connection is not None:
            self._begin(connection, view, now)
        if self._coming is None:
            return None
        if self._lobby.take_refusal():
            self._drop()
            return None
        lost = self._coming.step(elapsed_s, view.eye if self.keeps_view else None)
        if lost is not None:
            self._drop()
            self._lobby.failed(lost)
            return None
        return self._arrived(self._coming, now)

    def close(self) -> None:
        """The window ends."""
        self._lobby.release()
        if self._coming is not None:
            self._drop()

    def _begin(self, connection: Connection, view: View, now: float) -> None:
        play(connection)
        old = self._visit.connection
        same_place = connection.session.store.dimension.number == old.session.store.dimension.number
        self.keeps_view = str(connection.source) == str(old.source) and same_place
        if self.keeps_view:
            connection.look(view)
        self._coming = self._make(connection)
        self._since, self._terrain_since = now, None

    def _arrived(self, coming: World, now: float) -> World | None:
        if self._terrain_since is None and coming.scene.stats().cells_shown:
            self._terrain_since = now
        waited = now - self._since
        complete = coming.scene.settled and coming.known.settled
        enough = self._terrain_since is not None and now - self._terrain_since >= PATIENCE_S
        if not (complete or enough or waited >= LONGEST_S):
            self._lobby.arriving = told(coming, waited)
            return None
        self._lobby.arriving, self._coming = None, None
        self._lobby.lost = ""
        self._lobby.close()
        return coming

    def _drop(self) -> None:
        assert self._coming is not None
        self._lobby.arriving = None
        coming, self._coming = self._coming, None
        coming.close()
        self._visit.leave(coming.connection)


def told(coming: World, waited_s: float) -> Underway:
    """How much of a world's terrain is there, in words."""
    states = coming.known.session.states
    there = states.get("data", 0) + states.get("all_air", 0)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    share = TERRAIN_SHARE + (1 - TERRAIN_SHARE) * there / max(there + missing, 1)
    words = f"waiting for terrain, {waited_s:.1f} s; {counted(there, 'sub-chunk')} of {there + missing} came"
    if there and not missing:  # what is still to be made is ours: light and meshes
        shown = counted(coming.scene.stats().cells_shown, "render cell")
        words = f"waiting for its picture, {waited_s:.1f} s; {counted(there, 'sub-chunk')} came, {shown} made of them"
    return Underway(str(coming.connection.source), words, share, waited_s)
