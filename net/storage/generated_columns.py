"""What generators made, kept between runs in one SQLite file: columns, and what is calculated once for a world.

Rules:
1. It is a cache: whatever goes wrong (locked, full disk, a file that is no database), what was asked for is made again.
   A damaged file or row is dropped and told once.
2. Each ``stamp`` of world and generator has a file of its own. The limit of bytes is that of a file.
3. Beyond the limit of bytes the columns made longest ago go first. What is calculated once stays.
4. Written in transactions of ``ROWS`` rows: what a kill loses is made again.
"""

import hashlib
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from net.errors import FolderError

ROWS: Final = 64
KEPT_SHARE: Final = 0.9
"""Of the limit, once something has to go."""
BUSY_S: Final = 0.2
_CHECK_BYTES: Final = 4
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS made
    (place INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, once INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS stamp (only INTEGER PRIMARY KEY CHECK (only = 1), stamp TEXT NOT NULL);
"""


def file_of(folder: Path, stamp: str) -> Path:
    """Where columns of a stamp are kept: a file each, so that servers of different worlds may share a folder."""
    return folder / f"generated-{hashlib.sha256(stamp.encode()).hexdigest()[:16]}.sqlite"


class GeneratedColumns:
    """See the module.

    ``folder``: made where it is not there. ``stamp``: of world and generator. ``most_bytes``: of all columns.
    ``report``: given a sentence where something is dropped because it is damaged. Raises FolderError: nothing can be
    kept there.
    """

    def __init__(self, folder: Path, stamp: str, most_bytes: int, report: Callable[[str], None]) -> None:
        self._path = file_of(folder, stamp)
        self._stamp = stamp
        self._most_bytes = most_bytes
        self._report = report
        self._reported = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._open()
            except sqlite3.OperationalError:  # another server writes there
                raise
            except sqlite3.DatabaseError:
                self._drop_file()
        except (OSError, sqlite3.Error) as error:
            raise FolderError(f"{folder} cannot keep generated columns: {error}") from None

    def get(self, key: bytes) -> bytes | None:
        """What was put under a key; None where it is not there or damaged."""
        try:
            row = self._connection.execute("SELECT value FROM made WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._failed(error)
            return None
        if row is None:
            return None
        with suppress(zlib.error):
            content = zlib.decompress(row[0][_CHECK_BYTES:])
            if zlib.crc32(key + content).to_bytes(_CHECK_BYTES, "little") == row[0][:_CHECK_BYTES]:
                return content
        self._report_damage()
        self._write("DELETE FROM made WHERE key = ?", (key,))
        return None

    def put(self, key: bytes, content: bytes, *, once: bool = False) -> None:
        """Keeps what was made. ``once``: it is for the whole world, and stays."""
        value = zlib.crc32(key + content).to_bytes(_CHECK_BYTES, "little") + zlib.compress(content, 1)
        self._write("INSERT OR REPLACE INTO made (key, value, once) VALUES (?, ?, ?)", (key, value, int(once)))
        if not once:
            self._bytes += len(value)
            if self._bytes > self._most_bytes:
                self._drop_oldest()

    def close(self) -> None:
        """Writes what is left."""
        with suppress(sqlite3.Error):
            self._connection.commit()
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
            self._waiting = 0
            self._bytes = self._size()
        except BaseException:
            self._connection.close()
            raise

    def _size(self) -> int:
        return int(self._connection.execute("SELECT total(length(value)) FROM made WHERE NOT once").fetchone()[0])

    def _write(self, statement: str, values: tuple[bytes | int, ...]) -> None:
        try:
            self._connection.execute(statement, values)
            self._waiting += 1
            if self._waiting >= ROWS:
                self._connection.commit()
                self._waiting = 0
        except sqlite3.Error as error:
            self._failed(error)

    def _drop_oldest(self) -> None:
        try:
            rows = self._connection.execute("SELECT place, length(value) FROM made WHERE NOT once ORDER BY place")
            over, gone = self._size() - int(KEPT_SHARE * self._most_bytes), 0
            for place, size in rows:
                if over <= 0:
                    break
                gone, over = place, over - size
            self._connection.execute("DELETE FROM made WHERE NOT once AND place <= ?", (gone,))
            self._bytes = self._size()
        except sqlite3.Error as error:
            self._failed(error)

    def _failed(self, error: sqlite3.Error) -> None:
        """A file that cannot be read is begun anew; a busy one may answer next time."""
        if not isinstance(error, sqlite3.OperationalError):
            self._connection.close()
            with suppress(OSError, sqlite3.Error):
                self._drop_file()

    def _drop_file(self) -> None:
        self._report_damage()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._open()

    def _report_damage(self) -> None:
        if not self._reported:
            self._reported = True
            self._report(f"{self._path} is damaged: the columns that it lost are generated again.")
