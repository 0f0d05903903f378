"""What a real store is told, and the light that follows: height maps, placeholders, unknown blocks, dimensions."""

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.world.lifecycle import Knowledge
from net.space.dimensions import NETHER, Dimension
from net.space.layout import BlockIds
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.heights import HeightKind
from tests.support import store_world as w
from tests.support.light_twin import brute_force
from tests.support.store_world import StoreWorld

DATA, ALL_AIR = 1, 6
AIR = np.zeros(4096, np.uint16)
FLAT = Dimension(7, "three", 0, 3, True)


def told(world: StoreWorld, section: int, result: int, kind: HeightKind, heights: np.ndarray | None = None) -> None:
    """One all-air (or refused) answer with its height map."""
    maps = [None if heights is None else heights.astype(np.int8).tobytes()]
    at, kinds = np.array([[0, section, 0]], np.int32), np.array([kind], np.uint8)
    world.store.answer(at, np.array([result], np.uint8), [b""], kinds, maps, world.tick())


def lit(world: StoreWorld) -> LightMap:
    world.store.finish_drain()
    light = LightMap(world.store, 512)
    light.step(world.store, np.array(sorted(world.store.row_of.values()), np.int32))
    for place, expected in brute_force(world.store).items():
        assert (light.values[light.table[place]] == expected).all()
    return light


def daylight(world: StoreWorld, light: LightMap, x: int, y: int, z: int) -> int:
    at = BlockPos(x, y, z)
    return light.at(world.store.place_of(at.subchunk), at.in_subchunk) >> 12


@pytest.mark.parametrize(
    ("kind", "top"), [(HeightKind.NONE, 0), (HeightKind.ALL_TOO_HIGH, 0), (HeightKind.ALL_TOO_LOW, 15)]
)
def test_below_a_placeholder_the_kind_of_height_map_decides(kind: HeightKind, top: int) -> None:
    world = StoreWorld(FLAT)
    world.announce()
    told(world, 1, ALL_AIR, kind)
    told(world, 0, ALL_AIR, HeightKind.NONE)
    light = lit(world)
    assert [daylight(world, light, 8, y, 8) for y in (47, 31, 16, 15, 0)] == [0, top, top, top, top]


def test_a_height_map_opens_the_top_cell_where_the_surface_is_not_above() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    heights = np.full((16, 16), 16)  # z, x
    heights[5, 3], heights[5, 4], heights[5, 8] = 15, -1, 0
    told(world, 1, ALL_AIR, HeightKind.DATA, heights)
    light = lit(world)
    assert [daylight(world, light, x, 31, 5) for x in (2, 3, 4, 5, 6, 7, 8)] == [14, 15, 15, 14, 13, 14, 15]
    assert daylight(world, light, 3, 16, 5) == 15


def test_without_a_sky_no_height_map_brings_daylight() -> None:
    world = StoreWorld(Dimension(8, "roofed", 0, 3, False))
    world.announce()
    told(world, 1, ALL_AIR, HeightKind.ALL_TOO_LOW)
    light = lit(world)
    assert [daylight(world, light, 8, y, 8) for y in (47, 31, 16)] == [0, 0, 0]


def test_known_blocks_above_beat_a_height_map_whatever_comes_first() -> None:
    for blocks_first in (True, False):
        world = StoreWorld(FLAT)
        world.announce()
        stone = ((0, 2, 0), DATA, world.payload(np.full(4096, w.STONE, np.uint16), section=2))
        if blocks_first:
            world.answer(stone)
        told(world, 1, ALL_AIR, HeightKind.ALL_TOO_LOW)
        if not blocks_first:
            assert daylight(world, lit(world), 8, 31, 8) == 15
            world.answer(stone)
        assert daylight(world, lit(world), 8, 31, 8) == 0


def test_an_evicted_sub_chunk_leaves_its_neighbours_to_the_height_map_again() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    world.answer(((0, 2, 0), DATA, world.payload(np.full(4096, w.GLOWSTONE, np.uint16), section=2)))
    told(world, 1, ALL_AIR, HeightKind.ALL_TOO_LOW)
    world.store.finish_drain()
    light = LightMap(world.store, 512)
    rows = np.array([world.store.row_of[ColumnPos(0, 0)]], np.int32)
    light.step(world.store, rows)
    below = world.store.place_of(SubChunkPos(0, 1, 0))
    assert light.at(below, 15) == 14 | 13 << 4 | 9 << 8
    world.store.mark(world.store.places_of(np.array([[0, 2, 0]], np.int32)), Knowledge.EVICTED, world.tick())
    world.store.finish_drain()
    light.step(world.store, rows)
    assert light.at(below, 15) == 0xF000


def test_blocks_nobody_knows_are_opaque_and_dark() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    for section in range(3):
        told(world, section, ALL_AIR, HeightKind.NONE)
    for y in (20, 40):
        for x in range(16):
            for z in range(16):
                world.store.update_block(BlockPos(x, y, z), 0, 70_000 + x)
    world.store.update_block(BlockPos(8, 30, 8), 0, w.TORCH)
    light = lit(world)
    assert world.table.appended == 16
    assert daylight(world, light, 8, 41, 8) == 15
    assert [daylight(world, light, 8, y, 8) for y in (40, 39, 21, 20, 19)] == [0] * 5
    below = BlockPos(8, 19, 8)
    assert light.at(world.store.place_of(below.subchunk), below.in_subchunk) == 0


def test_another_dimension_and_back_is_lit_anew_each_time() -> None:
    world = StoreWorld(FLAT)
    light = LightMap(world.store, 512)

    def enter(dimension: Dimension, blocks: BlockIds) -> list[int]:
        world.store.change_dimension(dimension)
        world.announce()
        for section in range(dimension.sections):
            world.answer(((0, dimension.floor_section + section, 0), DATA, world.payload(blocks, section=section)))
        world.store.finish_drain()
        light.reset(world.store)
        light.step(world.store, np.array(sorted(world.store.row_of.values()), np.int32))
        expected = brute_force(world.store)
        for place, values in expected.items():
            assert (light.values[light.table[place]] == values).all()
        return [int(values.max()) >> 12 for values in expected.values()]

    lamp = AIR.copy()
    lamp[0] = w.GLOWSTONE
    assert max(enter(FLAT, lamp)) == 15
    assert max(enter(NETHER, lamp)) == 0
    assert max(enter(FLAT, AIR)) == 15
    assert light.stats().slots == 0
