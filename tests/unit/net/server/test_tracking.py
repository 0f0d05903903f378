"""Which columns a client has."""

from net.server.tracking import KEPT_COLUMNS, Tracking
from net.space.positions import BlockPos, ColumnPos

HERE = BlockPos(8, 70, 8)


def test_the_square_is_sent_once_nearest_first() -> None:
    tracking = Tracking(HERE, 3)
    taken = tracking.take(20) + tracking.take(100)
    assert len(taken) == len(set(taken)) == 49
    assert taken[0] == ColumnPos(0, 0)
    assert taken[-1].x ** 2 + taken[-1].z ** 2 == 18
    assert tracking.take(10) == []
    assert all(tracking.has(column) for column in taken)


def test_a_step_into_the_next_column_adds_one_row() -> None:
    tracking = Tracking(HERE, 2)
    tracking.take(100)
    assert not tracking.move(BlockPos(15, 70, 8))
    assert tracking.waiting == 0
    assert tracking.move(BlockPos(16, 70, 8))
    assert set(tracking.take(100)) == {ColumnPos(3, z) for z in range(-2, 3)}


def test_a_column_left_far_behind_is_sent_again() -> None:
    tracking = Tracking(HERE, 2)
    tracking.take(100)
    tracking.move(BlockPos(16 * KEPT_COLUMNS, 70, 8))
    assert tracking.has(ColumnPos(-2, 0))
    tracking.move(BlockPos(16 * (KEPT_COLUMNS + 1), 70, 8))
    assert not tracking.has(ColumnPos(-2, 0))
    tracking.move(HERE)
    assert ColumnPos(-2, 0) in tracking.take(100)


def test_the_publisher_circle_holds_the_square_from_wherever_in_its_column() -> None:
    for radius in (1, 2, 9, 32):
        tracking = Tracking(BlockPos(0, 0, 0), radius)
        corner = 16 * (radius + 1)
        assert 2 * corner**2 <= tracking.publisher_radius_blocks**2


def test_a_client_drops_no_column_that_we_believe_it_has() -> None:
    """It drops what lies two columns outside the publisher's circle, from wherever in its column it stands."""
    for radius in (1, 5, 16):
        tracking = Tracking(BlockPos(0, 0, 0), radius)
        farthest = (radius + KEPT_COLUMNS) * 2**0.5
        assert farthest <= tracking.publisher_radius_blocks / 16 + 2


def test_another_radius_asks_for_what_is_missing() -> None:
    tracking = Tracking(HERE, 1)
    tracking.take(100)
    tracking.resize(2)
    assert tracking.waiting == 16
    tracking.resize(1)
    assert tracking.waiting == 0
