"""Dense ids: sorted by class, stable, and never out."""

import re
from itertools import pairwise

import numpy as np
import pytest

from assets.traits import BlockClass
from client.errors import UsageError, WorldError
from client.world.block_table import (
    LAST_ID,
    LAVA,
    PLACEHOLDER_NAME,
    SHINES,
    SHINES_OPAQUE,
    WATER,
    BlockTable,
    parse_block_name,
)
from net.palette import BlockState, Palette, ReleaseWords
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from tests.support.worlds import store as w
from tests.support.worlds.store import small_table


def vanilla() -> BlockTable:
    return BlockTable.build(Palette.for_protocol(486))


def test_every_class_is_one_range_in_the_order_of_classes() -> None:
    table = vanilla()
    classes = table.classes[: len(table)]
    assert (np.diff(classes.astype(int)) >= 0).all()
    first = table.first
    bounds = [1, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque, len(table)]
    assert first.model == 1
    for kind, (start, end) in enumerate(pairwise(bounds), start=int(BlockClass.MODEL)):
        assert (classes[start:end] == kind).all()
    assert table.states[0].name == "minecraft:air"
    assert table.states[table.placeholder].name == PLACEHOLDER_NAME
    assert first.opaque == first.placeholder + 1


def test_every_runtime_id_has_its_own_dense_id_and_back() -> None:
    palette = Palette.for_protocol(486)
    table = BlockTable.build(palette)
    runtime_ids = np.arange(len(palette.states), dtype=np.int64)
    dense = table.dense_of(runtime_ids)
    assert len(np.unique(dense)) == len(palette.states) == len(table) == 7946
    np.testing.assert_array_equal(table.runtime_ids[dense], runtime_ids)
    for runtime_id in (0, 134, 4484, 7945):
        assert table.states[table.dense_of_id(runtime_id)] == palette.states[runtime_id]
        assert table.runtime_id_of(table.dense_of_id(runtime_id)) == runtime_id
        assert table.dense_of_state(palette.states[runtime_id]) == table.dense_of_id(runtime_id)


def test_kernels_may_rely_on_opaque_stopping_light_and_liquids_dimming_it() -> None:
    table = vanilla()
    assert (table.opacity[:, table.first.placeholder :] == 15).all()
    assert (table.opacity[3, table.first.liquid : table.first.placeholder] > 0).all()


def test_light_flags_say_what_light_must_look_at() -> None:
    table = small_table()
    flags = {name: int(table.flags[table.dense_of_id(i)]) for i, name in enumerate(w.NAMES)}
    assert flags["air"] == flags["stone"] == flags["glass"] == 0
    assert flags["leaves"] == 1 << 1 | 1 << 3  # take 2 of red and of blue
    assert flags["torch"] == SHINES
    assert flags["lava"] == SHINES | LAVA
    assert flags["glowstone"] == SHINES | SHINES_OPAQUE
    assert flags["water"] == WATER | 1 << 1 | 1 << 4  # takes 2 of red and of daylight
    assert table.emission[table.dense_of_id(w.TORCH)] == 14 | 13 << 4 | 11 << 8


def test_a_palette_without_the_placeholder_gets_one() -> None:
    table = BlockTable.build(Palette([BlockState("minecraft:stone", ()), BlockState("minecraft:air", ())]))
    assert [state.name for state in table.states] == ["minecraft:air", PLACEHOLDER_NAME, "minecraft:stone"]
    assert table.dense_of(np.array([0, 1], np.int64)).tolist() == [2, 0]
    assert table.runtime_id_of(1) == 0xFFFFFFFF


def test_unknown_ids_are_appended_once_each_behind_the_opaque_ones() -> None:
    table = small_table()
    known = len(table)
    dense = table.dense_of(np.array([w.STONE, 0xF5AC7CFB, 900, 0xF5AC7CFB], np.int64))
    assert dense.tolist() == [table.dense_of_id(w.STONE), known + 1, known, known + 1]
    assert table.dense_of_id(900) == known
    assert table.states[known] == BlockState("minecraft:unknown", (("runtime_id", 900),))
    assert table.appended == 2
    assert (table.opacity[:, known] == 15).all()
    assert table.obstructs[known]


def test_what_joins_the_table_of_one_session_is_in_no_other_of_the_same_palette() -> None:
    palette = Palette.for_protocol(486)
    first, unknown = BlockTable.build(palette), np.array([123_456], np.int64)
    dense = first.dense_of(unknown)
    second = BlockTable.build(palette)
    for table in (second, BlockTable.build(palette)):
        assert table.find(123_456) is None
        assert len(table) == len(first) - 1
        assert table.runtime_ids[dense] == -1
    state = BlockState("some:block", ())
    assert second.dense_of_state(state) == len(second) - 1 == first.dense_of_state(state) - 1


def test_states_by_name_are_found_whatever_their_order_and_unknown_ones_join() -> None:
    table = vanilla()
    state = next(state for state in table.states if len(state.states) > 1)
    assert table.dense_of_state(BlockState(state.name, tuple(reversed(state.states)))) == table.dense_of_state(state)
    new = table.dense_of_state(BlockState("somebody:thing", ()))
    assert new == 7946
    assert table.dense_of_state(BlockState("somebody:thing", ())) == new


def test_legacy_values_are_air_known_or_unknown_blocks() -> None:
    table = small_table()
    dense = table.dense_of_legacy(np.array([0, 16, 0, 16, 166 << 4 | 2], np.uint16))
    assert dense[0] == dense[2] == 0
    assert dense[1] == dense[3] != dense[4]
    assert table.states[int(dense[1])].name == "minecraft:stone"
    assert table.states[int(dense[4])].states == (("legacy_id", 166), ("legacy_data", 2))


def test_when_ids_run_out_the_rest_share_one() -> None:
    table = small_table()
    dense = table.dense_of(np.arange(100, 100 + 70_000, dtype=np.int64))
    assert int(dense.max()) == LAST_ID
    assert len(table) == LAST_ID + 1
    assert table.appended == LAST_ID + 1 - len(w.NAMES)
    assert table.dense_of_id(100 + 69_999) == LAST_ID


def test_kinds_of_uniform_sub_chunks() -> None:
    table = small_table()
    kinds = {name: table.kinds_of(table.dense_of_id(i)) for i, name in enumerate(w.NAMES)}
    assert kinds["air"] == 0
    assert kinds["torch"] == kinds["leaves"] == kinds["glass"] == HAS_OTHER
    assert kinds["lava"] == HAS_LIQUID
    assert kinds["stone"] == HAS_OPAQUE | ALL_OPAQUE
    assert kinds["client_request_placeholder_block"] == HAS_OPAQUE | ALL_OPAQUE | IS_PLACEHOLDER


def test_more_states_than_ids_are_refused() -> None:
    states = [BlockState("minecraft:air", ())] + [BlockState(f"a:{i}", ()) for i in range(LAST_ID)]
    with pytest.raises(WorldError, match="are too many"):
        BlockTable.build(Palette(states))


def test_hashed_ids_are_found_signed_and_unsigned_and_unknown_ones_join() -> None:
    palette = Palette.for_protocol(2193).hashed()
    table = BlockTable.build(palette)
    dense = table.dense_of(palette.runtime_ids)
    assert [table.states[value] for value in dense.tolist()] == list(palette.states)
    signed = palette.runtime_ids.astype(np.uint32).view(np.int32).astype(np.int64)
    assert (table.dense_of(signed) == dense).all()
    assert [table.dense_of_id(int(value)) for value in signed[::500]] == dense[::500].tolist()
    assert table.appended == 0
    strange = table.dense_of(np.array([5, -7, 0xFFFFFFF9], np.int64))
    assert strange[1] == strange[2] != strange[0]
    assert table.appended == 2
    assert table.runtime_id_of(int(strange[1])) == 0xFFFFFFF9
    assert table.runtime_id_of(table.air) == palette.air


@pytest.mark.parametrize(
    ("protocol", "asked", "said"),
    [
        (486, "oak_log", "There is no block 'minecraft:oak_log' in .*: in this version it is log[old_log_type=oak]."),
        (486, "oak_log[pillar_axis=y]", ": in this version it is log[old_log_type=oak,pillar_axis=y]."),
        (486, "grass_block", ": in this version it is grass."),
        (649, "log[old_log_type=oak,pillar_axis=x]", ": in this version it is oak_log[pillar_axis=x]."),
        (2193, "wool[color=red]", ": in this version it is red_wool."),
        (2193, "planks", "_planks, .*_planks."),
        (2193, "concrete", "_concrete, and 8 more."),
        (
            2193,
            "stone[stone_type=granite]",
            "No state of .* is 'stone[stone_type=granite]': in this version it is granite.",
        ),
        (486, "oak_log[old_log_type=birch]", "(nearest: stripped_oak_log)."),
        (
            486,
            "cherry_log",
            "no block 'minecraft:cherry_log' in this world's palette.",
        ),  # it only looks like an older one
        (486, "other:oak_log", "(nearest: stripped_oak_log)."),
        (2193, "stone[stone_type=gold]", "; its states are minecraft:stone."),
    ],
)
def test_a_block_of_another_version_is_said_to_be_called_what_it_is_here(protocol: int, asked: str, said: str) -> None:
    table = BlockTable.build(Palette.for_protocol(protocol))
    with pytest.raises(UsageError, match=".*".join(map(re.escape, said.split(".*"))) + "$"):
        table.ids_named(asked)


@pytest.mark.parametrize("protocol", [486, 649, 2193])
def test_what_a_block_of_another_version_is_said_to_be_called_is_found(protocol: int) -> None:
    palette, states = Palette.for_protocol(protocol), dict[str, list[BlockState]]()
    for state in palette.states:
        states.setdefault(state.name, []).append(state)
    others = {state.name for each in (486, 649, 2193) for state in Palette.for_protocol(each).states} - states.keys()
    words = ReleaseWords(palette)
    called = {each for name in others for each in words.spellings(name, set())}
    assert len(called) > 100
    for name, wanted in map(parse_block_name, called):
        assert any(wanted <= state.texts for state in states[name]), (name, wanted)
