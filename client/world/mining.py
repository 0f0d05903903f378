"""How far blocks are broken by somebody who digs at them, as the server's block-cracking events tell.

    start   a block begins to crack at some speed       update  the speed changes, what is broken stays
    stop    the digger gives up                         ending  the block changes, or its sub-chunk goes

Rules:
1. By place and cell, as block entities; one a block.
2. Progress is computed when somebody asks: nothing runs while blocks crack. It ends at 1, until the block changes.
3. At most ``MOST`` at once; beyond it the one that began first is dropped and counted, so that a server which starts
   and never stops cannot fill the memory.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import Places

MOST: Final = 4096
FULL_ARGUMENT: Final = 65_535
"""An event's argument is this divided by the ticks that the whole block takes."""
TICKS_PER_S: Final = 20


@frozen
class Cracking:
    """One block being broken.

    Attributes:
        done: share that was broken at ``since_s``, 0..1.
        since_s: monotonic seconds.
        per_s: share that breaks in a second.
    """

    done: float
    since_s: float
    per_s: float

    def progress(self, now: float) -> float:
        """Share that is broken, 0..1."""
        return min(1.0, self.done + max(0.0, now - self.since_s) * self.per_s)


class Mining:
    """Blocks being broken; owned by the store.

    Attributes:
        dropped: how many found no room, since it was made.
    """

    def __init__(self, most: int = MOST) -> None:
        """None yet."""
        self._most = most
        self.dropped = 0
        self._of: dict[tuple[int, int], Cracking] = {}

    def clear(self) -> None:
        """Another dimension: all are gone."""
        self._of.clear()

    def __len__(self) -> int:
        """Blocks that crack now."""
        return len(self._of)

    def start(self, place: int, cell: int, argument: int, now: float) -> None:
        """A block begins to crack, from the beginning if it did before.

        Args:
            place: of an announced column.
            cell: in it.
            argument: FULL_ARGUMENT / ticks; below 1 it does not move.
            now: monotonic seconds.
        """
        key = place, cell
        self._of.pop(key, None)  # so that it is the youngest
        if len(self._of) >= self._most:
            del self._of[next(iter(self._of))]
            self.dropped += 1
        self._of[key] = Cracking(0.0, now, _share_per_s(argument))

    def update(self, place: int, cell: int, argument: int, now: float) -> None:
        """The speed of a cracking block changed; of one whose start nobody told it starts."""
        before = self._of.get((place, cell))
        if before is None:
            self.start(place, cell, argument, now)
        else:
            self._of[place, cell] = Cracking(before.progress(now), now, _share_per_s(argument))

    def stop(self, place: int, cell: int) -> None:
        """Nobody digs there any more."""
        self._of.pop((place, cell), None)

    def ending(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Blocks of the first layer change."""
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                self.stop(place, cell)

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
        if self._of:
            gone = set(places.tolist())
            for key in [key for key in self._of if key[0] in gone]:
                del self._of[key]

    def at(self, place: int, cell: int) -> Cracking | None:
        """The cracks of a block."""
        return self._of.get((place, cell))

    def progress(self, now: float) -> tuple[Places, npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Places, cells and shares broken, 0..1, of all blocks that crack now, [n] each, in no order."""
        keys = np.array(list(self._of), np.int64).reshape(-1, 2)
        shares = np.array([cracking.progress(now) for cracking in self._of.values()], np.float64)
        return keys[:, 0].astype(np.int32), keys[:, 1], shares

    def of(self, place: int) -> dict[int, Cracking]:
        """The cracking blocks of a place by their cells."""
        return {cell: cracking for (at, cell), cracking in self._of.items() if at == place}


def _share_per_s(argument: int) -> float:
    return max(argument, 0) / FULL_ARGUMENT * TICKS_PER_S
