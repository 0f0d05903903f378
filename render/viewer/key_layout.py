"""The layout of keys in use, and the file that stores it. Independent of the window, so tests need none."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from render.settings import Action, Keyboard, Settings
from render.settings.file import create, write_bindings, write_preset
from render.settings.keys import KEY_NAMES, SAME, next_preset, rebound, shown
from render.settings.overlays import nearest

LEAVE: Final = "ESCAPE"
NONE: Final = "DELETE"
"""Keys with a special meaning as an answer: keep the present one, or remove all."""


class KeyLayout:
    """A preset with the user's own keys over it."""

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """From the settings. ``file``: the settings file; None: nothing is stored."""
        self._own = settings.keys
        self._file = file
        self.asked: Action | None = None  # the action that waits for a key; the next pressed key is assigned to it
        self.preset = settings.preset  # its name
        self.offered = False  # whether the next press changes the preset
        self.keyboard = Keyboard(self.preset, self._own)  # which key does what

    @property
    def question(self) -> str | None:
        if self.asked is None:
            return None
        held = self.keyboard.all_shown(self.asked)
        return f"Press a key for {self.asked.value} ({held}); {shown(LEAVE)}: keep, {shown(NONE)}: no key."

    def offer(self) -> str:
        """Selects the next preset if it was offered just before, otherwise offers it, as it is written to the file."""
        if self.offered:
            self.offered = False
            return self.change()
        self.offered = True
        key = self.keyboard.shown(Action.NEXT_PRESET)
        kept = f" and save it in {self._file}" if self._file else ""
        return f"Press {key} again to change the key layout to {next_preset(self.preset)}{kept}."

    def withdraw(self) -> None:
        """Withdraws the offer of another preset, because another key was pressed."""
        self.offered = False

    def change(self) -> str:
        """Selects the next preset and stores it; returns a message."""
        self.take(next_preset(self.preset))
        return stored(self._file, f"key layout: {self.preset}", lambda file: write_preset(file, self.preset))

    def take(self, preset: str) -> None:
        """Selects a preset without storing it."""
        if preset != self.preset:
            self.preset, self.keyboard = preset, Keyboard(preset, self._own)

    def ask(self, name: str) -> str:
        """Asks for a key for the named action; returns a message if there is no such action."""
        try:
            self.asked = Action(name.strip().lower().replace(" ", "_").replace("-", "_"))
        except ValueError:
            return f"Unknown action '{name}'{nearest(name, [action.value for action in Action])}."
        return ""

    def answer(self, key: str) -> str:
        """Assigns a pressed key to the waiting action; returns a message."""
        action, self.asked = self.asked, None
        key = SAME.get(key, key)
        if action is None or key == LEAVE:
            return ""
        if key != NONE and key not in KEY_NAMES:
            return f"The key {key.lower()} cannot be bound; {action.value} keeps its keys."
        return self.bind(action, () if key == NONE else (key,))

    def bind(self, action: Action, keys: tuple[str, ...]) -> str:
        """Sets an action's keys and stores them; returns a message."""
        new = rebound(self.preset, self._own, action, keys)
        self._own, self.keyboard = new.own, Keyboard(self.preset, new.own)
        return stored(self._file, new.said, lambda file: write_bindings(file, new.changed))

    def begin(self) -> str:
        """Writes the file of a first start; returns a message if that fails."""
        try:
            if self._file:
                create(self._file)
        except OSError as error:
            return f"the settings file cannot be written: {error.filename or self._file}: {error.strerror}."
        return ""


def stored(file: Path | None, said: str, write: Callable[[Path], None]) -> str:
    """Writes the settings file, if there is one; returns what was done, with an error of writing."""
    try:
        if file:
            write(file)
    except ValueError as error:
        return f"{said}; {error}"
    except OSError as error:
        return f"{said}; not saved: {error.filename or file}: {error.strerror}."
    return said
