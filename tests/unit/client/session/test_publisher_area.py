"""Columns that anchors keep outside the publisher's circle are told to be stale, until they are announced again.

Unsent: Which columns a server left out: holes amid what it announced, within what it granted and its circle holds.
"""

import numpy as np
import pytest

from client.session.publisher_area import enclosed
from client.session.session import Session
from client.streaming.anchors import Anchor
from client.world.lifecycle import SubChunkState
from net.bedrock import ChangeDimension, ChunkRadiusUpdated, NetworkChunkPublisherUpdate
from net.space.positions import BlockPos, ColumnPos
from tests.support.session.driven import Driven, skeleton

# ---------------------------------------------------------------- staleness

FAR = ColumnPos(12, 0)
WIDE, NARROW = 256, 64


def circle(radius_blocks: int) -> NetworkChunkPublisherUpdate:
    return NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), radius_blocks)


def stale(driven: Driven, column: ColumnPos = FAR) -> bool:
    return bool(driven.session.dimension.terrain.staleness.rows[driven.session.dimension.store.row_of[column]])


@pytest.fixture
def driven() -> Driven:
    """Knows a near column and a far one, which is pinned."""
    driven = Driven(radius=2)
    driven.join()
    driven.session.pin("look-out", Anchor.square(FAR, 0))
    driven.hear(circle(WIDE), skeleton(), skeleton(FAR))
    return driven


def test_nothing_is_stale_inside_the_circle_nor_without_one(driven: Driven) -> None:
    assert not driven.session.dimension.terrain.staleness.rows.any()
    alone = Driven(radius=2)
    alone.join()
    alone.hear(skeleton(FAR))
    assert not alone.session.dimension.terrain.staleness.rows.any()


def test_a_pinned_column_outside_is_kept_shown_and_stale(driven: Driven) -> None:
    known = driven.state(FAR.x, 10, FAR.z)
    driven.hear(circle(NARROW))
    assert stale(driven)
    assert not stale(driven, ColumnPos(0, 0))
    assert driven.state(FAR.x, 10, FAR.z) is known is SubChunkState.KNOWN_AIR
    assert driven.session.stats(0.0).terrain.stale_columns == 1


def test_it_is_fresh_when_it_is_inside_and_announced_again(driven: Driven) -> None:
    driven.hear(circle(NARROW))
    driven.hear(skeleton(FAR))
    assert stale(driven)  # announced, but still outside: no changes of it will come
    driven.hear(circle(WIDE))
    assert stale(driven)  # inside, but what changed meanwhile is told by nobody
    driven.hear(skeleton(FAR))
    assert not stale(driven)


def test_a_column_that_comes_outside_is_stale_at_once(driven: Driven) -> None:
    driven.hear(circle(NARROW), skeleton(ColumnPos(FAR.x, 1)))
    assert stale(driven, ColumnPos(FAR.x, 1))


def test_a_released_column_is_dropped_and_its_row_is_fresh_for_the_next(driven: Driven) -> None:
    driven.hear(circle(NARROW))
    row = driven.session.dimension.store.row_of[FAR]
    driven.session.unpin("look-out")
    driven.tick()
    driven.hear(circle(NARROW))
    assert FAR not in driven.session.dimension.store.row_of
    assert not driven.session.dimension.terrain.staleness.rows[row]
    assert driven.session.stats(0.0).terrain.stale_columns == 0


def test_another_dimension_has_nothing_stale(driven: Driven) -> None:
    driven.hear(circle(NARROW))
    driven.hear(ChangeDimension(1, (8.0, 70.0, 8.0), False))
    assert not driven.session.dimension.terrain.staleness.rows.any()
    assert driven.session.dimension.terrain.staleness.publisher is None


# ---------------------------------------------------------------- unsent

SQUARE = {(x, z) for x in range(-3, 4) for z in range(-3, 4)}


def sent(*but: tuple[int, int]) -> Driven:
    """A session of radius 2, to which three columns around the player come, without some."""
    driven = Driven()
    driven.join()
    driven.hear(*(skeleton(ColumnPos(*at)) for at in sorted(SQUARE - set(but))))
    return driven


def left_out(session: Session) -> set[tuple[int, int]]:
    return {(x, z) for x, z in session.unsent.tolist()}


def test_a_column_amid_others_is_left_out_until_it_comes() -> None:
    driven = sent((1, 1), (1, 2))
    assert left_out(driven.session) == {(1, 1), (1, 2)}
    driven.hear(skeleton(ColumnPos(1, 2)))
    assert left_out(driven.session) == {(1, 1)}


def test_nothing_is_left_out_while_all_is_on_its_way_or_where_a_world_ends() -> None:
    driven = Driven()
    driven.join()
    assert left_out(driven.session) == set()
    assert left_out(sent((3, 0), (2, 0)).session) == set(), "the rim, and what hangs together with it"


def test_what_was_not_granted_or_lies_outside_of_the_circle_is_not_owed() -> None:
    driven = sent((1, 1))
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(0, 64, 0), 16))
    assert left_out(driven.session) == set()
    driven = sent((1, 1))
    driven.hear(ChunkRadiusUpdated(1))
    assert left_out(driven.session) == set()


def test_no_way_leads_into_a_hole_over_a_corner() -> None:
    plan = ["kkkkk", "kohkk", "khokk", "kkkko", "kkkkk"]
    owed = np.array([[one in "oh" for one in line] for line in plan])
    assert np.argwhere(enclosed(owed, ~owed)).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
