"""What a fault script lets happen to one client while it plays: columns announced again, bursts of edits, a kick.

Rules:
1. Moments count from when the client began to play and are looked at once a tick (50 ms).
2. What was missed because nobody ticked is not made up for.
3. The same seed and the same client number choose the same places, as long as the client has the same columns.
"""

from collections.abc import Collection, Sequence
from typing import Final

from net.frozen import frozen
from net.server.faults import Every, Faults
from net.space.positions import BlockPos, ColumnPos
from net.transport.dice import dice

EDIT_FLOOR_Y: Final = 40
EDIT_ROOF_Y: Final = 90
"""Bursts change blocks between these, where there is something to see."""


@frozen
class Happening:
    """What is due at one tick.

    Attributes:
        replaced: columns to be announced again.
        edits: blocks to be changed.
        cross: whether the client is taken into the next dimension.
        kick: why the client has to go.
    """

    replaced: Sequence[ColumnPos] = ()
    edits: Sequence[BlockPos] = ()
    cross: bool = False
    kick: str | None = None


class Troubles:
    """The clock of one client's troubles. ``client`` is its number on this server."""

    def __init__(self, faults: Faults, client: int) -> None:
        self._faults = faults
        self._dice = dice(f"{faults.seed} troubles {client}")
        self._began_at: float | None = None
        self._replace_at = self._edit_at = self._cross_at = 0.0

    def due(self, columns: Collection[ColumnPos], now: float) -> Happening:
        """What happens at this tick to a client that plays.

        Args:
            columns: that it has been sent.
            now: monotonic seconds.
        """
        faults = self._faults
        if self._began_at is None:
            self._began_at = now
            self._replace_at = now + (faults.replacement.every_s if faults.replacement else 0.0)
            self._edit_at = now + (faults.updates.every_s if faults.updates else 0.0)
            self._cross_at = now + (faults.crossing_s or 0.0)
        if faults.kick is not None and now - self._began_at >= faults.kick.after_s:
            return Happening(kick=faults.kick.reason)
        replaced: list[ColumnPos] = []
        edits: list[BlockPos] = []
        ordered = sorted(column for column in columns if not faults.withholds(column))
        if faults.replacement is not None and now >= self._replace_at and ordered:
            self._replace_at = _next(faults.replacement, self._replace_at, now)
            replaced = self._dice.sample(ordered, min(faults.replacement.count, len(ordered)))
        if faults.updates is not None and now >= self._edit_at and ordered:
            self._edit_at = _next(faults.updates, self._edit_at, now)
            edits = [self._place(self._dice.choice(ordered)) for _ in range(faults.updates.count)]
        cross = faults.crossing_s is not None and now >= self._cross_at
        if faults.crossing_s is not None and cross:
            self._cross_at = max(self._cross_at + faults.crossing_s, now)
        return Happening(replaced, edits, cross)

    def _place(self, column: ColumnPos) -> BlockPos:
        x, z = self._dice.randrange(16), self._dice.randrange(16)
        y = self._dice.randrange(EDIT_FLOOR_Y, EDIT_ROOF_Y)
        return BlockPos(column.x * 16 + x, y, column.z * 16 + z)


def _next(every: Every, due: float, now: float) -> float:
    return max(due + every.every_s, now)
