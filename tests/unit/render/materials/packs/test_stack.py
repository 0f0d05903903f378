"""What packs show: faces by block, variant and direction, colours, strips; and ours wherever something is wrong.

Fogs: Layers, the sky and what lies under what; one line for each error.

Biomes: Colours that packs give to biomes: maps, the table of all, a biome's own file; ours wherever they give none.

Sizes: Packs with larger pictures than ours: everything takes their size, within the budget; and packs with too many.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.states import load_climates
from assets.textures import load
from render.materials import materials as limits
from render.materials.biome_tints import ROTATES, TINT_MASK, Tint, tint_colours
from render.materials.canvas import mip_levels
from render.materials.materials import Materials
from render.materials.packs.fogs import NO_FOGS
from render.materials.packs.stack import PackStack
from tests.support.data.packs import pack_files, plain, write_pack, write_zip
from tests.support.data.shared import PlainTable, StateValue, state

# ---------------------------------------------------------------- stack

RED, GREEN, BLUE, GREY = (200, 10, 20), (10, 200, 20), (10, 20, 200), (150, 150, 150)
STONE = {"stone": {"textures": "stone"}}
STONE_IMAGE = {"stone": "textures/blocks/stone"}


class Shown:
    """Blocks under packs."""

    def __init__(self, folder: Path, *packs: dict[str, Any], zipped: bool = False) -> None:
        paths = []
        for number, files in enumerate(packs):
            path = folder / f"pack{number}"
            paths.append(write_zip(path.with_suffix(".mcpack"), files) if zipped else write_pack(path, files))
        self.stack = PackStack.open(paths, load())

    def block(self, name: str, **states: StateValue) -> "Block":
        return Block(Materials.build(PlainTable([state(name, **states)]), self.stack))

    @property
    def troubles(self) -> list[str]:
        return [f"{trouble.file}|{trouble.key}|{trouble.why}" for trouble in self.stack.troubles]


class Block:
    def __init__(self, materials: Materials) -> None:
        self.materials = materials

    def colour(self, face: int) -> tuple[int, ...]:
        """Red, green, blue of a face that has one colour; () for one of ours."""
        texels = self.materials.textures[self.materials.tiles[0, face]][..., :3].reshape(-1, 3)
        return tuple(texels[0].tolist()) if (texels == texels[0]).all() else ()

    def colours(self) -> list[tuple[int, ...]]:
        return [self.colour(face) for face in range(6)]


@pytest.mark.parametrize("zipped", [False, True])
def test_one_texture_shows_on_all_faces(tmp_path: Path, zipped: bool) -> None:
    shown = Shown(tmp_path, pack_files(STONE, STONE_IMAGE, {"stone.png": plain(RED)}), zipped=zipped)
    assert shown.block("stone", stone_type="stone").colours() == [RED] * 6
    assert shown.block("dirt").colours() == [()] * 6, "what a pack does not have stays ours"
    assert shown.troubles == []


@pytest.mark.parametrize(
    ("entry", "turned"),
    [
        ({}, [False] * 6),
        ({"isotropic": True}, [True] * 6),
        ({"isotropic": {"up": True, "down": True, "side": False}}, [False] * 4 + [True] * 2),
        ({"isotropic": {"side": True}}, [True] * 4 + [False] * 2),
    ],
    ids=["not named", "all", "top and bottom", "sides"],
)
def test_textures_turn_by_place_where_the_packs_table_says_so(
    tmp_path: Path, entry: dict[str, Any], turned: list[bool]
) -> None:
    shown = Shown(
        tmp_path, pack_files({"stone": {"textures": "stone", **entry}}, STONE_IMAGE, {"stone.png": plain(RED)})
    )
    stone, dirt = shown.block("stone", stone_type="stone"), shown.block("dirt")
    assert (stone.materials.flags[0] & ROTATES != 0).tolist() == turned
    assert (dirt.materials.flags[0] & ROTATES != 0).all(), "a block that the table lacks turns as ours does"
    assert shown.troubles == []


def test_a_picture_without_a_table_turns_as_ours_does(tmp_path: Path) -> None:
    shown = Shown(tmp_path, pack_files({}, {}, {"stone.png": plain(RED)}))
    stone = shown.block("stone", stone_type="stone")
    assert stone.colours() == [RED] * 6
    assert (stone.materials.flags[0] & ROTATES != 0).all()


@pytest.mark.parametrize("isotropic", ["yes", 1, {"up": "no"}, {"top": True}, [True], None])
def test_what_does_not_say_whether_textures_turn_is_told_and_turns_none(tmp_path: Path, isotropic: Any) -> None:
    blocks = {"stone": {"textures": "stone", "isotropic": isotropic}}
    shown = Shown(tmp_path, pack_files(blocks, STONE_IMAGE, {"stone.png": plain(RED)}))
    stone = shown.block("stone", stone_type="stone")
    assert stone.colours() == [RED] * 6
    assert not (stone.materials.flags[0] & ROTATES).any()
    assert shown.troubles == ["blocks.json|stone|'isotropic' must be true or false, or that by face"]


def test_faces_have_their_own_textures_and_a_device_its_front(tmp_path: Path) -> None:
    sides = {"up": "top", "down": "bottom", "north": "side", "south": "face", "east": "side", "west": "side"}
    images = {"top.png": plain(RED), "bottom.tga": plain(GREEN), "side.png": plain(BLUE), "face.png": plain((9, 9, 9))}
    terrain = {name.split(".")[0]: f"textures/blocks/{name.split('.')[0]}" for name in images}
    shown = Shown(tmp_path, pack_files({"furnace": {"textures": sides}}, terrain, images))
    for facing, front in ((2, 2), (3, 3), (4, 0), (5, 1)):
        colours = shown.block("furnace", facing_direction=facing).colours()
        assert colours[4:] == [GREEN, RED]
        assert [face for face in range(4) if colours[face] == (9, 9, 9)] == [front]


def test_a_log_shows_its_ends_where_it_lies_and_its_bark_turned(tmp_path: Path) -> None:
    faces = {"up": "end", "down": "end", "side": "bark"}
    bark = plain(BLUE)
    bark[:, 3] = (0, 0, 0, 255)  # an upright line
    files = pack_files(
        {"log": {"textures": faces}},
        {"end": "textures/blocks/end", "bark": ["textures/blocks/bark", "textures/blocks/bark"]},
        {"end.png": plain(RED), "bark.png": bark},
    )
    block = Shown(tmp_path, files).block("log", old_log_type="oak", pillar_axis="x")
    assert [face for face in range(6) if block.colour(face) == RED] == [0, 1]
    side = block.materials.textures[block.materials.tiles[0, 5]]
    assert (side == side[:, :1]).all(), "the line lies along the trunk"


def test_variants_go_by_the_old_number_and_names_by_any_release(tmp_path: Path) -> None:
    images = {"a.png": plain(RED), "b.png": plain(GREEN)}
    terrain = {"stone": ["textures/blocks/a", "textures/blocks/b"], "spruce": "textures/blocks/b"}
    blocks = {**STONE, "minecraft:spruce_planks": {"textures": "spruce"}}
    shown = Shown(tmp_path, pack_files(blocks, terrain, images))
    assert shown.block("stone", stone_type="stone").colour(5) == RED
    assert shown.block("stone", stone_type="granite").colour(5) == GREEN
    assert shown.block("granite").colour(5) == GREEN, "what was stone of type granite"
    assert shown.block("stone", stone_type="andesite").colour(5) == RED, "no such variant: the first"
    assert shown.block("planks", wood_type="spruce").colour(5) == GREEN, "what spruce_planks was"
    assert shown.block("planks", wood_type="oak").colour(5) == ()


def test_a_later_pack_lies_over_earlier_ones_and_needs_no_tables(tmp_path: Path) -> None:
    below = pack_files(STONE, STONE_IMAGE, {"stone.png": plain(RED)})
    above = {"textures/blocks/stone.png": plain(BLUE)}
    assert Shown(tmp_path / "a", below, above).block("stone").colour(5) == BLUE
    assert Shown(tmp_path / "b", above, below).block("stone").colour(5) == RED
    broken = {"textures/blocks/stone.png": b"no picture"}
    shown = Shown(tmp_path / "c", below, broken)
    assert shown.block("stone").colour(5) == RED, "the pack below counts"
    assert len(shown.troubles) == 1
    assert shown.troubles[0].startswith("textures/blocks/stone.png|stone|it is not a readable PNG")


def test_a_pack_without_tables_is_found_by_names_of_blocks(tmp_path: Path) -> None:
    files = {"textures/blocks/dirt.png": plain(RED), "textures/blocks/grass_top.png": plain(GREY)}
    shown = Shown(tmp_path, files)
    assert shown.block("dirt").colours() == [RED] * 6
    grass = shown.block("grass")
    assert grass.colour(5) == GREY
    assert grass.materials.tints[0, 5] == Tint.GRASS, "grey, so the biome colours it"
    assert grass.colour(0) == ()


def test_a_mask_stays_and_an_overlay_is_laid_where_there_is_none(tmp_path: Path) -> None:
    side = plain((*GREY, 255))
    side[4:] = (*RED, 0)
    files = pack_files(
        {"grass": {"textures": "side"}, "dirt": {"textures": "side"}},
        {"side": {"path": "textures/blocks/side", "overlay_color": "#804020"}},
        {"side.tga": side},
    )
    shown = Shown(tmp_path, files)
    grass = shown.block("grass").materials
    assert grass.tints[0, 0] == Tint.GRASS
    assert grass.flags[0, 0] == TINT_MASK
    assert np.array_equal(grass.textures[grass.tiles[0, 0]], side)
    dirt = shown.block("dirt").materials
    picture = dirt.textures[dirt.tiles[0, 0]]
    assert picture[0, 0].tolist() == [75, 38, 19, 255]
    assert picture[9, 9].tolist() == [*RED, 255]


def test_a_picture_with_colours_of_its_own_is_not_tinted_again(tmp_path: Path) -> None:
    files = {"textures/blocks/grass_top.png": plain(GREEN), "textures/blocks/leaves.png": plain(GREY)}
    shown = Shown(tmp_path, files)
    assert shown.block("grass").materials.tints[0, 5] == Tint.NONE
    birch = shown.block("leaves", old_leaf_type="birch")
    assert birch.materials.tints[0, 0] == Tint.NONE
    assert birch.colour(0) == tuple(round(150 * part / 255) for part in (0x86, 0xA8, 0x56))


def test_a_tint_of_a_table_multiplies(tmp_path: Path) -> None:
    terrain = {"stone": {"path": "textures/blocks/stone", "tint_color": "#ff8000"}}
    shown = Shown(tmp_path, pack_files(STONE, terrain, {"stone.png": plain((100, 100, 100))}))
    assert shown.block("stone").colour(0) == (100, 50, 0)


def test_a_flipbook_moves_by_ticks_in_its_order(tmp_path: Path) -> None:
    strip = np.concatenate([plain(RED), plain(GREEN), plain(BLUE)])
    files = pack_files(STONE, STONE_IMAGE, {"stone.png": plain(GREY), "strip.png": strip})
    book = {"flipbook_texture": "textures/blocks/strip", "atlas_tile": "stone", "ticks_per_frame": 2}
    files["textures/flipbook_textures.json"] = [{**book, "frames": [2, 0, 1, 0, 99], "blend_frames": False}]
    materials = Shown(tmp_path, files).block("stone").materials
    layer = int(materials.tiles[0, 0])
    moving = materials.moving[layer]
    seen = [tuple(moving.levels(moving.step_at(tick))[0][0, 0, 0, :3].tolist()) for tick in range(10)]
    assert seen == [BLUE, BLUE, RED, RED, GREEN, GREEN, RED, RED, BLUE, BLUE]
    assert (materials.textures[layer][..., :3] == BLUE).all(), "tick 0 is what stands still"


def test_frames_fade_into_each_other(tmp_path: Path) -> None:
    files = pack_files(STONE, STONE_IMAGE, {"strip.png": np.concatenate([plain((0, 0, 0)), plain((100, 100, 100))])})
    book = {"flipbook_texture": "textures/blocks/strip", "atlas_tile": "stone", "ticks_per_frame": 4}
    files["textures/flipbook_textures.json"] = [book]
    moving = next(iter(Shown(tmp_path, files).block("stone").materials.moving.values()))
    reds = [int(moving.levels(moving.step_at(tick))[0][0, 0, 0, 0]) for tick in range(9)]
    assert reds == [0, 25, 50, 75, 100, 75, 50, 25, 0]


def test_the_subpack_for_the_most_memory_lies_over_the_rest(tmp_path: Path) -> None:
    files = pack_files(STONE, STONE_IMAGE, {"stone.png": plain(RED)})
    listed = [{"folder_name": "low", "memory_tier": 1}, {"folder_name": "high", "memory_tier": 4}]
    files["manifest.json"] = {"header": {"name": "x"}, "subpacks": listed}
    files["subpacks/high/textures/blocks/stone.png"] = plain(BLUE)
    files["subpacks/low/textures/blocks/stone.png"] = plain(GREEN)
    assert Shown(tmp_path, files).block("stone").colour(0) == BLUE


def textures(**entries: Any) -> dict[str, Any]:
    """A ``terrain_texture.json`` alone."""
    return {"textures/terrain_texture.json": {"texture_data": entries}}


FLIPBOOKS = "textures/flipbook_textures.json"
BOOK = {"flipbook_texture": "textures/x", "atlas_tile": "stone"}
TWO_PATHS = ["textures/blocks/stone", "textures/blocks/dirt"]
BAD: dict[str, tuple[dict[str, Any], int]] = {
    "broken tables": ({"blocks.json": "{ no", "textures/terrain_texture.json": "[1, 2]"}, 2),
    "a broken table of textures": ({"textures/terrain_texture.json": "{ no"}, 1),
    "no texture data": ({"textures/terrain_texture.json": {"texture_data": 5}}, 1),
    "a path out of the pack": (textures(stone={"textures": "../../x"}), 1),
    "an empty path": (textures(stone={"textures": ""}), 1),
    "no image": (textures(stone={"textures": "textures/no"}), 1),
    "names in a circle": (textures(stone={"textures": "b"}, b={"textures": "stone"}), 1),
    "a truncated image": ({"textures/blocks/stone.png": b"\x89PNG\r\n\x1a\n"}, 1),
    "an image without pixels": ({"textures/blocks/stone.png": b""}, 1),
    "faces that are none": ({"blocks.json": {"stone": {"textures": [1]}, "a": 5, "b": {"textures": {"up": 3}}}}, 3),
    "blocks that are none": ({"blocks.json": {"format_version": 1, "stone": 5, "a": None, "b": "b", "c": [1]}}, 4),
    "a table of blocks that is a list": ({"blocks.json": [STONE]}, 1),
    "blocks that name nothing": ({"blocks.json": {"stone": {"textures": {}}, "a": {"textures": ""}}}, 2),
    "blocks that name what there is not": ({"blocks.json": {"stone": {"textures": "nobody"}}}, 1),
    "faces that nobody has": ({"blocks.json": {"stone": {"textures": {"top": "stone", "roof": "stone"}}}}, 1),
    "textures that are none": (textures(stone=5, b={}, c=[]), 3),
    "variations that are none": (textures(stone={"textures": {"variations": []}}), 1),
    "one variation that is none": (textures(stone={"textures": {"variations": [5, *TWO_PATHS]}}), 1),
    "a weight that is none": (
        textures(stone={"textures": {"variations": [{"path": "textures/blocks/stone", "weight": "x"}, *TWO_PATHS]}}),
        1,
    ),
    "colours that are none": (textures(stone={"textures": {"path": "a", "tint_color": "red"}}), 1),
    "flipbooks that are none": ({FLIPBOOKS: [5, {}, {**BOOK, "ticks_per_frame": 0}]}, 3),
    "flipbooks that are no list": ({FLIPBOOKS: BOOK}, 1),
    "frames that are none": ({FLIPBOOKS: [{**BOOK, "frames": ["a"]}, {**BOOK, "blend_frames": 5}]}, 2),
    "a flipbook without its strip": ({FLIPBOOKS: [BOOK]}, 1),
    "a manifest that is none": ({"manifest.json": "[]"}, 1),
    "a name that is none": ({"manifest.json": {"header": {"name": 5}}}, 1),
    "subpacks that are none": ({"manifest.json": {"header": {}, "subpacks": 5}}, 1),
    "a subpack that is none": ({"manifest.json": {"header": {}, "subpacks": [5]}}, 1),
    "a subpack without a folder": ({"manifest.json": {"header": {}, "subpacks": [{"folder_name": "gone"}]}}, 1),
    "a subpack of no size": (
        {"manifest.json": {"header": {}, "subpacks": [{"folder_name": "a", "memory_tier": "x"}]}},
        1,
    ),
    "a map that is not there": (
        {"biomes_client.json": {"biomes": {"plains": {"water_surface_color": {"color_map": "gone"}}}}},
        1,
    ),
}


@pytest.mark.parametrize("what", sorted(BAD))
def test_whatever_is_wrong_costs_its_block_and_is_one_line(tmp_path: Path, what: str) -> None:
    spoiled, lines = BAD[what]
    files = {**pack_files(STONE, STONE_IMAGE, {"stone.png": plain(RED), "dirt.png": plain(BLUE)}), **spoiled}
    shown = Shown(tmp_path, files)
    assert shown.block("stone").colour(0) in {(), RED}
    assert shown.block("dirt").colour(0) == BLUE, "nothing else is lost"
    assert len(shown.troubles) == lines, shown.troubles
    assert all("\n" not in line for line in shown.troubles)
    assert all(line.split("|")[0] in {*files, ""} for line in shown.troubles), "each names its file"


FACE_WORDS = ("west", "east", "north", "south", "down", "up")


def marked_faces(*words: str) -> dict[str, Any]:
    """Textures by face word, each in a grey of its own: 10, 20 and so on."""
    return pack_files(
        {name: {"textures": {word: word for word in words}} for name in ("piston", "observer", "dispenser", "barrel")},
        {word: f"textures/blocks/{word}" for word in words},
        {f"{word}.png": plain((10 * number + 10, 0, 0)) for number, word in enumerate(words)},
    )


@pytest.mark.parametrize(("facing", "front"), [(0, 4), (1, 5), (2, 3), (3, 2), (4, 1), (5, 0)])
def test_a_piston_carries_its_top_where_it_points(tmp_path: Path, facing: int, front: int) -> None:
    shown = Shown(tmp_path, marked_faces("up", "down", "side"))
    reds = [colour[0] for colour in shown.block("piston", facing_direction=facing).colours()]
    assert reds == [10 if face == front else 20 if face == front ^ 1 else 30 for face in range(6)]


@pytest.mark.parametrize(("facing", "front"), [(0, 4), (1, 5), (2, 2), (3, 3), (4, 0), (5, 1)])
def test_an_observer_looks_ahead_and_a_dispenser_spits_there(tmp_path: Path, facing: int, front: int) -> None:
    """In blocks.json an observer looks north, and a dispenser's mouth is in the south."""
    shown = Shown(tmp_path, marked_faces(*FACE_WORDS))
    for name, ahead, behind in (("observer", "north", "south"), ("dispenser", "south", "north")):
        reds = [colour[0] for colour in shown.block(name, facing_direction=facing).colours()]
        said = [FACE_WORDS[red // 10 - 1] for red in reds]
        assert (said[front], said[front ^ 1]) == (ahead, behind)
        assert not {ahead, behind} & {said[face] for face in range(6) if face not in (front, front ^ 1)}
        if front < 4:
            assert said[4:] == ["down", "up"]


def test_of_pictures_chosen_by_place_the_heaviest_counts(tmp_path: Path) -> None:
    heavy = {"variations": [{"path": "textures/blocks/a"}, {"path": "textures/blocks/b", "weight": 3}, 5]}
    even = {"variations": ["textures/blocks/a", "textures/blocks/b"]}
    images = {"a.png": plain(RED), "b.png": plain(GREEN)}
    shown = Shown(tmp_path, pack_files({**STONE, "dirt": {"textures": "dirt"}}, {"stone": heavy, "dirt": even}, images))
    assert shown.block("stone", stone_type="stone").colour(0) == GREEN
    assert shown.block("dirt", dirt_type="normal").colour(0) == RED, "the first of equals"
    assert shown.stack.packs[0].by_place == ("stone", "dirt")
    assert shown.troubles == ["textures/terrain_texture.json|stone|variation 2 is not a path and has none"]


def test_a_block_that_is_only_carried_shows_that(tmp_path: Path) -> None:
    shown = Shown(
        tmp_path, pack_files({"stone": {"carried_textures": "stone"}}, STONE_IMAGE, {"stone.png": plain(RED)})
    )
    assert shown.block("stone").colour(0) == RED


def test_names_lead_through_lists_to_a_file_by_the_number_asked_for(tmp_path: Path) -> None:
    terrain = {
        "stone": ["first", "second"],
        "first": "textures/blocks/a",
        "second": ["nobody", {"path": "third"}],
        "third": ["textures/blocks/a", "textures/blocks/b"],
    }
    images = {"a.png": plain(RED), "b.png": plain(GREEN)}
    shown = Shown(tmp_path, pack_files(STONE, terrain, images))
    assert shown.block("stone", stone_type="stone").colour(0) == RED
    assert shown.block("stone", stone_type="granite").colour(0) == GREEN
    assert shown.troubles == []


@pytest.mark.parametrize("key", ["atlas_index", "atlas_tile_variant"])
def test_a_flipbook_moves_the_variant_that_it_names_alone(tmp_path: Path, key: str) -> None:
    strip = np.concatenate([plain(GREEN), plain(BLUE)])
    terrain = {"stone": ["textures/blocks/stone", "textures/blocks/stone"]}
    files = pack_files(STONE, terrain, {"stone.png": plain(RED), "strip.png": strip})
    files[FLIPBOOKS] = [{"flipbook_texture": "textures/blocks/strip", "atlas_tile": "stone", key: 1, "frames": 2}]
    shown = Shown(tmp_path, files)
    assert shown.block("stone", stone_type="stone").colour(0) == RED
    granite = shown.block("stone", stone_type="granite")
    assert granite.colour(0) == GREEN
    assert list(granite.materials.moving) == [int(granite.materials.tiles[0, 0])]


def test_pictures_beyond_what_is_kept_are_a_line_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("render.materials.packs.stack.MOST_PICTURE_BYTES", 16 * 16 * 4)
    blocks = {**STONE, "dirt": {"textures": "dirt"}}
    files = pack_files(
        blocks, {**STONE_IMAGE, "dirt": "textures/blocks/dirt"}, {"stone.png": plain(RED), "dirt.png": plain(BLUE)}
    )
    shown = Shown(tmp_path, files)
    assert shown.block("stone", stone_type="stone").colour(0) == RED
    assert shown.block("dirt", dirt_type="normal").colour(0) == ()
    assert shown.troubles == ["textures/blocks/dirt.png|dirt|pictures of more than 0 MiB do not fit into memory"]


# ---------------------------------------------------------------- biomes

PLAINS, DESERT, SWAMP, ICE = 1, 2, 6, 12
GRASS, FOLIAGE, WATER = range(3)


def stack(folder: Path, *packs: dict[str, Any]) -> PackStack:
    head = {"manifest.json": {"header": {"name": "x"}}}
    return PackStack.open([write_pack(folder / str(k), {**head, **files}) for k, files in enumerate(packs)], load())


def ramp() -> np.ndarray:
    """A map whose red is its column and whose green is its row."""
    pixels = plain((0, 0, 50), 256, 256)
    pixels[..., 0], pixels[..., 1] = np.arange(256)[None, :], np.arange(256)[:, None]
    return pixels


def own(name: str, **components: Any) -> dict[str, Any]:
    parts = {f"minecraft:{key}_appearance": value for key, value in components.items()}
    biome = {"description": {"identifier": f"minecraft:{name}"}, "components": parts}
    return {f"biomes/{name}.client_biome.json": {"format_version": "1.21.70", "minecraft:client_biome": biome}}


def test_without_a_word_of_biomes_our_own_table_is_used(tmp_path: Path) -> None:
    assert stack(tmp_path, {}).tints is tint_colours()


def test_a_map_is_read_by_temperature_and_by_downfall_as_far_as_it_is_warm(tmp_path: Path) -> None:
    found = stack(tmp_path, {"textures/colormap/grass.png": ramp()}).tints
    for number, (_, temperature, wet) in load_climates().items():
        warm = min(max(temperature, 0), 1)
        if number not in (SWAMP, 134, 191):
            assert found[number, GRASS].tolist() == [round(255 * (1 - warm)), round(255 * (1 - wet * warm)), 50]
    assert (found[SWAMP] == tint_colours()[SWAMP]).all(), "swamps have a map of their own"
    assert (found[:, FOLIAGE:] == tint_colours()[:, FOLIAGE:]).all()
    assert (found[250, GRASS] == found[PLAINS, GRASS]).all(), "who is not known is temperate"


def test_swamps_and_leaves_have_maps_of_their_own(tmp_path: Path) -> None:
    images = {"swamp_foliage": plain((1, 2, 3)), "birch": plain((40, 50, 60)), "evergreen": plain((70, 80, 90))}
    found = stack(tmp_path, {f"textures/colormap/{name}.png": image for name, image in images.items()})
    assert found.tints[SWAMP, FOLIAGE].tolist() == [1, 2, 3]
    assert found._fixed["birch_leaves"] == "#28323c"
    assert found._fixed["spruce_leaves"] == "#46505a"


def test_the_table_of_all_biomes_says_what_water_looks_like(tmp_path: Path) -> None:
    biomes = {"default": {"water_surface_color": "#44AFF5"}, "swampland": {"water_surface_color": "#4c6559"}}
    found = stack(tmp_path, {"biomes_client.json": {"biomes": biomes}}).tints
    assert found[PLAINS, WATER].tolist() == found[255, WATER].tolist() == [0x44, 0xAF, 0xF5]
    assert found[SWAMP, WATER].tolist() == [0x4C, 0x65, 0x59]


def test_a_biomes_own_file_says_more_and_a_later_pack_over_earlier(tmp_path: Path) -> None:
    below = {
        "textures/colormap/grass.png": ramp(), "textures/colormap/odd.png": plain((8, 9, 10)),
        "biomes_client.json": {"biomes": {"desert": {"water_surface_color": "#010203"}}},
        **own("desert", grass={"color": "#0a0b0c"}, foliage={"color": {"color_map": "odd"}}),
        **own("ice_plains", water={"surface_color": "#0d0e0f"}, grass={"color": "#111111"}),
    }  # fmt: skip
    above = {**own("ice_plains", grass={"color": "#222222"}), "textures/colormap/grass.png": b"broken"}
    both = stack(tmp_path, below, above)
    found = both.tints
    assert found[DESERT].tolist() == [[10, 11, 12], [8, 9, 10], [1, 2, 3]]
    assert found[ICE, GRASS].tolist() == [0x22] * 3
    assert found[ICE, WATER].tolist() == [13, 14, 15], "entry by entry"
    assert found[PLAINS, GRASS, 2] == 50, "the map of the pack below counts"
    assert [str(one).split(": ", 1)[1][:62] for one in both.troubles] == [
        "textures/colormap/grass.png, 'grass': it is not a readable PNG"
    ]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"biomes_client.json": "{ no"}, "biomes_client.json: it is not JSON"),
        ({"biomes_client.json": {"biomes": 5}}, "biomes_client.json, 'biomes': the list is empty"),
        ({"biomes_client.json": {"biomes": {"desert": 5}}}, "biomes_client.json, 'desert': a biome must be an object"),
        (
            {"biomes_client.json": {"biomes": {"desert": {"water_surface_color": "blue"}}}},
            "biomes_client.json, 'desert': water_surface_color 'blue' is not a #rrggbb colour",
        ),
        (own("desert", grass={"color": 17}), "'minecraft:grass_appearance': color 17 is not a #rrggbb colour"),
        ({"biomes/x.client_biome.json": {}}, "biomes/x.client_biome.json, 'minecraft:client_biome': it has no"),
        (own("desert", grass=5), "'minecraft:grass_appearance': it is not an object"),
        (
            own("desert", grass={"color": {"color_map": "gone"}}),
            "'minecraft:grass_appearance': image textures/colormap/gone does not exist",
        ),
        (
            {"textures/colormap/foliage.png": b"no"},
            "textures/colormap/foliage.png, 'foliage': it is not a readable PNG",
        ),
    ],
)
def test_whatever_is_wrong_is_one_line_and_leaves_ours(tmp_path: Path, files: dict[str, Any], told: str) -> None:
    found = stack(tmp_path, files)
    assert (found.tints == tint_colours()).all()
    (line,) = map(str, found.troubles)
    assert told in line


def test_climates_have_the_names_and_numbers_of_the_protocol() -> None:
    listed = load_climates()
    assert len(listed) == len({climate.name for climate in listed.values()}) == 87
    assert listed[PLAINS].name == "plains"
    assert listed[191].name == "mangrove_swamp"


# ---------------------------------------------------------------- fogs


def fog(identifier: str, **layers: Any) -> dict[str, Any]:
    """A file with one fog."""
    settings = {"description": {"identifier": identifier}, "distance": layers}
    return {
        f"fogs/{identifier.replace(':', '_')}.json": {"format_version": "1.16.100", "minecraft:fog_settings": settings}
    }


def layer(colour: str = "#336699", start: Any = 0.5, end: Any = 1.0, kind: Any = "render") -> dict[str, Any]:
    return {"fog_color": colour, "fog_start": start, "fog_end": end, "render_distance_type": kind}


def test_packs_without_a_word_of_fogs_define_none(tmp_path: Path) -> None:
    assert stack(tmp_path, {"biomes_client.json": {"biomes": {"desert": {"fog_identifier": "a:dust"}}}}).fogs is NO_FOGS


def test_the_uppermost_fog_that_has_a_layer_decides_and_the_default_lies_under_every_biome(tmp_path: Path) -> None:
    below = {
        **fog("a:clear", air=layer("#102030"), water=layer("#0000ff", 0, 60, "fixed")),
        **fog("a:dust", air=layer("#FF0000")),
        "biomes_client.json": {"biomes": {"default": {"fog_identifier": "a:clear"}, "desert": {"fog_identifier": "?"}}},
    }
    parts = {"fog": {"fog_identifier": "a:dust"}}
    above = {**own("desert", **parts), **fog("a:mist", air=layer("#ff00ff", 1, 2, "fixed"))}
    found = stack(tmp_path, below, above).fogs
    assert found.around("plains", "air").colour == pytest.approx((16 / 255, 32 / 255, 48 / 255))
    assert found.around("desert", "air").colour == (1.0, 0.0, 0.0), "its own file is above the table"
    assert found.around("desert", "water").colour == (0.0, 0.0, 1.0), "what its fog lacks is the default's"
    assert found.around("desert", "lava") is None
    assert found.uppermost(("a:mist", "a:dust", "a:gone"), "air").colour == (1.0, 0.0, 0.0), "the last is uppermost"
    assert found.undefined(("a:gone", "a:mist", "a:gone", "")) == ["a:gone", ""]
    assert found.around("plains", "air").blocks(128.0) == (64.0, 128.0)
    assert found.uppermost(("a:mist",), "air").blocks(128.0) == (1.0, 2.0)


def test_a_biomes_own_file_says_what_colour_its_sky_has(tmp_path: Path) -> None:
    files = own("desert")
    biome = files["biomes/desert.client_biome.json"]["minecraft:client_biome"]
    biome["components"] = {"minecraft:sky_color": {"sky_color": "#ff0080"}}
    found = stack(tmp_path, files).fogs
    assert found.sky("desert") == pytest.approx((1.0, 0.0, 128 / 255))
    assert found.sky("plains") is None


@pytest.mark.parametrize(
    ("wrong", "kept", "told"),
    [
        (layer(start=-3), (0.0, 1.0), "fog_start -3 is not from 0 to 10000; 0 is used"),
        (layer(start=0.5, end=0.25), (0.5, 0.5), "fog_end 0.25 is not from 0.5 to 10000; 0.5 is used"),
        (layer(end=10**400), (0.5, 10000.0), "fog_end 10000000000000000000 is not from 0.5 to 10000; 10000 is used"),
        (layer(end=float("inf")), (0.5, 10000.0), "fog_end inf is not from 0.5 to 10000; 10000 is used"),
        (layer(end=float("nan")), None, "fog_end nan is not a number"),
        (layer(end=True), None, "fog_end True is not a number"),
        (layer(end="far"), None, "fog_end 'far' is not a number"),
        (layer(colour="blue"), None, "fog_color 'blue' is not a #rrggbb colour"),
        (layer(colour=""), None, "it has no 'fog_color'"),
        (layer(kind="near"), None, "render_distance_type 'near' is neither 'fixed' nor 'render'"),
        (7, None, "it is not an object"),
    ],
)
def test_a_layer_that_is_wrong_is_one_line_and_clamped_or_left_out(
    tmp_path: Path, wrong: Any, kept: tuple[float, float] | None, told: str
) -> None:
    found = stack(tmp_path, fog("a:odd", air=wrong, lava=layer()))
    (line,) = map(str, found.troubles)
    assert f"fogs/a_odd.json, 'air': {told}" in line
    air = found.fogs.uppermost(("a:odd",), "air")
    assert (None if air is None else air.blocks(1.0)) == kept
    assert found.fogs.uppermost(("a:odd",), "lava") is not None


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"fogs/x.json": "{ no"}, "fogs/x.json: it is not JSON"),
        ({"fogs/x.json": {"minecraft:fog_settings": 5}}, "'minecraft:fog_settings': it has no 'identifier'"),
        (own("desert", fog={"fog_identifier": 5}), "fog_appearance': fog_identifier 5 is not a name"),
        (
            own("desert", fog={"fog_identifier": "a:gone"}),
            "biomes/desert.client_biome.json, 'minecraft:fog_appearance': no pack",
        ),
        (
            {"biomes_client.json": {"biomes": {"desert": {"fog_identifier": "a:gone"}}}},
            "biomes_client.json, 'desert': no pack defines its fog 'a:gone'",
        ),
    ],
)
def test_a_file_of_fogs_that_is_wrong_is_one_line(tmp_path: Path, files: dict[str, Any], told: str) -> None:
    (line,) = map(str, stack(tmp_path, files).troubles)
    assert told in line


# ---------------------------------------------------------------- sizes

BLOCKS = [state("stone", stone_type="stone"), state("dirt", dirt_type="normal"), state("lava"), state("water")]


def noise(side: int, height: int = 1) -> np.ndarray:
    pixels = np.random.default_rng(side).integers(0, 256, (side * height, side, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    return pixels


def built(folder: Path, side: int, most_layers: int = 2048) -> Materials:
    files = pack_files(
        {name: {"textures": name} for name in ("stone", "dirt", "water")},
        {name: f"textures/blocks/{name}" for name in ("stone", "dirt", "water")},
        {"stone.png": noise(side), "dirt.png": plain((9, 99, 9)), "water.png": noise(side // 2, 4)},
    )
    files["textures/flipbook_textures.json"] = [{"flipbook_texture": "textures/blocks/water", "atlas_tile": "water"}]
    stack = PackStack.open([write_pack(folder, files)], load())
    materials = Materials.build(PlainTable(BLOCKS), stack, most_layers)
    assert stack.troubles == []
    return materials


@pytest.mark.parametrize("side", [32, 64, 128])
def test_all_pictures_take_the_size_of_the_largest(tmp_path: Path, side: int) -> None:
    materials = built(tmp_path, side)
    assert (materials.side, materials.largest) == (side, side)
    assert materials.textures.shape[1:] == (side, side, 4)
    assert np.array_equal(materials.textures[materials.tiles[0, 0]], noise(side)), "not a texel is lost"
    assert (materials.textures[materials.tiles[1, 0]] == (9, 99, 9, 255)).all()
    assert [level.shape[1] for level in materials.levels()] == [side >> k for k in range(side.bit_length())]
    for layer, moving in materials.moving.items():
        for tick in (0, 1, 7):
            levels = moving.levels(moving.step_at(tick))
            assert [level.shape[1] for level in levels] == [side >> k for k in range(side.bit_length())], layer
    ours = Materials.build(PlainTable(BLOCKS))
    lava = ours.textures[ours.tiles[2, 0]]
    assert np.array_equal(materials.textures[materials.tiles[2, 0]][:: side // 16, :: side // 16], lava)
    step = ours.moving[int(ours.tiles[2, 0])].step_at(40)
    small = ours.moving[int(ours.tiles[2, 0])].levels(step)[0]
    large = materials.moving[int(materials.tiles[2, 0])].levels(step)[0]
    assert np.array_equal(large[:, :: side // 16, :: side // 16], small), "what moves of ours moves as before"


def test_what_does_not_fit_the_budget_is_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_TILE_BYTES", 8 * 32 * 32 * 16 // 3)
    materials = built(tmp_path, 128)
    assert (materials.side, materials.largest) == (32, 128)
    assert np.abs(materials.textures[materials.tiles[0, 0]].astype(int) - 128).max() < 128, "averaged, not picked"


def test_a_block_without_room_looks_as_ours_and_is_named(tmp_path: Path) -> None:
    ours, packed = Materials.build(PlainTable(BLOCKS)), built(tmp_path / "a", 16)
    assert not packed.crowded
    assert (ours.layers, packed.layers) == (5, 5)
    few = Materials(load(), PackStack.open([tmp_path / "a"], load()), 5)
    few.grow(PlainTable([*BLOCKS, state("coal_ore")]))
    assert list(few.crowded)[-1] == "minecraft:coal_ore", "even ours need six"
    both = pack_files(
        {"stone": {"textures": {"up": "up", "down": "down", "side": "side"}}},
        {name: f"textures/blocks/{name}" for name in ("up", "down", "side")},
        {f"{name}.png": plain((9, 9, 9)) for name in ("up", "down", "side")},
    )
    stack = PackStack.open([write_pack(tmp_path / "b", both)], load())
    blocks = PlainTable([BLOCKS[0], state("dirt", dirt_type="normal")])
    tight = Materials.build(blocks, stack, most_layers=4)
    assert list(tight.crowded) == ["minecraft:stone"], "three pictures, where one is left beside white and ours of dirt"
    reference = Materials.build(blocks)
    assert np.array_equal(tight.textures, reference.textures), "all six faces are ours, and nothing is white"
    assert not Materials.build(blocks, stack, most_layers=5).crowded


def test_levels_do_not_depend_on_how_many_are_made_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = np.random.default_rng(3).integers(0, 256, (7, 32, 32, 4)).astype(np.uint8)
    coverage = np.array([True, False] * 3 + [True])
    whole = mip_levels(pictures, coverage)
    monkeypatch.setattr("render.materials.canvas.AT_ONCE_TEXELS", 2 * 32 * 32)
    for one, other in zip(whole, mip_levels(pictures, coverage), strict=True):
        assert np.array_equal(one, other)
