"""Textures follow the block table: kept for a new session with the same blocks, made anew for other blocks."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from client.world.block_table import BlockTable
from net.palette import BlockState, Palette
from render.materials.biome_tints import tint_colours
from render.materials.packs.reload import open_packs
from render.scene.gpu_copy.block_looks import BlockLooks
from render.scene.world import World
from tests.support.virtual_session import palette
from tests.support.written_pack import pack_files, plain, write_pack

STATES = palette(486).states[:400]


def table_of(*more: str) -> BlockTable:
    states = [*STATES, *(BlockState(name, ()) for name in more)]
    return BlockTable.build(Palette(states))


def world_of(table: BlockTable) -> World:
    return cast(World, SimpleNamespace(table=table))


def test_a_new_session_with_the_same_blocks_paints_nothing() -> None:
    looks = BlockLooks(table_of())
    tables, layers = looks.tables, looks.layers
    looks.grow(world_of(table_of()))
    assert (looks.generation, looks.layers) == (0, layers)
    assert looks.tables is tables


def test_the_new_sessions_unknown_blocks_join() -> None:
    looks = BlockLooks(table_of())
    fresh = table_of()
    looks.grow(world_of(fresh))
    before = looks.tables
    dense = fresh.dense_of_id(123_456)
    looks.grow(world_of(fresh))
    assert looks.generation == 0
    assert looks.tables is not before
    assert fresh.states[dense].name == "minecraft:unknown"


def test_other_blocks_are_painted_anew() -> None:
    looks = BlockLooks(table_of())
    looks.grow(world_of(table_of("test:custom")))
    assert looks.generation == 1


def test_a_changed_picture_of_a_pack_needs_no_new_meshes_and_a_changed_table_does(tmp_path: Path) -> None:
    files = pack_files({"bed": {"textures": "bed"}}, {"bed": "textures/blocks/bed"}, {"bed.png": plain((1, 2, 3))})
    pack = write_pack(tmp_path, files)
    looks = BlockLooks(table_of(), packs=open_packs([pack]))
    before = [level.copy() for level in looks.levels(range(looks.layers))]
    write_pack(pack, {"textures/blocks/bed.png": plain((9, 8, 7))})
    again = open_packs([pack])
    assert again is not None
    assert looks.reload(again) is False
    assert looks.generation == 1
    changed = [not (old == new).all() for old, new in zip(before, looks.levels(range(looks.layers)), strict=True)]
    assert all(changed)
    write_pack(pack, {"blocks.json": {"bed": {"textures": {"up": "bed"}}}})
    again = open_packs([pack])
    assert again is not None
    assert looks.reload(again) is True


def test_looks_make_do_with_the_layers_that_a_gpu_has(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = [state.name.removeprefix("minecraft:") for state in STATES]
    images = {f"textures/blocks/{name}.png": plain((number % 250, 9, 9)) for number, name in enumerate(names)}
    pack = write_pack(tmp_path, {"manifest.json": {"header": {"name": "x"}}, **images})
    looks, ours = BlockLooks(table_of(), packs=open_packs([pack])), BlockLooks(table_of()).layers
    free = looks.layers
    looks.fit(free)
    assert looks.generation == 0, "nothing changes for a GPU that has enough"
    looks.fit(free - 1)
    assert (looks.generation, looks.layers <= free - 1) == (1, True)
    assert sum("texture layers; they look as ours do" in record.message for record in caplog.records) == 1
    looks.fit(ours)
    assert looks.layers <= ours
    looks.fit(4096)
    assert looks.layers == free, "another context, with room for all"


def test_other_colours_of_biomes_are_another_picture_of_the_world(tmp_path: Path) -> None:
    files = pack_files({}, {}, {"dirt.png": plain((1, 2, 3))})
    pack = write_pack(tmp_path, files)
    packs = open_packs([pack])
    assert packs is not None
    looks = BlockLooks(table_of(), packs=packs)
    assert looks.tint_colours is tint_colours()
    write_pack(tmp_path, {"textures/colormap/grass.png": plain((9, 8, 7))})
    again = open_packs([pack])
    assert again is not None
    assert looks.reload(again)
    assert looks.tint_colours[1, 0].tolist() == [9, 8, 7]
