"""The folder a server saves to: its lock, the record of the tick that counts, its storages.

    lock             held (flock) while a server uses the folder; its content means nothing
    committed.json   {"format": 1, "world": "hills:1", "tick": 1234}; replaced whole
    NAME.sqlite      one storage each, see ``row_storage``

Rules:
1. The record is replaced by renaming a file that is on the disk already: it names one tick or the other, at any moment.
2. Storages are opened at the record's tick. A record that cannot be read is moved aside, and the last tick that any
   storage knows to be complete counts.
3. Nothing in the folder is touched before the lock is held, and before its format and world are known to be ours.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from net.errors import FolderError
from net.locks import lock
from net.transport.disk.background import Background
from net.transport.disk.row_storage import CLOSE_S, Connect, NewerFormat, RowStorage, connect

FORMAT: Final = 1
RECORD: Final = "committed.json"
LOCK: Final = "lock"


class FolderInUse(FolderError):
    """Another server uses the folder."""


class WrongWorld(FolderError):
    """The folder holds changes of another world."""


class SaveFolder:
    """See the module.

    Args:
        path: the folder, made if it is not there.
        world: whose changes it holds.
        names: of the storages.
        told: gets a sentence for each part that is broken.
        connector: of the storages.

    Raises:
        FolderInUse, WrongWorld, NewerFormat, FolderError: it cannot be used; the text says why.
    """

    def __init__(
        self,
        path: Path,
        world: str,
        names: Sequence[str],
        told: Callable[[str], None],
        connector: Connect = connect,
    ) -> None:
        self.path = path
        self.storages: dict[str, RowStorage] = {}
        self._lock = _locked(path)
        try:
            tick = _read_record(path, world, told)
            for name in names:
                self.storages[name] = RowStorage(path / f"{name}.sqlite", told, connector)
            if tick is None:
                tick = max(storage.completed for storage in self.storages.values())
            for storage in self.storages.values():
                storage.roll_back(tick)
        except BaseException:
            self.close()
            raise
        self.record = RecordFile(path / RECORD, world, tick)

    def close(self) -> None:
        """Gives the storages back, then the lock. May be called again."""
        for storage in self.storages.values():
            storage.close()
        self.storages.clear()
        self._lock.close()


class RecordFile:
    """The tick that counts; a ``CommitRecord`` of the server."""

    def __init__(self, path: Path, world: str, tick: int) -> None:
        self._path = path
        self._world = world
        self._tick = tick
        self._asked = tick
        self._thread = Background("chunkscope-record")

    @property
    def tick(self) -> int:
        """See ``CommitRecord``."""
        if self._asked != self._tick and not self.busy and self.failure is None:
            self._tick = self._asked
        return self._tick

    @property
    def busy(self) -> bool:
        """See ``CommitRecord``."""
        return self._thread.busy

    @property
    def failure(self) -> str | None:
        """See ``CommitRecord``."""
        return self._thread.failure

    def begin(self, tick: int) -> None:
        """See ``CommitRecord``."""
        self._asked = tick
        self._thread.start(lambda: self._write(tick))

    def wait(self, longest_s: float) -> bool:
        """See ``CommitRecord``."""
        return self._thread.wait(longest_s)

    def close(self) -> None:
        """See ``CommitRecord``."""
        self._thread.close(CLOSE_S)

    def _write(self, tick: int) -> None:
        text = json.dumps({"format": FORMAT, "world": self._world, "tick": tick})
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        if sys.platform != "win32":  # there a folder cannot be opened, and renaming is a matter of the journal
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _locked(path: Path) -> IO[bytes]:
    """The folder's lock, held until it is closed or the process ends, however it ends."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / LOCK).open("ab")
    except OSError as error:
        raise FolderError(f"{path} cannot be saved to: {error.strerror or error}") from None
    try:
        lock(file)
    except OSError:
        file.close()
        raise FolderInUse(f"{path} is used by another server; one folder is for one server at a time") from None
    return file


def _read_record(path: Path, world: str, told: Callable[[str], None]) -> int | None:
    """The tick that counts, None where no record says it."""
    try:
        text = (path / RECORD).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(f"{path / RECORD}: {error.strerror or error}") from None
    try:
        said: dict[str, Any] = json.loads(text)
        if int(said["format"]) > FORMAT:
            raise NewerFormat(
                f"{path / RECORD} is of format {said['format']}, newer than {FORMAT}, the newest known here"
            )
        tick, saved = int(said["tick"]), str(said["world"])
    except (ValueError, KeyError, TypeError):
        aside = f"{RECORD}.broken"
        with suppress(OSError):
            (path / RECORD).replace(path / aside)
        told(f"{RECORD} is broken: it is now {aside}, and the last tick that a storage knows to be complete counts.")
        return None
    if saved != world:
        raise WrongWorld(f"{path} holds the changes of {saved}, not of {world}: save to another folder")
    return tick
