"""``dump`` gives what the generator made: every world, mode and wire profile, and with answers that misbehave."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.errors import UsageError
from client.options import ARRAYS, STATE_ARRAYS, USUAL_ARRAYS, Box, Options, parse_what
from client.report.dump import DumpReport, missing_places, options_for, read_box, report_on, write_npz
from client.world.lifecycle import SubChunkState
from net.bedrock import LevelChunk, SubChunkEntry
from net.palette import BlockState
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.space import UNKNOWN_BIOME, BlockPos, ColumnPos, SubChunkPos
from net.transport import faulty
from net.wire.fields import Profile
from render.cli.report import write_report
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import VirtualSession
from tests.support.worlds.server import generated_box

# ---------------------------------------------------------------- dump

BIOMES = ("biome_numbers", "biome_names")
BOX = Box(BlockPos(-5, -64, -3), BlockPos(18, 320, 17))


def dumped(virtual: VirtualSession, box: Box, timeout_s: float = 60.0) -> dict[str, Any]:
    with virtual.connection(Options(radius=2)) as connection:
        assert connection.request(box, timeout_s)
        assert missing_places(connection, box) == ()
        return read_box(connection, box)


def states_of(arrays: dict[str, Any]) -> list[BlockState]:
    rows = zip(arrays["names"].tolist(), arrays["states"].tolist(), strict=True)
    return [BlockState(name, tuple(sorted(json.loads(states).items()))) for name, states in rows]


def assert_generated(arrays: dict[str, Any], virtual: VirtualSession, box: Box) -> None:
    truth = generated_box(virtual.world, box)
    row_of = {state: row for row, state in enumerate(states_of(arrays))}
    expected = np.array([row_of.get(state, -1) for state in truth.states])
    assert (arrays["blocks"] == expected[truth.layer0]).all()
    assert (arrays["layer1"] == expected[truth.layer1]).all()
    assert (arrays["biomes"] == truth.biomes).all()
    assert arrays["lit"].all()


@pytest.mark.parametrize("profile", Profile, ids=lambda p: p.value)
@pytest.mark.parametrize("mode", ColumnMode, ids=lambda m: m.value)
@pytest.mark.parametrize("world", ["flat:1", "hills:1", "bench:1"])
def test_a_dump_is_the_generators_world(world: str, mode: ColumnMode, profile: Profile) -> None:
    virtual = VirtualSession(world, HostOptions(mode=mode), profile=profile)
    assert_generated(dumped(virtual, BOX), virtual, BOX)


def test_dumps_through_both_profiles_and_all_modes_are_equal() -> None:
    dumps = [
        dumped(VirtualSession("hills:1", HostOptions(mode=mode), profile=profile), BOX)
        for mode in ColumnMode
        for profile in Profile
    ]
    for other in dumps[1:]:
        for name in ("blocks", "layer1", "names", "states", "runtime_ids", "light", "lit", "biomes"):
            assert (dumps[0][name] == other[name]).all(), name


@pytest.mark.parametrize(
    "faults",
    [
        ServerFaults(refusals=(RefusalFault(2, 0.1),)),
        ServerFaults(delay_s=0.4),
        ServerFaults(reverse=True),
        ServerFaults(refusals=(RefusalFault(2, 0.3, 3),), delay_s=0.1, reverse=True),
    ],
    ids=["refused", "late", "reversed", "all"],
)
def test_answers_that_misbehave_give_the_same_dump(faults: ServerFaults) -> None:
    virtual = VirtualSession("hills:1", HostOptions(faults=faults, entries_a_packet=7))
    assert_generated(dumped(virtual, BOX), virtual, BOX)


def test_a_lossy_wire_gives_the_same_dump() -> None:
    faults = faulty.WireFaults(loss=0.05, repetition=0.05, delay_s=0.02, jitter_s=0.03)
    virtual = VirtualSession("hills:1", up=faulty.Wire(faults, 5), down=faulty.Wire(faults, 6))
    assert_generated(dumped(virtual, BOX), virtual, BOX)


def test_a_box_far_from_the_spawn_is_flown_to() -> None:
    far = Box(BlockPos(-400, 0, 300), BlockPos(-390, 100, 310))
    virtual = VirtualSession("hills:1")
    assert_generated(dumped(virtual, far), virtual, far)


def test_a_box_wider_than_the_radius_asks_for_a_larger_one() -> None:
    options = Options(radius=2)
    assert options_for(options, Box(BlockPos(0, 0, 0), BlockPos(16, 16, 16))) == options
    assert options_for(options, Box(BlockPos(-80, 0, 0), BlockPos(80, 16, 16))).radius == 5
    with pytest.raises(UsageError, match="2063 columns wide"):
        options_for(options, Box(BlockPos(0, 0, 0), BlockPos(33000, 16, 16)))


def test_what_lies_outside_the_dimension_is_air_and_says_so() -> None:
    box = Box(BlockPos(0, -70, 0), BlockPos(4, 330, 4))
    arrays = dumped(VirtualSession("flat:1"), box)
    assert (arrays["known"][:, :, :6] == 255).all()
    assert (arrays["known"][:, :, -10:] == 255).all()
    assert arrays["names"][arrays["blocks"][0, 0, 0]] == "minecraft:air"
    assert arrays["known_names"][255] == "outside"
    assert arrays["known_names"][4] == "data"


def test_biomes_that_occur_are_named_by_number() -> None:
    arrays = dumped(VirtualSession("flat:1"), Box(BlockPos(0, 310, 0), BlockPos(4, 330, 4)))
    names = dict(zip(arrays["biome_numbers"].tolist(), arrays["biome_names"].tolist(), strict=True))
    assert names == {1: "plains", UNKNOWN_BIOME: ""}  # the latter above the roof


def test_what_is_refused_for_good_is_a_placeholder_and_still_complete() -> None:
    virtual = VirtualSession("hills:1", HostOptions(faults=ServerFaults(refusals=(RefusalFault(2, times=100),))))
    box = Box(BlockPos(0, 0, 0), BlockPos(16, 16, 16))
    arrays = dumped(virtual, box, 300.0)
    assert (arrays["known"] == SubChunkState.REFUSED).all()
    assert arrays["names"].tolist() == ["minecraft:air", "minecraft:client_request_placeholder_block"]
    assert arrays["runtime_ids"][1] == 1140
    assert not arrays["lit"].any()


def test_a_deadline_lists_what_is_missing() -> None:
    virtual = VirtualSession("hills:1", HostOptions(faults=ServerFaults(delay_s=50.0)))
    box = Box(BlockPos(0, 0, 0), BlockPos(16, 32, 16))
    with virtual.connection() as connection:
        ended = connection.request(box, 3.0)
        assert not ended
        assert "not answered" in ended.waiting_for
        missing = missing_places(connection, box)
    assert missing == ((SubChunkPos(0, 0, 0), "requested"), (SubChunkPos(0, 1, 0), "requested"))
    report = DumpReport(Path("x.npz"), False, missing, {"requested": 2}, 3.0)
    assert report.exit_code == 4
    assert "sub-chunk 0,1,0: requested" in report.text()


def test_what_does_not_decode_is_listed_with_its_fault_and_nobody_waits_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    columns = [LevelChunk(ColumnPos(x, z), 0, None, 0, None, b"") for x in (-1, 0, 1) for z in (-1, 0, 1)]
    world = Besieged(b"\x0a", *columns)
    world.server.answer = lambda offset: SubChunkEntry(*offset, 1, b"\x08\x01\x0f")  # seven bits an index
    box = Box(BlockPos(0, -64, 0), BlockPos(16, -48, 16))
    with world.connection() as connection:
        ended = connection.request(box, 60.0)
        report = report_on(connection, box, Path("x.npz"), 1.0)
    assert ended.seconds < 5.0
    assert (report.exit_code, report.missing) == (4, ((SubChunkPos(0, -4, 0), "undecodable"),))
    assert write_report(report, as_json=True) == 4
    counted = json.loads(capsys.readouterr().out)["statistics"]
    assert counted["peer"]["packets_in"] > 9
    assert "biomes" in [pool["name"] for pool in counted["memory"]]
    assert "could not be decoded: SetTime.time at byte 1" in report.text()
    assert "could not be decoded: sub-chunk 0,-4,0: SubChunk.payload.header at byte 2" in report.text()
    assert "the server: 1 packet could not be decoded" in report.text()


def test_what_is_wished_is_what_the_file_holds() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        assert connection.request(BOX, 60.0)
        full = read_box(connection, BOX, ARRAYS)
        always = {"box", "protocol", "dimension"}
        assert set(full) == {*ARRAYS, *STATE_ARRAYS, *BIOMES, "known_names", "verdict_names", *always}
        assert set(read_box(connection, BOX)) == {*USUAL_ARRAYS, *STATE_ARRAYS, *BIOMES, "known_names", *always}
        assert set(read_box(connection, BOX, ("height",))) == {"height", *always}
        alone = read_box(connection, BOX, ("layer1", "verdict"))
    assert set(alone) == {"layer1", *STATE_ARRAYS, "verdict", "verdict_names", *always}
    assert alone["names"].tolist() == ["minecraft:air"]
    assert full["height"].shape == full["blocks"].shape[:2]
    assert full["height"].dtype == np.int16
    assert (full["height"] == -60).all()
    assert full["since"].dtype == np.float32
    grounds = full["known"] == SubChunkState.DATA
    assert (full["since"][grounds] > 0).all()
    assert (full["verdict_names"][full["verdict"][grounds]] == "agrees").all()
    assert not full["refusal"].any()
    assert not full["small_values"].any()


def test_columns_tops_and_codes_lie_where_their_blocks_do() -> None:
    box = Box(BlockPos(3, -64, -20), BlockPos(30, 320, 9))
    with VirtualSession("hills:1").connection(Options(radius=2)) as connection:
        assert connection.request(box, 60.0)
        arrays = read_box(connection, box, ARRAYS)
        tops, origin = arrays["height"], box.low
        for x, z in ((0, 0), (26, 28), (13, 4), (5, 20)):
            column = BlockPos(origin.x + x, 0, origin.z + z)
            expected = connection.session.dimension.store.height_map(column.column)[
                (column.z & 15) << 4 | column.x & 15
            ]
            assert tops[x, z] == expected
    refused = VirtualSession("hills:1", HostOptions(faults=ServerFaults(refusals=(RefusalFault(2, times=100),))))
    with refused.connection(Options(radius=2)) as connection:
        connection.request(box, 300.0)
        arrays = read_box(connection, box, ("known", "refusal", "height", "since"))
    assert (arrays["refusal"][arrays["known"] == SubChunkState.REFUSED] == 2).all()
    assert (arrays["known"] == SubChunkState.REFUSED).any()
    assert (arrays["height"] == -32768).all()


def test_what_was_never_told_has_no_height_no_code_and_no_time() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        arrays = read_box(connection, Box(BlockPos(4000, 0, 0), BlockPos(4016, 16, 16)), ARRAYS)
    assert (arrays["height"] == -32768).all()
    assert np.isnan(arrays["since"]).all()
    assert not arrays["refusal"].any()
    assert not arrays["light"].any()
    assert (arrays["known"] == SubChunkState.UNKNOWN).all()


def test_names_of_arrays_are_read_and_the_nearest_one_is_named() -> None:
    assert parse_what(None) == USUAL_ARRAYS
    assert parse_what(["since,blocks", "names", " height"]) == ("blocks", "height", "since")
    with pytest.raises(UsageError, match=r"'hieght' \(nearest: height\)"):
        parse_what(["blocks,hieght"])
    with pytest.raises(UsageError, match="''"):
        parse_what([""])


def test_a_box_that_no_memory_holds_is_refused() -> None:
    with pytest.raises(UsageError, match="25600000000 blocks"):
        options_for(Options(), Box(BlockPos(0, 0, 0), BlockPos(16, 100_000_000, 16)))


def test_the_file_has_the_documented_arrays_and_no_pickles(tmp_path: Path) -> None:
    box = Box(BlockPos(0, -64, 0), BlockPos(3, -54, 5))
    arrays = dumped(VirtualSession("flat:1"), box)
    write_npz(tmp_path / "flat.npz", arrays)
    with np.load(tmp_path / "flat.npz", allow_pickle=False) as file:
        kinds = {name: (file[name].dtype.str, file[name].shape) for name in file.files}
        assert file["box"].tolist() == [0, -64, 0, 3, -54, 5]
        assert (int(file["protocol"]), int(file["dimension"])) == (486, 0)
        assert json.loads(str(file["states"][0])) == {}
    cells = (3, 5, 10)
    assert kinds["blocks"] == kinds["layer1"] == ("<u4", cells)
    assert kinds["light"] == kinds["biomes"] == ("<u2", cells)
    assert kinds["lit"] == kinds["known"] == ("|u1", cells)
    assert kinds["runtime_ids"][0] == "<u4"
    assert kinds["names"][0].startswith("<U")


# ---------------------------------------------------------------- archive


def test_arrays_come_back_without_pickles(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_npz(path, {"blocks": np.arange(8, dtype=np.uint32), "names": np.array(["minecraft:air", "ä"])})
    with np.load(path, allow_pickle=False) as archive:
        assert archive["blocks"].tolist() == list(range(8))
        assert archive["names"].tolist() == ["minecraft:air", "ä"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    write_npz(path, {"x": np.zeros(1)})
    before = path.read_bytes()

    def broken(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", broken)
    with pytest.raises(OSError, match="disk full"):
        write_npz(path, {"x": np.ones(1)})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="states"):
        write_npz(tmp_path / "a.npz", {"states": np.array([{}, {}], dtype=object)})
