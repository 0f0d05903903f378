"""Every action that a key can trigger in the window: its name in the file, its text for F1, its keys.

Rules:
1. An action is declared once, in one line of ``Action``; overlays declare their own actions (``overlays``).
2. Its keys are those of the preset ``qwerty``; other presets (``keys``) and the user's file change them.
3. Its value is its name in the file, under ``[keys]``. ``render.viewer.commands`` implements it.
4. Actions of time apply to recordings and to the last minutes of a live session; pins apply to live sessions only.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final


class ActionGroup(Enum):
    """What actions are about, in the order of F1 and of the file."""

    MOVE = "Move"
    LOOK = "Look"
    SHOW = "Show"
    OVERLAYS = "Overlays"
    LOOK_OUTS = "Pinned places"
    TIME = "Time"


class _Listed(type):
    """The class lists its members, as an ``Enum`` does; unlike one it can get more of them."""

    def __iter__(cls) -> Iterator["Action"]:
        order = list(ActionGroup)
        return iter(sorted(ACTIONS.values(), key=lambda action: order.index(action.group)))


class _Declared:
    """A member of ``Action``; its value is its name there, in small letters."""

    def __init__(self, group: ActionGroup, means: str, *keys: str) -> None:
        self._declared = group, means, keys

    def __set_name__(self, owner: type["Action"], name: str) -> None:
        group, means, keys = self._declared
        self._action = owner.declare(name.lower(), group, means, keys)

    def __get__(self, _instance: object, _owner: object = None) -> "Action":
        return self._action


ACTIONS: Final[dict[str, "Action"]] = {}
"""By name."""


class Action(metaclass=_Listed):
    """What a key does; those of ``ActionGroup.MOVE`` last while the key is down. ``Action("help")`` gives that one."""

    __slots__ = ("group", "keys", "means", "overlay", "value")
    value: str  # its name in the file
    group: ActionGroup
    means: str  # what F1 says of it
    keys: tuple[str, ...]  # in the preset ``qwerty``
    overlay: str | None  # the name of the overlay that it switches

    def __new__(cls, value: str) -> "Action":
        """The action of that name. Raises ValueError: unknown name."""
        if value not in ACTIONS:
            raise ValueError(f"'{value}' is not an action")
        return ACTIONS[value]

    @classmethod
    def declare(
        cls, value: str, group: ActionGroup, means: str, keys: tuple[str, ...] = (), overlay: str | None = None
    ) -> "Action":
        """Adds one, or gives the same that is there. Raises ValueError: there is another of that name."""
        action = object.__new__(cls)
        action.value, action.group, action.means, action.keys, action.overlay = value, group, means, keys, overlay
        there = ACTIONS.setdefault(value, action)
        if (there.group, there.means, there.keys, there.overlay) != (group, means, keys, overlay):
            raise ValueError(f"the action '{value}' is declared twice")
        return there

    def __reduce__(self) -> tuple[type["Action"], tuple[str]]:
        return Action, (self.value,)

    def __repr__(self) -> str:
        return f"Action({self.value!r})"

    FORWARD = _Declared(ActionGroup.MOVE, "forward", "W", "UP")
    BACK = _Declared(ActionGroup.MOVE, "back", "S", "DOWN")
    LEFT = _Declared(ActionGroup.MOVE, "left", "A", "LEFT")
    RIGHT = _Declared(ActionGroup.MOVE, "right", "D", "RIGHT")
    UP = _Declared(ActionGroup.MOVE, "fly up; jump while walking", "SPACE")
    DOWN = _Declared(ActionGroup.MOVE, "down", "LSHIFT")
    SPRINT = _Declared(ActionGroup.MOVE, "fly faster while held", "LCTRL")
    ZOOM = _Declared(ActionGroup.MOVE, "zoom while held", "C")
    WALK = _Declared(ActionGroup.LOOK, "walk or fly", "F4")
    TOP_DOWN = _Declared(ActionGroup.LOOK, "top-down view on/off", "F5")
    TO_PLAYER = _Declared(ActionGroup.LOOK, "return to the player", "H")
    ORTHOGRAPHIC = _Declared(ActionGroup.LOOK, "orthographic view on/off (wheel zooms)", "X")
    FREEZE = _Declared(ActionGroup.LOOK, "freeze culling at this camera on/off", "F")
    TELEPORT = _Declared(ActionGroup.LOOK, "go to a position, a dimension, a bookmark or a view line", "T")
    SAVE_BOOKMARK = _Declared(ActionGroup.LOOK, "keep this view as a bookmark", "B")
    NEXT_BOOKMARK = _Declared(ActionGroup.LOOK, "go to the next bookmark", "N")
    RECORD_PATH = _Declared(ActionGroup.LOOK, "start or end a camera path", "F9")
    PLAY_PATH = _Declared(ActionGroup.LOOK, "play the last camera path", "F10")
    HELP = _Declared(ActionGroup.SHOW, "keys and commands", "F1")
    PICTURE = _Declared(ActionGroup.SHOW, "take a picture", "F2")
    HUD = _Declared(ActionGroup.SHOW, "numbers: few, all, none", "F3")
    OVERLAYS = _Declared(ActionGroup.SHOW, "choose overlays by letter", "O")
    ENTITIES = _Declared(ActionGroup.SHOW, "players, animals and items on/off", "E")
    BUILD = _Declared(ActionGroup.SHOW, "build mode on/off: left breaks, right places, middle takes a block", "V")
    CUT = _Declared(ActionGroup.SHOW, "hide the block under the crosshair and all above on/off", "Z")
    CUT_UP = _Declared(ActionGroup.SHOW, "cut one block higher", "_2")
    CUT_DOWN = _Declared(ActionGroup.SHOW, "cut one block lower", "_1")
    INSPECT = _Declared(ActionGroup.SHOW, "explain the block or hole under the crosshair", "I")
    CHECK_MIRROR = _Declared(ActionGroup.SHOW, "verify the GPU's copy of the world", "M")
    PANELS = _Declared(ActionGroup.SHOW, "open or close panels", "F7")
    PANEL_KEYS = _Declared(ActionGroup.SHOW, "give the keyboard to the panels or the world", "TAB")
    NEXT_PRESET = _Declared(ActionGroup.SHOW, "next key layout", "F8")
    REBIND = _Declared(ActionGroup.SHOW, "bind another key to an action", "INSERT")
    FULL_SCREEN = _Declared(ActionGroup.SHOW, "full screen", "F11")
    CONNECT = _Declared(ActionGroup.SHOW, "connect to another world", "F12")
    FREE_MOUSE = _Declared(ActionGroup.SHOW, "release the mouse; again: connect screen", "ESCAPE")
    PIN_HERE = _Declared(ActionGroup.LOOK_OUTS, "keep this place loaded", "K")
    PIN_THERE = _Declared(ActionGroup.LOOK_OUTS, "keep the place under the crosshair loaded", "J")
    LIST_PINS = _Declared(ActionGroup.LOOK_OUTS, "list pinned places", "L")
    UNPIN = _Declared(ActionGroup.LOOK_OUTS, "release the nearest pinned place", "U")
    PAUSE = _Declared(ActionGroup.TIME, "pause or continue", "P")
    PACKET_ON = _Declared(ActionGroup.TIME, "one packet forward", "PERIOD")
    PACKET_BACK = _Declared(ActionGroup.TIME, "one packet back", "COMMA")
    TICK_ON = _Declared(ActionGroup.TIME, "one tick forward", "BRACKETRIGHT")
    TICK_BACK = _Declared(ActionGroup.TIME, "one tick back", "BRACKETLEFT")
    FASTER = _Declared(ActionGroup.TIME, "faster", "PLUS", "EQUAL", "NUM_ADD")  # = is the same key as + without shift
    SLOWER = _Declared(ActionGroup.TIME, "slower", "MINUS", "NUM_SUBTRACT")
    SKIP_ON = _Declared(ActionGroup.TIME, "five seconds forward", "PAGEDOWN")
    SKIP_BACK = _Declared(ActionGroup.TIME, "five seconds back", "PAGEUP")
    START = _Declared(ActionGroup.TIME, "to the start", "HOME")
    END = _Declared(ActionGroup.TIME, "to the end; of a rewound session: back to live", "END")
    SAVE_PAST = _Declared(ActionGroup.TIME, "save the last minutes as a recording", "Y")


def actions_of(group: ActionGroup) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS.values() if action.group is group)


LOOKING_BACK: Final = (Action.PAUSE, Action.SKIP_BACK, Action.START, Action.SAVE_PAST)
"""What keys of time do in the present of a live session: they lead to its past, all but the last."""
