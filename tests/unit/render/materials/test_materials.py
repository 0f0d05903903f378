"""Looks of block states: every name is painted, the same way everywhere, and layers grow on demand.

Block tiles: Blocks are told apart by their tiles: those that are not stand in a list, and all of them on a sheet to
look at.

Biome tints: Tints: a colour for every biome, the default for those nobody knows.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from assets.textures import load
from client.world.block_table import BlockTable
from render.materials.biome_tints import BIOMES, GLOWS, ROTATES, TINT_MASK, Tint, tint_colours, tints_of
from render.materials.face_recipes import MARKS, FaceSignature, faces_of, own_colour, signature_of
from render.materials.materials import Materials
from render.materials.paint_devices import GLYPHS, number_mask
from render.materials.painters import PAINTERS
from tests.support.data.shared import PlainTable, StateValue, state
from tests.support.data.sheets import alias_text, aliases, first_states, sheets, tiles_of

# ---------------------------------------------------------------- materials

NOTHING_TO_PAINT = {
    "air", "barrier", "client_request_placeholder_block", "info_update", "info_update2", "light_block", "reserved6",
    "structure_void", "unknown",
}  # fmt: skip


def painter(name: str, face: int, **states: StateValue) -> str:
    rules = load()
    full = state(name, **states)
    return faces_of(rules, signature_of(rules, full.name, dict(full.states)))[face].recipe.painter


def test_every_recipe_names_a_painter_and_gives_it_the_colours_it_wants() -> None:
    rules = load()
    for word in rules.materials:
        for axis in "xyz":
            for face in faces_of(rules, FaceSignature(word, axis, 3)):
                assert face.recipe.painter in PAINTERS, word


def test_every_name_of_the_palette_is_painted(table: BlockTable) -> None:
    rules = load()
    unpainted = set()
    for block in table.states:
        faces = faces_of(rules, signature_of(rules, block.name, dict(block.states)))
        if any(face.recipe.painter == "unknown" for face in faces):
            unpainted.add(block.name.removeprefix("minecraft:"))
    assert unpainted == NOTHING_TO_PAINT


def test_layers_fit_what_drivers_give(materials: Materials, table: BlockTable) -> None:
    assert len(materials) == len(table)
    assert 600 < materials.layers < 2048
    assert materials.tiles.max() == materials.layers - 1


def test_pictures_are_the_same_on_every_machine(materials: Materials) -> None:
    some = Materials.build(PlainTable([state("stone", stone_type="granite"), state("log", old_log_type="oak")]))
    digest = hashlib.sha256(some.textures.tobytes()).hexdigest()
    assert digest == "ca87d7354bc361a22346bd01d49803822b95087572a93882fecb4e3b9fbe36a1"
    granite = some.textures[some.tiles[0, 0]]
    assert any((granite == layer).all() for layer in materials.textures), "a picture depends on its name alone"


def test_painting_again_gives_the_same(materials: Materials, table: BlockTable) -> None:
    again = Materials.build(table)
    assert (again.textures == materials.textures).all()
    assert (again.tiles == materials.tiles).all()


def test_grass_is_tinted_on_top_masked_at_its_sides_and_bare_below() -> None:
    grass = Materials.build(PlainTable([state("grass")]))
    assert grass.tints[0].tolist() == [Tint.GRASS] * 4 + [Tint.NONE, Tint.GRASS]
    assert grass.flags[0].tolist() == [TINT_MASK] * 4 + [ROTATES, ROTATES]
    side = grass.textures[grass.tiles[0, 0]]
    assert (side[:2, :, 3] == 255).all()
    assert (side[8:, :, 3] == 0).all()
    assert not grass.coverage[grass.tiles[0, 0]]


def test_a_log_shows_rings_at_the_ends_of_its_axis() -> None:
    for axis, ends in (("x", (0, 1)), ("z", (2, 3)), ("y", (4, 5))):
        shown = [painter("log", face, old_log_type="oak", pillar_axis=axis) for face in range(6)]
        assert [face for face in range(6) if shown[face] == "rings"] == list(ends)


def test_a_furnace_has_its_mouth_where_it_looks() -> None:
    for facing, face in ((2, 2), (3, 3), (4, 0), (5, 1)):
        shown = [painter("furnace", d, facing_direction=facing) for d in range(6)]
        assert [d for d in range(6) if shown[d] == "oven"] == [face]


def test_shapes_of_one_stuff_look_alike() -> None:
    rules = load()
    stuffs = [
        [
            state("planks", wood_type="oak"),
            state("oak_stairs"),
            state("wooden_slab", wood_type="oak"),
            state("oak_button"),
        ],
        [state("stonebrick", stone_brick_type="default"), state("stone_brick_stairs"), state("stone_brick_wall")],
        [state("end_bricks"), state("end_brick_stairs"), state("cobblestone_wall", wall_block_type="end_brick")],
        [state("wool", color="lime"), state("carpet", color="lime")],
        [
            state("stone", stone_type="granite"),
            state("granite_stairs"),
            state("stone_slab3", stone_slab_type_3="granite"),
        ],
    ]
    for stuff in stuffs:
        faces = {faces_of(rules, signature_of(rules, block.name, dict(block.states)))[0].recipe for block in stuff}
        assert len(faces) == 1, stuff


def test_growing_plants_take_the_last_picture_they_have_reached() -> None:
    names = [painter("wheat", 0, growth=growth) for growth in range(8)]
    assert names == ["crop3", "crop3", "crop6", "crop6", "crop9", "crop9", "crop9", "crop14"]


def test_a_name_nobody_painted_has_a_stable_colour_of_its_own() -> None:
    assert painter("thing_of_tomorrow", 0) == "unknown"
    assert own_colour("thing_of_tomorrow") == own_colour("thing_of_tomorrow")
    assert len({own_colour(f"thing_{n}") for n in range(50)}) > 45


def test_states_that_join_later_get_layers_behind_the_others() -> None:
    table = PlainTable([state("stone", stone_type="stone")])
    materials = Materials.build(table)
    old = materials.tiles
    before = materials.layers
    materials.grow(table)
    assert materials.layers == before
    table.states.append(state("glowstone"))
    materials.grow(table)
    assert materials.layers == before + 1
    assert old.shape == (1, 6), "arrays that jobs may hold stay as they were"
    assert materials.flags[1].tolist() == [GLOWS] * 6
    assert [level.shape for level in materials.levels()] == [(materials.layers, s, s, 4) for s in (16, 8, 4, 2, 1)]
    table.states.append(state("stone_slab4", stone_slab_type_4="stone"))
    materials.grow(table)
    assert materials.layers == before + 1, "a picture is painted once"
    assert materials.tiles[2].tolist() == materials.tiles[0].tolist()


def test_what_should_be_seen_through_has_holes_and_what_should_not_has_none() -> None:
    blocks = [state("leaves", old_leaf_type="oak"), state("yellow_flower"), state("dirt", dirt_type="normal")]
    materials = Materials.build(PlainTable(blocks))
    covered = (materials.textures[materials.tiles[:, 0], :, :, 3] > 127).mean((1, 2))
    assert 0.6 < covered[0] < 0.97
    assert 0.05 < covered[1] < 0.35
    assert covered[2] == 1


def test_a_sea_of_lava_shows_no_grid_of_its_tiles() -> None:
    """Waves as long as a tile are what remains of it from afar."""
    materials = Materials.build(PlainTable([state("lava")]))
    moving = materials.moving[int(materials.tiles[0, 0])]
    for step in range(16):
        shades = moving.levels(step)[0][0, :, :, :3].astype(float).mean(2)
        waves = np.abs(np.fft.fft2(shades)) / shades.size
        waves[0, 0] = 0.0  # the mean
        assert waves[np.ix_((-1, 0, 1), (-1, 0, 1))].max() < 1.0
        assert shades.std() > 15.0, "it glows in swirls"


def test_pictures_beyond_what_a_texture_holds_are_white() -> None:
    few = Materials.build(PlainTable([state("glowstone"), state("lava"), state("glowstone")]), most_layers=2)
    assert list(few.crowded) == ["minecraft:lava"]
    assert few.layers == 2
    assert few.tiles[:, 0].tolist() == [1, 0, 1]
    assert not few.moving


def test_dyes_are_told_apart(table: BlockTable, materials: Materials) -> None:
    wool = [dense for dense, block in enumerate(table.states) if block.name == "minecraft:wool"]
    means = materials.textures[materials.tiles[wool, 0], :, :, :3].astype(float).mean((1, 2))
    apart = np.linalg.norm(means[:, None] - means[None], axis=2) + 999 * np.eye(len(wool))
    assert len(wool) == 16
    assert apart.min() > 20


def test_a_known_name_without_its_property_looks_like_its_name() -> None:
    """Other versions' ``minecraft:stone`` has no ``stone_type``, and some say directions in words."""
    rules = load()
    assert signature_of(rules, "minecraft:stone", {}).word == "stone"
    assert signature_of(rules, "minecraft:furnace", {"facing_direction": "south"}).front == 3


def test_pistons_count_level_directions_from_the_other_side() -> None:
    """minecraft-data's table of Java and Bedrock states (1.18.11): piston, facing=north is facing_direction 3."""
    for facing, face in ((0, 4), (1, 5), (2, 3), (3, 2), (4, 1), (5, 0)):
        shown = [painter("sticky_piston", d, facing_direction=facing) for d in range(6)]
        assert [d for d in range(6) if shown[d] == "piston_head"] == [face]
        assert [d for d in range(6) if shown[d] == "cobble"] == [face ^ 1]


def test_observers_look_where_they_face_and_answer_behind() -> None:
    for facing, face in ((0, 4), (1, 5), (2, 2), (3, 3), (4, 0), (5, 1)):
        assert painter("observer", face, facing_direction=facing) == "stamp_watch"
        assert painter("observer", face ^ 1, facing_direction=facing) == "hole"


# ---------------------------------------------------------------- block tiles

ALIASES = Path(__file__).with_name("aliases-486.txt")


def test_at_least_600_of_the_708_names_have_tiles_of_their_own(materials: Materials, table: BlockTable) -> None:
    names = first_states(table, len(materials))
    assert len(names) == 708
    assert len({tiles_of(materials, dense) for dense in names.values()}) >= 600


def test_names_that_share_their_tiles_are_listed(materials: Materials, table: BlockTable) -> None:
    """The list is made anew by ``python -m tests.support.data.sheets palette --aliases FILE``."""
    assert alias_text(aliases(materials, table)) == ALIASES.read_text("utf-8")


def test_every_name_stands_on_a_sheet(materials: Materials, table: BlockTable) -> None:
    pages = sheets(materials, table)
    assert len(pages) == 3
    for page in pages:
        assert len(page.getcolors(1 << 24)) > 1000, "a page of blocks has many colours"


@pytest.mark.parametrize("mark", sorted(MARKS))
def test_a_mark_changes_a_picture_and_leaves_its_stuff_to_be_seen(mark: str) -> None:
    plain = np.full((16, 16, 4), 120.0)
    marked = MARKS[mark](plain.copy())
    changed = (marked != plain).any(axis=2)
    assert 0.05 < changed.mean() < 0.7


def test_a_double_slab_has_its_seam_at_its_sides_alone() -> None:
    slab, planks = state("double_wooden_slab", wood_type="oak"), state("planks", wood_type="oak")
    materials = Materials.build(PlainTable([slab, planks]))
    same = materials.tiles[0] == materials.tiles[1]
    assert same.tolist() == [False] * 4 + [True] * 2


def test_signs_of_devices_differ_from_each_other() -> None:
    assert len({glyph.tobytes() for glyph in GLYPHS.values()}) == len(GLYPHS)
    assert all(glyph.shape == (8, 8) for glyph in GLYPHS.values())


def test_numbers_of_elements_fit_their_tile_and_differ() -> None:
    masks = [number_mask(number) for number in range(119)]
    assert max(mask.shape[1] for mask in masks) <= 12
    assert len({(mask.shape, mask.tobytes()) for mask in masks}) == 119


# ---------------------------------------------------------------- biome tints

PLAINS, JUNGLE, DESERT, SWAMP, WARM_OCEAN = 1, 21, 2, 6, 40


def test_every_biome_has_three_colours() -> None:
    assert tint_colours().shape == (BIOMES, 3, 3)
    assert (tint_colours().max(2) > 60).all()


def test_a_biome_nobody_knows_looks_like_plains() -> None:
    colours = tints_of(np.array([PLAINS, 65535, 300, 200], np.uint16))
    assert (colours == colours[0]).all()


def test_climates_differ_where_a_person_would_see_it() -> None:
    jungle, desert, swamp, ocean = tints_of(np.array([JUNGLE, DESERT, SWAMP, WARM_OCEAN], np.uint16)).astype(int)
    grass, water = Tint.GRASS - 1, Tint.WATER - 1
    assert jungle[grass, 1] - jungle[grass, 0] > 60 > desert[grass, 1] - desert[grass, 0]
    assert ocean[water, 2] > swamp[water, 2] + 60
