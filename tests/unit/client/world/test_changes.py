"""The change log: each reader sees everything once, or is told to look at all."""

import numpy as np

from client.world.changes import ChangeBatch, ChangeLog


def batch(*places: int, edits: int = 0) -> ChangeBatch:
    count = len(places)
    return ChangeBatch(
        False,
        np.array(places, np.int32),
        np.zeros((count, 3), np.int32),
        np.ones(count, np.uint8),
        np.arange(count, dtype=np.int64),
        np.zeros((count, 6), np.uint8),
        np.array([0] + [edits] * count, np.int32),
        np.arange(edits, dtype=np.uint16),
    )


def test_readers_read_at_their_own_pace() -> None:
    log = ChangeLog()
    first = log.subscribe()
    log.publish(batch(1, 2))
    second = log.subscribe()
    log.publish(batch(3))
    assert second.drain().places.tolist() == [3]
    assert first.drain().places.tolist() == [1, 2, 3]
    assert len(first.drain()) == 0
    assert not first.drain().everything


def test_joined_batches_keep_their_edits_apart() -> None:
    log = ChangeLog()
    reader = log.subscribe()
    log.publish(batch(1, edits=3))
    log.publish(batch(2, edits=2))
    joined = reader.drain()
    assert joined.edit_starts.tolist() == [0, 3, 5]
    assert joined.edits[joined.edit_starts[1] : joined.edit_starts[2]].tolist() == [0, 1]


def test_a_reader_that_falls_behind_is_told_everything_and_goes_on_from_there() -> None:
    log = ChangeLog(limit=4)
    slow, quick = log.subscribe(), log.subscribe()
    for place in range(3):
        log.publish(batch(place, place))
        assert not quick.drain().everything
    assert slow.drain().everything
    assert log.overflows > 0
    log.publish(batch(9))
    assert slow.drain().places.tolist() == [9]


def test_another_world_is_told_to_every_reader() -> None:
    log = ChangeLog()
    reader = log.subscribe()
    log.publish(batch(1))
    log.publish(ChangeBatch.nothing(everything=True))
    log.publish(batch(2))
    assert reader.drain().everything
    assert len(reader.drain()) == 0


def test_nothing_is_kept_for_nobody() -> None:
    log = ChangeLog()
    log.publish(batch(1))
    reader = log.subscribe()
    assert len(reader.drain()) == 0
    log.publish(batch(2))
    reader.close()
    reader.close()
    log.publish(batch(3))
    assert len(log.subscribe().drain()) == 0
