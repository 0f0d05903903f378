"""Small files that a person edits and windows write: read as they are, written whole or not at all, one at a time.

Rules:
1. What is not ours stays: a byte order mark, line ends of Windows, rights, and a link stays a link.
2. A file that its owner has made read-only is not written, though its folder would allow to put another in its place.
3. Between reading and writing, ``alone``: two windows that change one thing each lose none. Where a system has no locks
   of folders the last that writes wins.
4. Errors name the file, not what was written beside it.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from net.files import lock, whole

MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Windows' editors put it before UTF-8."""
CRLF: Final = "\r\n"


def read_text(path: Path) -> str:
    """A file's text, its line ends as they are, without the mark that may stand before it.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is no UTF-8.
    """
    return path.read_bytes().decode("utf-8").removeprefix(MARK)


def write_text(path: Path, text: str) -> None:
    """Puts a text into the place of a file, which is made, with its folder, where it is not there.

    Raises:
        OSError: it cannot be written.
    """
    try:
        Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.is_file() else b""
        mode = stat.S_IMODE(path.stat().st_mode) if before else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(13, "it is read-only")
        with whole(path) as temporary:
            temporary.write_bytes(_like(before, text))
            if mode is not None:
                temporary.chmod(mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """No other window changes files of a folder meanwhile; ``path`` is one of them."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.resolve().parent, os.O_RDONLY)
    except OSError:  # Windows opens no folders; what else is wrong with it the writing tells
        yield
        return
    try:
        with suppress(OSError):
            lock(folder, wait=True)
        yield
    finally:
        os.close(folder)


def _like(before: bytes, text: str) -> bytes:
    """A text with the mark and the line ends of what stood there before."""
    if before.count(b"\n") == before.count(b"\r\n") > 0:
        text = CRLF.join(text.replace(CRLF, "\n").split("\n"))
    return (MARK if before.startswith(MARK.encode()) else "").encode() + text.encode()
