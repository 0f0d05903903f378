"""Messages and prompts low in the window's middle; the level of the HUD; the card of a first start; the crosshair.

Rules:
1. The HUD's text is renewed some times a second, and at once after ``renew``: setting text costs more than drawing it.
2. Servers send many messages: they have one line of their own, and do not shorten the window's own messages.
3. The window's messages are stored, so that they can be read again (panel of events).
4. ``render.panels.hud_card`` draws the HUD, lists and the card; pyglet's text draws messages and prompts.
5. The crosshair is four arms around a gap, so that the block itself stays visible; light with a dark border.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from render.panels.hud import KeyRow
from render.settings import Action, Keyboard
from render.settings.actions import ActionGroup
from render.viewer.preferences import Preferences
from render.viewer.window.window import Area

FONTS: Final = ("DejaVu Sans", "Verdana", "Helvetica")
POINTS: Final = 11
SMALL_POINTS: Final = 8


class CaptionPainter:
    """Draws lines over a dark panel low in the middle of a pyglet window; needs its context to be current.

    It uses pyglet's text, not imgui's: chat may be in any script, and the system's fonts have its letters.
    """

    def __init__(self) -> None:
        self._label: Any = None  # Any: pyglet's, made for the first message
        self._panel: Any = None
        self._size = 0  # font size of the label, in points

    def draw(self, lines: list[str], area: Area, scale: float, small: bool) -> None:
        """Draws in an area of the bound framebuffer; with a smaller font in a ``small`` one."""
        if not lines:
            return
        size = round((SMALL_POINTS if small else POINTS) * scale)
        margin = round(0.7 * size)
        if self._size != size:
            self._make(size)
        text, most = "\n".join(lines), max(area.right - area.left - 4 * margin, 1)
        if self._label.text != text:
            self._label.text = text
            longest = max(map(len, text.split()), default=0)
            self._label.set_style("wrap", "char" if longest * size > most else True)  # a path may be longer than a line
        if self._label.width != most:
            self._label.width = most
        wide, high = self._label.content_width, self._label.content_height
        left, low = (area.left + area.right - wide) // 2, area.low + 2 * margin
        self._label.position = (left, low + high, 0)
        self._panel.position = (left - margin, low - margin)
        self._panel.width, self._panel.height = wide + 2 * margin, high + 2 * margin
        self._panel.draw()
        self._label.draw()

    def _make(self, size: int) -> None:
        import pyglet

        self._size = size
        self._label = pyglet.text.Label("", font_name=FONTS, font_size=size, multiline=True, width=1, anchor_y="top")
        self._panel = pyglet.shapes.Rectangle(0, 0, 1, 1, color=(5, 8, 10, 240))


# ---------------------------------------------------------------- crosshair

ARM: Final = 8
GAP: Final = 3
WIDTH: Final = 4
"""Width of an arm with its border on both sides; all of these in pixels at scale 1."""
BORDER: Final = 1
LIGHT: Final = (240, 240, 240, 200)
DARK: Final = (0, 0, 0, 200)
"""Same opacity as the arms: pyglet requires it of a border."""


class Arm(NamedTuple):
    """A rectangle in pixels, y up: its lower left corner, its width and height."""

    x: int
    y: int
    width: int
    height: int


def arms_of(picture: Area, scale: float) -> tuple[Arm, ...]:
    """Left, right, lower and upper arm, around the middle of a picture's area in a window."""
    wide, high = picture.size
    middle_x, middle_y = picture.left + wide // 2, picture.low + high // 2
    arm, gap, half = round(ARM * scale), round(GAP * scale), round(WIDTH * scale / 2)
    level, upright = (arm, 2 * half), (2 * half, arm)
    return (
        Arm(middle_x - gap - arm, middle_y - half, *level),
        Arm(middle_x + gap, middle_y - half, *level),
        Arm(middle_x - half, middle_y - gap - arm, *upright),
        Arm(middle_x - half, middle_y + gap, *upright),
    )


class Crosshair:
    """The crosshair of one window; needs its context to be current."""

    def __init__(self) -> None:
        self._made: tuple[Area, float] | None = None
        self._batch: Any = None  # Any: pyglet's, imported once there is a context
        self._arms: list[Any] = []

    def draw(self, picture: Area, scale: float) -> None:
        if (picture, scale) != self._made:
            self._made = picture, scale
            self._make(arms_of(picture, scale), max(1, round(BORDER * scale)))
        self._batch.draw()

    def _make(self, arms: tuple[Arm, ...], border: int) -> None:
        import pyglet

        self._batch = pyglet.graphics.Batch()
        self._arms = [
            pyglet.shapes.BorderedRectangle(*arm, border=border, color=LIGHT, border_color=DARK, batch=self._batch)
            for arm in arms
        ]


# ---------------------------------------------------------------- captions

EVERY_S: Final = 0.1
SAID_S: Final = 4.0
READ_CHARACTERS_S: Final = 15.0
"""Least display time of a message, and reading speed for long ones."""
KEPT_SENTENCES: Final = 64
"""Messages stored for the panel of events."""
FIRST_S: Final = 30.0
"""Display time of the card of a first start; one of its keys, or the list of keys, ends it."""
MOVED_S: Final = 8.0
"""Its remaining time after the first camera move."""
MOVING: Final = (Action.FORWARD, Action.LEFT, Action.BACK, Action.RIGHT)
STATES: Final = Action("states")
FEW, ALL = 1, 2

Numbers = Callable[[bool], list[str]]
"""Returns lines of the HUD; its argument: whether all are wanted."""


def first_keys(keyboard: Keyboard) -> tuple[KeyRow, ...]:
    rows = (
        (tuple(map(keyboard.shown, MOVING)), "move; click, then look with the mouse"),
        ((keyboard.shown(Action.HELP),), "keys and commands"),
        ((keyboard.shown(STATES),), "show missing sub-chunks and other problems"),
        ((keyboard.shown(Action.INSPECT),), "explain what I look at"),
    )
    return tuple(KeyRow("", caps, means) for caps, means in rows)


class Captions:
    """The captions' state between frames."""

    def __init__(self, preferences: Preferences, numbers_on: bool, first_start: bool, now: float) -> None:
        self.level = FEW if numbers_on else 0  # level of the HUD: none, few, all
        self.listed: list[str] = []  # an open list, which replaces the HUD; empty without one
        self.kept: deque[tuple[float, str]] = deque(maxlen=KEPT_SENTENCES)  # the last messages, with times
        self._clock: Callable[[], float] = lambda: 0.0
        self._preferences = preferences
        self._welcomes, self._first_until = first_start, now + FIRST_S
        self._said = self._heard = "", now
        self._lines: list[str] = []
        self._made: float | None = None

    def restart(self, clock: Callable[[], float]) -> None:
        """Another session is shown, with its ``clock`` of seconds; earlier messages have no time in it."""
        self.kept.clear()
        self._clock = clock

    def renew(self) -> None:
        self._made = None

    def say(self, sentence: str, now: float) -> None:
        """Shows and stores a message for its reading time."""
        self._said = _read(sentence, now)
        if sentence:
            self.kept.append((self._clock(), sentence))

    def receive(self, line: str, now: float) -> None:
        """Shows a server's message in its own line for its reading time; replaces the previous one."""
        self._heard = _read(line, now)

    def switch_numbers(self) -> int:
        """Cycles the HUD: few lines, all, none; returns the new level."""
        self.level = (self.level + 1) % (ALL + 1)
        self.renew()
        return self.level

    def used(self, action: Action, now: float) -> None:
        """Records a pressed key: one of the card's own ends it, others shorten its time."""
        if action.group is ActionGroup.MOVE:
            self._first_until = min(self._first_until, now + MOVED_S)
        self._welcomes &= action not in (Action.HELP, Action.INSPECT, Action.OVERLAYS, Action.PANELS, STATES)

    def keys(self, now: float) -> tuple[KeyRow, ...]:
        """The rows of the card of a first start; empty once it has ended."""
        self._welcomes &= now < self._first_until
        return first_keys(self._preferences.keyboard) if self._welcomes and not self.listed else ()

    def said(self, now: float, prompt: str | None) -> list[str]:
        lines = [words for words, until_s in (self._said, self._heard) if words and now < until_s]
        return lines + ([prompt] if prompt else [])

    def lines(self, now: float, numbers: Numbers) -> list[str]:
        """An open list, else the HUD's lines, else nothing."""
        if self._made is None or now - self._made >= EVERY_S:
            self._made = now
            self._lines = self.listed or (numbers(self.level == ALL) if self.level else [])
        return self._lines


def _read(words: str, now: float) -> tuple[str, float]:
    """A message, and the end of its display time."""
    return words, now + max(SAID_S, len(words) / READ_CHARACTERS_S)
