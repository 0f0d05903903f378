"""How many players are kept, whose place is taken, and what is read of rows of every age."""

import hashlib
import json
from collections.abc import Sequence

import pytest

from net.errors import FolderError
from net.server.save import players
from net.server.save.players import Players, SavedPlayer
from net.server.save.transactions import Generation, Row


class Shelf:
    """A storage that keeps rows at once, as far as players need one."""

    name = "players"
    busy = False
    failure = None

    def __init__(self) -> None:
        self.rows: dict[bytes, bytes] = {}
        self.broken = False

    def begin(self, tick: int, rows: Generation) -> None:
        self.rows.update(rows())

    def complete(self, tick: int) -> None:
        raise NotImplementedError

    def wait(self, longest_s: float) -> bool:
        return True

    def close(self) -> None:
        raise NotImplementedError

    def read(self, low: bytes, high: bytes) -> Sequence[Row]:
        if self.broken:
            raise FolderError("the disk is gone")
        return sorted((key, value) for key, value in self.rows.items() if low <= key <= high)


def at(x: float) -> SavedPlayer:
    return SavedPlayer(0, (x, 64.0, 0.5), 90.0, 0.0)


def save(kept: Players) -> None:
    assert isinstance(kept.storage, Shelf)
    kept.storage.begin(1, kept.take())
    kept.settle(stored=True)


def make() -> tuple[Shelf, Players, list[str]]:
    shelf, lost = Shelf(), list[str]()
    return shelf, Players(shelf, lost), lost


def test_all_come_back_where_they_were_last() -> None:
    shelf, kept, lost = make()
    for turn in range(3):
        for number in range(500):
            kept.record(f"player {number}", at(number + turn / 4))
        save(kept)
    assert len(shelf.rows) == 500
    again = Players(shelf, lost)
    assert [again.restore(f"player {number}") for number in range(500)] == [at(number + 0.5) for number in range(500)]
    assert again.restore("a stranger") is None
    assert lost == []


def test_endless_ids_take_no_more_rows_than_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "BUCKETS", 4)
    shelf, kept, _ = make()
    for number in range(1000):
        kept.record(f"player {number}", at(number))
        if number % 50 == 49:
            kept.record("a regular", at(7.0))
            save(kept)
    assert len(shelf.rows) == 4 * players.WAYS
    assert kept.restore("a regular") == at(7.0), "whoever was seen longest ago goes first"
    assert kept.restore("player 999") == at(999)
    assert kept.restore("player 0") is None


def test_what_cannot_be_saved_is_bounded_and_the_newest_stays() -> None:
    _, kept, _ = make()
    most = players.MOST_UNSAVED
    for number in range(3 * most):
        kept.record(f"player {number}", at(number))
        if number % most == 7:
            kept.take()
            kept.settle(stored=False)
    assert kept.dirty_bytes <= most * players.PLAYER_BYTES
    assert kept.restore(f"player {3 * most - 1}") == at(3 * most - 1)
    assert kept.restore("player 0") is None


def test_rows_of_before_the_places_are_read_until_a_newer_one_is_there() -> None:
    shelf, kept, _ = make()
    whole = hashlib.blake2b(b"an old one", digest_size=16).digest()
    shelf.rows[whole] = json.dumps({"dimension": 0, "feet": [1.0, 64.0, 0.5], "yaw": 90.0, "pitch": 0.0}).encode()
    assert kept.restore("an old one") == at(1.0)
    kept.record("an old one", at(2.0))
    save(kept)
    assert kept.restore("an old one") == at(2.0)


@pytest.mark.parametrize("broken", [b"", b"short", None])
def test_a_row_that_makes_no_sense_costs_its_player_alone(broken: bytes | None) -> None:
    shelf, kept, lost = make()
    for name in ("one", "two"):
        kept.record(name, at(3.0))
    save(kept)
    mine = next(key for key, value in shelf.rows.items() if value.startswith(players._hash("one")))
    shelf.rows[mine] = shelf.rows[mine][:30] if broken is None else broken
    assert kept.restore("one") is None
    assert len(lost) == (broken is None), "of bytes that say no player nobody knows whose they were"
    assert kept.restore("two") == at(3.0)
    kept.record("one", at(4.0))
    save(kept)
    assert kept.restore("one") == at(4.0)


def test_a_storage_that_cannot_be_read_is_told() -> None:
    shelf, kept, lost = make()
    shelf.broken = True
    kept.record("one", at(1.0))
    assert kept.restore("two") is None
    assert lost == ["Player two cannot be read: the disk is gone."]
    assert len(list(kept.take()())) == 1
