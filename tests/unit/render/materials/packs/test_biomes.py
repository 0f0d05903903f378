"""Colours that packs give to biomes: maps, the table of all, a biome's own file; ours wherever they give none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets import biome_climates
from assets.textures import load
from render.materials.biome_tints import tint_colours
from render.materials.packs.stack import PackStack
from tests.support.data.packs import plain, write_pack

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
    for number, (_, temperature, wet) in biome_climates.load().items():
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
    assert [str(one).split(": ", 1)[1][:44] for one in both.troubles] == [
        "textures/colormap/grass.png, 'grass': no PNG"
    ]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"biomes_client.json": "{ no"}, "biomes_client.json: no JSON"),
        ({"biomes_client.json": {"biomes": 5}}, "biomes_client.json, 'biomes': there are none"),
        ({"biomes_client.json": {"biomes": {"desert": 5}}}, "biomes_client.json, 'desert': a biome is an object"),
        (
            {"biomes_client.json": {"biomes": {"desert": {"water_surface_color": "blue"}}}},
            "biomes_client.json, 'desert': water_surface_color 'blue' is no #rrggbb",
        ),
        (own("desert", grass={"color": 17}), "'minecraft:grass_appearance': color 17 is no #rrggbb"),
        ({"biomes/x.client_biome.json": {}}, "biomes/x.client_biome.json, 'minecraft:client_biome': it has no"),
        (own("desert", grass=5), "'minecraft:grass_appearance': it is no object"),
        (
            own("desert", grass={"color": {"color_map": "gone"}}),
            "'minecraft:grass_appearance': there is no image textures/colormap/gone",
        ),
        ({"textures/colormap/foliage.png": b"no"}, "textures/colormap/foliage.png, 'foliage': no PNG"),
    ],
)
def test_whatever_is_wrong_is_one_line_and_leaves_ours(tmp_path: Path, files: dict[str, Any], told: str) -> None:
    found = stack(tmp_path, files)
    assert (found.tints == tint_colours()).all()
    (line,) = map(str, found.troubles)
    assert told in line


def test_climates_have_the_names_and_numbers_of_the_protocol() -> None:
    listed = biome_climates.load()
    assert len(listed) == len({climate.name for climate in listed.values()}) == 87
    assert listed[PLAINS].name == "plains"
    assert listed[191].name == "mangrove_swamp"
