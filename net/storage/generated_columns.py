"""Cache of generated columns between runs, in one SQLite file, with values calculated once for a world.

Rules:
1. It is a cache: after any error (locked, full disk, not a database) the content is generated again. A damaged file or
   row is deleted and reported once.
2. Each ``stamp`` of world and generator has a file of its own, with a size limit of its own.
3. Beyond the limit the oldest columns are deleted. Values calculated once stay.
4. ``ROWS`` rows are written at a time: a kill loses the unwritten ones, which are generated again. Between writes
   nothing is locked, so that any number of servers may share a file.
5. Files of the folder that were not opened for ``UNUSED_DAYS`` are deleted when another one is opened.
"""

import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from net.errors import FolderError

ROWS: Final = 64
KEPT_SHARE: Final = 0.9
"""Share of the limit that remains after old columns are deleted."""
BUSY_S: Final = 0.2
UNUSED_DAYS: Final = 30
_FILE: Final = "generated-*.sqlite"
_CHECK_BYTES: Final = 4
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS made
    (place INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, once INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS stamp (only INTEGER PRIMARY KEY CHECK (only = 1), stamp TEXT NOT NULL);
"""


def file_of(folder: Path, stamp: str) -> Path:
    """The file of a stamp: one each, so that servers of different worlds may share a folder."""
    return folder / _FILE.replace("*", hashlib.sha256(stamp.encode()).hexdigest()[:16])


class GeneratedColumns:
    """The cache of one world and generator; see the module.

    ``folder``: created if it is missing. ``stamp``: of world and generator. ``most_bytes``: of all columns. ``report``:
    called with a sentence when damaged content is deleted. Raises FolderError: the folder cannot be used.
    """

    def __init__(self, folder: Path, stamp: str, most_bytes: int, report: Callable[[str], None]) -> None:
        self._path = file_of(folder, stamp)
        self._stamp = stamp
        self._most_bytes = most_bytes
        self._report = report
        self._reported = False
        self._waiting: dict[bytes, tuple[bytes, bool]] = {}  # unwritten rows by key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._delete_unused(folder)
            try:
                self._open()
            except sqlite3.OperationalError:  # another server writes there
                raise
            except sqlite3.DatabaseError:
                self._drop_file()
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise FolderError(f"{folder} cannot keep generated columns: {reason}") from None

    def get(self, key: bytes) -> bytes | None:
        """The content under a key; None if it is missing or damaged."""
        try:
            row = self._waiting.get(key)
            if row is None:
                row = self._connection.execute("SELECT value FROM made WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            with suppress(zlib.error):
                content = zlib.decompress(row[0][_CHECK_BYTES:])
                if _check(key, content) == row[0][:_CHECK_BYTES]:
                    return content
            self._report_damage()
            with self._connection:
                self._connection.execute("DELETE FROM made WHERE key = ?", (key,))
        except sqlite3.Error as error:
            self._failed(error)
        return None

    def holds(self, key: bytes) -> bool:
        """Whether a key has content, damaged or not."""
        if key in self._waiting:
            return True
        try:
            return self._connection.execute("SELECT 1 FROM made WHERE key = ?", (key,)).fetchone() is not None
        except sqlite3.Error as error:
            self._failed(error)
        return False

    def put(self, key: bytes, content: bytes, *, once: bool = False) -> None:
        """Stores content. ``once``: it is for the whole world, and stays."""
        value = _check(key, content) + zlib.compress(content, 1)
        self._waiting[key] = (value, once)
        if len(self._waiting) >= ROWS:
            self._write()
        if not once:
            self._bytes += len(value)
            if self._bytes > self._most_bytes:
                self._drop_oldest()

    def close(self) -> None:
        """Writes the waiting rows."""
        self._write()
        self._connection.close()

    def _open(self) -> None:
        self._connection = sqlite3.connect(self._path, timeout=BUSY_S)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.executescript(_SCHEMA)
            found = self._connection.execute("SELECT stamp FROM stamp").fetchone()
            if found is None or found[0] != self._stamp:
                self._connection.execute("DELETE FROM made")
                self._connection.execute("INSERT OR REPLACE INTO stamp VALUES (1, ?)", (self._stamp,))
                self._connection.commit()
            self._bytes = self._size()
            os.utime(self._path)  # rule 5
        except BaseException:
            self._connection.close()
            raise

    def _size(self) -> int:
        return int(self._connection.execute("SELECT total(length(value)) FROM made WHERE NOT once").fetchone()[0])

    def _write(self) -> None:
        rows = [(key, value, once) for key, (value, once) in self._waiting.items()]
        self._waiting.clear()
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO made (key, value, once) VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._failed(error)

    def _drop_oldest(self) -> None:
        self._write()
        try:
            rows = self._connection.execute("SELECT place, length(value) FROM made WHERE NOT once ORDER BY place")
            over, gone = self._size() - int(KEPT_SHARE * self._most_bytes), 0
            for place, size in rows:
                if over <= 0:
                    break
                gone, over = place, over - size
            with self._connection:
                self._connection.execute("DELETE FROM made WHERE NOT once AND place <= ?", (gone,))
            self._bytes = self._size()
        except sqlite3.Error as error:
            self._failed(error)

    def _failed(self, error: sqlite3.Error) -> None:
        """Replaces a file that cannot be read; keeps a busy one, which may work next time."""
        if not isinstance(error, sqlite3.OperationalError):
            self._connection.close()
            with suppress(OSError, sqlite3.Error):
                self._drop_file()

    def _drop_file(self) -> None:
        self._report_damage()
        _delete(self._path)
        self._open()

    def _delete_unused(self, folder: Path) -> None:
        for file in folder.glob(_FILE):
            with suppress(OSError):  # another server deletes it, too
                if file.stat().st_mtime < time.time() - UNUSED_DAYS * 86_400 and file != self._path:
                    _delete(file)

    def _report_damage(self) -> None:
        if not self._reported:
            self._reported = True
            self._report(f"{self._path} is damaged: the columns that it lost are generated again.")


def _check(key: bytes, content: bytes) -> bytes:
    return zlib.crc32(content, zlib.crc32(key)).to_bytes(_CHECK_BYTES, "little")


def _delete(file: Path) -> None:
    """Deletes a database and SQLite's files beside it. Raises OSError."""
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
