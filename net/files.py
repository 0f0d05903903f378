"""Files that are written whole or not at all; what is no file, ``/dev/null`` or a pipe, is written into, not replaced.

A file is written beside its place and renamed, so a reader never sees half of one, and an attempt that fails leaves
what was there before. Renamed onto a device, by a user who may, it would take everybody's device away.

Locks: A file's lock between processes: held until the file is closed or its process ends, however it ends.
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
"""What systems say where somebody else has a lock."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write what shall stand at ``path`` once the block has ended without an error; else nothing happens.

    ``path``: of a file that may be there; a link stays one, what it leads to is replaced. Two threads of a process
    never write one. Yields the path of a file that is not there yet. Raises OSError: the place cannot be written; it
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
        temporary.unlink(missing_ok=True)  # of a process of this number that was killed
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
    """Takes the lock of an open file, or folder, or gives up at once.

    ``file``: or its descriptor. Raises OSError: another open file has it (``TAKEN``), or this disk has no locks.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of that system alone

        msvcrt.locking(file if isinstance(file, int) else file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - of the others alone

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
