"""The server's storages: rows under keys and ticks in one SQLite file each, written on threads; the save folder.

Storage (``RowStorage``):
1. A snapshot is one transaction, on the disk when it is over (WAL, synchronous FULL): it is stored whole or not at all.
2. A row is stored beside older ones of its key until the tick is complete; only then those are deleted. Reading finds
   the newest.
3. When it is opened at a tick, rows of later ticks are dropped first: their snapshot was never committed.
4. A file that SQLite cannot read any more is moved aside, never deleted; its readable rows start the new file.
5. The thread that opened the storage reads, and does not wait for the writer.

Save folder (``SaveFolder``): its lock, the commit record, the storages.

    lock             held (flock) while a server uses the folder; its content has no meaning
    committed.json   {"format": 1, "world": "hills:1", "tick": 1234}; replaced whole
    NAME.sqlite      one storage each, see ``RowStorage``
    edits-N.log      lines that no snapshot has yet, in segments by rising number

1. The record is replaced by renaming a file that is on the disk already: at any time it names one tick or the other.
2. Storages are opened at the record's tick. An unreadable record is moved aside, and the last tick that any storage has
   as complete is used.
3. Nothing in the folder is changed before the lock is held, and before its format and world are checked.
"""

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from net.errors import FolderError
from net.files import lock

Job = Callable[[], None]


class Background:
    """A thread that runs one job at a time. ``name``: the thread's."""

    def __init__(self, name: str) -> None:
        self._wake = threading.Condition()
        self._job: Job | None = None  # guarded, like the next two, by the condition
        self._failure: str | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        with self._wake:
            return self._job is not None

    @property
    def failure(self) -> str | None:
        """Why the last job failed; None if it did not."""
        with self._wake:
            return self._failure

    def _start(self, job: Job) -> None:
        """Starts a job. Raises RuntimeError: another one is running."""
        with self._wake:
            if self._job is not None:
                raise RuntimeError("one thing at a time")
            self._job, self._failure = job, None
            self._wake.notify_all()

    def wait(self, longest_s: float) -> bool:
        """Waits for the end of the job; returns whether it is over."""
        with self._wake:
            return self._wake.wait_for(lambda: self._job is None, longest_s)

    def _end(self) -> bool:
        """Ends the thread after its job; returns whether it ended within ``CLOSE_S``. May be called again."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._thread.join(CLOSE_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._job is not None or self._closing)
                job = self._job
            if job is None:
                return
            failure = _failure_of(job)
            with self._wake:
                self._job, self._failure = None, failure
                self._wake.notify_all()


def _failure_of(job: Job) -> str | None:
    try:
        job()
    except OSError as error:
        return error.strerror or str(error) or "the disk does not respond"
    except Exception as error:  # even a bug must not end saving silently
        return str(error) or repr(error)
    return None


Row = tuple[bytes, bytes]
"""A key and its value."""
Connect = Callable[[Path], sqlite3.Connection]

FORMAT: Final = 1
CLOSE_S: Final = 10.0
_BUSY_S: Final = 5.0
_PAGE_BYTES: Final = 8192
_BROKEN: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE row (key BLOB NOT NULL, tick INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (key, tick));
CREATE INDEX row_by_tick ON row (tick);
CREATE TABLE complete (only INTEGER PRIMARY KEY CHECK (only = 1), tick INTEGER NOT NULL);
INSERT INTO complete VALUES (1, 0);
PRAGMA user_version = {FORMAT};
COMMIT;
"""
_INSERT: Final = "INSERT OR REPLACE INTO row VALUES (?, ?, ?)"
_NEWEST: Final = "SELECT key, value, max(tick) FROM row WHERE key BETWEEN ? AND ? GROUP BY key"


class NewerFormat(FolderError):
    """A file of a newer release's format."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection with this module's settings; its owner may pass it to another thread, once."""
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


class RowStorage(Background):
    """One storage; see the module.

    ``path``: the file, created if it is missing. ``warn``: called with a sentence if the file is broken. ``connector``:
    makes connections; tests simulate smaller disks with it. Raises NewerFormat: the file is of a newer format and left
    unchanged; FolderError: it is not readable or writable.
    """

    def __init__(self, path: Path, warn: Callable[[str], None], connector: Connect = connect) -> None:
        self.name = path.stem
        self._path = path
        self._connector = connector
        self._reader = self._open(warn)
        self._writer = connector(path)
        super().__init__(f"chunkscope-{self.name}")
        self._owner = threading.get_ident()
        self._superseded: set[bytes] = set()  # keys written since the last complete tick; used by the thread only

    @property
    def completed(self) -> int:
        """The last tick that ``complete`` was called with."""
        return int(self._reader.execute("SELECT tick FROM complete").fetchone()[0])

    def roll_back(self, tick: int) -> None:
        """Drops the rows of later ticks. Must be called first.

        Raises FolderError: they cannot be dropped.
        """
        try:
            self._writer.execute("DELETE FROM row WHERE tick > ?", (tick,))
        except sqlite3.Error as error:
            raise FolderError(f"{self._path}: {error}") from None

    def begin(self, tick: int, rows: Callable[[], Iterable[Row]]) -> None:
        """Starts storing rows under a tick later than all before."""
        self._start(lambda: self._write(tick, rows))

    def complete(self, tick: int) -> None:
        """Every storage has this tick: starts deleting the rows that it supersedes."""
        self._start(lambda: self._drop_superseded(tick))

    def read(self, low: bytes, high: bytes) -> Sequence[Row]:
        """The newest rows with keys from ``low`` to ``high``, both included. Raises FolderError."""
        assert threading.get_ident() == self._owner, "a storage is read by whoever opened it"
        try:
            return [(key, value) for key, value, _ in self._reader.execute(_NEWEST, (low, high))]
        except sqlite3.Error as error:
            raise FolderError(f"{self._path.name}: {error}") from None

    def close(self) -> None:
        """Waits for the running job and closes the file. If the disk hangs, its connection stays open."""
        if self._end():
            self._writer.close()
        self._reader.close()

    # ---------------------------------------------------------------- the thread

    def _write(self, tick: int, rows: Callable[[], Iterable[Row]]) -> None:
        keys: set[bytes] = set()
        self._writer.execute("BEGIN IMMEDIATE")
        with self._writer:
            for key, value in rows():
                self._writer.execute(_INSERT, (key, tick, value))
                keys.add(key)
        self._superseded |= keys

    def _drop_superseded(self, tick: int) -> None:
        self._writer.execute("BEGIN IMMEDIATE")
        with self._writer:
            for key in self._superseded:
                self._writer.execute("DELETE FROM row WHERE key = ? AND tick < ?", (key, self._newest(key)))
            self._writer.execute("UPDATE complete SET tick = ?", (tick,))
        self._superseded.clear()

    def _newest(self, key: bytes) -> int:
        return int(self._writer.execute("SELECT max(tick) FROM row WHERE key = ?", (key,)).fetchone()[0])

    # ---------------------------------------------------------------- opening

    def _open(self, warn: Callable[[str], None]) -> sqlite3.Connection:
        try:
            return _checked(self._connector(self._path))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _BROKEN:
                raise FolderError(f"{self._path}: {error}") from None
            reason = str(error)
        except NewerFormat as error:
            raise NewerFormat(f"{self._path} {error}") from None
        try:
            aside, rows = _move_aside(self._path), 0
            fresh = _checked(self._connector(self._path))
            with fresh:
                for key, tick, value in _rescued(aside):
                    fresh.execute(_INSERT, (key, tick, value))
                    rows += 1
        except (OSError, sqlite3.Error) as error:
            raise FolderError(f"{self._path} is damaged ({reason}) and cannot be replaced: {error}") from None
        moved = f"it was moved to {aside.name}; {rows} of its rows could be read."
        warn(f"{self._path.name} is damaged ({reason}): {moved}")
        return fresh


def _checked(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, with the tables created. Raises NewerFormat, sqlite3.Error: it is then closed."""
    try:
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if found > FORMAT:
            raise NewerFormat(f"has format {found}, newer than {FORMAT}, the newest known here")
        if found == 0:
            connection.executescript(_SCHEMA)
        ((verdict,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
        if verdict != "ok":
            error = sqlite3.DatabaseError(verdict)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
    except BaseException:
        connection.close()
        raise
    return connection


def _move_aside(path: Path) -> Path:
    """Moves a file and its log to the first free name beside it."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.broken-{number}{path.suffix}")).exists():
        number += 1
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{aside}{suffix}")
    return aside


def _rescued(path: Path) -> list[tuple[bytes, int, bytes]]:
    """The readable rows of a broken file, read from both ends towards the damage."""
    found: dict[tuple[bytes, int], bytes] = {}
    for order in ("key, tick", "key DESC, tick DESC", "rowid", "rowid DESC"):
        with suppress(sqlite3.Error):
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                for key, tick, value in connection.execute(f"SELECT key, tick, value FROM row ORDER BY {order}"):
                    if isinstance(key, bytes) and isinstance(tick, int) and isinstance(value, bytes):
                        found[key, tick] = value
            finally:
                connection.close()
    return [(key, tick, value) for (key, tick), value in found.items()]


class LogFiles:
    """The edit log's lines in segments of a folder.

    A segment is closed when a snapshot is committed, and removed with the next one that holds all of it. Segments of
    earlier runs are removed with the first snapshot of this run, which contains their edits.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closed: list[tuple[Path, int]] = [(path, 0) for path in sorted(folder.glob(SEGMENTS))]
        last = self._closed[-1][0].stem if self._closed else "edits-0"
        self._number = int(last.removeprefix("edits-")) + 1 if last.removeprefix("edits-").isdigit() else 1
        self._file: int | None = None
        self._tick = 0  # last tick of the open segment

    def append(self, line: bytes, tick: int) -> None:
        """Appends a line of a tick. Raises OSError: it cannot be written."""
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._tick = tick
        left = memoryview(line)
        while left:
            left = left[os.write(self._file, left) :]

    @property
    def _path(self) -> Path:
        return self._folder / f"edits-{self._number:08d}.log"

    def complete(self, tick: int) -> None:
        """Edits up to this tick are stored elsewhere: deletes the segments without later edits."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            self._closed.append((self._path, self._tick))
            self._number += 1
        for path, last in [one for one in self._closed if one[1] <= tick]:
            path.unlink(missing_ok=True)
            self._closed.remove((path, last))

    def read(self) -> Sequence[bytes]:
        """All lines of earlier runs."""
        lines: list[bytes] = []
        for path, _ in self._closed:
            with suppress(OSError):
                lines += path.read_bytes().split(b"\n")[:-1] if path.stat().st_size <= MOST_LOG_BYTES else []
        return lines

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


SEGMENTS: Final = "edits-*.log"
MOST_LOG_BYTES: Final = 1 << 28
"""Limit of a segment that is read; a snapshot is taken after 16 MiB of changes."""
FOLDER_FORMAT: Final = 1
RECORD: Final = "committed.json"
LOCK: Final = "lock"


class FolderInUse(FolderError):
    """Another server uses the folder."""


class WrongWorld(FolderError):
    """The folder holds changes of another world."""


class SaveFolder:
    """The save folder; see the module.

    ``path``: the folder, created if it is missing. ``world``: name of its world. ``names``: of the storages. ``warn``:
    called with a sentence for each broken part. ``connector``: of the storages. Raises FolderInUse, WrongWorld,
    NewerFormat, FolderError: it cannot be used; the message says why.
    """

    def __init__(
        self, path: Path, world: str, names: Sequence[str], warn: Callable[[str], None], connector: Connect = connect
    ) -> None:
        self.path = path
        self.storages: dict[str, RowStorage] = {}
        self._lock = _locked(path)
        try:
            tick = _read_record(path, world, warn)
            for name in names:
                self.storages[name] = RowStorage(path / f"{name}.sqlite", warn, connector)
            if tick is None:
                tick = max(storage.completed for storage in self.storages.values())
            for storage in self.storages.values():
                storage.roll_back(tick)
        except BaseException:
            self.close()
            raise
        self.record = RecordFile(path / RECORD, world, tick)
        self.log = LogFiles(path)

    def close(self) -> None:
        """Closes the storages, then the lock. May be called again."""
        for storage in self.storages.values():
            storage.close()
        self.storages.clear()
        self._lock.close()


class RecordFile(Background):
    """The committed tick in a file; ``tick`` is 0 before the first."""

    def __init__(self, path: Path, world: str, tick: int) -> None:
        self._path = path
        self._world = world
        self.tick = tick  # written only by the thread
        super().__init__("chunkscope-record")

    def begin(self, tick: int) -> None:
        """Starts committing a tick."""
        self._start(lambda: self._write(tick))

    def close(self) -> None:
        self._end()

    def _write(self, tick: int) -> None:
        text = json.dumps({"format": FOLDER_FORMAT, "world": self._world, "tick": tick})
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        if sys.platform != "win32":  # there a folder cannot be opened, and the journal protects renames
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self.tick = tick


def _locked(path: Path) -> IO[bytes]:
    """Takes the folder's lock, held until it is closed or the process ends."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / LOCK).open("ab")
    except OSError as error:
        raise FolderError(f"{path} cannot be saved to: {error.strerror or error}") from None
    try:
        lock(file)
    except OSError:
        file.close()
        raise FolderInUse(f"{path} is in use by another server; each server needs its own folder") from None
    return file


def _read_record(path: Path, world: str, warn: Callable[[str], None]) -> int | None:
    """The committed tick; None if there is no record."""
    try:
        text = (path / RECORD).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(f"{path / RECORD}: {error.strerror or error}") from None
    try:
        said: dict[str, Any] = json.loads(text)
        if int(said["format"]) > FOLDER_FORMAT:
            raise NewerFormat(
                f"{path / RECORD} has format {said['format']}, newer than {FOLDER_FORMAT}, the newest known here"
            )
        tick, saved = int(said["tick"]), str(said["world"])
    except (ValueError, KeyError, TypeError):
        aside = f"{RECORD}.broken"
        with suppress(OSError):
            (path / RECORD).replace(path / aside)
        warn(f"{RECORD} is damaged: it was moved to {aside}, and the last complete tick of a storage is used.")
        return None
    if saved != world:
        raise WrongWorld(f"{path} contains the changes of {saved}, not of {world}: save to another folder")
    return tick
