"""Packs that somebody may be working on: read at the start, and again when their files change.

Rules:
1. ``poll`` looks at ``FILES_AT_ONCE`` files and folders and goes on where it stopped, so that no frame waits for a
   disk; a round through the game's own pack takes some two hundred frames. New and removed files change their folder.
2. A change counts when nothing has changed for ``SETTLED_S``: who writes a picture is not read in the middle of it.
3. A pack that cannot be opened any more (an archive half written) leaves things as they are until it changes again.
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
"""Time of the last change in ns and size; None where there is nothing."""


class PackWatch:
    """Looks after some folders and archives."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._watched: list[Path] = []
        self._stamps: dict[Path, Stamp] = {}
        self._next = -1
        self._changed_at: float | None = None
        self._record()

    def poll(self, now: float) -> bool:
        """Looks on, at growing seconds; True once a change has come to rest: what is there then counts as known."""
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


# ---------------------------------------------------------------- live


class LivePacks:
    """What lies over our looks, kept up to date. Owner thread only."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Opens packs, the lowest first. Raises PackError: one of them is no pack, or cannot be opened."""
        self._paths = tuple(paths)
        self._watch = PackWatch(self._paths)  # before they are read: what changes meanwhile is read again
        self.stack = PackStack.open(self._paths, load())  # the packs as they were read last
        self.failed = ""  # why they could not be read when they changed last, or ""

    def poll(self, now: float) -> bool:
        """Whether files have changed, asked each frame; ``stack`` is read anew then, unless ``failed`` says why not."""
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
        """What came of the last change, in a line; call it when all pictures have been asked for."""
        if self.failed:
            return f"resource packs stay unchanged: {self.failed}"
        wrong = self.stack.troubles
        return f"resource packs reloaded, {len(wrong)} error{'s' * (len(wrong) != 1)}" + (
            f": {wrong[0]}" if wrong else ""
        )


def open_packs(paths: Sequence[Path]) -> PackStack | None:
    """Packs that are read once, the lowest first; None without any. Raises PackError: one cannot be opened."""
    return PackStack.open(paths, load()) if paths else None
