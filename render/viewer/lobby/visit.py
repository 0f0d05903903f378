"""The connection that a window is on, and those that it has left and that still say goodbye.

It outlives what draws: a window whose GL context was lost is drawn anew on the same visit.
"""

from typing import Final

from client.background_task import Beside
from client.connection.connection import Connection
from client.connection.joining import part

GOODBYE_S: Final = 6.0
"""A child process that does not end is ended after five (``connect.embedded``)."""


class Visit:
    """Of one window.

    Attributes:
        connection: that is shown.
    """

    def __init__(self, connection: Connection) -> None:
        """On a connection, which belongs to it from now on."""
        self.connection = connection
        self._partings: list[Beside[None]] = []

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
