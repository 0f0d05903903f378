"""Which columns a client has."""

from net.server.sent_chunks import KEPT_COLUMNS, SentChunks
from net.space.positions import BlockPos, ColumnPos

HERE = BlockPos(8, 70, 8)


def test_the_square_is_sent_once_nearest_first() -> None:
    tracking = SentChunks(HERE, 3)
    taken = tracking.take(20) + tracking.take(100)
    assert len(taken) == len(set(taken)) == 49
    assert taken[0] == ColumnPos(0, 0)
    assert taken[-1].x ** 2 + taken[-1].z ** 2 == 18
    assert tracking.take(10) == []
    assert all(tracking.has(column) for column in taken)


def test_a_step_into_the_next_column_adds_one_row() -> None:
    tracking = SentChunks(HERE, 2)
    tracking.take(100)
    assert not tracking.move(BlockPos(15, 70, 8))
    assert tracking.waiting == 0
    assert tracking.move(BlockPos(16, 70, 8))
    assert set(tracking.take(100)) == {ColumnPos(3, z) for z in range(-2, 3)}


def test_a_column_left_far_behind_is_sent_again() -> None:
    tracking = SentChunks(HERE, 2)
    tracking.take(100)
    tracking.move(BlockPos(16 * KEPT_COLUMNS, 70, 8))
    assert tracking.has(ColumnPos(-2, 0))
    tracking.move(BlockPos(16 * (KEPT_COLUMNS + 1), 70, 8))
    assert not tracking.has(ColumnPos(-2, 0))
    tracking.move(HERE)
    assert ColumnPos(-2, 0) in tracking.take(100)


def test_the_publisher_circle_holds_the_square_from_wherever_in_its_column() -> None:
    for radius in (1, 2, 9, 32):
        tracking = SentChunks(BlockPos(0, 0, 0), radius)
        corner = 16 * (radius + 1)
        assert 2 * corner**2 <= tracking.publisher_radius_blocks**2


def test_a_client_drops_no_column_that_we_believe_it_has() -> None:
    """It drops what lies two columns outside the publisher's circle, from wherever in its column it stands."""
    for radius in (1, 5, 16):
        tracking = SentChunks(BlockPos(0, 0, 0), radius)
        farthest = (radius + KEPT_COLUMNS) * 2**0.5
        assert farthest <= tracking.publisher_radius_blocks / 16 + 2


def test_another_radius_asks_for_what_is_missing() -> None:
    tracking = SentChunks(HERE, 1)
    tracking.take(100)
    tracking.resize(2)
    assert tracking.waiting == 16
    tracking.resize(1)
    assert tracking.waiting == 0


# ---------------------------------------------------------------- versions

SPAWN = ColumnPos(0, 0)


def told(sent_from: int) -> SentChunks:
    """One column of four sections, versions 0, 1, 2 and 0."""
    tracking = SentChunks(HERE, 1)
    tracking.take(9)
    tracking.announce(SPAWN, [0, 1, 2, 0], sent_from)
    return tracking


def held(tracking: SentChunks, column: ColumnPos = SPAWN) -> list[int | None]:
    return [tracking.version_of(column, index) for index in range(4)]


def test_a_whole_column_is_had_and_of_a_skeleton_what_lies_above_its_limit() -> None:
    assert held(told(0)) == [0, 1, 2, 0]
    assert held(told(3)) == [None, None, None, 0]
    assert held(told(4)) == [None] * 4


def test_a_section_is_had_in_the_version_that_was_sent_last() -> None:
    tracking = told(4)
    assert tracking.send(SPAWN, 1, 1)
    assert tracking.send(SPAWN, 1, 5)
    assert held(tracking) == [None, 5, None, None]


def test_nothing_is_had_of_a_column_that_was_not_sent_or_outside_its_range() -> None:
    tracking = told(0)
    assert not tracking.send(ColumnPos(9, 9), 0, 1)
    assert not tracking.send(SPAWN, 4, 1)
    assert not tracking.send(SPAWN, -1, 1)
    assert tracking.version_of(ColumnPos(9, 9), 0) is None
    assert held(tracking) == [0, 1, 2, 0]


def test_a_column_that_is_announced_again_takes_what_was_sent_of_it() -> None:
    tracking = told(4)
    tracking.send(SPAWN, 1, 1)
    tracking.announce(SPAWN, [0, 1, 2, 0], 3)
    assert held(tracking) == [None, None, None, 0]


def test_a_column_that_left_the_area_is_had_no_more_and_costs_nothing() -> None:
    tracking = told(0)
    for step in range(1, 400):
        tracking.move(BlockPos(16 * step, 70, 8))
        for column in tracking.take(9):
            tracking.announce(column, [0] * 24, 0)
        assert len(tracking.sent) <= (2 * (tracking.radius + KEPT_COLUMNS) + 1) ** 2
    assert tracking.version_of(SPAWN, 0) is None
