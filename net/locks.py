"""A file's lock between processes: held until the file is closed or its process ends, however it ends."""

import sys
from typing import IO


def lock(file: IO[bytes] | int, *, wait: bool = False) -> None:
    """Takes the lock of an open file, or folder.

    Args:
        file: or its descriptor.
        wait: until whoever has it gives it back.

    Raises:
        OSError: another open file has it, or this disk has no locks.
    """
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of that system alone

        msvcrt.locking(file if isinstance(file, int) else file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - of the others alone

        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
