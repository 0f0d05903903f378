"""Which part of a packet waits for which other one.

Rules:
1. A part is about one section of a column, or about whole columns. Parts about the same section, and a part about a
   column and any in it, keep their order; all others pass each other.
2. A part leaves when it lacks nothing: no blob, and no part before it. Whoever waits for it is told then.
3. A section's part waits for at most one other part and a column's for those since the last of its kind, so there are
   never more links than twice the parts, whatever a server sends.
4. A column forgets parts that have left before they are as many as those that wait: one that never comes must not make
   it remember all that came meanwhile.
"""

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from net.bedrock import Message, SubChunkEntry
from net.space.positions import ColumnPos

Item = TypeVar("Item")


FEW: Final = 64
"""Parts that have left are not worth looking for among so few."""


@dataclass(slots=True, eq=False)
class Parcel(Generic[Item]):
    """A packet that came in.

    Attributes:
        number: packets are numbered in their order.
        message: what it says.
        item: whatever its owner wants back with it.
    """

    number: int
    message: Message
    item: Item


@dataclass(slots=True, eq=False)
class Part(Generic[Item]):
    """Something that waits.

    Attributes:
        parcel: the packet it is of.
        index: its place in the packet.
        columns: which it touches.
        section: absolute height it is about, None for whole columns.
        entry: the answer, None for a packet that is not taken apart.
        due: when it is given up.
        found: blobs that are there.
        lacks: blobs and parts that are not.
        waits: False once it has left or was given up.
        size_bytes: what it is counted with.
        followers: parts that wait for it.
    """

    parcel: Parcel[Item]
    index: int
    columns: tuple[ColumnPos, ...]
    section: int | None
    entry: SubChunkEntry | None
    due: float
    found: dict[int, bytes]
    lacks: int
    waits: bool = True
    size_bytes: int = 0
    followers: list["Part[Item]"] = field(default_factory=list)


@dataclass(slots=True)
class _Column(Generic[Item]):
    """What waits in one column: the last part about all of it, and the parts about sections since."""

    waiting: int = 0
    whole: Part[Item] | None = None
    since: list[Part[Item]] = field(default_factory=list)
    last: dict[int, Part[Item]] = field(default_factory=dict)


class Order(Generic[Item]):
    """The links between waiting parts."""

    def __init__(self) -> None:
        self._columns: dict[ColumnPos, _Column[Item]] = {}

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether something about this place waits; ``section`` None asks for the whole column."""
        found = self._columns.get(column)
        if found is None:
            return False
        return section is None or self._before(found, section) is not None

    def add(self, part: Part[Item]) -> None:
        """Takes a part that waits, and links it to those before it."""
        for position in part.columns:
            column = self._columns.setdefault(position, _Column())
            column.waiting += 1
            if part.section is None:
                for other in (*column.since, column.whole):
                    self._link(other, part)
                column.whole, column.since, column.last = part, [], {}
            else:
                self._link(self._before(column, part.section), part)
                if len(column.since) >= FEW + 2 * column.waiting:
                    column.since = [other for other in column.since if other.waits]
                    column.last = {other.section: other for other in column.since if other.section is not None}
                column.since.append(part)
                column.last[part.section] = part

    def remove(self, part: Part[Item]) -> list[Part[Item]]:
        """A part leaves; gives those that lack nothing any more."""
        part.waits = False
        for position in part.columns:
            column = self._columns[position]
            column.waiting -= 1
            if not column.waiting:
                del self._columns[position]
        followers, part.followers = part.followers, []
        for follower in followers:
            follower.lacks -= 1
        return [follower for follower in followers if not follower.lacks and follower.waits]

    def _before(self, column: _Column[Item], section: int) -> Part[Item] | None:
        for part in (column.last.get(section), column.whole):
            if part is not None and part.waits:
                return part
        return None

    def _link(self, before: Part[Item] | None, part: Part[Item]) -> None:
        if before is not None and before.waits and before is not part:
            before.followers.append(part)
            part.lacks += 1
