"""``diff`` says which sub-chunks of two worlds differ, which are equal, and which are unknown, never both."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.errors import SourceError, UsageError
from client.light.light_map import LightMap
from client.options import Moment, Options, box_of, parse_what
from client.report.diff import (
    EQUAL,
    MOST_LISTED,
    ONLY_HERE,
    ONLY_THERE,
    OTHER,
    OTHER_LAYER1,
    OTHER_LIGHT,
    UNKNOWN,
    Against,
    AgainstFacts,
    ArrayDifference,
    Comparison,
    DiffReport,
    FoundSubChunk,
    SideReport,
    ValueChange,
    World,
    diff,
    expect_one_dimension,
    verdict_of,
    world_of,
)
from client.session.config import SessionConfig
from client.source import Embedded, Source, WorldFile
from client.streaming.anchors import MOST_ANCHORS
from net.bedrock import Codec, SubChunk
from net.palette import BlockState
from net.recording.file import Recording, RecordingWriter
from net.recording.records import (
    AnchorRecord,
    ReceivedRecord,
    Record,
    ReleasedRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
    ViewRecord,
)
from net.server.host_options import HostOptions
from net.space import OVERWORLD, BlockPos, ColumnPos, Dimension, SubChunkPos
from net.transport.faulty import Wire, WireFaults
from render.cli.report import write_report
from tests.recordings import recording
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.store import AIR, DIRT, STONE, StoreWorld, mixed

BOX = box_of((0, -64, 0, 32, -48, 16))
RECORDING = WorldFile(recording("bedrock-protocol-486"))
HILLS, FLAT = Embedded("hills", 1), Embedded("flat", 1)
OPTIONS = Options(radius=2)
ALL_NEEDED = np.empty(0, np.bool_)


def both(options: Options = OPTIONS) -> tuple[Options, Options]:
    return options, options


def told(report: DiffReport, what: str = "blocks") -> str:
    return next("\n".join(each.lines()) for each in report.arrays if each.what == what)


# ---------------------------------------------------------------- one comparison


def test_what_a_slow_line_requested_ahead_is_not_unknown_on_the_other_side(tmp_path: Path) -> None:
    """Found on a busy machine: two equal worlds had 15 sub-chunks that only one of them knew."""

    def joined(delay_s: float) -> VirtualSession:
        faults, config = WireFaults(delay_s=delay_s), SessionConfig(radius=4, player=SWIFT)
        return VirtualSession("hills:1", HostOptions(radius_max=5), config, up=Wire(faults), down=Wire(faults))

    options, files = Options(radius=4, light=False), (tmp_path / "slow.cscope", tmp_path / "fast.cscope")
    recorded = [replace(options, record=file) for file in files]
    with joined(0.15).connection(recorded[0]) as slow, joined(0.0).connection(recorded[1]) as fast:
        assert slow.wait_settled()
        assert fast.wait_settled()
        a, b = world_of(slow), world_of(fast)
        blind = Comparison(replace(a, needed=ALL_NEEDED), replace(b, needed=ALL_NEEDED)).difference("blocks")
        assert blind.unknown_b > 0, "the slow line requested more"
        for one, other in ((a, b), (b, a)):
            for what in ("blocks", "layer1", "states"):
                found = Comparison(one, other).difference(what)
                assert (found.verdict, found.equal, found.unknown) == (EQUAL, blind.equal, ())
        box = box_of((80, 48, -80, 96, 64, 80))  # in a box everything counts
        assert Comparison(a, b, box).difference("blocks").unknown_b > 0
    report, _ = diff((WorldFile(files[0]), WorldFile(files[1])), both(options))
    assert report.verdict == EQUAL, "recordings do not say what was requested ahead: it is found out"


def edited(
    path: Path, made: Path, before: Sequence[Record] = (), after: Sequence[Record] = (), answered: int = 1
) -> WorldFile:
    """A recording with more records, and with only one of so many answers."""
    with Recording.open(path) as played:
        header, (*entries, closing) = played.header, played.entries()
    codec, writer, answers = Codec(header.protocol), RecordingWriter(header), 0
    for record in before:
        writer.add(TimedRecord(0, record))
    for entry in (*entries, *(TimedRecord(closing.time_us, record) for record in after), closing):
        is_answer = isinstance(entry.record, ReceivedRecord) and isinstance(codec.decode(entry.record.packet), SubChunk)
        answers += is_answer
        if not is_answer or answers % answered == 0:
            writer.add(entry)
    made.write_bytes(writer.front + writer.flush())
    return WorldFile(made)


def test_a_recorded_player_needs_all_that_it_saw_before_a_flight_or_for_a_pinned_place(tmp_path: Path) -> None:
    """Only what is needed at the end counted: without half of its answers a recording was equal to the whole one."""
    options, path = Options(radius=4, light=False), tmp_path / "a.cscope"
    wire, config = WireFaults(delay_s=0.15), SessionConfig(radius=4, player=SWIFT)
    virtual = VirtualSession("hills:1", None, config, up=Wire(wire), down=Wire(wire))
    with virtual.connection(replace(options, record=path)) as live:
        assert live.wait_settled()
        now, (x, y, z) = live.now, live.session.movement.eye
    here, near, far = (ViewRecord((x + blocks, y, z), 0.0, 0.0, 70.0) for blocks in (0.0, 9.0, 100.0))
    turn, later, tick, pinned = (
        TurnRecord(now + 1),
        TurnRecord(now + 2),
        TickRecord(0.3),
        AnchorRecord("a", (0, 0, 1, 1)),
    )
    endings: dict[str, Sequence[Record]] = {
        "stays": (),
        "flies": (turn, far, tick),
        "flies back": (turn, near, tick, later, here, tick),
        "pins": (turn, pinned, tick, later, ReleasedRecord("a"), tick),
    }
    unknown = {}
    for name, ending in endings.items():
        whole = edited(path, tmp_path / "whole.cscope", after=ending)
        half = edited(path, tmp_path / "half.cscope", after=ending, answered=2)
        report, _ = diff((whole, half), both(options), what=("blocks",))
        assert (report.verdict, report.exit_code) == (UNKNOWN, 4)
        unknown[name] = report.arrays[0].unknown_b
    assert unknown["stays"] < unknown["flies"] == unknown["flies back"] == unknown["pins"]


def test_a_recording_of_as_many_anchors_as_there_may_be_is_compared(tmp_path: Path) -> None:
    """Only a changed file leaves no place for the player's own."""
    anchors = [AnchorRecord(str(number), (0, 0, 1, 1)) for number in range(MOST_ANCHORS)]
    odd = edited(RECORDING.path, tmp_path / "odd.cscope", before=anchors)
    assert diff((odd, odd), both())[0].verdict == EQUAL


def test_a_changed_block_is_one_difference_with_its_place_and_what_it_became() -> None:
    at = BlockPos(3, -58, 9)
    first, second = VirtualSession("flat:1"), VirtualSession("flat:1")
    second.host.set_block(at, BlockState("minecraft:glowstone"))
    with first.connection() as a, second.connection() as b:
        assert a.wait_settled()
        assert b.wait_settled()
        comparison = Comparison(world_of(a), world_of(b))
        blocks, light = comparison.difference("blocks"), comparison.difference("light")
        assert blocks.different == (FoundSubChunk(at.subchunk, 1),)
        assert blocks.changes == (ValueChange("minecraft:air", "minecraft:glowstone", 1),)
        assert "    1 air -> glowstone" in blocks.lines(), "written as find takes them"
        assert (blocks.unknown_a, blocks.unknown_b, blocks.unknown_both) == (0, 0, 0)
        assert light.count > 100, "the lamp shines"
        assert comparison.difference("states").count == 0
        picture = comparison.map.picture(box_of((0, -64, 0, 16, 0, 16)))
        assert picture.shape == (16, 16, 4)
        assert picture[at.z, at.x].tolist()[:2] == [255, 0], "red: the block, and light on its way"


def test_what_one_side_did_not_load_is_unknown_and_says_whose() -> None:
    with VirtualSession("flat:1").connection() as a, VirtualSession("flat:1").connection() as b:
        assert a.wait_settled()
        assert b.wait_settled()
        b.session.dimension.store.forget(ColumnPos(1, -1))
        found = Comparison(world_of(a), world_of(b)).difference("blocks")
        assert (found.count, found.unknown_a, found.unknown_b) == (0, 0, OVERWORLD.sections)
        assert {(at.x, at.z) for at in found.unknown} == {(1, -1)}
        assert found.verdict == UNKNOWN
        far = Comparison(world_of(a), world_of(b), box_of((4000, 0, 4000, 4016, 16, 4016))).difference("blocks")
        assert (far.equal, far.unknown_both) == (0, 1), "in a box what neither knows is unknown, too"


def test_blocks_of_two_releases_are_equal_if_one_has_become_the_other() -> None:
    old, new = VirtualSession("hills:1"), VirtualSession("hills:1", protocol=2193)
    new.host.set_block(BlockPos(3, 100, 9), BlockState("minecraft:glowstone"))
    with old.connection() as a, new.connection() as b:
        assert a.wait_settled()
        assert b.wait_settled()
        assert (a.blocks(BOX) != b.blocks(BOX)).any(), "numbers differ"
        there, back = Comparison(world_of(a), world_of(b)), Comparison(world_of(b), world_of(a))
        assert there.difference("blocks").changes == (ValueChange("minecraft:air", "minecraft:glowstone", 1),)
        assert back.difference("blocks").changes == (ValueChange("minecraft:glowstone", "minecraft:air", 1),)
        assert there.difference("layer1").count == 0


def test_outside_the_height_of_one_side_blocks_are_air() -> None:
    sides = []
    for dimension in (Dimension(0, "low", 0, 3, True), Dimension(0, "high", 0, 4, True)):
        made = StoreWorld(dimension)
        made.announce()
        for y in range(dimension.sections):
            ids = mixed(AIR, STONE) if y == 3 else np.zeros(4096, np.uint16)
            made.answer(((0, y, 0), 1, made.payload(ids, section=y)))
        made.store.finish_drain()
        sides.append(World(made.store, LightMap(made.store, 64), {}, 486))
    blocks = Comparison(*sides).difference("blocks")
    assert [each.at for each in blocks.different] == [SubChunkPos(0, 3, 0)]
    assert {(each.a, each.b) for each in blocks.changes} == {("minecraft:air", "minecraft:stone")}
    assert Comparison(*sides).difference("states").unknown == (SubChunkPos(0, 3, 0),)
    with pytest.raises(UsageError, match="lies outside both worlds: y must be 0 to 63"):
        Comparison(*sides, box_of((0, 64, 0, 1, 70, 1)))


def test_biomes_of_the_servers_own_are_compared_by_name() -> None:
    with VirtualSession("flat:1").connection() as a, VirtualSession("flat:1").connection() as b:
        assert a.wait_settled()
        assert b.wait_settled()
        one, other = world_of(a), world_of(b)
        number = int(a.biomes(BOX)[0, 0, 0])
        assert Comparison(one, other, BOX).difference("biomes").equal == 2
        renamed = replace(other, biome_names={number: "moor"})
        changes = Comparison(one, renamed, BOX).difference("biomes").changes
        assert changes == (ValueChange("plains", "moor", 32 * 16 * 16),)
        assert Comparison(replace(one, biome_names={number: "moor"}), renamed, BOX).difference("biomes").count == 0


def test_a_picture_of_worlds_far_apart_is_refused() -> None:
    with VirtualSession("flat:1").connection() as a:
        a.wait_settled()
        comparison = Comparison(world_of(a), world_of(a))
        with pytest.raises(UsageError, match="A picture of 10000 x 16 blocks is too large"):
            comparison.map.picture(box_of((0, 0, 0, 10000, 1, 16)))


# ---------------------------------------------------------------- a world that changes


def _held(against: Against, made: StoreWorld) -> AgainstFacts:
    store = made.store
    places = store.places_of_rows(store.announced_rows)
    found = against.facts(World(store, LightMap(store, 64), {}, 486, "here"), places, store.positions_of(places))
    assert found is not None
    return found


def test_a_world_that_changes_is_held_against_another_and_only_what_changed_is_compared_again() -> None:
    here, there = StoreWorld(), StoreWorld()
    of_there = mixed(AIR, STONE)
    for made in (here, there):
        made.announce()
        made.answer(((0, 0, 0), 1, made.payload(of_there)), ((0, 1, 0), 1, made.payload(of_there, section=1)))
        made.store.finish_drain()
    there.announce(5, -3)
    there.answer(((0, 2, 0), 1, there.payload(of_there, section=2)))
    there.store.finish_drain()
    against = Against(World(there.store, LightMap(there.store, 64), {}, 486), "here")
    found = _held(against, here)
    assert (found.counts.sum(), len(found.blocks)) == (0, 0)
    assert found.columns_there.tolist() == [[5, -3]]
    assert int((found.known_there & ~found.known_here).sum()) == 1, "unknown is no difference"
    assert against.compared == 2
    air, (stone, other) = int(np.flatnonzero(of_there == AIR)[9]), np.flatnonzero(of_there == STONE)[[3, 70]].tolist()
    ids = of_there.copy()
    ids[[air, stone, other]] = DIRT, AIR, DIRT
    changed = {air: ONLY_HERE, stone: ONLY_THERE, other: OTHER}
    here.announce()
    here.answer(((0, 0, 0), 1, here.payload(ids)))
    here.store.finish_drain()
    found = _held(against, here)
    assert against.compared == 3
    cells = [BlockPos(*at).in_subchunk for at in found.blocks.tolist()]
    assert dict(zip(cells, found.kinds.tolist(), strict=True)) == changed
    assert (found.blocks >> 4 == 0).all()
    here.announce()
    here.answer(((0, 0, 0), 1, here.payload(np.full(4096, DIRT, np.uint16))))
    here.store.finish_drain()
    found = _held(against, here)
    assert found.counts.max() == 4096 > MOST_LISTED
    assert not len(found.blocks), "too many to name each"
    nether = World(StoreWorld(Dimension(1, "n", -2, 7, False)).store, found, {}, 486, "here")
    assert against.facts(nether, found, found) is None
    assert against.facts(World(here.store, found, {}, 486, "elsewhere"), found, found) is None, "the window went on"


def test_what_else_differs_is_marked_by_kind_and_light_is_compared_when_it_was_made() -> None:
    lamp, plant = BlockPos(3, -58, 9), BlockPos(20, -59, 9)
    water = BlockState("minecraft:water", (("liquid_depth", 0),))
    first, second = VirtualSession("flat:1"), VirtualSession("flat:1")
    second.host.set_block(plant, water, layer=1)
    with first.connection() as a, second.connection() as b:
        assert a.wait_settled()
        assert b.wait_settled()
        number = int(a.biomes(BOX)[0, 0, 0])
        there = replace(world_of(b), biome_names={number: "moor"})
        against = Against(there, world_of(a).source, ("blocks", "layer1", "biomes", "light", "states"))
        store = a.session.dimension.store
        places = np.array([store.place_of(lamp.subchunk), store.place_of(plant.subchunk)], np.int32)

        def held() -> AgainstFacts:
            found = against.facts(world_of(a), places, store.positions_of(places))
            assert found is not None
            return found

        found = held()
        assert found.counts.tolist() == [[0, 0], [0, 1], [0, 0]]
        assert found.biomes.all()
        assert list(zip(found.blocks.tolist(), found.kinds.tolist(), strict=True)) == [([*plant], OTHER_LAYER1)]
        assert not found.states.any()
        assert found.known_here.all()
        assert found.known_there.all()
        assert against.compared == 4 * len(places)
        assert held().counts.tolist() == found.counts.tolist()
        assert against.compared == 4 * len(places), "what did not change is not compared again"
        first.host.set_block(lamp, BlockState("minecraft:glowstone"))
        for _ in range(100):
            a.pump()
        a.light_up()
        found = held()
        assert found.counts[0].tolist() == [1, 0]
        assert found.counts[2, 0] > MOST_LISTED > found.counts[2, 1] > 0, "the lamp shines into both"
        assert ([*lamp], ONLY_HERE) in zip(found.blocks.tolist(), found.kinds.tolist(), strict=True)
        assert np.count_nonzero(found.kinds == OTHER_LIGHT) == found.counts[2, 1]
        store.forget(ColumnPos(0, 0))
        assert not held().known_here[0], "unknown is no difference"


# ---------------------------------------------------------------- two sources


def test_two_worlds_of_one_seed_are_equal_and_of_two_are_not() -> None:
    box = box_of((0, 40, 0, 16, 60, 16))
    equal, _ = diff((HILLS, HILLS), both(), box)
    assert (equal.verdict, equal.exit_code) == ("equal", 0)
    assert [each.what for each in equal.arrays] == ["blocks", "layer1", "biomes"]
    differing, picture = diff((HILLS, Embedded("hills", 2)), both(), box, what=("blocks",))
    assert (differing.verdict, differing.exit_code) == ("different", 1)
    assert picture.different.sum() == differing.arrays[0].count
    assert f"{differing.arrays[0].count:,} blocks differ in " in told(differing)


def test_moments_of_one_recording_are_compared() -> None:
    report, _ = diff((RECORDING, RECORDING), both())
    assert report.verdict == "equal"
    early = replace(OPTIONS, still=Moment(packet=1))
    report, _ = diff((RECORDING, RECORDING), (early, OPTIONS))
    assert (report.verdict, report.exit_code) == ("unknown", 4)
    blocks = report.arrays[0]
    assert (blocks.count, blocks.equal, blocks.unknown_b) == (0, 0, 0)
    assert blocks.unknown_a > 0
    assert f" equal, {blocks.unknown_a} unknown in A only\n" in told(report)


def test_our_own_world_speaks_the_protocol_of_the_other_source() -> None:
    with open_connection(RECORDING, OPTIONS) as played:
        protocol = played.protocol
    newer = WorldFile(recording("dragonfly-527"))
    with open_connection(newer, OPTIONS) as played:
        assert played.protocol != protocol
        protocol = played.protocol
    for sources in ((FLAT, newer), (newer, FLAT)):
        report, _ = diff(sources, both(), what=("states",))
        assert (report.a.protocol, report.b.protocol) == (protocol, protocol)


def test_two_dimensions_are_not_compared() -> None:
    with pytest.raises(SourceError, match=r"embedded:flat:1 shows the overworld, .* the nether: .*--dimension"):
        expect_one_dimension((FLAT, RECORDING), [OVERWORLD, Dimension(1, "nether", 0, 8, False)])


@pytest.mark.parametrize("source", [WorldFile(Path("gone.cscope")), WorldFile(Path("gone.mcworld"))])
def test_a_source_that_is_absent_is_named(source: Source) -> None:
    with pytest.raises(SourceError, match=str(source)):
        diff((FLAT, source), both())


# ---------------------------------------------------------------- the report

SIDE = SideReport("x", 486, "overworld", 1, True, "")


def test_more_to_come_is_unknown_where_nothing_differs() -> None:
    late = replace(SIDE, settled=False, waiting_for="12 sub-chunks")
    with VirtualSession("flat:1").connection() as a:
        a.wait_settled()
        equal = (Comparison(world_of(a), world_of(a)).difference("blocks"),)
    assert verdict_of(equal, (SIDE, SIDE)) == "equal"
    assert verdict_of(equal, (SIDE, late)) == "unknown"
    report = DiffReport("unknown", SIDE, late, equal, 0.0)
    assert report.exit_code == 4
    assert "B is not complete: 12 sub-chunks" in report.text()


def test_nothing_compared_is_not_equal() -> None:
    made = StoreWorld()
    nothing = World(made.store, LightMap(made.store, 64), {}, 486)
    comparison = Comparison(nothing, nothing)
    assert verdict_of((comparison.difference("blocks"),), (SIDE, SIDE)) == "unknown"
    assert comparison.map.picture().shape == (16, 16, 4)


def test_changes_that_are_not_listed_are_counted_in_blocks_on_one_line() -> None:
    changes = tuple(ValueChange(f"a{number}", "b", 100 - number) for number in range(25))
    places = tuple(FoundSubChunk(SubChunkPos(x, 0, 0), 4096) for x in range(30))
    text = ArrayDifference("biomes", 9999, 1, 0, 0, 0, places, (), changes, 7).lines()
    assert [line for line in text if line.startswith("    and ")] == [
        f"    and {80 + 79 + 78 + 77 + 76 + 7} blocks with rarer changes"
    ]
    assert text[-1] == "    sub-chunks 0,0,0 to 29,0,0", "biomes differ in whole areas"


def test_of_an_unknown_verdict_what_is_known_to_be_equal_is_said() -> None:
    equal = ArrayDifference("blocks", 0, 5, 1, 0, 0, (), (SubChunkPos(0, 0, 0),), (), 0)
    report = DiffReport("unknown", SIDE, SIDE, (equal,), 0.0)
    assert report.text().splitlines()[0] == "verdict: unknown (all that both sides know is equal)"


def test_json_holds_all_places(capsys: pytest.CaptureFixture[str]) -> None:
    report, _ = diff((HILLS, Embedded("hills", 2)), both(), box_of((0, 0, 0, 48, 64, 32)), what=("blocks", "states"))
    assert write_report(report, as_json=True) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "different"
    assert [each["at"] for each in said["arrays"][0]["different"]] == [list(e.at) for e in report.arrays[0].different]
    assert len(report.text().splitlines()) < 120


def test_arrays_to_compare_are_named() -> None:
    arrays = ("blocks", "light")
    assert parse_what(["light,blocks"], arrays) == arrays
    with pytest.raises(UsageError, match="Unknown array 'lihgt' \\(nearest: light\\); choose from blocks, light"):
        parse_what(["lihgt"], arrays)
    with pytest.raises(UsageError, match="Unknown array 'names'"):
        parse_what(["names"], arrays)
