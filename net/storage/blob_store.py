"""Blobs of earlier sessions in one SQLite file, shared by all sessions of a user (wire.md 4).

Rules:
1. It is a cache: after any error (locked, full disk, read-only folder, not a database) the session goes on without it,
   with one line of warning. A broken file is moved aside, and a new one is started.
2. The disk thread writes: new blobs are gathered and written in one transaction, at most every ``LOOK_S``. The caller
   reads, in batches, through a connection of its own: in WAL mode readers do not wait.
3. A blob is checked against its id also when it is read, since a disk may corrupt data. One that does not match is
   deleted.
4. It is safe with any number of processes and when killed at any time: SQLite's WAL; each batch is one transaction.
5. A connection is never closed while another thread reads through it: SQLite would free the memory being read, which
   corrupts the whole process (a segmentation fault some time later).
6. Beyond the size limit the least recently used blobs are deleted. "When" is a number that rises with each batch, so
   clock changes do not matter; it is in a table of its own, so that using a blob does not rewrite its content.
7. Contents are stored in order of arrival, not by their ids, which are random: pages are full, and blobs seen together
   are read together (measured: two thirds of the file, see docs/develop/net.md).

Limit: a file that is moved aside while another process has it open costs that process its cache.
"""

import errno
import logging
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from net.blobs import blob_id_of

LOG: Final = logging.getLogger("chunkscope.blobs")

FILE_NAME: Final = "blobs.sqlite"
MOST_BYTES: Final = 512 << 20
QUEUED_BYTES: Final = 64 << 20
"""Limit of unwritten blobs; further ones are dropped."""
LOOK_S: Final = 0.2
WRITE_WAIT_S: Final = 5.0
"""How long another process may lock the file before it counts as locked."""
CLOSE_S: Final = 10.0
KEPT_SHARE: Final = 0.9
"""Share of the limit that remains after old blobs are deleted, so that not every batch has to delete some."""
IDS_A_QUERY: Final = 512
DROPPED_A_QUERY: Final = 1024
PAGE_BYTES: Final = 8192
BLOB_BYTES: Final = 256
"""Bytes of a blob in the file besides its content, to estimate how many to delete: 290 measured at 1400 bytes each."""

_FORMAT: Final = 1
_SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS blob (place INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS used
    (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, batch INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS used_by_batch ON used (batch);
PRAGMA user_version = {_FORMAT};
COMMIT;
"""
_BROKEN: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class BlobStore:
    """A ``BlobSource`` on a disk. Starts its thread at once; disk errors never raise.

    One thread at a time may call ``get`` and ``put``; the creator may call ``close`` at any time. ``path``: the file;
    its folder is created. ``most_bytes``: of the file; one batch may exceed it before old blobs are deleted.
    ``queued_bytes``: limit of unwritten blobs. ``wait_s``: how long another process may lock the file before it counts
    as locked.
    """

    def __init__(
        self, path: Path, most_bytes: int = MOST_BYTES, queued_bytes: int = QUEUED_BYTES, wait_s: float = WRITE_WAIT_S
    ) -> None:
        self.path = path
        self._most = most_bytes
        self._most_queued = queued_bytes
        self._wait_s = wait_s
        self._lock = threading.Lock()  # guards the next four attributes, shared with the disk thread
        self._new: dict[int, bytes] = {}
        self._new_bytes = 0
        self._hit: set[int] = set()
        self._lying: set[int] = set()
        self.failure: str | None = None  # why the session goes on without it; None if it works
        self._broken = False
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._reading = threading.Lock()  # guards the reader: held for a whole query
        self._reader = self._open()
        if self._reader is not None:
            self._thread = threading.Thread(target=self._run, name="chunkscope-blobs", daemon=True)
            self._thread.start()

    # ---------------------------------------------------------------- whoever needs blobs

    def get(self, ids: Collection[int]) -> Mapping[int, bytes]:
        """The stored blobs among these ids; each matches its id."""
        if self.failure:
            return {}
        with self._lock:
            found = {blob_id: self._new[blob_id] for blob_id in ids if blob_id in self._new}
        lying: set[int] = set()
        with self._reading:
            if self._reader is None:
                return {}
            try:
                for blob_id, content in _read(self._reader, [blob_id for blob_id in ids if blob_id not in found]):
                    if blob_id_of(content) == blob_id:
                        found[blob_id] = content
                    else:
                        lying.add(blob_id)
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", None) not in _BUSY:  # busy: being recovered
                    self._fail(error)
        with self._lock:
            self._hit.update(found)
            self._lying |= lying
        return found

    def put(self, blobs: Mapping[int, bytes]) -> None:
        """Stores checked blobs; the disk thread writes them soon."""
        if self.failure:
            return
        with self._lock:
            for blob_id, content in blobs.items():
                if blob_id not in self._new and self._new_bytes + len(content) <= self._most_queued:
                    self._new[blob_id] = content
                    self._new_bytes += len(content)

    def close(self) -> None:
        """Writes the waiting blobs and frees thread and file; may be called again."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)
            if self._thread.is_alive():
                self._fail(OSError(errno.ETIMEDOUT, f"the last blobs were not written to disk within {CLOSE_S:g} s"))
        if not self._reading.acquire(timeout=CLOSE_S):
            return  # the disk hangs: its connection stays open
        try:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
        finally:
            self._reading.release()

    # ---------------------------------------------------------------- opening

    def _open(self) -> sqlite3.Connection | None:
        """A connection to the file, created anew if it is broken; None with a warning if that fails."""
        for _ in range(2):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                return _connect(self.path, self._wait_s)
            except sqlite3.Error as error:
                if not _is_broken(error):
                    self._fail(error)
                    return None
                LOG.warning("%s: %s; a new file is created.", self.path, _begun_anew(self.path, error))
            except OSError as error:
                self._fail(error)
                return None
        self._fail(sqlite3.DatabaseError("it cannot be replaced"))
        return None

    def _fail(self, error: Exception) -> None:
        if self.failure is None:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self.failure = f"{self.path}: {reason}"
            self._broken = _is_broken(error)
            LOG.warning("%s; the session continues without its blob cache.", self.failure)

    # ---------------------------------------------------------------- disk thread

    def _run(self) -> None:
        writer = self._open()
        try:
            while writer is not None and self.failure is None:
                closing = self._closing.wait(LOOK_S)
                self._write(writer)
                if closing:
                    return
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
        finally:
            if writer is not None:
                writer.close()
            if self._broken:
                _move_aside(self.path)
            with self._lock:
                self._new.clear()

    def _write(self, writer: sqlite3.Connection) -> None:
        """One transaction: writes new blobs and use times, deletes corrupt and excess blobs."""
        with self._lock:
            new, hit, lying = dict(self._new), self._hit - self._new.keys(), self._lying
            self._hit, self._lying = set(), set()
        if not (new or hit or lying):
            return
        writer.execute("BEGIN IMMEDIATE")
        with writer:
            batch = _next(writer, "batch", "used")
            self._delete(writer, lying)
            writer.executemany("UPDATE used SET batch = ? WHERE id = ?", [(batch, _signed(blob_id)) for blob_id in hit])
            known = {blob_id for blob_id, _ in _read(writer, list(new), "used.id, ''")}  # by other processes
            fresh = [(_signed(blob_id), content) for blob_id, content in new.items() if blob_id not in known]
            first = _next(writer, "place", "blob")
            writer.executemany("INSERT INTO blob VALUES (?, ?)", [(first + at, row[1]) for at, row in enumerate(fresh)])
            rows = [(row[0], first + at, batch, len(row[1]) + BLOB_BYTES) for at, row in enumerate(fresh)]
            writer.executemany("INSERT INTO used VALUES (?, ?, ?, ?)", rows)
            self._drop_old(writer)
        with self._lock:  # only now: until it is in the file, it is read from here
            for blob_id in new:
                self._new_bytes -= len(self._new.pop(blob_id))

    def _drop_old(self, writer: sqlite3.Connection) -> None:
        pages, free = (int(writer.execute(f"PRAGMA {what}").fetchone()[0]) for what in ("page_count", "freelist_count"))
        held = (pages - free) * PAGE_BYTES
        too_much = held - self._most * KEPT_SHARE if held > self._most else 0
        while too_much > 0:
            rows = writer.execute("SELECT id, bytes FROM used ORDER BY batch LIMIT ?", (DROPPED_A_QUERY,)).fetchall()
            dropped = []
            for blob_id, size in rows:
                if too_much > 0:
                    dropped.append(blob_id)
                    too_much -= size
            if not dropped:
                return
            self._delete(writer, dropped)

    def _delete(self, writer: sqlite3.Connection, ids: Collection[int]) -> None:
        rows = [(_signed(blob_id),) for blob_id in ids]
        writer.executemany("DELETE FROM blob WHERE place = (SELECT place FROM used WHERE id = ?)", rows)
        writer.executemany("DELETE FROM used WHERE id = ?", rows)


def _connect(path: Path, wait_s: float) -> sqlite3.Connection:
    """A connection, with the tables created; its owner may pass it to another thread, once."""
    connection = sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # a power failure may cost the last batches, never the file
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if found not in {0, _FORMAT}:
            raise sqlite3.NotSupportedError(f"it has format {found}, not {_FORMAT}")
        if found == 0:
            connection.executescript(_SCHEMA)
        connection.execute("SELECT id FROM used JOIN blob USING (place) LIMIT 1").fetchone()  # checks the tables
    except BaseException:
        connection.close()
        raise
    return connection


def _read(
    reader: sqlite3.Connection, ids: Sequence[int], what: str = "used.id, content"
) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(ids), IDS_A_QUERY):
        asked = [_signed(blob_id) for blob_id in ids[start : start + IDS_A_QUERY]]
        marks = ",".join("?" * len(asked))
        query = f"SELECT {what} FROM used JOIN blob USING (place) WHERE used.id IN ({marks})"
        for blob_id, content in reader.execute(query, asked):
            yield blob_id & 0xFFFFFFFFFFFFFFFF, content if isinstance(content, bytes) else b""


def _next(writer: sqlite3.Connection, column: str, table: str) -> int:
    return int(writer.execute(f"SELECT coalesce(max({column}), 0) + 1 FROM {table}").fetchone()[0])


def _signed(blob_id: int) -> int:
    """SQLite's integers are signed; a signed one is returned unchanged."""
    return blob_id - (1 << 64) if blob_id >= 1 << 63 else blob_id


def _is_broken(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN


def _begun_anew(path: Path, error: Exception) -> str:
    """Moves a broken file aside; returns a sentence with the error and the new name."""
    aside = _move_aside(path)
    return f"{error}; it was moved to {aside.name}" if aside else f"{error}; it cannot be moved aside"


def _move_aside(path: Path) -> Path | None:
    aside = path.with_suffix(".broken")
    with suppress(OSError):
        path.replace(aside)
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        return aside
    return None
