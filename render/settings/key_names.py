"""Names of keys as pyglet has them, and as people see them on a keyboard.

They are listed here because asking pyglet needs a display; a test compares both.
"""

from typing import Final

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
    "SPACE": "space", "LSHIFT": "shift", "RSHIFT": "right shift", "LCTRL": "Ctrl", "RCTRL": "right Ctrl",
    "ESCAPE": "Esc", "INSERT": "Ins", "DELETE": "Del", "TAB": "Tab", "ENTER": "Enter",
    "PAGEUP": "PgUp", "PAGEDOWN": "PgDn", "HOME": "Home", "END": "End",
    "NUM_ADD": "keypad +", "NUM_SUBTRACT": "keypad -", "NUM_MULTIPLY": "keypad *", "NUM_DIVIDE": "keypad /",
    "NUM_DECIMAL": "keypad .", "NUM_ENTER": "keypad Enter",
    "UP": "↑", "DOWN": "↓", "LEFT": "←", "RIGHT": "→",
}  # fmt: skip
SAME: Final = {"RETURN": "ENTER", "NUM_RETURN": "NUM_ENTER"}
"""Other names that pyglet gives to a key."""
TYPED: Final = {shown.upper(): name for name, shown in SHOWN.items()}
KEYPAD_DIGITS: Final = {f"NUM_{digit}": f"_{digit}" for digit in range(10)}
"""Keys that mean a digit wherever one is asked for, by name, and its key."""
FRENCH_DIGITS: Final = {
    **{f"user_key({code:x})": f"_{(code - 9) % 10}" for code in range(10, 20)},
    "AMPERSAND": "_1", "DOUBLEQUOTE": "_3", "APOSTROPHE": "_4", "PARENLEFT": "_5", "MINUS": "_6", "UNDERSCORE": "_8",
}  # fmt: skip
"""The same of the row above the letters where digits need shift: under X11 pyglet tells what the key is without it, and
its number (10 to 19, from 1 to 0) where that is a letter with an accent; elsewhere it tells the digit."""


def key_name(text: str) -> str:
    """The name of a key from what people write: ``w``, ``8``, ``,``, ``PgUp``, ``lshift``; unknown ones as they are."""
    name = text.strip().upper()
    if len(name) == 1 and name.isdigit():
        return f"_{name}"
    return name if name in KEY_NAMES else TYPED.get(name, name)


def shown(key: str) -> str:
    """A key as F1 names it."""
    return SHOWN.get(key, key.removeprefix("_").replace("NUM_", "keypad "))
