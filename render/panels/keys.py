"""Names of keys, as pyglet has them and ``render.settings.key_names`` lists them, to imgui's keys."""

from typing import Any, Final

from imgui_bundle import imgui

SIGNS: Final = {
    "COMMA": "comma", "PERIOD": "period", "SEMICOLON": "semicolon", "APOSTROPHE": "apostrophe", "SLASH": "slash",
    "BACKSLASH": "backslash", "MINUS": "minus", "EQUAL": "equal", "BRACKETLEFT": "left_bracket",
    "BRACKETRIGHT": "right_bracket", "QUOTELEFT": "grave_accent",
}  # fmt: skip
NAMED: Final = {
    "SPACE": "space", "TAB": "tab", "ENTER": "enter", "RETURN": "enter", "NUM_ENTER": "keypad_enter",
    "BACKSPACE": "backspace", "ESCAPE": "escape", "INSERT": "insert", "DELETE": "delete", "HOME": "home", "END": "end",
    "PAGEUP": "page_up", "PAGEDOWN": "page_down", "UP": "up_arrow", "DOWN": "down_arrow", "LEFT": "left_arrow",
    "RIGHT": "right_arrow", "NUM_ADD": "keypad_add", "NUM_SUBTRACT": "keypad_subtract",
}  # fmt: skip
HELD: Final = {
    "LSHIFT": ("left_shift", "mod_shift"), "RSHIFT": ("right_shift", "mod_shift"),
    "LCTRL": ("left_ctrl", "mod_ctrl"), "RCTRL": ("right_ctrl", "mod_ctrl"),
    "LALT": ("left_alt", "mod_alt"), "RALT": ("right_alt", "mod_alt"),
}  # fmt: skip
"""Keys that go with others: imgui wants to be told of the key and of what it means."""


def imgui_keys(name: str) -> tuple[Any, ...]:
    """Keys of imgui's for one of ours; none where it has none."""
    if name in HELD:
        return tuple(getattr(imgui.Key, key) for key in HELD[name])
    if len(name) == 1 and name.isalpha():
        return (getattr(imgui.Key, name.lower()),)
    if len(name) == 2 and name.startswith("_") and name[1].isdigit():
        return (getattr(imgui.Key, name),)
    known = NAMED.get(name) or SIGNS.get(name)
    return (getattr(imgui.Key, known),) if known else ()
