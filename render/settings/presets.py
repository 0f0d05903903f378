"""Layouts of keys by name: which keys do what where a person's file says nothing else.

Rules:
1. Keys that fly lie where W A S D lie on the keyboard that the preset is named after: pyglet tells symbols, not places.
2. Other keys keep their letter; where a flying key took it, the table of the preset says what replaces it.
3. The arrows always fly.
4. No key does two things in one preset, and every action has a key (tested), but for most overlays, which have a
   letter in the chooser.
"""

from collections.abc import Mapping
from typing import Final

from render.settings.actions import Action

Keys = Mapping[Action, tuple[str, ...]]

QWERTY: Final[Keys] = {
    Action.FORWARD: ("W", "UP"),
    Action.BACK: ("S", "DOWN"),
    Action.LEFT: ("A", "LEFT"),
    Action.RIGHT: ("D", "RIGHT"),
    Action.UP: ("SPACE",),
    Action.DOWN: ("LSHIFT",),
    Action.SPRINT: ("LCTRL",),
    Action.ZOOM: ("C",),
    Action.WALK: ("F4",),
    Action.TOP_DOWN: ("F5",),
    Action.TO_PLAYER: ("H",),
    Action.ORTHOGRAPHIC: ("X",),
    Action.FREEZE: ("F",),
    Action.TELEPORT: ("T",),
    Action.SAVE_BOOKMARK: ("B",),
    Action.NEXT_BOOKMARK: ("N",),
    Action.RECORD_PATH: ("F9",),
    Action.PLAY_PATH: ("F10",),
    Action.HELP: ("F1",),
    Action.PICTURE: ("F2",),
    Action.HUD: ("F3",),
    Action.OVERLAYS: ("O",),
    Action.STATES: ("F6",),
    Action.LIGHT_SEAMS: ("G",),
    Action.INSPECT: ("I",),
    Action.CHECK_MIRROR: ("M",),
    Action.PANELS: ("F7",),
    Action.PANEL_KEYS: ("TAB",),
    Action.NEXT_PRESET: ("F8",),
    Action.REBIND: ("INSERT",),
    Action.FULL_SCREEN: ("F11",),
    Action.CONNECT: ("F12",),
    Action.FREE_MOUSE: ("ESCAPE",),
    Action.PIN_HERE: ("K",),
    Action.PIN_THERE: ("J",),
    Action.LIST_PINS: ("L",),
    Action.UNPIN: ("U",),
    Action.PAUSE: ("P",),
    Action.PACKET_ON: ("PERIOD",),
    Action.PACKET_BACK: ("COMMA",),
    Action.TICK_ON: ("BRACKETRIGHT",),
    Action.TICK_BACK: ("BRACKETLEFT",),
    Action.FASTER: ("PLUS", "EQUAL", "NUM_ADD"),  # = is the same key as + without shift
    Action.SLOWER: ("MINUS", "NUM_SUBTRACT"),
    Action.SKIP_ON: ("PAGEDOWN",),
    Action.SKIP_BACK: ("PAGEUP",),
    Action.START: ("HOME",),
    Action.END: ("END",),
    Action.SAVE_PAST: ("Y",),
}

AZERTY: Final[Keys] = {
    Action.FORWARD: ("Z", "UP"),
    Action.LEFT: ("Q", "LEFT"),
    Action.PACKET_ON: ("SEMICOLON", "PERIOD"),  # the period needs shift there, brackets AltGr
    Action.TICK_ON: ("EXCLAMATION", "BRACKETRIGHT"),
    Action.TICK_BACK: ("COLON", "BRACKETLEFT"),
}
DVORAK: Final[Keys] = {
    Action.FORWARD: ("COMMA", "UP"),
    Action.BACK: ("O", "DOWN"),
    Action.RIGHT: ("E", "RIGHT"),
    Action.OVERLAYS: ("S",),
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
    "qwerty": QWERTY,
    "azerty": {**QWERTY, **AZERTY},
    "dvorak": {**QWERTY, **DVORAK},
    "colemak": {**QWERTY, **COLEMAK},
    "left-handed": {**QWERTY, **LEFT_HANDED},
}


def next_preset(name: str) -> str:
    """The preset after one, round and round."""
    names = list(PRESETS)
    return names[(names.index(name) + 1) % len(names)]
