"""A card low over the world: a lost connection with its reason and what can be done, a join under way, or the past.

Text and shapes are pyglet's, as the numbers are, so that it needs no extra. ``banner_of`` is plain, for tests.
"""

from typing import Any, Final

from net.frozen import frozen
from render.panels.connect import Underway
from render.viewer.window.window_size import Area

ALARM: Final = (255, 110, 95)
ACCENT: Final = (95, 185, 255)
PAST: Final = (242, 191, 77)
"""As in the panel of events."""
FONTS: Final = ("DejaVu Sans", "Verdana", "Helvetica")
WIDEST: Final = 0.86
"""Of the area."""


@frozen
class Banner:
    """What stands on it.

    Attributes:
        title: the first line.
        words: below it, wrapped.
        keys: what can be done, the last line.
        share: of a join, or of the time that is kept, 0..1; None: this is a loss.
        colour: of its stripe.
    """

    title: str
    words: str
    keys: str
    share: float | None = None
    colour: tuple[int, int, int] = ALARM


@frozen
class PastView:
    """The past of a live session, where that is shown.

    Attributes:
        ago: how long ago it was, in words.
        words: what it does: whether it is paused, on its way, how fast it goes.
        share: of the time that is kept, 0..1.
        keys: what can be done.
    """

    ago: str
    words: str
    share: float
    keys: str


def banner_of(
    lost: str, underway: Underway | None, r_is_free: bool, connect_key: str, past: PastView | None = None
) -> Banner | None:
    """What there is to show; None: nothing.

    Args:
        lost: why the connection is over, empty while it is not.
        underway: a join.
        r_is_free: whether R does nothing else.
        connect_key: the key of the connect screen.
        past: where it is shown.
    """
    if underway:
        title = f"Joining {underway.source}, {underway.seconds:.1f} s"
        return Banner(title, underway.words, "Esc: give up", underway.share, ACCENT)
    if past:
        words = f"Connection lost: {lost}" if lost else f"{past.words}; the session goes on"
        return Banner(f"The past, {past.ago} ago", words, past.keys, past.share, PAST)
    if lost:
        keys = "R or Enter" if r_is_free else "Enter"
        return Banner(
            "Connection lost", lost, f"{keys}: join again   {connect_key}: other worlds   the world stays as it was"
        )
    return None


class BannerPainter:
    """Draws it in the lower middle of what is free of a pyglet window; needs its context to be current."""

    def __init__(self, scale: float) -> None:
        """Text so many times as large as the screen's own."""
        import pyglet

        def label(points: float, colour: tuple[int, int, int, int], wrapped: bool = False) -> Any:
            size = max(round(points * scale), 6)
            more = {"multiline": True, "width": 400} if wrapped else {}
            return pyglet.text.Label("", font_name=FONTS, font_size=size, color=colour, anchor_y="top", **more)

        self._em = 14 * scale
        self._title = label(13, (240, 244, 250, 255))
        self._words = label(10.5, (205, 213, 224, 255), wrapped=True)
        self._keys = label(9.5, (150, 162, 178, 255))
        self._panel = pyglet.shapes.Rectangle(0, 0, 1, 1, color=(14, 18, 25, 225))
        self._stripe = pyglet.shapes.Rectangle(0, 0, 1, 1)
        self._bar = pyglet.shapes.Rectangle(0, 0, 1, 1)

    def draw(self, banner: Banner, area: Area) -> int:
        """Draws one frame low in an area; its upper end in pixels, y up. The window's framebuffer must be bound."""
        em, wide = self._em, area.right - area.left
        most = WIDEST * wide - 4 * em
        for label, text in ((self._title, banner.title), (self._words, banner.words), (self._keys, banner.keys)):
            if label.text != text:
                label.text = text
        if self._words.width != int(most):
            self._words.width = int(most)
        inner = max(self._title.content_width, self._words.content_width, self._keys.content_width, 20 * em)
        heights = [label.content_height for label in (self._title, self._words, self._keys)]
        height = sum(heights) + 3.2 * em
        left, bottom = area.left + max((wide - inner) / 2 - 1.2 * em, 0.0), area.low + 0.9 * em
        self._place(self._panel, left, bottom, inner + 2.4 * em, height)
        self._place(self._stripe, left, bottom, 0.25 * em, height)
        self._stripe.color = self._bar.color = banner.colour
        self._panel.draw()
        self._stripe.draw()
        y = bottom + height - 0.8 * em
        for label, tall in zip((self._title, self._words, self._keys), heights, strict=True):
            label.position = (round(left + 1.2 * em), round(y), 0)
            label.draw()
            y -= tall + 0.5 * em
        if banner.share is not None:
            self._place(self._bar, left, bottom, (inner + 2.4 * em) * banner.share, 0.22 * em)
            self._bar.draw()
        return int(bottom + height)

    @staticmethod
    def _place(shape: Any, x: float, y: float, width: float, height: float) -> None:  # Any: pyglet's
        shape.position = (round(x), round(y))
        shape.width, shape.height = max(round(width), 1), max(round(height), 1)
