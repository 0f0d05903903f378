"""Worlds and recordings that lie around, and folders that cannot be read."""

import os
from pathlib import Path

from render.viewer.connect import plan
from render.viewer.connect.plan import look_around


def world(folder: Path, name: str = "", at: float = 0.0) -> Path:
    folder.mkdir(parents=True)
    (folder / "level.dat").write_bytes(b"")
    if name:
        (folder / "levelname.txt").write_text(name, "utf-8")
    os.utime(folder / "level.dat", (at, at))
    return folder


def test_worlds_packed_worlds_and_recordings_are_found_the_newest_first(tmp_path: Path) -> None:
    world(tmp_path / "old", "Old\N{SECTION SIGN}c mill\n", 100.0)
    world(tmp_path / "bare", at=300.0)
    for name, at in (("a.cscope", 200.0), ("b.mcworld", 400.0), ("c.zip", 500.0), ("notes.txt", 500.0)):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (at, at))
    (tmp_path / "empty").mkdir()
    found, trouble = look_around([tmp_path, tmp_path / "nowhere", tmp_path / "a.cscope", tmp_path])
    assert [(each.name, each.kind) for each in found] == [
        ("b.mcworld", "packed world"), ("bare", "world folder"), ("a.cscope", "recording"),
        ("Old mill", "world folder"),
    ]  # fmt: skip
    assert trouble == ""


def test_a_folder_without_rights_costs_itself_alone(tmp_path: Path, monkeypatch) -> None:
    world(tmp_path / "here" / "world")
    scandir = os.scandir

    def guarded(folder: Path) -> object:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(plan.os, "scandir", guarded)
    found, trouble = look_around([tmp_path / "locked", tmp_path / "here"])
    assert [each.name for each in found] == ["world"]
    assert trouble == f"{tmp_path / 'locked'}: Permission denied."


def test_no_more_is_looked_at_than_one_reads(tmp_path: Path, monkeypatch) -> None:
    for number in range(8):
        (tmp_path / f"{number}.cscope").write_bytes(b"")
    monkeypatch.setattr(plan, "MOST_FOUND", 5)
    assert len(look_around([tmp_path])[0]) == 5
    monkeypatch.setattr(plan, "MOST_ENTRIES", 3)
    assert len(look_around([tmp_path])[0]) == 3
