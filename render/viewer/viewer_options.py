"""Options of the viewer, settings that may change while the window is open, and exceptions that end a window.

The connection's own options are ``client.options.Options``.
"""

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from client.options import PastOptions
from client.source import OtherSource
from net.config import WrongValue
from render.draw_options import DrawOptions
from render.errors import RenderError
from render.settings import Settings
from render.settings.file import write_setting
from render.settings.schema import SETTINGS
from render.viewer.key_layout import KeyLayout, stored


class ViewerOptions(DrawOptions, frozen=True):
    """Options of the window."""

    pictures: Path = Path("shots")  # folder for pictures taken with F2; made when the first is taken
    events: Path | None = None  # file for one JSON line an event (``event_stream``), or None
    # user settings; options above take precedence
    settings: Settings = msgspec.field(default_factory=Settings)
    settings_file: Path | None = None  # their file, which stores changes made in the window; None: nothing is stored
    first_start: bool = False  # without a settings file: a card of keys is shown, and the file is written
    troubles: tuple[str, ...] = ()  # problems of the settings, a sentence each
    lan_ports: tuple[int, ...] = (19132, 19133)  # ports on which the connect screen searches for servers
    discovery_port: int = 7551  # port on which it searches for LAN games of NetherNet, 0 for none
    connect: bool = False  # start with that screen, if there is no source to join
    address: str = ""  # initial address in it
    build: bool = False  # whether building is allowed on servers that are not ours
    against: OtherSource | None = None  # another world that is compared with the shown one (``Against``), or None


def past_of(settings: Settings) -> PastOptions | None:
    if not settings.past_minutes:
        return None
    return PastOptions(60.0 * settings.past_minutes, settings.past_mb << 20)


class NoDisplay(RenderError):
    """There is no display to open a window on: exit code 5."""


class WindowClosed(Exception):
    """The user closed the window before the world was loaded."""


BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
AT_ONCE: Final = frozenset(
    {"collide", "follow", "fov", "gamma", "hud", "invert_mouse", "mouse", "preset", "scale", "speed", "sprint"}
)
"""Settings that apply without a restart of the window."""


class Preferences:
    """Settings of one window: checked like those of the file, and stored in it with its comments."""

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """``file``: stores changes; None: nothing is stored."""
        self._settings = settings
        self.layout = KeyLayout(settings, file)  # of the keys; it alone knows the preset in use
        self._file = file

    @property
    def settings(self) -> Settings:
        if self._settings.preset != self.layout.preset:
            self._settings = replace(self._settings, preset=self.layout.preset)
        return self._settings

    @property
    def place(self) -> str:
        return str(self._file) if self._file else "changes are not saved: the window has no settings file"

    def change(self, key: str, value: Any) -> str:  # Any: each setting has its own type
        """Sets and stores a value; returns a message. Raises WrongValue: with what it must be."""
        setting = BY_KEY[key]
        read = setting.read(value)
        self._settings = replace(self.settings, **{key: read})
        self.layout.take(self._settings.preset)
        later = "" if key in AT_ONCE else " (after a restart)"
        said = f"{setting.table}.{key} = {value}{later}"
        return stored(self._file, said, lambda file: write_setting(file, setting.table, key, value))


def expected(key: str, value: Any) -> str:  # Any: each setting has its own type
    """What a setting must be if the value is invalid; empty if it is valid."""
    try:
        BY_KEY[key].read(value)
    except WrongValue as error:
        return f"must be {error}"
    return ""
