"""Parts of packets that wait: how many may, for what, and for how long.

Rules:
1. A part waits for blobs (``asked``) and for parts before it (``order``); it leaves when it lacks neither, and what
   waited for it alone leaves with it.
2. What is too much (``BlobLimits``) is dropped and counted, as if it had never been sent.
3. Patience is counted from the last blob that came, so a slow wire is not taken for a silent server; but no part
   waits longer than ``longest_s``.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Generic

from net.blobs.asked import Asked
from net.blobs.order import FEW, Item, Order, Part
from net.frozen import frozen
from net.space.positions import ColumnPos

PART_BYTES: Final = 1024
"""What a part costs beside its contents (measured: 950)."""


@frozen
class BlobLimits:
    """Bounds of what waits.

    Attributes:
        parts: columns and answers.
        held_bytes: of all parts.
        asked: ids.
        patience_s: without any blob, until a part is given up.
        longest_s: until a part is given up in any case.
    """

    parts: int = 1 << 16
    held_bytes: int = 64 << 20
    asked: int = 1 << 16
    patience_s: float = 10.0
    longest_s: float = 60.0


class Held(Generic[Item]):
    """What waits.

    Attributes:
        asked: ids under way, and which parts wait for each.
        waiting: how many parts wait.
        size_bytes: of all of them.
        came_at: when the last blob came, monotonic seconds; its owner says so.
        misses: ids asked for so far.
        timed_out: parts given up so far.
        overflowed: parts dropped so far.
    """

    def __init__(self, limits: BlobLimits) -> None:
        self._limits = limits
        self.asked: Asked[Part[Item]] = Asked()
        self._order: Order[Item] = Order()
        self._queue: deque[Part[Item]] = deque()  # all that wait, and some that left, in the order of their due times
        self.waiting = self.size_bytes = 0
        self.came_at = float("-inf")
        self.misses = self.timed_out = self.overflowed = 0

    def blocked(self, column: ColumnPos, section: int | None) -> bool:
        """Whether something about this place waits; ``section`` None asks for the whole column."""
        return self._order.blocked(column, section)

    def hold(self, part: Part[Item], ids: Collection[int]) -> None:
        """Lets a part wait for what it lacks of ``ids``, or drops it where too much waits."""
        missing = [blob_id for blob_id in dict.fromkeys(ids) if blob_id not in part.found]
        part.size_bytes += PART_BYTES + sum(map(len, part.found.values()))
        limits = self._limits
        if (
            self.waiting >= limits.parts
            or self.size_bytes + part.size_bytes > limits.held_bytes
            or len(self.asked) + len(missing) > limits.asked
        ):
            self.overflowed += 1
            return
        for blob_id in missing:
            self.misses += self.asked.want(blob_id, part.due)
            self.asked.wait(blob_id, part)
        part.lacks = len(missing)
        self._order.add(part)
        if len(self._queue) >= FEW + 2 * self.waiting:  # a first one that stays must not keep all that came and left
            self._queue = deque(other for other in self._queue if other.waits)
        self._queue.append(part)
        self.waiting += 1
        self.size_bytes += part.size_bytes

    def complete(self, blob_id: int, content: bytes) -> Iterator[Part[Item]]:
        """The parts that lack nothing more now that this blob is there."""
        for part in self.asked.came(blob_id):
            if not part.waits:
                continue
            part.found[blob_id] = content
            part.size_bytes += len(content)
            self.size_bytes += len(content)
            part.lacks -= 1
            if not part.lacks:
                yield part

    def leave(self, ready: Iterable[Part[Item]]) -> list[Part[Item]]:
        """Parts leave, and with them those that waited for them alone; in the order in which they came."""
        leaving, left = list(ready), []
        while leaving:
            part = leaving.pop()
            leaving += self._remove(part)
            left.append(part)
        return sorted(left, key=_wire_order)

    def _remove(self, part: Part[Item]) -> list[Part[Item]]:
        self.waiting -= 1
        self.size_bytes -= part.size_bytes
        return self._order.remove(part)

    def expire(self, now: float) -> list[Part[Item]]:
        """Gives up what waited too long; gives what waited for that alone, in the order in which it came."""
        until = now - self._extension(now)
        self.asked.expire(until)
        left: list[Part[Item]] = []
        while self._queue and (not self._queue[0].waits or self._queue[0].due <= until):
            part = self._queue.popleft()
            if part.waits:
                self.timed_out += 1
                left += self.leave(self._remove(part))
        return sorted(left, key=_wire_order)

    def _extension(self, now: float) -> float:
        """Seconds that what waits is given beyond its due time."""
        limits = self._limits
        return limits.longest_s - limits.patience_s if now < self.came_at + limits.patience_s else 0.0

    def next_timer(self) -> float | None:
        """When ``expire`` has work at the latest; None while nothing waits."""
        while self._queue and not self._queue[0].waits:
            self._queue.popleft()
        dues = [self._queue[0].due] if self._queue else []
        asked = self.asked.next_due()
        dues += [] if asked is None else [asked]
        if not dues:
            return None
        due, limits = min(dues), self._limits
        return min(max(due, self.came_at + limits.patience_s), due + limits.longest_s - limits.patience_s)

    def drop_all(self) -> None:
        """Nothing waits any more, nothing is asked."""
        self.asked.clear()
        self._order = Order()
        self._queue.clear()
        self.waiting = self.size_bytes = 0


def _wire_order(part: Part[Item]) -> tuple[int, int]:
    return part.parcel.number, part.index
