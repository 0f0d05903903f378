"""What the viewer may be told, what of it changes while the window is open, and what ends a window.

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
from render.gpu.errors import RenderError
from render.settings import Settings
from render.settings.file import write_setting
from render.settings.schema import SETTINGS
from render.viewer.key_layout import KeyLayout


class ViewerOptions(DrawOptions, frozen=True):
    """How the window looks."""

    pictures: Path = Path("shots")  # folder for pictures taken with F2; made when the first is taken
    events: Path | None = None  # file for one JSON line an event (``event_stream``), or None
    # what is set once and for all; of what also stands above, that counts
    settings: Settings = msgspec.field(default_factory=Settings)
    settings_file: Path | None = None  # where they lie, and where a change made in the window is kept; None: nowhere
    first_start: bool = False  # there were none yet: three lines say how to begin, and the file is written
    troubles: tuple[str, ...] = ()  # what is wrong with them, a sentence each
    lan_ports: tuple[int, ...] = (19132, 19133)  # on which the connect screen looks for servers
    discovery_port: int = 7551  # on which it looks for LAN games of NetherNet, 0 for none
    connect: bool = False  # begin with that screen, where there is no source to join
    address: str = ""  # that it begins with
    build: bool = False  # whether a server that is not ours may be built on
    against: OtherSource | None = None  # another world that what is shown is compared with (``Against``), or None


def past_of(settings: Settings) -> PastOptions | None:
    """How much of the past is kept, as the settings say."""
    if not settings.past_minutes:
        return None
    return PastOptions(60.0 * settings.past_minutes, settings.past_mb << 20)


class NoDisplay(RenderError):
    """There is no display to open a window on: exit code 5."""


class WindowClosed(Exception):
    """The person closed the window before the world was there."""


BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
AT_ONCE: Final = frozenset(
    {"collide", "follow", "fov", "gamma", "hud", "invert_mouse", "mouse", "preset", "scale", "speed", "sprint"}
)
"""Those that need no other start of the window."""


class Preferences:
    """Settings of one window: checked as in the file, kept in it, comments and all."""

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """As the file says. ``file``: where a change is kept; None: nowhere."""
        self._settings = settings
        self.layout = KeyLayout(settings, file)  # of the keys; it alone knows which preset they follow
        self._file = file

    @property
    def settings(self) -> Settings:
        if self._settings.preset != self.layout.preset:
            self._settings = replace(self._settings, preset=self.layout.preset)
        return self._settings

    @property
    def place(self) -> str:
        """Where they are kept, in words."""
        return str(self._file) if self._file else "changes are not saved: the window has no settings file"

    def change(self, key: str, value: Any) -> str:  # Any: each setting has its own type
        """Takes a value and keeps it; what there is to say. Raises WrongValue: with what it must be."""
        setting = BY_KEY[key]
        read = setting.read(value)
        self._settings = replace(self.settings, **{key: read})
        self.layout.take(self._settings.preset)
        later = "" if key in AT_ONCE else " (after a restart)"
        said = f"{setting.table}.{key} = {value}{later}"
        try:
            if self._file:
                write_setting(self._file, setting.table, key, value)
        except ValueError as error:
            return f"{said}; {error}"
        except OSError as error:
            return f"{said}; not saved: {error.filename or self._file}: {error.strerror}."
        return said


def expected(key: str, value: Any) -> str:  # Any: each setting has its own type
    """What a setting must be where a value is none of it; empty where it is one."""
    try:
        BY_KEY[key].read(value)
    except WrongValue as error:
        return f"must be {error}"
    return ""
