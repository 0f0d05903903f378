"""Settings that are changed while the window is open: checked as in the file, kept in it, comments and all."""

from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from net.config import WrongValue
from render.settings import Settings
from render.settings.file import write_setting
from render.settings.schema import SETTINGS
from render.viewer.key_layout import KeyLayout

BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
AT_ONCE: Final = frozenset(
    {"follow", "fov", "gamma", "hud", "invert_mouse", "mouse", "preset", "scale", "speed", "sprint"}
)
"""Those that need no other start of the window."""


class Preferences:
    """Of one window."""

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """As the file says.

        Args:
            settings: read from it.
            file: where a change is kept; None: nowhere.
        """
        self._settings = settings
        self.layout = KeyLayout(settings, file)  # of the keys; it alone knows which preset they follow
        self._file = file

    @property
    def settings(self) -> Settings:
        """As they are now."""
        if self._settings.preset != self.layout.preset:
            self._settings = replace(self._settings, preset=self.layout.preset)
        return self._settings

    @property
    def place(self) -> str:
        """Where they are kept, in words."""
        return str(self._file) if self._file else "changes are not kept: there is no file"

    def change(self, key: str, value: Any) -> str:  # Any: each setting has its own type
        """Takes a value and keeps it; what there is to say.

        Raises:
            WrongValue: that is no value of it, with what it must be.
        """
        setting = BY_KEY[key]
        read = setting.read(value)
        self._settings = replace(self.settings, **{key: read})
        self.layout.take(self._settings.preset)
        later = "" if key in AT_ONCE else ", from the next start on"
        said = f"{setting.table}.{key} = {value}{later}"
        try:
            if self._file:
                write_setting(self._file, setting.table, key, value)
        except ValueError as error:
            return f"{said}; {error}"
        except OSError as error:
            return f"{said}; not kept: {error.filename or self._file}: {error.strerror}."
        return said


def expected(key: str, value: Any) -> str:  # Any: each setting has its own type
    """What a setting must be where a value is none of it; empty where it is one."""
    try:
        BY_KEY[key].read(value)
    except WrongValue as error:
        return f"must be {error}"
    return ""
