"""Blocks of later releases keep what they were: class, light, looks and shape of their ancestors at 486.

Legacy: Blocks of old by number and data value, and names that changed until 486.
"""

import pytest

from assets import models, renames, textures, traits
from assets import states as states_module
from assets.traits import BlockClass
from net.palette import BlockState, Palette
from render.materials.face_recipes import _look_up, signature_of

# ---------------------------------------------------------------- ancestors


@pytest.fixture(scope="module")
def newer() -> dict[str, list[BlockState]]:
    """States of every name that 486 does not have, by name without prefix, from all lists."""
    old = {state.name for state in Palette.for_protocol(486).states}
    found: dict[str, list[BlockState]] = {}
    for protocol in (503, 527, 582, 594, 618, 630, 649, 662, 685, 712, 729, 766, 827, 844, 2193):
        for state in Palette.for_protocol(protocol).states:
            if state.name not in old:
                found.setdefault(state.name.removeprefix("minecraft:"), []).append(state)
    return found


def test_what_486_has_is_its_own_ancestor() -> None:
    table = renames.load()
    for state in Palette.for_protocol(486).states:
        states = dict(state.states)
        assert table.of(state.name, states) == (state.name.removeprefix("minecraft:"), states)


def test_every_ancestor_is_a_state_of_486() -> None:
    known = Palette.for_protocol(486).states
    names = {state.name.removeprefix("minecraft:") for state in known}
    values = {(state.name.removeprefix("minecraft:"), *pair) for state in known for pair in state.states}
    table = renames.load()
    for new, (old, states) in table.blocks.items():
        assert old in names, new
        assert {(old, *pair) for pair in states.items()} - {("coral_fan_dead", "dead_bit", True)} <= values, new
    for old, states in table.defaults.items():
        assert {(old, *pair) for pair in states.items()} <= values


def test_every_name_of_the_table_is_a_later_block(newer: dict[str, list[BlockState]]) -> None:
    assert set(renames.load().blocks) - set(newer) <= {"undyed_shulker_box"}


def test_no_later_block_is_unknown_to_the_traits(newer: dict[str, list[BlockState]]) -> None:
    table = traits.load()
    assert [name for name in newer if not table.knows(name)] == []


@pytest.mark.parametrize(
    ("name", "states", "ancestor", "old_states"),
    [
        ("oak_log", {"pillar_axis": "x"}, "log", {"old_log_type": "oak", "pillar_axis": "x"}),
        ("dark_oak_leaves", {}, "leaves2", {"new_leaf_type": "dark_oak"}),
        ("light_gray_wool", {}, "wool", {"color": "silver"}),
        ("polished_granite", {}, "stone", {"stone_type": "granite_smooth"}),
        ("stone", {}, "stone", {"stone_type": "stone"}),
        ("granite_slab", {"minecraft:vertical_half": "top"}, "stone_slab3", {"top_slot_bit": True}),
        ("light_block_7", {}, "light_block", {"block_light_level": 7}),
        ("chest", {"minecraft:cardinal_direction": "west"}, "chest", {"facing_direction": 4, "direction": 1}),
        ("dead_fire_coral", {}, "coral", {"coral_color": "red", "dead_bit": True}),
        ("short_grass", {}, "tallgrass", {"tall_grass_type": "tall"}),
        ("mud", {}, "mud", {}),
    ],
)
def test_ancestors_of_some(name: str, states: dict, ancestor: str, old_states: dict) -> None:
    old, found = renames.load().of(f"minecraft:{name}", states)
    assert old == ancestor
    assert old_states.items() <= dict(found).items()


def test_an_opaque_cube_stays_one_and_light_stays_what_it_was() -> None:
    table = traits.load()
    for name, old, states in (
        ("granite", "stone", {"stone_type": "granite"}),
        ("white_wool", "wool", {"color": "white"}),
        ("oak_log", "log", {"old_log_type": "oak"}),
        ("birch_leaves", "leaves", {"old_leaf_type": "birch"}),
        ("red_stained_glass", "stained_glass", {"color": "red"}),
        ("sea_lantern", "seaLantern", {}),
        ("colored_torch_purple", "colored_torch_bp", {"color_bit": True}),
        ("light_block_3", "light_block", {"block_light_level": 3}),
        ("grass_block", "grass", {}),
        ("sandstone_slab", "stone_slab", {"stone_slab_type": "sandstone"}),
    ):
        assert table.of(name, {}) == table.of(old, states), name
    assert table.of("cherry_leaves", {}).block_class == BlockClass.CUTOUT
    assert table.of("mud", {}).block_class == BlockClass.OPAQUE
    assert table.of("copper_bulb", {"lit": True}).emission[0] == 15
    assert table.of("copper_bulb", {"lit": False}).emission == (0, 0, 0)


def test_every_later_block_is_painted(newer: dict[str, list[BlockState]]) -> None:
    rules = textures.load()
    plain = {
        name
        for name, states in newer.items()
        for state in states
        if _look_up(rules, signature_of(rules, state.name, dict(state.states)).word) is None
    }
    assert {name for name in plain if not name.startswith("light_block_")} == set()


def test_every_later_model_has_a_shape(newer: dict[str, list[BlockState]]) -> None:
    table, shapes = traits.load(), models.load()
    whole = {
        name
        for name, states in newer.items()
        for state in states
        if table.of(state.name, dict(state.states)).block_class == BlockClass.MODEL
        and shapes.shape_of(state.name, dict(state.states)) is models.WHOLE
    }
    assert whole == set()


def test_a_top_slab_of_a_later_release_hangs_above() -> None:
    shape = models.load().shape_of("oak_slab", {"minecraft:vertical_half": "top"})
    assert shape.boxes[0].low == (0, 8, 0)


# ---------------------------------------------------------------- legacy


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, "air"),
        (1, "stone"),
        (98, "stonebrick"),
        (199, "frame"),
        (255, "reserved6"),
        (166, None),
        (256, None),
        (-1, None),
    ],
)
def test_numbers_have_their_names(number: int, name: str | None) -> None:
    assert renames.load_legacy().name_of(number) == name


def test_every_number_is_a_block_of_486() -> None:
    known = states_module.blocks(486)
    assert all(name in known for name in renames.load_legacy().ids if name)
    assert len(renames.load_legacy().ids) == 256


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        (
            "minecraft:acacia_door",
            6,
            {"direction": 2, "open_bit": True, "upper_block_bit": False, "door_hinge_bit": False},
        ),
        ("sapling", 9, {"sapling_type": "spruce", "age_bit": True}),
        ("stone_button", 13, {"facing_direction": 5, "button_pressed_bit": True}),
        ("log2", 9, {"new_log_type": "dark_oak", "pillar_axis": "z"}),
        (
            "log",
            12,
            {"old_log_type": "oak", "pillar_axis": "y"},
        ),  # bark on all sides, which 486 says with another block
        ("frame", 0, {"facing_direction": 5, "item_frame_map_bit": False, "item_frame_photo_bit": False}),
        ("bedrock", 0, {"infiniburn_bit": False}),
        ("nobody", 3, None),
    ],
)
def test_data_values_are_the_bits_of_properties(name: str, value: int, wanted: dict[str, object] | None) -> None:
    assert renames.load_legacy().of_value(name, value) == wanted


def test_names_and_properties_that_changed_are_those_of_486() -> None:
    table = renames.load_legacy()
    assert table.of("minecraft:soul_soil_block", {}) == ("soul_soil", {})
    assert table.of("minecraft:kelp", {"age": 3}) == ("kelp", {"kelp_age": 3})
    assert table.of("minecraft:beehive", {"facing_direction": 4, "honey_level": 2}) == (
        "beehive",
        {"direction": 1, "honey_level": 2},
    )
    assert table.of("minecraft:beehive", {"direction": 3}) == ("beehive", {"direction": 3})
    assert table.of("minecraft:stone", {"stone_type": "granite"}) == ("stone", {"stone_type": "granite"})
