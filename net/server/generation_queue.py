"""What is to be made next: the wishes of all players merged, each column made once for whoever wants it (seed 003).

Rules:
1. The best wish for a column counts, the least number (the seed's third way). Whose quota is used up wishes for nothing
   meanwhile; so nobody waits for the quota of somebody else. Who had the best wish pays for the column.
2. A player's wishes are replaced, not added to: what nobody wants any more is dropped before it was begun.
3. A world whose columns take long is asked a step a call; what was begun goes first, and is dropped when nobody wants
   it any more.
4. What is made goes into the provider's cache, for everybody. With a column those of its group that are wanted, too,
   are made: a generator works in groups, and a storage reads what lies together.
5. The cache may be dropped at any moment: what is still owed is wished for again.

Limits: so many wishes a player (``MOST_WISHES``), the best ones. One column is under way at a time.
"""

import heapq
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from net.server.column_provider import ColumnProvider
from net.server.options import Bucket
from net.space import ColumnPos

MOST_WISHES: Final = 64
_DONE: Final = object()
GROUP_COLUMNS: Final = 4
"""Side of a group: that of a region of the world ``hills``, and of what a folder's tables mostly hold together."""


class GenerationStats(msgspec.Struct, frozen=True):
    """A snapshot."""

    made: int  # columns made because somebody wished for them
    shared: int  # of these, how many more than one player wished for
    wished: int  # columns wished for and not made


class _ClientRequests(msgspec.Struct, frozen=True):
    columns: Mapping[ColumnPos, float]
    quota: Bucket


class _Wanted(NamedTuple):
    """A column that may be made: its best priority, and who wants it, the keenest first."""

    priority: float
    column: ColumnPos
    players: list[int]


class _Begun(NamedTuple):
    """What is under way: a group, and what is left to do before its columns can be had."""

    group: tuple[int, int]
    steps: Iterator[None]


class GenerationQueue:
    """The queue of one dimension; see the module.

    ``provider``: that makes and keeps columns. ``most_wishes``: of one player.
    """

    def __init__(self, provider: ColumnProvider, most_wishes: int = MOST_WISHES) -> None:
        self._provider = provider
        self._most = most_wishes
        self._wishes: dict[int, _ClientRequests] = {}
        self._begun: _Begun | None = None
        self.made = 0  # columns, because somebody wished for them
        self._shared = 0

    def want(self, player: int, columns: Mapping[ColumnPos, float], quota: Bucket) -> None:
        """These are a player's wishes from now on, with their priorities, 0 first; those at hand count for nothing."""
        if len(columns) > self._most:
            columns = {one: columns[one] for one in heapq.nsmallest(self._most, columns, key=lambda at: columns[at])}
        if columns:
            self._wishes[player] = _ClientRequests(columns, quota)
        else:
            self.leave(player)

    @property
    def wanted(self) -> bool:
        """Whether anybody wishes for anything."""
        return bool(self._wishes)

    def leave(self, player: int) -> None:
        """The player has no wishes any more."""
        self._wishes.pop(player, None)

    def work(self, most: int, now: float) -> bool:
        """Makes the columns that are needed most, ``most`` of them or up to one step; True when more may be made."""
        best = self._by_group(self._best(now))
        for one in best[:most]:
            if not self._prepared(one.column):
                return True
            payer = next((player for player in one.players if self._wishes[player].quota.take(1, now)), None)
            if payer is not None:  # else it has just paid for another one
                self._provider.snapshot(one.column)
                self.made += 1
                self._shared += len(one.players) > 1
        return len(best) > most

    def _by_group(self, best: list[_Wanted]) -> list[_Wanted]:
        """Group by group, the one under way first, then by the best of each; within a group by priority."""
        first: dict[tuple[int, int], int] = {}
        for rank, one in enumerate(best):
            first.setdefault(_group_of(one.column), rank)
        if self._begun is not None:
            if self._begun.group in first:
                first[self._begun.group] = -1
            else:
                self._begun = None
        return sorted(best, key=lambda one: first[_group_of(one.column)])

    def _prepared(self, column: ColumnPos) -> bool:
        """Whether a column can be made at once; else it is a step nearer to that."""
        group = _group_of(column)
        if self._begun is None or self._begun.group != group:
            self._begun = _Begun(group, self._provider.steps(column))
        if next(self._begun.steps, _DONE) is not _DONE:
            return False
        self._begun = None
        return True

    def _best(self, now: float) -> list[_Wanted]:
        """What may be made, the most needed first."""
        wanted: dict[ColumnPos, list[tuple[float, int]]] = {}
        for player, wishes in self._wishes.items():
            if wishes.quota.held(now) >= 1:
                for column, priority in wishes.columns.items():
                    if not self._provider.holds(column):
                        wanted.setdefault(column, []).append((priority, player))
        merged = ((column, sorted(each)) for column, each in wanted.items())
        return sorted(_Wanted(each[0][0], column, [player for _, player in each]) for column, each in merged)

    def stats(self) -> GenerationStats:
        """A snapshot of the counters."""
        wished = {column for wishes in self._wishes.values() for column in wishes.columns}
        return GenerationStats(self.made, self._shared, sum(not self._provider.holds(column) for column in wished))


def _group_of(column: ColumnPos) -> tuple[int, int]:
    return column.x // GROUP_COLUMNS, column.z // GROUP_COLUMNS
