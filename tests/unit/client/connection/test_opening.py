"""What a session on each kind of source is told.

Blob cache: A world joined with a blob cache is the world without one, and a second visit transfers ids.

Embedded world: The real thing once: our server as a child process, joined over UDP on loopback.

Saved worlds: Saved worlds as a SOURCE: through a child process, in virtual time, and as a scene.
"""

import math
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

import client
from client import embedded_server
from client.connection import connect, opening
from client.connection.opening import OUR_INTERVAL_S, open_blob_cache, session_config
from client.connection.virtual_time import VirtualServer, open_virtual
from client.embedded_server import is_served, served_protocol, server_command
from client.errors import SourceError, UnreadableFile, UsageError
from client.options import SAVED_PROTOCOL, Options, parse_box
from client.player import Eye
from client.report.dump import dump, read_box
from client.source import Embedded, Remote, WorldFile, is_saved_world, parse_source
from client.streaming.limits import RequestLimits
from net.blobs import BlobSource, BlobStats, MemoryBlobs
from net.nbt import DISK, Compound, Int, encode_root
from net.peer import PeerStats
from net.raknet.ping import Pong, pong_text, read_ping, write_pong
from net.releases import NEWEST
from net.server.host_options import ColumnMode, HostOptions
from net.space import BlockPos
from net.storage import BlobStore
from net.storage.blob_store import FILE_NAME
from net.transport.faulty import Wire, WireFaults
from net.wire.fields import Profile
from tests.support.reference.leveldb import MemoryFiles
from tests.support.session.virtual import VirtualSession, shared_world
from tests.support.worlds.saved import level, named, storage, subchunk, world, write_folder, write_packed
from tests.support.worlds.server import generated_box

# ---------------------------------------------------------------- opening

# ---------------------------------------------------------------- opening


@pytest.mark.parametrize(
    ("source", "quiet_s"),
    [
        ("embedded:hills", 15.0),
        ("embedded:flat:7", 15.0),
        ("embedded:bench", 0.5),
        ("127.0.0.1:19132", 0.5),
        ("a.zip", 0.5),
    ],
)
def test_our_worlds_without_end_alone_may_be_silent_for_long(source: str, quiet_s: float) -> None:
    assert session_config(parse_source(source), Options(), 486).quiet_s == quiet_s


@pytest.mark.parametrize(("source", "delay_s"), [("127.0.0.1:19132", 0.0), ("embedded:hills", 0.1)])
def test_our_own_server_alone_is_asked_more_than_once_a_tick(source: str, delay_s: float) -> None:
    usual = RequestLimits()
    assert session_config(parse_source(source), Options(delay_s=delay_s), 486).limits == usual
    ours = session_config(parse_source("embedded:hills"), Options(), 486).limits
    assert ours == replace(usual, packet_interval_s=OUR_INTERVAL_S)
    assert usual.packet_interval_s > OUR_INTERVAL_S


def test_a_system_that_does_not_answer_is_told_of_and_given_up() -> None:
    gate, told = threading.Event(), []
    with pytest.raises(SourceError, match=r"looking up far\.example took too long"):
        opening._beside(gate.wait, lambda: told.append(1), 0.0, "looking up far.example took too long")
    assert told, "a window is alive meanwhile"
    gate.set()


def test_who_waits_for_the_system_may_give_up() -> None:
    def closed() -> None:
        raise KeyboardInterrupt

    gate = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        opening._beside(gate.wait, closed, math.inf, "looking up far.example took too long")
    gate.set()


# ---------------------------------------------------------------- blob cache

BOX = parse_box("-24,-64,-24,24,128,24")
BAD_WIRE = WireFaults(loss=0.1, repetition=0.1, delay_s=0.05, jitter_s=0.05, reordering=0.2)

Arrays = dict[str, npt.NDArray[Any]]


def visit(
    blobs: BlobSource | None,
    mode: ColumnMode = ColumnMode.LIMITED,
    profile: Profile = Profile.BEDROCK,
    protocol: int = 486,
    faults: WireFaults | None = None,
) -> tuple[Arrays, PeerStats]:
    """A dump of a box of hills, and what the peer counted."""
    wires = (Wire(faults, 1), Wire(faults, 2)) if faults else (None, None)
    session = VirtualSession("hills:1", HostOptions(mode=mode), None, profile, *wires, protocol=protocol, blobs=blobs)
    connection = session.connection(Options(radius=2, light=False))
    assert connection.request(BOX, 120.0)
    stats = connection.statistics()
    assert stats.session.terrain.faults == 0
    assert stats.session.faulty_packets == 0
    arrays = read_box(connection, BOX)
    connection.close()
    return arrays, stats.peer


def blob_stats(stats: PeerStats) -> BlobStats:
    assert stats.blobs is not None
    return stats.blobs


def assert_same(one: Arrays, other: Arrays) -> None:
    for name in ("known", "biomes"):
        assert (one[name] == other[name]).all(), name
    for name in ("blocks", "layer1"):  # row numbers are given in the order of arrival
        assert (one["runtime_ids"][one[name]] == other["runtime_ids"][other[name]]).all(), name


@pytest.mark.parametrize("mode", list(ColumnMode))
@pytest.mark.parametrize("profile", list(Profile))
def test_cold_and_warm_dumps_are_those_without_a_cache(mode: ColumnMode, profile: Profile) -> None:
    plain, without = visit(None, mode, profile)
    assert without.blobs is None
    blobs = MemoryBlobs()
    cold, first = visit(blobs, mode, profile)
    warm, second = visit(blobs, mode, profile)
    assert_same(plain, cold)
    assert_same(plain, warm)
    assert blob_stats(first).misses > 100
    assert blob_stats(second).misses == 0
    assert blob_stats(second).hits >= blob_stats(first).misses
    assert second.bytes_in < 0.15 * without.bytes_in
    assert first.bytes_in < 1.15 * without.bytes_in


@pytest.mark.parametrize("protocol", [818, 1001, 2168, 2193])
def test_every_form_of_the_packets_carries_blobs(protocol: int) -> None:
    plain, _ = visit(None, protocol=protocol)
    blobs = MemoryBlobs()
    for misses in (True, False):
        cached, stats = visit(blobs, protocol=protocol)
        assert_same(plain, cached)
        assert bool(blob_stats(stats).misses) == misses


def test_a_bad_wire_changes_nothing() -> None:
    plain, _ = visit(None)
    blobs = MemoryBlobs()
    for _ in range(2):
        cached, stats = visit(blobs, faults=BAD_WIRE)
        assert_same(plain, cached)
        counts = blob_stats(stats)
        assert (counts.lying, counts.unasked, counts.timed_out, counts.overflowed) == (0, 0, 0, 0)


def test_the_disk_remembers_for_the_next_process(tmp_path: Path) -> None:
    stores = []
    dumps = []
    for _ in range(2):
        store = BlobStore(tmp_path / FILE_NAME)
        dumps.append(visit(MemoryBlobs(behind=store)))
        store.close()
        stores.append(store.failure)
    assert stores == [None, None]
    assert_same(dumps[0][0], dumps[1][0])
    assert blob_stats(dumps[1][1]).misses == 0


def test_a_small_memory_alone_still_gives_the_whole_world() -> None:
    """Blobs that are announced again after they were forgotten are asked again."""
    plain, _ = visit(None)
    blobs = MemoryBlobs(most_bytes=20_000)
    for _ in range(2):
        assert_same(plain, visit(blobs)[0])


def test_servers_get_a_cache_and_our_own_child_and_recordings_get_none(tmp_path: Path, own_cache_folder: Path) -> None:
    server, child = Remote("127.0.0.1"), Embedded()
    store = open_blob_cache(server, Options())
    assert store is not None
    assert store.path == own_cache_folder / FILE_NAME
    store.close()
    assert open_blob_cache(server, Options(cache=False)) is None
    assert open_blob_cache(child, Options()) is None
    assert open_blob_cache(server, Options(record=tmp_path / "x.cscope")) is None
    elsewhere = open_blob_cache(child, Options(cache=True, cache_dir=tmp_path / "there"))
    assert elsewhere is not None
    assert elsewhere.path.parent == tmp_path / "there"
    elsewhere.close()


def test_a_recording_with_a_cache_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be complete"):
        Options(cache=True, record=tmp_path / "x.cscope")


COMMAND = (sys.executable, "-c", "from render import main; main()", "health")


def test_a_command_takes_the_option_and_a_second_visit_adds_nothing(tmp_path: Path) -> None:
    options = ["--radius", "2", "--cache", "--cache-dir", str(tmp_path)]
    kept = []
    for _ in range(2):
        subprocess.run([*COMMAND, "embedded:flat", *options], check=True, capture_output=True, timeout=280)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            kept.append(connection.execute("SELECT id FROM used ORDER BY id").fetchall())
    assert len(kept[0]) == 2  # the sub-chunk and the biomes that all columns share
    assert kept[1] == kept[0]


# ---------------------------------------------------------------- embedded world

PATIENT_S = 280.0


def test_the_python_api_joins_a_child_process_over_udp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_server, "EXIT_WAIT_S", PATIENT_S)  # or a busy machine's is killed instead
    with client.connect("embedded:flat", radius=2, timeout_s=PATIENT_S) as world:
        assert world.wait_settled()
        assert world.states()["data"] == 49
        assert world.statistics().session.messages["LevelChunk"] == 49
        child = world._server
        assert child is not None
        assert child.failure is None
    assert child._child.poll() == 0


def test_a_dump_over_udp_is_the_generators_world(tmp_path: Path) -> None:
    box = parse_box("-8,-64,-8,24,128,8")
    told: list[str] = []
    report = dump(
        Embedded("hills", 1),
        box,
        tmp_path / "hills.npz",
        Options(radius=2, timeout_s=PATIENT_S),
        lambda _, w: told.append(w),
    )
    assert report.complete
    assert report.exit_code == 0
    truth = generated_box(shared_world("hills:1"), box)
    with np.load(tmp_path / "hills.npz", allow_pickle=False) as file:
        names = file["names"][file["blocks"]]
    assert (names == np.array([state.name for state in truth.states])[truth.layer0]).all()
    assert told


def test_a_dump_that_cannot_be_written_says_so_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist, so"):
        dump(Embedded("flat", 1), parse_box("0,0,0,1,1,1"), tmp_path / "nowhere" / "x.npz", Options())


def test_a_command_says_what_is_wrong_in_one_sentence_before_it_compiles_anything(tmp_path: Path) -> None:
    nothing_compiled = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    run = subprocess.run([*COMMAND, "embedded:moon"], env=nothing_compiled, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("chunkscope: Unknown embedded world 'moon': choose from hills, bench, flat.")
    assert not list(tmp_path.iterdir())


def test_nobody_there_is_one_sentence() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(SourceError, match=rf"^127\.0\.0\.1:{port} did not answer within 1 s\.$"):
            connect(Remote("127.0.0.1", port), timeout_s=1.0)


def test_a_path_without_a_world_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no world")
    with pytest.raises(UnreadableFile, match=r"note\.txt is neither a recording \(\.cscope\) nor a saved world"):
        connect(WorldFile(tmp_path / "note.txt"))
    with pytest.raises(UnreadableFile, match=r"is not a world: it has neither level\.dat nor a folder 'db'\.$"):
        connect(WorldFile(tmp_path))
    (tmp_path / "cut.mcworld").write_bytes(b"PK\x03\x04")
    with pytest.raises(UnreadableFile, match=r"cut\.mcworld is not a packed world: "):
        connect(WorldFile(tmp_path / "cut.mcworld"))
    with pytest.raises(SourceError, match=r"does not exist\.$"):
        connect(str(tmp_path / "nothing.mcworld"))


def test_a_server_of_another_version_is_named_before_anything_is_sent() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))

        def answer_one_ping() -> None:
            datagram, asker = other.recvfrom(2048)
            sent_ms = read_ping(datagram)
            text = pong_text(Pong("other", 9622, "1.30.40", 0, 10))
            other.sendto(write_pong(sent_ms or 0, 1, text), asker)

        thread = threading.Thread(target=answer_one_ping)
        thread.start()
        told = r"speaks 1\.30\.40 \(protocol 9622\); .* speaks protocols 486 .* to 2193"
        with pytest.raises(SourceError, match=told) as caught:
            connect(Remote("127.0.0.1", other.getsockname()[1]), timeout_s=30.0)
        thread.join()
    assert caught.value.exit_code == 3


# ---------------------------------------------------------------- saved worlds

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
    assert "Protocol 2193 does not have the block minecraft:own_block" in report.text()


def test_blocks_of_a_worlds_own_named_like_ours_keep_their_names(tmp_path: Path) -> None:
    own: Compound = {**named("x"), "name": "some:blue_stained_glass2"}
    column = {0: subchunk(9, [storage([named("stone", stone_type="stone"), own], np.arange(4096) % 2)], 0)}
    place = write_folder(world({(0, 0, 0): column}), tmp_path / "custom")
    with connect(WorldFile(place), radius=1, timeout_s=PATIENT_S) as joined:
        assert joined.wait_settled()
        assert {joined.block((0, y, 0)).name for y in (0, 1)} == {"minecraft:stone", "some:blue_stained_glass2"}


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
