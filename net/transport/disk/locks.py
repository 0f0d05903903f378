"""A file's lock between processes: held until the file is closed or its process ends, however it ends."""

import sys
from typing import IO


def lock(file: IO[bytes]) -> None:
    """Takes the lock of an open file, at once.

    Raises:
        OSError: another open file has it, or this disk has no locks.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of that system alone

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - of the others alone

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
