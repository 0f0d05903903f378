"""Packs that somebody may be working on: read at the start, and again when their files change.

A pack that cannot be opened any more (an archive half written) leaves things as they are until it changes again.
"""

from collections.abc import Sequence
from pathlib import Path

from assets.textures import load
from render.materials.packs.stack import PackStack
from render.materials.packs.troubles import LOG, PackError
from render.materials.packs.watch import PackWatch


class LivePacks:
    """What lies over our looks, kept up to date. Owner thread only.

    Attributes:
        stack: the packs as they were read last.
        failed: why they could not be read when they changed last, or "".
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Opens packs, the lowest first.

        Raises:
            PackError: one of them is no pack, or cannot be opened.
        """
        self._paths = tuple(paths)
        self._watch = PackWatch(self._paths)  # before they are read: what changes meanwhile is read again
        self.stack = PackStack.open(self._paths, load())
        self.failed = ""

    def poll(self, now: float) -> bool:
        """Whether files have changed; ``stack`` has been read anew then, unless ``failed`` says why not.

        Call it every frame, with seconds of a clock that does not go back.
        """
        if not self._watch.poll(now):
            return False
        try:
            self.stack, self.failed = PackStack.open(self._paths, load()), ""
        except PackError as error:
            self.failed = str(error)
            LOG.warning("%s: packs stay as they were", error)
        return True

    @property
    def said(self) -> str:
        """What came of the last change, in a line; call it when all pictures have been asked for."""
        if self.failed:
            return f"resource packs stay as they were: {self.failed}"
        wrong = self.stack.troubles
        return f"resource packs read again, {len(wrong)} things wrong" + (f": {wrong[0]}" if wrong else "")


def open_packs(paths: Sequence[Path]) -> PackStack | None:
    """Packs that are read once, the lowest first; None without any.

    Raises:
        PackError: one of them is no pack, or cannot be opened.
    """
    return PackStack.open(paths, load()) if paths else None
