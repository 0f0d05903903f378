"""What a store keeps of blocks besides their ids, through all that can happen to them."""

import numpy as np
import pytest

from client.world.height_maps import UNKNOWN_TOP, HeightVerdict
from client.world.lifecycle import Knowledge
from net.nbt import Compound, Int
from net.palette import BlockState, Palette
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.block_entities import write_entity
from net.subchunk.heights import HeightKind
from tests.support import store_world as w
from tests.support.store_world import SEVEN, StoreWorld, mixed

DATA, ALL_AIR, OUT_OF_BOUNDS = 1, 6, 5
HOME = ColumnPos(0, 0)
CHEST = BlockPos(3, 5, 7)


def entity(position: BlockPos = CHEST, number: int = 0) -> Compound:
    return {"number": Int(number), "x": Int(position.x), "y": Int(position.y), "z": Int(position.z)}


def ground(world: StoreWorld, *entities: Compound) -> bytes:
    """Section 0: stone up to y 5, torches at 6, and block entities."""
    ids = np.zeros((256, 16), np.uint16)
    ids[:, :6], ids[:, 6] = w.STONE, w.TORCH
    return world.payload(ids.reshape(4096)) + b"".join(map(write_entity, entities))


def numbers(world: StoreWorld) -> list[int]:
    return [int(found["number"]) for found in world.store.block_entities(HOME)]


def test_block_entities_come_with_sub_chunks_and_go_with_them() -> None:
    world = StoreWorld()
    world.announce()
    report = world.answer(((0, 0, 0), DATA, ground(world, entity(number=4), entity(CHEST._replace(y=99)))))
    assert numbers(world) == [4]
    assert world.store.block_entity(CHEST) == entity(number=4)
    assert len(report.faults) == world.store.stats().faults == 1
    world.announce()
    assert numbers(world) == [4], "what is shown keeps its own"
    world.answer(((0, 0, 0), DATA, ground(world, entity(number=5))))
    assert numbers(world) == [5]
    world.announce()
    world.answer(((0, 0, 0), ALL_AIR, b""))
    assert numbers(world) == []


@pytest.mark.parametrize("how", ["refused", "broken", "evicted", "forgotten", "another dimension"])
def test_no_block_entity_outlives_its_blocks(how: str) -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, ground(world, entity())))
    if how == "evicted":
        world.store.mark(np.array([world.store.place_of(SubChunkPos(0, 0, 0))], np.int32), Knowledge.EVICTED, 9.0)
    elif how == "forgotten":
        world.store.forget(HOME)
    elif how == "another dimension":
        world.store.change_dimension(SEVEN)
    else:
        world.announce()
        world.answer(((0, 0, 0), OUT_OF_BOUNDS if how == "refused" else DATA, b"\x63"))
    assert numbers(world) == []
    assert world.store.attachment_stats().block_entity_bytes == 0


def test_a_block_that_turns_keeps_its_entity_and_another_block_ends_it() -> None:
    names = [BlockState(f"minecraft:{name}", ()) for name in w.NAMES]
    turned = [BlockState("minecraft:chest", (("facing", facing),)) for facing in range(2)]
    world = StoreWorld(palette=Palette([*names, *turned]))
    world.announce()
    world.answer(((0, 0, 0), DATA, ground(world)))
    world.store.update_block(CHEST, 0, len(names))
    world.store.put_entity(CHEST, entity(number=1))
    world.store.update_block(CHEST, 0, len(names) + 1)
    world.store.update_block(CHEST, 1, w.WATER)
    assert numbers(world) == [1]
    world.store.update_block(CHEST, 0, w.STONE)
    world.store.update_block(CHEST, 0, len(names))
    assert numbers(world) == []
    assert world.store.attachment_stats().block_entities_ended == 1


def test_an_entity_for_a_place_without_blocks_waits_for_them() -> None:
    world = StoreWorld()
    world.store.put_entity(CHEST, entity(number=1))
    assert world.store.attachment_stats().block_entities_waiting == 0, "nobody announced the column"
    world.announce()
    world.store.put_entity(CHEST, entity(number=2))
    world.store.put_entity(CHEST._replace(x=4), entity(CHEST._replace(x=4), 3))
    world.store.update_block(CHEST._replace(x=4), 0, w.GLASS)  # after it: what it was of is gone
    assert world.store.attachment_stats().block_entities_waiting == 1
    assert world.store.block_entity(CHEST) is None
    world.answer(((0, 0, 0), DATA, ground(world, entity(number=9))))
    assert numbers(world) == [2]
    world.announce()
    world.store.put_entity(CHEST, entity(number=5))
    assert numbers(world) == [5], "older blocks are shown"
    world.answer(((0, 0, 0), DATA, ground(world, entity(number=9))))
    assert numbers(world) == [5]
    assert world.store.attachment_stats().block_entities_waiting == 0


def test_cracks_go_on_until_their_block_changes() -> None:
    world = StoreWorld()
    world.store.crack(CHEST, 65535, 1.0)
    assert world.store.cracking(CHEST) is None, "nobody announced the column"
    world.announce()
    world.answer(((0, 0, 0), DATA, ground(world)))
    world.store.crack(CHEST, 65535 // 40, 1.0)
    cracking = world.store.cracking(CHEST)
    assert cracking is not None
    assert cracking.progress(2.0) == pytest.approx(0.5, abs=1e-2)
    world.store.crack(CHEST, 0, 2.0, again=True)
    world.store.update_block(CHEST, 1, w.WATER)
    cracking = world.store.cracking(CHEST)
    assert cracking is not None
    assert cracking.progress(9.0) == pytest.approx(0.5, abs=1e-2)
    world.store.update_block(CHEST, 0, w.AIR)
    assert world.store.cracking(CHEST) is None
    world.store.crack(CHEST, 9, 3.0)
    world.store.stop_cracking(CHEST)
    assert world.store.cracking(CHEST) is None


@pytest.mark.parametrize("version", [0, 2, 3, 4, 5, 6, 7])
def test_old_sub_chunks_keep_the_data_of_their_blocks(version: int) -> None:
    world = StoreWorld()
    world.announce()
    data = np.zeros(2048, np.uint8)
    data[0] = 0x0E  # cell 0: 14
    world.answer(((0, 0, 0), DATA, bytes([version]) + b"\x23" * 4096 + data.tobytes() + write_entity(entity())))
    assert world.state((0, 0, 0)) == Knowledge.DATA
    assert numbers(world) == [0]
    small = world.store.small_values_of(SubChunkPos(0, 0, 0))
    assert (small.dtype, small[:3].tolist()) == (np.uint8, [14, 0, 0])
    view = world.store.block(BlockPos(0, 0, 0))
    assert view.states == {"legacy_id": 0x23, "legacy_data": 14}
    world.store.update_block(BlockPos(0, 0, 0), 0, w.STONE)
    assert not world.store.small_values_of(SubChunkPos(0, 0, 0)).any()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert world.store.attachment_stats().small_values == 0


def test_a_sub_chunk_of_version_1_has_one_layer_and_no_small_values() -> None:
    world = StoreWorld()
    world.announce()
    layer = world.payload(mixed(w.STONE, w.DIRT))[3:]
    world.answer(((0, 0, 0), DATA, b"\x01" + layer + write_entity(entity(number=3))))
    assert world.names((0, 0, 0)) == {"stone", "dirt"}
    assert numbers(world) == [3]
    assert world.store.attachment_stats().small_values == 0


@pytest.mark.parametrize("version", [1, 8])
def test_a_sub_chunk_that_names_its_blocks_has_both_layers_and_its_entities(version: int) -> None:
    world = StoreWorld()
    world.announce()
    stone, torch, water = (
        write_entity({"name": f"minecraft:{name}", "states": {}}) for name in ("stone", "torch", "water")
    )
    words = b"\x02" + b"\xaa" * 512  # one bit an index: 0, 1, 0, 1, ..., then a palette of two
    first = words + b"\x04" + stone + torch
    layers = first if version == 1 else b"\x02" + first + b"\x00" + water
    world.answer(((0, 0, 0), DATA, bytes([version]) + layers + write_entity(entity(number=8))))
    assert numbers(world) == [8]
    names = [world.store.block(BlockPos(0, y, 0)).name for y in range(3)]
    assert names == ["minecraft:stone", "minecraft:torch", "minecraft:stone"]
    second = world.store.block(BlockPos(0, 0, 0)).layer1_name
    assert second == ("minecraft:air" if version == 1 else "minecraft:water")
    assert world.store.attachment_stats().small_values == 0


def height_answer(world: StoreWorld, y: int, payload: bytes, kind: HeightKind, heights: bytes | None = None) -> None:
    position = np.array([[0, y, 0]], np.int32)
    result = np.array([DATA if payload else ALL_AIR], np.uint8)
    world.store.answer(position, result, [payload], np.array([kind], np.uint8), [heights], world.tick())


def test_the_surface_follows_answers_and_edits() -> None:
    world = StoreWorld()
    world.announce()
    assert (world.store.height_map(HOME) == UNKNOWN_TOP).all()
    height_answer(world, 0, ground(world), HeightKind.DATA, bytes([6]) * 256)
    assert world.store.height_verdict_of(SubChunkPos(0, 0, 0)) is HeightVerdict.AGREES
    assert (world.store.height_map(HOME) == 6).all()
    at = CHEST.z << 4 | CHEST.x
    world.store.update_block(CHEST._replace(y=9), 0, w.LEAVES)
    assert world.store.height_map(HOME)[at] == 10
    world.store.update_block(CHEST._replace(y=9), 0, w.AIR)
    world.store.update_block(CHEST, 0, w.AIR)
    assert world.store.height_map(HOME)[at] == 5
    assert np.unique(np.delete(world.store.height_map(HOME), at)).tolist() == [6]


def test_a_change_that_waited_is_not_held_against_the_height_map() -> None:
    world = StoreWorld()
    world.announce()
    world.store.update_block(CHEST._replace(y=9), 0, w.STONE)
    height_answer(world, 0, ground(world), HeightKind.DATA, bytes([6]) * 256)
    assert world.store.height_verdict_of(SubChunkPos(0, 0, 0)) is HeightVerdict.AGREES
    assert world.store.height_map(HOME)[CHEST.z << 4 | CHEST.x] == 10


def test_contradictions_are_counted_and_said_of_their_sub_chunk() -> None:
    world = StoreWorld()
    world.announce()
    height_answer(world, 0, ground(world), HeightKind.ALL_TOO_LOW)
    height_answer(world, 1, b"", HeightKind.ALL_TOO_LOW)
    place = world.store.place_of(SubChunkPos(0, 0, 0))
    assert world.store.height_verdicts()[place : place + 2].tolist() == [
        HeightVerdict.CONTRADICTS,
        HeightVerdict.AGREES,
    ]
    verdicts = world.store.attachment_stats().height_verdicts
    assert verdicts == {HeightVerdict.CONTRADICTS: 1, HeightVerdict.AGREES: 1}
    assert world.store.height_verdict_of(SubChunkPos(0, 99, 0)) is HeightVerdict.NONE_SAID


def test_a_whole_column_tells_its_surface_by_its_blocks() -> None:
    world = StoreWorld()
    solid = world.payload(np.full(4096, w.STONE, np.uint16))
    world.store.fill(HOME, solid + solid + ground(world) + b"\x01\x04\x00", 3, 1.0)
    assert (world.store.height_map(HOME) == 6).all()
