"""What can go wrong between a SOURCE and a world that is shown, with the exit code that each one means.

    SourceError      3   absent, refusing, or of another version: one sentence a user can act on
    UsageError       2   the SOURCE or an option does not say anything we understand
    MissingFile      6   a file to be read that is not there, a SOURCE among them
    UnreadableFile   6   a file that is there and cannot be read

A deadline that passes is no error: what is incomplete is returned as such, with what is missing (exit code 4).
"""

import shlex
import sys
from typing import Final

DONE: Final = 0
CHECK_FAILED: Final = 1
WRONG_USAGE: Final = 2
SOURCE_FAILED: Final = 3
INCOMPLETE: Final = 4
NO_GPU: Final = 5
UNREADABLE_FILE: Final = 6
INTERRUPTED: Final = 130
"""Ctrl-C, as shells number it."""


class ConnectError(Exception):
    """Root of what this package raises on purpose; its text is one sentence for a user."""

    exit_code = CHECK_FAILED


class UsageError(ConnectError):
    """A SOURCE, a box or an option that cannot be meant."""

    exit_code = WRONG_USAGE


class SourceError(ConnectError):
    """A source that is absent, full, of another version, refusing, or that wants signed-in players."""

    exit_code = SOURCE_FAILED


class NotLetIn(SourceError):
    """A source that answered, and did not let the player in; with the session until then."""

    def __init__(self, sentence: str, session: object) -> None:
        super().__init__(sentence)
        self.session = session


class NetherNetError(SourceError):
    """A server that cannot be joined over NetherNet; it may speak RakNet, too."""


class GuessRefused(NetherNetError):
    """A server over NetherNet that does not say its version, and ended the session before NetworkSettings."""


class UnreadableFile(ConnectError):
    """A file that exists and cannot be read as what it claims to be."""

    exit_code = UNREADABLE_FILE


class MissingFile(SourceError):
    """A file that is to be read and does not exist."""

    exit_code = UNREADABLE_FILE

    def __init__(self, path: object) -> None:
        super().__init__(f"{path} does not exist.")


class Interrupted(ConnectError):
    """Ctrl-C, with what there is to say about what was done until then."""

    exit_code = INTERRUPTED


class WorldError(Exception):
    """The world was asked for something it cannot do: a bug of the caller's, or a full pool."""


class OutOfSlots(WorldError):
    """A pool has no free slot left."""

    def __init__(self, what: str, capacity: int) -> None:
        super().__init__(f"all {capacity} slots of the {what} pool are in use")
        self.what = what  # the pool
        self.capacity = capacity  # how many slots it has


def install_line(package: str) -> str:
    """What to type where an optional package is missing, e.g. ``/home/me/.venv/bin/python -m pip install matplotlib``.

    It names the package, since an extra of ours is on no index, and the interpreter, since a shell's ``pip`` may be
    another environment's.
    """
    return f"{shlex.quote(sys.executable)} -m pip install {package}"
