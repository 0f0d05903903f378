"""Camera paths in the window: written while one flies, and played back. Knows no window, so tests fly without one.

Rules:
1. A path is the file of ``chunkscope film --path`` (``render.camera_path``): what was flown can be filmed.
2. A key every half second; while nothing moves the last key's time goes on, so a long rest is two keys.
3. Time is given.
"""

import re
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from client.errors import UnreadableFile, UsageError
from client.player import View
from render.camera_path import CameraPath, Key, read_path, write_path

KEY_EVERY_S: Final = 0.5
NAME: Final = re.compile(r"path-(\d+)\.toml")


class PathRecorder:
    """A path while it is flown."""

    def __init__(self, view: View, now: float) -> None:
        self._began = now
        self._keys = [Key(0.0, view, view.fov_deg)]

    @property
    def keys(self) -> int:
        """How many there are."""
        return len(self._keys)

    def note(self, view: View, now: float) -> None:
        """Where the camera is; called every frame."""
        if now - self._began - self._keys[-1].time_s >= KEY_EVERY_S:
            self._add(view, now)

    def end(self, view: View, now: float) -> CameraPath | None:
        """The path; None where it has no length."""
        if now - self._began > self._keys[-1].time_s + 0.001:  # files know milliseconds
            self._add(view, now)
        return CameraPath(tuple(self._keys)) if len(self._keys) > 1 else None

    def _add(self, view: View, now: float) -> None:
        key = Key(now - self._began, view, view.fov_deg)
        if len(self._keys) > 1 and self._keys[-1].view == self._keys[-2].view == view:
            self._keys[-1] = replace(key)
        else:
            self._keys.append(key)


class PathPlayer:
    """A path while it is played."""

    def __init__(self, path: CameraPath, now: float) -> None:
        self._path = path
        self._began = now

    def view(self, now: float) -> View | None:
        """Where the camera is; None once the path is over."""
        elapsed = now - self._began
        return self._path.view(elapsed) if elapsed <= self._path.duration_s else None


def keep(folder: Path, path: CameraPath) -> Path:
    """Writes a path under the next free number; gives the file. Raises OSError: it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"path-{_last(folder) + 1}.toml"
    write_path(file, path)
    return file


def latest(folder: Path) -> tuple[Path, CameraPath]:
    """The path that was kept last. Raises UsageError: there is none, or it makes no sense."""
    number = _last(folder)
    if not number:
        raise UsageError(f"There is no camera path in {folder} yet.")
    file = folder / f"path-{number}.toml"
    try:
        return file, read_path(file)
    except UnreadableFile as error:
        raise UsageError(str(error)) from None


def _last(folder: Path) -> int:
    """The highest number of a path there; 0 where there is none."""
    names = folder.iterdir() if folder.is_dir() else ()
    return max((int(found[1]) for file in names if (found := NAME.fullmatch(file.name))), default=0)
