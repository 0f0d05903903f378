"""Which columns a client has been told of and which version of each sub-chunk it has, and what it is to be told next.

Rules:
1. The area is a square: a column is in it when it lies at most ``radius`` columns from the client's own, in x and in z.
2. Each column is sent once while it stays in the area; left behind by more than ``KEPT_COLUMNS``, it is forgotten and
   will be sent again.
3. The publisher's circle is drawn round the whole square. A client drops a column two columns outside that circle,
   which is always later than we forget it: so it never misses one that we believe it has.
4. Nearest columns go first, until somebody knows better (``arrange``). With ``hold_back`` none goes before that.
5. A client *has* a section when it was sent it, told that it is air, or told so by its column's limit. Changes go to
   exactly those who have the section: whoever has not gets the newest version when it asks. A column that is announced
   again takes what was sent of the old one with it.
6. Nothing is refused for having been sent before: a client may have dropped it to make room.

Limits: 4 bytes a section of the columns in the area, so at most (2 x (radius + 2) + 1)^2 columns of them: 0.5 MB at the
largest usual radius, 32, and 24 sections.
"""

import math
from array import array
from collections.abc import Collection, Sequence

from net.space import BlockPos, ColumnPos

KEPT_COLUMNS = 2
NOT_SENT = 0
"""In the place of a version, which is kept plus one."""


class SentChunks:
    """One client's columns."""

    def __init__(self, position: BlockPos, radius: int) -> None:
        self.position = position
        self.radius = radius
        self._sent: dict[ColumnPos, array[int] | None] = {}  # versions plus one, None for a column without any
        self._waiting: list[ColumnPos] = []  # the next one last
        self._held_back: set[ColumnPos] = set()
        self.hold_back = False
        self._recentre()

    @property
    def publisher_radius_blocks(self) -> int:
        """Radius of a circle that holds the square, whole columns and the client's place in its own included."""
        return math.ceil((self.radius + 1) * math.sqrt(2)) * 16

    @property
    def waiting(self) -> int:
        """How many columns are still to be sent."""
        return len(self._waiting)

    @property
    def missing(self) -> Sequence[ColumnPos]:
        """All columns of the area that the client has not been sent."""
        return [*self._waiting, *self._held_back]

    def arrange(self, order: Sequence[ColumnPos]) -> None:
        """What is missing goes out in this order; what of it is not named here is held back."""
        missing = set(self.missing)
        self._waiting = [column for column in reversed(order) if column in missing]
        self._held_back = missing.difference(self._waiting)

    def ahead(self, most: int) -> Sequence[ColumnPos]:
        """The columns that are to be sent next, the first one first."""
        return self._waiting[: -most - 1 : -1]

    def send_column(self, column: ColumnPos) -> None:
        """One of the columns ``ahead`` is being sent; it counts as sent."""
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
        """The columns the client holds."""
        return self._sent.keys()

    def move(self, position: BlockPos) -> bool:
        """Follows the client; True when it entered another column, so that the publisher moves."""
        entered = position.column != self.position.column
        self.position = position
        if entered:
            self._recentre()
        return entered

    def resize(self, radius: int) -> None:
        self.radius = radius
        self._recentre()

    def take(self, most: int) -> list[ColumnPos]:
        """The next columns to send, nearest first; they count as sent."""
        taken = [self._waiting.pop() for _ in range(min(most, len(self._waiting)))]
        self._sent.update(dict.fromkeys(taken))
        return taken

    def announce(self, column: ColumnPos, versions: Sequence[int], sent_from: int) -> None:
        """A column is being sent (again), and with it what the client has of it.

        ``column``: that counts as sent. ``versions``: of its sections, the lowest first. ``sent_from``: the first
        section that the client has now: 0 of a whole column, those above its limit otherwise.
        """
        if column in self._sent:
            held = array("I", [NOT_SENT]) * min(sent_from, len(versions))
            held.extend(version + 1 for version in versions[sent_from:])
            self._sent[column] = held

    def send(self, column: ColumnPos, index: int, version: int) -> bool:
        """A version of a section is being sent to the client; False where its column is not there to take it."""
        held = self._sent.get(column)
        if held is None or not 0 <= index < len(held):
            return False
        held[index] = version + 1
        return True

    def version_of(self, column: ColumnPos, index: int) -> int | None:
        """Which version of a section, counted from the floor, the client has; None where it has none."""
        held = self._sent.get(column)
        return held[index] - 1 if held is not None and held[index] != NOT_SENT else None

    def _recentre(self) -> None:
        centre, reach = self.position.column, self.radius + KEPT_COLUMNS
        self._sent = {column: held for column, held in self._sent.items() if column.chebyshev(centre) <= reach}
        side = range(-self.radius, self.radius + 1)
        wanted = (ColumnPos(centre.x + dx, centre.z + dz) for dx in side for dz in side)
        missing = [column for column in wanted if column not in self._sent]
        missing.sort(key=lambda column: ((column.x - centre.x) ** 2 + (column.z - centre.z) ** 2, column), reverse=True)
        self._waiting, self._held_back = ([], set(missing)) if self.hold_back else (missing, set())
