"""A session joins our own server where it differs from a plain 486: other heights, ids by hash, loading screens."""

import numpy as np
import pytest

from client.streaming.anchors import Anchor
from net.bedrock import ServerboundLoadingScreen
from net.palette import BlockState
from net.server.options import ColumnMode, HostOptions, IdForm
from net.space.dimensions import Dimension
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.one_form import form_of
from tests.support.tall_world import TALL, TallWorld
from tests.support.virtual_session import VirtualSession, palette

AROUND = Anchor.square(ColumnPos(0, 0), 1)


def settled(virtual: VirtualSession) -> VirtualSession:
    virtual.session.pin("around", AROUND)
    assert virtual.run(lambda: virtual.session.unsettled_within(AROUND, virtual.now) is None)
    return virtual


def assert_daylight_enters(virtual: VirtualSession) -> None:
    """At the roof, where the highest block is air, and nowhere where there is no sky."""
    virtual.light_up()
    store, light = virtual.session.store, virtual.session.light
    top = store.dimension.roof_y_blocks - 1
    for x in range(16):
        if store.block(BlockPos(x, top, 3)).name == "minecraft:air":
            place = store.place_of(SubChunkPos(0, top >> 4, 0))
            level = int(light.values[light.table[place], x << 8 | 3 << 4 | 15]) >> 12
            assert level == (15 if store.dimension.has_sky else 0)


def assert_shown(virtual: VirtualSession, world: TallWorld) -> None:
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
                shown = virtual.session.store.block(position)
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
    virtual = settled(VirtualSession(world, HostOptions(mode=mode), protocol=protocol))
    shown = virtual.session.store.dimension
    assert shown == dimension
    assert_shown(virtual, world)
    assert_daylight_enters(virtual)
    stats = virtual.session.stats(virtual.now)
    assert (stats.faulty_packets, stats.terrain.faults) == (0, 0)


@pytest.mark.parametrize("protocol", [582, 2193])
def test_ids_by_hash_show_the_same_blocks_as_ids_by_order(protocol: int) -> None:
    by_order, by_hash = (
        settled(VirtualSession("hills:1", HostOptions(ids=ids), protocol=protocol)).session for ids in IdForm
    )
    assert by_hash.store.block(BlockPos(0, -64, 0)).runtime_id >= 1 << 16
    for x in range(-16, 32, 5):
        for z in range(-16, 32, 5):
            for y in range(-64, 120, 7):
                ordered, hashed = (s.store.block(BlockPos(x, y, z)) for s in (by_order, by_hash))
                assert (hashed.name, hashed.states) == (ordered.name, ordered.states)


def test_an_update_by_hash_reaches_the_block_it_means() -> None:
    virtual = settled(VirtualSession("flat:1", HostOptions(ids=IdForm.HASH), protocol=582))
    place = BlockPos(3, -59, 3)
    virtual.host.set_block(place, BlockState("minecraft:bedrock", (("infiniburn_bit", False),)))
    assert virtual.run(lambda: virtual.session.store.block(place).name == "minecraft:bedrock", 5.0)


def test_our_server_hears_of_the_loading_screen_and_lets_the_player_in() -> None:
    virtual = settled(VirtualSession("flat:1", protocol=712))
    screens = [message for message in virtual.sent if isinstance(message, ServerboundLoadingScreen)]
    assert screens == [ServerboundLoadingScreen(1), ServerboundLoadingScreen(2)]
    assert virtual.host.stats()[0].initialized


@pytest.mark.parametrize("protocol", [500, 700, 2100, 2190])
def test_a_number_between_two_releases_is_joined_under_its_own(protocol: int) -> None:
    virtual = settled(VirtualSession("flat:1", protocol=protocol))  # the server refuses a Login of another number
    assert virtual.session.store.block(BlockPos(0, -64, 0)).name == "minecraft:bedrock"
