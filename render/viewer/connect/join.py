"""One attempt to join, from start to end; the connections of a window; options for joining.

``OpenConnections`` survives the loss of the GL context: the window is then rebuilt on the same connection.

``ConnectionAttempt`` joins a source on a thread beside the one that draws:
1. Everything that blocks (names, pings, starting a child process) happens on the joining thread; ``poll`` never waits.
2. The caller of ``poll`` owns the connection it returns. After a cancellation the thread itself closes it.
3. ``cancel`` ends the attempt within one turn of its wait. What cannot be interrupted, such as a name look-up, ends by
   itself; its result is ignored.
"""

import threading
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.errors import ConnectError
from client.options import Options
from client.source import Source, one_line
from render.panels.connect import Underway

Open = Callable[[Source, Options, Progress], Connection]
CANCELLED: Final = "The join was cancelled."


class Failed(Exception):
    """The source cannot be joined, or the join was cancelled; the text is one sentence."""


def part(connection: Connection) -> BackgroundTask[None]:
    """Closes a connection on a thread of its own: disconnecting takes up to half a second, ending a child process more.

    No other code may use the connection or its data any more.
    """

    def close() -> None:
        connection.adopt()
        connection.close()

    return BackgroundTask("parting", close)


class ConnectionAttempt:
    """One attempt to join a source."""

    def __init__(self, source: Source, options: Options, opened: Open = open_connection, now: float = 0.0) -> None:
        """Starts it; kernels must be compiled. ``now``: monotonic seconds."""
        self._source = source
        self._since = now
        self._way = 0.0, "starting"  # share done and what it waits for; replaced whole by the joining thread
        self._cancelled = threading.Event()
        self._taking = threading.Lock()  # cancelling and joining must not overlap
        self._joined: Connection | None = None
        self._beside: BackgroundTask[None] = BackgroundTask("joining", lambda: self._join(options, opened))

    def underway(self, now: float) -> Underway:
        share, words = self._way
        return Underway(str(self._source), words, share, max(now - self._since, 0.0))

    def poll(self) -> Connection | None:
        """The connection, once it has joined; the caller then owns it. Raises Failed: it cannot be joined."""
        if not self._beside.over:
            return None
        try:
            self._beside.outcome()
        except ConnectError as error:
            raise Failed(str(error)) from None
        except OSError as error:  # a recording's folder without permissions, a blob cache that cannot be opened
            raise Failed(f"{error.filename or self._source}: {error.strerror or error}.") from None
        except Exception as error:  # a bug in joining must not end the shown world
            words = f"{type(error).__name__}: {one_line(str(error))}"
            raise Failed(f"{self._source} cannot be joined ({words}).") from error
        with self._taking:
            connection, self._joined = self._joined, None
        if connection is None:
            raise Failed(CANCELLED)
        connection.adopt()
        return connection

    def cancel(self) -> BackgroundTask[None] | None:
        """Cancels it; may be called again. ``poll`` then returns nothing.

        Returns the task that closes the connection if it had joined already.
        """
        with self._taking:
            self._cancelled.set()
            connection, self._joined = self._joined, None
        return None if connection is None else part(connection)

    def wait(self, timeout_s: float) -> bool:
        """Waits for its thread to end; returns whether it has."""
        return self._beside.wait(timeout_s)

    def _join(self, options: Options, opened: Open) -> None:
        connection = opened(self._source, options, self._tell)
        with self._taking:
            if not self._cancelled.is_set():
                self._joined = connection
                return
        connection.close()

    def _tell(self, share: float, what: str) -> None:
        if self._cancelled.is_set():
            raise ConnectError(CANCELLED)
        self._way = share, what


def play(connection: Connection) -> None:
    """Plays a recording at its original speed unless a speed was given; pauses it at a given moment."""
    if connection.replay and connection.options.speed is None:
        connection.replay.play(1.0)
        if connection.options.start is not None:
            connection.replay.pause()


def joined_options(options: Options, source: Source, last: Source | None) -> Options:
    """Options for joining a source after another, ``last``.

    Another source gets none of those that concern the world of the command line's; the same one gets all of them,
    except that a recording is not overwritten.
    """
    if source == last:
        return replace(options, record=None)
    return replace(
        options, at=None, look_deg=None, dimension=None, start=None, still=None, speed=None, record=None, pins=()
    )


GOODBYE_S: Final = 6.0
"""Longest: the goodbye to a server, then the end of our own (``client.embedded_server``)."""


class OpenConnections:
    """The shown connection of one window, and those that are still closing."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection  # the shown one
        self._partings: list[BackgroundTask[None]] = []

    def go_on(self, connection: Connection) -> None:
        """Shows another connection and closes the one before, whose data must not be used any more."""
        old, self.connection = self.connection, connection
        self.leave(old)

    def leave(self, connection: Connection) -> None:
        """Closes a connection in the background."""
        self._partings.append(part(connection))

    @property
    def parts(self) -> bool:
        """Whether connections are still closing, or ``parted`` has not been called since."""
        return bool(self._partings)

    def parted(self) -> bool:
        """Whether all have been closed since the last call, so that their data can be freed."""
        if not self._partings or not all(parting.over for parting in self._partings):
            return False
        self._partings.clear()
        return True

    def close(self) -> None:
        """Closes the shown connection and waits for all to be closed."""
        self.connection.close()
        self.settle()

    def settle(self) -> None:
        """Waits until the left connections are closed."""
        for parting in self._partings:
            parting.wait(GOODBYE_S)
        self._partings.clear()
