"""The dimension's lowest and highest cells, with and without a sky.

Light of a store: What a real store is told, and the light that follows: height maps, placeholders, unknown blocks,
dimensions.

Light map: What the light map promises, one by one, on worlds small enough to count by hand.

Oracles: Light against figures that others published, and against itself after thousands of changes.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from client.errors import OutOfSlots, WorldError
from client.light.light_map import LightMap
from client.light.simd import paint64
from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, SHARED_SLOTS, SLOT_BYTES, LightSlots
from client.world.lifecycle import SubChunkState
from net.arrays import BlockIds
from net.kernels.jit import kernel
from net.space import ABOVE_PLACE, BELOW_PLACE, NETHER, UNLOADED_PLACE, BlockPos, ColumnPos, Dimension, SubChunkPos
from net.subchunk.heights import HeightAnswer
from tests.support.reference.light import LightScene, brute_force
from tests.support.worlds import store as w
from tests.support.worlds.blocks import FakeTable, FakeWorld
from tests.support.worlds.store import StoreWorld

# ---------------------------------------------------------------- light map

# ---------------------------------------------------------------- floor and roof

SKY = Dimension(0, "small", -1, 3, True)
CAVE = Dimension(1, "small cave", -1, 3, False)
AIR, TORCH, LEAVES, WATER, STONE, LAMP = 0, 1, 5, 12, 17, 23
ROOF, FLOOR = 47, 0


def test_over_the_roof_it_is_day_and_below_the_floor_dark() -> None:
    scene = LightScene(SKY)
    assert scene.level(20, ROOF, 20) == (0, 0, 0, 15)
    assert scene.level(20, FLOOR, 20) == (0, 0, 0, 15)
    scene = LightScene(CAVE)
    assert scene.counts(3)[0] == 48 * 48 * 48


@pytest.mark.parametrize(
    ("block", "own", "below"),
    [(TORCH, 15, 15), (LEAVES, 14, 13), (WATER, 14, 13), (STONE, 0, 14), (LAMP, 0, 14)],
)
def test_a_block_in_the_highest_cell(block: int, own: int, below: int) -> None:
    """Clear ones pass daylight whole, others dim it on the way in; light from the side reaches below the rest."""
    scene = LightScene(SKY)
    ceiling = {(x, ROOF, z): block for x in range(48) for z in range(48)} if block in (LEAVES, WATER) else {}
    scene.edit({(20, ROOF, 20): block} | ceiling)
    assert scene.level(20, ROOF, 20)[3] == own
    assert scene.level(20, ROOF - 1, 20)[3] == below
    scene.check()
    scene.edit(dict.fromkeys(ceiling, AIR) | {(20, ROOF, 20): AIR})
    assert scene.counts(3)[15] == 48 * 48 * 48


def test_a_closed_roof_and_one_hole_in_it() -> None:
    scene = LightScene(SKY)
    scene.edit({(x, ROOF, z): STONE for x in range(48) for z in range(48)})
    assert scene.counts(3)[0] == 48 * 48 * 48
    scene.edit({(20, ROOF, 20): AIR})
    assert [scene.level(20, y, 20)[3] for y in (ROOF, 32, 31, FLOOR)] == [15] * 4
    assert scene.level(21, FLOOR, 20)[3] == 14
    assert scene.level(24, FLOOR, 22)[3] == 9
    assert scene.level(21, ROOF, 20)[3] == 0
    scene.check()


@pytest.mark.parametrize("dimension", [SKY, CAVE])
@pytest.mark.parametrize("y", [ROOF, FLOOR])
def test_lamps_in_the_outermost_cells(dimension: Dimension, y: int) -> None:
    scene = LightScene(dimension)
    corners = [(x, y, z) for x in (0, 47) for z in (0, 47)]
    scene.edit(dict.fromkeys(corners, LAMP) | {(24, y, 24): LAMP})
    inward = 1 if y == FLOOR else -1
    assert scene.level(24, y, 24)[0] == 15
    assert scene.level(24, y + inward, 24)[0] == 14
    assert scene.level(1, y, 0)[0] == 14
    scene.check()
    scene.edit(dict.fromkeys(corners, AIR) | {(24, y, 24): AIR})
    assert sum(scene.counts(0)[1:]) == 0
    scene.check()


def test_blocks_that_pass_daylight_whole_may_stand_from_roof_to_floor() -> None:
    scene = LightScene(SKY)
    scene.edit({(20, y, 20): 2 for y in range(48)})
    assert {scene.level(20, y, 20)[3] for y in range(48)} == {15}
    assert np.unique(scene.light.table[scene.light.table >= 2]).size == 0, "it is the shared slot of full daylight"


# ---------------------------------------------------------------- light of a store

DATA, ALL_AIR = 1, 6
LIGHT_OF_A_STORE_AIR = np.zeros(4096, np.uint16)
FLAT = Dimension(7, "three", 0, 3, True)


def told(world: StoreWorld, section: int, result: int, kind: HeightAnswer, heights: np.ndarray | None = None) -> None:
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
    ("kind", "top"), [(HeightAnswer.NONE, 0), (HeightAnswer.ALL_TOO_HIGH, 0), (HeightAnswer.ALL_TOO_LOW, 15)]
)
def test_below_a_placeholder_the_kind_of_height_map_decides(kind: HeightAnswer, top: int) -> None:
    world = StoreWorld(FLAT)
    world.announce()
    told(world, 1, ALL_AIR, kind)
    told(world, 0, ALL_AIR, HeightAnswer.NONE)
    light = lit(world)
    assert [daylight(world, light, 8, y, 8) for y in (47, 31, 16, 15, 0)] == [0, top, top, top, top]


def test_a_height_map_opens_the_top_cell_where_the_surface_is_not_above() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    heights = np.full((16, 16), 16)  # z, x
    heights[5, 3], heights[5, 4], heights[5, 8] = 15, -1, 0
    told(world, 1, ALL_AIR, HeightAnswer.DATA, heights)
    light = lit(world)
    assert [daylight(world, light, x, 31, 5) for x in (2, 3, 4, 5, 6, 7, 8)] == [14, 15, 15, 14, 13, 14, 15]
    assert daylight(world, light, 3, 16, 5) == 15


def test_without_a_sky_no_height_map_brings_daylight() -> None:
    world = StoreWorld(Dimension(8, "roofed", 0, 3, False))
    world.announce()
    told(world, 1, ALL_AIR, HeightAnswer.ALL_TOO_LOW)
    light = lit(world)
    assert [daylight(world, light, 8, y, 8) for y in (47, 31, 16)] == [0, 0, 0]


def test_known_blocks_above_beat_a_height_map_whatever_comes_first() -> None:
    for blocks_first in (True, False):
        world = StoreWorld(FLAT)
        world.announce()
        stone = ((0, 2, 0), DATA, world.payload(np.full(4096, w.STONE, np.uint16), section=2))
        if blocks_first:
            world.answer(stone)
        told(world, 1, ALL_AIR, HeightAnswer.ALL_TOO_LOW)
        if not blocks_first:
            assert daylight(world, lit(world), 8, 31, 8) == 15
            world.answer(stone)
        assert daylight(world, lit(world), 8, 31, 8) == 0


def test_an_evicted_sub_chunk_leaves_its_neighbours_to_the_height_map_again() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    world.answer(((0, 2, 0), DATA, world.payload(np.full(4096, w.GLOWSTONE, np.uint16), section=2)))
    told(world, 1, ALL_AIR, HeightAnswer.ALL_TOO_LOW)
    world.store.finish_drain()
    light = LightMap(world.store, 512)
    rows = np.array([world.store.row_of[ColumnPos(0, 0)]], np.int32)
    light.step(world.store, rows)
    below = world.store.place_of(SubChunkPos(0, 1, 0))
    assert light.at(below, 15) == 14 | 13 << 4 | 9 << 8
    world.store.mark(world.store.places_of(np.array([[0, 2, 0]], np.int32)), SubChunkState.EVICTED, world.tick())
    world.store.finish_drain()
    light.step(world.store, rows)
    assert light.at(below, 15) == 0xF000


def test_blocks_nobody_knows_are_opaque_and_dark() -> None:
    world = StoreWorld(FLAT)
    world.announce()
    for section in range(3):
        told(world, section, ALL_AIR, HeightAnswer.NONE)
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

    lamp = LIGHT_OF_A_STORE_AIR.copy()
    lamp[0] = w.GLOWSTONE
    assert max(enter(FLAT, lamp)) == 15
    assert max(enter(NETHER, lamp)) == 0
    assert max(enter(FLAT, LIGHT_OF_A_STORE_AIR)) == 15
    assert light.stats().slots == 0


# ---------------------------------------------------------------- light map

LIGHT_MAP_SKY = Dimension(0, "small", 0, 3, True)
LIGHT_MAP_CAVE = Dimension(1, "small cave", 0, 3, False)
MIDDLE = ColumnPos(0, 0)
LIGHT_MAP_TORCH, LIGHT_MAP_WATER, LIGHT_MAP_STONE, LIGHT_MAP_LAMP = 1, 12, 17, 23
SOLID = np.full(4096, LIGHT_MAP_STONE, np.uint16)


def cell(x: int, y: int, z: int) -> int:
    return x << 8 | z << 4 | y


def filled(**blocks: tuple[int, int, int]) -> npt.NDArray[np.uint16]:
    ids = LIGHT_OF_A_STORE_AIR.copy()
    for name, position in blocks.items():
        ids[cell(*position)] = {
            "torch": LIGHT_MAP_TORCH,
            "water": LIGHT_MAP_WATER,
            "stone": LIGHT_MAP_STONE,
            "lamp": LIGHT_MAP_LAMP,
        }[name]
    return ids


def square(dimension: Dimension, section_blocks: dict[int, npt.NDArray[np.uint16]]) -> tuple[FakeWorld, LightMap]:
    """3 x 3 columns of air; the middle one has the given sections."""
    world = FakeWorld(dimension, FakeTable.plain())
    world.add_columns([ColumnPos(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1)])
    for column in world.row_of:
        for section in range(dimension.sections):
            blocks = section_blocks.get(section) if column == MIDDLE else None
            world.show(world.place(column, section), LIGHT_OF_A_STORE_AIR if blocks is None else blocks)
    return world, LightMap(world, 512)


def all_rows(world: FakeWorld) -> npt.NDArray[np.int32]:
    return np.array(sorted(world.row_of.values()), np.int32)


def final_throughout(light: LightMap, world: FakeWorld, row: int) -> bool:
    """Whether a column's light is final from floor to roof."""
    return bool(light.final(world, np.array([row], np.int32)).all())


def all_but_the_middle(world: FakeWorld) -> npt.NDArray[np.int32]:
    rows = all_rows(world)
    return rows[rows != world.row_of[MIDDLE]]


def channel(light: LightMap, world: FakeWorld, which: int) -> npt.NDArray[np.int64]:
    places = [world.place(column, s) for column in world.row_of for s in range(world.dimension.sections)]
    return (light.values[light.table[places]] >> (4 * which) & 15).astype(np.int64)


def test_a_lamp_of_level_15_in_open_air_lights_4089_cells() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(lamp=(8, 8, 8))})
    light.step(world, all_rows(world))
    assert int((channel(light, world, 0) > 0).sum()) == 4089
    assert light.at(world.place(MIDDLE, 1), cell(8, 8, 8)) == 15 | 14 << 4 | 10 << 8
    assert light.at(world.place(MIDDLE, 1), cell(9, 9, 8)) == 13 | 12 << 4 | 8 << 8


def test_open_sky_is_one_shared_slot_and_a_cave_without_lamps_another() -> None:
    world, light = square(LIGHT_MAP_SKY, {0: SOLID})
    log = light.step(world, all_rows(world))
    places = [world.place(column, 2) for column in world.row_of]
    assert (light.table[places] == DAYLIGHT_SLOT).all()
    assert light.table[world.place(MIDDLE, 0)] == DARK_SLOT
    assert set(log.new_slots.tolist()) == {DAYLIGHT_SLOT}
    assert light.stats().slots == 0
    world, light = square(LIGHT_MAP_CAVE, {})
    assert len(light.step(world, all_rows(world)).places) == 0


def test_outside_is_dark_but_for_the_sky() -> None:
    _, light = square(LIGHT_MAP_SKY, {})
    assert light.table[[UNLOADED_PLACE, ABOVE_PLACE, BELOW_PLACE]].tolist() == [DARK_SLOT, DAYLIGHT_SLOT, DARK_SLOT]
    _, light = square(LIGHT_MAP_CAVE, {})
    assert light.table[ABOVE_PLACE] == DARK_SLOT


def test_water_under_the_sky_dims_from_the_top_cell_down() -> None:
    lake = np.full(4096, LIGHT_MAP_WATER, np.uint16)
    world, light = square(LIGHT_MAP_SKY, {0: SOLID, 1: SOLID, 2: lake})
    for column in list(world.row_of):
        for section, blocks in enumerate((SOLID, SOLID, lake)):
            world.show(world.place(column, section), blocks)
    light.step(world, all_rows(world))
    got = [light.at(world.place(MIDDLE, 2), cell(8, y, 8)) >> 12 for y in range(15, -1, -1)]
    assert got == [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


def test_daylight_enters_below_a_placeholder_where_the_height_map_says() -> None:
    world, light = square(LIGHT_MAP_SKY, {})
    for column in world.row_of:
        world.show(world.place(column, 2), None)
    below = world.place(MIDDLE, 1)
    world.sky_top[below, 3] = 1 << 5
    light.step(world, all_rows(world))
    assert light.at(below, cell(3, 15, 5)) >> 12 == 15
    assert light.at(below, cell(3, 0, 5)) >> 12 == 15
    assert light.at(below, cell(4, 15, 5)) >> 12 == 14
    world.show(world.place(MIDDLE, 2), SOLID)
    light.step(world, all_rows(world)[4:5])
    assert light.at(below, cell(3, 15, 5)) == 0, "known blocks beat height maps"
    assert not channel(light, world, 3)[:, :].any()


def test_an_unlit_neighbour_stops_light_until_it_is_lit() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(15, 8, 8))})
    beside = world.place(ColumnPos(1, 0), 1)
    light.step(world, np.array([world.row_of[MIDDLE]], np.int32))
    assert light.table[beside] == DARK_SLOT
    light.step(world, np.array([world.row_of[ColumnPos(1, 0)]], np.int32))
    assert light.at(beside, cell(0, 8, 8)) & 15 == 13


def test_a_removed_column_darkens_its_neighbours_and_gives_its_slots_back() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(15, 8, 8))})
    light.step(world, all_rows(world))
    beside, own = world.place(ColumnPos(1, 0), 1), world.place(MIDDLE, 1)
    assert light.at(beside, cell(0, 8, 8)) & 15 == 13
    row = world.remove_column(MIDDLE)
    log = light.step(world, np.array([row], np.int32))
    assert light.table[own] == DARK_SLOT
    assert light.table[beside] == DARK_SLOT
    assert {own, beside} <= set(log.places.tolist())
    assert light.stats().slots == 0


def test_light_is_final_among_nine_known_columns_lit_as_they_are() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    row = world.row_of[MIDDLE]
    assert not final_throughout(light, world, row)
    light.step(world, all_rows(world))
    assert final_throughout(light, world, row)
    assert not final_throughout(light, world, world.row_of[ColumnPos(1, 0)]), "its neighbours are not loaded"
    world.set_cell(world.place(ColumnPos(1, 1), 0), 5, LIGHT_MAP_STONE)
    assert not final_throughout(light, world, row)
    light.step(world, np.array([world.row_of[ColumnPos(1, 1)]], np.int32))
    assert final_throughout(light, world, row)
    world.show(world.place(ColumnPos(1, 1), 0), None)
    light.step(world, np.array([world.row_of[ColumnPos(1, 1)]], np.int32))
    assert not final_throughout(light, world, row)


def test_light_does_not_run_through_blocks_that_came_and_went_between_two_steps() -> None:
    """A column with a lamp comes beside a placeholder that is air for a while, round whose corner a third one lies."""
    world, light = square(LIGHT_MAP_CAVE, {})
    between, corner = ColumnPos(1, 0), ColumnPos(1, 1)
    for column in world.row_of:
        world.show(world.place(column, 1), LIGHT_OF_A_STORE_AIR if column == corner else SOLID)
        for section in (0, 2):
            world.show(world.place(column, section), SOLID)
    world.show(world.place(between, 1), None)
    world.set_cell(world.place(MIDDLE, 1), cell(15, 8, 14), LIGHT_MAP_LAMP)
    light.step(world, all_but_the_middle(world))
    world.show(world.place(between, 1), LIGHT_OF_A_STORE_AIR)
    light.step(world, np.array([world.row_of[MIDDLE]], np.int32))
    assert light.table[world.place(corner, 1)] == DARK_SLOT
    world.show(world.place(between, 1), None)
    light.step(world, np.array([world.row_of[between]], np.int32))
    assert light.table[world.place(corner, 1)] == DARK_SLOT


def test_a_column_that_a_step_left_out_is_joined_even_if_only_one_block_of_it_changed() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(lamp=(15, 8, 8))})
    light.step(world, all_but_the_middle(world))
    beside = world.place(ColumnPos(1, 0), 1)
    world.set_cell(beside, cell(12, 2, 2), LIGHT_MAP_STONE)
    light.step(world, np.array([world.row_of[MIDDLE]], np.int32))
    assert light.table[beside] == DARK_SLOT, "it has changed and waits for its turn"
    batch = light.prepare_edits(world, np.array([beside], np.int32), np.array([cell(12, 2, 2)]))
    light.publish(light.run(batch))
    assert light.at(beside, cell(0, 8, 8)) & 15 == 14


def test_an_edit_of_a_column_that_was_never_lit_lights_it() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    light.step(world, all_but_the_middle(world))
    place = world.place(MIDDLE, 1)
    world.set_cell(place, cell(15, 8, 8), LIGHT_MAP_LAMP)
    batch = light.prepare_edits(world, np.array([place], np.int32), np.array([cell(15, 8, 8)]))
    assert len(batch.edits) == 0
    light.publish(light.run(batch))
    assert light.at(place, cell(8, 8, 8)) & 15 == 14
    assert light.at(world.place(ColumnPos(1, 0), 1), cell(0, 8, 8)) & 15 == 14


def test_an_edit_beside_a_column_that_waits_for_its_turn_is_relit_without_that_column() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    light.step(world, all_rows(world))
    own, beside = world.place(MIDDLE, 1), world.place(ColumnPos(1, 0), 1)
    world.show(beside, SOLID)
    world.set_cell(own, cell(15, 8, 8), LIGHT_MAP_LAMP)
    batch = light.prepare_edits(world, np.array([own], np.int32), np.array([cell(15, 8, 8)]))
    assert len(batch.edits) == 0
    light.publish(light.run(batch))
    light.step(world, np.array([world.row_of[ColumnPos(1, 0)]], np.int32))
    assert light.table[beside] == DARK_SLOT
    assert light.at(own, cell(15, 8, 8)) & 15 == 15


def test_what_a_waiting_column_lost_is_taken_from_its_neighbours_when_it_is_relit_for_another() -> None:
    """Lamps of two columns go; only the first is given; the second is relit beside it; a third saw that one."""
    first, third = ColumnPos(-1, 0), ColumnPos(1, 0)
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(15, 8, 8))})
    world.set_cell(world.place(first, 1), cell(2, 8, 8), LIGHT_MAP_TORCH)
    light.step(world, all_rows(world))
    assert light.at(world.place(third, 1), cell(0, 8, 8)) & 15 == 13
    for column in (first, MIDDLE):
        world.show(world.place(column, 1), LIGHT_OF_A_STORE_AIR)
    light.step(world, np.array([world.row_of[first]], np.int32))
    light.step(world, np.array([world.row_of[MIDDLE]], np.int32))
    assert light.table[world.place(third, 1)] == DARK_SLOT


def test_a_row_that_another_column_took_over_between_two_steps_darkens_where_it_was() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(15, 8, 8))})
    light.step(world, all_rows(world))
    beside = world.place(ColumnPos(1, 0), 1)
    row = world.remove_column(MIDDLE)
    world._free.append(world._free.pop(0))
    assert world.add_column(ColumnPos(9, 9)) == row
    world.show(world.place(ColumnPos(9, 9), 1), filled(lamp=(8, 8, 8)))
    light.step(world, np.array([row], np.int32))
    assert light.table[beside] == DARK_SLOT
    assert light.at(world.place(ColumnPos(9, 9), 1), cell(8, 8, 8)) & 15 == 15


def test_final_says_by_sub_chunk_where_nothing_that_may_come_changes_light() -> None:
    deep = Dimension(0, "deep", 0, 8, True)
    world, light = square(deep, dict.fromkeys(range(2, 5), SOLID))
    row = np.array([world.row_of[MIDDLE]], np.int32)
    assert not light.final(world, row).any(), "nothing is lit"
    light.step(world, all_rows(world))
    assert light.final(world, row).tolist() == [[True] * 8]
    assert not light.final(world, np.array([world.row_of[ColumnPos(1, 0)]])).any(), "columns beside are not there"
    world.show(world.place(MIDDLE, 6), None)
    light.step(world, row)
    assert light.final(world, row).tolist() == [[True] * 3 + [False] * 5], "below solid ground no doubt is left"
    world.show(world.place(MIDDLE, 6), LIGHT_OF_A_STORE_AIR)
    world.show(world.place(ColumnPos(1, 1), 6), None)
    light.step(world, all_rows(world))
    assert not light.final(world, row).any(), "daylight may come down beside it"
    assert not light.final_at(world, world.place(MIDDLE, 0))


def test_without_a_sky_only_what_is_next_to_a_placeholder_is_in_doubt() -> None:
    world, light = square(Dimension(1, "deep cave", 0, 8, False), {})
    world.show(world.place(ColumnPos(1, 1), 6), None)
    light.step(world, all_rows(world))
    row = np.array([world.row_of[MIDDLE]], np.int32)
    assert light.final(world, row).tolist() == [[True] * 5 + [False] * 3]


def test_an_edit_writes_fresh_slots_only_where_light_changed() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    light.step(world, all_rows(world))
    place = world.place(MIDDLE, 1)
    shown = light.table.copy()
    before = light.values[shown[place]].copy()
    world.set_cell(place, cell(8, 8, 8), 0)
    batch = light.prepare_edits(world, np.array([place], np.int32), np.array([cell(8, 8, 8)]))
    assert len(batch.edits) == 1
    result = light.run(batch)
    assert (light.values[shown[place]] == before).all()
    light.publish(result)
    assert light.table[place] == DARK_SLOT
    assert light.stats().slots == 0
    assert light.stats().edits == 1


def test_a_solid_sub_chunk_with_a_lamp_in_it_shines_over_the_border_of_a_step() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: np.full(4096, LIGHT_MAP_STONE, np.uint16)})
    world.set_cell(world.place(MIDDLE, 1), cell(15, 8, 8), LIGHT_MAP_LAMP)
    beside = world.place(ColumnPos(1, 0), 1)
    light.step(world, np.array([world.row_of[ColumnPos(1, 0)]], np.int32))
    light.step(world, np.array([world.row_of[MIDDLE]], np.int32))
    assert light.at(beside, cell(0, 8, 8)) == 14 | 13 << 4 | 9 << 8


def test_an_edit_that_leaves_the_light_as_it_was_tells_of_no_place_and_keeps_no_slot() -> None:
    world, light = square(LIGHT_MAP_SKY, {1: filled(torch=(8, 8, 8))})
    light.step(world, all_rows(world))
    place = world.place(MIDDLE, 1)
    slots = light.stats().slots

    def edit(at: int, block: int) -> int:
        world.set_cell(place, at, block)
        batch = light.prepare_edits(world, np.array([place], np.int32), np.array([at]))
        return len(light.publish(light.run(batch)).places)

    assert edit(cell(4, 4, 4), 2) == 0, "as clear as air"
    assert edit(cell(4, 4, 4), LIGHT_MAP_STONE) > 0
    assert edit(cell(4, 4, 4), 0) > 0
    assert light.stats().slots == slots
    assert edit(cell(8, 8, 8), 0) > 0
    assert light.stats().slots == 0
    assert light.table[place] == DAYLIGHT_SLOT


def test_workers_make_the_same_light_as_one_thread() -> None:
    rng = np.random.default_rng(4)
    blocks = np.where(
        rng.random(4096) < 0.2,
        rng.choice([LIGHT_MAP_TORCH, LIGHT_MAP_WATER, LIGHT_MAP_STONE, LIGHT_MAP_LAMP, 5], 4096),
        0,
    ).astype(np.uint16)
    world, light = square(LIGHT_MAP_SKY, {0: blocks, 1: blocks[::-1].copy(), 2: blocks})
    light.step(world, all_rows(world))
    one = light.values[light.table].copy()
    with ThreadPoolExecutor(2) as pool:
        light.reset(world)
        light.step(world, all_rows(world), lambda task, count: list(pool.map(task, range(count))) and None)
    assert (light.values[light.table] == one).all()


def test_a_step_with_too_little_scratch_begins_again_with_more() -> None:
    rng = np.random.default_rng(4)
    blocks = np.where(
        rng.random(4096) < 0.2,
        rng.choice([LIGHT_MAP_TORCH, LIGHT_MAP_WATER, LIGHT_MAP_STONE, LIGHT_MAP_LAMP, 5], 4096),
        0,
    ).astype(np.uint16)
    world, light = square(LIGHT_MAP_SKY, {0: blocks, 1: blocks, 2: blocks})
    light.step(world, all_rows(world))
    expected = light.values[light.table].copy()
    light.reset(world)
    scratch = light._scratch
    scratch.pool = scratch.pool[:, :3].copy()
    scratch.queue = np.empty(16, np.uint32)
    light.step(world, all_rows(world)[:4])
    light.step(world, all_rows(world)[4:])
    assert (light.values[light.table] == expected).all()


def test_edits_that_fill_their_queue_write_nothing_behind_it() -> None:
    glow, dimmer = 2, 3
    table = FakeTable.plain()
    table.emission[[glow, dimmer]] = 11, 10
    world = FakeWorld(LIGHT_MAP_SKY, table)
    world.add_columns([MIDDLE])
    place = world.place(MIDDLE, 1)
    ids = LIGHT_OF_A_STORE_AIR.copy()
    ids[cell(2, 8, 8)] = glow
    around = [(1, 8, 8), (3, 8, 8), (2, 7, 8), (2, 9, 8), (2, 8, 7), (2, 8, 9)]
    ids[[cell(*at) for at in around]] = dimmer
    for section, blocks in enumerate((LIGHT_OF_A_STORE_AIR, ids, LIGHT_OF_A_STORE_AIR)):
        world.show(world.place(MIDDLE, section), blocks)
    light = LightMap(world, 64)
    light.step(world, all_rows(world))
    changed = [cell(2, 8, 8), *(cell(x, 2, 2) for x in range(4, 16, 2))]
    for at, block in zip(changed, [0, *[dimmer] * 6], strict=True):
        world.set_cell(place, at, block)
    room = np.zeros(64, np.uint32)
    scratch = light._scratch
    scratch.queue, scratch.levels_taken, scratch.rises = np.empty(16, np.uint32), np.empty(16, np.uint32), room[:16]
    light.publish(light.run(light.prepare_edits(world, np.full(7, place, np.int32), np.array(changed))))
    assert not room[16:].any()
    mended = light.values[light.table[place]].copy()
    light.reset(world)
    light.step(world, all_rows(world))
    assert (light.values[light.table[place]] == mended).all()


def test_one_step_at_a_time_and_a_reset_drops_the_one_that_is_out() -> None:
    world, light = square(LIGHT_MAP_SKY, {})
    result = light.run(light.prepare(world, all_rows(world)))
    with pytest.raises(WorldError, match="a light step is running"):
        light.prepare(world, all_rows(world))
    light.reset(world)
    assert len(light.publish(result).places) == 0
    assert light.stats().slots == 0
    light.step(world, all_rows(world))
    assert light.table[world.place(MIDDLE, 0)] == DAYLIGHT_SLOT


def test_too_few_slots_are_named_and_an_abandoned_step_gives_its_own_back() -> None:
    world = FakeWorld(LIGHT_MAP_CAVE, FakeTable.plain())
    world.add_column(MIDDLE)
    for section in range(3):
        world.show(world.place(MIDDLE, section), filled(lamp=(8, 8, 8)))
    light = LightMap(world, 4)
    batch = light.prepare(world, all_rows(world))
    with pytest.raises(OutOfSlots, match="all 4 slots of the light pool"):
        light.run(batch)
    light.abandon(batch)
    assert light.stats().slots == 0


def test_opaque_blocks_that_leak_and_liquids_that_do_not_dim_are_refused() -> None:
    world, _ = square(LIGHT_MAP_SKY, {})
    world.table.opacity[1, LIGHT_MAP_STONE] = 3
    with pytest.raises(WorldError, match=f"block {LIGHT_MAP_STONE} is opaque but lets light through"):
        LightMap(world, 512).step(world, all_rows(world))
    world, _ = square(LIGHT_MAP_SKY, {})
    world.table.opacity[3, LIGHT_MAP_WATER] = 0
    with pytest.raises(WorldError, match=f"block {LIGHT_MAP_WATER} is a liquid but does not dim"):
        LightMap(world, 512).step(world, all_rows(world))


def test_emission_beyond_fifteen_is_refused_and_opacity_beyond_it_is_fifteen() -> None:
    world, _ = square(LIGHT_MAP_SKY, {})
    world.table.emission[LIGHT_MAP_TORCH] = 16 << 8 | 14
    with pytest.raises(WorldError, match=f"block {LIGHT_MAP_TORCH} emits 0x100e: a lamp has three channels of 0..15"):
        LightMap(world, 512).step(world, all_rows(world))
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    world.table.opacity[:, 5] = 200
    world.set_cell(world.place(MIDDLE, 1), cell(9, 8, 8), 5)
    light.step(world, all_rows(world))
    assert light.at(world.place(MIDDLE, 1), cell(9, 8, 8)) == 0
    assert light.at(world.place(MIDDLE, 1), cell(7, 8, 8)) & 15 == 13


def test_a_reset_for_another_block_table_takes_that() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    light.step(world, all_rows(world))
    dimmer, _ = square(LIGHT_MAP_CAVE, {1: filled(torch=(8, 8, 8))})
    dimmer.table.emission[LIGHT_MAP_TORCH] = 3
    light.reset(dimmer)
    light.step(dimmer, all_rows(dimmer))
    assert light.at(dimmer.place(MIDDLE, 1), cell(8, 8, 8)) == 3


def test_columns_that_came_since_the_last_step_are_dark_and_not_out_of_bounds() -> None:
    world, light = square(LIGHT_MAP_SKY, {})
    light.step(world, all_rows(world))
    behind = np.array([len(light.table) + 5, world.place(MIDDLE, 1)], np.int32)
    assert light.slots_of(behind).tolist() == [DARK_SLOT, DAYLIGHT_SLOT]
    assert light.at(int(behind[0]), cell(0, 0, 0)) == 0


def test_a_map_that_rested_lights_as_before() -> None:
    world, light = square(LIGHT_MAP_CAVE, {1: filled(lamp=(8, 8, 8))})
    light.step(world, all_rows(world))
    shown = light.values[light.table].copy()
    slots, scratch = light.stats().memory
    assert slots.used > 0
    assert scratch.committed > 0
    light.rest()
    resting = light.stats().memory[1]
    assert resting.committed < scratch.committed
    assert resting.peak == scratch.peak
    assert (light.values[light.table] == shown).all()
    light.reset(world)
    assert light.stats().slots == 0
    light.step(world, all_rows(world))
    assert (light.values[light.table] == shown).all()


def test_many_idle_light_slots_give_their_memory_back_and_work_again() -> None:
    slots = LightSlots(4096)
    taken = slots.take(3000)
    slots.values[taken] = 7
    slots.written(taken)
    slots.give(taken[1:])
    before = slots.memory()
    slots.trim()
    after = slots.memory()
    assert after.committed < before.committed / 100
    assert after.peak == before.peak == before.committed
    assert (slots.values[taken[0]] == 7).all()
    again = slots.take(10)
    slots.values[again] = 3
    assert slots.used == 11
    assert (slots.values[[DARK_SLOT, DAYLIGHT_SLOT], 0] == [0, 0xF000]).all()


def test_a_darkened_map_holds_no_slot_and_is_lit_again_alike() -> None:
    world, light = square(LIGHT_MAP_SKY, {1: filled(lamp=(8, 8, 8), stone=(3, 4, 5)), 2: SOLID})
    light.step(world, all_rows(world))
    before, table = light.values[light.table].copy(), light.table.copy()
    assert light.stats().slots > 0
    light.darken()
    assert light.stats().slots == 0
    assert light.at(world.place(MIDDLE, 1), cell(8, 8, 8)) == 0
    batch = light.prepare(world, all_rows(world))
    with pytest.raises(WorldError, match="step is running"):
        light.darken()
    log = light.publish(light.run(batch))
    assert (light.values[light.table] == before).all()
    assert set(log.places.tolist()) == set(np.flatnonzero(table != DARK_SLOT).tolist()) - {ABOVE_PLACE}


def test_slots_that_a_step_holds_take_no_memory_before_it_writes_to_them() -> None:
    slots = LightSlots(64)
    held = slots.take(40)
    assert slots.memory().used == slots.memory().committed == SHARED_SLOTS * SLOT_BYTES
    slots.written(held[:3])
    assert slots.memory().used == slots.memory().committed == (SHARED_SLOTS + 3) * SLOT_BYTES
    slots.give(held)
    assert slots.memory().used == SHARED_SLOTS * SLOT_BYTES


def test_a_map_takes_over_no_light_while_a_step_is_out() -> None:
    world, light = square(LIGHT_MAP_SKY, {1: filled(lamp=(8, 8, 8))})
    other = LightMap(world, 512)
    same = np.ones(len(world.slot), np.bool_)
    for map_with_step in (light, other):
        batch = map_with_step.prepare(world, all_rows(world))
        with pytest.raises(WorldError, match="step is running"):
            other.succeed(light, world, world, same)
        map_with_step.abandon(batch)
    light.step(world, all_rows(world))
    before = light.values[light.table].copy()
    other.succeed(light, world, world, same)
    assert (other.values[other.table] == before).all()
    assert other.final_at(world, world.place(MIDDLE, 1)), "it knows as what it was lit"
    assert light.stats().slots == 0


# ---------------------------------------------------------------- oracles

ORACLES_CAVE = Dimension(1, "cave", 0, 3, False)
ORACLES_SKY = Dimension(0, "small", 0, 3, True)
ORACLES_AIR, ORACLES_TORCH, ORACLES_STONE, ORACLES_LAMP = 0, 1, 17, 23
BLOCKS = [block for block in range(24) if block != 15]


def test_a_lamp_of_15_lights_4089_cells_one_octahedron_shell_a_level() -> None:
    """algorithms.md 6.2: all cells at a distance of at most 14 steps."""
    scene = LightScene(ORACLES_CAVE)
    scene.edit({(24, 24, 24): ORACLES_LAMP})
    shells = [4 * steps * steps + 2 for steps in range(14, 0, -1)]
    everything = 48 * 48 * 48
    assert scene.counts(0) == [everything - 4089, *shells, 1]
    assert sum(shells) + 1 == 4089
    green = [0, *shells[1:], 1, 0]  # a lamp of 14 in that channel
    assert scene.counts(1)[1:] == green[1:]
    scene.check_equals_relit()
    visited = scene.edit({(24, 24, 24): ORACLES_AIR})
    assert visited < 4 * 4089
    assert scene.light.stats().slots == 0, "dark again, in the shared slot"


def test_luantis_lamp_scene_places_and_removes_with_few_visits() -> None:
    """Luanti's own benchmark: a platform of 21 x 21 in open air, a lamp of 14 far below, another blinking under it.

    Our first queue took 3,807 visits for both changes together (performance.md 2c).
    """
    table = FakeTable.plain()
    table.emission[ORACLES_TORCH] = 14 | 14 << 4 | 14 << 8
    scene = LightScene(ORACLES_SKY, columns=2, table=table)
    scene.edit({(16 + x, 17, 16 + z): ORACLES_STONE for x in range(-10, 11) for z in range(-10, 11)})
    scene.edit({(16, 6, 16): ORACLES_TORCH})
    scene.check()
    steady = scene.values().copy()
    visited = scene.edit({(16, 16, 16): ORACLES_TORCH})
    assert scene.level(16, 16, 16)[:3] == (14, 14, 14)
    assert scene.level(16, 15, 16)[:3] == (13, 13, 13)
    scene.check()
    visited += scene.edit({(16, 16, 16): ORACLES_AIR})
    assert (scene.values() == steady).all()
    assert visited <= 3807


@pytest.mark.parametrize("seed", [1, 2])
def test_3000_edits_over_every_kind_of_border_leave_what_a_relight_makes(seed: int) -> None:
    """6,000 in all, of random blocks with random opacity and lamps; two in three next to a face of their sub-chunk."""
    rng = np.random.default_rng(seed)
    scene = LightScene(ORACLES_SKY, table=FakeTable.random(rng), slots=1 << 13)
    solid = {(x, y, z): ORACLES_STONE for x in range(48) for z in range(48) for y in range(int(rng.integers(2, 20)))}
    scene.edit(solid)
    done = 0
    while done < 3000:
        blocks = {}
        for _ in range(60):
            at = rng.integers(0, 48, 3)
            if rng.random() < 2 / 3:
                axis = int(rng.integers(3))
                at[axis] = at[axis] // 16 * 16 + (15 if rng.random() < 0.5 else 0)
            block = ORACLES_AIR if rng.random() < 0.5 else int(rng.choice(BLOCKS))
            blocks[int(at[0]), int(at[1]), int(at[2])] = block
        scene.edit(blocks)
        done += len(blocks)
        if done % 10 < 2:
            scene.check_equals_relit()
    scene.check_equals_relit()
    scene.check()


def test_edits_one_by_one_on_the_corner_of_eight_sub_chunks() -> None:
    """Each of 400 mended by itself, all within two blocks of a corner where columns and sub-chunks meet."""
    rng = np.random.default_rng(3)
    scene = LightScene(ORACLES_SKY, table=FakeTable.random(rng))
    for _ in range(400):
        x, y, z = (int(v) for v in rng.integers(14, 18, 3))
        scene.edit({(x, y, z): ORACLES_AIR if rng.random() < 0.4 else int(rng.choice(BLOCKS))})
    scene.check()


# ---------------------------------------------------------------- vector steps


@kernel("void(uint16[::1], int64, uint64[::1], int64, int64)")
def painted(cells: npt.NDArray[np.uint16], first: int, bits: npt.NDArray[np.uint64], k: int, unlit: int) -> None:
    paint64(cells, first, bits, k, unlit)


@pytest.mark.parametrize("dark", [[], [1], [0, 2, 3], [0, 1, 2, 3]])
def test_values_of_64_cells_are_written_from_their_bits(dark: list[int]) -> None:
    bits = np.random.default_rng(1).integers(0, 1 << 64, (16, 64), np.uint64)
    for channel in dark:
        bits[4 * channel : 4 * channel + 4] = 0
    cells = np.full(100, 7, np.uint16)
    painted(cells, 20, bits.reshape(-1), 9, 0x0100)
    words = bits[:, 9].tolist()
    assert cells[20:84].tolist() == [
        0x0100 | sum((word >> cell & 1) << bit for bit, word in enumerate(words)) for cell in range(64)
    ]
    assert (np.delete(cells, range(20, 84)) == 7).all()
