"""Settings and keys of one window: changed while it is open, checked like those of the file, and stored in it.

Independent of the window, so tests need none.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from net.config import WrongValue
from render.settings import Action, Keyboard, Settings
from render.settings.file import create, write_bindings, write_setting
from render.settings.keys import KEY_NAMES, SAME, next_preset, rebound, shown
from render.settings.overlays import nearest
from render.settings.schema import AT_ONCE, BY_KEY, KEYS_TABLE

LEAVE: Final = "ESCAPE"
NONE: Final = "DELETE"
"""Keys with a special meaning as an answer: keep the present one, or remove all."""


class Preferences:
    """The settings of one window, with its layout of keys."""

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """``file``: stores changes; None: nothing is stored."""
        self.settings = settings
        self._file = file
        self.asked: Action | None = None  # the action that waits for a key; the next pressed key is assigned to it
        self.offered = False  # whether the next press changes the preset
        self.keyboard = Keyboard(settings.preset, settings.keys)  # which key does what

    @property
    def place(self) -> str:
        return str(self._file) if self._file else "changes are not saved: the window has no settings file"

    def change(self, key: str, value: Any) -> str:  # Any: each setting has its own type
        """Sets and stores a value; returns a message. Raises WrongValue: with what it must be."""
        setting = BY_KEY[key]
        self._set(key, setting.read(value))
        later = "" if key in AT_ONCE else " (after a restart)"
        said = f"{setting.table}.{key} = {value}{later}"
        return self._stored(said, lambda file: write_setting(file, setting.table, key, value))

    # ------------------------------------------------------------ keys

    @property
    def question(self) -> str | None:
        if self.asked is None:
            return None
        held = self.keyboard.all_shown(self.asked)
        return f"Press a key for {self.asked.value} ({held}); {shown(LEAVE)}: keep, {shown(NONE)}: no key."

    def offer_preset(self) -> str:
        """Selects the next preset if it was offered just before, otherwise offers it, as it is written to the file."""
        following = next_preset(self.settings.preset)
        self.offered = not self.offered
        if self.offered:
            key = self.keyboard.shown(Action.NEXT_PRESET)
            kept = f" and save it in {self._file}" if self._file else ""
            return f"Press {key} again to change the key layout to {following}{kept}."
        self._set("preset", following)
        return self._stored(
            f"key layout: {following}", lambda file: write_setting(file, KEYS_TABLE, "preset", following)
        )

    def withdraw_offer(self) -> None:
        """Another key was pressed."""
        self.offered = False

    def ask(self, name: str) -> str:
        """Asks for a key for the named action; returns a message if there is no such action."""
        try:
            self.asked = Action(name.strip().lower().replace(" ", "_").replace("-", "_"))
        except ValueError:
            return f"Unknown action '{name}'{nearest(name, [action.value for action in Action])}."
        return ""

    def answer(self, key: str) -> str:
        """Assigns a pressed key to the waiting action, and stores it; returns a message."""
        action, self.asked = self.asked, None
        key = SAME.get(key, key)
        if action is None or key == LEAVE:
            return ""
        if key != NONE and key not in KEY_NAMES:
            return f"The key {key.lower()} cannot be bound; {action.value} keeps its keys."
        new = rebound(self.settings.preset, self.settings.keys, action, () if key == NONE else (key,))
        self._set("keys", new.own)
        return self._stored(new.said, lambda file: write_bindings(file, new.changed))

    # ------------------------------------------------------------ the file

    def begin(self) -> str:
        """Writes the file of a first start; returns a message if that fails."""
        try:
            if self._file:
                create(self._file)
        except OSError as error:
            return f"the settings file cannot be written: {error.filename or self._file}: {error.strerror}."
        return ""

    def _set(self, key: str, value: Any) -> None:  # Any: as for ``change``
        self.settings = replace(self.settings, **{key: value})
        self.keyboard = Keyboard(self.settings.preset, self.settings.keys)

    def _stored(self, said: str, write: Callable[[Path], None]) -> str:
        """Writes the file, if there is one; returns what was done, with an error of writing."""
        try:
            if self._file:
                write(self._file)
        except ValueError as error:
            return f"{said}; {error}"
        except OSError as error:
            return f"{said}; not saved: {error.filename or self._file}: {error.strerror}."
        return said


def expected(key: str, value: Any) -> str:  # Any: each setting has its own type
    """What a setting must be if the value is invalid; empty if it is valid."""
    try:
        BY_KEY[key].read(value)
    except WrongValue as error:
        return f"must be {error}"
    return ""
