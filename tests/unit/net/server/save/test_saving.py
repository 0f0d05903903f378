"""A host that saves: what comes back in its next life, in which words, and what nobody may notice.

Killed: A server killed at any moment while it saves leaves the world of one tick, and loses nothing it said was saved.
"""

import random
import sqlite3
import zlib
from pathlib import Path

import numpy as np
import pytest

from net.bedrock import ChangeDimension, MovePlayer, StartGame, UpdateBlock
from net.errors import FolderError
from net.nbt import DISK, NETWORK, Int, encode_root
from net.palette import BlockState, Palette
from net.server import column_provider
from net.server.column_provider import TooManyChanges
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions
from net.server.save.players import SavedPlayer
from net.server.save.terrain import HEAD, read_section, section_key
from net.server.worlds import SavedWorld
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.storage.server_save import SaveFolder
from net.storage.world_files import open_world_files
from tests.support.reference.wire import read_roots
from tests.support.servers.saving import STATES, Expected, edits_of, kill_and_look, look_at, open_host, play, version_of
from tests.support.session.plain_client import Talk, go_to, plain_subchunk
from tests.support.worlds.saved import named, storage, subchunk, write_folder
from tests.support.worlds.saved import world as written

# ---------------------------------------------------------------- saving

HERE = BlockPos(3, -60, 4)
GLASS, WOOL = BlockState("minecraft:glass"), BlockState("minecraft:wool", (("color", "red"),))
WOOL_NOW = BlockState("minecraft:red_wool")
WATER = BlockState("minecraft:water", (("liquid_depth", 0),))
LONG_S = 200.0
ONE_BLOCK = b'[["a:b",{}]]    ' + bytes(8192)
"""A palette of sixteen bytes, and a layer of it."""


class Life:
    """One life of a host on a folder."""

    def __init__(self, path: Path, protocol: int = 486) -> None:
        self.warned: list[str] = []
        self.saved: list[int] = []
        self.host, self.saving, self.folder = open_host(path, self.saved, self.warned, protocol)

    def end(self) -> None:
        self.host.finish(0.0)
        self.folder.close()


def wait_saved(life: Life) -> None:
    """Ticks far apart, until what changed is saved: an idle server saves."""
    before = len(life.saved)
    for now in range(1, 200):
        life.host.tick(now * 100.0)
        for part in (*life.folder.storages.values(), life.folder.record):
            assert part.wait(LONG_S)
        if len(life.saved) > before:
            return
    raise AssertionError(life.warned)


def test_blocks_versions_clock_and_tick_come_back(tmp_path: Path) -> None:
    first = Life(tmp_path)
    first.host.tick(0.1)
    first.host.set_block(HERE, GLASS)
    first.host.set_block(HERE, WATER, layer=1)
    first.host.time = 13000
    first.end()
    assert first.saved == [2]
    second = Life(tmp_path)
    assert (second.host.dimensions.start.block(HERE), second.host.dimensions.start.block(HERE, 1)) == (GLASS, WATER)
    assert version_of(second.host, HERE.subchunk) == (2, 2)
    assert version_of(second.host, HERE.subchunk._replace(y=0)) == (0, 0)
    assert (second.saving.time, second.host.tick_number) == (13000, 3)
    second.host.set_block(HERE, WOOL)
    second.end()
    third = Life(tmp_path)
    assert (third.host.dimensions.start.block(HERE), version_of(third.host, HERE.subchunk)) == (WOOL, (3, 3))
    third.end()


def test_each_dimension_has_its_own_blocks_under_one_tick(tmp_path: Path) -> None:
    first = Life(tmp_path)
    below = HERE._replace(y=20)
    first.host.set_block(below, GLASS)
    first.host.set_block(below, WOOL, dimension=1)
    first.end()
    assert first.saved == [1]
    second = Life(tmp_path)
    assert (second.host.dimensions.start.block(below), second.host.dimensions.of(1).block(below)) == (GLASS, WOOL)
    second.host.set_block(below, WATER, dimension=1)
    with pytest.raises(ValueError, match=r"^flat:1 has no dimension end$"):
        second.host.set_block(below, WATER, dimension=2)
    second.end()
    third = Life(tmp_path)
    assert [version_of(third.host, below.subchunk, number) for number in (0, 1)] == [(1, 1), (2, 2)]
    third.end()


def test_a_world_saved_at_486_opens_at_975_and_goes_back(tmp_path: Path) -> None:
    first = Life(tmp_path, 486)
    first.host.set_block(HERE, WOOL)
    first.end()
    newer = Life(tmp_path, 975)
    talk = Talk(newer.host, protocol=975)
    talk.join(1)
    talk.ask(HERE.subchunk, [(0, 0, 0)])
    assert talk.run(lambda: len(talk.entries) == 1)
    _, layers, _ = plain_subchunk(talk.entries[HERE.subchunk].payload)
    red = Palette.for_protocol(975).runtime_id_of(BlockState("minecraft:red_wool"))
    assert layers[0][HERE.in_subchunk] == red
    newer.host.set_block(HERE._replace(x=5), BlockState("minecraft:blue_wool"))
    newer.end()
    older = Life(tmp_path, 486)
    assert older.host.dimensions.start.block(HERE) == WOOL
    assert older.host.dimensions.start.block(HERE._replace(x=5)) == BlockState("minecraft:blue_wool")  # as it was set
    talk = Talk(older.host)
    talk.join(1)
    talk.ask(HERE.subchunk, [(0, 0, 0)])
    assert talk.run(lambda: len(talk.entries) == 1)
    _, layers, _ = plain_subchunk(talk.entries[HERE.subchunk].payload)
    blue = Palette.for_protocol(486).runtime_id_of(BlockState("minecraft:wool", (("color", "blue"),)))
    assert layers[0][HERE._replace(x=5).in_subchunk] == blue
    assert older.host.dimensions.unknown_states == []
    older.end()


def test_a_block_that_the_protocol_does_not_have_is_told_and_kept(tmp_path: Path) -> None:
    copper = BlockState(
        "minecraft:crafter", (("crafting", False), ("orientation", "down_east"), ("triggered_bit", False))
    )
    newer = Life(tmp_path, 975)
    newer.host.set_block(HERE, copper)
    newer.end()
    older = Life(tmp_path, 486)
    assert older.host.dimensions.start.block(HERE) == copper
    assert list(older.host.dimensions.unknown_states) == [copper]
    older.host.set_block(HERE._replace(x=5), GLASS)  # so that the sub-chunk is written anew
    older.end()
    again = Life(tmp_path, 975)
    assert (again.host.dimensions.start.block(HERE), again.host.dimensions.unknown_states) == (copper, [])
    again.end()


def test_a_player_starts_where_it_was(tmp_path: Path) -> None:
    first = Life(tmp_path)
    talk = Talk(first.host)
    talk.join(1)
    talk.wire.send(MovePlayer(1, (100.5, 70.0, -40.5), 12.0, 90.0, 90.0))
    talk.rest(0.3)
    first.end()
    second = Life(tmp_path)
    talk = Talk(second.host)
    talk.join(1)
    (start,) = talk.of(StartGame)
    assert isinstance(start, StartGame)
    assert start.position == pytest.approx((100.5, 70.0, -40.5))
    assert (start.pitch, start.yaw, start.spawn) == (12.0, 90.0, BlockPos(0, -60, 0))
    assert set(talk.columns) == {ColumnPos(x, z) for x in (5, 6, 7) for z in (-4, -3, -2)}
    second.end()


def test_a_player_starts_in_the_dimension_where_it_was(tmp_path: Path) -> None:
    first = Life(tmp_path)
    talk = Talk(first.host)
    talk.join(1)
    go_to(first.host, 1, 1, (100.5, 20.0, -40.5))
    assert talk.run(lambda: bool(talk.of(ChangeDimension)))
    first.end()
    second = Life(tmp_path)
    talk = Talk(second.host)
    talk.join(1)
    (start,) = talk.of(StartGame)
    assert isinstance(start, StartGame)
    assert (start.dimension, start.position) == (1, pytest.approx((100.5, 21.62, -40.5)))
    assert set(talk.columns) == {ColumnPos(x, z) for x in (5, 6, 7) for z in (-4, -3, -2)}
    second.end()


def test_where_all_are_to_start_in_one_dimension_nobody_starts_in_another(tmp_path: Path) -> None:
    first = Life(tmp_path)
    saved = SavedPlayer(1, (100.5, 20.0, -40.5), 0.0, 0.0)
    first.saving.players.record("00000000-0000-4000-8000-000000000001", saved)
    first.end()
    saved_by: list[int] = []
    options = HostOptions(all_start_there=True)
    host, saving, folder = open_host(tmp_path, saved_by, [], options=options)
    talk = Talk(host)
    talk.join(1)
    (start,) = talk.of(StartGame)
    assert isinstance(start, StartGame)
    assert (start.dimension, start.position) == (0, pytest.approx((0.5, -58.38, 0.5)))
    assert saving.players.restore("00000000-0000-4000-8000-000000000001") == saved  # until it moves
    host.finish(0.0)
    folder.close()


def test_a_row_that_cannot_be_read_costs_its_sub_chunk_alone(tmp_path: Path) -> None:
    first = Life(tmp_path)
    first.host.set_block(HERE, GLASS)
    first.host.set_block(HERE._replace(y=0), GLASS)
    first.end()
    connection = sqlite3.connect(tmp_path / "terrain.sqlite")
    connection.execute("UPDATE row SET value = x'00' WHERE key = ?", (section_key(0, HERE.subchunk),))
    connection.commit()
    connection.close()
    second = Life(tmp_path)
    assert second.host.dimensions.start.block(HERE._replace(y=0)) == GLASS
    assert second.host.dimensions.start.block(HERE) == BlockState("minecraft:air")
    assert second.saving.lost == [
        f"Changes of sub-chunk 0,-4,0 cannot be read: it has 1 bytes; its header alone has {HEAD.size}."
    ]
    second.end()


def test_what_is_saved_may_be_forgotten_and_what_is_not_may_not(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.host.set_block(HERE, GLASS)
    life.host.dimensions.start.provider.forget()
    assert life.host.dimensions.start.block(HERE) == GLASS
    wait_saved(life)
    life.host.set_block(HERE._replace(x=40), GLASS)
    life.host.dimensions.start.provider.forget()
    made = life.host.dimensions.start.provider.news
    assert (life.host.dimensions.start.block(HERE), version_of(life.host, HERE.subchunk).number) == (GLASS, 1)
    assert life.host.dimensions.start.provider.news == made + 1  # it had been forgotten
    assert life.host.dimensions.start.block(HERE._replace(x=40)) == GLASS
    assert life.host.dimensions.start.provider.news == made + 1
    life.end()


@pytest.mark.parametrize("mode", [ColumnMode.LIMITED, ColumnMode.FULL])
def test_dropping_the_cache_at_any_moment_changes_nothing_that_a_client_sees(tmp_path: Path, mode: ColumnMode) -> None:
    def story(path: Path, *, drops: bool) -> tuple[object, ...]:
        dice, drop_dice = random.Random(4), random.Random(5)
        saved: list[int] = []
        host, _, folder = open_host(path, saved, [], mode=mode)
        talk = Talk(host)
        talk.join(2)
        for _ in range(30):
            at = BlockPos(dice.randrange(-32, 48), dice.randrange(-64, 0), dice.randrange(-32, 48))
            host.set_block(at, dice.choice((GLASS, WOOL, WATER)))
            if dice.random() < 0.5:
                column = dice.choice(sorted(talk.columns))
                talk.ask(SubChunkPos(column.x, 0, column.z), [(0, y, 0) for y in range(-4, 2)])
            talk.rest(0.2)
            if drops and drop_dice.random() < 0.5:
                for part in (*folder.storages.values(), folder.record):
                    assert part.wait(LONG_S)
                host.dimensions.start.provider.forget()
        columns = sorted(talk.columns)
        versions = [version_of(host, SubChunkPos(at.x, y, at.z)).number for at in columns for y in range(-4, 0)]
        heard = [message for message in talk.heard if isinstance(message, UpdateBlock)]
        payloads = [(at, message.payload, message.limit) for at, message in sorted(talk.columns.items())]
        host.finish(0.0)
        folder.close()
        return versions, heard, payloads, sorted(talk.entries.items()), [packet.entries for packet in talk.packets]

    assert story(tmp_path / "kept", drops=False) == story(tmp_path / "dropped", drops=True)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\3" + bytes(40),
        HEAD.pack(1, 1, 1, 1, 4) + b"junk",
        HEAD.pack(1, 1, 1, 1, 16) + zlib.compress(ONE_BLOCK + b"\0\0"),
        HEAD.pack(2, 1, 1, 1, 16) + zlib.compress(ONE_BLOCK + b"\0"),
        HEAD.pack(2, 1, 1, 1, 16) + zlib.compress(ONE_BLOCK + b"\xff\xff"),
    ],
)
def test_values_that_make_no_sense_are_errors(value: bytes) -> None:
    with pytest.raises(FolderError):
        read_section(value)


def test_a_life_that_fails_to_open_gives_the_folder_back(tmp_path: Path) -> None:
    (tmp_path / "committed.json").write_text('{"format": 1, "world": "hills:2", "tick": 1}')
    with pytest.raises(Exception, match="contains the changes of hills:2"):
        Life(tmp_path)
    (tmp_path / "committed.json").unlink()
    folder = SaveFolder(tmp_path, "hills:2", ("terrain",), [].append)
    folder.record.close()
    folder.close()


def test_what_cannot_be_saved_is_bounded_told_once_and_goes_on_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_provider, "MOST_CHANGED", 2)
    life = Life(tmp_path)
    for x in (0, 16):
        life.host.set_block(HERE._replace(x=x), GLASS)
    life.host.set_block(HERE._replace(x=17), GLASS)
    for _ in range(2):
        with pytest.raises(TooManyChanges):
            life.host.set_block(HERE._replace(x=32), GLASS)
    assert life.warned == [
        "2 columns have unsaved changes, which is the maximum; other columns cannot change until something is saved."
    ]
    assert life.host.dimensions.start.block(HERE._replace(x=32)) == BlockState("minecraft:air")
    wait_saved(life)
    life.host.set_block(HERE._replace(x=32), GLASS)
    life.host.set_block(HERE._replace(x=48), GLASS)
    with pytest.raises(TooManyChanges):
        life.host.set_block(HERE._replace(x=64), GLASS)
    assert len(life.warned) == 2
    life.end()


CHEST = {"id": "Chest", "x": Int(3), "y": Int(1), "z": Int(4)}


def saved_world(folder: Path) -> SavedWorld:
    return SavedWorld(open_world_files(folder))


def test_edits_of_a_saved_world_come_back_and_its_folder_stays_as_it_was(tmp_path: Path) -> None:
    stone = subchunk(8, [storage([named("chest", facing_direction=2)], np.zeros(4096, int))])
    entities = encode_root(CHEST, DISK) + encode_root(CHEST | {"y": Int(2)}, DISK)
    folder = write_folder(written({(0, 0, 0): {0: stone}}, {(0, 0, 0, 49): entities}), tmp_path / "mine")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}
    lower, upper = BlockPos(3, 1, 4), BlockPos(3, 2, 4)

    def life(protocol: int) -> tuple[Host, SaveFolder, list[str]]:
        warned: list[str] = []
        host, saving, kept = open_host(tmp_path / "mine.edits", [], warned, protocol, world=saved_world(folder))
        assert saving.lost == []
        return host, kept, warned

    host, kept, warned = life(2193)
    host.set_block(lower, GLASS)
    host.set_block(BlockPos(3, 200, 4), WOOL_NOW)
    host.set_block(BlockPos(40, 0, 4), GLASS)  # where nothing was saved
    host.finish(0.0)
    kept.close()
    for protocol in (2193, 486):
        host, kept, warned = life(protocol)
        found = [host.dimensions.start.block(at) for at in (lower, BlockPos(3, 200, 4), BlockPos(40, 0, 4))]
        assert found == [GLASS, WOOL_NOW, GLASS]
        assert host.dimensions.start.block(upper).name == "minecraft:chest"
        held = host.dimensions.start.provider.snapshot(ColumnPos(0, 0)).all_entities()
        assert read_roots(held, NETWORK) == [CHEST | {"y": Int(2)}], "a chest that was taken away holds nothing"
        kept.close()
        assert warned == []
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}
    assert after == before


def row_formats(path: Path) -> list[int]:
    """Of the changed sub-chunks of a save, by their keys."""
    connection = sqlite3.connect(path / "terrain.sqlite")
    found = [value[0] for (value,) in connection.execute("SELECT value FROM row ORDER BY key")]
    connection.close()
    return found


def test_a_chest_in_the_place_of_a_chest_that_ended_stays_empty(tmp_path: Path) -> None:
    chests = subchunk(8, [storage([named("chest", facing_direction=2)], np.zeros(4096, int))])
    entities = encode_root(CHEST, DISK) + encode_root(CHEST | {"y": Int(2)}, DISK)
    folder = write_folder(written({(0, 0, 0): {0: chests}}, {(0, 0, 0, 49): entities}), tmp_path / "mine")
    lower, upper, far = BlockPos(3, 1, 4), BlockPos(3, 2, 4), BlockPos(3, 200, 4)

    def life() -> tuple[Host, SaveFolder]:
        host, saving, kept = open_host(tmp_path / "mine.edits", [], [], world=saved_world(folder))
        assert saving.lost == []
        return host, kept

    def held(host: Host) -> list[object]:
        told = host.dimensions.start.provider.snapshot(ColumnPos(0, 0)).all_entities()
        return [one["y"] for one in read_roots(told, NETWORK)]

    host, kept = life()
    chest = host.dimensions.start.block(lower)
    host.set_block(lower, GLASS)
    host.set_block(lower, chest)
    host.set_block(far, GLASS)
    assert held(host) == [2]
    host.finish(0.0)
    kept.close()
    assert row_formats(tmp_path / "mine.edits") == [2, 1], "servers of before read what needs no more"
    for edit in (BlockPos(9, 9, 9), BlockPos(9, 8, 9)):
        host, kept = life()
        assert (held(host), host.dimensions.start.block(lower)) == ([2], chest)
        host.set_block(edit, GLASS)  # the sub-chunk is written once more
        host.finish(0.0)
        kept.close()
    host, kept = life()
    assert held(host) == [2]
    host.set_block(upper, GLASS)
    assert held(host) == []
    host.finish(0.0)
    kept.close()


# ---------------------------------------------------------------- killed

KILLS = 12


def test_a_killed_server_leaves_the_world_of_one_tick(tmp_path: Path) -> None:
    found = kill_and_look(tmp_path, KILLS, seed=1, most_lines=600)
    assert found[-1] > 50


def test_a_world_that_is_not_of_one_tick_would_be_noticed(tmp_path: Path) -> None:
    saved: list[int] = []
    host, saving, folder = open_host(tmp_path, saved, [])
    for _ in range(20):
        play(host, saving)
    dimension, position, state = edits_of(20)[-1]
    host.set_block(position, next(other for other in STATES if other != state), dimension=dimension)
    host.finish(0.0)
    folder.close()
    with pytest.raises(AssertionError, match="blocks differ"):
        look_at(tmp_path, Expected())
