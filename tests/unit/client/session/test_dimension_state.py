"""Blocks that no anchor holds are given back while their columns stay, and come again with the anchor."""

import numpy as np

from client.player import Eye, View
from client.streaming.anchors import Anchor
from client.world.history import NO_PACKET
from client.world.lifecycle import StateEvent, SubChunkState
from net.bedrock import (
    ChunkRadiusUpdated,
    LevelChunk,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    SubChunk,
    SubChunkEntry,
)
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder
from tests.support.session.driven import TAIL, Driven, asked, skeleton
from tests.support.session.virtual import SWIFT

FAR = ColumnPos(6, 0)
DATA, ALL_AIR = 1, 6


def blocks() -> bytes:
    ids = np.random.default_rng(1).integers(1, 6, (1, 4096)).astype(np.uint16)
    return SubChunkEncoder(np.arange(6, dtype=np.int64)).encode(ids, None, 0)[0]


def answers(column: ColumnPos) -> SubChunk:
    """Blocks in the lowest sub-chunk, air in the next."""
    entries = (SubChunkEntry(0, 0, 0, DATA, blocks()), SubChunkEntry(0, 1, 0, ALL_AIR))
    return SubChunk(False, 0, SubChunkPos(column.x, -4, column.z), entries)


def around(radius: int) -> Driven:
    """A player at the origin who knows the column FAR, whose radius is just wide enough."""
    driven = Driven(radius=radius - 1, player=SWIFT)
    driven.join()
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 256), skeleton(limit=1), skeleton(FAR, limit=1))
    driven.hear(answers(FAR))
    assert [driven.state(FAR.x, y, FAR.z) for y in (-4, -3)] == [SubChunkState.DATA, SubChunkState.ALL_AIR]
    return driven


def slots(driven: Driven) -> int:
    pools = driven.session.dimension.store.pools
    pools.reclaim(pools.epoch)
    return pools.stats().slots


def test_a_player_that_leaves_lets_blocks_go_and_keeps_the_column() -> None:
    driven = around(6)
    before = slots(driven)
    driven.session.set_view(View(Eye(8.0 - 16 * 2, 70.0, 8.0)))
    for _ in range(5):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA  # eight columns away: within the margin
    driven.session.set_view(View(Eye(8.0 - 16 * 3, 70.0, 8.0)))
    for _ in range(5):
        driven.tick()
    assert [driven.state(FAR.x, y, FAR.z) for y in (-4, -3, 0)] == [
        SubChunkState.EVICTED,
        SubChunkState.ALL_AIR,
        SubChunkState.KNOWN_AIR,
    ]
    assert slots(driven) == before - 1
    assert driven.session.dimension.release.evicted == 1
    store = driven.session.dimension.store
    last = store.history.of(store.place_of(SubChunkPos(FAR.x, -4, FAR.z)))[-1]
    assert (last.cause, last.packet) == (StateEvent.RELEASED, NO_PACKET)


def test_what_was_evicted_is_asked_again_when_the_anchor_comes_back() -> None:
    driven = around(6)
    driven.session.set_view(View(Eye(8.0 - 16 * 3, 70.0, 8.0)))
    for _ in range(5):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED
    driven.session.pin("box", Anchor.square(FAR, 0))
    assert asked(driven.tick()) == set()  # it lies beyond the radius
    driven.session.set_view(View(Eye(8.0, 70.0, 8.0)))
    assert asked([message for _ in range(5) for message in driven.tick()]) == {(FAR.x, -4, FAR.z)}
    driven.hear(answers(FAR))
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA


def test_a_smaller_grant_lets_blocks_go() -> None:
    driven = around(6)
    driven.hear(ChunkRadiusUpdated(3))
    for _ in range(3):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED
    assert FAR in driven.session.dimension.store.row_of


def test_a_pinned_anchor_keeps_its_blocks_until_it_is_taken_away() -> None:
    driven = around(6)
    driven.session.pin("box", Anchor.square(FAR, 0))
    driven.hear(ChunkRadiusUpdated(3))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.session.unpin("box")
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_column_that_came_whole_keeps_its_blocks_since_nobody_may_answer_for_them() -> None:
    driven = around(6)
    driven.hear(LevelChunk(FAR, 0, 1, None, None, blocks() + TAIL))
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.hear(ChunkRadiusUpdated(3))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.hear(skeleton(FAR, limit=1))  # announced again, as a skeleton
    driven.session.pin("nothing", Anchor.square(ColumnPos(50, 50), 0))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_player_that_is_put_elsewhere_lets_blocks_go() -> None:
    driven = around(6)
    driven.hear(MovePlayer(1, (8.0 + 16 * 40, 70.0, 8.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
    for _ in range(3):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_column_goes_when_it_lies_two_columns_outside_the_circle() -> None:
    driven = Driven(radius=1)
    driven.join()
    driven.tick()
    columns = [ColumnPos(x, 0) for x in range(5, 9)]
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 256), *map(skeleton, columns))
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert set(driven.session.dimension.store.row_of) == {ColumnPos(5, 0), ColumnPos(6, 0)}
    assert driven.session.stats(driven.now).terrain.dropped_columns == 2
