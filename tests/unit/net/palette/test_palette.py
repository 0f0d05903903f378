"""Palettes: ids by order, custom blocks sorted in."""

from dataclasses import dataclass, field

import pytest

from net.errors import LocalProtocolError
from net.nbt import Byte, Compound, Int
from net.palette import BlockState, Palette

AIR = BlockState("minecraft:air")


@dataclass(frozen=True)
class Custom:
    name: str
    nbt: Compound = field(default_factory=dict)


@pytest.fixture(scope="module")
def vanilla() -> Palette:
    return Palette.for_protocol(486)


def test_known_ids_of_486(vanilla: Palette) -> None:
    assert len(vanilla) == 7946
    assert vanilla.air == 134
    assert vanilla.state_of(1140) == BlockState("minecraft:client_request_placeholder_block")
    assert vanilla.state_of(7177) == BlockState("minecraft:stone", (("stone_type", "stone"),))
    for name, runtime_id in (("grass", 4998), ("info_update", 5131), ("unknown", 7460)):
        assert vanilla.state_of(runtime_id) == BlockState(f"minecraft:{name}")
    assert vanilla.state_of(7666) == BlockState("minecraft:water", (("liquid_depth", 0),))


def test_states_and_ids_are_each_others_reverse(vanilla: Palette) -> None:
    assert [vanilla.runtime_id_of(state) for state in vanilla.states] == list(range(7946))


def test_what_is_not_there_is_none(vanilla: Palette) -> None:
    assert vanilla.state_of(7946) is None
    assert vanilla.state_of(-1) is None
    assert vanilla.runtime_id_of(BlockState("minecraft:no_such_block")) is None


def test_properties_are_sorted_by_name(vanilla: Palette) -> None:
    for state in vanilla.states:
        assert list(state.states) == sorted(state.states)


def test_a_protocol_without_a_list_is_said_so() -> None:
    with pytest.raises(LocalProtocolError, match="no block states for protocol 1"):
        Palette.for_protocol(1)


def test_a_palette_without_air_or_with_a_state_twice_is_refused() -> None:
    with pytest.raises(LocalProtocolError, match="no air"):
        Palette([BlockState("minecraft:stone")])
    with pytest.raises(LocalProtocolError, match="twice"):
        Palette([AIR, AIR])


def test_custom_blocks_sort_in_without_regard_to_case(vanilla: Palette) -> None:
    custom = vanilla.with_custom([Custom("zoo:cage"), Custom("Acme:anvil")])
    assert custom.state_of(0) == BlockState("Acme:anvil")
    assert custom.state_of(len(vanilla) + 1) == BlockState("zoo:cage")
    assert custom.air == vanilla.air + 1
    assert vanilla.air == 134


def test_custom_properties_are_combined_last_fastest() -> None:
    listed = [{"name": "lit", "enum": [Byte(0), Byte(1)]}, {"name": "age", "enum": [Int(0), Int(1)]}]
    palette = Palette([AIR]).with_custom([Custom("zoo:lamp", {"properties": listed})])
    expected = [(False, 0), (False, 1), (True, 0), (True, 1)]
    assert [dict(state.states) for state in palette.states[1:]] == [{"lit": lit, "age": age} for lit, age in expected]
    assert type(dict(palette.states[1].states)["lit"]) is bool


@pytest.mark.parametrize(
    "properties",
    [
        Int(3),
        ["x"],
        [{"name": "a"}],
        [{"name": "a", "enum": []}],
        [{"name": Int(1), "enum": [Int(0)]}],
        [{"enum": [[]]}],
    ],
)
def test_nonsense_properties_leave_one_state(properties: object) -> None:
    palette = Palette([AIR]).with_custom([Custom("zoo:lamp", {"properties": properties})])  # type: ignore[dict-item]
    assert palette.states[1:] == (BlockState("zoo:lamp"),)


def test_too_many_combinations_are_one_state() -> None:
    listed = [{"name": f"p{i}", "enum": [Int(v) for v in range(100)]} for i in range(10)]
    palette = Palette([AIR]).with_custom([Custom("zoo:bomb", {"properties": listed})])
    assert palette.states[1:] == (BlockState("zoo:bomb"),)


def test_a_vanilla_name_in_the_custom_list_changes_nothing(vanilla: Palette) -> None:
    assert vanilla.with_custom([Custom("minecraft:stone")]) is vanilla
    assert vanilla.with_custom([]) is vanilla


def test_states_print_as_commands_spell_them() -> None:
    assert str(AIR) == "minecraft:air"
    state = BlockState("minecraft:lever", (("direction", "east"), ("level", 2), ("open_bit", True)))
    assert str(state) == 'minecraft:lever["direction"="east","level"=2,"open_bit"=true]'
