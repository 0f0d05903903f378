"""Our client goes through the dimensions of our server and back: everything comes, nothing twice, nothing stays.

Joining our server: A session joins our own server where it differs from a plain 486: other heights, ids by hash,
loading screens.
"""

import itertools
import random
from functools import cache

import numpy as np
import pytest

from client.session.chat import CommandResult
from client.session.spawn import SpawnPhase
from client.streaming.anchors import Anchor
from client.world.lifecycle import SubChunkState
from net.bedrock import (
    Codec,
    Message,
    PlayerAction,
    Sender,
    ServerboundLoadingScreen,
    SetLocalPlayerAsInitialized,
    SubChunkRequest,
)
from net.blobs import MemoryBlobs
from net.palette import BlockState
from net.server.host_options import ColumnMode, HostOptions, IdForm
from net.server.player import DONE
from net.server.worlds import open_worlds
from net.space import BlockPos, ColumnPos, Dimension, SubChunkPos
from net.transport.faulty import Wire, WireFaults
from tests.support.data.shared import form_of
from tests.support.session.plain_client import go_to
from tests.support.session.virtual import VirtualSession, palette
from tests.support.worlds.server import TALL, TallWorld

# ---------------------------------------------------------------- crossing our server

worlds = cache(lambda: open_worlds("hills:1"))


def virtual(
    protocol: int, mode: ColumnMode = ColumnMode.LIMITED, wires: tuple[Wire | None, Wire | None] = (None, None)
) -> VirtualSession:
    """A client with an empty blob cache, of the hills and what lies beside them."""
    overworld, *beside = worlds()
    options = HostOptions(mode=mode)
    up, down = wires
    return VirtualSession(overworld, options, up=up, down=down, protocol=protocol, blobs=MemoryBlobs(), beside=beside)


def settled(client: VirtualSession, number: int) -> bool:
    """Runs until the client plays in a dimension and wants nothing more."""
    session = client.session
    arrived = client.run(
        lambda: session.spawn.phase is SpawnPhase.PLAYING and session.dimension.store.dimension.number == number
    )
    return arrived and client.settle()


def cross(client: VirtualSession, number: int) -> None:
    client.sent.clear()
    go_to(client.host, 1, number)
    assert settled(client, number)


def asked(client: VirtualSession) -> list[tuple[int, SubChunkPos]]:
    """Every sub-chunk that was asked for, with the dimension that was named."""
    return [
        (request.dimension, SubChunkPos(request.centre.x + dx, request.centre.y + dy, request.centre.z + dz))
        for request in client.sent
        if isinstance(request, SubChunkRequest)
        for dx, dy, dz in request.offsets.tolist()
    ]


def assert_shown(client: VirtualSession) -> None:
    """A few blocks of every sub-chunk that the client knows, in columns round the player, are the server's."""
    session, host = client.session, client.host
    served = host.dimensions.of(session.dimension.store.dimension.number)
    runtime_ids = served.forms.of(client.link.codec.protocol).runtime_ids
    middle = BlockPos.containing(session.movement.eye.x, session.movement.eye.y, session.movement.eye.z).subchunk
    chance, known = np.random.default_rng(1), 0
    sections = range(served.dimension.floor_section, served.dimension.roof_section)
    for dx, y, dz in itertools.product(range(-2, 3), sections, range(-2, 3)):
        for cell in chance.integers(0, 16, (3, 3)).tolist():
            position = BlockPos((middle.x + dx) * 16 + cell[0], y * 16 + cell[1], (middle.z + dz) * 16 + cell[2])
            shown = session.dimension.store.block(position)
            if shown.knowledge in {SubChunkState.DATA, SubChunkState.ALL_AIR, SubChunkState.KNOWN_AIR}:
                known += 1
                local_id = served.states.local_id_of(served.block(position))
                assert shown.runtime_id == runtime_ids[local_id], position
    assert known > 300


def test_each_end_sends_what_is_its_own_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[Codec, Message]] = []
    encode = Codec.encode

    def noted(self: Codec, message: Message) -> bytes:
        said.append((self, message))
        return encode(self, message)

    monkeypatch.setattr(Codec, "encode", noted)
    client = virtual(975)
    assert settled(client, 0)
    cross(client, 1)
    ours = [message for codec, message in said if codec is client.link.codec]
    theirs = [message for codec, message in said if codec is not client.link.codec]
    assert len({*map(type, ours)}) > 8
    assert len({*map(type, theirs)}) > 8
    assert {type(message) for message in ours if Sender.CLIENT not in message.SENDER} == set()
    assert {type(message) for message in theirs if Sender.SERVER not in message.SENDER} == set()


@pytest.mark.parametrize("mode", [ColumnMode.LIMITED, ColumnMode.FULL], ids=lambda mode: mode.value)
@pytest.mark.parametrize("protocol", [486, 975])
def test_over_and_back_with_a_blob_cache_nothing_is_asked_twice_and_nothing_stays(
    protocol: int, mode: ColumnMode
) -> None:
    client = virtual(protocol, mode)
    assert settled(client, 0)
    session = client.session
    misses, held = {}, {}
    for visit, number in enumerate((1, 2, 0, 1, 2, 0)):
        cross(client, number)
        assert_shown(client)
        places = asked(client)
        assert {dimension for dimension, _ in places} <= {number}
        assert len(set(places)) == len(places)
        assert len(places) > 25 or mode is ColumnMode.FULL
        ours, theirs = client.link.stats().blobs, client.host.sessions[0].flow
        assert ours is not None
        assert theirs.blobs is not None
        assert (ours.waiting, ours.asked, ours.timed_out, ours.overflowed, ours.unasked) == (0, 0, 0, 0, 0)
        assert (theirs.blobs.held_bytes, theirs.tracking.waiting, theirs.answers.waiting) == (0, 0, 0)
        assert theirs.served.dimension.number == number
        misses[visit] = ours.misses
        session.dimension.store.pools.reclaim(session.dimension.store.pools.epoch)  # as whoever drives a session does
        held[visit] = sum(pool.used for pool in session.dimension.memory())
    assert misses[5] == misses[2]  # what was seen once is known by its hash
    assert [held[visit] for visit in (3, 4, 5)] == [held[visit] for visit in (0, 1, 2)]
    stats = session.stats(client.now)
    assert (stats.faulty_packets, stats.terrain.faults, stats.warnings) == (0, 0, ())
    assert (stats.ledger.unasked, stats.ledger.timed_out, stats.ledger.failed) == (0, 0, 0)
    assert not any(served.provision.wanted for served in client.host.dimensions)


def test_the_server_hears_that_the_player_is_there() -> None:
    client = virtual(975)
    assert settled(client, 0)
    cross(client, 1)
    ends = [message for message in client.sent if isinstance(message, ServerboundLoadingScreen | PlayerAction)]
    assert ends == [ServerboundLoadingScreen(1, 1), ServerboundLoadingScreen(2, 1), PlayerAction(1, DONE)]


@pytest.mark.parametrize("protocol", [486, 975])
def test_who_is_sent_on_before_it_has_settled_ends_where_it_was_sent_last(protocol: int) -> None:
    client = virtual(protocol)
    assert settled(client, 0)
    chance = random.Random(protocol)
    for _ in range(12):
        number = chance.randrange(3)
        go_to(client.host, 1, number)
        for _ in range(chance.randrange(1, 40)):
            client.turn()
    go_to(client.host, 1, 1)
    assert settled(client, 1)
    assert_shown(client)
    ours, theirs = client.link.stats().blobs, client.host.sessions[0].flow.blobs
    assert ours is not None
    assert theirs is not None
    assert (ours.waiting, ours.asked, ours.timed_out) == (0, 0, 0)
    assert theirs.held_bytes == 0
    assert client.session.stats(client.now).terrain.faults == 0


def test_over_a_bad_wire_the_crossing_is_whole() -> None:
    bad = WireFaults(loss=0.1, repetition=0.1, delay_s=0.05, jitter_s=0.05, reordering=0.2)
    client = virtual(486, wires=(Wire(bad, 1), Wire(bad, 2)))
    assert settled(client, 0)
    for number in (1, 0):
        go_to(client.host, 1, number)
        assert settled(client, number)
        assert_shown(client)


def test_the_player_crosses_by_its_own_command_and_hears_what_came_of_it() -> None:
    client = virtual(486)
    assert settled(client, 0)
    client.session.commands.give("dimension end")
    assert settled(client, 2)
    assert client.session.commands.outcomes == (CommandResult("You are going to the end.", True),)
    client.session.commands.give("dimension aether")
    assert client.run(lambda: client.session.commands.heard == 2)
    wrong = "hills:1 has no dimension 'aether'; it has overworld, nether, end."
    assert client.session.commands.outcomes[-1] == CommandResult(wrong, False)


# ---------------------------------------------------------------- joining our server

AROUND = Anchor.square(ColumnPos(0, 0), 1)


def settled_joining_our_server(virtual: VirtualSession) -> VirtualSession:
    virtual.session.pin("around", AROUND)
    assert virtual.run(lambda: virtual.session.unsettled(virtual.now, AROUND) is None)
    return virtual


def assert_daylight_enters(virtual: VirtualSession) -> None:
    """At the roof, where the highest block is air, and nowhere where there is no sky."""
    virtual.light_up()
    store, light = virtual.session.dimension.store, virtual.session.dimension.light
    top = store.dimension.roof_y_blocks - 1
    for x in range(16):
        if store.block(BlockPos(x, top, 3)).name == "minecraft:air":
            place = store.place_of(SubChunkPos(0, top >> 4, 0))
            level = int(light.values[light.table[place], x << 8 | 3 << 4 | 15]) >> 12
            assert level == (15 if store.dimension.has_sky else 0)


def assert_shown_joining_our_server(virtual: VirtualSession, world: TallWorld) -> None:
    """Three blocks of every sub-chunk of the columns around the spawn are the world's, under the release's names."""
    spoken = palette(virtual.link.codec.protocol)
    runtime_ids = form_of(spoken, world.states).runtime_ids.tolist()
    named = {state: spoken.state_of(number) for state, number in zip(world.states, runtime_ids, strict=True)}
    chance = np.random.default_rng(1)
    dimension = world.dimension
    for x, z in AROUND.columns().tolist():
        for section in range(dimension.floor_section, dimension.roof_section):
            for dx, dy, dz in chance.integers(0, 16, (3, 3)).tolist():
                position = BlockPos(x * 16 + dx, section * 16 + dy, z * 16 + dz)
                shown = virtual.session.dimension.store.block(position)
                assert BlockState(shown.name, tuple(shown.states.items())) == named[world.block(position)], position


@pytest.mark.parametrize("mode", ColumnMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    ("protocol", "dimension"),
    [(503, TALL), (649, Dimension(1, "nether", 0, 16, False)), (975, Dimension(1000, "acme:attic", -2, 12, True))],
    ids=["a tall overworld", "a tall nether", "a dimension of its own"],
)
def test_a_world_of_another_height_is_shown_from_floor_to_roof(
    protocol: int, dimension: Dimension, mode: ColumnMode
) -> None:
    world = TallWorld(dimension)
    virtual = settled_joining_our_server(VirtualSession(world, HostOptions(mode=mode), protocol=protocol))
    shown = virtual.session.dimension.store.dimension
    assert shown == dimension
    assert_shown_joining_our_server(virtual, world)
    assert_daylight_enters(virtual)
    stats = virtual.session.stats(virtual.now)
    assert (stats.faulty_packets, stats.terrain.faults) == (0, 0)


@pytest.mark.parametrize("protocol", [582, 2193])
def test_ids_by_hash_show_the_same_blocks_as_ids_by_order(protocol: int) -> None:
    by_order, by_hash = (
        settled_joining_our_server(VirtualSession("hills:1", HostOptions(ids=ids), protocol=protocol)).session
        for ids in IdForm
    )
    assert by_hash.dimension.store.block(BlockPos(0, -64, 0)).runtime_id >= 1 << 16
    for x in range(-16, 32, 5):
        for z in range(-16, 32, 5):
            for y in range(-64, 120, 7):
                ordered, hashed = (s.dimension.store.block(BlockPos(x, y, z)) for s in (by_order, by_hash))
                assert (hashed.name, hashed.states) == (ordered.name, ordered.states)


def test_an_update_by_hash_reaches_the_block_it_means() -> None:
    virtual = settled_joining_our_server(VirtualSession("flat:1", HostOptions(ids=IdForm.HASH), protocol=582))
    place = BlockPos(3, -59, 3)
    virtual.host.set_block(place, BlockState("minecraft:bedrock", (("infiniburn_bit", False),)))
    assert virtual.run(lambda: virtual.session.dimension.store.block(place).name == "minecraft:bedrock", 5.0)


def test_our_server_hears_of_the_loading_screen_and_lets_the_player_in() -> None:
    virtual = settled_joining_our_server(VirtualSession("flat:1", protocol=712))
    screens = [message for message in virtual.sent if isinstance(message, ServerboundLoadingScreen)]
    assert screens == [ServerboundLoadingScreen(1), ServerboundLoadingScreen(2)]
    assert any(isinstance(message, SetLocalPlayerAsInitialized) for message in virtual.sent)


@pytest.mark.parametrize("protocol", [500, 700, 2100, 2190])
def test_a_number_between_two_releases_is_joined_under_its_own(protocol: int) -> None:
    virtual = settled_joining_our_server(
        VirtualSession("flat:1", protocol=protocol)
    )  # the server refuses a Login of another number
    assert virtual.session.dimension.store.block(BlockPos(0, -64, 0)).name == "minecraft:bedrock"
