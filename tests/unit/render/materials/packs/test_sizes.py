"""Packs with larger pictures than ours: everything takes their size, within the budget; and packs with too many."""

from pathlib import Path

import numpy as np
import pytest

from assets.textures import load
from render.materials import texture_limits
from render.materials.canvas import mip_levels
from render.materials.materials import Materials
from render.materials.packs.stack import PackStack
from tests.support.data.packs import pack_files, plain, write_pack
from tests.support.data.shared import PlainTable, state

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
    monkeypatch.setattr(texture_limits, "MOST_TILE_BYTES", 8 * 32 * 32 * 16 // 3)
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
