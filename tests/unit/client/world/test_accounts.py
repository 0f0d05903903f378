"""What a store costs: every pool is counted, grows with what it keeps, and lets go of it again."""

import numpy as np

from client.world.lifecycle import Knowledge
from client.world.slots import PoolBytes
from net.nbt import Byte, Int
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import write_tail
from net.subchunk.block_entities import write_entity
from tests.support import store_world as w
from tests.support.store_world import StoreWorld, mixed

POOLS = (
    "block ids", "block masks", "second layer", "place tables", "history", "height maps", "biomes", "block entities",
    "small values", "waiting changes",
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
    world.answer(((0, 1, 0), 1, LEGACY))
    world.store.mark(world.store.places_of(np.array([[0, 0, 0]], np.int32)), Knowledge.WANTED, 2.0)
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
    for name in ("biomes", "block entities", "small values", "waiting changes"):
        assert after[name].used == 0, name
        assert after[name].peak == before[name].peak, name
    assert after["history"].committed == 0
    assert after["place tables"].used < before["place tables"].used
    assert after["height maps"].used < before["height maps"].used
    assert world.store.place_of(SubChunkPos(2, 0, 3)) < world.store.dimension.sections
