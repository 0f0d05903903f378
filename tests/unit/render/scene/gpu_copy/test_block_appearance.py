"""Textures follow the block table: kept for a new session with the same blocks, made anew for other blocks.

Look cache: Looks kept on disk are the looks that would be made, found only when nothing they depend on has changed.

Colours of the biome are the mean over 5 x 5 block columns.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from client.world.block_table import BlockTable
from client.world.store import Store
from net.palette import BlockState, Palette
from net.space import UNKNOWN_BIOME
from render.materials.biome_tints import tint_colours, tints_of
from render.materials.packs.reload import open_packs
from render.mesh.mesher import AppearanceTables
from render.scene.gpu_copy import block_appearance
from render.scene.gpu_copy.block_appearance import KEPT_FILES, BlockAppearance, appearance_file, read_appearance
from render.scene.gpu_copy.tint_map import blended
from tests.support.data.packs import pack_files, plain, write_pack
from tests.support.session.virtual import palette

# ---------------------------------------------------------------- block looks

STATES = palette(486).states[:400]


def table_of(*more: str) -> BlockTable:
    states = [*STATES, *(BlockState(name, ()) for name in more)]
    return BlockTable.build(Palette(states))


def world_of(table: BlockTable) -> Store:
    return cast(Store, SimpleNamespace(table=table))


def test_a_new_session_with_the_same_blocks_paints_nothing() -> None:
    looks = BlockAppearance(table_of())
    tables, layers = looks.tables, looks.layers
    looks.grow(world_of(table_of()))
    assert (looks.generation, looks.layers) == (0, layers)
    assert looks.tables is tables


def test_the_new_sessions_unknown_blocks_join() -> None:
    looks = BlockAppearance(table_of())
    fresh = table_of()
    looks.grow(world_of(fresh))
    before = looks.tables
    dense = fresh.dense_of_id(123_456)
    looks.grow(world_of(fresh))
    assert looks.generation == 0
    assert looks.tables is not before
    assert fresh.states[dense].name == "minecraft:unknown"


def test_other_blocks_are_painted_anew() -> None:
    looks = BlockAppearance(table_of())
    looks.grow(world_of(table_of("test:custom")))
    assert looks.generation == 1


def test_a_changed_picture_of_a_pack_needs_no_new_meshes_and_a_changed_table_does(tmp_path: Path) -> None:
    files = pack_files({"bed": {"textures": "bed"}}, {"bed": "textures/blocks/bed"}, {"bed.png": plain((1, 2, 3))})
    pack = write_pack(tmp_path, files)
    looks = BlockAppearance(table_of(), packs=open_packs([pack]))
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
    looks, ours = BlockAppearance(table_of(), packs=open_packs([pack])), BlockAppearance(table_of()).layers
    free = looks.layers
    looks.resize(free)
    assert looks.generation == 0, "nothing changes for a GPU that has enough"
    looks.resize(free - 1)
    assert (looks.generation, looks.layers <= free - 1) == (1, True)
    assert sum("keep their built-in look" in record.message for record in caplog.records) == 1
    looks.resize(ours)
    assert looks.layers <= ours
    looks.resize(4096)
    assert looks.layers == free, "another context, with room for all"


def test_other_colours_of_biomes_are_another_picture_of_the_world(tmp_path: Path) -> None:
    files = pack_files({}, {}, {"dirt.png": plain((1, 2, 3))})
    pack = write_pack(tmp_path, files)
    packs = open_packs([pack])
    assert packs is not None
    looks = BlockAppearance(table_of(), packs=packs)
    assert looks.tint_colours is tint_colours()
    write_pack(tmp_path, {"textures/colormap/grass.png": plain((9, 8, 7))})
    again = open_packs([pack])
    assert again is not None
    assert looks.reload(again)
    assert looks.tint_colours[1, 0].tolist() == [9, 8, 7]


# ---------------------------------------------------------------- look cache


def small_table(*more: str) -> BlockTable:
    names = ("air", "stonebrick", "glass", "bookshelf", "clay", "grass", "lava", *more)
    properties = {"stonebrick": (("stone_brick_type", "mossy"),)}
    return BlockTable.build(Palette([BlockState(f"minecraft:{name}", properties.get(name, ())) for name in names]))


def same(looks: BlockAppearance, others: BlockAppearance) -> None:
    for name in AppearanceTables.__struct_fields__:
        assert np.array_equal(getattr(looks.tables, name), getattr(others.tables, name)), name
    assert looks.layers == others.layers
    assert looks.moving == others.moving
    for level, other in zip(looks.levels(range(looks.layers)), others.levels(range(others.layers)), strict=True):
        assert np.array_equal(level, other)


@pytest.fixture
def no_painting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("painted again")

    monkeypatch.setattr(block_appearance.Materials, "build", refuse)


def test_what_was_made_is_kept(tmp_path: Path) -> None:
    fresh = BlockAppearance(small_table())
    same(fresh, BlockAppearance(small_table(), tmp_path))
    same(fresh, BlockAppearance(small_table(), tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_kept_is_not_made_again(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    BlockAppearance(small_table(), tmp_path)
    request.getfixturevalue("no_painting")
    BlockAppearance(small_table(), tmp_path)
    with pytest.raises(AssertionError, match="painted again"):
        BlockAppearance(small_table("dirt"), tmp_path)


def test_a_block_that_joins_kept_looks_gets_the_look_it_would_have_got(tmp_path: Path) -> None:
    BlockAppearance(small_table(), tmp_path)
    kept_table, made_table = small_table(), small_table()
    kept, made = BlockAppearance(kept_table, tmp_path), BlockAppearance(made_table)
    before = kept.layers
    for table, looks in ((kept_table, kept), (made_table, made)):
        table.dense_of(np.array([70_000], np.int64))
        world: Any = SimpleNamespace(table=table)
        looks.grow(world)
    assert kept.layers > before
    assert kept.generation == 0
    same(kept, made)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model_rows", lambda rows: rows + np.int32(100_000)),
        ("model_rows", lambda rows: rows[:-1]),
        ("model_rows", lambda rows: rows.astype(np.int64)),
        ("model_rules", lambda rules: np.append(rules, np.uint16(0))),
        ("doors", lambda doors: doors + np.uint16(0x7FE0)),
        ("door_ids", lambda ids: ids + np.uint16(60_000)),
        ("stairs", lambda stairs: stairs + np.uint8(9)),
        ("faces", lambda looks: looks[:1]),
        ("classes", lambda classes: classes + 1000),
    ],
)
def test_a_file_whose_numbers_point_beyond_its_tables_is_replaced(
    tmp_path: Path, name: str, change: Callable[[Any], Any]
) -> None:
    BlockAppearance(small_table(), tmp_path)
    (path,) = tmp_path.iterdir()
    with np.load(path) as kept:
        arrays = dict(kept)
    with path.open("wb") as file:
        np.savez(file, **arrays | {name: change(arrays[name])})
    assert read_appearance(path, len(small_table())) is None
    same(BlockAppearance(small_table()), BlockAppearance(small_table(), tmp_path))
    assert read_appearance(path, len(small_table())) is not None


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not whole", b"nonsense"])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    BlockAppearance(small_table(), tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert read_appearance(path, len(small_table())) is None
    same(BlockAppearance(small_table()), BlockAppearance(small_table(), tmp_path))
    assert read_appearance(path, len(small_table())) is not None


def test_a_place_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    same(BlockAppearance(small_table()), BlockAppearance(small_table(), blocked / "folder"))


def test_only_the_newest_files_stay(tmp_path: Path) -> None:
    for number in range(KEPT_FILES + 3):
        BlockAppearance(small_table(f"thing_{number}"), tmp_path)
    assert len(list(tmp_path.iterdir())) == KEPT_FILES


def test_the_order_of_states_matters(tmp_path: Path) -> None:
    states = small_table().states
    assert appearance_file(tmp_path, states) == appearance_file(tmp_path, list(states))
    assert appearance_file(tmp_path, states) != appearance_file(tmp_path, states[::-1])


# --------------------------------------------------------------------- test tint map


def test_blending_is_the_plain_mean_of_known_biomes() -> None:
    rng = np.random.default_rng(3)
    windows = rng.choice([1, 2, 5, 6, UNKNOWN_BIOME], (3, 20, 20)).astype(np.uint16)
    made = blended(windows)
    for column, x, z in np.ndindex(3, 16, 16):
        around = windows[column, x : x + 5, z : z + 5].ravel()
        colours = tints_of(around[around != UNKNOWN_BIOME]).astype(float)
        assert np.array_equal(made[column, x, z], np.rint(colours.mean(axis=0)))


def test_one_biome_keeps_its_colours() -> None:
    assert (blended(np.full((1, 20, 20), 6, np.uint16)) == tints_of(np.array(6))).all()


def test_nothing_known_is_temperate() -> None:
    unknown = np.full((1, 20, 20), UNKNOWN_BIOME, np.uint16)
    assert (blended(unknown) == tints_of(np.array(UNKNOWN_BIOME))).all()
