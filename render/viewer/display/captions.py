"""What stands in the window's corner: what just happened, what a server said, the prompt; the keys; and the crosshair.

Rules:
1. Text is made anew some times a second, and at once after ``renew``: to set it costs more than to draw it.
2. Servers talk a lot: what is heard has one line of its own, and takes no time from what the window itself says.
3. Keys are shown as they are bound: one line under the numbers, all at F1, three at first. They and the numbers are
   drawn by ``render.panels.hud_card``, the rest with pyglet's text.
4. The crosshair is four arms around a gap, so that the block itself is seen; light with a dark border.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from render.settings import Action, Keyboard
from render.settings.actions import LOOKING_BACK, ActionGroup, actions_of
from render.settings.keys import shown
from render.settings.overlays import OVERLAYS
from render.viewer.key_layout import KeyLayout
from render.viewer.window.window_size import Area

FONTS: Final = ("DejaVu Sans", "Verdana", "Helvetica")
POINTS: Final = 11


class CaptionPainter:
    """Draws lines over a dark panel in the upper left corner of a pyglet window; needs its context to be current.

    pyglet's text, not imgui's: what servers and their players write is in any script, and the system has its letters.
    """

    def __init__(self, scale: float) -> None:
        self.scale = scale  # text is so many times as large as the screen's own
        self._label: Any = None  # Any: pyglet's, made when something is first said
        self._panel: Any = None

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self.scale:
            self.scale, self._label = scale, None

    def draw(self, lines: list[str], area: Area) -> int:
        """Draws in an area of the framebuffer, which must be bound; where the text ends, in pixels, y up."""
        if not lines:
            return area.high
        margin = round(8 * self.scale)
        if self._label is None:
            self._make()
        text, most = "\n".join(lines), max(area.right - area.left - 4 * margin, 1)
        if self._label.text != text:
            self._label.text = text
        if self._label.width != most:
            self._label.width = most
        self._label.position = (area.left + 2 * margin, area.high - 2 * margin, 0)
        low = area.high - 3 * margin - self._label.content_height
        self._panel.position = (area.left + margin, low)
        self._panel.width, self._panel.height = self._label.content_width + 2 * margin, area.high - margin - low
        self._panel.draw()
        self._label.draw()
        return int(low)

    def _make(self) -> None:
        import pyglet

        size = round(POINTS * self.scale)
        self._label = pyglet.text.Label("", font_name=FONTS, font_size=size, multiline=True, width=1, anchor_y="top")
        self._panel = pyglet.shapes.Rectangle(0, 0, 1, 1, color=(0, 0, 0, 150))


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


def arms_of(size: tuple[int, int], scale: float) -> tuple[Arm, ...]:
    """Left, right, lower and upper arm, around the middle of a picture of that size in pixels."""
    middle_x, middle_y = size[0] // 2, size[1] // 2
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
        self._made: tuple[tuple[int, int], float] | None = None
        self._batch: Any = None  # Any: pyglet's, imported when there is a context
        self._arms: list[Any] = []

    def draw(self, size: tuple[int, int], scale: float) -> None:
        """Draws it into the framebuffer that is bound, in the middle of its size in pixels."""
        if (size, scale) != self._made:
            self._made = size, scale
            self._make(arms_of(size, scale), max(1, round(BORDER * scale)))
        self._batch.draw()

    def _make(self, arms: tuple[Arm, ...], border: int) -> None:
        import pyglet

        self._batch = pyglet.graphics.Batch()
        self._arms = [
            pyglet.shapes.BorderedRectangle(*arm, border=border, color=LIGHT, border_color=DARK, batch=self._batch)
            for arm in arms
        ]


# ---------------------------------------------------------------- guide

LONGEST_LINE: Final = 72
"""Characters: as many as a window 640 pixels wide holds (seen)."""
LONGEST_OF_ALL: Final = 92
"""Of the list of all keys, which is drawn smaller where the window is."""
BETWEEN: Final = "  ·  "
FIRST_PIN: Final = Action.PIN_HERE
MOVING: Final = (Action.FORWARD, Action.LEFT, Action.BACK, Action.RIGHT)


def hint(keyboard: Keyboard) -> str:
    """The line under the numbers."""
    key = keyboard.shown
    climbing = f"{key(Action.UP)}, {key(Action.DOWN)}"
    return (
        f"click: look · {keyboard.row(MOVING)}, {climbing}: fly · wheel: speed · {key(Action.PICTURE)} picture · "
        f"{key(Action.HUD)} numbers · {key(Action('states'))} states · {key(Action.HELP)} all keys"
    )


def tools_hint(keyboard: Keyboard, live: bool) -> str:
    """The line below it: panels, overlays, and what leads on in a live session: its past and its first look-out."""
    key = keyboard.shown
    tools = [f"{key(Action.INSPECT)} why a hole", f"{key(Action.PANELS)} panels", f"{key(Action.OVERLAYS)} overlays"]
    past = f"{keyboard.row([Action.PAUSE, Action.SKIP_BACK])} look back"
    return " · ".join([*tools, past, f"{key(FIRST_PIN)} {FIRST_PIN.means}"] if live else tools)


def short_hint(keyboard: Keyboard) -> str:
    """The line in place of both in a small window."""
    key = keyboard.shown
    return (
        f"click: look · {key(Action.INSPECT)} why a hole · {key(Action.HELP)} all keys · {key(Action.HUD)} no numbers"
    )


def pins_hint(keyboard: Keyboard) -> str:
    """The other keys of look-outs, for who has one."""
    return " · ".join(
        f"{keyboard.shown(action)} {action.means}"
        for action in actions_of(ActionGroup.LOOK_OUTS)
        if action is not FIRST_PIN
    )


def playback_hint(keyboard: Keyboard) -> str:
    """The keys of a recording's time."""
    row = keyboard.row
    return (
        f"{row([Action.PAUSE])} pause · {row([Action.PACKET_BACK, Action.PACKET_ON])} packet · "
        f"{row([Action.TICK_BACK, Action.TICK_ON])} tick · {row([Action.SLOWER, Action.FASTER])} speed · "
        f"{row([Action.SKIP_BACK, Action.SKIP_ON])} 5 s · {row([Action.START, Action.END])}: start, end"
    )


def all_keys(keyboard: Keyboard, preset: str, recording: bool) -> list[str]:
    """What F1 shows: every action with its keys, by what it is about; of a recording or the past no look-outs."""
    shown_groups = [
        ActionGroup.MOVE,
        ActionGroup.LOOK,
        ActionGroup.SHOW,
        ActionGroup.TIME if recording else ActionGroup.LOOK_OUTS,
    ]
    groups = [(group.value, actions_of(group)) for group in shown_groups]
    groups += [] if recording else [("The last minutes", LOOKING_BACK)]
    lines = [f"Keys ({preset}). Mouse: look, after a click. Wheel: speed."]
    for title, actions in groups:
        entries = [keyboard.help_line(action) for action in actions]
        lines += [f"{title}:", *(f"    {line}" for line in packed(entries, LONGEST_OF_ALL))]
    lines.append(f"Overlays ({keyboard.shown(Action.OVERLAYS)}, then the letter; a key of its own in brackets):")
    return [*lines, *(f"    {line}" for line in packed(overlay_keys(keyboard), LONGEST_OF_ALL))]


def overlay_keys(keyboard: Keyboard) -> list[str]:
    """Every overlay with its letter, and its own key where it has one."""
    return [
        f"{overlay.letter}: {overlay.name}"
        + (f" ({', '.join(map(shown, own))})" if (own := keyboard.keys(overlay.action)) else "")
        for overlay in OVERLAYS.values()
    ]


def first_lines(keyboard: Keyboard, file: Path | None) -> list[str]:
    """What somebody sees who starts for the first time: three lines."""
    key = keyboard.shown
    flying = f"{keyboard.row(MOVING)}, {key(Action.UP)}, {key(Action.DOWN)} fly"
    return [
        f"Click and look around; {flying}; wheel: speed.",
        f"{key(Action('states'))} states of sub-chunks, {key(Action.INSPECT)} why a hole is one, "
        f"{key(Action.HUD)} numbers, {key(Action.PICTURE)} a picture.",
        f"{key(Action.HELP)} lists all keys, {key(Action.NEXT_PRESET)} changes their layout"
        + (f"; settings: {file}" if file else "."),
    ]


def packed(entries: Iterable[str], longest: int = LONGEST_LINE) -> list[str]:
    """Entries side by side, as many as a line of so many characters holds."""
    lines: list[str] = []
    for entry in entries:
        if lines and len(lines[-1]) + len(BETWEEN) + len(entry) <= longest:
            lines[-1] += BETWEEN + entry
        else:
            lines.append(entry)
    return lines


# ---------------------------------------------------------------- captions

EVERY_S: Final = 0.1
SAID_S: Final = 4.0
READ_CHARACTERS_S: Final = 15.0
"""What a sentence stays at least, and how fast a long one is read."""
FIRST_S: Final = 30.0
"""How long the three lines of a first start stay, alone; the key of the list of keys, or of the numbers, ends them."""

Numbers = Callable[[], list[str]]


class Captions:
    """The lines, between frames."""

    def __init__(self, layout: KeyLayout, numbers_on: bool, file: Path | None, first_start: bool, now: float) -> None:
        self.numbers_on = numbers_on  # whether the numbers are shown
        self.help_on = False  # whether all keys are
        self.listed: list[str] = []  # a list that somebody opened, in place of the numbers; nothing where none is open
        self._layout = layout
        self._file = file
        self._welcomes, self._first_until = first_start, now + FIRST_S
        self._said = self._heard = "", now
        self._lines: list[str] = []
        self._made: float | None = None

    def renew(self) -> None:
        """The next frame makes the text anew."""
        self._made = None

    def say(self, sentence: str, now: float) -> None:
        """Shows a line above the numbers for a while."""
        self._said = _read(sentence, now)
        self.renew()

    def receive(self, line: str, now: float) -> None:
        """Shows what a server said below that for a while, in place of what it said before."""
        self._heard = _read(line, now)
        self.renew()

    def switch_numbers(self) -> bool:
        """The numbers, or no longer; whether they are shown now; where a first start's lines are, they are."""
        self.numbers_on = self._welcomes or not self.numbers_on
        self._welcomes = False
        self.renew()
        return self.numbers_on

    def switch_help(self) -> bool:
        """All keys, or no longer; whether they are shown now. They end the lines of a first start."""
        self.help_on = not self.help_on
        self._welcomes = False
        self.renew()
        return self.help_on

    def said(self, now: float, prompt: str | None) -> list[str]:
        """What just happened, what was said, and what is asked."""
        lines = [words for words, until_s in (self._said, self._heard) if words and now < until_s]
        return lines + ([prompt] if prompt else [])

    def lines(
        self, now: float, numbers: Numbers, playback: str | None, pins: int = 0, small: bool = False
    ) -> list[str]:
        """What stands below that: an open list, keys, or the numbers; where ``small``, one line of keys alone."""
        if self._made is None or now - self._made >= EVERY_S:
            self._made = now
            self._lines = self._rest(now, numbers, playback, pins, small)
        return self._lines

    def _rest(self, now: float, numbers: Numbers, playback: str | None, pins: int, small: bool) -> list[str]:
        keyboard = self._layout.keyboard
        if self.listed:
            return self.listed
        if self.help_on:
            return all_keys(keyboard, self._layout.preset, playback is not None)
        self._welcomes &= now < self._first_until
        if self._welcomes:
            return first_lines(keyboard, self._file)
        lines: list[str] = []
        if self.numbers_on and small:
            lines += [*numbers(), *([playback] if playback is not None else []), short_hint(keyboard)]
        elif self.numbers_on:
            lines += [*numbers(), hint(keyboard), tools_hint(keyboard, live=playback is None)]
            if playback is not None:
                lines += [playback, playback_hint(keyboard)]
            elif pins:
                lines.append(pins_hint(keyboard))
        return lines


def _read(words: str, now: float) -> tuple[str, float]:
    """Words, and until when they stay."""
    return words, now + max(SAID_S, len(words) / READ_CHARACTERS_S)
