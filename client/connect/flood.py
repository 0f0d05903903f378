"""Whether a source does not stop changing its world: then no moment of it is the one to look at.

Rules:
1. Blocks that change now and then (a clock, flowing water, players) are a world's life: a picture of it is one moment.
   More than ``MOST_CHANGES_S`` are a flood, which is waited for: an edit of thousands of blocks, a server that sends
   its columns over and over.
2. A block that changes counts one, a column that is announced again ``COLUMN_CHANGES``. First announcements count
   nothing: they are what is waited for anyway.
3. The rate is that of the last ``WINDOW_S``, or of the time since changes began where that is less: a small world is
   loaded before a flood has filled its window.

Time is passed in. Memory is one entry a turn in which something changed, ``WINDOW_S`` long.
"""

from collections import deque
from typing import Final

from net.bedrock import LevelChunk, Message, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks
from net.space.positions import ColumnPos

WINDOW_S: Final = 0.5
"""As long as no column must have come for a world to be complete (``SessionConfig.quiet_s``)."""
SHORTEST_S: Final = 0.1
"""What came at once counts as spread over two ticks."""
MOST_CHANGES_S: Final = 2000.0
"""100 a tick: no player, piston or river does that; not measured on real servers."""
COLUMN_CHANGES: Final = 64


class Flood:
    """Counts one connection's changes."""

    def __init__(self) -> None:
        """Nothing has changed."""
        self._turns: deque[tuple[float, int]] = deque()
        self._sum = 0

    def hear(self, message: Message, known: dict[ColumnPos, int], now: float) -> None:
        """Counts a message that is about to be applied.

        Args:
            message: any.
            known: columns that are announced.
            now: monotonic seconds, never less than before.
        """
        count = _changes(message, known)
        if not count:
            return
        self._sum += count
        if self._turns and self._turns[-1][0] == now:
            count += self._turns.pop()[1]
        self._turns.append((now, count))

    def words(self, now: float) -> str | None:
        """That there is one, in words; None where there is none."""
        count, seconds = self.changes(now)
        if count <= MOST_CHANGES_S * seconds:
            return None
        return f"the source does not stop: {count} changes in the last {seconds:.2g} s"

    def changes(self, now: float) -> tuple[int, float]:
        """How many changes came within how many seconds."""
        while self._turns and self._turns[0][0] <= now - WINDOW_S:
            self._sum -= self._turns.popleft()[1]
        since = self._turns[0][0] if self._turns else now
        return self._sum, min(max(now - since, SHORTEST_S), WINDOW_S)


def _changes(message: Message, known: dict[ColumnPos, int]) -> int:
    match message:
        case UpdateBlock() | UpdateBlockSynced():
            return 1
        case UpdateSubChunkBlocks(layer0=layer0, layer1=layer1):
            return len(layer0) + len(layer1)
        case LevelChunk(column=column):
            return COLUMN_CHANGES if column in known else 0
    return 0
