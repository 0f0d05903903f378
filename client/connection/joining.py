"""A source that is joined beside the thread that draws: how far that is, giving it up, and the connection at its end.

Rules:
1. Everything that blocks (names, pings, a child that starts) happens on the joining thread; ``poll`` never waits.
2. The connection belongs to whoever polls it out of here. One that nobody will have is closed on the thread itself.
3. ``cancel`` ends it within a turn of its wait; what cannot be interrupted, as a name being looked up, ends by itself
   and leaves nothing behind. Nothing of it is told any more.
"""

import threading
from collections.abc import Callable

import msgspec

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.opening import Progress, open_connection
from client.errors import ConnectError
from client.options import Options
from client.source import Source

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
