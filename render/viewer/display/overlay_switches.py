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
from render.viewer.key_layout import KeyLayout

CLOSING = "ESCAPE"
CLEARING = "DELETE"


class OverlayChooser:
    """The list of overlays of one window."""

    def __init__(self, on: AbstractSet[str]) -> None:
        """Starts closed; ``on`` is the window's own set of overlays, only read here."""
        self._on = on
        self.is_open = False  # whether it uses letters

    def turn(self) -> None:
        """Opens or closes it."""
        self.is_open = not self.is_open

    def overlay_of(self, key: str) -> str | None:
        """The overlay that a key switches now; None if it switches none, or the list is closed."""
        return by_letter(key.removeprefix("_")) if self.is_open else None

    def clears(self, key: str) -> bool:
        """Whether a key switches off all overlays."""
        return self.is_open and key == CLEARING

    def closes(self, key: str) -> bool:
        """Closes the list if the key does that (other than the one that opened it); returns whether it did."""
        closing = self.is_open and key == CLOSING
        self.is_open &= not closing
        return closing

    def lines(self, opener: str) -> list[str]:
        """The list's lines; a tab leads to the next column, since letters differ in width."""
        rows = [
            f"  {overlay.letter}\t{'[x]' if overlay.name in self._on else '[  ]'}\t{overlay.name}: {overlay.title}"
            for overlay in OVERLAYS.values()
        ]
        return [f"Overlays: a letter switches one on or off; Del: all off; {opener} or Esc closes the list.", *rows]


class OverlaySwitches:
    """The overlays of one window; owner thread only."""

    def __init__(self, on: Iterable[str], layout: KeyLayout, captions: Captions, events: EventStream) -> None:
        self.on = set(on)  # names of overlays that are on
        self.hidden_rows: set[tuple[str, str]] = set()  # as in ``FrameSettings``
        self._chooser = OverlayChooser(self.on)
        self._layout = layout
        self._captions = captions
        self._events = events

    @property
    def is_open(self) -> bool:
        """Whether the list is open, so that it uses letters."""
        return self._chooser.is_open

    def turn(self) -> None:
        """Opens the list, or closes it."""
        self._chooser.turn()
        self._list()

    def switch(self, name: str) -> None:
        """Switches an overlay; one that fills the picture replaces another such."""
        if name in SURFACES and name not in self.on:
            for other in sorted(self.on & SURFACES.keys()):
                self._turn(other)
        self._turn(name)
        self._list()

    def switch_row(self, name: str, label: str) -> None:
        """Shows or hides the boxes of one row of an overlay's legend."""
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
        if name := self._chooser.overlay_of(key):
            self.switch(name)
        elif self._chooser.clears(key):
            for name in sorted(self.on):
                self.switch(name)
        elif self._chooser.closes(key):
            self._list()
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
        opener = self._layout.keyboard.shown(Action.OVERLAYS)
        self._captions.listed = self._chooser.lines(opener) if self.is_open else []
        self._captions.renew()
