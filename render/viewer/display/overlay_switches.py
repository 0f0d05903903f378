"""The overlays of one window: which are on, the list that switches them by letter, their legend in the picture.

Rules:
1. ``on`` is one set for the window's lifetime: panels and drawing code share it and only read it.
2. Each switch is logged and at once visible in the open list, whether by key, letter or panel.
3. Only one of the overlays that fill the picture is on, the last one requested: others would hide it or be hidden.
4. Keys come by pyglet's names; digits have a ``_`` there. The list is text alone: it needs no panels.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from client.session.stats import SessionStats
from render.overlays.legend import OverlayLegend, legend_title, sections_of
from render.overlays.overlay import LegendRow
from render.passes.overlay.surface_channels import SURFACES
from render.settings import Action
from render.settings.overlays import OVERLAYS, by_letter
from render.viewer.display.captions import Captions
from render.viewer.event_stream import EventStream
from render.viewer.preferences import Preferences

CLOSING = "ESCAPE"
CLEARING = "DELETE"


class OverlaySwitches:
    """The overlays of one window; owner thread only."""

    def __init__(self, on: Iterable[str], preferences: Preferences, captions: Captions, events: EventStream) -> None:
        self.on = set(on)  # names of overlays that are on
        self.hidden_rows: set[tuple[str, str]] = set()  # as in ``FrameSettings``
        self.is_open = False  # whether the list is open, so that it uses letters
        self._preferences = preferences
        self._captions = captions
        self._events = events

    def turn(self) -> None:
        self.is_open = not self.is_open
        self._list()

    def switch(self, name: str) -> None:
        """Switches an overlay; one that fills the picture replaces another such."""
        if name in SURFACES and name not in self.on:
            for other in sorted(self.on & SURFACES.keys()):
                self._turn(other)
        self._turn(name)
        self._list()

    def switch_row(self, name: str, label: str) -> None:
        self.hidden_rows.symmetric_difference_update({(name, label)})
        self._events.tell_when_shown("overlay", name=name, row=label, on=(name, label) not in self.hidden_rows)

    def press(self, name: str) -> None:
        """Like ``switch``, but a second press shows the overlay that follows this one, a third switches that off."""
        follower = OVERLAYS[name].then
        if follower and (name in self.on or follower in self.on):
            for each in sorted({name, follower} & self.on):
                self._turn(each)
                if each == name and follower not in self.on:
                    self._turn(follower)
            self._list()
        else:
            self.switch(name)

    def take(self, key: str) -> bool:
        """Handles a key, by its name, before it becomes an action; returns whether the open list used it."""
        if not self.is_open:
            return False
        if name := by_letter(key.removeprefix("_")):
            self.switch(name)
        elif key == CLEARING:
            for name in sorted(self.on):
                self.switch(name)
        elif key == CLOSING:
            self.turn()
        else:
            return False
        return True

    def legend(
        self, rows: Callable[[str], tuple[LegendRow, ...]], known: SessionStats, told_elsewhere: bool
    ) -> tuple[tuple[OverlayLegend, ...], str]:
        """Sections and first line of the legend in the picture: none without HUD, or if a panel shows the legend."""
        shown = self._captions.level > 0 and not (told_elsewhere or self.is_open)
        sections = sections_of(self.on if shown else (), rows)
        return sections, legend_title(sections, known.pins, known.terrain.stale_columns)

    def _turn(self, name: str) -> None:
        self.on.symmetric_difference_update({name})
        self._events.tell_when_shown("overlay", name=name, on=name in self.on)

    def _list(self) -> None:
        opener = self._preferences.keyboard.shown(Action.OVERLAYS)
        self._captions.listed = listed(self.on, opener) if self.is_open else []
        self._captions.renew()


def listed(on: AbstractSet[str], opener: str) -> list[str]:
    """The lines of the open list; a tab leads to the next column, since letters differ in width."""
    rows = [
        f"  {overlay.letter}\t{'[x]' if overlay.name in on else '[  ]'}\t{overlay.name}: {overlay.title}"
        for overlay in OVERLAYS.values()
    ]
    return [f"Overlays: a letter switches one on or off; Del: all off; {opener} or Esc closes the list.", *rows]
