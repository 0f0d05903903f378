"""When the last column goes, so does what its sub-chunks lived through; the next ones begin afresh."""

from net.space.positions import ColumnPos, SubChunkPos
from tests.support import store_world as w
from tests.support.store_world import StoreWorld, mixed


def test_lives_end_with_the_last_column_and_begin_afresh() -> None:
    world = StoreWorld()
    for _ in range(2):
        world.announce()
        world.answer(((0, 0, 0), 1, world.payload(mixed(w.STONE, w.AIR))))
        world.store.finish_drain()
        place = world.store.place_of(SubChunkPos(0, 0, 0))
        history = world.store._holdings.tables.history
        assert len(history.of(place)) == 2
        world.store.forget(ColumnPos(0, 0))
        world.store.finish_drain()
        assert history.of(place) == ()
        assert not history.times_s.any()
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().slots == world.pools.stats().uniform
