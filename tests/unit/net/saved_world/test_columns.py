"""What a world folder holds, and what is said of one that is damaged, foreign or no world at all.

Real worlds: Two worlds that the games saved (1.16.100 and 1.21.72): all that is known of them is read.
"""

import json
import re
import struct
from collections import Counter
from typing import Any

import cramjam
import pytest

from net.errors import FolderError
from net.nbt import DISK, Int, Long, encode_root
from net.palette import Palette
from net.saved_world.columns import Folder, read_level
from net.saved_world.leveldb import ColumnKey, Database, Tag
from net.server.worlds import SavedWorld
from net.space import BlockPos, ColumnPos
from net.storage.world_files import open_world_files
from tests.support.data.shared import form_of, shared_data
from tests.support.reference import leveldb as twin
from tests.support.reference.leveldb import MemoryFiles
from tests.support.worlds.saved import level, world

# ---------------------------------------------------------------- columns

TABLE = "db/000005.ldb"
ENTRIES = [(b"a", 1, b"old"), (b"b", 2, b"kept")]


def test_a_column_key_says_place_tag_and_section() -> None:
    nether = struct.pack("<iii", -3, 5, 1) + bytes((47, 0xFC))
    assert ColumnKey.read(nether) == ColumnKey(1, ColumnPos(-3, 5), Tag.SUBCHUNK, -4)
    for key in (ColumnKey(0, ColumnPos(-1, 7), Tag.SUBCHUNK, -4), ColumnKey(2, ColumnPos(0, 0), Tag.BIOMES_3D, None)):
        assert ColumnKey.read(key.write()) == key


@pytest.mark.parametrize(
    "key",
    [
        b"BiomeData",
        b"mobevents",
        b"Overworld",
        b"scoreboard",
        b"schedulerWT",
        b"portals",
        b"digp" + bytes(8),
        b"~local_player",
        bytes(8) + b"\x2f",
        bytes(9) + b"\0",
        b"",
    ],
)
def test_keys_that_are_no_columns_are_none(key: bytes) -> None:
    assert ColumnKey.read(key) is None


def test_columns_of_each_dimension_are_listed_and_read_apart() -> None:
    folder = Folder(world({(0, 1, 2): {0: b"over", -4: b"deep"}, (1, 1, 2): {3: b"nether"}, (2, 0, 0): {}}))
    assert [folder.columns(dimension) for dimension in range(3)] == [[(1, 2)], [(1, 2)], [(0, 0)]]
    assert folder.dimensions() == [0, 1]
    over, nether = folder.column(0, ColumnPos(1, 2)), folder.column(1, ColumnPos(1, 2))
    assert over is not None
    assert over.subchunks == {0: b"over", -4: b"deep"}
    assert nether is not None
    assert nether.subchunks == {3: b"nether"}
    assert folder.column(0, ColumnPos(2, 1)) is None
    assert folder.lost == []


def test_a_level_says_name_spawn_time_and_version() -> None:
    found = read_level(level("Mine", Time=Long(123456)))
    assert (found.name, found.spawn, found.time, found.version) == ("Mine", (8, None, 8), 123456, ())
    body = encode_root({"SpawnY": Int(70), "lastOpenedWithVersion": [Int(1), Int(21)]}, DISK)
    assert read_level(bytes(8) + body).spawn == (0, 70, 0)
    assert read_level(bytes(8) + body).version == (1, 21)


@pytest.mark.parametrize("value", [1 << 31, -(1 << 31) - 1, (1 << 63) - 1])
def test_a_spawn_that_no_block_has_is_none(value: int) -> None:
    body = encode_root({key: Long(value) for key in ("SpawnX", "SpawnY", "SpawnZ")}, DISK)
    assert read_level(bytes(8) + body).spawn == (0, None, 0)


def test_a_level_that_cannot_be_read_costs_itself_alone() -> None:
    folder = Folder(world({(0, 0, 0): {0: b"x"}}, level_dat=level()[:30]))
    assert folder.columns() == [(0, 0)]
    assert len(folder.lost) == 2
    assert folder.lost[0].startswith("level.dat: ")
    assert folder.lost[1] == "level.dat_old is missing."


def test_where_a_level_cannot_be_read_the_one_before_it_is() -> None:
    files = world({(0, 0, 0): {0: b"x"}}, level_dat=level()[:30])
    files.contents["level.dat_old"] = level("Before")
    folder = Folder(files)
    assert folder.level.name == "Before"
    assert len(folder.lost) == 1


def test_deletions_hide_older_values_wherever_they_stand() -> None:
    files = twin.database([ENTRIES, [(b"a", 7, None)]], [(b"c", b"new"), (b"b", None)])
    assert Database(files).scan(b"", None) == {b"c": b"new"}


def test_without_current_the_newest_manifest_is_taken() -> None:
    files = twin.database([ENTRIES])
    del files.contents["db/CURRENT"]
    files.contents["db/MANIFEST-000002"] = b""
    database = Database(files)
    assert database.scan(b"", None) == {b"a": b"old", b"b": b"kept"}
    assert database.lost == ["db/CURRENT: it is missing."]


@pytest.mark.parametrize("content", [None, b"", b"nonsense" * 9])
def test_without_a_manifest_all_tables_and_logs_are_taken(content: bytes | None) -> None:
    files = twin.database([ENTRIES], [(b"c", b"new")])
    if content is None:
        del files.contents["db/MANIFEST-000003"]
    else:
        files.contents["db/MANIFEST-000003"] = content
    database = Database(files)
    assert database.scan(b"", None) == {b"a": b"old", b"b": b"kept", b"c": b"new"}
    assert "The manifest is missing: all tables are read, including outdated ones." in database.lost


def test_tables_that_the_manifest_does_not_name_are_left_alone() -> None:
    files = twin.database([ENTRIES])
    files.contents["db/000004.ldb"] = twin.table([(b"a", 9, b"a compacted one")])
    files.contents["db/000004.log"] = twin.log([twin.batch([(b"a", b"a flushed one")], 50)])
    assert Database(files).scan(b"", None)[b"a"] == b"old"


def test_a_missing_table_is_named_and_the_rest_is_there() -> None:
    files = twin.database([ENTRIES, [(b"z", 9, b"there")]])
    del files.contents[TABLE]
    database = Database(files)
    assert database.scan(b"", None) == {b"z": b"there"}
    assert database.lost == [f"{TABLE}: the manifest names it, but it is missing."]


def test_a_table_that_vanishes_between_two_reads_is_lost_and_told_once() -> None:
    files = twin.database([ENTRIES])
    database = Database(files)
    del files.contents[TABLE]
    assert database.scan(b"a", b"b") == database.scan(b"b", b"c") == {}
    assert database.lost == [f"{TABLE}: it is gone; the whole table is lost."]


COLUMNS = [(struct.pack("<iiB", x, 0, Tag.VERSION), x + 1, bytes((x,)) * 50) for x in range(100)]


@pytest.mark.parametrize("compression", [0, 1, 2, 4])
@pytest.mark.parametrize("left", [0.3, 0.9, -1])
def test_a_table_that_is_cut_keeps_the_blocks_that_are_there(compression: int, left: float) -> None:
    files = twin.database([COLUMNS], compression=compression)
    whole = files.contents[TABLE]
    files.contents[TABLE] = whole[: int(left * len(whole))] if left > 0 else whole[:-1]
    database = Database(files)
    found = database.scan(b"", None)
    assert found == {key: value for key, _, value in COLUMNS if key in found}
    assert len(found) == 100 if left < 0 else 0 < len(found) <= 100
    assert len(found) == len(database.all_keys())
    (sentence,) = database.lost
    assert "blocks are intact, the rest after byte" in sentence


@pytest.mark.parametrize("compression", [0, 1, 2, 4])
def test_a_table_that_is_cut_in_its_first_block_is_lost(compression: int) -> None:
    files = twin.database([COLUMNS], compression=compression)
    files.contents[TABLE] = files.contents[TABLE][:40]
    database = Database(files)
    assert database.scan(b"", None) == {}
    (sentence,) = database.lost
    assert sentence.endswith("; the whole table is lost.")


def test_a_lost_block_is_told_with_the_columns_round_it() -> None:
    files = twin.database([COLUMNS])
    data = bytearray(files.contents[TABLE])
    data[len(data) // 3] ^= 1
    files.contents[TABLE] = bytes(data)
    database = Database(files)
    found = database.scan(b"", None)
    assert 80 < len(found) < 100
    assert re.search(r"from column \d+,0 to column \d+,0 in the table\.$", database.lost[0])


def test_keys_in_an_unknown_order_are_refused() -> None:
    files = twin.database([ENTRIES])
    files.contents["db/MANIFEST-000003"] = twin.manifest({5: ENTRIES}, 90, b"other.Order")
    with pytest.raises(FolderError, match=r"MANIFEST-000003: keys are ordered by other\.Order"):
        Database(files)


@pytest.mark.parametrize("compression", [0, 1, 2, 4])
def test_a_block_that_inflates_without_end_is_lost(compression: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("net.saved_world.block.CONTENT_BYTES", 1000)
    files = twin.database([[(b"a", 1, bytes(5000))], [(b"b", 2, b"small")]], compression=compression)
    database = Database(files)
    found = database.scan(b"", None)
    if compression == 0:
        assert found[b"a"] == bytes(5000)  # it is as large as it lies there
    else:
        assert found == {b"b": b"small"}
        assert "more than 1000 bytes" in database.lost[0]


def test_an_unknown_compression_is_named() -> None:
    files = twin.database([ENTRIES], compression=3)
    database = Database(files)
    assert database.scan(b"", None) == {}
    assert "unknown compression 3" in database.lost[0]


def test_zstd_of_upstream_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twin, "compressed", lambda content, _: bytes(cramjam.zstd.compress(content)))
    database = Database(twin.database([ENTRIES], compression=2))
    assert database.scan(b"", None) == {}
    assert "a block is compressed with zstd, which no game uses" in database.lost[0]


def test_what_is_no_world_is_one_sentence() -> None:
    with pytest.raises(FolderError, match=r"^memory is not a world: it has neither level\.dat nor a folder 'db'$"):
        Folder(MemoryFiles())
    with pytest.raises(FolderError, match=r"^memory has no folder 'db', so it is not a world$"):
        Folder(MemoryFiles({"level.dat": level()}))


def test_blocks_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("net.saved_world.leveldb.CACHE_BYTES", 2000)
    entries = [(bytes((at,)), at + 1, bytes(300)) for at in range(200)]
    database = Database(twin.database([entries]))
    for _ in range(2):
        assert len(database.scan(b"", None)) == 200
    assert database._held_bytes <= 2000 + 8 * 320
    assert len(database._blocks) < 3


def test_a_write_of_an_unknown_kind_is_none_in_a_list_as_in_a_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twin, "internal", lambda key, sequence, _: key + struct.pack("<Q", sequence << 8 | 5))
    database = Database(twin.database([[(b"a", 1, b"odd")]]))
    assert database.scan(b"", None) == {}
    assert database.all_keys() == []


# ---------------------------------------------------------------- real worlds

NAMES = ["rbedrock-example1", "rbedrock-example2"]


def facts(name: str) -> dict[str, Any]:
    return json.loads(shared_data(f"worlds/{name}.json").read_text())


def folder(name: str) -> Folder:
    return Folder(open_world_files(shared_data(f"worlds/{name}.mcworld")))


@pytest.mark.parametrize("name", NAMES)
def test_keys_columns_and_sub_chunks_are_all_there(name: str) -> None:
    known, found = facts(name), folder(name)
    assert len(found._database.all_keys()) == known["keys"]
    columns = found.columns()
    assert len(columns) == known["columns"]["0"]
    saved = [column for position in columns if (column := found.column(0, position)) is not None]
    sections = [section for column in saved for section in column.subchunks]
    assert [min(sections), max(sections)] == known["y_range"]
    versions = Counter(str(data[0]) for column in saved for data in column.subchunks.values())
    assert versions == Counter(known["subchunks"])
    assert found.lost == []
    assert found.level.name == known["level_name"]
    assert list(found.level.version) == known["last_opened"]
    assert [found.level.spawn[0], 32767, found.level.spawn[2]] == known["spawn"]


@pytest.mark.parametrize("name", NAMES)
def test_sampled_blocks_equal_what_another_reader_found(name: str) -> None:
    world = SavedWorld(open_world_files(shared_data(f"worlds/{name}.mcworld")))
    columns = {}
    for x, y, z, block, states, _ in facts(name)["probe"]:
        place = BlockPos(x, y, z)
        column = columns.setdefault(place.column, world.column(place.column))
        section = place.subchunk.y - world.dimension.floor_section
        found = world.states[column.layer0[section, place.in_subchunk]]
        assert (found.name, dict(found.states)) == (block, states), place
    assert len(columns) > 30
    assert not world.lost


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", [486, 685, 2193])
def test_their_blocks_are_known_to_releases_that_are_not_older(name: str, protocol: int) -> None:
    world = SavedWorld(open_world_files(shared_data(f"worlds/{name}.mcworld")))
    for position in world._folder.columns():
        world.column(position)
    form = form_of(Palette.for_protocol(protocol), world.states)
    unknown = {state.name.removeprefix("minecraft:") for state in form.unknown}
    later = {"wildflowers", "bush", "leaf_litter"}  # 1.21.70
    trials = {"tuff_bricks", "chiseled_tuff_bricks", "polished_tuff", "vault", "trial_spawner", "waxed_chiseled_copper"}
    trials |= {"waxed_weathered_copper_bulb"}
    if name == NAMES[0] or protocol == 2193:
        assert unknown == set()
    else:
        assert unknown == (later if protocol == 685 else later | trials)
