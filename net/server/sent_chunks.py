"""Which columns and which sub-chunk versions a client has, and which columns it is sent next.

Rules:
1. The area is a square: it contains the columns at most ``radius`` columns from the client's own, in x and in z.
2. Each column is sent once while it stays in the area. When it is outside by more than ``KEPT_COLUMNS``, its record is
   dropped and it will be sent again.
3. The publisher's circle encloses the whole square. A client drops a column two columns outside that circle, always
   later than its record is dropped here: so it never lacks a column that is recorded as sent.
4. Columns are sent nearest first, until ``arrange`` sets another order. With ``hold_back`` none is sent before.
5. A client *has* a section when it was sent the section, or its answer or its column's limit said that it is air.
   Changes are sent to exactly the clients that have the section; others get the newest version when they request it.
   Announcing a column again resets the record of its sections.
6. No request is refused because the section was sent before: a client may have dropped it to free memory.

Limits: 4 bytes a section of the columns in the area, so at most (2 x (radius + 2) + 1)^2 columns of them: 0.5 MB at the
largest usual radius, 32, and 24 sections.
"""

import math
from array import array
from collections.abc import Collection, Sequence

from net.space import BlockPos, ColumnPos

KEPT_COLUMNS = 2
NOT_SENT = 0
"""Stored instead of a version; versions are stored plus one."""


class SentChunks:
    """The columns of one client."""

    def __init__(self, position: BlockPos, radius: int, *, hold_back: bool = False) -> None:
        self.position = position
        self.radius = radius
        self._sent: dict[ColumnPos, array[int] | None] = {}  # versions plus one, None for a column without any
        self._waiting: list[ColumnPos] = []  # the next one last
        self._held_back: set[ColumnPos] = set()
        self._hold_back = hold_back
        self._recentre()

    @property
    def publisher_radius_blocks(self) -> int:
        """Radius of a circle that encloses the square, for any position of the client in its column."""
        return math.ceil((self.radius + 1) * math.sqrt(2)) * 16

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def missing(self) -> Sequence[ColumnPos]:
        """All columns of the area that the client has not been sent."""
        return [*self._waiting, *self._held_back]

    def arrange(self, order: Sequence[ColumnPos]) -> None:
        """Sets the order of missing columns; missing columns that are not in it are held back."""
        missing = set(self.missing)
        self._waiting = [column for column in reversed(order) if column in missing]
        self._held_back = missing.difference(self._waiting)

    def ahead(self, most: int) -> Sequence[ColumnPos]:
        """The next columns to send, in order."""
        return self._waiting[: -most - 1 : -1]

    def send_column(self, column: ColumnPos) -> None:
        """Records one of the columns of ``ahead`` as sent."""
        if self._waiting[-1] == column:
            self._waiting.pop()
        else:
            self._waiting.remove(column)
        self._sent[column] = None

    def has(self, column: ColumnPos) -> bool:
        """Whether the client has been sent a column and still holds it."""
        return column in self._sent

    @property
    def sent(self) -> Collection[ColumnPos]:
        return self._sent.keys()

    def move(self, position: BlockPos) -> bool:
        """Moves the area; True if the client entered another column, so that the publisher moves."""
        entered = position.column != self.position.column
        self.position = position
        if entered:
            self._recentre()
        return entered

    def resize(self, radius: int) -> None:
        self.radius = radius
        self._recentre()

    def announce(self, column: ColumnPos, versions: Sequence[int], sent_from: int) -> None:
        """Records a column as sent (again), and the sections that the client has with it.

        ``column``: counts as sent. ``versions``: of its sections, the lowest first. ``sent_from``: the first section
        that the client has now: 0 for a whole column, otherwise the first above its limit.
        """
        if column in self._sent:
            held = array("I", [NOT_SENT]) * min(sent_from, len(versions))
            held.extend(version + 1 for version in versions[sent_from:])
            self._sent[column] = held

    def send(self, column: ColumnPos, index: int, version: int) -> bool:
        """Records a version of a section as sent; False if the client does not have the column."""
        held = self._sent.get(column)
        if held is None or not 0 <= index < len(held):
            return False
        held[index] = version + 1
        return True

    def version_of(self, column: ColumnPos, index: int) -> int | None:
        """The version of a section, counted from the floor, that the client has; None if it has none."""
        held = self._sent.get(column)
        return held[index] - 1 if held is not None and held[index] != NOT_SENT else None

    def _recentre(self) -> None:
        centre, reach = self.position.column, self.radius + KEPT_COLUMNS
        self._sent = {column: held for column, held in self._sent.items() if column.chebyshev(centre) <= reach}
        side = range(-self.radius, self.radius + 1)
        wanted = (ColumnPos(centre.x + dx, centre.z + dz) for dx in side for dz in side)
        missing = [column for column in wanted if column not in self._sent]
        missing.sort(key=lambda column: ((column.x - centre.x) ** 2 + (column.z - centre.z) ** 2, column), reverse=True)
        self._waiting, self._held_back = ([], set(missing)) if self._hold_back else (missing, set())
