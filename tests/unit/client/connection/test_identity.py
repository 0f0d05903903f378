"""Who joins a server: the same player each time, once at a time, and nobody is ever kept out of it."""

import os
import stat
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from client.connection import identity
from client.connection.identity import Claim, claim
from client.errors import UsageError
from client.options import FRESH, OWN, Options, is_identity
from net import files

Come = Callable[..., Claim]

HERE, THERE = ("127.0.0.1", 19132), ("127.0.0.1", 19133)


@pytest.fixture
def come(tmp_path: Path) -> Iterator[Come]:
    """Comes to a server; whoever is still there at the end leaves."""
    with ExitStack() as undo:

        def come(name: str, server: tuple[str, int] = HERE, folder: Path = tmp_path) -> Claim:
            got = claim(name, server, folder)
            undo.callback(got.close)
            return got

        yield come


def test_who_joins_again_is_the_same_player_on_every_server(come: Come) -> None:
    first = come(OWN)
    first.close()
    again, elsewhere = come(OWN), come(OWN, THERE)
    assert again.uuid == elsewhere.uuid == first.uuid == str(uuid.UUID(first.uuid))
    assert (first.said, again.said, elsewhere.said) == ("", "", "")
    again.close()
    elsewhere.close()
    assert come("other").uuid != first.uuid


def test_somebody_new_is_new_each_time_and_leaves_nothing(come: Come, tmp_path: Path) -> None:
    assert len({come(FRESH).uuid for _ in range(9)}) == 9
    assert list(tmp_path.iterdir()) == []
    assert Options().identity == FRESH, "a picture starts where a server starts everybody"


def test_a_player_that_is_on_a_server_already_is_somebody_new_there_and_only_there(come: Come, tmp_path: Path) -> None:
    first = come(OWN)
    second = come(OWN)
    assert second.uuid != first.uuid
    assert second.said == "you join as a new player: the player 'own' is on this server in another window"
    elsewhere = come(OWN, THERE)
    assert elsewhere.uuid == first.uuid
    first.close()
    first.close()
    assert come(OWN).uuid == first.uuid
    second.close()


def test_what_is_kept_is_for_nobody_else_to_read(come: Come, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "identities"
    come(OWN, HERE, folder).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert [path.name for path in folder.iterdir() if not path.name.endswith(".lock")] == ["player-own"]


def test_there_are_never_more_than_256_locks(come: Come, tmp_path: Path) -> None:
    for port in range(1000):
        come(OWN, ("192.168.0.1", port), tmp_path).close()
    assert 200 < len(list(tmp_path.glob("*.lock"))) <= 256


@pytest.mark.parametrize("content", [b"", b"nobody\n", b"\xff\xfe\x00" * 99, b"d51cb6e3-636d-4e4d-9df6"])
def test_a_file_that_names_nobody_is_told_and_left_alone(come: Come, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "player-own"
    path.write_bytes(content)
    got = come(OWN)
    assert got.said == f"you join as a new player: {path} does not contain a UUID"
    assert uuid.UUID(got.uuid)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_told_and_nobody_is_kept_out(come: Come, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    got = come(OWN, HERE, tmp_path / "file" / "identities")
    assert uuid.UUID(got.uuid)
    assert got.said.startswith(f"you join as a new player: {tmp_path / 'file'}")
    assert "\n" not in got.said


def test_a_full_disk_is_told_and_leaves_no_half_a_file(
    come: Come, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr(Path, "replace", full)
    assert come(OWN).said == f"you join as a new player: {tmp_path}: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_links_or_locks_keeps_players_all_the_same(
    come: Come, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", without)
    monkeypatch.setattr(identity, "lock", without)
    first, second = come(OWN), come(OWN)
    assert (first.uuid, first.said) == (second.uuid, "")
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")] == ["player-own"]


def test_of_windows_that_come_first_at_once_all_are_one_player(come: Come, tmp_path: Path) -> None:
    windows = 8
    start, got = threading.Barrier(windows), list[Claim]()

    def first_start(port: int) -> None:
        start.wait()
        got.append(come(OWN, ("127.0.0.1", port), tmp_path))

    threads = [threading.Thread(target=first_start, args=(port,)) for port in range(windows)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = (tmp_path / "player-own").read_text().strip()
    assert {each.uuid for each in got if not each.said} == {kept}
    assert all(each.said.endswith("another window") for each in got if each.uuid != kept), "two that share a lock"


def test_a_lock_is_one_files_until_it_is_closed(come: Come, tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as first, (tmp_path / "lock").open("wb") as second:
        files.lock(first)
        with pytest.raises(OSError, match="unavailable"):
            files.lock(second)
        first.close()
        files.lock(second)


@pytest.mark.parametrize("name", ["own", "fresh", "a", "max-2", "0_o", "x" * 32])
def test_names_of_players(name: str) -> None:
    assert is_identity(name)
    assert Options(identity=name).identity == name


@pytest.mark.parametrize("name", ["", "Own", "../own", "a b", "a.b", "ü", "-a", "x" * 33, "own\n"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match="is not a player: write own, fresh, or a name"):
        Options(identity=name)
