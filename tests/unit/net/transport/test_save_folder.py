"""The folder of a saved game: one server at a time, one tick that counts."""

import json
import os
from pathlib import Path

import pytest

from net.errors import FolderError
from net.storage.server_save import FolderInUse, NewerFormat, SaveFolder, WrongWorld

NAMES = ("terrain", "players")
LONG_S = 200.0


def opened(path: Path, told: list[str] | None = None, world: str = "flat:1") -> SaveFolder:
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
    folder = opened(tmp_path / "deep" / "er")
    assert folder.record.tick == 0
    save(folder, 4)
    save(folder, 9, commit=False)
    assert ticks(folder) == {b"9"}
    close(folder)
    again = opened(folder.path)
    assert (again.record.tick, ticks(again)) == (4, {b"4"})
    close(again)


def test_what_was_written_before_any_tick_counted_is_dropped(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    save(folder, 9, commit=False)
    close(folder)
    again = opened(tmp_path)
    assert (again.record.tick, ticks(again)) == (0, set())
    close(again)


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe", b'{"format": null}'])
def test_a_broken_record_gives_the_last_tick_that_is_known_to_be_complete(tmp_path: Path, broken: bytes) -> None:
    folder = opened(tmp_path)
    save(folder, 4)
    save(folder, 9, complete=False)
    folder.storages["players"].complete(9)
    assert folder.storages["players"].wait(LONG_S)
    save(folder, 12, commit=False)
    close(folder)
    (tmp_path / "committed.json").write_bytes(broken)
    told: list[str] = []
    again = opened(tmp_path, told)
    assert (again.record.tick, ticks(again)) == (9, {b"9"})
    assert told[0].startswith("committed.json is broken: it is now committed.json.broken")
    assert (tmp_path / "committed.json.broken").read_bytes() == broken
    close(again)


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    with pytest.raises(FolderInUse, match=f"{tmp_path} is used by another server"):
        opened(tmp_path)
    close(folder)
    close(opened(tmp_path))


def test_changes_of_one_world_are_not_laid_over_another(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    save(folder, 4)
    close(folder)
    with pytest.raises(WrongWorld, match="holds the changes of flat:1, not of hills:7"):
        opened(tmp_path, world="hills:7")
    close(opened(tmp_path))


def test_a_newer_record_is_left_alone(tmp_path: Path) -> None:
    text = json.dumps({"format": 2, "world": "flat:1", "tick": 3})
    (tmp_path / "committed.json").write_text(text)
    with pytest.raises(NewerFormat, match="is of format 2, newer than 1"):
        opened(tmp_path)
    assert (tmp_path / "committed.json").read_text() == text


def test_a_folder_that_cannot_be_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="cannot be saved to: "):
        opened(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whoever is root may write anywhere")
def test_a_folder_without_rights_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(FolderError, match="Permission denied"):
        opened(tmp_path)


def test_a_record_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    folder = opened(tmp_path)
    (tmp_path / "committed.new").mkdir()
    folder.record.begin(3)
    assert folder.record.wait(LONG_S)
    assert folder.record.failure == "Is a directory"
    assert folder.record.tick == 0
    close(folder)
