"""Errors in packs, one line each with file and key, and the limits of packs.

A trouble is not fatal: the block shows our picture. The limits exist because packs come from unknown sources; the
game's own pack of 1.26.40 is far below each of them.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

MOST_SIDE_PX: Final = 4096
"""Width and height of an image."""
MOST_FILES: Final = 65536
"""Files of a pack; 1.26.40 has some 12,000."""
MOST_FILE_BYTES: Final = 64 << 20
"""Size of one unpacked file: an image of 4096 x 4096 at 32 bits without compression."""
MOST_PACK_BYTES: Final = 1 << 30
"""Sum of all reads from one pack, unpacked, as long as it is open."""
MOST_JSON_BYTES: Final = 16 << 20
MOST_TILE_PX: Final = 128
"""Side of a picture in memory; larger ones are averaged down to it."""
MOST_PICTURE_BYTES: Final = 512 << 20
"""Memory of all pictures of a stack of packs."""
MOST_FRAMES: Final = 256
"""Frames of one strip."""
MOST_STEPS: Final = 8
"""Length of a chain of textures that name each other, up to the one that names a file."""
MOST_TROUBLES: Final = 1000
"""Troubles kept of one pack."""


# ---------------------------------------------------------------- troubles

LOG: Final = logging.getLogger("chunkscope.packs")
MOST_TOLD: Final = 10
MOST_LETTERS: Final = 500


class PackError(Exception):
    """A pack cannot be opened; the message says which and why."""

    exit_code = 6  # interfaces.md: a file that cannot be read


class FileTrouble(Exception):
    """One file of a pack cannot be read; the message says why."""


class Trouble(msgspec.Struct, frozen=True):
    """One error in a pack."""

    pack: str  # its path as the user gave it
    file: str  # its name in the pack
    key: str  # in the file; "" for the file as a whole
    why: str  # what is wrong, and what would be right

    def __str__(self) -> str:
        key = f", {self.key!r}" if self.key else ""
        return _one_line(f"{self.pack}: {self.file}{key}: {self.why}")


class Troubles:
    """The troubles of one pack or of several, without duplicates."""

    def __init__(self) -> None:
        self._seen: dict[Trouble, None] = {}

    def add(self, trouble: Trouble) -> None:
        """Adds one, unless it is already there or there are ``MOST_TROUBLES``."""
        if len(self._seen) < MOST_TROUBLES:
            self._seen[trouble] = None

    def tell_of(self, file: str, key: str) -> bool:
        """Whether there is a trouble of an entry of a file, or of the file as a whole."""
        return any(trouble.file == file and trouble.key in (key, "") for trouble in self._seen)

    def __iter__(self) -> Iterator[Trouble]:
        return iter(tuple(self._seen))

    def __len__(self) -> int:
        return len(self._seen)


def warn_of_troubles(troubles: Sequence[Trouble]) -> None:
    """Logs the first ``MOST_TOLD``, one line each, and how to list the others."""
    for trouble in troubles[:MOST_TOLD]:
        LOG.warning("%s", trouble)
    if len(troubles) > MOST_TOLD:
        LOG.warning("and %d more: chunkscope doctor --pack PATH lists them", len(troubles) - MOST_TOLD)


def _one_line(text: str) -> str:
    """One printable line of bounded length: escapes unprintable characters of names in packs, and cuts long texts."""
    short = text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} ..."
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short)
