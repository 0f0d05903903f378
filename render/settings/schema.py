"""Every setting: its place in the file, its default, its allowed values, and its meaning.

This table is the source of the file that ``chunkscope config --default`` prints, the reference, and the reader.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from client.options import EXPECTED, OWN, is_identity
from net.config import Read, WrongValue, number, string, truth, whole
from render.settings.actions import Action
from render.settings.keys import KEY_NAMES, PRESETS, key_name
from render.settings.overlays import OVERLAYS, nearest

KEYS_TABLE: Final = "keys"
PREFIX: Final = "CHUNKSCOPE_"


class Settings(msgspec.Struct, frozen=True):
    """What the file and the environment say; the defaults where they say nothing."""

    size: str = "1280x720"  # window size, ``WxH``
    full_screen: bool = False  # whether the window begins so
    hud: bool = True  # whether the numbers are shown at the start
    scale: float = 1.0  # of text and panels, multiplied by the desktop's scale factor
    fov: float = 70.0  # vertical field of view in degrees
    speed: float = 12.0  # of flying, blocks a second
    sprint: float = 3.0  # what sprinting multiplies it by
    mouse: float = 0.15  # degrees a pixel
    invert_mouse: bool = False  # pushing the mouse looks down
    follow: bool = True  # the camera goes where the server puts the player
    collide: bool = False  # blocks and placeholders stop a flying camera, too
    radius: int = 8  # of sight, in columns
    gamma: float = 1.0  # over 1 lifts what is dark
    light: str = "cpu"  # cpu, gpu or flat
    overlays: tuple[str, ...] = ()  # those that are on at the start
    packs: tuple[str, ...] = ()  # resource packs, later ones over earlier
    pictures: str = "shots"  # folder of pictures and camera paths
    identity: str = OWN  # the player that joins servers: own, fresh, or another name
    past_minutes: float = 5.0  # of a live session, kept to be looked back at; 0: none
    past_mb: int = 64  # what they may take in memory
    preset: str = "qwerty"  # layout of keys
    keys: Mapping[Action, tuple[str, ...]] = {}  # own bindings over it


class Setting(msgspec.Struct, frozen=True):
    """One setting: its place in the file, its reader, its meaning."""

    table: str  # of the file
    key: str  # in that table, and the field of ``Settings``
    read: Read  # gives the value, or raises ``WrongValue``
    words: str  # for the file and the reference
    option: str | None = None  # the option of ``chunkscope view`` that overrides it

    @property
    def means(self) -> str:
        """The words, with the names of all overlays there are where they are asked for."""
        return self.words.replace("{overlays}", ", ".join(OVERLAYS))

    @property
    def variable(self) -> str:
        """The variable of the environment that overrides the file."""
        return f"{PREFIX}{self.key.upper()}"

    @property
    def options(self) -> tuple[str, ...]:
        """All it may be, where that is one of a few words."""
        return self.read.names if isinstance(self.read, OneOf) else ()

    @property
    def default(self) -> Any:  # Any: each setting has its own type
        """The value if it is not set anywhere."""
        return getattr(DEFAULTS, self.key)


class OneOf(msgspec.Struct, frozen=True):
    """Reads one of some words."""

    names: tuple[str, ...]  # the words

    def __call__(self, value: Any) -> str:  # Any: a TOML value
        """The word, or ``WrongValue``."""
        if value not in self.names:
            raise WrongValue(f"one of {', '.join(self.names)}{nearest(str(value), self.names)}")
        return str(value)


def words(value: Any) -> tuple[str, ...]:  # Any: a TOML value
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise WrongValue('a list of strings, ["one", "two"]')
    return tuple(rows)


def overlays(value: Any) -> tuple[str, ...]:  # Any: a TOML value
    return tuple(OneOf(tuple(OVERLAYS))(name) for name in words(value))


def identity(value: Any) -> str:  # Any: a TOML value
    if not isinstance(value, str) or not is_identity(value):
        raise WrongValue(EXPECTED)
    return value


def size(value: Any) -> str:  # Any: a TOML value
    sides = value.lower().split("x") if isinstance(value, str) else []
    if len(sides) != 2 or not all(s.isascii() and s.isdigit() and len(s) < 6 and 16 <= int(s) <= 8192 for s in sides):
        raise WrongValue('WIDTHxHEIGHT with 16 to 8192 pixels, "1280x720"')
    return str(value)


def keys(value: Any) -> tuple[str, ...]:  # Any: a TOML value
    names = tuple(map(key_name, words(value)))
    for name in names:
        if name not in KEY_NAMES:
            raise WrongValue(f"names of keys; unknown key {name}{nearest(name, KEY_NAMES)}")
    return names


DEFAULTS: Final = Settings()
SETTINGS: Final = (
    Setting("window", "size", size, "size of the window in pixels, multiplied by the desktop's scale factor", "--size"),
    Setting("window", "full_screen", truth, "start in full screen"),
    Setting("window", "hud", truth, "show the HUD at the start"),
    Setting("window", "scale", number(0.5, 4), "size of text and panels, multiplied by the desktop's scale factor"),
    Setting("camera", "fov", number(10, 150), "vertical field of view in degrees", "--fov"),
    Setting("camera", "speed", number(1, 200), "flying speed in blocks per second; the wheel changes it"),
    Setting("camera", "sprint", number(1, 20), "sprinting multiplies the speed by this"),
    Setting("camera", "mouse", number(0.01, 2), "degrees turned per pixel of mouse movement"),
    Setting("camera", "invert_mouse", truth, "moving the mouse forward looks down"),
    Setting("camera", "follow", truth, "follow server teleports"),
    Setting("camera", "collide", truth, "blocks and placeholders stop the camera in flight, too"),
    Setting("world", "radius", whole(1, 64), "view distance in chunks", "--radius"),
    Setting("world", "gamma", number(0.2, 4), "values over 1 brighten dark places", "--gamma"),
    Setting("world", "light", OneOf(("cpu", "gpu", "flat")), "where lighting is computed", "--light"),
    Setting("world", "overlays", overlays, "overlays shown at the start: {overlays}", "--overlay"),
    Setting("world", "packs", words, "resource packs; later packs override earlier ones", "--pack"),
    Setting("world", "pictures", string, "folder of pictures, camera paths and saved sessions", "--pictures"),
    Setting(
        "world",
        "identity",
        identity,
        "player who joins servers: own (the same player each time), fresh (a new player), or a name",
        "--identity",
    ),
    Setting("world", "past_minutes", number(0, 120), "minutes of a live session that can be rewound; 0: none"),
    Setting(
        "world", "past_mb", whole(2, 4096), "memory limit of rewinding in MiB; older parts are dropped at the limit"
    ),
    Setting(KEYS_TABLE, "preset", OneOf(tuple(PRESETS)), f"key layout: {', '.join(PRESETS)}"),
)
BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
AT_ONCE: Final = frozenset(
    {"collide", "follow", "fov", "gamma", "hud", "invert_mouse", "mouse", "preset", "scale", "speed", "sprint"}
)
"""Settings that apply without a restart of the window."""
