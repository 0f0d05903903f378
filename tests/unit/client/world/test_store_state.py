"""What a store costs: every pool is counted, grows with what it keeps, and lets go of it again.

Kept edits: Changes of blocks that come before the blocks are not lost, and are bounded.
"""

import numpy as np
import pytest

from client.errors import OutOfSlots
from client.world import store_state
from client.world.lifecycle import SubChunkState
from client.world.slots import PoolBytes
from net.nbt import Byte, Int
from net.space import NETHER, BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import write_tail
from net.subchunk.block_entities import write_entity
from net.subchunk.encode import SubChunkEncoder
from tests.support.worlds import store as w
from tests.support.worlds.store import StoreWorld, mixed

# ---------------------------------------------------------------- accounts

POOLS = (
    "block ids", "block masks", "second layer", "place tables", "history", "height maps", "biomes", "block entities",
    "small values", "further layers", "waiting changes",
)  # fmt: skip
LEGACY = b"\x00" + bytes([1]) * 4096 + bytes([0x21]) * 2048
CHEST = {"id": Byte(0), "x": Int(40), "y": Int(0), "z": Int(50)}


def accounts(world: StoreWorld) -> dict[str, PoolBytes]:
    return {pool.name: pool for pool in world.store.memory()}


def full() -> StoreWorld:
    """Something in each pool."""
    world = StoreWorld()
    payload = world.payload(mixed(w.STONE, w.DIRT), mixed(w.AIR, w.WATER))
    tail = write_tail(np.arange(256, dtype=np.uint16), 8)
    assert world.store.fill(ColumnPos(2, 3), payload * 3 + tail + write_entity(CHEST), 3, 1.0).faults == ()
    world.announce(0, 0)
    world.answer(((0, 1, 0), 1, LEGACY), ((0, 2, 0), 1, b"\x08\x03" + b"\x01\x02" * 3))
    world.store.mark(world.store.places_of(np.array([[0, 0, 0]], np.int32)), SubChunkState.WANTED, 2.0)
    world.store.update_block(BlockPos(3, 4, 5), 0, w.STONE)
    world.store.finish_drain()
    return world


def test_every_pool_is_counted_and_holds_something() -> None:
    found = accounts(full())
    assert tuple(found) == POOLS
    for pool in found.values():
        assert 0 < pool.used <= pool.committed <= pool.reserved, pool
        assert pool.committed <= pool.peak, pool


def test_what_goes_with_its_columns_is_counted_no_more_and_remembered_as_peak() -> None:
    world = full()
    before = accounts(world)
    for column in list(world.store.row_of):
        world.store.forget(column)
    for _ in range(2):
        world.store.finish_drain()
        world.pools.reclaim(world.pools.epoch)
    after = accounts(world)
    for name in ("biomes", "block entities", "small values", "further layers", "waiting changes"):
        assert after[name].used == 0, name
        assert after[name].peak == before[name].peak, name
    assert after["history"].committed == 0
    assert after["place tables"].used < before["place tables"].used
    assert after["height maps"].used < before["height maps"].used
    assert world.store.place_of(SubChunkPos(2, 0, 3)) < world.store.dimension.sections


# ---------------------------------------------------------------- kept edits

DATA, ALL_AIR, CHUNK_MISSING, OUT_OF_BOUNDS = 1, 6, 2, 5
HERE = (0, 0, 0)
STONES = np.full(4096, w.STONE, np.uint16)


def announced() -> StoreWorld:
    world = StoreWorld()
    world.announce()
    return world


def name(world: StoreWorld, y: int = 3) -> str:
    return world.store.block(BlockPos(1, y, 2)).name.removeprefix("minecraft:")


def full_kept_edits(world: StoreWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_count: int = 1) -> None:
        raise OutOfSlots("block", 1)

    monkeypatch.setattr(world.pools, "take_many", refuse)


def waiting(world: StoreWorld) -> int:
    return len(world.store.kept_edits)


def test_a_change_that_came_first_is_in_the_blocks_that_come_later() -> None:
    world = announced()
    assert not world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    assert not world.store.update_block(BlockPos(1, 3, 2), 1, w.WATER)
    assert waiting(world) == 2
    told = world.store.waiting_changes(SubChunkPos(*HERE))
    cell = BlockPos(1, 3, 2).in_subchunk
    states = world.store.table.states
    assert [(layer, at, states[dense].name) for layer, at, dense in told] == [
        (0, cell, "minecraft:torch"),
        (1, cell, "minecraft:water"),
    ]
    world.answer((HERE, DATA, world.payload(STONES)))
    view = world.store.block(BlockPos(1, 3, 2))
    assert (view.name, view.layer1_name) == ("minecraft:torch", "minecraft:water")
    assert name(world, 4) == "stone"
    assert waiting(world) == 0
    assert len(world.store.finish_drain()) == 1


def test_of_several_changes_of_a_cell_the_last_one_wins() -> None:
    world = announced()
    for block in (w.TORCH, w.GLASS, w.DIRT):
        world.store.update_block(BlockPos(1, 3, 2), 0, block)
    assert waiting(world) == 1
    world.answer((HERE, DATA, world.payload(STONES)))
    assert name(world) == "dirt"


def test_a_change_that_the_answer_includes_changes_nothing() -> None:
    world = announced()
    world.store.update_block(BlockPos(1, 3, 2), 0, w.STONE)
    world.answer((HERE, DATA, world.payload(STONES)))
    world.store.finish_drain()
    assert world.pools.stats().slots == world.pools.stats().uniform


def test_air_with_a_change_that_waited_is_data() -> None:
    world = announced()
    world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    world.answer((HERE, ALL_AIR, b""))
    assert world.state(HERE) == SubChunkState.DATA
    assert world.names(HERE) == {"air", "torch"}


def test_a_reset_place_shows_a_change_at_once_and_in_what_comes() -> None:
    world = announced()
    world.answer((HERE, DATA, world.payload(STONES)))
    world.announce()
    assert world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    assert (world.state(HERE), name(world)) == (SubChunkState.RESET, "torch")
    world.answer((HERE, DATA, world.payload(np.full(4096, w.DIRT, np.uint16))))
    assert (world.state(HERE), name(world), name(world, 4)) == (SubChunkState.DATA, "torch", "dirt")


def test_a_failure_that_is_repeated_keeps_them_waiting() -> None:
    world = announced()
    world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    world.answer((HERE, CHUNK_MISSING, b""))
    world.answer((HERE, DATA, world.payload(STONES)))
    assert name(world) == "torch"


@pytest.mark.parametrize("end", ["refused", "undecodable", "announced again", "forgotten", "another dimension"])
def test_changes_go_when_their_blocks_will_not_come(end: str) -> None:
    world = announced()
    world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    if end == "refused":
        world.answer((HERE, OUT_OF_BOUNDS, b""))
    elif end == "undecodable":
        world.answer((HERE, DATA, b"\x0c"))
    elif end == "announced again":
        world.announce()
    elif end == "forgotten":
        world.store.forget(ColumnPos(0, 0))
        world.store.finish_drain()
        world.announce()
    else:
        world.store.change_dimension(NETHER)
        world.announce()
    assert waiting(world) == 0
    world.answer((HERE, DATA, world.payload(STONES)))
    assert name(world) == "stone"


def test_a_whole_column_is_newer_than_what_waited() -> None:
    world = announced()
    world.store.update_block(BlockPos(1, -30, 2), 0, w.TORCH)
    world.store.fill(ColumnPos(0, 0), world.payload(STONES) + b"\x01\x04\x00", 1, world.tick())
    assert world.names((0, -2, 0)) == {"stone"}
    assert waiting(world) == 0


def test_an_evicted_place_keeps_changes_for_when_it_is_asked_again() -> None:
    world = announced()
    world.answer((HERE, DATA, world.payload(STONES)))
    world.store.mark(np.array([world.store.place_of(SubChunkPos(*HERE))], np.int32), SubChunkState.EVICTED, 5.0)
    assert not world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    world.answer((HERE, DATA, world.payload(STONES)))
    assert name(world) == "torch"


def test_no_server_makes_us_keep_more_than_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_state, "MOST_IN_PLACE", 3)
    monkeypatch.setattr(store_state, "MOST", 5)
    world = announced()
    for y in range(-8, 4):
        world.store.update_block(BlockPos(1, y, 2), 0, w.TORCH)
    assert waiting(world) == 5
    world.store.update_block(BlockPos(1, -8, 2), 0, w.DIRT)  # what waits may still be replaced
    assert waiting(world) == 5
    world.answer(((0, -1, 0), DATA, world.payload(STONES)))
    assert waiting(world) == 2
    assert (name(world, -8), name(world, -7), name(world, -5)) == ("dirt", "torch", "stone")


def test_changes_that_find_no_room_in_the_pools_are_lost() -> None:
    world = StoreWorld(capacity=3)
    world.announce()
    world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    world.store.update_block(BlockPos(1, 19, 2), 0, w.TORCH)
    blocks = SubChunkEncoder(np.arange(len(w.NAMES), dtype=np.int64)).encode(mixed(w.DIRT, w.GLASS)[None], None, 0)[0]
    report = world.answer((HERE, DATA, blocks), ((0, 1, 0), ALL_AIR, b""))
    assert len(report.accepted_places) == 2
    assert world.names((0, 1, 0)) == {"air"}
    assert waiting(world) == 0


def test_changes_that_find_no_room_are_not_kept_until_they_are_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = announced()
    world.answer((HERE, DATA, world.payload(STONES)))
    world.store.finish_drain()
    full_kept_edits(world, monkeypatch)
    at, layers = np.array([(1, 3, 2), (1, -3, 2)], np.int32), np.zeros(2, np.int64)  # shown, and waiting
    with pytest.raises(OutOfSlots):
        world.store.update_blocks(at, layers, np.full(2, w.TORCH, np.int64))
    assert waiting(world) == 0
    assert not world.store.update_block(BlockPos(1, -3, 2), 0, w.TORCH)
    assert waiting(world) == 1


def test_a_change_of_a_reset_place_that_cannot_be_shown_still_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    world = announced()
    world.answer((HERE, DATA, world.payload(STONES)))
    world.store.finish_drain()
    world.announce()
    full_kept_edits(world, monkeypatch)
    assert not world.store.update_block(BlockPos(1, 3, 2), 0, w.TORCH)
    monkeypatch.undo()
    world.answer((HERE, DATA, world.payload(STONES)))
    assert name(world) == "torch"
