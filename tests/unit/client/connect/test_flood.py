"""Floods: what counts as one, and that it ends."""

from client.connect.flood import COLUMN_CHANGES, WINDOW_S, Flood
from net.bedrock import LevelChunk, SetTime, UpdateBlock, UpdateSubChunkBlocks
from net.bedrock.update_subchunk_blocks import BlockChange
from net.space.positions import BlockPos, ColumnPos

KNOWN = {ColumnPos(0, 0): 1}
UPDATE = UpdateBlock(BlockPos(0, 0, 0), 1, 0, 0)


def column(x: int) -> LevelChunk:
    return LevelChunk(ColumnPos(x, 0), 0, None, 3, None, b"")


def test_changes_count_by_block_and_repeated_columns_by_column() -> None:
    flood = Flood()
    flood.hear(UPDATE, KNOWN, 1.0)
    change = BlockChange(BlockPos(0, 0, 0), 1, 0, 0, 0)
    flood.hear(UpdateSubChunkBlocks(BlockPos(0, 0, 0), (change,) * 5, (change,)), KNOWN, 1.0)
    flood.hear(SetTime(3), KNOWN, 1.0)
    flood.hear(column(1), KNOWN, 1.0)
    assert flood.changes(1.0) == 7
    flood.hear(column(0), KNOWN, 1.1)
    assert flood.changes(1.1) == 7 + COLUMN_CHANGES


def test_what_is_older_than_the_window_counts_no_more() -> None:
    flood = Flood()
    for turn in range(100):
        flood.hear(UPDATE, KNOWN, turn * 0.1)
    assert flood.changes(9.9) == 5
    assert flood.changes(9.9 + WINDOW_S) == 0
    assert flood.changes(99.0) == 0
