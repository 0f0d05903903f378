"""``find`` counts the blocks and block entities of a name in what is known, and says where they are."""

import json
from collections.abc import Iterator
from math import dist

import pytest
from msgspec.structs import replace

from client.connection.boxes import box_subchunks
from client.connection.connection import Connection
from client.errors import UsageError
from client.options import Box, Options, box_of
from client.player import Eye
from client.report.find import FindReport, FoundState, Search, find_in, report_on
from client.session.config import SessionConfig
from net.nbt import Int
from net.server.host_options import HostOptions
from net.space import BlockPos, ColumnPos, SubChunkPos
from render.cli.report import write_report
from tests.support.session.virtual import SWIFT, VirtualSession

BOX = box_of((-5, -60, 3, 27, 90, 20))


@pytest.fixture(scope="module")
def hills() -> Iterator[Connection]:
    with VirtualSession("hills:1").connection() as world:
        assert world.wait_settled()
        yield world


def found(world: Connection, name: str, box: Box | None = None, **options: int) -> FindReport:
    return report_on(world, Search((name,), box, **options))  # type: ignore[arg-type]  # layer, entities and most


def test_all_are_counted_by_state_and_by_sub_chunk_and_the_first_are_listed(hills: Connection) -> None:
    report, every = found(hills, "stone", most=5), hills.find("stone", most=1 << 24)
    assert (report.what, report.count, report.exit_code) == ("blocks", len(every), 0)
    assert len(report.states) > 1
    for state in report.states:
        name = state.name.replace('"', "")
        assert state.count == len(hills.find(name, most=1 << 24)), name
    counts = [each.count for each in report.subchunks]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == report.count == sum(state.count for state in report.states)
    assert {each.at for each in report.subchunks} == {BlockPos(*at).subchunk for at in every.tolist()}
    assert len(report.blocks) == 5
    assert {hills.block(at).name for at in report.blocks} == {"minecraft:stone"}
    assert report.more == report.count - 5
    states = hills.states()
    assert report.looked_at == states["data"] + states["known_air"] + states.get("all_air", 0)
    assert report.looked_at + report.unknown == sum(states.values())


def test_a_box_is_requested_and_nothing_else_is_searched() -> None:
    virtual = VirtualSession("hills:1", HostOptions(radius_max=6), SessionConfig(radius=5, player=SWIFT), protocol=486)
    box = box_of((64, -64, 0, 96, 64, 32))
    with virtual.connection(Options(radius=5)) as world:
        before = found(world, "deepslate_diamond_ore")
        report = found(world, "deepslate_diamond_ore", box)
        assert before.unknown
        assert (report.unknown, report.looked_at) == (0, len(list(box_subchunks(box))))
        assert "\nin the box itself: 2 sub-chunks not searched: " in replace(report, unknown=2).text()
        assert report.count == len(world.find("deepslate_diamond_ore", box)) > 0
        assert all(box.low.x <= at.x < box.high.x for at in report.blocks)


def test_places_that_the_player_passed_are_not_searched() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2, at=Eye(72.0, 70.0, 8.0))) as world:
        blocks, store = found(world, "grass"), world.session.dimension.store
        assert ColumnPos(0, 0) in store.row_of, "a column of the way is still there"
        store.put_entity(BlockPos(0, -61, 3), {"id": "Chest", "x": Int(0), "y": Int(-61), "z": Int(3)})
        entities = found(world, "Chest", entities=True)
        around = {(x, z) for x in range(1, 8) for z in range(-3, 4)}  # the radius and one more around column 4
        assert {(each.at.x, each.at.z) for each in blocks.subchunks} == around
        assert (blocks.looked_at, blocks.unknown, blocks.settled) == (24 * len(around), 0, True)
        assert (entities.count, entities.looked_at) == (0, blocks.looked_at)


def test_several_names_are_counted_one_by_one_and_listed_together(hills: Connection) -> None:
    names = ("stone", "dirt", "stone[stone_type=granite]", "diamond_block")
    report = report_on(hills, Search(names, most=1 << 24))
    counts = [len(hills.find(name, most=1 << 24)) for name in names]
    assert report.names == tuple(map(FoundState, names, counts))
    assert counts[2]
    assert not counts[3]
    assert report.count == len(report.blocks) == counts[0] + counts[1], "granite is counted once"
    assert {hills.block(at).name for at in report.blocks[:: max(1, len(report.blocks) // 99)]} <= {
        "minecraft:stone", "minecraft:dirt",
    }  # fmt: skip
    first, title, *lines = report.text().splitlines()
    assert f"{report.count:,} blocks of stone, dirt, stone[stone_type=granite], diamond_block in " in first
    lines.insert(0, title)
    start = lines.index("names:")
    states = lines[lines.index("states:") + 1 :]
    assert f"  {counts[2]:,} stone[stone_type=granite]" in states, "written as find takes them"
    assert lines[start + 1 : start + 5] == [f"  {count:,} {name}" for name, count in zip(names, counts, strict=True)]
    with pytest.raises(UsageError, match="no block 'minecraft:dimond_ore'"):
        report_on(hills, Search(("stone", "dimond_ore")))


def test_the_second_layer_is_searched_where_it_is_asked_for(hills: Connection) -> None:
    assert found(hills, "water", layer=1).count == len(hills.find("water", layer=1))


def test_of_many_blocks_the_nearest_are_listed(hills: Connection) -> None:
    store, near = hills.session.dimension.store, BlockPos(40, 40, -40)
    nearest = find_in(store, Search(("stone",), most=200), store.announced_rows, near)
    everywhere = find_in(store, Search(("stone",), most=10**7), store.announced_rows)
    assert (nearest.count, nearest.subchunks) == (everywhere.count, everywhere.subchunks)

    def away(block: BlockPos) -> float:
        return dist(block.subchunk, near.subchunk)

    assert [*map(away, nearest.blocks)] == sorted(map(away, everywhere.blocks))[:200]
    assert away(everywhere.blocks[0]) > away(nearest.blocks[0])


def test_block_entities_are_found_by_id_and_fields() -> None:
    with VirtualSession("flat:1").connection() as world:
        assert world.wait_settled()
        store = world.session.dimension.store
        for x, name in ((1, "a"), (2, "b"), (20, "b")):
            store.put_entity(
                BlockPos(x, -61, 3), {"id": "Chest", "x": Int(x), "y": Int(-61), "z": Int(3), "CustomName": name}
            )
        every = found(world, "chest", entities=True)
        assert (every.what, every.count, every.states) == ("block entities", 3, (FoundState("Chest", 3),))
        assert [each.count for each in every.subchunks] == [2, 1]
        assert every.blocks == (BlockPos(1, -61, 3), BlockPos(2, -61, 3), BlockPos(20, -61, 3))
        assert found(world, "Chest[CustomName=b]", entities=True).blocks == every.blocks[1:]
        chests = Search(("chest",), entities=True, most=2)
        nearest = find_in(store, chests, store.announced_rows, near=BlockPos(30, 0, 3))
        assert nearest.blocks == (every.blocks[2], every.blocks[0])
        assert found(world, "Chest", box_of((16, -64, 0, 32, 0, 16)), entities=True).blocks == every.blocks[2:]
        both = report_on(world, Search(("Chest[CustomName=b]", "Sign"), entities=True))
        assert both.names == (FoundState("Chest[CustomName=b]", 2), FoundState("Sign", 0))
        assert both.blocks == every.blocks[1:]
        nothing = found(world, "Sign", entities=True)
        assert (nothing.count, nothing.exit_code) == (0, 1)
        assert nothing.text().splitlines()[0].startswith("embedded:hills:1: no block entities of Sign; ")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("*diamond_ore", "names have no wildcards: search for deepslate_diamond_ore, diamond_ore"),
        ("dimond_ore", "no block 'minecraft:dimond_ore' .*nearest: diamond_ore"),
        ("stone[stone_type=gold]", "No state of minecraft:stone is"),
        ("stone[", "is not a block"),
    ],
)
def test_a_name_that_no_palette_has_is_refused_before_the_world_is_loaded(name: str, says: str) -> None:
    virtual = VirtualSession("hills:1")
    with virtual.connection() as world:
        joined_at = virtual.now
        with pytest.raises(UsageError, match=says):
            found(world, name)
        assert virtual.now == joined_at


def test_a_name_of_a_servers_own_may_still_come_and_is_refused_when_it_did_not() -> None:
    virtual = VirtualSession("flat:1")
    with virtual.connection() as world:
        joined_at = virtual.now
        with pytest.raises(UsageError, match="no block 'other:thing'"):
            found(world, "other:thing")
        assert virtual.now > joined_at
        unknown = found(world, "unknown")
        assert (unknown.count, unknown.exit_code) == (0, 1)


def test_a_box_that_reaches_out_of_the_world_is_refused(hills: Connection) -> None:
    with pytest.raises(UsageError, match="reaches out of the overworld"):
        found(hills, "stone", box_of((0, 0, 0, 16, 400, 16)))


def test_the_text_is_bounded_and_says_how_much_more_there_is(hills: Connection) -> None:
    report = found(hills, "stone", most=3)
    lines = report.text().splitlines()
    assert lines[0] == (
        f"embedded:hills:1: {report.count:,} blocks of stone in {len(report.subchunks)} sub-chunks; "
        f"{report.looked_at:,} sub-chunks searched"
    )
    assert len(lines) < 60
    assert f"  and {len(report.subchunks) - 3} more" in lines
    both = report_on(hills, Search(("dirt", "stone"), most=0)).text().splitlines()
    names = both[both.index("names:") + 1 :][:2]
    assert [each.split()[1] for each in names] == ["stone", "dirt"], "the most frequent first"
    assert lines[-1] == f"  and {report.more:,} more"


def test_what_is_not_settled_is_incomplete_though_something_was_found(hills: Connection) -> None:
    report = found(hills, "diamond_ore")
    late = replace(report, settled=False, waiting_for="12 sub-chunks")
    assert (late.exit_code, replace(late, count=0).exit_code) == (4, 4)
    assert "not complete: 12 sub-chunks" in late.text()


def test_json_holds_all_sub_chunks(hills: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    report = found(hills, "stone", most=2)
    assert write_report(report, as_json=True) == 0
    said = json.loads(capsys.readouterr().out)
    assert [SubChunkPos(*each["at"]) for each in said["subchunks"]] == [each.at for each in report.subchunks]
    assert (len(said["blocks"]), said["more"], said["count"]) == (2, report.more, report.count)
