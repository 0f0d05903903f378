"""Requests that wait to be answered to one client, and which of them comes next.

Rules:
1. Entries go by the player's own priority, over all requests; what was asked a second earlier goes before what is
   nearer by less than ``PATIENCE``, so that nothing waits for ever. Equal ones keep the order in which they were asked.
2. What is not due yet waits in the order of asking: a host's delay is one number.
3. A request whose next entry lacks its column is put aside until that was made, and holds up no other.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from net.space.layout import SubChunkPositions
from net.space.positions import ColumnPos, SubChunkPos

MOST_ARRANGED: Final = 1 << 13
"""Where more entries wait, they keep their order when the player has moved; looking at so many takes a millisecond."""
PATIENCE: Final = 32.0
"""Sub-chunks a second."""

Needs = Callable[[SubChunkPositions], npt.NDArray[np.float32]]
"""How soon a player needs places, 0 first."""


@dataclass(slots=True)
class Owed:
    """A request that is being answered.

    Attributes:
        dimension: that was asked about.
        centre: what the offsets count from.
        offsets: int8[n, 3] dx, dy, dz, in the order of answering.
        asked: when.
        due: not before.
        needs: float32[n], of the player, least first; all alike where it has none.
        done: entries answered.
    """

    dimension: int
    centre: SubChunkPos
    offsets: npt.NDArray[np.int8]
    asked: float
    due: float
    needs: npt.NDArray[np.float32]
    done: int = 0

    @property
    def finished(self) -> bool:
        """Whether all of it is answered."""
        return self.done == len(self.offsets)

    @property
    def need(self) -> float:
        """The player's, of the next entry."""
        return float(self.needs[self.done])

    @property
    def rank(self) -> float:
        """The least goes first; see rule 1."""
        return self.need + PATIENCE * self.asked

    def next_ones(self, most: int) -> Iterable[tuple[list[int], float]]:
        """Offsets and needs of the next entries, so many at most."""
        end = self.done + most
        return zip(self.offsets[self.done : end].tolist(), self.needs[self.done : end].tolist(), strict=True)

    @property
    def left(self) -> SubChunkPositions:
        """The places that are not answered yet."""
        return self.offsets[self.done :].astype(np.int32) + np.array(self.centre, np.int32)

    @property
    def column(self) -> ColumnPos:
        """That of the next entry."""
        dx, _, dz = self.offsets[self.done].tolist()
        return ColumnPos(self.centre.x + dx, self.centre.z + dz)

    def arrange(self, needs: npt.NDArray[np.float32]) -> None:
        """What is left goes by these needs."""
        order = np.argsort(needs, kind="stable")
        self.offsets = self.offsets[self.done :][order]
        self.needs, self.done = needs[order], 0


class Turn(NamedTuple):
    """A request in the queue."""

    rank: float
    number: int
    owed: Owed


class OwedRequests:
    """One client's; ``needs`` says how soon its player needs places, None for none sooner than others."""

    def __init__(self, needs: Needs | None) -> None:
        self._needs = needs
        self._later: deque[Owed] = deque()
        self._due: list[Turn] = []  # a heap
        self._aside: dict[ColumnPos, list[Turn]] = {}
        self._numbered = 0

    def __len__(self) -> int:
        return len(self._later) + len(self._due) + sum(map(len, self._aside.values()))

    @property
    def lacking(self) -> Mapping[ColumnPos, float]:
        """The columns that requests are put aside for, with the player's need."""
        return {column: min(turn.owed.need for turn in turns) for column, turns in self._aside.items()}

    def next_due(self) -> float | None:
        """When one may be answered that was not put aside."""
        if self._due:
            return self._due[0].owed.due
        return self._later[0].due if self._later else None

    def add(self, owed: Owed) -> None:
        """A request was made."""
        self._later.append(owed)

    def next(self, now: float) -> Turn | None:
        """The one that goes first of those that are due; it is taken out."""
        due = []
        while self._later and self._later[0].due <= now:
            due.append(self._later.popleft())
        if due:
            self._arrange(due)
        for owed in due:
            self._numbered += 1
            self.back(Turn(0.0, self._numbered, owed))
        return heappop(self._due) if self._due else None

    def back(self, turn: Turn) -> None:
        """A request that is not finished comes back."""
        heappush(self._due, Turn(turn.owed.rank, turn.number, turn.owed))

    def latest_need(self, owed: Owed, margin: float) -> float:
        """Up to which need entries of this one go before another one that is due, by a margin; see rule 1."""
        return self._due[0].rank + margin - PATIENCE * owed.asked if self._due else inf

    def put_aside(self, turn: Turn) -> None:
        """Its next entry lacks its column."""
        self._aside.setdefault(turn.owed.column, []).append(turn)

    def resume(self, ready: Callable[[ColumnPos], bool]) -> None:
        """Those come back whose column is ready."""
        for column in [column for column in self._aside if ready(column)]:
            for turn in self._aside.pop(column):
                self.back(turn)

    def arrange(self) -> None:
        """The player's needs have changed."""
        if self._needs is None or not self._due:
            return
        if sum(len(turn.owed.offsets) - turn.owed.done for turn in self._due) > MOST_ARRANGED:
            return
        self._arrange([turn.owed for turn in self._due])
        self._due = [Turn(turn.owed.rank, turn.number, turn.owed) for turn in self._due]
        heapify(self._due)

    def _arrange(self, requests: Sequence[Owed]) -> None:
        """Each by itself; looked at together, since a look costs more than what it looks at."""
        if self._needs is None:
            return
        places = [owed.left for owed in requests]
        needs = self._needs(np.concatenate(places))
        at = 0
        for owed, its in zip(requests, places, strict=True):
            owed.arrange(needs[at : at + len(its)])
            at += len(its)
