"""Which key does what: a preset, and a person's own bindings over it.

A key that somebody binds leaves the action that the preset gave it to. Knows no window, so tests drive it without one.
"""

from collections.abc import Iterable, Mapping

from render.settings.actions import Action
from render.settings.key_names import FRENCH_DIGITS, KEYPAD_DIGITS, shown
from render.settings.presets import PRESETS


class Keyboard:
    """Keys to actions, both ways; never changes."""

    def __init__(self, preset: str = "qwerty", own: Mapping[Action, tuple[str, ...]] | None = None) -> None:
        """A layout.

        Args:
            preset: a name of ``PRESETS``.
            own: keys of actions that a person bound, in place of the preset's.
        """
        own = own or {}
        self._digits = KEYPAD_DIGITS | (FRENCH_DIGITS if preset == "azerty" else {})
        taken = {key for keys in own.values() for key in keys}
        self._actions: dict[str, Action] = {}
        for action, keys in {**dict.fromkeys(own, ()), **PRESETS[preset]}.items():
            for key in own.get(action, tuple(key for key in keys if key not in taken)):
                self._actions.setdefault(key, action)
        self._keys: dict[Action, tuple[str, ...]] = {}
        for key, action in self._actions.items():
            self._keys[action] = (*self._keys.get(action, ()), key)

    def action(self, key: str) -> Action | None:
        """What a key does, by pyglet's name of it."""
        return self._actions.get(key)

    def choice(self, key: str) -> str:
        """A key where letters and digits choose: that of the digit which it means, else itself."""
        return self._digits.get(key, key)

    def keys(self, action: Action) -> tuple[str, ...]:
        """The keys of an action, the first bound first."""
        return self._keys.get(action, ())

    def shown(self, action: Action) -> str:
        """The first key of an action as a person knows it; a dash where it has none."""
        keys = self.keys(action)
        return shown(keys[0]) if keys else "-"

    def row(self, actions: Iterable[Action]) -> str:
        """The first keys of some actions, in a row: ``W A S D``."""
        return " ".join(map(self.shown, actions))

    def help_line(self, action: Action, meaning: str) -> str:
        """All keys of an action, and what it does."""
        return f"{self.all_shown(action)}: {meaning}"

    def all_shown(self, action: Action) -> str:
        """All keys of an action as a person knows them, or that it has none."""
        return ", ".join(map(shown, self.keys(action))) or "no key"
