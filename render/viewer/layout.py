"""The layout of keys in use, and the file that keeps it. Knows no window, so tests change it without one."""

from pathlib import Path

from render.settings import Keyboard, Settings
from render.settings.presets import next_preset
from render.settings.writing import create, write_preset


class Layout:
    """A preset with a person's own keys over it.

    Attributes:
        preset: its name.
        keyboard: which key does what.
    """

    def __init__(self, settings: Settings, file: Path | None) -> None:
        """As the settings say.

        Args:
            settings: preset and own keys.
            file: where they lie; None: nothing is kept.
        """
        self._own = settings.keys
        self._file = file
        self.preset = settings.preset
        self.keyboard = Keyboard(self.preset, self._own)

    def change(self) -> str:
        """The next preset, kept in the file; what there is to say."""
        self.preset = next_preset(self.preset)
        self.keyboard = Keyboard(self.preset, self._own)
        try:
            if self._file:
                write_preset(self._file, self.preset)
        except ValueError as error:
            return f"keys: {self.preset}; {error}"
        except OSError as error:
            return f"keys: {self.preset}; not kept: {error.filename or self._file}: {error.strerror}."
        return f"keys: {self.preset}"

    def begin(self) -> str:
        """Writes the file of a first start; what there is to say where that fails."""
        try:
            if self._file:
                create(self._file)
        except OSError as error:
            return f"no file of settings: {error.filename or self._file}: {error.strerror}."
        return ""
