"""What the connect screen looks for while it is open: servers of the LAN, folders, the file of recent sources.

Folders are read beside the window, since some lie on networks. Nothing is looked for once it is closed.
"""

import time
from collections.abc import Sequence
from typing import Final

from client.background_task import Beside
from client.lan import Lan
from render.viewer.events import EventLog
from render.viewer.lobby.lists import embedded_section, lan_section, places_section, recent_section
from render.viewer.lobby.places import Found, look_around
from render.viewer.lobby.plan import LobbyPlan
from render.viewer.lobby.recent import Recent
from render.viewer.lobby.screen import Section

LISTED_EVERY_S: Final = 0.25
LOOKED_EVERY_S: Final = 5.0
"""How often folders are looked at again, and the file of recent sources read."""


class Looking:
    """Of one window; owner thread."""

    def __init__(self, plan: LobbyPlan, events: EventLog) -> None:
        """Looks for nothing.

        Args:
            plan: where lists come from.
            events: told how many servers there are.
        """
        self._plan = plan
        self._events = events
        self._lan: Lan | None = None
        self._reading: Beside[tuple[tuple[Found, ...], str]] | None = None
        self._places: tuple[tuple[Found, ...], str] = (), ""
        self._recent: tuple[Sequence[Recent], str] = (), ""
        self._told_servers = 0
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def open(self) -> None:
        """Begins."""
        self._lan = Lan(self._plan.ports)
        self._told_servers = 0
        self.again()

    def again(self) -> None:
        """Everything is looked at with the next frame."""
        self._looked_at = self._listed_at = -LOOKED_EVERY_S

    def close(self) -> None:
        """Ends."""
        if self._lan:
            self._lan.close()
            self._lan = None

    def sections(self, now: float) -> tuple[Section, ...] | None:
        """What there is, some times a second; None between. ``now`` in monotonic seconds."""
        if self._reading and self._reading.over:
            try:
                self._places = self._reading.outcome()
            except OSError as error:
                self._places = (), str(error)
            self._reading = None
        if now - self._looked_at >= LOOKED_EVERY_S and self._reading is None:
            self._looked_at = now
            folders = self._plan.folders
            self._reading = Beside("places", lambda: look_around(folders))
            rows = self._plan.recent.all()
            self._recent = rows, self._plan.recent.trouble
        if now - self._listed_at < LISTED_EVERY_S or self._lan is None:
            return None
        self._listed_at = now
        neighbours, trouble = self._lan.neighbours(now)
        if len(neighbours) != self._told_servers:
            self._told_servers = len(neighbours)
            self._events.tell_when_shown("listed", servers=len(neighbours))
        return (
            lan_section(neighbours, trouble),
            recent_section(*self._recent, time.time()),
            places_section(*self._places),
            embedded_section(),
        )
