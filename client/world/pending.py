"""What changed since the last drain; becomes one ``ChangeBatch``.

Kinds are kept by place in an array as long as the places noted so far need it, changes in lists of arrays as they come;
what they amount to is worked out once, at the drain's end.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.changes import EDITS_LIMIT, WHOLE_BOX, ChangeBatch, ChangeKind
from client.world.places import PlaceTables
from net.space.layout import Places
from net.space.positions import ColumnPos

NOTHING: Final = -1
FIRST_PLACES: Final = 4096
Cells = npt.NDArray[np.integer]
"""[n] x << 8 | z << 4 | y within a sub-chunk."""


class Pending:
    """Changes of one drain; see ``client.world.changes`` for what a batch promises."""

    def __init__(self) -> None:
        """Nothing changed."""
        self.everything = False
        self._kind: npt.NDArray[np.int8] = np.full(FIRST_PLACES, NOTHING, np.int8)
        self._noted: list[Places] = []
        self._edits: list[tuple[Places, Cells]] = []
        self._added: dict[int, ColumnPos] = {}
        self._removed: dict[int, ColumnPos] = {}

    def add(self, row: int, column: ColumnPos) -> None:
        """A column came."""
        self._added[row] = column

    def remove(self, row: int, column: ColumnPos, places: Places) -> None:
        """A column went; what befell its places in this drain is forgotten."""
        self._fit(places)
        self._kind[places] = NOTHING
        if self._added.pop(row, None) is None:
            self._removed[row] = column

    def note(self, places: Places, kind: ChangeKind) -> None:
        """Something befell these places."""
        if not len(places):
            return
        try:
            before = self._kind[places]
        except IndexError:
            self._fit(places)
            before = self._kind[places]
        self._kind[places] = np.maximum(before, np.int8(kind))
        self._noted.append(places)

    def edit(self, places: Places, cells: Cells) -> None:
        """Single blocks changed: [n] place and cell of each."""
        self.note(places, ChangeKind.EDIT)
        if len(places):
            self._edits.append((places, cells))

    def changed_content(self) -> Places:
        """Places that show other blocks than at the last drain, in order."""
        noted = self._places()
        return np.asarray(noted[self._kind[noted] > ChangeKind.STATE])

    def take(self, tables: PlaceTables) -> ChangeBatch:
        """The batch; afterwards nothing is pending."""
        everything, self.everything = self.everything, False
        changed = self._places()
        batch = ChangeBatch.nothing(True) if everything else self._batch(tables, changed)
        self._kind[changed] = NOTHING
        self._noted.clear()
        self._edits.clear()
        self._added.clear()
        self._removed.clear()
        return batch

    def _fit(self, places: Places) -> None:
        least = int(places.max()) + 1 if len(places) else 0
        if least > len(self._kind):
            bigger = np.full(max(least, 2 * len(self._kind)), NOTHING, np.int8)
            bigger[: len(self._kind)] = self._kind
            self._kind = bigger

    def _places(self) -> Places:
        """All places that something befell, each once, in order."""
        if not self._noted:
            return np.empty(0, np.int32)
        noted: Places = np.unique(np.concatenate(self._noted))
        noted = noted[self._kind[noted] != NOTHING]
        self._noted = [noted]
        return noted

    def _batch(self, tables: PlaceTables, changed: Places) -> ChangeBatch:
        columns = {**self._removed, **self._added}
        count = len(columns) + len(changed)
        if not count:
            return ChangeBatch.nothing()
        rows = np.fromiter(columns, np.int32, len(columns))
        places = np.concatenate([rows * np.int32(tables.sections), changed])
        kinds = np.empty(count, np.uint8)
        kinds[: len(self._removed)] = ChangeKind.REMOVED
        kinds[len(self._removed) : len(columns)] = ChangeKind.ADDED
        kinds[len(columns) :] = self._kind[changed]
        positions = tables.positions_of(places)
        for index, column in enumerate(columns.values()):
            positions[index, ::2] = column
        boxes = np.zeros((count, 6), np.uint8)
        boxes[kinds == ChangeKind.DATA] = WHOLE_BOX
        starts, edits = self._edited(places, kinds, boxes)
        return ChangeBatch(False, places, positions, kinds, tables.revision[places], boxes, starts, edits)

    def _edited(
        self, places: Places, kinds: npt.NDArray[np.uint8], boxes: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """Fills the boxes of edited entries; gives ``edit_starts`` and ``edits``."""
        counts = np.zeros(len(places), np.int32)
        if not self._edits:
            return _starts(counts), np.empty(0, np.uint16)
        where = np.concatenate([part[0] for part in self._edits]).astype(np.int64)
        cell = np.concatenate([part[1] for part in self._edits]).astype(np.int64)
        mine = self._kind[where] == ChangeKind.EDIT
        keys = np.unique(where[mine] << 12 | cell[mine])
        of, cells = keys >> 12, keys & 4095
        first = np.flatnonzero(np.diff(of, prepend=-1))
        edited = np.flatnonzero(kinds == ChangeKind.EDIT)
        for axis, values in enumerate((cells >> 8, cells >> 4 & 15, cells & 15)):
            if len(first):
                boxes[edited, axis] = np.minimum.reduceat(values, first)
                boxes[edited, axis + 3] = np.maximum.reduceat(values, first) + 1
        each = np.diff(first, append=len(of))
        few = each <= EDITS_LIMIT
        counts[edited[few]] = each[few]
        return _starts(counts), cells[np.repeat(few, each)].astype(np.uint16)


def _starts(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts
