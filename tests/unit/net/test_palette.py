"""Palettes: ids by order, custom blocks sorted in."""

import msgspec
import numpy as np
import pytest

from assets.states import fnv1_64, protocols
from net.errors import LocalProtocolError
from net.nbt import Byte, Compound, Int
from net.palette import BlockState, Palette, state_bytes

AIR = BlockState("minecraft:air")


class Custom(msgspec.Struct, frozen=True):
    name: str
    nbt: Compound = {}


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
    with pytest.raises(LocalProtocolError, match="not contain air"):
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
    palette = Palette([AIR]).with_custom([Custom("zoo:lamp", {"properties": properties})])
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
    assert str(state) == "minecraft:lever[direction=east,level=2,open_bit=true]"


@pytest.mark.parametrize(
    ("protocol", "states", "names"),
    [
        (486, 7946, 708),
        (503, 8228, 717),
        (582, 13136, 813),
        (589, 13141, 839),
        (1001, 16913, 1356),
        (2168, 17499, 1379),
        (2193, 17499, 1379),
    ],
)
def test_sizes_of_known_lists(protocol: int, states: int, names: int) -> None:
    palette = Palette.for_protocol(protocol)
    assert len(palette) == states
    assert len({state.name for state in palette.states}) == names


@pytest.mark.parametrize(
    ("text", "runtime_id"),
    [
        (BlockState("minecraft:stone"), 0x80310E21),
        (AIR, 0xDBF44120),
        (BlockState("minecraft:grass_block"), 0xDE3128B4),
        (BlockState("minecraft:bedrock", (("infiniburn_bit", False),)), 0xF5AC7CFB),
        (BlockState("minecraft:unknown"), 0xFFFFFFFE),
    ],
)
def test_hashed_ids_are_the_vendors(text: BlockState, runtime_id: int) -> None:
    palette = Palette.for_protocol(2193).hashed()
    assert palette.runtime_id_of(text) == runtime_id
    assert palette.state_of(runtime_id) == palette.state_of(runtime_id - (1 << 32)) == text
    assert palette.state_of(runtime_id ^ 1) is None


def test_no_two_states_of_any_list_share_a_hash() -> None:
    for protocol in (protocol for protocol in protocols() if protocol >= 582):
        palette = Palette.for_protocol(protocol).hashed()
        assert len(np.unique(palette.runtime_ids)) == len(palette)


def test_hashes_are_fnv1a_of_the_states_nbt() -> None:
    palette = Palette.for_protocol(582).hashed()
    for state, runtime_id in list(zip(palette.states, palette.runtime_ids.tolist(), strict=True))[::97]:
        value = 0x811C9DC5
        for byte in state_bytes(state):
            value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
        assert value == runtime_id


def test_custom_blocks_sort_in_by_hashed_names_from_503_on() -> None:
    vanilla = Palette.for_protocol(503)
    custom = vanilla.with_custom([Custom("zoo:cage"), Custom("Acme:anvil")])
    hashes = [fnv1_64(state.name) for state in custom.states]
    assert hashes == sorted(hashes)
    assert len(custom) == len(vanilla) + 2
    assert fnv1_64("minecraft:air") == int.from_bytes(plain_fnv("minecraft:air"), "big")


def plain_fnv(text: str) -> bytes:
    """FNV-1 of 64 bits as its definition says."""
    value = 14695981039346656037
    for byte in text.encode():
        value = (value * 1099511628211) % 2**64
        value ^= byte
    return value.to_bytes(8, "big")


def test_custom_blocks_leave_hashed_ids_as_they_are() -> None:
    vanilla = Palette.for_protocol(582).hashed()
    custom = vanilla.with_custom([Custom("zoo:cage")])
    assert custom.is_hashed
    assert custom.air == vanilla.air
    cage = custom.runtime_id_of(BlockState("zoo:cage"))
    assert cage is not None
    assert custom.state_of(cage) == BlockState("zoo:cage")
