"""What is wrong with a pack: a line each, naming file and key. It stops nobody: the block looks as ours does.

Limits: How much of a pack is read at most. Packs come from anywhere; the game's own of 1.26.40 is far below each limit.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

MOST_SIDE_PX: Final = 4096
"""Of an image, either way."""
MOST_FILES: Final = 65536
"""Of a pack; 1.26.40 has some 12,000."""
MOST_FILE_BYTES: Final = 64 << 20
"""Of one file, unpacked: an image of 4096 x 4096 at 32 bits without compression."""
MOST_PACK_BYTES: Final = 1 << 30
"""Of everything read from one pack, unpacked, over its life."""
MOST_JSON_BYTES: Final = 16 << 20
MOST_TILE_PX: Final = 128
"""Of a picture as it is kept; larger ones are averaged down to it."""
MOST_PICTURE_BYTES: Final = 512 << 20
"""Of all pictures that are kept of a stack of packs."""
MOST_FRAMES: Final = 256
"""Of one strip of pictures."""
MOST_STEPS: Final = 8
"""From a texture that only names another to the one that names a file."""
MOST_TROUBLES: Final = 1000
"""That are kept of one pack; the others are counted."""


# ---------------------------------------------------------------- troubles

LOG: Final = logging.getLogger("chunkscope.packs")
MOST_TOLD: Final = 10
MOST_LETTERS: Final = 500


class PackError(Exception):
    """A pack that cannot be opened at all; says which and why."""

    exit_code = 6  # interfaces.md: a file that cannot be read


class FileTrouble(Exception):
    """One file of a pack that cannot be had; says why."""


class Trouble(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    pack: str  # its path as it was given
    file: str  # inside of the pack
    key: str  # of the file, "" for the file as a whole
    why: str  # what is wrong, and what would be right

    def __str__(self) -> str:
        key = f", {self.key!r}" if self.key else ""
        return _one_line(f"{self.pack}: {self.file}{key}: {self.why}")


class Troubles:
    """Those of one pack or of several, each once."""

    def __init__(self) -> None:
        self._seen: dict[Trouble, None] = {}
        self.uncounted = 0  # how many came after ``MOST_TROUBLES``

    def add(self, trouble: Trouble) -> None:
        """Keeps one, unless it was there already."""
        if trouble in self._seen:
            return
        if len(self._seen) >= MOST_TROUBLES:
            self.uncounted += 1
            return
        self._seen[trouble] = None

    def tell_of(self, file: str, key: str) -> bool:
        """Whether something is wrong with an entry of a file, or with the file as a whole."""
        return any(trouble.file == file and trouble.key in (key, "") for trouble in self._seen)

    def __iter__(self) -> Iterator[Trouble]:
        return iter(tuple(self._seen))

    def __len__(self) -> int:
        return len(self._seen)


def warn_of_troubles(troubles: Sequence[Trouble]) -> None:
    """Logs the first few, a line each, and how to see the others."""
    for trouble in troubles[:MOST_TOLD]:
        LOG.warning("%s", trouble)
    if len(troubles) > MOST_TOLD:
        LOG.warning("and %d more: chunkscope doctor --pack PATH lists them", len(troubles) - MOST_TOLD)


def _one_line(text: str) -> str:
    """Names in packs are anybody's: what is no printable character is spelled out, and a novel is cut."""
    short = text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} ..."
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short)
