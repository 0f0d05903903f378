"""The hills are the same in whatever order they are asked for, and hold what the package says."""

import hashlib
import itertools

import numpy as np
import pytest

from net.palette import Palette
from net.server.worlds import UnknownWorld, open_worlds
from net.server.worlds.hills import HillsWorld
from net.server.worlds.hills.structures import house_of
from net.server.worlds.hills.terrain import BLOCKS, IDS, LAMP_CAVE, LAMP_CAVE_EYE, PLOTS, SEA_Y, survey
from net.server.worlds.world import FlatWorld, ServerWorld
from net.space import BlockPos, ColumnPos
from tests.support.data.shared import form_of

LAMPS = (
    "glowstone",
    "sea_lantern",
    "shroomlight",
    "redstone_lamp",
    "ochre_froglight",
    "verdant_froglight",
    "pearlescent_froglight",
)


@pytest.fixture(scope="module")
def hills() -> HillsWorld:
    return HillsWorld()


def block(world: ServerWorld, x: int, y: int, z: int) -> int:
    position = BlockPos(x, y, z)
    return int(world.column(position.column).layer0[(y >> 4) + 4, position.in_subchunk])


def test_every_state_exists_at_486() -> None:
    assert len(form_of(Palette.for_protocol(486), HillsWorld().states).runtime_ids) == len(BLOCKS)


def test_order_of_asking_changes_nothing(hills: HillsWorld) -> None:
    square = [ColumnPos(x, z) for x, z in itertools.product(range(-6, 6), repeat=2)]
    other = HillsWorld()
    backwards = {position: other.column(position) for position in reversed(square)}
    for position in square:
        made, again = hills.column(position), backwards[position]
        assert np.array_equal(made.layer0, again.layer0), position
        assert (made.layer1 is None) == (again.layer1 is None)
        assert np.array_equal(made.biomes, again.biomes)


def test_seeds_differ_far_from_the_spawn() -> None:
    far = ColumnPos(40, -33)
    assert not np.array_equal(HillsWorld(1).column(far).layer0, HillsWorld(2).column(far).layer0)


def test_crowns_cross_the_borders_of_regions(hills: HillsWorld) -> None:
    """A crown is cut nowhere: leaves stand on both sides of the border as often as on both sides of any other line."""
    leaves = [number for name, number in IDS.items() if name.endswith("_leaves")]
    lines = {0: 0, 8: 0}
    for rx, cz in itertools.product(range(-4, 5), range(-8, 8)):
        for offset, column_x in ((0, rx * 4), (8, rx * 4 + 1)):
            here = hills.column(ColumnPos(column_x, cz)).layer0.reshape(24, 16, 16, 16)
            if offset:
                pair = here[:, 7], here[:, 8]
            else:
                pair = hills.column(ColumnPos(column_x - 1, cz)).layer0.reshape(24, 16, 16, 16)[:, 15], here[:, 0]
            lines[offset] += int((np.isin(pair[0], leaves) & np.isin(pair[1], leaves)).sum())
    assert lines[0] > 100
    assert 0.4 < lines[0] / lines[8] < 2.5


def test_the_surface_of_a_region_is_a_cut_of_the_surface_of_the_world() -> None:
    wide = survey(1, np.arange(-80, 80), np.arange(100, 260))
    part = survey(1, np.arange(-10, 30), np.arange(150, 170))
    cut = np.s_[70:110, 50:70]
    for name in ("height", "slope", "wet", "beach", "snowy", "bare", "mouth", "trees", "cold", "biome"):
        assert np.array_equal(getattr(wide, name)[cut], getattr(part, name)), name


@pytest.mark.parametrize("seed", [1, 2, 3, 12345])
def test_players_stand_on_the_ground_under_the_sky(seed: int) -> None:
    world = HillsWorld(seed)
    x, y, z = (int(part // 1) for part in world.spawn.feet)
    assert block(world, x, y - 1, z) == IDS["path"]
    assert not any(block(world, x, above, z) for above in range(y, y + 40))


@pytest.mark.parametrize("seed", [1, 7])
def test_lamps_of_every_colour_stand_near_the_spawn(seed: int) -> None:
    world = HillsWorld(seed)
    found = np.zeros(len(BLOCKS), np.bool_)
    for x, z in itertools.product(range(-3, 3), repeat=2):
        found[np.unique(world.column(ColumnPos(x, z)).layer0[7:])] = True
    assert [name for name in LAMPS if not found[IDS[name]]] == []
    assert all(found[IDS[name]] for name in ("lantern", "soul_lantern", "water", "sand", "path", "oak_fence"))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_lamp_cave_is_where_it_is_said_to_be(seed: int) -> None:
    world = HillsWorld(seed)
    eye = BlockPos.containing(*LAMP_CAVE_EYE)
    assert block(world, *eye) == 0
    hall = {
        block(world, LAMP_CAVE.x + dx, LAMP_CAVE.floor_y + dy, LAMP_CAVE.z + dz)
        for dx in range(-15, 16)
        for dz in range(-13, 14)
        for dy in range(-2, 11)
    }
    lights = (*LAMPS, "soul_torch", "redstone_torch", "torch", "lava", "water")
    assert [name for name in lights if IDS[name] not in hall] == []
    # rock between it and the sky: at night only lamps light it
    roof = range(LAMP_CAVE.floor_y + 10, LAMP_CAVE.floor_y + 18)
    assert all(block(world, LAMP_CAVE.x, y, LAMP_CAVE.z) for y in roof)


def test_plants_in_water_have_water_in_the_second_layer(hills: HillsWorld) -> None:
    seen = 0
    for x, z in itertools.product(range(-2, 3), range(2, 6)):
        column = hills.column(ColumnPos(x, z))
        plants = np.isin(column.layer0, (IDS["seagrass"], IDS["kelp"]))
        seen += int(plants.sum())
        if column.layer1 is None:
            assert not plants.any()
        else:
            assert np.array_equal(plants, column.layer1 == IDS["water"])
    assert seen > 50


def test_the_sea_fills_what_lies_under_its_level(hills: HillsWorld) -> None:
    surface = survey(1, np.arange(0, 16), np.arange(48, 64))
    x, z = (int(index[0]) for index in np.nonzero(surface.height < SEA_Y - 4))
    line = [block(hills, x, y, 48 + z) for y in range(int(surface.height[x, z]) + 1, SEA_Y + 1)]
    assert set(line) <= {IDS["water"], IDS["seagrass"], IDS["kelp"], IDS["spruce_log"]}


def test_the_floor_of_the_world_is_bedrock(hills: HillsWorld) -> None:
    column = hills.column(ColumnPos(5, 5)).layer0
    assert (column[0].reshape(16, 16, 16)[:, :, 0] == IDS["bedrock"]).all()


def test_flat_is_bedrock_dirt_grass() -> None:
    column = FlatWorld().column(ColumnPos(-7, 9)).layer0
    line = [FlatWorld().states[number].name for number in column[0][:5]]
    assert line == [f"minecraft:{name}" for name in ("bedrock", "dirt", "dirt", "grass", "air")]
    assert not column[1:].any()


def test_worlds_are_chosen_by_name_and_seed() -> None:
    assert open_worlds("hills")[0].name == "hills:1"
    assert open_worlds("flat:9")[0].name == "flat:9"
    with pytest.raises(UnknownWorld, match="choose from hills, bench, flat"):
        open_worlds("nether")[0]
    with pytest.raises(UnknownWorld, match="whole number"):
        open_worlds("hills:x")[0]


@pytest.mark.parametrize("seed", [1, 2, 3, 7])
def test_the_four_houses_by_the_path_stand_for_every_seed(seed: int) -> None:
    surface = survey(seed, np.arange(-64, 64), np.arange(-64, 64))
    assert [plot for plot in PLOTS if house_of(seed, surface, *plot) is None] == []


def test_seed_1_is_the_same_on_every_machine(hills: HillsWorld) -> None:
    """Pictures and dumps are compared with stored ones: whoever changes this on purpose takes those anew."""
    digest = hashlib.sha256()
    for x, z in itertools.product(range(-3, 4), repeat=2):
        digest.update(hills.column(ColumnPos(x, z)).layer0.tobytes())
    assert digest.hexdigest() == "6fa1489e9c0833532bc8729c240b4c304f0f8ea355b8eaea1a3075df55ce84eb"
