"""Sub-chunks of old formats in packets: numbers, light behind them, names of before, and layers that no game sends."""

import tracemalloc

import numpy as np
import pytest

from client.options import Box
from client.report.dump import box_arrays
from client.world.block_data import NO_LAYERS, LimitedMap
from client.world.lifecycle import SubChunkState
from net.nbt import NETWORK, Compound, Int, Short, encode_root
from net.palette import Palette
from net.space import OVERWORLD, BlockPos, ColumnPos, SubChunkPos
from net.subchunk.block_entities import write_entity
from net.subchunk.legacy import MOST_FURTHER
from tests.support.worlds.store import StoreWorld

DATA = 1
AT = SubChunkPos(0, 0, 0)
OLD = (0, 2, 3, 4, 5, 6, 7)


def vanilla_world(protocol: int = 486) -> StoreWorld:
    world = StoreWorld(OVERWORLD, palette=Palette.for_protocol(protocol))
    world.announce()
    return world


def old_subchunk(number: int, data_value: int, version: int = 0) -> bytes:
    return bytes([version]) + bytes([number]) * 4096 + bytes([data_value * 17]) * 2048


def named_subchunk(*palette: Compound) -> bytes:
    """Block i is entry i modulo the entries."""
    indices = (np.arange(4096) % len(palette)).astype("<u2")
    entries = b"".join(encode_root(one, NETWORK) for one in palette)
    return b"\x08\x01\x20" + indices.tobytes() + bytes([2 * len(palette)]) + entries


def names(world: StoreWorld, cells: range = range(1)) -> list[str]:
    dense = world.store.blocks_of(AT)
    return [str(world.table.states[dense[cell]]) for cell in cells]


@pytest.mark.parametrize(
    ("protocol", "number", "data_value", "block"),
    [
        (486, 1, 0, "minecraft:stone[stone_type=stone]"),
        (486, 1, 1, "minecraft:stone[stone_type=granite]"),
        (2193, 1, 1, "minecraft:granite"),
        (2193, 98, 3, "minecraft:chiseled_stone_bricks"),
        (2193, 17, 1, "minecraft:spruce_log[pillar_axis=y]"),
        (486, 0, 5, "minecraft:air"),
        (486, 166, 3, "minecraft:unknown[legacy_id=166,legacy_data=3]"),
    ],
)
def test_numbers_are_the_blocks_that_saved_worlds_have(protocol: int, number: int, data_value: int, block: str) -> None:
    world = vanilla_world(protocol)
    assert world.answer(((0, 0, 0), DATA, old_subchunk(number, data_value))).faults == ()
    assert names(world) == [block]


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("light", [b"", b"\xff" * 2048 + bytes(2048), b"\x0a" * 2048, bytes(4096)])
def test_light_behind_an_answer_is_passed_over(version: int, light: bytes) -> None:
    world = vanilla_world()
    chest = write_entity(Compound(id="Chest", x=Int(3), y=Int(4), z=Int(5)))
    report = world.answer(((0, 0, 0), DATA, old_subchunk(3, 0, version) + light + chest))
    assert report.faults == ()
    assert world.store.block_entity(BlockPos(3, 4, 5)) is not None


@pytest.mark.parametrize("light", [0, 2048, 4096])
@pytest.mark.parametrize("filled", [0, 255])
def test_light_behind_the_sub_chunks_of_a_whole_column_is_passed_over(light: int, filled: int) -> None:
    world = vanilla_world()
    blocks = (b"\x01" + b"\x01\x04", old_subchunk(4, 0) + bytes([filled]) * light)  # one block by its header, then old
    biomes, border = b"\x01\x04" + b"\xff" * 23, b"\x00"
    chest = write_entity(Compound(id="Chest", x=Int(3), y=Int(-60), z=Int(5)))
    payload = blocks[1] + blocks[0] + blocks[1] + blocks[1] + biomes + border + chest
    report = world.store.fill(ColumnPos(0, 0), payload, 4, 1.0)
    assert report.faults == ()
    assert [world.names((0, y, 0)) for y in (-4, -2, -1)] == [{"cobblestone"}] * 3
    assert world.store.block_entity(BlockPos(3, -60, 5)) is not None
    assert world.store.biomes_of(SubChunkPos(0, -4, 0))[0] == 2


def test_names_of_before_are_those_of_the_session() -> None:
    world = vanilla_world(2193)
    payload = named_subchunk(
        Compound(name="minecraft:log", val=Short(14)),
        Compound(name="minecraft:air", val=Short(0)),
        Compound(name="minecraft:wood", states=Compound(wood_type="oak", pillar_axis="x", stripped_bit=Int(0))),
        Compound(name="somebody:thing", val=Short(3)),
        Compound(name="minecraft:stone", val=Short(-1)),
        Compound(val=Short(3)),
    )
    assert world.answer(((0, 0, 0), DATA, payload)).faults == ()
    assert names(world, range(6)) == [
        "minecraft:birch_log[pillar_axis=y]",
        "minecraft:air",
        "minecraft:oak_wood[pillar_axis=x]",
        "somebody:thing[val=3]",
        "minecraft:stone",
        "minecraft:unknown[val=3]",
    ]
    assert world.table.appended == 2
    values = [value for state in world.table.states for _, value in state.states]
    assert {type(value) for value in values} == {bool, int, str}, "what stores appearances knows no tags of NBT"


def layered(count: int, version: int = 8) -> bytes:
    """Storage i is all the i-th state."""
    head = bytes([version, count]) if version == 8 else bytes([version, count, 0])
    return head + b"".join(bytes([1, 2 * min(number, 60)]) for number in range(1, count + 1))


def test_third_and_later_layers_are_kept_counted_and_forgotten_with_their_blocks() -> None:
    world = vanilla_world()
    assert world.answer(((0, 0, 0), DATA, layered(5)), ((0, 1, 0), DATA, layered(127, version=9))).faults == ()
    states = Palette.for_protocol(486).states
    further = world.store.further_layers_of(AT)
    assert further.shape == (3, 4096)
    assert [world.table.states[dense] for dense in further[:, 0]] == list(states[3:6])
    assert world.store.attached.further_layers.memory().used == (3 + MOST_FURTHER) * 8192
    assert names(world) == [str(states[1])]
    world.announce()
    world.answer(((0, 0, 0), DATA, old_subchunk(1, 0)))
    assert len(world.store.further_layers_of(AT)) == 0


def test_a_dump_holds_the_further_layers_of_its_box() -> None:
    world = vanilla_world()
    world.answer(((0, 0, 0), DATA, layered(4)))
    box = Box(BlockPos(8, 8, 8), BlockPos(20, 12, 12))
    arrays = box_arrays(world.store, None, box, ("blocks", "layers"))
    assert arrays["layers"].shape == (2, 12, 4, 4)
    states = Palette.for_protocol(486).states
    assert arrays["names"][arrays["layers"][0, 0, 0, 0]] == states[3].name
    assert (arrays["names"][arrays["layers"][:, 8:]] == "minecraft:air").all()
    whole = box_arrays(world.store, None, Box(BlockPos(0, 0, 0), BlockPos(16, 16, 16)), ("layers",))
    assert set(whole["names"]) == {states[3].name, states[4].name}, "no air where there is none"
    assert box_arrays(world.store, None, Box(BlockPos(64, 0, 0), BlockPos(66, 2, 2)), ("layers",))["layers"].size == 0


def test_a_dump_of_further_layers_takes_little_more_memory_than_its_arrays() -> None:
    world = vanilla_world()
    world.answer(((0, 0, 0), DATA, layered(2 + MOST_FURTHER)))
    box = Box(BlockPos(-32, -64, -32), BlockPos(32, 256, 32))
    tracemalloc.start()
    arrays = box_arrays(world.store, None, box, ("blocks", "layer1", "layers"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.2 * sum(array.nbytes for array in arrays.values())


def test_named_layers_beyond_the_second_are_kept_too() -> None:
    world = vanilla_world()
    stone = named_subchunk(Compound(name="minecraft:stone", val=Short(0)))[2:]
    assert world.answer(((0, 0, 0), DATA, b"\x08\x03" + stone * 3)).faults == ()
    assert world.store.further_layers_of(AT).shape == (1, 4096)


def test_an_index_beyond_the_palette_of_a_further_layer_costs_that_layer_alone() -> None:
    world = vanilla_world()
    broken = b"\x03" + b"\xff" * 512 + b"\x02\x02"  # one bit, one entry, all indices 1
    assert world.answer(((0, 0, 0), DATA, b"\x08\x04" + b"\x01\x02" * 2 + broken + b"\x01\x08")).faults == ()
    assert world.state((0, 0, 0)) == SubChunkState.DATA
    assert world.store.further_layers_of(AT).shape == (1, 4096)


def test_what_is_too_much_of_further_layers_is_a_fault() -> None:
    layers = LimitedMap("further layers", 3 * 8192, NO_LAYERS)
    assert layers.take(5, np.zeros((2, 4096), np.uint16)) is None
    assert layers.take(5, np.zeros((3, 4096), np.uint16)) is None
    assert "further layers" in str(layers.take(6, np.zeros((1, 4096), np.uint16)))
    layers.drop(np.array([5], np.int32))
    assert (len(layers), layers.memory().used) == (0, 0)
