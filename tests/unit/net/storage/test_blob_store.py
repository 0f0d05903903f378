"""Blobs on a disk: found again, bounded, and never in the way of a session, whatever the disk does."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from net.blobs import blob_id_of
from net.storage import BlobStore, blob_store
from net.storage.blob_store import FILE_NAME

WRITER = """
import sys
from pathlib import Path
from random import Random
from net.blobs import blob_id_of
from net.storage import BlobStore

seed, chance = int(sys.argv[2]), Random(int(sys.argv[2]))
BlobStore._run = lambda store: None
store = BlobStore(Path(sys.argv[1]), most_bytes=1 << 20)
writer = store._open()  # the disk thread's work in its place, without rests: a line for each batch that is written
while not store.failure:
    contents = [chance.randbytes(chance.randrange(1, 4000)) for _ in range(20)]
    store.put({blob_id_of(content): content for content in contents})
    store.get([blob_id_of(content) for content in contents])
    store._write(writer)
    print(seed, flush=True)
print(store.failure, flush=True)
"""


FULL_DISK = """
import resource
import sys
from pathlib import Path
from random import Random
from net.blobs import blob_id_of
from net.storage import BlobStore

resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # writing beyond fails as it does on a full disk
store = BlobStore(Path(sys.argv[1]))
blobs = {blob_id_of(content): content for content in (Random(1).randbytes(1000 + n) for n in range(3000))}
store.put(blobs)
store.close()
print(len(store.get(list(blobs))), store.failure is not None)
"""

READ_ONLY = """
import os
import sys
from pathlib import Path
from net.blobs import blob_id_of
from net.storage import BlobStore

if os.geteuid() == 0:  # who may write everything is no test
    os.setgid(65534)
    os.setuid(65534)
store = BlobStore(Path(sys.argv[1]))
store.put({blob_id_of(b"new"): b"new"})
store.close()
store.put({blob_id_of(b"new"): b"new"})
print(len(store.get([blob_id_of(b"new")])), store.failure is not None)
"""

CHECKOUT = Path(__file__).parents[4]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(CHECKOUT)}


def run_child(script: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, capture_output=True, text=True, env=ENVIRONMENT
    )


def blobs_of(seed: int, count: int, size: int = 1000) -> dict[int, bytes]:
    chance = Random(seed)
    return {blob_id_of(content): content for content in (chance.randbytes(size) for _ in range(count))}


def visit(path: Path, blobs: dict[int, bytes], **limits: int) -> None:
    """A session that puts these."""
    store = BlobStore(path, **limits)
    store.put(blobs)
    store.close()
    assert store.failure is None


def found(path: Path, ids: list[int]) -> dict[int, bytes]:
    """What the next session finds."""
    store = BlobStore(path)
    blobs = dict(store.get(ids))
    store.close()
    return blobs


def test_the_next_session_finds_what_this_one_put(tmp_path: Path) -> None:
    path, blobs = tmp_path / "deep" / "folder" / FILE_NAME, {**blobs_of(1, 1500), blob_id_of(b""): b""}
    assert {blob_id >> 63 for blob_id in blobs} == {0, 1}  # ids that are negative in the file, too
    visit(path, blobs)
    assert found(path, [*blobs, 5]) == blobs


def test_what_was_put_is_found_before_it_is_written(tmp_path: Path) -> None:
    store, blobs = BlobStore(tmp_path / FILE_NAME), blobs_of(1, 10)
    store.put(blobs)
    assert store.get(list(blobs)) == blobs
    store.close()


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    path, old, used, new = tmp_path / FILE_NAME, blobs_of(1, 300), blobs_of(2, 300), blobs_of(3, 300)
    visit(path, old)
    visit(path, used)
    store = BlobStore(path)
    assert len(store.get(list(old)[:100])) == 100
    store.close()
    visit(path, new, most_bytes=800_000)
    assert found(path, list(new)) == new
    kept = found(path, [*old, *used])
    assert kept.keys() >= set(list(old)[:100])
    assert len(kept) < 500


def test_the_file_does_not_grow_beyond_its_limit(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    sizes = []
    for seed in range(8):
        visit(path, blobs_of(seed, 300, 3000), most_bytes=2_000_000)
        sizes.append(path.stat().st_size)
    assert max(sizes) < 3_200_000  # one batch goes beyond before what is old is dropped
    assert found(path, list(blobs_of(7, 300, 3000)))


def test_a_blob_that_the_disk_changed_is_not_given_out_and_is_put_again(tmp_path: Path) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 3)
    visit(path, blobs)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE blob SET content = x'00' WHERE place = 2")
    left = found(path, list(blobs))
    assert len(left) == 2
    visit(path, blobs)
    assert found(path, list(blobs)) == blobs


@pytest.mark.parametrize("content", [b"no database" * 999, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_that_is_no_database_is_moved_aside(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 3)
    path.write_bytes(content)
    visit(path, blobs)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(path) in caplog.text
    assert path.with_suffix(".broken").read_bytes() == content
    assert found(path, list(blobs)) == blobs


def test_a_file_that_breaks_later_costs_that_session_its_cache_and_the_next_one_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 2000)
    visit(path, blobs)
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(Random(1).randbytes(path.stat().st_size - 8192))
    store = BlobStore(path)
    if not store.failure:
        assert store.get(list(blobs)) == {}
    store.close()
    assert len(caplog.records) == 1
    visit(path, blobs)
    assert found(path, list(blobs)) == blobs


def expect_without(store: BlobStore, blobs: dict[int, bytes], caplog: pytest.LogCaptureFixture) -> str:
    """The session goes on, and one line says why there is no cache."""
    store.put(blobs)
    store.get(list(blobs))
    store.close()
    store.put(blobs)
    assert store.get(list(blobs)) == {}
    assert store.failure is not None
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "\n" not in record.getMessage()
    return record.getMessage()


def test_a_locked_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 3)
    visit(path, blobs)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        store = BlobStore(path, wait_s=0.01)
        other.execute("BEGIN IMMEDIATE")
        store.put(blobs_of(2, 3))
        store.close()
        assert "locked" in expect_without(store, blobs, caplog)
        other.execute("ROLLBACK")
    assert found(path, list(blobs)) == blobs


def test_a_full_disk(tmp_path: Path) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 3)
    visit(path, blobs)
    told = run_child(FULL_DISK, path)
    assert told.stderr.count("\n") == 1
    assert "continues without its blob cache" in told.stderr
    assert told.stdout.split() == ["0", "True"]
    assert found(path, list(blobs)) == blobs


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of files are others here")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o666, 0o555), (0o444, 0o555), (0o000, 0o777)])
def test_what_may_not_be_written_or_read(file_mode: int, folder_mode: int) -> None:
    blobs = blobs_of(1, 3)
    with TemporaryDirectory() as name:  # pytest's own are closed to others
        path = Path(name) / "cache" / FILE_NAME
        visit(path, blobs)
        Path(name).chmod(0o755)
        path.chmod(file_mode)
        path.parent.chmod(folder_mode)
        told = run_child(READ_ONLY, path)
        path.parent.chmod(0o755)
        path.chmod(0o644)
        assert found(path, list(blobs)) == blobs
    assert told.stderr.count("\n") == 1
    assert "continues without its blob cache" in told.stderr
    assert told.stdout.split() == ["0", "True"]


def test_a_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    expect_without(BlobStore(tmp_path / "file" / FILE_NAME), blobs_of(1, 3), caplog)


def test_a_file_of_another_format_is_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert "format 99" in expect_without(BlobStore(path), blobs_of(1, 3), caplog)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)


def test_more_than_the_disk_takes_is_not_kept(tmp_path: Path) -> None:
    path, blobs = tmp_path / FILE_NAME, blobs_of(1, 10)
    visit(path, blobs, queued_bytes=4500)
    assert len(found(path, list(blobs))) == 4


def test_a_kill_at_any_moment_and_a_second_process_leave_only_whole_blobs(tmp_path: Path) -> None:
    """Pairs of writers, each killed after a number of batches that differs; every row must match its id."""
    path = tmp_path / FILE_NAME
    for round_ in range(4):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path), str(10 * round_ + number)],
                stdout=subprocess.PIPE,
                text=True,
                env=ENVIRONMENT,
            )
            for number in range(2)
        ]
        for number, writer in enumerate(writers):
            assert writer.stdout is not None
            for _ in range(3 + 7 * round_ + 5 * number):
                line = writer.stdout.readline()
                assert line.strip().isdigit(), line
            writer.kill()
            writer.wait()
            writer.stdout.close()
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = connection.execute("SELECT used.id, content FROM used JOIN blob USING (place)").fetchall()
            assert connection.execute("SELECT count(*) FROM used").fetchone() == (len(rows),)
            assert connection.execute("SELECT count(*) FROM blob").fetchone() == (len(rows),)
        assert all(blob_id_of(content) == blob_id % (1 << 64) for blob_id, content in rows)
    assert rows


def test_a_disk_that_hangs_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(blob_store, "CLOSE_S", 0.0)
    gate = threading.Event()
    monkeypatch.setattr(BlobStore, "_write", lambda _store, _writer: gate.wait())
    store = BlobStore(tmp_path / "blobs.sqlite")
    store.close()
    assert "the last blobs were not written to disk" in caplog.text
    gate.set()
    assert store._thread is not None
    store._thread.join(60.0)


class SlowReader:
    """A connection whose query goes on until the store's disk thread has ended, and some time on."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._inside = False
        self.asked = threading.Event()
        self.closed = threading.Event()
        self.closed_inside = False

    def execute(self, _query: str, _values: object) -> list[tuple[int, bytes]]:
        self._inside = True
        self.asked.set()
        assert self._store._thread is not None
        self._store._thread.join(60.0)
        self.closed.wait(0.2)
        self._inside = False
        return []

    def close(self) -> None:
        self.closed_inside = self._inside
        self.closed.set()


def test_a_connection_is_not_closed_while_another_thread_reads_through_it(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "blobs.sqlite")
    with closing(store._reader):  # type: ignore[type-var]  # it was opened
        slow = SlowReader(store)
        store._reader = slow  # type: ignore[assignment]
        transport = threading.Thread(target=store.get, args=([1],))
        transport.start()
        assert slow.asked.wait(60.0)
        store.close()
        transport.join(60.0)
    assert slow.closed.is_set()
    assert not slow.closed_inside
    assert store.get([1]) == {}
