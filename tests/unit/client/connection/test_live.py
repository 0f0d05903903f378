"""Floods: what counts as one, and that it ends."""

import pytest

from client.connection.live import COLUMN_CHANGES, MOST_CHANGES_S, SHORTEST_S, WINDOW_S, RestlessSource
from net.bedrock import LevelChunk, SetTime, UpdateBlock, UpdateSubChunkBlocks
from net.bedrock.packets.blocks import BlockChange
from net.space.positions import BlockPos, ColumnPos

KNOWN = {ColumnPos(0, 0): 1}
UPDATE = UpdateBlock(BlockPos(0, 0, 0), 1, 0, 0)


def column(x: int) -> LevelChunk:
    return LevelChunk(ColumnPos(x, 0), 0, None, 3, None, b"")


def test_changes_count_by_block_and_repeated_columns_by_column() -> None:
    flood = RestlessSource()
    flood.hear(UPDATE, KNOWN, 1.0)
    change = BlockChange(BlockPos(0, 0, 0), 1, 0, 0, 0)
    flood.hear(UpdateSubChunkBlocks(BlockPos(0, 0, 0), (change,) * 5, (change,)), KNOWN, 1.0)
    flood.hear(SetTime(3), KNOWN, 1.0)
    flood.hear(column(1), KNOWN, 1.0)
    assert flood.changes(1.0) == (7, SHORTEST_S)
    flood.hear(column(0), KNOWN, 1.1)
    assert flood.changes(1.2)[0] == 7 + COLUMN_CHANGES


def test_what_is_older_than_the_window_counts_no_more() -> None:
    flood = RestlessSource()
    for turn in range(100):
        flood.hear(UPDATE, KNOWN, turn * 0.1)
    assert flood.changes(9.9) == (5, pytest.approx(0.4))
    assert flood.changes(9.9 + WINDOW_S)[0] == 0
    assert flood.words(99.0) is None


def test_a_flood_is_told_before_its_window_is_full_and_no_longer_than_that() -> None:
    flood = RestlessSource()
    for _ in range(int(MOST_CHANGES_S * SHORTEST_S) + 1):
        flood.hear(UPDATE, KNOWN, 1.0)
    assert flood.words(1.05) == "the source does not stop: 201 changes in the last 0.1 s"
    assert flood.words(1.0 + SHORTEST_S + 0.01) is None, "an edit, and over"
    for _ in range(5 * int(MOST_CHANGES_S * WINDOW_S)):
        flood.hear(UPDATE, KNOWN, 1.2)
    assert flood.words(1.2 + WINDOW_S - 0.01) is not None
    assert flood.words(1.2 + WINDOW_S) is None
