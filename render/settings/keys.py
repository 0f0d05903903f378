"""Key bindings: names of keys, presets, and the user's own bindings over them.

Rules:
1. Names are pyglet's. They are listed here because importing pyglet's needs a display; a test compares both.
2. pyglet reports symbols, not positions, so each preset places the flight keys where W A S D lie on its keyboard. The
   arrows always fly. Other keys keep their letter; if a flight key took it, the preset's table has the replacement.
3. No key has two actions, and every action has a key (tested), except most overlays, which have a letter in the
   chooser. Binding a key takes it from its previous action, which is reported.
4. A user's binding lists all keys of its action: an action that loses one of two keys keeps the other as an own
   binding.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from render.settings.actions import Action

PLAIN: Final = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *(f"_{digit}" for digit in range(10)))
FUNCTION: Final = tuple(f"F{number}" for number in range(1, 25))
NAMED: Final = (
    "SPACE", "TAB", "ENTER", "BACKSPACE", "ESCAPE", "INSERT", "DELETE", "HOME", "END", "PAGEUP", "PAGEDOWN",
    "UP", "DOWN", "LEFT", "RIGHT", "LSHIFT", "RSHIFT", "LCTRL", "RCTRL", "LALT", "RALT", "CAPSLOCK", "PAUSE",
)  # fmt: skip
SIGNS: Final = (
    "COMMA", "PERIOD", "SEMICOLON", "COLON", "APOSTROPHE", "SLASH", "BACKSLASH", "MINUS", "PLUS", "EQUAL",
    "BRACKETLEFT", "BRACKETRIGHT", "EXCLAMATION", "QUOTELEFT", "ASTERISK", "PARENLEFT", "PARENRIGHT", "UNDERSCORE",
)  # fmt: skip
PAD: Final = (
    *(f"NUM_{digit}" for digit in range(10)),
    "NUM_ADD", "NUM_SUBTRACT", "NUM_MULTIPLY", "NUM_DIVIDE", "NUM_DECIMAL", "NUM_ENTER",
)  # fmt: skip
KEY_NAMES: Final = frozenset((*PLAIN, *FUNCTION, *NAMED, *SIGNS, *PAD))

SHOWN: Final = {
    "COMMA": ",", "PERIOD": ".", "SEMICOLON": ";", "COLON": ":", "APOSTROPHE": "'", "SLASH": "/", "BACKSLASH": "\\",
    "MINUS": "-", "PLUS": "+", "EQUAL": "=", "BRACKETLEFT": "[", "BRACKETRIGHT": "]", "EXCLAMATION": "!",
    "QUOTELEFT": "`", "ASTERISK": "*", "PARENLEFT": "(", "PARENRIGHT": ")", "UNDERSCORE": "_",
    "SPACE": "Space", "LSHIFT": "Shift", "RSHIFT": "right Shift", "LCTRL": "Ctrl", "RCTRL": "right Ctrl",
    "ESCAPE": "Esc", "INSERT": "Ins", "DELETE": "Del", "TAB": "Tab", "ENTER": "Enter",
    "PAGEUP": "PgUp", "PAGEDOWN": "PgDn", "HOME": "Home", "END": "End",
    "NUM_ADD": "keypad +", "NUM_SUBTRACT": "keypad -", "NUM_MULTIPLY": "keypad *", "NUM_DIVIDE": "keypad /",
    "NUM_DECIMAL": "keypad .", "NUM_ENTER": "keypad Enter",
    "UP": "↑", "DOWN": "↓", "LEFT": "←", "RIGHT": "→",
}  # fmt: skip
ENTER: Final = frozenset({"ENTER", "RETURN", "NUM_ENTER"})
"""pyglet's names of the keys that confirm."""
SAME: Final = {"RETURN": "ENTER", "NUM_RETURN": "NUM_ENTER"}
"""Other names that pyglet gives to a key."""
TYPED: Final = {shown.upper(): name for name, shown in SHOWN.items()}
KEYPAD_DIGITS: Final = {f"NUM_{digit}": f"_{digit}" for digit in range(10)}
"""Names of other keys that count as a digit, with the digit's key."""
FRENCH_DIGITS: Final = {
    **{f"user_key({code:x})": f"_{(code - 9) % 10}" for code in range(10, 20)},
    "AMPERSAND": "_1", "DOUBLEQUOTE": "_3", "APOSTROPHE": "_4", "PARENLEFT": "_5", "MINUS": "_6", "UNDERSCORE": "_8",
}  # fmt: skip
"""The same for keyboards whose digits need shift: under X11 pyglet reports the key without shift, or its number (10 to
19, for 1 to 0) if that is an accented letter; on other systems it reports the digit."""


def key_name(text: str) -> str:
    """The name of a key from what people write: ``w``, ``8``, ``,``, ``PgUp``, ``lshift``; unknown ones as they are."""
    name = text.strip().upper()
    if len(name) == 1 and name.isdigit():
        return f"_{name}"
    return name if name in KEY_NAMES else TYPED.get(name, name)


def shown(key: str) -> str:
    """A key as F1 names it."""
    return SHOWN.get(key, key.removeprefix("_").replace("NUM_", "keypad "))


# ---------------------------------------------------------------- presets

Keys = Mapping[Action, tuple[str, ...]]

AZERTY: Final[Keys] = {
    Action.FORWARD: ("Z", "UP"),
    Action.LEFT: ("Q", "LEFT"),
    Action.CUT: ("W",),
    Action.PACKET_ON: ("SEMICOLON", "PERIOD"),  # the period needs shift there, brackets AltGr
    Action.TICK_ON: ("EXCLAMATION", "BRACKETRIGHT"),
    Action.TICK_BACK: ("COLON", "BRACKETLEFT"),
}
DVORAK: Final[Keys] = {
    Action.FORWARD: ("COMMA", "UP"),
    Action.BACK: ("O", "DOWN"),
    Action.RIGHT: ("E", "RIGHT"),
    Action.OVERLAYS: ("S",),
    Action.ENTITIES: ("Z",),
    Action.BUILD: ("Q",),
    Action.CUT: ("SEMICOLON",),
    Action.PACKET_ON: ("V", "PERIOD"),  # V and W lie where QWERTY has period and comma
    Action.PACKET_BACK: ("W",),
}
COLEMAK: Final[Keys] = {
    Action.BACK: ("R", "DOWN"),
    Action.RIGHT: ("S", "RIGHT"),
}
LEFT_HANDED: Final[Keys] = {
    Action.FORWARD: ("I", "UP"),
    Action.BACK: ("K", "DOWN"),
    Action.LEFT: ("J", "LEFT"),
    Action.RIGHT: ("L", "RIGHT"),
    Action.DOWN: ("RSHIFT",),
    Action.SPRINT: ("RCTRL",),
    Action.ZOOM: ("H",),
    Action.TO_PLAYER: ("C",),
    Action.PIN_HERE: ("_8",),
    Action.PIN_THERE: ("_9",),
    Action.LIST_PINS: ("_0",),
    Action.UNPIN: ("_7",),
    Action.INSPECT: ("_6",),
}
"""The mouse in the left hand, the right one on I J K L."""

PRESETS: Final[Mapping[str, Keys]] = {
    "qwerty": {},
    "azerty": AZERTY,
    "dvorak": DVORAK,
    "colemak": COLEMAK,
    "left-handed": LEFT_HANDED,
}
"""What each changes of the keys that actions are declared with."""


def keys_of(preset: str) -> Keys:
    """Which keys each action has in a preset; overlays without a key are left out."""
    return {action: keys for action in Action if (keys := PRESETS[preset].get(action, action.keys))}


def next_preset(name: str) -> str:
    names = list(PRESETS)
    return names[(names.index(name) + 1) % len(names)]


class Keyboard:
    """Keys to actions, both ways; never changes."""

    def __init__(self, preset: str = "qwerty", own: Mapping[Action, tuple[str, ...]] | None = None) -> None:
        """A layout. ``own``: keys of actions that a person bound, in place of the preset's."""
        own = own or {}
        self._digits = KEYPAD_DIGITS | (FRENCH_DIGITS if preset == "azerty" else {})
        taken = {key for keys in own.values() for key in keys}
        self._actions: dict[str, Action] = {}
        for action, keys in {**dict.fromkeys(own, ()), **keys_of(preset)}.items():
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

    def all_shown(self, action: Action) -> str:
        """All keys of an action as a person knows them, or that it has none."""
        return _names(self.keys(action))


# ---------------------------------------------------------------- rebinding

Own = Mapping[Action, tuple[str, ...]]


class Rebound(msgspec.Struct, frozen=True):
    """What a binding comes to."""

    own: Own  # all own bindings from then on
    changed: Own  # those that are to be written
    said: str  # a sentence for the person


def rebound(preset: str, own: Own, action: Action, keys: Sequence[str]) -> Rebound:
    """An action gets these keys, none or several, and no others."""
    before = Keyboard(preset, own)
    changed: dict[Action, tuple[str, ...]] = {action: tuple(dict.fromkeys(keys))}
    for key in changed[action]:
        loser = before.action(key)
        if loser is not None and loser is not action:
            left = changed.get(loser, before.keys(loser))
            changed[loser] = tuple(name for name in left if name != key)
    words = [f"{action.value}: {_names(changed[action])}"]
    for loser, left in changed.items():
        if loser is not action:
            words.append(f"taken from {loser.value}, which has {_names(left)}")
    return Rebound({**own, **changed}, changed, "; ".join(words) + ".")


def _names(keys: Sequence[str]) -> str:
    return ", ".join(map(shown, keys)) or "no key"
