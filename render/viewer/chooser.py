"""The list of overlays, each switched by its letter while the list is open. Text alone: it needs no panels.

Knows no window, so tests drive it without one. Keys come by pyglet's names; digits have a ``_`` there.
"""

from collections.abc import Set as AbstractSet

from render.settings.overlays import BY_LETTER, OVERLAY_TABLE

CLOSING = "ESCAPE"
CLEARING = "DELETE"


class Chooser:
    """Of one window.

    Attributes:
        is_open: whether letters are its own.
    """

    def __init__(self, on: AbstractSet[str]) -> None:
        """Closed; ``on`` is the window's own set of overlays, only read here."""
        self._on = on
        self.is_open = False

    def turn(self) -> None:
        """Opens it, or closes it."""
        self.is_open = not self.is_open

    def overlay_of(self, key: str) -> str | None:
        """Which overlay a key switches now; None where it switches none, or the list is closed."""
        return BY_LETTER.get(key.removeprefix("_")) if self.is_open else None

    def clears(self, key: str) -> bool:
        """Whether a key switches off all that are on now."""
        return self.is_open and key == CLEARING

    def closes(self, key: str) -> bool:
        """Closes it where that is what a key does besides the one that opened it; whether it did."""
        closing = self.is_open and key == CLOSING
        self.is_open &= not closing
        return closing

    def lines(self, opener: str) -> list[str]:
        """What the list says; a tab leads to the next column, for letters are not all of one width.

        Args:
            opener: the key that opens and closes it, as a person knows it.
        """
        rows = [
            f"  {overlay.letter}\t{'[x]' if overlay.name in self._on else '[  ]'}\t{overlay.name}: {overlay.means}"
            for overlay in OVERLAY_TABLE
        ]
        return [f"Overlays: a letter switches one; Del: none; {opener} or Esc closes.", *rows]
