"""Saved worlds as a SOURCE: through a child process, in virtual time, and as a scene."""

from pathlib import Path

import numpy as np
import pytest

from client.connection import connect
from client.connection.virtual_time import VirtualServer, open_virtual
from client.embedded_server import is_served, served_protocol, server_command
from client.errors import SourceError
from client.options import SAVED_PROTOCOL, Options, parse_box
from client.player import Eye
from client.report.dump import dump
from client.source import Embedded, Remote, WorldFile, is_saved_world
from net.bedrock.releases import NEWEST
from net.nbt import DISK, Compound, Int, encode_root
from net.space.positions import BlockPos
from tests.support.reference.leveldb import MemoryFiles
from tests.support.worlds.saved import level, named, storage, subchunk, world, write_folder, write_packed

PATIENT_S = 280.0
STONE = storage([named("stone", stone_type="stone")], np.zeros(4096, int))
LEAVES = [named("leaf_litter", growth=1), named("planks", wood_type="birch"), named("own_block")]


def files() -> MemoryFiles:
    """Stone below 3 x 3 columns, an odd sub-chunk on the middle one, one column in the Nether."""
    odd = storage(LEAVES, np.arange(4096) % 3)
    columns = {(0, x, z): {0: subchunk(8, [STONE])} for x in range(3) for z in range(3)}
    columns[0, 1, 1] = {0: subchunk(8, [STONE]), 1: subchunk(9, [odd], 1)}
    columns[1, 1, 1] = {2: subchunk(8, [STONE])}
    columns[0, 2, 2] = {0: subchunk(8, [storage([named("chest", facing_direction=2)], np.zeros(4096, int))])}
    chests = b"".join(encode_root(chest(x, y), DISK) for x, y in CHESTS)
    return world(columns, {(0, 2, 2, 49): chests}, level_dat=level("Written"))


CHESTS = ((32, 3), (33, 4))


def chest(x: int, y: int) -> Compound:
    return {"id": "Chest", "x": Int(x), "y": Int(y), "z": Int(40), "Items": [], "CustomName": f"chest {x}"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(files(), tmp_path_factory.mktemp("world") / "folder")


def test_a_folder_and_a_packed_world_are_served_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    packed = write_packed(files(), tmp_path / "renamed.bin")
    recording = tmp_path / "a.cscope"
    recording.write_bytes(b"\x89CSCOPE\n")
    assert [is_served(WorldFile(path)) for path in (folder, packed, recording, tmp_path / "absent.mcworld")] == [
        True,
        True,
        False,
        False,
    ]
    assert is_served(Embedded())
    assert not is_served(Remote("host"))
    assert not is_saved_world(Embedded())


def test_they_are_spoken_about_in_the_newest_release_unless_another_is_asked_for(folder: Path) -> None:
    assert NEWEST.protocol == SAVED_PROTOCOL
    assert served_protocol(WorldFile(folder), Options()) == NEWEST.protocol
    assert served_protocol(WorldFile(folder), Options(protocol=589)) == 589
    assert served_protocol(Embedded(), Options()) == 486
    line = " ".join(server_command(WorldFile(folder), Options(dimension=1)))
    assert f"--folder {folder} --dimension 1" in line
    assert "--time" not in line


def test_a_dump_holds_what_was_saved(folder: Path, tmp_path: Path) -> None:
    box = parse_box("0,-16,0,48,48,48")
    report = dump(WorldFile(folder), box, tmp_path / "a.npz", Options(radius=2, timeout_s=PATIENT_S))
    assert report.complete
    found = np.load(tmp_path / "a.npz")
    names = found["names"][found["blocks"]]
    assert set(names[:, :, :16].ravel()) == {"minecraft:air"}
    assert set(names[:32, :, 16:32].ravel()) == {"minecraft:stone"}
    middle = names[16:32, 16:32, 32:48].reshape(-1)
    wanted = np.array(["minecraft:leaf_litter", "minecraft:birch_planks", "minecraft:unknown"])[np.arange(4096) % 3]
    np.testing.assert_array_equal(middle, wanted)
    assert "Protocol 2193 has no block minecraft:own_block" in report.text()


def test_a_world_of_blocks_named_like_ours_is_opened(tmp_path: Path) -> None:
    own: Compound = {**named("x"), "name": "some:blue_stained_glass2"}
    column = {0: subchunk(9, [storage([named("stone", stone_type="stone"), own], np.arange(4096) % 2)], 0)}
    place = write_folder(world({(0, 0, 0): column}), tmp_path / "custom")
    with connect(WorldFile(place), radius=1, timeout_s=PATIENT_S) as joined:
        assert joined.wait_settled()
        assert {joined.block((0, y, 0)).name for y in (0, 1)} == {"minecraft:stone", "minecraft:unknown"}


@pytest.mark.parametrize("mode", ["limited", "limitless", "full"])
def test_block_entities_come_with_their_blocks(folder: Path, mode: str) -> None:
    for at in (Eye(40.0, 20.0, 40.0), None):  # the second visit knows the terrain by its blobs
        with connect(WorldFile(folder), radius=2, mode=mode, at=at, timeout_s=PATIENT_S) as joined:
            assert joined.wait_settled()
            for x, y in CHESTS:
                assert joined.session.dimension.store.block_entity(BlockPos(x, y, 40)) == chest(x, y)


def test_a_chest_that_was_taken_away_holds_nothing_any_more(folder: Path) -> None:
    server = VirtualServer()
    options = Options(radius=1, light=False, at=Eye(40.5, 20.0, 40.5))
    edit = {"low": [32, 3, 40], "high": [32, 3, 40], "name": "minecraft:air", "states": {}, "layer": 0}
    connection, _ = open_virtual(server, WorldFile(folder), options, [edit])
    assert connection.wait_settled()
    found = [connection.session.dimension.store.block_entity(BlockPos(x, y, 40)) for x, y in CHESTS]
    assert found == [None, chest(33, 4)]


def test_the_nether_is_another_dimension(folder: Path) -> None:
    with connect(WorldFile(folder), radius=1, dimension=1, timeout_s=PATIENT_S) as joined:
        assert joined.wait_settled()
        assert joined.block((20, 40, 20)).name == "minecraft:stone"
        assert joined.session.dimension.store.dimension.number == 1


def test_virtual_time_takes_them_with_edits(folder: Path) -> None:
    server = VirtualServer()
    options = Options(radius=1, light=False, at=Eye(24.5, 40.0, 24.5))
    edit = {"low": [24, 20, 24], "high": [24, 20, 24], "name": "minecraft:glass", "states": {}, "layer": 0}
    connection, _ = open_virtual(server, WorldFile(folder), options, [edit])
    assert connection.wait_settled()
    assert connection.block((24, 20, 24)).name == "minecraft:glass"
    assert connection.block((24, 10, 24)).name == "minecraft:stone"
    again, _ = open_virtual(server, WorldFile(folder), options)
    assert again.wait_settled()
    assert again.block((24, 20, 24)).name != "minecraft:glass"
    with pytest.raises(SourceError, match=r"absent: .*No such file or directory"):
        open_virtual(server, WorldFile(folder / "absent"), options)
