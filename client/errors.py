"""Exceptions between a SOURCE and a shown world, with their exit codes.

    SourceError      3   absent, refusing, or of another version: one sentence a user can act on
    UsageError       2   an invalid SOURCE or option
    MissingFile      6   a file to be read does not exist, a SOURCE among them
    UnreadableFile   6   a file exists and cannot be read

A passed deadline is no error: the result is returned as incomplete, with what is missing (exit code 4).
"""

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
    """Base of the package's own exceptions; the text is one sentence for a user."""

    exit_code = CHECK_FAILED


class UsageError(ConnectError):
    """A SOURCE, a box or an option is invalid."""

    exit_code = WRONG_USAGE


class SourceError(ConnectError):
    """A source is absent, full, of another version, refuses, or requires signed-in players."""

    exit_code = SOURCE_FAILED


class NotLetIn(SourceError):
    """A source answered and did not spawn the player; holds the session."""

    def __init__(self, sentence: str, session: object) -> None:
        super().__init__(sentence)
        self.session = session


class NetherNetError(SourceError):
    """A server cannot be joined over NetherNet; it may speak RakNet, too."""


class GuessRefused(NetherNetError):
    """A server over NetherNet names no version, and ended the session before NetworkSettings."""


class UnreadableFile(ConnectError):
    """A file exists and cannot be read as what it claims to be."""

    exit_code = UNREADABLE_FILE


class MissingFile(SourceError):
    """A file to be read does not exist."""

    exit_code = UNREADABLE_FILE

    def __init__(self, path: object) -> None:
        super().__init__(f"{path} does not exist.")


class Interrupted(ConnectError):
    """Ctrl-C; the text says what was done until then."""

    exit_code = INTERRUPTED


class WorldError(Exception):
    """An impossible operation on the world: a bug of the caller, or a full pool."""


class OutOfSlots(WorldError):
    """A pool has no free slot left."""

    def __init__(self, what: str, capacity: int) -> None:
        super().__init__(f"all {capacity} slots of the {what} pool are in use")
        self.what = what  # the pool
        self.capacity = capacity  # how many slots it has
