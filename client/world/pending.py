"""What changed since the last drain; becomes one ``ChangeBatch``."""

import numpy as np

from client.world.changes import EDITS_LIMIT, WHOLE_BOX, ChangeBatch, ChangeKind
from client.world.places import PlaceTables
from net.space.layout import Places
from net.space.positions import ColumnPos


class Pending:
    """Changes of one drain; see ``client.world.changes`` for what a batch promises."""

    def __init__(self) -> None:
        """Nothing changed."""
        self.everything = False
        self._kind: dict[int, ChangeKind] = {}
        self._cells: dict[int, list[int]] = {}
        self._added: dict[int, ColumnPos] = {}
        self._removed: dict[int, ColumnPos] = {}

    def add(self, row: int, column: ColumnPos) -> None:
        """A column came."""
        self._added[row] = column

    def remove(self, row: int, column: ColumnPos, places: Places) -> None:
        """A column went; what befell its places in this drain is forgotten."""
        for place in places.tolist():
            self._kind.pop(place, None)
            self._cells.pop(place, None)
        if self._added.pop(row, None) is None:
            self._removed[row] = column

    def note(self, places: Places, kind: ChangeKind) -> None:
        """Something befell these places."""
        mine = self._kind
        for place in places.tolist():
            if kind >= mine.get(place, kind):
                mine[place] = kind

    def edit(self, place: int, cell: int) -> None:
        """One block of a place changed."""
        if self._kind.get(place, ChangeKind.STATE) <= ChangeKind.EDIT:
            self._kind[place] = ChangeKind.EDIT
            self._cells.setdefault(place, []).append(cell)

    def changed_content(self) -> Places:
        """Places that show other blocks than at the last drain, in order."""
        changed = [place for place, kind in self._kind.items() if kind != ChangeKind.STATE]
        return np.array(sorted(changed), np.int32)

    def take(self, tables: PlaceTables) -> ChangeBatch:
        """The batch; afterwards nothing is pending."""
        everything, self.everything = self.everything, False
        batch = ChangeBatch.nothing(True) if everything else self._batch(tables)
        self._kind.clear()
        self._cells.clear()
        self._added.clear()
        self._removed.clear()
        return batch

    def _batch(self, tables: PlaceTables) -> ChangeBatch:
        changed = sorted(self._kind)
        columns = {**self._removed, **self._added}
        count = len(columns) + len(changed)
        if not count:
            return ChangeBatch.nothing()
        places = np.array([row * tables.sections for row in columns] + changed, np.int32)
        kinds = np.empty(count, np.uint8)
        kinds[: len(self._removed)] = ChangeKind.REMOVED
        kinds[len(self._removed) : len(columns)] = ChangeKind.ADDED
        kinds[len(columns) :] = [self._kind[place] for place in changed]
        positions = tables.positions_of(places)
        for index, column in enumerate(columns.values()):
            positions[index, ::2] = column
        boxes = np.zeros((count, 6), np.uint8)
        boxes[kinds == ChangeKind.DATA] = WHOLE_BOX
        edits: list[int] = []
        ends = np.zeros(count + 1, np.int32)
        for index in np.flatnonzero(kinds == ChangeKind.EDIT).tolist():
            cells = sorted(set(self._cells[int(places[index])]))
            boxes[index] = _box(np.array(cells, np.int64))
            if len(cells) <= EDITS_LIMIT:
                edits += cells
                ends[index + 1] = len(cells)
        return ChangeBatch(
            False,
            places,
            positions,
            kinds,
            tables.revision[places],
            boxes,
            np.cumsum(ends, dtype=np.int32),
            np.array(edits, np.uint16),
        )


def _box(cells: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[int]:
    axes = (cells >> 8, cells >> 4 & 15, cells & 15)
    return [int(axis.min()) for axis in axes] + [int(axis.max()) + 1 for axis in axes]
