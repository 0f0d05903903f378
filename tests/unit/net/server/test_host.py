"""The host against a client on a loopback wire: what it says, when, and that it is true."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from net.bedrock import (
    BiomeDefinitionList,
    ChunkRadiusUpdated,
    HeightKind,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    PlayStatus,
    RequestChunkRadius,
    SetTime,
    StartGame,
    SubChunkResult,
    TickSync,
    UpdateBlock,
)
from net.errors import NetError
from net.palette import BlockState, Palette, UnknownState
from net.raknet import Address
from net.server.commands import DAY_TICKS
from net.server.faults import RefusalFault, ServerFaults
from net.server.host import Host
from net.server.host_options import ColumnMode, HostOptions, LimitForm
from net.server.virtual_host import RememberedWorld, VirtualServer, even_entropy
from net.server.worlds import open_worlds
from net.server.worlds.bench import BenchWorld
from net.server.worlds.hills import HillsWorld
from net.server.worlds.world import FlatWorld, ServerWorld
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.transport.faulty import Wire, WireFaults
from net.wire.fields import Profile
from tests.support.session.plain_client import BenchJoin, Talk, bench_host, make_host, plain_storage, plain_subchunk

# ---------------------------------------------------------------- host

PALETTE = Palette.for_protocol(486)
GLASS = BlockState("minecraft:glass")


@pytest.fixture(scope="module")
def hills() -> HillsWorld:
    return HillsWorld()


def runtime_ids(world: ServerWorld) -> np.ndarray:
    return np.array([PALETTE.runtime_id_of(state) for state in world.states], np.int64)


def move(talk: Talk, x: float, y: float, z: float) -> None:
    talk.wire.send(MovePlayer(1, (x, y, z), 0.0, 0.0, 0.0))
    talk.rest(0.3)


def asked_and_answered(talk: Talk, count: int) -> None:
    assert talk.run(lambda: sum(len(packet.entries) for packet in talk.packets) >= count)


# ---------------------------------------------------------------- joining


def test_a_client_is_told_where_it_is_before_it_gets_columns() -> None:
    talk = Talk(make_host(FlatWorld(), HostOptions(time=18000, radius_max=2)))
    talk.join(1)
    names = [type(message).__name__ for message in talk.heard]
    assert names.index("StartGame") < names.index("ChunkRadiusUpdated") < names.index("NetworkChunkPublisherUpdate")
    assert names.index("NetworkChunkPublisherUpdate") < names.index("LevelChunk") < len(names)
    (start,) = talk.of(StartGame)
    assert isinstance(start, StartGame)
    assert start.position == pytest.approx((0.5, -60 + 1.62, 0.5))
    assert (start.dimension, start.time, start.world_name) == (0, 18000, "flat:1")
    assert talk.of(SetTime) == [SetTime(18000)]
    assert len(talk.of(BiomeDefinitionList)) == 1
    assert [message.status for message in talk.of(PlayStatus)] == [0, 3]


def test_the_radius_is_granted_up_to_a_limit() -> None:
    talk = Talk(make_host(FlatWorld(), HostOptions(radius_max=3)))
    talk.join(1)
    assert talk.of(ChunkRadiusUpdated) == [ChunkRadiusUpdated(1)]
    talk.wire.send(RequestChunkRadius(99))
    assert talk.run(lambda: len(talk.columns) == 49)
    talk.wire.send(RequestChunkRadius(-5))
    talk.rest(0.2)
    assert [message.radius for message in talk.of(ChunkRadiusUpdated)] == [1, 3, 1]


def test_columns_flow_within_the_budget_of_a_tick(hills: HillsWorld) -> None:
    options = HostOptions(bytes_a_tick=4000, columns_a_turn=4)
    talk = Talk(make_host(hills, options))
    talk.join(1)
    talk.ask_columns(range(-4, 5))
    start = talk.wire.now
    asked_and_answered(talk, 81)
    size = sum(len(entry.payload) for entry in talk.entries.values())
    assert talk.wire.now - start > 0.05 * (size / 4000 / 60)  # each packet may overdraw one tick's budget, not two
    ticks = (talk.wire.now - start) / 0.05
    assert round(ticks) >= 8  # nine packets at least, each larger than a budget


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize("form", list(LimitForm))
def test_a_limited_skeleton_names_the_highest_section_with_blocks(hills: HillsWorld, form: LimitForm) -> None:
    talk = Talk(make_host(hills, HostOptions(limit_form=form)))
    talk.join(2)
    for position, column in talk.columns.items():
        blocks = hills.column(position)
        highest = int(np.flatnonzero(blocks.layer0.any(axis=1))[-1])
        assert column.inline_count is None
        assert column.limit == highest + (1 if form is LimitForm.COUNT else 0)


def test_a_limitless_skeleton_has_no_limit_and_the_same_biomes(hills: HillsWorld) -> None:
    limited, limitless = (Talk(make_host(hills, HostOptions(mode=mode))) for mode in list(ColumnMode)[:2])
    limited.join(1)
    limitless.join(1)
    for position, column in limitless.columns.items():
        assert (column.inline_count, column.limit) == (None, None)
        assert column.payload == limited.columns[position].payload


def test_a_skeleton_holds_25_storages_of_biomes_and_a_border_byte(hills: HillsWorld) -> None:
    talk = Talk(make_host(hills))
    talk.join(2)
    for position, column in talk.columns.items():
        ids, at = plain_storage(column.payload, 0)
        assert np.array_equal(ids.reshape(256, 16)[:, 0], hills.column(position).biomes)
        assert column.payload[at:] == b"\xff" * 24 + b"\0"


def test_a_whole_column_holds_its_blocks(hills: HillsWorld) -> None:
    talk = Talk(make_host(hills, HostOptions(mode=ColumnMode.FULL)))
    talk.join(1)
    ids = runtime_ids(hills)
    for position, column in talk.columns.items():
        blocks, at = hills.column(position).layer0, 0
        assert column.inline_count == int(np.flatnonzero(blocks.any(axis=1))[-1]) + 1
        for index in range(column.inline_count):
            section, layers, at = plain_subchunk(column.payload, at)
            assert section == index - 4
            assert np.array_equal(layers[0], ids[blocks[index]])
        assert column.payload[at] & 1  # biomes follow


def test_outside_the_bench_world_there_is_air() -> None:
    world = BenchWorld(columns=3)
    talk = Talk(make_host(world))
    talk.join(3)
    assert talk.columns[ColumnPos(3, 0)].limit == 0
    talk.ask(SubChunkPos(3, -4, 0), [(0, 0, 0), (-2, 0, 0)])
    asked_and_answered(talk, 2)
    results = {entry.dx: entry.result for entry in talk.packets[0].entries}
    assert results == {0: SubChunkResult.SUCCESS_ALL_AIR, -2: SubChunkResult.SUCCESS}


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("profile", list(Profile))
def test_every_answer_holds_the_blocks_of_the_world(hills: HillsWorld, profile: Profile) -> None:
    talk = Talk(make_host(hills, None, profile), profile)
    talk.join(1)
    talk.ask_columns(range(-4, 20))
    asked_and_answered(talk, 9 * 24)
    ids = runtime_ids(hills)
    for position, entry in talk.entries.items():
        column = hills.column(position.column)
        expected = column.layer0[position.y + 4]
        if not expected.any():
            assert (entry.result, entry.payload) == (SubChunkResult.SUCCESS_ALL_AIR, b"")
            continue
        section, layers, end = plain_subchunk(entry.payload)
        assert (section, end) == (position.y, len(entry.payload))
        assert np.array_equal(layers[0], ids[expected])
        if column.layer1 is not None and column.layer1[position.y + 4].any():
            assert np.array_equal(layers[1], ids[column.layer1[position.y + 4]])
        else:
            assert len(layers) == 1


def test_result_codes_are_honest() -> None:
    talk = Talk(make_host(FlatWorld()))
    talk.join(2)
    here = SubChunkPos(0, 0, 0)
    talk.ask(here, [(0, -4, 0), (0, 5, 0), (0, 20, 0), (0, -5, 0), (3, 0, 0), (-2, -4, 2)])
    talk.ask(here, [(0, -4, 0), (0, 99, 0)], dimension=1)
    asked_and_answered(talk, 8)
    told = {(packet.dimension, e.dx, e.dy, e.dz): e.result for packet in talk.packets for e in packet.entries}
    here_told = {(0, -4, 0): 1, (0, 5, 0): 6, (0, 20, 0): 5, (0, -5, 0): 5, (3, 0, 0): 2, (-2, -4, 2): 1}
    assert told == {(0, *at): code for at, code in here_told.items()} | {(1, 0, -4, 0): 3, (1, 0, 99, 0): 3}


def test_answers_keep_the_centre_of_their_request_and_go_by_the_players_need() -> None:
    talk = Talk(make_host(FlatWorld(), HostOptions(entries_a_packet=5)))
    talk.join(1)
    offsets = [(dx, -4 - 7, dz) for dx, dz in itertools.product((-1, 0, 1), repeat=2)]
    talk.ask(SubChunkPos(0, 7, 0), offsets)
    asked_and_answered(talk, 9)
    assert [len(packet.entries) for packet in talk.packets] == [5, 4]
    assert all(packet.centre == SubChunkPos(0, 7, 0) for packet in talk.packets)
    told = [(e.dx, e.dy, e.dz) for packet in talk.packets for e in packet.entries]
    assert sorted(told) == sorted(offsets)
    (x, _, z), *_ = (message.position for message in talk.of(StartGame))
    away = [math.hypot(dx + 0.5 - x / 16, dz + 0.5 - z / 16) for dx, _, dz in told]
    assert away == pytest.approx(sorted(away))


def test_heights_are_those_of_the_blocks_that_stop_light(hills: HillsWorld) -> None:
    talk = Talk(make_host(hills))
    talk.join(1)
    talk.ask_columns(range(-4, 20))
    asked_and_answered(talk, 9 * 24)
    plants = "tallgrass red_flower yellow_flower brown_mushroom red_mushroom reeds waterlily seagrass kelp glow_lichen"
    clear = (*plants.split(), "air", "torch", "snow_layer", "glass", "fence", "lantern", "grass_path")
    clear_ids = [number for number, state in enumerate(hills.states) if state.name.endswith(clear)]
    kinds = set()
    for position in talk.columns:
        column = hills.column(position)
        solid = ~np.isin(column.layer0, clear_ids)
        if column.layer1 is not None:
            solid |= column.layer1 != 0  # water
        solid = solid.reshape(24, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, 384)
        tops = {(x, z): int(np.flatnonzero(solid[x, z])[-1]) + 1 for x in range(16) for z in range(16)}
        for section in range(24):
            entry = talk.entries[SubChunkPos(position.x, section - 4, position.z)]
            kinds.add(entry.height_kind)
            values = {at: top - 16 * section for at, top in tops.items()}
            if all(value < 0 for value in values.values()):
                assert entry.height_kind == HeightKind.ALL_TOO_LOW
            elif all(value > 15 for value in values.values()):
                assert entry.height_kind == HeightKind.ALL_TOO_HIGH
            else:
                assert entry.heights is not None
                told = np.frombuffer(entry.heights, np.int8)
                assert all(told[z << 4 | x] == min(max(value, -1), 16) for (x, z), value in values.items())
    assert kinds == {HeightKind.DATA, HeightKind.ALL_TOO_HIGH, HeightKind.ALL_TOO_LOW}


def test_a_request_before_the_radius_is_not_answered() -> None:
    talk = Talk(make_host(FlatWorld()))
    assert talk.run(lambda: bool(talk.of(SetTime)))
    talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)])
    talk.rest(0.3)
    assert talk.packets == []


# ---------------------------------------------------------------- faults on purpose


def test_faults_refuse_some_at_first_and_delay_and_reverse() -> None:
    faults = ServerFaults(refusals=(RefusalFault(2, 0.5, 2),), delay_s=1.0, reverse=True)
    talk = Talk(make_host(FlatWorld(), HostOptions(faults=faults)))
    talk.join(2)
    offsets = [(dx, 0, dz) for dx, dz in itertools.product(range(-2, 3), repeat=2)]
    refused = []
    for _ in range(3):
        talk.packets.clear()
        start = talk.wire.now
        talk.ask(SubChunkPos(0, -4, 0), offsets)
        asked_and_answered(talk, 25)
        assert talk.wire.now - start >= 1.0
        entries = talk.packets[0].entries
        assert [(e.dx, e.dy, e.dz) for e in entries] == offsets[::-1]
        refused.append(sum(e.result == SubChunkResult.CHUNK_NOT_FOUND for e in entries))
    assert refused[0] == refused[1]
    assert 5 < refused[0] < 20
    assert refused[2] == 0


# ---------------------------------------------------------------- moving


def test_the_publisher_follows_the_player_and_new_columns_come() -> None:
    talk = Talk(make_host(FlatWorld()))
    talk.join(1)
    move(talk, 8.0, -50.0, 8.0)
    assert len(talk.of(NetworkChunkPublisherUpdate)) == 1
    move(talk, 40.0, -50.0, -3.0)
    last = talk.of(NetworkChunkPublisherUpdate)[-1]
    assert isinstance(last, NetworkChunkPublisherUpdate)
    assert last.position == BlockPos(40, -52, -3)
    assert last.radius_blocks >= 2 * 16 * 1.41
    assert {ColumnPos(x, z) for x in (1, 2, 3) for z in (-2, -1, 0)} <= set(talk.columns)


def test_a_position_out_of_this_world_is_not_believed() -> None:
    talk = Talk(make_host(FlatWorld()))
    talk.join(1)
    for x in (float("nan"), float("inf"), 1e30):
        move(talk, x, 70.0, 0.0)
    assert talk.closed is None
    assert len(talk.columns) == 9


# ---------------------------------------------------------------- changes


def test_a_changed_block_is_told_to_all_who_have_its_sub_chunk() -> None:
    host = make_host(FlatWorld())
    near, far = Talk(host, port=50001), Talk(host, port=50002)
    near.join(1)
    far.wire.now = near.wire.now
    far.join(1)
    move(far, 500.0, 0.0, 0.0)
    near.wire.now = far.wire.now
    host.set_block(BlockPos(3, -60, 4), BlockState("minecraft:dirt", (("dirt_type", "normal"),)))
    near.rest(0.2)
    assert near.of(UpdateBlock) == []  # nobody has asked for it yet
    near.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)])
    asked_and_answered(near, 1)
    host.set_block(BlockPos(3, -60, 4), GLASS)
    near.rest(0.2)
    far.wire.now = near.wire.now
    far.rest(0.2)
    expected = UpdateBlock(BlockPos(3, -60, 4), PALETTE.runtime_id_of(GLASS) or 0, 3, 0)
    assert near.of(UpdateBlock) == [expected]
    assert far.of(UpdateBlock) == []
    assert host.dimensions.start.block(BlockPos(3, -60, 4)) == GLASS
    near.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)])
    asked_and_answered(near, 2)
    _, layers, _ = plain_subchunk(near.packets[1].entries[0].payload)
    assert layers[0][3 << 8 | 4 << 4 | 4] == PALETTE.runtime_id_of(GLASS)
    assert (layers[0] == PALETTE.runtime_id_of(GLASS)).sum() == 1


def test_a_changed_block_is_told_in_one_turn_while_all_are_owed_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("net.server.host.BYTES_A_TURN", 1)  # chunk data of one client a turn
    host = make_host(FlatWorld(), HostOptions(bytes_a_tick=100))
    talks = [Talk(host, port=50001 + number) for number in range(3)]
    for talk in talks:
        talk.wire.now = max(each.wire.now for each in talks)
        talk.join(1)
        talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)])
        asked_and_answered(talk, 1)
    for talk in talks:
        talk.wire.send(RequestChunkRadius(16))
    for talk in talks:
        talk.wire.now = max(each.wire.now for each in talks)
        talk.rest(0.2)
    now = talks[-1].wire.now
    assert all(session.flow.tracking.waiting > 500 for session in host.sessions)
    assert host.datagrams(now) == []  # what a tick allows of columns is used up
    everybody = {("127.0.0.1", 50001 + number) for number in range(3)}
    host.set_block(BlockPos(3, -60, 4), GLASS)
    assert {address for address, _ in host.datagrams(now)} == everybody
    host.set_block(BlockPos(3, -60, 4), BlockState("minecraft:air"))
    assert {address for address, _ in host.datagrams(now + 0.05)} == everybody  # with which a tick begins


def test_chunk_data_that_waits_to_be_sent_is_bounded_so_that_a_change_is_early() -> None:
    host = bench_host()
    path = WireFaults(delay_s=0.05)
    join = BenchJoin(host, Wire(path), Wire(path))
    waiting: list[int] = []
    run_turn = host.datagrams

    def datagrams(now: float) -> list[tuple[Address, bytes]]:
        sent = run_turn(now)
        senders = [session._peer._link._session.sender for session in host.sessions]
        waiting.extend(each.waiting_bytes for each in senders if each.round_trip.smoothed_s is not None)
        return sent

    host.datagrams = datagrams  # type: ignore[method-assign]
    assert join.run()
    assert max(waiting) < 96 << 10  # 1.2 MB without the bound


def test_a_block_in_known_air_raises_the_limit_of_columns_sent_later() -> None:
    host = make_host(FlatWorld())
    host.set_block(BlockPos(0, 100, 0), BlockState("minecraft:stone", (("stone_type", "stone"),)))
    talk = Talk(host)
    talk.join(1)
    assert talk.columns[ColumnPos(0, 0)].limit == 10
    assert talk.columns[ColumnPos(1, 0)].limit == 0


def test_a_second_layer_can_be_set() -> None:
    host = make_host(FlatWorld())
    host.set_block(BlockPos(1, -60, 1), BlockState("minecraft:water", (("liquid_depth", 0),)), layer=1)
    talk = Talk(host)
    talk.join(1)
    talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)])
    asked_and_answered(talk, 1)
    _, layers, _ = plain_subchunk(talk.packets[0].entries[0].payload)
    assert len(layers) == 2


def test_what_cannot_be_set_is_refused() -> None:
    host = make_host(FlatWorld())
    with pytest.raises(UnknownState, match="does not have the block minecraft:unobtainium"):
        host.set_block(BlockPos(0, 0, 0), BlockState("minecraft:unobtainium"))
    with pytest.raises(ValueError, match="outside the overworld"):
        host.set_block(BlockPos(0, 320, 0), GLASS)
    with pytest.raises(ValueError, match="unknown layer 2"):
        host.set_block(BlockPos(0, 0, 0), GLASS, layer=2)


def test_time_is_told_when_it_is_set_and_while_it_runs() -> None:
    host = make_host(FlatWorld(), HostOptions(time=100, time_runs=True))
    talk = Talk(host)
    talk.join(1)
    host.set_time(13000)
    talk.rest(20.0)
    times = [message.time for message in talk.of(SetTime)]
    assert times[1] == 13000
    assert times[2] == pytest.approx(13000 + 256, abs=30)


@pytest.mark.parametrize("time", [-1, (1 << 31) - 1, 1 << 40, -(1 << 63)])
def test_a_time_that_no_packet_holds_is_one_of_the_same_hour_and_moon(time: int) -> None:
    host = make_host(FlatWorld(), HostOptions(time=time, time_runs=True))
    talk = Talk(host)
    talk.join(1)
    host.set_time(time)
    talk.rest(20.0)
    first, second, *later = [message.time for message in talk.of(SetTime)]
    assert (second - time) % (8 * DAY_TICKS) == 0
    assert (first - time) % (8 * DAY_TICKS) < 100
    assert later
    assert all(0 <= each < 1 << 31 for each in (first, second, *later))


# ---------------------------------------------------------------- keeping in touch


def test_ticks_are_echoed_and_the_connection_is_kept_alive() -> None:
    host = make_host(FlatWorld())
    talk = Talk(host)
    talk.join(1)
    talk.wire.send(TickSync(77))
    talk.rest(12.0)
    assert [message.request_time for message in talk.of(TickSync)] == [77]
    pings = talk.of(NetworkStackLatency)
    assert len(pings) == 2
    talk.wire.send(replace(pings[-1], wants_reply=False))
    talk.rest(0.1)
    assert talk.closed is None
    assert len(talk.of(NetworkStackLatency)) == 2  # an answer is not answered


def test_a_client_that_leaves_is_forgotten() -> None:
    host = make_host(FlatWorld())
    talk = Talk(host)
    talk.join(1)
    assert len(host.sessions) == 1
    talk.wire.close("bye")
    talk.rest(1.0)
    assert host.sessions == []


def test_a_host_that_closes_says_why() -> None:
    host = make_host(FlatWorld())
    talk = Talk(host)
    talk.join(1)
    host.close("The server is closed.", talk.wire.now)
    talk.run(lambda: talk.closed is not None)
    assert talk.closed is not None
    assert "The server is closed." in talk.closed


def test_columns_are_made_in_advance_while_nobody_is_there_a_step_a_turn() -> None:
    world = HillsWorld(seed=5)
    host = make_host(world, HostOptions(warm_radius=2))
    steps = sum(len(list(HillsWorld(seed=5).steps(ColumnPos(x, z)))) for x in (-1, 0) for z in (-1, 0))
    turns = 0
    while host.next_timer() == 0.0:
        host.datagrams(0.0)
        turns += 1
    assert steps > 4 * 8
    assert turns == 25 + steps + 1  # the last one finds nothing to do
    assert all(not list(world.steps(ColumnPos(x, z))) for x in range(-2, 3) for z in range(-2, 3))


def test_a_host_that_ends_makes_nothing_in_advance() -> None:
    host = make_host(HillsWorld(seed=5), HostOptions(warm_radius=2))
    host.close("The server is closed.", 0.0)
    assert host.datagrams(0.0) == []
    assert host.next_timer() is None


# ---------------------------------------------------------------- virtual host

PLAIN = {
    "world": "flat:1",
    "protocol": 486,
    "profile": "bedrock",
    "mode": "limited",
    "radius_max": 3,
    "time": 6000,
    "spawn": None,
    "edits": [],
}


def opened(server: VirtualServer, **more: Any) -> Host:
    return server.open({**PLAIN, **more})


def edit(name: str, **states: Any) -> dict[str, Any]:
    return {"low": [0, -60, 0], "high": [1, -59, 0], "name": name, "states": states, "layer": 0}


def test_edits_are_set_before_anybody_joins() -> None:
    host = opened(VirtualServer(), edits=[edit("minecraft:lever", open_bit=1)])
    state = host.dimensions.start.block(BlockPos(1, -59, 0))
    assert state.name == "minecraft:lever"
    assert dict(state.states)["open_bit"]


def test_the_next_world_knows_nothing_of_the_one_before() -> None:
    server = VirtualServer()
    opened(server, edits=[edit("minecraft:stone")])
    assert opened(server).dimensions.start.block(BlockPos(0, -60, 0)).name == "minecraft:air"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"world": "flet"}, "unknown world 'flet'"),
        ({"edits": [edit("minecraft:ston")]}, "unknown block minecraft:ston (did you mean minecraft:stone?)"),
        (
            {"edits": [edit("minecraft:stone", shape=3)]},
            "minecraft:stone has no state {'shape': 3}; its first states are",
        ),
        ({"edits": [{**edit("minecraft:stone"), "low": [0, 400, 0], "high": [0, 400, 0]}]}, "is outside the overworld"),
        (
            {"edits": [{**edit("minecraft:stone"), "low": [at, 0, 0], "high": [at, 0, 0]} for at in range(0, 64, 16)]},
            "the edits cover more than 3 columns",
        ),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(
    more: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("column_provider", "virtual_host"):
        monkeypatch.setattr(f"net.server.{module}.MOST_CHANGED", 3)
    with pytest.raises((NetError, ValueError)) as refused:
        opened(VirtualServer(), **more)
    assert words in str(refused.value)


def test_all_dimensions_are_open_and_one_may_begin_in_any() -> None:
    server = VirtualServer()
    below = {**edit("minecraft:glass"), "low": [0, 5, 0], "high": [0, 5, 0]}
    host = opened(server, world="hills:1", number=2, edits=[below, {**below, "dimension": 1}])
    assert host.dimensions.start.dimension.name == "end"
    names = [host.dimensions.of(number).block(BlockPos(0, 5, 0)).name for number in (0, 1, 2, None)]
    assert names[1:] == ["minecraft:glass"] * 3
    assert names[0] != "minecraft:glass"
    with pytest.raises(ValueError, match="flat:1 has no dimension nether"):
        opened(server, number=1)


def test_a_world_spawns_where_it_is_told_and_keeps_its_columns() -> None:
    world = RememberedWorld(open_worlds("flat:1")[0])
    there = world.spawning_at([1e6, 70.0, -3.0])
    assert there.spawn.feet == (1e6, 70.0, -3.0)
    assert world.spawn.feet != there.spawn.feet
    assert there.column(ColumnPos(3, 4)) is world.column(ColumnPos(3, 4))


def test_entropy_is_even() -> None:
    one, same, other = even_entropy(1), even_entropy(1), even_entropy(2)
    first = [one(size) for size in (8, 3, 20)]
    assert [same(size) for size in (8, 3, 20)] == first
    assert [len(part) for part in first] == [8, 3, 20]
    assert other(8) != first[0]
