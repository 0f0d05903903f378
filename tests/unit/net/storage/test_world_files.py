"""Files of worlds: folders and packed ones, read where they lie, whatever they claim."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from net.errors import FolderError
from net.saved_world.columns import Folder
from net.storage.world_files import open_world_files
from tests.support.worlds.saved import level, world, write_folder, write_packed

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
    with pytest.raises(FolderError, match=r"text\.mcworld is no packed world: "):
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
