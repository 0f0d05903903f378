"""The overlays of one window: which are on, the list that switches them by letter, their legend in the picture.

Rules:
1. ``on`` is one set for as long as the window lives: panels and whoever draws hold the same one and only read it.
2. A switch is told to the log and seen in the open list at once, whoever asked for it: a key, a letter, a panel.
3. Of those that fill the picture one is on: the last that was asked for. The others would lie beneath it, or hide it.
4. Keys come by pyglet's names; digits have a ``_`` there. The list is text alone: it needs no panels.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from client.session.stats import SessionStats
from render.overlays.overlay import LegendRow
from render.overlays.registry import OverlayLegend, legend_title, sections_of
from render.passes.overlay.surface_channels import SURFACES
from render.settings import Action
from render.settings.overlays import OVERLAYS, by_letter
from render.viewer.display.captions import Captions
from render.viewer.event_stream import EventStream
from render.viewer.key_layout import KeyLayout

CLOSING = "ESCAPE"
CLEARING = "DELETE"


class OverlayChooser:
    """Of one window."""

    def __init__(self, on: AbstractSet[str]) -> None:
        """Closed; ``on`` is the window's own set of overlays, only read here."""
        self._on = on
        self.is_open = False  # whether letters are its own

    def turn(self) -> None:
        """Opens it, or closes it."""
        self.is_open = not self.is_open

    def overlay_of(self, key: str) -> str | None:
        """Which overlay a key switches now; None where it switches none, or the list is closed."""
        return by_letter(key.removeprefix("_")) if self.is_open else None

    def clears(self, key: str) -> bool:
        """Whether a key switches off all that are on now."""
        return self.is_open and key == CLEARING

    def closes(self, key: str) -> bool:
        """Closes it where that is what a key does besides the one that opened it; whether it did."""
        closing = self.is_open and key == CLOSING
        self.is_open &= not closing
        return closing

    def lines(self, opener: str) -> list[str]:
        """What the list says; a tab leads to the next column, for letters are not all of one width."""
        rows = [
            f"  {overlay.letter}\t{'[x]' if overlay.name in self._on else '[  ]'}\t{overlay.name}: {overlay.title}"
            for overlay in OVERLAYS.values()
        ]
        return [f"Overlays: a letter switches one on or off; Del: all off; {opener} or Esc closes the list.", *rows]


class OverlaySwitches:
    """Of one window; owner thread only."""

    def __init__(self, on: Iterable[str], layout: KeyLayout, captions: Captions, events: EventStream) -> None:
        self.on = set(on)  # names of those that are on
        self.hidden_rows: set[tuple[str, str]] = set()  # as ``FrameSettings`` takes them
        self._chooser = OverlayChooser(self.on)
        self._layout = layout
        self._captions = captions
        self._events = events

    @property
    def is_open(self) -> bool:
        """Whether the list is, so that letters are its own."""
        return self._chooser.is_open

    def turn(self) -> None:
        """Opens the list, or closes it."""
        self._chooser.turn()
        self._list()

    def switch(self, name: str) -> None:
        """One on, or off; one that fills the picture takes the place of another such."""
        if name in SURFACES and name not in self.on:
            for other in sorted(self.on & SURFACES.keys()):
                self._turn(other)
        self._turn(name)
        self._list()

    def switch_row(self, name: str, label: str) -> None:
        """The boxes of one row of an overlay's legend on, or off."""
        self.hidden_rows.symmetric_difference_update({(name, label)})
        self._events.tell_when_shown("overlay", name=name, row=label, on=(name, label) not in self.hidden_rows)

    def press(self, name: str) -> None:
        """As ``switch``, but a second press shows the overlay that follows this one, a third switches that off."""
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
        """A key, by its name, before it is an action; whether it was the open list's."""
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
        """Sections and first line of the legend in the picture: none while numbers are off or a panel tells it."""
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
