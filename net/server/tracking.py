"""Which columns a client has been told of, and which it is to be told of next.

Rules:
1. The area is a square: a column is in it when it lies at most ``radius`` columns from the client's own, in x and in z.
2. Each column is sent once while it stays in the area; left behind by more than ``KEPT_COLUMNS``, it is forgotten and
   will be sent again.
3. The publisher's circle is drawn round the whole square. A client drops a column two columns outside that circle,
   which is always later than we forget it: so it never misses one that we believe it has.
4. Nearest columns go first.
"""

import math
from collections.abc import Collection

from net.space.positions import BlockPos, ColumnPos

KEPT_COLUMNS = 2


class Tracking:
    """One client's columns."""

    def __init__(self, position: BlockPos, radius: int) -> None:
        self.position = position
        self.radius = radius
        self._sent: set[ColumnPos] = set()
        self._waiting: list[ColumnPos] = []
        self._recentre()

    @property
    def publisher_radius_blocks(self) -> int:
        """Radius of a circle that holds the square, whole columns and the client's place in its own included."""
        return math.ceil((self.radius + 1) * math.sqrt(2)) * 16

    @property
    def waiting(self) -> int:
        """How many columns are still to be sent."""
        return len(self._waiting)

    def has(self, column: ColumnPos) -> bool:
        """Whether the client has been sent a column and still holds it."""
        return column in self._sent

    @property
    def sent(self) -> Collection[ColumnPos]:
        """The columns the client holds."""
        return self._sent

    def move(self, position: BlockPos) -> bool:
        """Follows the client; True when it entered another column, so that the publisher moves."""
        entered = position.column != self.position.column
        self.position = position
        if entered:
            self._recentre()
        return entered

    def resize(self, radius: int) -> None:
        """Another radius was granted."""
        self.radius = radius
        self._recentre()

    def take(self, most: int) -> list[ColumnPos]:
        """The next columns to send, nearest first; they count as sent."""
        taken = [self._waiting.pop() for _ in range(min(most, len(self._waiting)))]
        self._sent.update(taken)
        return taken

    def _recentre(self) -> None:
        centre, reach = self.position.column, self.radius + KEPT_COLUMNS
        self._sent = {column for column in self._sent if column.chebyshev(centre) <= reach}
        side = range(-self.radius, self.radius + 1)
        wanted = (ColumnPos(centre.x + dx, centre.z + dz) for dx in side for dz in side)
        missing = [column for column in wanted if column not in self._sent]
        missing.sort(key=lambda column: ((column.x - centre.x) ** 2 + (column.z - centre.z) ** 2, column), reverse=True)
        self._waiting = missing
