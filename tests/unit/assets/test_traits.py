"""Our table of traits agrees with the vendor's numbers, but for the exceptions named here.

Block attributes: The vendor's own block attributes (a dump of its server), as far as light and sight go.
"""

import re
import struct
import zlib
from functools import cache
from typing import Any

import pytest

from assets.traits import BlockClass, Traits, TraitTable, load, parse
from net.palette import BlockState, Palette
from tests.support.data.shared import shared_data

# ---------------------------------------------------------------- block attributes

FIXED = {1: ">b", 2: ">h", 3: ">i", 4: ">q", 5: ">f", 6: ">d"}

StateKey = tuple[str, tuple[tuple[str, Any], ...]]


def block_attributes(version: str) -> dict[StateKey, dict[str, Any]]:
    """Attributes of each state of a version, by name and sorted states. The stream has no end mark."""
    packed = shared_data(f"light/block_attributes-{version}.nbt.gz").read_bytes()
    data = zlib.decompressobj(31).decompress(packed)
    root, _ = _value(data, 3, 10)
    return {state_key(block["name"], block["states"]): block for block in root["block"]}


def state_key(name: str, states: dict[str, Any]) -> StateKey:
    return name, tuple(sorted(states.items()))


def _text(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">H", data, at)
    return data[at + 2 : at + 2 + length].decode("utf-8", "replace"), at + 2 + length


def _value(data: bytes, at: int, tag: int) -> tuple[Any, int]:
    """One big-endian NBT value."""
    if tag in FIXED:
        form = FIXED[tag]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if tag == 8:
        return _text(data, at)
    if tag == 9:
        kind = data[at]
        (length,) = struct.unpack_from(">i", data, at + 1)
        at += 5
        values = []
        for _ in range(length):
            value, at = _value(data, at, kind)
            values.append(value)
        return values, at
    assert tag == 10, tag
    compound = {}
    while data[at]:
        kind = data[at]
        name, at = _text(data, at + 1)
        compound[name], at = _value(data, at, kind)
    return compound, at + 1


# ---------------------------------------------------------------- traits

OPAQUE_TO_THE_GAME_ONLY = {"lava", "flowing_lava", "tinted_glass", "client_request_placeholder_block"}
"""Dampening 15, but liquids and glass are seen through, and the placeholder is a class of its own."""

OTHER_OPACITY = {
    "lava": "dims like leaves: each of its cells shines at 15 anyway",
    "flowing_lava": "the same",
    "bubble_column": "is water",
    "leaves": "let green through",
    "leaves2": "the same",
    "azalea_leaves": "the same",
    "azalea_leaves_flowered": "the same",
    "stained_glass": "lets its colour through",
    "hard_stained_glass": "the same",
    "stained_glass_pane": "the same",
    "hard_stained_glass_pane": "the same",
}

LEVELS = {
    15: "beacon conduit end_gateway end_portal fire lava flowing_lava glowstone lantern lit_pumpkin lit_redstone_lamp "
    "seaLantern shroomlight ochre_froglight verdant_froglight pearlescent_froglight campfire sea_pickle lava_cauldron "
    "cauldron respawn_anchor light_block",
    14: "torch underwater_torch colored_torch_rg colored_torch_bp end_rod cave_vines_body_with_berries "
    "cave_vines_head_with_berries",
    13: "lit_furnace lit_smoker lit_blast_furnace glowingobsidian",
    12: "candle",
    11: "portal",
    10: "crying_obsidian soul_fire soul_lantern soul_torch soul_campfire",
    9: "lit_redstone_ore lit_deepslate_redstone_ore",
    7: "enchanting_table ender_chest glow_lichen redstone_torch",
    6: "sculk_catalyst",
    5: "amethyst_cluster",
    4: "large_amethyst_bud",
    3: "magma candle_cake",
    2: "medium_amethyst_bud",
    1: "brown_mushroom dragon_egg small_amethyst_bud",
}
"""Highest level of a name over its states (wire.md 6.3); coloured candles and cakes as the plain ones."""


@cache
def table() -> TraitTable:
    return load()


@cache
def states(protocol: int = 486) -> tuple[BlockState, ...]:
    return Palette.for_protocol(protocol).states


def bare(state: BlockState) -> str:
    return state.name.removeprefix("minecraft:")


def traits_of(state: BlockState) -> Traits:
    return table().of(state.name, state.states)


def test_every_name_of_486_has_a_class_by_rule() -> None:
    names = {state.name for state in states()}
    assert len(names) == 708
    assert sorted(name for name in names if not table().knows(name)) == []


def test_opaque_is_what_the_game_darkens_wholly() -> None:
    truth = block_attributes("1.20.0.01")
    compared, exceptions = 0, set()
    for state in states():
        attributes = truth.get(state_key(state.name, dict(state.states)))
        if attributes is None:
            continue
        compared += 1
        if (attributes["light"] == 15) != (traits_of(state).block_class is BlockClass.OPAQUE):
            exceptions.add(bare(state))
    assert compared == 7674
    assert exceptions == OPAQUE_TO_THE_GAME_ONLY


def test_blocks_take_as_much_light_as_in_the_game() -> None:
    truth = block_attributes("1.20.0.01")
    exceptions = set()
    for state in states():
        attributes = truth.get(state_key(state.name, dict(state.states)))
        if attributes is not None and max(traits_of(state).opacity) != attributes["light"]:
            exceptions.add(bare(state))
    assert exceptions == set(OTHER_OPACITY)


def test_lamps_are_as_bright_as_in_the_game() -> None:
    truth = block_attributes("1.20.81.01")
    compared, wrong = 0, set()
    for state in states():
        attributes = truth.get(state_key(state.name, dict(state.states)))
        if attributes is not None:
            compared += 1
            if max(traits_of(state).emission) != attributes["lightEmission"]:
                wrong.add(state)
    assert compared > 7000
    assert wrong == set()


@pytest.mark.parametrize(("protocol", "fewest"), [(671, 14000), (2193, 10600)])
def test_blocks_of_later_releases_shine_and_dim_as_in_the_game(protocol: int, fewest: int) -> None:
    """The vendor's server of 671 has 1.20.81; of the newest release what has kept name and states is compared."""
    truth = block_attributes("1.20.81.01")
    compared, brighter, darker = 0, set(), set()
    for state in states(protocol):
        attributes = truth.get(state_key(state.name, dict(state.states)))
        if attributes is not None:
            compared += 1
            if max(traits_of(state).emission) != attributes["lightEmission"]:
                brighter.add(state)
            if max(traits_of(state).opacity) != attributes["lightDampening"]:
                darker.add(bare(state))
    assert compared > fewest
    assert brighter == set()
    of_colour = re.compile("(hard_)?[a-z_]*stained_glass(_pane)?|[a-z_]*leaves[a-z_]*")
    assert {name for name in darker if not of_colour.fullmatch(name)} == {"lava", "flowing_lava", "bubble_column"}


def test_a_vault_s_and_a_spawner_s_light_of_the_newest_release_follows_its_state() -> None:
    """Their states have changed since 1.20.81, so the comparison above leaves them out."""
    wanted = {"vault": [6, 12, 12, 12], "trial_spawner": [0, 4, 8, 8, 8, 0]}
    for name, levels in wanted.items():
        found = [max(traits_of(state).emission) for state in states(2193) if bare(state) == name]
        assert sorted(set(found)) == sorted(set(levels))
        assert len(found) % len(levels) == 0
        assert sorted(found) == sorted(levels * (len(found) // len(levels)))


def test_levels_are_those_of_the_design() -> None:
    wanted = {name: level for level, names in LEVELS.items() for name in names.split()}
    found: dict[str, int] = {}
    for state in states():
        name = bare(state)
        for kind in ("candle_cake", "candle"):
            name = kind if name.endswith(kind) else name
        level = max(traits_of(state).emission)
        if level:
            found[name] = max(found.get(name, 0), level)
    assert found == wanted


@pytest.mark.parametrize(
    ("name", "values", "levels"),
    [
        ("candle", {"lit": True, "candles": 0}, 3),
        ("candle", {"lit": False, "candles": 3}, 0),
        ("campfire", {"extinguished": True}, 0),
        ("sea_pickle", {"dead_bit": False, "cluster_count": 2}, 12),
        ("sea_pickle", {"dead_bit": True, "cluster_count": 2}, 0),
        ("respawn_anchor", {"respawn_anchor_charge": 1}, 3),
        ("light_block", {"block_light_level": 7}, 7),
    ],
)
def test_levels_that_run_with_a_state(name: str, values: dict[str, int | str | bool], levels: int) -> None:
    assert max(table().of(f"minecraft:{name}", values).emission) == levels


def test_classes_of_blocks_that_patterns_could_get_wrong() -> None:
    expected = {
        BlockClass.OPAQUE: "stone double_stone_slab4 melon_block stripped_oak_log crimson_stem snow piston_arm pumpkin",
        BlockClass.MODEL: "melon_stem honey_block light_block stone_slab snow_layer lantern barrier border_block chest",
        BlockClass.CUTOUT: "leaves azalea_leaves_flowered powder_snow mob_spawner",
        BlockClass.TRANSLUCENT: "glass stained_glass tinted_glass ice slime",
        BlockClass.LIQUID: "water flowing_lava bubble_column",
        BlockClass.PLACEHOLDER: "client_request_placeholder_block",
        BlockClass.AIR: "air",
    }
    for block_class, names in expected.items():
        for name in names.split():
            assert table().of(f"minecraft:{name}", {}).block_class is block_class, name


@pytest.mark.parametrize(
    ("name", "values", "kept"),
    [
        ("leaves", {"old_leaf_type": "oak"}, "green"),
        ("leaves2", {"new_leaf_type": "acacia"}, "green"),
        ("azalea_leaves", {}, "green"),
        ("mangrove_leaves", {}, "green"),
        ("cherry_leaves", {}, "red and blue"),
        ("pale_oak_leaves", {}, "all alike"),
        ("glass", {}, "all alike"),
        ("red_stained_glass", {}, "red"),
        ("stained_glass", {"color": "red"}, "red"),
        ("stained_glass_pane", {"color": "lime"}, "green"),
        ("hard_blue_stained_glass_pane", {}, "blue"),
        ("hard_stained_glass", {"color": "blue"}, "blue"),
        ("stained_glass", {"color": "white"}, "all alike"),
        ("gray_stained_glass", {}, "all alike"),
        ("water", {"liquid_depth": 0}, "green and blue"),
    ],
)
def test_leaves_and_stained_glass_let_their_colour_through(
    name: str, values: dict[str, int | str | bool], kept: str
) -> None:
    red, green, blue, daylight = table().of(f"minecraft:{name}", values).opacity
    loss = {"red": red, "green": green, "blue": blue}
    least = [colour for colour, taken in loss.items() if taken == min(loss.values())]
    assert (" and ".join(least) if len(least) < 3 else "all alike") == kept
    assert daylight < 15


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("emission = [16, 0, 0]", "emission [16, 0, 0] of torch, lamp*: 3 levels of 0..15 are required"),
        ("emission = [-1, 0, 0]", "emission [-1, 0, 0] of torch, lamp*: 3 levels of 0..15 are required"),
        ("emission = [1, 2]", "emission [1, 2] of torch, lamp*: 3 levels of 0..15 are required"),
        ("emission = [1.5, 2, 3]", "emission [1.5, 2, 3] of torch, lamp*: 3 levels of 0..15 are required"),
        ("opacity = 16", "opacity [16, 16, 16, 16] of torch, lamp*: 4 levels of 0..15 are required"),
        ("opacity = [1, 2, 3]", "opacity [1, 2, 3] of torch, lamp*: 4 levels of 0..15 are required"),
    ],
)
def test_levels_out_of_range_are_refused_with_the_rule_they_stand_in(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(f'[[rule]]\n{line}\nnames = ["torch", "lamp*"]\n')


def test_each_of_sixteen_colours_of_glass_takes_light_in_a_way_of_its_own() -> None:
    colours = {dict(state.states)["color"] for state in states() if bare(state) == "stained_glass"}
    taken = {color: table().of("minecraft:stained_glass", {"color": color}).opacity for color in colours}
    assert len(taken) == 16
    assert len(set(taken.values())) == 16
    assert all(0 < opacity[3] < 15 for opacity in taken.values())


def test_an_unknown_block_is_an_opaque_dark_cube() -> None:
    traits = table().of("somebody:thing", {})
    assert (traits.block_class, traits.emission, traits.opacity) == (BlockClass.OPAQUE, (0, 0, 0), (15, 15, 15, 15))
    assert not table().knows("somebody:thing")


def test_bodies_pass_plants_and_liquids_but_not_cubes() -> None:
    assert not any(table().of(name, {}).obstructs for name in ("air", "water", "tallgrass", "torch", "fire"))
    assert all(table().of(name, {}).obstructs for name in ("stone", "glass", "leaves", "fence", "stone_slab"))
