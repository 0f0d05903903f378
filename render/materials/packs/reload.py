"""Packs that are read at the start, and again when their files change.

Rules:
1. Each ``poll`` checks the next ``FILES_AT_ONCE`` files and folders, so that no frame waits for a disk; a round through
   the game's own pack takes some two hundred frames. A new or removed file changes its folder.
2. Packs are read again when nothing has changed for ``SETTLED_S``, so that no half-written picture is read.
3. If a pack cannot be opened (a half-written archive), the old content stays until the files change again.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from assets.textures import load
from render.materials.packs.stack import PackStack
from render.materials.packs.troubles import LOG, PackError

# ---------------------------------------------------------------- watch

FILES_AT_ONCE: Final = 64
SETTLED_S: Final = 0.5
MOST_WATCHED: Final = 65536

Stamp = tuple[int, int] | None
"""Time of the last change in ns, and size; None where the file does not exist."""


class PackWatch:
    """Detects changes in some folders and archives."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._watched: list[Path] = []
        self._stamps: dict[Path, Stamp] = {}
        self._next = -1
        self._changed_at: float | None = None
        self._record()

    def poll(self, now: float) -> bool:
        """Checks the next files; ``now`` in growing seconds. True once a change is over: the new state is recorded."""
        for _ in range(min(FILES_AT_ONCE, len(self._watched))):
            self._next = (self._next + 1) % len(self._watched)
            where = self._watched[self._next]
            if (stamp := _stamp(where)) != self._stamps[where]:
                self._stamps[where], self._changed_at = stamp, now
        if self._changed_at is None or now - self._changed_at < SETTLED_S:
            return False
        self._record()
        return True

    def _record(self) -> None:
        self._watched = [where for path in self._paths for where in _everything(path)][:MOST_WATCHED]
        self._stamps = {where: _stamp(where) for where in self._watched}
        self._next = -1
        self._changed_at = None


def _everything(path: Path) -> list[Path]:
    """An archive itself; a folder with all files and folders in it."""
    if not path.is_dir():
        return [path]
    return [path, *sorted(path.rglob("*"))]


def _stamp(where: Path) -> Stamp:
    try:
        status = where.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


# ---------------------------------------------------------------- live


class LivePacks:
    """The stack of packs, read again when files change. Owner thread only."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Opens packs, the lowest first. Raises PackError: one of them is not a pack, or cannot be opened."""
        self._paths = tuple(paths)
        self._watch = PackWatch(self._paths)  # made first: a change during the reading is detected
        self.stack = PackStack.open(self._paths, load())  # the packs as last read
        self.failed = ""  # why the last reading failed, or ""

    def poll(self, now: float) -> bool:
        """Call it each frame. True if files have changed: ``stack`` is new, or ``failed`` says why it is not."""
        if not self._watch.poll(now):
            return False
        try:
            self.stack, self.failed = PackStack.open(self._paths, load()), ""
        except PackError as error:
            self.failed = str(error)
            LOG.warning("%s: packs stay unchanged", error)
        return True

    @property
    def said(self) -> str:
        """The result of the last change in one line; read it after all pictures were read, so that it counts errors."""
        if self.failed:
            return f"resource packs stay unchanged: {self.failed}"
        wrong = self.stack.troubles
        return f"resource packs reloaded, {len(wrong)} error{'s' * (len(wrong) != 1)}" + (
            f": {wrong[0]}" if wrong else ""
        )


def open_packs(paths: Sequence[Path]) -> PackStack | None:
    """Packs that are read once, the lowest first; None without paths. Raises PackError: one cannot be opened."""
    return PackStack.open(paths, load()) if paths else None
