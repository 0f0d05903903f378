"""Blocks of old by number and data value, and names that changed until 486."""

import pytest

from assets import renames, states


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
    known = states.blocks(486)
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
