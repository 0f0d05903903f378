"""Which columns look different to walks and plans after a drain.

Rules:
1. Walks depend on the columns there are and, of each place, on the connectivity of what it shows and on whether that is
   a placeholder. A tunnel dug through a sub-chunk whose faces see each other already changes none of it.
2. Plans depend on more that others than the planner change: answers, anchors, the radius. Whoever changes that says so;
   here only ground is looked at: places that begin or cease to show blocks, by an edit as well, since what is expected
   of the ground beside follows from it.

Theory: one number a place, of what it showed at the last drain, is compared with what it shows now, for the places that
the change log names. So nobody has to say what an edit, an answer or a dropped column means for sight.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeKind
from client.world.lifecycle import Knowledge
from client.world.reserved import PoolBytes
from client.world.store import Store
from net.frozen import frozen
from net.space.layout import ColumnPositions, Places
from net.subchunk.storage import IS_PLACEHOLDER

PLACEHOLDER: Final = np.uint64(1 << 62)
GROUND: Final = np.uint64(1 << 63)
"""Beside the 46 bits of connectivity."""
NO_COLUMNS: Final = np.empty((0, 2), np.int32)


@frozen
class Turn:
    """What one drain changed.

    Attributes:
        columns: int32[n, 2] where walks may go other ways than before, repetitions included; None: anywhere.
        ground: whether places began or ceased to show blocks.
    """

    columns: ColumnPositions | None
    ground: bool


NOTHING: Final = Turn(NO_COLUMNS, ground=False)


class SightWatch:
    """Follows one store; owned by the session's realm."""

    def __init__(self, store: Store) -> None:
        """Nothing is known of it."""
        self._store = store
        self._reader = store.changes.subscribe()
        self._marks: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)

    def alone(self) -> None:
        """Nobody else follows the store: those who did follow another one, of which this is a copy."""
        self._store.changes.forget_others(self._reader)

    def look(self) -> Turn:
        """What changed since the last call; the connectivity of all slots must be derived."""
        batch = self._reader.drain()
        self._fit()
        if batch.everything:
            self._marks = self._marks_of(np.arange(len(self._store.slot), dtype=np.int32))
            return Turn(None, True)
        if not (batch.kinds != ChangeKind.STATE).any():
            return NOTHING
        kinds = batch.kinds
        shown = (kinds == ChangeKind.EDIT) | (kinds == ChangeKind.DATA)
        column_came = kinds == ChangeKind.ADDED
        places: Places = np.concatenate([batch.places[shown], self._places_of(batch.places[column_came])])
        now = self._marks_of(places)
        turned = now ^ self._marks[places]
        self._marks[places] = now
        seen = self._store.columns[places[(turned & ~GROUND) != 0] // self._store.dimension.sections]
        columns = batch.positions[column_came | (kinds == ChangeKind.REMOVED)][:, [0, 2]]
        return Turn(np.concatenate([columns, seen]), bool((turned & GROUND).any()))

    def memory(self) -> PoolBytes:
        """What the numbers cost, 8 bytes a place; their table only grows within a dimension."""
        size = self._marks.nbytes
        return PoolBytes(
            "sight", size, size, 8 * len(self._store.announced_rows) * self._store.dimension.sections, size
        )

    def _fit(self) -> None:
        more = len(self._store.slot) - len(self._marks)
        if more > 0:
            self._marks = np.append(self._marks, np.zeros(more, np.uint64))

    def _places_of(self, lowest: Places) -> Places:
        """All places of columns whose lowest ones are these."""
        places: Places = np.add.outer(lowest, np.arange(self._store.dimension.sections, dtype=np.int32)).ravel()
        return places

    def _marks_of(self, places: Places) -> npt.NDArray[np.uint64]:
        store = self._store
        slots, states = store.slot[places], store.state[places]
        marks = store.pools.connectivity[slots]
        marks |= np.where(store.pools.kinds[slots] & IS_PLACEHOLDER, PLACEHOLDER, np.uint64(0))
        shows_blocks = (states == Knowledge.DATA) | (states == Knowledge.RESET)
        marks |= np.where(shows_blocks, GROUND, np.uint64(0))
        return marks
