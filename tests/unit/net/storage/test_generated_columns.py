"""Generated columns that are kept: the same bytes, fewer makings, bounded, and nothing lost when the file is."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from net.errors import FolderError
from net.releases import ProtocolRange
from net.server.block_ids import BlockIdForms, LocalStates, word_lists
from net.server.column_provider import ColumnProvider
from net.server.worlds import GeneratedColumn, KeptWorld, open_worlds, stamp_of
from net.server.worlds.hills import HillsWorld
from net.space import ColumnPos
from net.storage.generated_columns import ROWS, UNUSED_DAYS, GeneratedColumns, file_of
from net.wire.fields import Profile


def test_servers_of_two_worlds_share_a_folder(tmp_path: Path) -> None:
    told: list[str] = []
    one, other = kept_in(tmp_path, told), kept_in(tmp_path, told, stamp="b")
    one.put(b"0 0 0", b"of one")
    assert other.get(b"0 0 0") is None
    other.put(b"0 0 0", b"of the other")
    assert one.get(b"0 0 0") == b"of one"
    assert told == []
    one.close()
    other.close()


def test_a_server_that_has_not_written_yet_holds_up_nobody(tmp_path: Path) -> None:
    one, other = kept_in(tmp_path, []), kept_in(tmp_path, [])
    one.put(b"of one", b"waits")
    for number in range(ROWS):
        other.put(b"%d" % number, b"of the other")
    assert one.get(b"0") == b"of the other"
    assert one.get(b"of one") == b"waits"
    one.close()
    assert other.get(b"of one") == b"waits"
    other.close()


def test_what_nobody_opens_is_deleted(tmp_path: Path) -> None:
    for stamp in ("old", "new"):
        kept_in(tmp_path, [], stamp=stamp).close()
    then = file_of(tmp_path, "new").stat().st_mtime - (UNUSED_DAYS + 1) * 86_400
    os.utime(file_of(tmp_path, "old"), (then, then))
    kept_in(tmp_path, [], stamp="another").close()
    assert not file_of(tmp_path, "old").exists()
    assert file_of(tmp_path, "new").exists()


PLACES = [ColumnPos(x, z) for x in (-1, 0) for z in (0, 5)]


class Counted:
    """The hills, and how many columns were made and spawns looked for."""

    def __init__(self) -> None:
        self.hills = HillsWorld(3)
        self.name, self.dimension, self.states = self.hills.name, self.hills.dimension, self.hills.states
        self.made: list[ColumnPos] = []
        self.looked = 0

    @property
    def spawn(self):
        self.looked += 1
        return self.hills.spawn

    def column(self, position: ColumnPos) -> GeneratedColumn:
        self.made.append(position)
        return self.hills.column(position)

    def steps(self, position: ColumnPos) -> Iterator[None]:
        return self.hills.steps(position)


def kept_in(folder: Path, told: list[str], most_bytes: int = 1 << 30, stamp: str = "a") -> GeneratedColumns:
    return GeneratedColumns(folder, stamp, most_bytes, told.append)


def same(one: GeneratedColumn, other: GeneratedColumn) -> bool:
    arrays = zip(
        (one.layer0, one.layer1, one.biomes, one.section_biomes),
        (other.layer0, other.layer1, other.biomes, other.section_biomes),
        strict=True,
    )
    equal = all((a is None) == (b is None) and (a is None or np.array_equal(a, b)) for a, b in arrays)
    return equal and {y: dict(of) for y, of in one.entities.items()} == dict(other.entities)


def test_a_kept_column_is_the_one_that_was_made_and_not_made_again(tmp_path: Path) -> None:
    told: list[str] = []
    first, again, never = Counted(), Counted(), Counted()
    kept = kept_in(tmp_path, told)
    world = KeptWorld(first, kept)
    assert world.spawn == never.spawn
    made = [world.column(place) for place in PLACES]
    kept.close()
    kept = kept_in(tmp_path, told)
    reopened = KeptWorld(again, kept)
    assert all(list(reopened.steps(place)) == [] for place in PLACES)
    assert all(same(reopened.column(place), column) for place, column in zip(PLACES, made, strict=True))
    assert all(same(never.column(place), column) for place, column in zip(PLACES, made, strict=True))
    assert reopened.spawn == never.spawn
    assert (first.made, again.made, again.looked, told) == (PLACES, [], 0, [])
    assert next(reopened.steps(ColumnPos(40, 40)), "none") is None, "what is not kept is made by steps"
    kept.close()


def test_the_other_dimensions_are_kept_too(tmp_path: Path) -> None:
    kept = kept_in(tmp_path, [])
    for world in open_worlds("hills:2")[1:]:
        held = KeptWorld(world, kept)
        made = held.column(ColumnPos(0, 0))
        assert same(held.column(ColumnPos(0, 0)), made)
    kept.close()


@pytest.mark.parametrize("highest_id", [0, 255, 256, 65_535])
@pytest.mark.parametrize("filled", [(), (0,), (3, 23)], ids=str)
def test_a_kept_column_has_each_id_and_each_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, highest_id: int, filled: tuple[int, ...]
) -> None:
    layers = [np.zeros((24, 4096), np.uint16) for _ in range(2)]
    for index in filled:
        layers[0][index, 7 * index] = highest_id
    layers[1][1, 5] = highest_id
    every = np.arange(24 * 4096, dtype=np.uint16).reshape(24, 4096)
    kept = kept_in(tmp_path, [])
    for x, (second, biomes) in enumerate(((None, None), (layers[1], None), (np.zeros_like(every), every))):
        column = GeneratedColumn(layers[0], second, np.arange(256, dtype=np.uint16), biomes, {2: {9: b"chest"}})
        world = Counted()
        monkeypatch.setattr(world, "column", lambda _position, made=column: made)
        KeptWorld(world, kept).column(ColumnPos(x, 0))
        assert same(KeptWorld(Counted(), kept).column(ColumnPos(x, 0)), column)
    kept.close()


def test_clients_see_no_difference_whether_it_is_kept_dropped_or_never_was(tmp_path: Path) -> None:
    def seen(world: object) -> list[bytes]:
        states = LocalStates(world.states)
        spoken = ProtocolRange.only(486, Profile.BEDROCK)
        form = BlockIdForms(states, spoken, world.dimension.sections, word_lists()).home
        snapshots = [ColumnProvider(world, states, 8).snapshot(place) for place in PLACES[:2]]
        return [b"".join((*one.subchunks(form), one.skeleton(form), one.all_entities())) for one in snapshots]

    def kept_world() -> list[bytes]:
        kept = kept_in(tmp_path, [])
        found = seen(KeptWorld(HillsWorld(3), kept))
        kept.close()
        return found

    plain = seen(HillsWorld(3))
    assert kept_world() == plain
    assert kept_world() == plain
    file_of(tmp_path, "a").unlink()
    assert kept_world() == plain


def test_a_damaged_row_is_made_again_and_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    kept = kept_in(tmp_path, told)
    for key in (b"a", b"b"):
        kept.put(key, key * 100)
    kept.close()
    file = sqlite3.connect(file_of(tmp_path, "a"))
    with file:
        file.execute("UPDATE made SET value = x'00112233'")
    file.close()
    kept = kept_in(tmp_path, told)
    assert (kept.get(b"a"), kept.get(b"b")) == (None, None)
    kept.put(b"a", b"new")
    assert kept.get(b"a") == b"new"
    assert told == [f"{file_of(tmp_path, 'a')} is damaged: the columns that it lost are generated again."]
    kept.close()


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_begun_anew_and_told(tmp_path: Path, content: bytes) -> None:
    file_of(tmp_path, "a").write_bytes(content)
    told: list[str] = []
    kept = kept_in(tmp_path, told)
    kept.put(b"a", b"made")
    assert kept.get(b"a") == b"made"
    assert len(told) == 1
    kept.close()


def test_another_generator_begins_anew(tmp_path: Path) -> None:
    kept = kept_in(tmp_path, [])
    kept.put(b"a", b"made")
    kept.close()
    other = kept_in(tmp_path, [], stamp="b")
    assert other.get(b"a") is None
    other.close()
    assert len({stamp_of(world) for name in ("hills:1", "hills:2", "flat:1") for world in open_worlds(name)[:1]}) == 3


def test_beyond_the_limit_the_oldest_go_and_what_is_calculated_once_stays(tmp_path: Path) -> None:
    kept = kept_in(tmp_path, [], most_bytes=10_000)
    kept.put(b"once", b"places", once=True)
    noise = np.random.default_rng(1).bytes
    for number in range(30):
        kept.put(b"%d" % number, noise(1000))
    held = [number for number in range(30) if kept.get(b"%d" % number) is not None]
    assert held == list(range(held[0], 30))
    assert 5 <= len(held) <= 10
    assert kept.get(b"once") == b"places"
    kept.close()


def test_a_place_that_is_no_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"file cannot keep generated columns: File exists$"):
        kept_in(tmp_path / "file", [])
