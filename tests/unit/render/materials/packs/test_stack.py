"""What packs show: faces by block, variant and direction, colours, strips; and ours wherever something is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.textures import load
from render.materials.looks import TINT_MASK, Tint
from render.materials.materials import Materials
from render.materials.packs.stack import PackStack
from tests.support.data.packs import pack_files, plain, write_pack, write_zip
from tests.support.data.shared import PlainTable, StateValue, state

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
    assert shown.troubles[0].startswith("textures/blocks/stone.png|stone|no PNG")


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
    assert shown.troubles == ["textures/terrain_texture.json|stone|variation 2 is no path and has none"]


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
    assert shown.troubles == ["textures/blocks/dirt.png|dirt|pictures of more than 0 MiB are not kept"]
