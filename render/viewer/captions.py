"""What stands in the window's corner: what just happened, what a server said, the prompt, the keys, the numbers.

Rules:
1. Text is made anew some times a second, and at once after ``renew``: to set it costs more than to draw it.
2. Servers talk a lot: what is heard has one line of its own, and takes no time from what the window itself says.
3. Time is given. Knows no window, so tests read it without one.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from render.viewer.guide import all_keys, first_lines, hint, pins_hint, playback_hint, short_hint, tools_hint
from render.viewer.layout import Layout

EVERY_S: Final = 0.1
SAID_S: Final = 4.0
READ_CHARACTERS_S: Final = 15.0
"""What a sentence stays at least, and how fast a long one is read."""
FIRST_S: Final = 30.0
"""How long the three lines of a first start stay, alone; the key of the list of keys, or of the numbers, ends them."""

Numbers = Callable[[], list[str]]


class Captions:
    """The lines, between frames.

    Attributes:
        numbers_on: whether the numbers are shown.
        help_on: whether all keys are.
        listed: a list that somebody opened, in place of the numbers; nothing where none is open.
    """

    def __init__(self, layout: Layout, numbers_on: bool, file: Path | None, first_start: bool, now: float) -> None:
        """Begins now.

        Args:
            layout: of the keys; belongs to the caller.
            numbers_on: as the attribute.
            file: of the settings, for the lines of a first start.
            first_start: whether this is one.
            now: monotonic seconds.
        """
        self.numbers_on = numbers_on
        self.help_on = False
        self.listed: list[str] = []
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

    def hear(self, line: str, now: float) -> None:
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

    def lines(
        self,
        now: float,
        prompt: str | None,
        numbers: Numbers,
        playback: str | None,
        pins: int = 0,
        small: bool = False,
    ) -> list[str]:
        """What is shown.

        Args:
            now: monotonic seconds.
            prompt: its line, where something is asked.
            numbers: makes their lines.
            playback: where in a recording one is; None: this is none.
            pins: look-outs that are kept.
            small: whether there is room for one line of keys alone.
        """
        if self._made is None or now - self._made >= EVERY_S:
            self._made = now
            lines = [words for words, until_s in (self._said, self._heard) if words and now < until_s]
            lines += [prompt] if prompt else []
            self._lines = lines + self._rest(now, numbers, playback, pins, small)
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
