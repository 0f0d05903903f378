"""Whether files of packs have changed: looked at a few at a time, so that no frame waits for a disk.

Rules:
1. ``poll`` looks at ``FILES_AT_ONCE`` files and folders and goes on where it stopped; a round through the game's own
   pack takes some two hundred frames. New and removed files change their folder.
2. A change counts when nothing has changed for ``SETTLED_S``: who writes a picture is not read in the middle of it, and
   when he was all the same, the end of his writing is one more change.
3. Time is given.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

FILES_AT_ONCE: Final = 64
SETTLED_S: Final = 0.5
MOST_WATCHED: Final = 65536

Stamp = tuple[int, int] | None
"""Time of the last change in ns and size; None where there is nothing."""


class PackWatch:
    """Looks after some folders and archives."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Notes what is there now."""
        self._paths = tuple(paths)
        self._watched: list[Path] = []
        self._stamps: dict[Path, Stamp] = {}
        self._next = -1
        self._changed_at: float | None = None
        self._note()

    def poll(self, now: float) -> bool:
        """Looks on; True once a change has come to rest, after which what is there then counts as known.

        Args:
            now: seconds of any clock that does not go back.
        """
        for _ in range(min(FILES_AT_ONCE, len(self._watched))):
            self._next = (self._next + 1) % len(self._watched)
            where = self._watched[self._next]
            if (stamp := _stamp(where)) != self._stamps[where]:
                self._stamps[where], self._changed_at = stamp, now
        if self._changed_at is None or now - self._changed_at < SETTLED_S:
            return False
        self._note()
        return True

    def _note(self) -> None:
        self._watched = [where for path in self._paths for where in _everything(path)][:MOST_WATCHED]
        self._stamps = {where: _stamp(where) for where in self._watched}
        self._next = -1
        self._changed_at = None


def _everything(path: Path) -> list[Path]:
    """An archive itself; a folder with all that is in it."""
    if not path.is_dir():
        return [path]
    return [path, *sorted(path.rglob("*"))]


def _stamp(where: Path) -> Stamp:
    try:
        status = where.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
