"""Blocks that no anchor holds are given back while their columns stay, and come again with the anchor.

Publisher area: Columns that anchors keep outside the publisher's circle are told to be stale, until they are announced
again.

Unsent: Which columns a server left out: holes amid what it announced, within what it granted and its circle holds.
"""

import numpy as np
import pytest

from client.player import Eye, View
from client.session.publisher_area import enclosed
from client.session.session import Session
from client.streaming.anchors import Anchor
from client.world.history import NO_PACKET
from client.world.lifecycle import StateEvent, SubChunkState
from net.bedrock import (
    ChangeDimension,
    ChunkRadiusUpdated,
    LevelChunk,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    SubChunk,
    SubChunkEntry,
)
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder
from tests.support.session.driven import TAIL, Driven, asked, skeleton
from tests.support.session.virtual import SWIFT

# ---------------------------------------------------------------- dimension state

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
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 256), skeleton(limit=1), skeleton(FAR, limit=1))
    driven.receive(answers(FAR))
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
    driven.receive(answers(FAR))
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA


def test_a_smaller_grant_lets_blocks_go() -> None:
    driven = around(6)
    driven.receive(ChunkRadiusUpdated(3))
    for _ in range(3):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED
    assert FAR in driven.session.dimension.store.row_of


def test_a_pinned_anchor_keeps_its_blocks_until_it_is_taken_away() -> None:
    driven = around(6)
    driven.session.pin("box", Anchor.square(FAR, 0))
    driven.receive(ChunkRadiusUpdated(3))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.session.unpin("box")
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_column_that_came_whole_keeps_its_blocks_since_nobody_may_answer_for_them() -> None:
    driven = around(6)
    driven.receive(LevelChunk(FAR, 0, 1, None, None, blocks() + TAIL))
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.receive(ChunkRadiusUpdated(3))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.DATA
    driven.receive(skeleton(FAR, limit=1))  # announced again, as a skeleton
    driven.session.pin("nothing", Anchor.square(ColumnPos(50, 50), 0))
    driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_player_that_is_put_elsewhere_lets_blocks_go() -> None:
    driven = around(6)
    driven.receive(MovePlayer(1, (8.0 + 16 * 40, 70.0, 8.0), 0.0, 0.0, 0.0, MoveMode.TELEPORT))
    for _ in range(3):
        driven.tick()
    assert driven.state(FAR.x, -4, FAR.z) is SubChunkState.EVICTED


def test_a_column_goes_when_it_lies_two_columns_outside_the_circle() -> None:
    driven = Driven(radius=1)
    driven.join()
    driven.tick()
    columns = [ColumnPos(x, 0) for x in range(5, 9)]
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 256), *map(skeleton, columns))
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert set(driven.session.dimension.store.row_of) == {ColumnPos(5, 0), ColumnPos(6, 0)}
    assert driven.session.stats(driven.now).terrain.dropped_columns == 2


# ---------------------------------------------------------------- publisher area

# ---------------------------------------------------------------- staleness

PUBLISHER_AREA_FAR = ColumnPos(12, 0)
WIDE, NARROW = 256, 64


def circle(radius_blocks: int) -> NetworkChunkPublisherUpdate:
    return NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), radius_blocks)


def stale(driven: Driven, column: ColumnPos = PUBLISHER_AREA_FAR) -> bool:
    return bool(driven.session.dimension.terrain.staleness.rows[driven.session.dimension.store.row_of[column]])


@pytest.fixture
def driven() -> Driven:
    """Knows a near column and a far one, which is pinned."""
    driven = Driven(radius=2)
    driven.join()
    driven.session.pin("look-out", Anchor.square(PUBLISHER_AREA_FAR, 0))
    driven.receive(circle(WIDE), skeleton(), skeleton(PUBLISHER_AREA_FAR))
    return driven


def test_nothing_is_stale_inside_the_circle_nor_without_one(driven: Driven) -> None:
    assert not driven.session.dimension.terrain.staleness.rows.any()
    alone = Driven(radius=2)
    alone.join()
    alone.receive(skeleton(PUBLISHER_AREA_FAR))
    assert not alone.session.dimension.terrain.staleness.rows.any()


def test_a_pinned_column_outside_is_kept_shown_and_stale(driven: Driven) -> None:
    known = driven.state(PUBLISHER_AREA_FAR.x, 10, PUBLISHER_AREA_FAR.z)
    driven.receive(circle(NARROW))
    assert stale(driven)
    assert not stale(driven, ColumnPos(0, 0))
    assert driven.state(PUBLISHER_AREA_FAR.x, 10, PUBLISHER_AREA_FAR.z) is known is SubChunkState.KNOWN_AIR
    assert driven.session.stats(0.0).terrain.stale_columns == 1


def test_it_is_fresh_when_it_is_inside_and_announced_again(driven: Driven) -> None:
    driven.receive(circle(NARROW))
    driven.receive(skeleton(PUBLISHER_AREA_FAR))
    assert stale(driven)  # announced, but still outside: no changes of it will come
    driven.receive(circle(WIDE))
    assert stale(driven)  # inside, but what changed meanwhile is told by nobody
    driven.receive(skeleton(PUBLISHER_AREA_FAR))
    assert not stale(driven)


def test_a_column_that_comes_outside_is_stale_at_once(driven: Driven) -> None:
    driven.receive(circle(NARROW), skeleton(ColumnPos(PUBLISHER_AREA_FAR.x, 1)))
    assert stale(driven, ColumnPos(PUBLISHER_AREA_FAR.x, 1))


def test_a_released_column_is_dropped_and_its_row_is_fresh_for_the_next(driven: Driven) -> None:
    driven.receive(circle(NARROW))
    row = driven.session.dimension.store.row_of[PUBLISHER_AREA_FAR]
    driven.session.unpin("look-out")
    driven.tick()
    driven.receive(circle(NARROW))
    assert PUBLISHER_AREA_FAR not in driven.session.dimension.store.row_of
    assert not driven.session.dimension.terrain.staleness.rows[row]
    assert driven.session.stats(0.0).terrain.stale_columns == 0


def test_another_dimension_has_nothing_stale(driven: Driven) -> None:
    driven.receive(circle(NARROW))
    driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False))
    assert not driven.session.dimension.terrain.staleness.rows.any()
    assert driven.session.dimension.terrain.staleness.publisher is None


# ---------------------------------------------------------------- unsent

SQUARE = {(x, z) for x in range(-3, 4) for z in range(-3, 4)}


def sent(*but: tuple[int, int]) -> Driven:
    """A session of radius 2, to which three columns around the player come, without some."""
    driven = Driven()
    driven.join()
    driven.receive(*(skeleton(ColumnPos(*at)) for at in sorted(SQUARE - set(but))))
    return driven


def left_out(session: Session) -> set[tuple[int, int]]:
    return {(x, z) for x, z in session.unsent.tolist()}


def test_a_column_amid_others_is_left_out_until_it_comes() -> None:
    driven = sent((1, 1), (1, 2))
    assert left_out(driven.session) == {(1, 1), (1, 2)}
    driven.receive(skeleton(ColumnPos(1, 2)))
    assert left_out(driven.session) == {(1, 1)}


def test_nothing_is_left_out_while_all_is_on_its_way_or_where_a_world_ends() -> None:
    driven = Driven()
    driven.join()
    assert left_out(driven.session) == set()
    assert left_out(sent((3, 0), (2, 0)).session) == set(), "the rim, and what hangs together with it"


def test_what_was_not_granted_or_lies_outside_of_the_circle_is_not_owed() -> None:
    driven = sent((1, 1))
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(0, 64, 0), 16))
    assert left_out(driven.session) == set()
    driven = sent((1, 1))
    driven.receive(ChunkRadiusUpdated(1))
    assert left_out(driven.session) == set()


def test_no_way_leads_into_a_hole_over_a_corner() -> None:
    plan = ["kkkkk", "kohkk", "khokk", "kkkko", "kkkkk"]
    owed = np.array([[one in "oh" for one in line] for line in plan])
    assert np.argwhere(enclosed(owed, ~owed)).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
