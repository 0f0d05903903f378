"""One storage on a real disk: what it holds at which tick, and what becomes of a broken file.

Save folder: The folder of a saved game: one server at a time, one tick that counts.

World files: Files of worlds: folders and packed ones, read where they lie, whatever they claim.
"""

import json
import os
import sqlite3
import stat
import threading
import zipfile
from pathlib import Path

import pytest

from net.errors import FolderError
from net.saved_world.columns import Folder
from net.storage.server_save import FolderInUse, NewerFormat, RowStorage, SaveFolder, WrongWorld, connect
from net.storage.world_files import open_world_files
from tests.support.worlds.saved import level, world, write_folder, write_packed

# ---------------------------------------------------------------- server save

# ---------------------------------------------------------------- row storage

ALL = (b"", b"\xff" * 8)
LONG_S = 200.0


def opened(path: Path, told: list[str] | None = None) -> RowStorage:
    return RowStorage(path / "terrain.sqlite", (told if told is not None else []).append)


def write(storage: RowStorage, tick: int, **rows: str) -> None:
    storage.begin(tick, lambda: [(key.encode(), value.encode()) for key, value in rows.items()])
    assert storage.wait(LONG_S)
    assert storage.failure is None


def rows(storage: RowStorage) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in storage.read(*ALL)}


def count(path: Path) -> int:
    connection = sqlite3.connect(path / "terrain.sqlite")
    (number,) = connection.execute("SELECT count(*) FROM row").fetchone()
    connection.close()
    return int(number)


def test_the_newest_row_of_a_key_is_read_and_older_ones_go_when_the_tick_is_complete(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    write(storage, 3, a="1", b="1")
    write(storage, 5, a="2")
    assert rows(storage) == {"a": "2", "b": "1"}
    assert storage.read(b"b", b"b") == [(b"b", b"1")]
    assert count(tmp_path) == 3
    storage.complete(5)
    assert storage.wait(LONG_S)
    assert (count(tmp_path), storage.completed, rows(storage)) == (2, 5, {"a": "2", "b": "1"})
    storage.close()


def test_opened_at_a_tick_it_is_what_it_was_then(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    write(storage, 3, a="1", b="1")
    write(storage, 5, a="2", c="2")
    storage.close()
    again = opened(tmp_path)
    again.roll_back(3)
    assert rows(again) == {"a": "1", "b": "1"}
    again.close()


def test_a_full_disk_is_a_failure_and_leaves_what_was_there(tmp_path: Path) -> None:
    opened(tmp_path).close()
    limits: list[sqlite3.Connection] = []

    def small(path: Path) -> sqlite3.Connection:
        limits.append(connect(path))
        limits[-1].execute("PRAGMA max_page_count = 20")
        return limits[-1]

    storage = RowStorage(tmp_path / "terrain.sqlite", [].append, small)
    write(storage, 1, a="small")
    storage.begin(2, lambda: [(b"a", b"x" * 1000000)])
    assert storage.wait(LONG_S)
    assert storage.failure == "database or disk is full"
    assert rows(storage) == {"a": "small"}
    limits[-1].execute("PRAGMA max_page_count = 20000")  # somebody makes room
    write(storage, 3, a="x" * 1000000)
    assert rows(storage) == {"a": "x" * 1000000}
    storage.close()


def test_writing_is_not_waited_for(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    go = threading.Event()

    def slow() -> list[tuple[bytes, bytes]]:
        assert go.wait(LONG_S)
        return [(b"a", b"1")]

    storage.begin(1, slow)
    assert storage.busy
    assert rows(storage) == {}
    go.set()
    assert storage.wait(LONG_S)
    assert rows(storage) == {"a": "1"}
    storage.close()


def test_rows_that_cannot_be_made_are_a_failure(tmp_path: Path) -> None:
    storage = opened(tmp_path)

    def wrong() -> list[tuple[bytes, bytes]]:
        raise KeyError("nothing there")

    storage.begin(1, wrong)
    assert storage.wait(LONG_S)
    assert storage.failure == "'nothing there'"
    write(storage, 2, a="1")
    storage.close()


def test_a_file_that_is_no_database_is_moved_aside_and_told(tmp_path: Path) -> None:
    (tmp_path / "terrain.sqlite").write_bytes(b"my novel " * 2000)
    told: list[str] = []
    storage = opened(tmp_path, told)
    write(storage, 1, a="1")
    storage.close()
    assert (tmp_path / "terrain.broken-1.sqlite").read_bytes() == b"my novel " * 2000
    assert told == [
        "terrain.sqlite is damaged (file is not a database): it was moved to terrain.broken-1.sqlite; "
        "0 of its rows could be read."
    ]


def test_what_can_be_read_of_a_damaged_file_is_kept(tmp_path: Path) -> None:
    storage = opened(tmp_path)
    storage.begin(1, lambda: [(b"%06d" % number, b"%06d" % number * 100) for number in range(2000)])
    assert storage.wait(LONG_S)
    storage.close()
    path = tmp_path / "terrain.sqlite"
    damaged = bytearray(path.read_bytes())
    middle = len(damaged) // 2 // 8192 * 8192
    damaged[middle : middle + 8192] = b"\xa5" * 8192
    path.write_bytes(damaged)
    told: list[str] = []
    again = opened(tmp_path, told)
    found = again.read(*ALL)
    assert 1900 < len(found) < 2000
    assert all(value == key * 100 for key, value in found)
    assert told[0].endswith(f"it was moved to terrain.broken-1.sqlite; {len(found)} of its rows could be read.")
    again.close()


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    opened(tmp_path).close()
    path = tmp_path / "terrain.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerFormat, match="has format 2, newer than 1"):
        opened(tmp_path)
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="unable to open database file"):
        RowStorage(tmp_path / "nowhere" / "terrain.sqlite", [].append)


# ---------------------------------------------------------------- save folder

NAMES = ("terrain", "players")


def opened_save_folder(path: Path, told: list[str] | None = None, world: str = "flat:1") -> SaveFolder:
    return SaveFolder(path, world, NAMES, (told if told is not None else []).append)


def close(folder: SaveFolder) -> None:
    folder.record.close()
    folder.close()


def save(folder: SaveFolder, tick: int, *, commit: bool = True, complete: bool = True) -> None:
    for storage in folder.storages.values():
        storage.begin(tick, lambda: [(b"a", str(tick).encode())])
        assert storage.wait(LONG_S)
    if commit:
        folder.record.begin(tick)
        assert folder.record.wait(LONG_S)
        assert folder.record.tick == tick
    if commit and complete:
        for storage in folder.storages.values():
            storage.complete(tick)
            assert storage.wait(LONG_S)


def ticks(folder: SaveFolder) -> set[bytes]:
    return {value for storage in folder.storages.values() for _, value in storage.read(b"a", b"a")}


def test_it_opens_at_the_tick_of_the_record(tmp_path: Path) -> None:
    folder = opened_save_folder(tmp_path / "deep" / "er")
    assert folder.record.tick == 0
    save(folder, 4)
    save(folder, 9, commit=False)
    assert ticks(folder) == {b"9"}
    close(folder)
    again = opened_save_folder(folder.path)
    assert (again.record.tick, ticks(again)) == (4, {b"4"})
    close(again)


def test_what_was_written_before_any_tick_counted_is_dropped(tmp_path: Path) -> None:
    folder = opened_save_folder(tmp_path)
    save(folder, 9, commit=False)
    close(folder)
    again = opened_save_folder(tmp_path)
    assert (again.record.tick, ticks(again)) == (0, set())
    close(again)


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe", b'{"format": null}'])
def test_a_broken_record_gives_the_last_tick_that_is_known_to_be_complete(tmp_path: Path, broken: bytes) -> None:
    folder = opened_save_folder(tmp_path)
    save(folder, 4)
    save(folder, 9, complete=False)
    folder.storages["players"].complete(9)
    assert folder.storages["players"].wait(LONG_S)
    save(folder, 12, commit=False)
    close(folder)
    (tmp_path / "committed.json").write_bytes(broken)
    told: list[str] = []
    again = opened_save_folder(tmp_path, told)
    assert (again.record.tick, ticks(again)) == (9, {b"9"})
    assert told[0].startswith("committed.json is damaged: it was moved to committed.json.broken")
    assert (tmp_path / "committed.json.broken").read_bytes() == broken
    close(again)


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = opened_save_folder(tmp_path)
    with pytest.raises(FolderInUse, match=f"{tmp_path} is in use by another server"):
        opened_save_folder(tmp_path)
    close(folder)
    close(opened_save_folder(tmp_path))


def test_changes_of_one_world_are_not_laid_over_another(tmp_path: Path) -> None:
    folder = opened_save_folder(tmp_path)
    save(folder, 4)
    close(folder)
    with pytest.raises(WrongWorld, match="contains the changes of flat:1, not of hills:7"):
        opened_save_folder(tmp_path, world="hills:7")
    close(opened_save_folder(tmp_path))


def test_a_newer_record_is_left_alone(tmp_path: Path) -> None:
    text = json.dumps({"format": 2, "world": "flat:1", "tick": 3})
    (tmp_path / "committed.json").write_text(text)
    with pytest.raises(NewerFormat, match="has format 2, newer than 1"):
        opened_save_folder(tmp_path)
    assert (tmp_path / "committed.json").read_text() == text


def test_a_folder_that_cannot_be_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="cannot be saved to: "):
        opened_save_folder(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whoever is root may write anywhere")
def test_a_folder_without_rights_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FolderError, match="Permission denied"):
        opened_save_folder(tmp_path)


def test_a_record_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    folder = opened_save_folder(tmp_path)
    (tmp_path / "committed.new").mkdir()
    folder.record.begin(3)
    assert folder.record.wait(LONG_S)
    assert folder.record.failure == "Is a directory"
    assert folder.record.tick == 0
    close(folder)


# ---------------------------------------------------------------- world files

COLUMNS = {(0, 3, -2): {0: b"sub-chunk"}}


def test_a_folder_and_a_packed_world_are_read_alike(tmp_path: Path) -> None:
    files = world(COLUMNS)
    for path in (
        write_folder(files, tmp_path / "folder"),
        write_packed(files, tmp_path / "a.mcworld"),
        write_packed(files, tmp_path / "b.zip", "worlds/mine/"),
    ):
        found = open_world_files(path)
        assert set(found.names) == set(files.contents)
        assert {name: found.read(name) for name in found.names} == files.contents
        assert found.read("level.dat", 3, 4) == level()[3:7]
        assert found.size("level.dat") == len(level())
        assert Folder(found).columns() == [(3, -2)]


def test_reading_changes_nothing_and_locks_nothing(tmp_path: Path) -> None:
    path = write_folder(world(COLUMNS), tmp_path / "folder")
    for place in (path / "db", path):
        place.chmod(0o500)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    folder = Folder(open_world_files(path))
    folder.columns()
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before
    for place in (path, path / "db"):
        place.chmod(0o700)


def test_other_files_of_a_folder_are_not_seen(tmp_path: Path) -> None:
    path = write_folder(world(COLUMNS), tmp_path / "folder")
    (path / "secret.txt").write_text("no")
    assert "secret.txt" not in open_world_files(path).names


def test_absent_and_foreign_files_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"nothing: No such file or directory$"):
        open_world_files(tmp_path / "nothing")
    (tmp_path / "text.mcworld").write_text("no world")
    with pytest.raises(FolderError, match=r"text\.mcworld is not a packed world: "):
        open_world_files(tmp_path / "text.mcworld")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FolderError, match=r"pipe is neither a folder nor a file$"):
        open_world_files(tmp_path / "pipe")


def test_a_packed_world_that_names_places_outside_is_only_looked_up(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("level.dat", level())
        archive.writestr("db/../../escaped", b"out")
        archive.writestr("/etc/passwd", b"out")
    files = open_world_files(tmp_path / "a.zip")
    assert set(files.names) == {"level.dat", "db/../../escaped"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]
    assert Folder(files).columns() == []


def test_a_packed_world_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("net.storage.world_files.PACKED_BYTES", 10_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("level.dat", level())
        archive.writestr("db/000005.ldb", bytes(1 << 20))
    with pytest.raises(FolderError, match=r"bomb\.zip unpacks to 10\d+ bytes, more than 10000$"):
        open_world_files(tmp_path / "bomb.zip")


def test_a_damaged_member_costs_itself(tmp_path: Path) -> None:
    path = write_packed(world({**COLUMNS, (0, 0, 0): {0: os.urandom(4000)}}), tmp_path / "a.zip")
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("db/000005.ldb").header_offset + 60
    content = bytearray(path.read_bytes())
    content[at : at + 40] = bytes(40)
    path.write_bytes(content)
    folder = Folder(open_world_files(path))
    assert folder.columns() == []
    told = folder.lost[0]
    assert told.startswith("db/000005.ldb: ")
    assert ": db/" not in told, "its name is said once"
    assert told.endswith("; the whole table is lost.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_rights_is_one_sentence(tmp_path: Path) -> None:
    path = write_folder(world(COLUMNS), tmp_path / "folder")
    path.chmod(stat.S_IWUSR)
    try:
        with pytest.raises(FolderError, match=r"folder: Permission denied$"):
            open_world_files(path)
    finally:
        path.chmod(0o700)
