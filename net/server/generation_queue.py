"""Chooses the next column to generate from the requests of all players; each column is made once for all (seed 003).

Rules:
1. The best (lowest) priority that any player gives a column counts (the seed's third way). The requests of a player
   whose quota is used up are ignored meanwhile, so no player waits for another one's quota. The player with the best
   priority pays for the column.
2. ``want`` replaces a player's requests: a column that no player requests any more is dropped from the queue.
3. Columns of a world that takes long are made one step a call. A column that was begun goes first, and is abandoned
   when no player requests its group any more.
4. A generated column goes into the provider's cache, for all players. The requested columns of the same group are made
   with it: a generator works in groups, and a storage reads neighbouring columns together.
5. The cache may be dropped at any time: columns that are still needed are requested again.

Limits: at most ``MOST_REQUESTS`` requests for each player, those with the best priorities. One column is in progress at
a time.
"""

import heapq
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from net.server.column_provider import ColumnProvider
from net.server.host_options import Bucket
from net.space import ColumnPos

MOST_REQUESTS: Final = 64
_DONE: Final = object()
GROUP_COLUMNS: Final = 4
"""Side of a group: as a region of the world ``hills``, and about what one table of a saved world holds together."""


class _ClientRequests(msgspec.Struct, frozen=True):
    columns: Mapping[ColumnPos, float]
    quota: Bucket


class _Wanted(NamedTuple):
    priority: float  # the best one
    column: ColumnPos
    players: list[int]  # that request it, the best priority first


class _Begun(NamedTuple):
    """The group in progress, and the steps left before its columns can be made."""

    group: tuple[int, int]
    steps: Iterator[None]


class GenerationQueue:
    """The queue of one dimension; see the module. ``most_requests``: limit for one player."""

    def __init__(self, provider: ColumnProvider, most_requests: int = MOST_REQUESTS) -> None:
        self._provider = provider
        self._most = most_requests
        self._requests: dict[int, _ClientRequests] = {}
        self._begun: _Begun | None = None
        self.made = 0  # columns generated for requests

    def want(self, player: int, columns: Mapping[ColumnPos, float], quota: Bucket) -> None:
        """Replaces a player's requests: priorities by column, 0 first. Columns in memory are ignored."""
        if len(columns) > self._most:
            columns = {one: columns[one] for one in heapq.nsmallest(self._most, columns, key=lambda at: columns[at])}
        if columns:
            self._requests[player] = _ClientRequests(columns, quota)
        else:
            self.leave(player)

    @property
    def wanted(self) -> bool:
        return bool(self._requests)

    def leave(self, player: int) -> None:
        self._requests.pop(player, None)

    def work(self, most: int, now: float) -> bool:
        """Generates the most needed columns, ``most`` of them or up to one step; True if more may be made."""
        best = self._by_group(self._best(now))
        for one in best[:most]:
            if not self._prepared(one.column):
                return True
            payer = next((player for player in one.players if self._requests[player].quota.take(1, now)), None)
            if payer is not None:  # else its quota was used up by another column in this call
                self._provider.snapshot(one.column)
                self.made += 1
        return len(best) > most

    def _by_group(self, best: list[_Wanted]) -> list[_Wanted]:
        """Sorted by groups: the one in progress first, then by best priority; within a group by priority."""
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
        """Does one step of a column's preparation; returns whether the column can be made at once."""
        group = _group_of(column)
        if self._begun is None or self._begun.group != group:
            self._begun = _Begun(group, self._provider.steps(column))
        if next(self._begun.steps, _DONE) is not _DONE:
            return False
        self._begun = None
        return True

    def _best(self, now: float) -> list[_Wanted]:
        """The columns that may be made, the most needed first."""
        wanted: dict[ColumnPos, list[tuple[float, int]]] = {}
        for player, requests in self._requests.items():
            if requests.quota.held(now) >= 1:
                for column, priority in requests.columns.items():
                    if not self._provider.holds(column):
                        wanted.setdefault(column, []).append((priority, player))
        merged = ((column, sorted(each)) for column, each in wanted.items())
        return sorted(_Wanted(each[0][0], column, [player for _, player in each]) for column, each in merged)


def _group_of(column: ColumnPos) -> tuple[int, int]:
    return column.x // GROUP_COLUMNS, column.z // GROUP_COLUMNS
