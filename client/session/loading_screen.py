"""What the server is told of a loading screen that nobody here looks at (ServerboundLoadingScreen, wire.md 2.5).

Rules:
1. Spoken from protocol 712 on; before, nothing is said.
2. The screen appears with StartGame, after the radius was asked, and with each ChangeDimension, whose id it repeats; it
   is gone when the server has let the player in, before the player says that it is there. The first one has no id.
   Real clients tell all of it, and a server may take no step of a player before it has heard of the end (dragonfly).
3. A screen that another one replaces is not ended: the server waits for the id it gave last, and an id that it no
   longer expects may be an error to it (dragonfly).
"""

from typing import Final

from net.bedrock import Message, ServerboundLoadingScreen
from net.bedrock.packets.login import FIRST_PROTOCOL

APPEARS: Final = 1
GONE: Final = 2


class LoadingScreen:
    """The screen of one session."""

    def __init__(self, protocol: int) -> None:
        """Not there yet.

        Args:
            protocol: number spoken.
        """
        self._spoken = protocol >= FIRST_PROTOCOL
        self._id: int | None = None
        self._shown = False

    def appear(self, loading_screen_id: int | None = None) -> list[Message]:
        """The player waits; gives what is to be said."""
        self._id, self._shown = loading_screen_id, True
        return self._say(APPEARS)

    def vanish(self) -> list[Message]:
        """The player is in; gives what is to be said, nothing where no screen was shown."""
        shown, self._shown = self._shown, False
        return self._say(GONE) if shown else []

    def _say(self, kind: int) -> list[Message]:
        return [ServerboundLoadingScreen(kind, self._id)] if self._spoken else []
