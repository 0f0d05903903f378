"""One join from Enter to its end: begun, told, given up, failed or done; and what a source is joined with.

Visit: The connection that a window is on, and those that it has left and that still say goodbye.

It outlives what draws: a window whose GL context was lost is drawn anew on the same visit.

``ConnectionAttempt``: a source that is joined beside the thread that draws, how far that is, giving it up, and the
connection at its end.

Rules:
1. Everything that blocks (names, pings, a child that starts) happens on the joining thread; ``poll`` never waits.
2. The connection belongs to whoever polls it out of here. One that nobody will have is closed on the thread itself.
3. ``cancel`` ends it within a turn of its wait; what cannot be interrupted, as a name being looked up, ends by itself
   and leaves nothing behind. Nothing of it is told any more.
"""

import threading
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.errors import ConnectError
from client.options import Options
from client.source import Source, one_line
from render.panels.connect import Underway

Open = Callable[[Source, Options, Progress], Connection]


class JoinProgress(msgspec.Struct, frozen=True):
    """How far a join is."""

    share: float  # done, 0..1
    words: str  # what is waited for


class Cancelled(ConnectError):
    """Whoever wanted to join does so no longer."""


def part(connection: Connection) -> BackgroundTask[None]:
    """Closes a connection on a thread of its own: a goodbye takes up to half a second, and a child its time to end.

    Nobody else may touch it any more, nor what it knows.
    """

    def close() -> None:
        connection.adopt()
        connection.close()

    return BackgroundTask("parting", close)


class ConnectionAttempt:
    """One attempt."""

    def __init__(self, source: Source, options: Options, opened: Open = open_connection) -> None:
        """Starts it; kernels must be compiled."""
        self.source = source  # that is joined
        self.way = JoinProgress(0.0, "starting")  # how far it is; replaced whole by the joining thread
        self._cancelled = threading.Event()
        self._taking = threading.Lock()  # whether it was cancelled and whether it has joined must not cross
        self._joined: Connection | None = None
        self._beside: BackgroundTask[None] = BackgroundTask("joining", lambda: self._join(options, opened))

    def poll(self) -> Connection | None:
        """The connection, once it has joined; it is the caller's from then on.

        Raises ConnectError: it cannot be joined, or was cancelled; BaseException: a fault of our own.
        """
        if not self._beside.over:
            return None
        self._beside.outcome()
        with self._taking:
            connection, self._joined = self._joined, None
        if connection is None:
            raise Cancelled("The join was cancelled.")
        connection.adopt()
        return connection

    def cancel(self) -> BackgroundTask[None] | None:
        """Gives it up; may be called again. After it, ``poll`` gives nothing.

        Returns the parting from what had joined already, where it had.
        """
        with self._taking:
            self._cancelled.set()
            connection, self._joined = self._joined, None
        return None if connection is None else part(connection)

    def wait(self, timeout_s: float) -> bool:
        """Whether its thread has ended, waiting so long at most."""
        return self._beside.wait(timeout_s)

    def _join(self, options: Options, opened: Open) -> None:
        connection = opened(self.source, options, self._tell)
        with self._taking:
            if not self._cancelled.is_set():
                self._joined = connection
                return
        connection.close()

    def _tell(self, share: float, what: str) -> None:
        if self._cancelled.is_set():
            raise Cancelled("The join was cancelled.")
        self.way = JoinProgress(share, what)


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
