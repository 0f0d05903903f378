"""One join from Enter to its end: begun, told, given up, failed or done; and what a source is joined with.

Visit: The connection that a window is on, and those that it has left and that still say goodbye.

It outlives what draws: a window whose GL context was lost is drawn anew on the same visit.
"""

from typing import Final

from msgspec.structs import replace

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.joining import ConnectionAttempt, part
from client.errors import ConnectError
from client.options import Options
from client.source import Source, one_line
from render.panels.connect import Underway

# ---------------------------------------------------------------- attempt


class Failed(Exception):
    """It cannot be joined; its text is one sentence."""


class JoinAttempt:
    """One of them."""

    def __init__(self, joining: ConnectionAttempt, now: float) -> None:
        self.source = joining.source  # that is joined
        self._joining = joining
        self._since = now

    def underway(self, now: float) -> Underway:
        """How far it is."""
        way = self._joining.way
        return Underway(str(self.source), way.words, way.share, max(now - self._since, 0.0))

    def poll(self) -> Connection | None:
        """The connection, once it has joined. Raises Failed: it cannot be joined."""
        try:
            return self._joining.poll()
        except ConnectError as error:
            raise Failed(str(error)) from None
        except OSError as error:  # a recording's folder without rights, a blob cache that cannot be opened
            raise Failed(f"{error.filename or self.source}: {error.strerror or error}.") from None
        except Exception as error:  # a bug of ours must not cost the world that somebody looks at
            raise Failed(f"{self.source} cannot be joined ({type(error).__name__}: {one_line(str(error))}).") from error

    def give_up(self) -> None:
        """Nobody wants it any more; what it holds is given back beside the window."""
        self._joining.cancel()


def fresh(options: Options) -> Options:
    """Options for another source than the command line's: what was said of that one's world is not of this one."""
    return replace(
        options, at=None, look_deg=None, dimension=None, start=None, still=None, speed=None, record=None, pins=()
    )


def again(options: Options) -> Options:
    """Options for the same source once more: all of them, but a recording is not overwritten."""
    return replace(options, record=None)


def play(connection: Connection) -> None:
    """A recording plays as it was unless its speed was given."""
    if connection.replay and connection.options.speed is None:
        connection.replay.play(1.0)


def joined_options(options: Options, source: Source, last: Source | None) -> Options:
    """Options for a source after another."""
    return again(options) if source == last else fresh(options)


GOODBYE_S: Final = 6.0
"""A child process that does not end is ended after five (``connect.embedded``)."""


class OpenConnections:
    """Of one window."""

    def __init__(self, connection: Connection) -> None:
        """On a connection, which belongs to it from now on."""
        self.connection = connection  # that is shown
        self._partings: list[BackgroundTask[None]] = []

    def go_on(self, connection: Connection) -> None:
        """Another one is shown from now on; the one before is left. Nothing may look at what it knows any more."""
        old, self.connection = self.connection, connection
        self.leave(old)

    def leave(self, connection: Connection) -> None:
        """Closes a connection beside the window."""
        self._partings.append(part(connection))

    @property
    def parts(self) -> bool:
        """Whether something that was left still says goodbye, or nobody has asked since for ``parted``."""
        return bool(self._partings)

    def parted(self) -> bool:
        """Whether all goodbyes have been said since the last time, so that what was known can be freed."""
        if not self._partings or not all(parting.over for parting in self._partings):
            return False
        self._partings.clear()
        return True

    def close(self) -> None:
        """Leaves, and waits until all goodbyes are said."""
        self.connection.close()
        self.settle()

    def settle(self) -> None:
        """Waits until what was left is closed."""
        for parting in self._partings:
            parting.wait(GOODBYE_S)
        self._partings.clear()
