"""Recent sources: the last first, bounded, shared by windows, and a broken file left alone.

Plan: Nearby worlds and recordings, and folders that cannot be read.
"""

import os
from pathlib import Path

import pytest

from client.connection.connection import Spoken
from client.connection.opening import open_connection
from client.options import Options
from client.source import Embedded, Remote, WorldFile
from render.viewer.connect import sources
from render.viewer.connect.recent import MOST, Recent, RecentSources
from render.viewer.connect.sources import ConnectPlan, look_around
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- recent

MILL, TOWER = Remote("10.0.0.1"), Remote("::1", 5)
AT = 1_764_000_000.0


def test_what_was_joined_last_comes_first_and_once(tmp_path: Path) -> None:
    kept = RecentSources(tmp_path / "more" / "recent.toml")
    assert kept.all() == []
    kept.record(MILL, "The old\nmill", AT)
    kept.record(WorldFile(tmp_path / 'a "quoted" world\N{SNOWMAN}'), "", AT + 1)
    kept.record(TOWER, "tower", AT + 2)
    kept.record(MILL, "mill", AT + 3)
    assert [each.source for each in kept.all()] == [MILL, TOWER, WorldFile(tmp_path / 'a "quoted" world\N{SNOWMAN}')]
    assert kept.all()[0] == Recent(MILL, "mill", AT + 3)
    assert kept.trouble == ""


def test_no_more_are_kept_than_one_reads(tmp_path: Path) -> None:
    kept = RecentSources(tmp_path / "recent.toml")
    for number in range(MOST + 5):
        kept.record(Remote("10.0.0.1", 1 + number), "", AT)
    ports = [each.source.port for each in kept.all() if isinstance(each.source, Remote)]
    assert ports == list(range(MOST + 5, 5, -1))


def test_two_windows_share_the_file(tmp_path: Path) -> None:
    one, other = RecentSources(tmp_path / "recent.toml"), RecentSources(tmp_path / "recent.toml")
    one.record(MILL, "", AT)
    other.record(TOWER, "", AT)
    one.forget(TOWER)
    one.record(Embedded("flat"), "", AT)
    assert [each.source for each in other.all()] == [Embedded("flat"), MILL]


@pytest.mark.parametrize("text", ["source = [", "source = 5", "\xff\xfe"])
def test_a_broken_file_is_told_and_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "recent.toml"
    file.write_bytes(text.encode("latin-1"))
    kept = RecentSources(file)
    assert kept.all() == []
    assert str(file) in kept.trouble
    assert "Correct the file or remove it." in kept.trouble
    kept.record(MILL, "mill", AT)
    assert file.read_bytes() == text.encode("latin-1")
    assert [each.source for each in kept.all()] == [MILL], "it lasts as long as the window"
    assert "Correct the file or remove it." in kept.trouble


def test_what_a_server_spoke_is_kept_with_it_and_told_to_the_next_join(tmp_path: Path) -> None:
    kept = RecentSources(tmp_path / "recent.toml")
    spoken = Spoken("https://10.0.0.1:19132", 2193, "1.26.51")
    kept.record(MILL, "mill", AT, spoken)
    kept.record(TOWER, "tower", AT)
    assert [each.spoken for each in kept.all()] == [None, spoken]
    assert (spoken.transport, Spoken("raknet", 486).transport) == ("nethernet", "raknet")
    plan = ConnectPlan(Options(), None, (), kept, ())
    assert plan.as_before(MILL, Options()).joined_at == "https://10.0.0.1:19132"
    assert plan.as_before(TOWER, Options()) == Options()
    assert plan.as_before(Embedded("flat"), Options()) == Options()


@pytest.mark.parametrize("rest", ["place = 5\nprotocol = 486", 'place = "raknet"\nprotocol = "486"', "protocol = 1"])
def test_what_was_spoken_is_left_out_where_it_makes_no_sense(tmp_path: Path, rest: str) -> None:
    (tmp_path / "recent.toml").write_text(f'[[source]]\nsource = "10.0.0.1"\n{rest}\n')
    assert RecentSources(tmp_path / "recent.toml").all() == [Recent(MILL, "", 0.0)]


def test_rows_that_say_no_source_cost_themselves_alone(tmp_path: Path) -> None:
    file = tmp_path / "recent.toml"
    file.write_text('[[source]]\nsource = "a b"\n[[source]]\nname = 5\n[[source]]\nsource = "10.0.0.1"\njoined = "x"\n')
    assert RecentSources(file).all() == [Recent(MILL, "", 0.0)]


@pytest.mark.skipif(os.name == "nt", reason="a folder's rights are told otherwise there")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    kept = RecentSources(blocked / "recent.toml")
    kept.record(MILL, "", AT)
    assert kept.trouble == f"{blocked / 'recent.toml'}: Not a directory."
    assert [each.source for each in kept.all()] == [MILL]


def test_without_a_file_they_last_as_long_as_the_window() -> None:
    kept = RecentSources(None)
    kept.record(MILL, "", AT)
    kept.record(TOWER, "", AT)
    kept.forget(MILL)
    assert [each.source for each in kept.all()] == [TOWER]
    assert kept.trouble == ""


def test_a_recording_is_remembered_as_its_file_not_as_what_was_recorded(tmp_path: Path) -> None:
    path, way_round = tmp_path / "a.cscope", tmp_path / "sub" / ".." / "a.cscope"
    way_round.parent.parent.mkdir()
    with VirtualSession("flat:1").connection(Options(radius=2, light=False, record=path)) as live:
        live.wait_settled()
        assert live.opened == live.source
    kept = RecentSources(tmp_path / "recent.toml")
    for named in (path, way_round):
        with open_connection(WorldFile(named), Options(light=False)) as again:
            assert again.opened == WorldFile(named)
            ConnectPlan(Options(), None, (), kept, ()).record(again)
    assert [row.source for row in kept.all()] == [WorldFile(path.resolve())]


# ---------------------------------------------------------------- plan


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

    monkeypatch.setattr(sources.os, "scandir", guarded)
    found, trouble = look_around([tmp_path / "locked", tmp_path / "here"])
    assert [each.name for each in found] == ["world"]
    assert trouble == f"{tmp_path / 'locked'}: Permission denied."


def test_no_more_is_looked_at_than_one_reads(tmp_path: Path, monkeypatch) -> None:
    for number in range(8):
        (tmp_path / f"{number}.cscope").write_bytes(b"")
    monkeypatch.setattr(sources, "MOST_FOUND", 5)
    assert len(look_around([tmp_path])[0]) == 5
    monkeypatch.setattr(sources, "MOST_ENTRIES", 3)
    assert len(look_around([tmp_path])[0]) == 3
