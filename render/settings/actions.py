"""Everything that a key can do in the window, with the words that F1 shows.

Rules:
1. Actions, not keys: nothing but ``keys`` and a person's file says which key does what.
2. The value is the name in the file, under ``[keys]``.
3. Actions of time are a recording's, or those of a live session's last minutes; look-outs are a live session's alone.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from render.settings.overlays import MEANING_OF


class Action(Enum):
    """What a key does; held ones last while the key is down."""

    FORWARD = "forward"
    BACK = "back"
    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    SPRINT = "sprint"
    ZOOM = "zoom"
    WALK = "walk"
    TOP_DOWN = "top_down"
    TO_PLAYER = "to_player"
    ORTHOGRAPHIC = "orthographic"
    FREEZE = "freeze"
    TELEPORT = "teleport"
    SAVE_BOOKMARK = "save_bookmark"
    NEXT_BOOKMARK = "next_bookmark"
    RECORD_PATH = "record_path"
    PLAY_PATH = "play_path"
    HELP = "help"
    PICTURE = "picture"
    HUD = "hud"
    OVERLAYS = "overlays"
    STATES = "states"
    XRAY_PLACEHOLDER = "xray_placeholder"
    XRAY_AIR = "xray_air"
    WAVES = "waves"
    AGE = "age"
    PRIORITY = "priority"
    PROOF = "proof"
    ERRORS = "errors"
    PALETTE = "palette"
    BORDERS = "borders"
    CELLS = "cells"
    BIOMES = "biomes"
    LIGHT_SEAMS = "light_seams"
    VERDICT = "verdict"
    GRAPH = "graph"
    MERGE = "merge"
    MIRROR = "mirror"
    LIGHT_R = "light_r"
    LIGHT_G = "light_g"
    LIGHT_B = "light_b"
    LIGHT_D = "light_d"
    CHANNEL_ALBEDO = "channel_albedo"
    CHANNEL_NORMAL = "channel_normal"
    CHANNEL_DEPTH = "channel_depth"
    CHANNEL_BLOCK = "channel_block"
    CHANNEL_LIGHT = "channel_light"
    CHANNEL_OVERDRAW = "channel_overdraw"
    CHANNEL_WIRE = "channel_wire"
    INSPECT = "inspect"
    CHECK_MIRROR = "check_mirror"
    PANELS = "panels"
    PANEL_KEYS = "panel_keys"
    NEXT_PRESET = "next_preset"
    REBIND = "rebind"
    FULL_SCREEN = "full_screen"
    CONNECT = "connect"
    FREE_MOUSE = "free_mouse"
    PIN_HERE = "pin_here"
    PIN_THERE = "pin_there"
    LIST_PINS = "list_pins"
    UNPIN = "unpin"
    PAUSE = "pause"
    PACKET_ON = "packet_on"
    PACKET_BACK = "packet_back"
    TICK_ON = "tick_on"
    TICK_BACK = "tick_back"
    FASTER = "faster"
    SLOWER = "slower"
    SKIP_ON = "skip_on"
    SKIP_BACK = "skip_back"
    START = "start"
    END = "end"
    SAVE_PAST = "save_past"


FLYING: Final[Mapping[Action, str]] = {
    Action.FORWARD: "forward",
    Action.BACK: "back",
    Action.LEFT: "left",
    Action.RIGHT: "right",
    Action.UP: "up; a jump while walking",
    Action.DOWN: "down",
    Action.SPRINT: "faster while held",
    Action.ZOOM: "zoom while held",
}
SEEING: Final[Mapping[Action, str]] = {
    Action.WALK: "walk, or fly again",
    Action.TOP_DOWN: "seen from above, and back",
    Action.TO_PLAYER: "back to the player",
    Action.ORTHOGRAPHIC: "parallel lines of sight, and back; the wheel: how much is seen",
    Action.FREEZE: "draw what is seen from here wherever you fly, and back",
    Action.TELEPORT: "go to a position, a dimension, a bookmark or a line",
    Action.SAVE_BOOKMARK: "keep this view as a bookmark",
    Action.NEXT_BOOKMARK: "go to the next bookmark",
    Action.RECORD_PATH: "begin or end a camera path",
    Action.PLAY_PATH: "play the last camera path",
}
SHOWING: Final[Mapping[Action, str]] = {
    Action.HELP: "this list",
    Action.PICTURE: "take a picture",
    Action.HUD: "numbers",
    Action.OVERLAYS: "choose overlays, each by a letter",
    Action.INSPECT: "what is under the crosshair, or why a hole",
    Action.CHECK_MIRROR: "is the GPU's copy of the world right",
    Action.PANELS: "open or close panels",
    Action.PANEL_KEYS: "keys to the panels or to the world",
    Action.NEXT_PRESET: "the next layout of keys",
    Action.REBIND: "another key for an action",
    Action.FULL_SCREEN: "full screen",
    Action.CONNECT: "connect to another world",
    Action.FREE_MOUSE: "give the mouse back; once more: connect to another world",
}
PINNING: Final[Mapping[Action, str]] = {
    Action.PIN_HERE: "keep this place loaded",
    Action.PIN_THERE: "keep loaded what you look at",
    Action.LIST_PINS: "list what is kept",
    Action.UNPIN: "let the nearest go",
}
PLAYING: Final[Mapping[Action, str]] = {
    Action.PAUSE: "pause or go on",
    Action.PACKET_ON: "one packet on",
    Action.PACKET_BACK: "one packet back",
    Action.TICK_ON: "one tick on",
    Action.TICK_BACK: "one tick back",
    Action.FASTER: "faster",
    Action.SLOWER: "slower",
    Action.SKIP_ON: "five seconds on",
    Action.SKIP_BACK: "five seconds back",
    Action.START: "to the start",
    Action.END: "to the end; of a live session: to the present",
    Action.SAVE_PAST: "save the last minutes as a recording",
}
OVERLAY_OF: Final[Mapping[Action, str]] = {Action(name.replace("-", "_")): name for name in MEANING_OF}
"""Actions that switch an overlay, and its name; the chooser switches all, a preset has keys for few."""
SWITCHING: Final[Mapping[Action, str]] = {action: MEANING_OF[name] for action, name in OVERLAY_OF.items()}
LOOKING_BACK: Final[Mapping[Action, str]] = {
    action: PLAYING[action] for action in (Action.PAUSE, Action.SKIP_BACK, Action.START, Action.SAVE_PAST)
}
"""What keys of time do in the present of a live session: they lead to its past, all but the last."""
MEANINGS: Final[Mapping[Action, str]] = {**FLYING, **SEEING, **SHOWING, **SWITCHING, **PINNING, **PLAYING}
