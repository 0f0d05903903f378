"""Files that are written whole or not at all; locks.

A file is written beside its destination and renamed, so a reader never sees half of one, and a failed attempt leaves
the old file. A destination that is not a file (``/dev/null``, a pipe) is written to, not replaced: renaming onto a
device would destroy it for all users.

A lock of a file between processes is held until the file is closed or its process ends.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN
from pathlib import Path
from typing import IO, Final

TAKEN: Final = (EACCES, EAGAIN)
"""Error numbers if another process has a lock."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yields a path to write to; renames it to ``path`` if the block ends without an error.

    ``path``: of a file that may exist; if it is a link, its target is replaced. Two threads of a process must not write
    the same one. Yields the path of a file that does not exist yet. Raises OSError: the place cannot be written; it
    names ``path``.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / path.name
            yield made
            with made.open("rb") as read, path.open("wb") as written:
                shutil.copyfileobj(read, written)
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.unlink(missing_ok=True)  # left by a killed process with this process id
        yield temporary
        temporary.replace(target)
    except OSError as error:
        if error.filename != str(temporary):
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def lock(file: IO[bytes] | int) -> None:
    """Takes the lock of an open file or folder; does not wait.

    ``file``: or its descriptor. Raises OSError: another open file has it (``TAKEN``), or this disk has no locks.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of that system alone

        msvcrt.locking(file if isinstance(file, int) else file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - of the others alone

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
