"""Which columns the server does not keep up to date: what is shown of them may be older than the world.

Rules:
1. A column outside the publisher's circle is stale: the server sends no changes of it. It is shown as ever; overlays,
   ``why`` and statistics say so.
2. It is fresh again when it lies inside the circle and has been announced again. Lying inside does not suffice: what
   changed while it lay outside is told by nobody.
3. While no circle is known nothing is stale.

Only anchors keep stale columns: the others are dropped (``terrain``, rule 7).
"""

import numpy as np
import numpy.typing as npt

from client.session.publisher import Publisher
from client.world.store import Store
from net.space.positions import ColumnPos


class Staleness:
    """One flag a column; owned by the session's terrain.

    Attributes:
        publisher: the circle, None while none was named.
    """

    def __init__(self, store: Store) -> None:
        """Nothing is stale."""
        self._store = store
        self._stale = np.zeros(0, np.bool_)
        self.publisher: Publisher | None = None

    @property
    def rows(self) -> npt.NDArray[np.bool_]:
        """bool[rows] by the store's rows; not to be written. Rows without a column are False."""
        rows, known = len(self._store.columns), len(self._stale)
        if known > rows:  # the last column went, and the tables with it
            self._stale = np.zeros(rows, np.bool_)
        elif known < rows:
            self._stale = np.append(self._stale, np.zeros(rows - known, np.bool_))
        return self._stale

    @property
    def columns(self) -> int:
        """How many columns are stale."""
        return int(self.rows.sum())

    def in_circle(self, column: ColumnPos) -> bool | None:
        """Whether the circle holds a column, announced or not; None while none was named."""
        return None if self.publisher is None else bool(self.publisher.holds(np.array([column]), 0)[0])

    def reset(self) -> None:
        """Another dimension."""
        self._stale = np.zeros(0, np.bool_)
        self.publisher = None

    def publish(self, publisher: Publisher) -> None:
        """The circle moved."""
        self.publisher = publisher
        rows = self._store.announced_rows
        self.rows[rows[~publisher.holds(self._store.columns[rows], 0)]] = True

    def announced(self, column: ColumnPos) -> None:
        """A column came, or came again; one that was refused is ignored."""
        row = self._store.row_of.get(column)
        if row is not None:
            self.rows[row] = self.in_circle(column) is False

    def dropped(self, column: ColumnPos) -> None:
        """A column is about to go."""
        row = self._store.row_of.get(column)
        if row is not None:
            self.rows[row] = False
