"""What is said and asked, low in the middle of the window; which numbers are shown; a first start's card; crosshair.

Rules:
1. Numbers are made anew some times a second, and at once after ``renew``: to set text costs more than to draw it.
2. Servers talk a lot: what is heard has one line of its own, and takes no time from what the window itself says.
3. What the window said is kept, so that it can be read again (panel of events).
4. Numbers, lists and the card are drawn by ``render.panels.hud_card``, what is said and asked with pyglet's text.
5. The crosshair is four arms around a gap, so that the block itself is seen; light with a dark border.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from render.panels.hud import KeyRow
from render.settings import Action, Keyboard
from render.settings.actions import ActionGroup
from render.viewer.key_layout import KeyLayout
from render.viewer.window.window import Area

FONTS: Final = ("DejaVu Sans", "Verdana", "Helvetica")
POINTS: Final = 11
SMALL_POINTS: Final = 8


class CaptionPainter:
    """Draws lines over a dark panel low in the middle of a pyglet window; needs its context to be current.

    pyglet's text, not imgui's: what servers and their players write is in any script, and the system has its letters.
    """

    def __init__(self, scale: float) -> None:
        self.scale = scale  # text is so many times as large as the screen's own
        self._label: Any = None  # Any: pyglet's, made when something is first said
        self._panel: Any = None
        self._size = 0  # of the label's letters, in points

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self.scale:
            self.scale, self._label = scale, None

    def draw(self, lines: list[str], area: Area, small: bool = False) -> None:
        """Draws in an area of the framebuffer, which must be bound; smaller letters in a ``small`` one."""
        if not lines:
            return
        size = round((SMALL_POINTS if small else POINTS) * self.scale)
        margin = round(0.7 * size)
        if self._label is None or self._size != size:
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
"""Of an arm with its border on both sides; all of these in pixels at scale 1."""
BORDER: Final = 1
LIGHT: Final = (240, 240, 240, 200)
DARK: Final = (0, 0, 0, 200)
"""Both as opaque as each other: pyglet wants it of a border."""


class Arm(NamedTuple):
    """A rectangle in pixels, y up: its lower left corner, its width and height."""

    x: int
    y: int
    width: int
    height: int


def arms_of(picture: Area, scale: float) -> tuple[Arm, ...]:
    """Left, right, lower and upper arm, around the middle of a picture that lies there in a window."""
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
    """Of one window; needs its context to be current."""

    def __init__(self) -> None:
        self._made: tuple[Area, float] | None = None
        self._batch: Any = None  # Any: pyglet's, imported when there is a context
        self._arms: list[Any] = []

    def draw(self, picture: Area, scale: float) -> None:
        """Draws it into the framebuffer that is bound, in the middle of a picture that lies there."""
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
"""What a sentence stays at least, and how fast a long one is read."""
KEPT_SENTENCES: Final = 64
"""To be read again in the panel of events."""
FIRST_S: Final = 30.0
"""How long the card of a first start stays; one of its keys, or the list of keys, ends it."""
MOVED_S: Final = 8.0
"""The same from the first step on."""
MOVING: Final = (Action.FORWARD, Action.LEFT, Action.BACK, Action.RIGHT)
STATES: Final = Action("states")
FEW, ALL = 1, 2

Numbers = Callable[[bool], list[str]]
"""Lines of the HUD; given whether all are wanted."""


def first_keys(keyboard: Keyboard) -> tuple[KeyRow, ...]:
    """What somebody sees who starts for the first time: four rows."""
    rows = (
        (tuple(map(keyboard.shown, MOVING)), "move; click, then look with the mouse"),
        ((keyboard.shown(Action.HELP),), "keys and commands"),
        ((keyboard.shown(STATES),), "show missing sub-chunks and other problems"),
        ((keyboard.shown(Action.INSPECT),), "explain what I look at"),
    )
    return tuple(KeyRow("", caps, means) for caps, means in rows)


class Captions:
    """The lines, between frames."""

    def __init__(self, layout: KeyLayout, numbers_on: bool, first_start: bool, now: float) -> None:
        self.level = FEW if numbers_on else 0  # which numbers are shown: none, few, all
        self.listed: list[str] = []  # a list that somebody opened, in place of the numbers; nothing where none is open
        self.kept: deque[tuple[float, str]] = deque(maxlen=KEPT_SENTENCES)  # what was said last, and when
        self._clock: Callable[[], float] = lambda: 0.0
        self._layout = layout
        self._welcomes, self._first_until = first_start, now + FIRST_S
        self._said = self._heard = "", now
        self._lines: list[str] = []
        self._made: float | None = None

    def restart(self, clock: Callable[[], float]) -> None:
        """Another session is shown, whose seconds ``clock`` gives: what was said before has no time in it."""
        self.kept.clear()
        self._clock = clock

    def renew(self) -> None:
        """The next frame makes the text anew."""
        self._made = None

    def say(self, sentence: str, now: float) -> None:
        """Shows a sentence for as long as it takes to be read, and keeps it."""
        self._said = _read(sentence, now)
        if sentence:
            self.kept.append((self._clock(), sentence))

    def receive(self, line: str, now: float) -> None:
        """Shows what a server said below that for a while, in place of what it said before."""
        self._heard = _read(line, now)

    def switch_numbers(self) -> int:
        """Few numbers, all, none; which are shown now."""
        self.level = (self.level + 1) % (ALL + 1)
        self.renew()
        return self.level

    def used(self, action: Action, now: float) -> None:
        """A key was pressed: the card of a first start goes with one of its own, or soon."""
        if action.group is ActionGroup.MOVE:
            self._first_until = min(self._first_until, now + MOVED_S)
        self._welcomes &= action not in (Action.HELP, Action.INSPECT, Action.OVERLAYS, Action.PANELS, STATES)

    def keys(self, now: float) -> tuple[KeyRow, ...]:
        """The rows of the card of a first start; none when it is gone."""
        self._welcomes &= now < self._first_until
        return first_keys(self._layout.keyboard) if self._welcomes and not self.listed else ()

    def said(self, now: float, prompt: str | None) -> list[str]:
        """What just happened, what was said, and what is asked."""
        lines = [words for words, until_s in (self._said, self._heard) if words and now < until_s]
        return lines + ([prompt] if prompt else [])

    def lines(self, now: float, numbers: Numbers) -> list[str]:
        """An open list, else the numbers, else nothing."""
        if self._made is None or now - self._made >= EVERY_S:
            self._made = now
            self._lines = self.listed or (numbers(self.level == ALL) if self.level else [])
        return self._lines


def _read(words: str, now: float) -> tuple[str, float]:
    """Words, and until when they stay."""
    return words, now + max(SAID_S, len(words) / READ_CHARACTERS_S)
