"""Which blobs the server is to be told of, and which were asked for.

Rules:
1. An announced id is told once, as hit or miss, however many packets name it before the next status leaves. An id
   that is announced again while it is under way is told as a hit when it has come: the server holds it open again.
2. A status names at most 4095 ids (wire.md 2.7; an implementation of 486 takes 4096 in both lists together).
3. An id stays asked until it comes, its time is over or all is cleared; what comes later was not asked for.
"""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from net.bedrock import ClientCacheBlobStatus

MOST_IDS: Final = 4095

Waiter = TypeVar("Waiter")


class Asked(Generic[Waiter]):
    """Ids under way, and who waits for each."""

    def __init__(self) -> None:
        self._waiters: dict[int, list[Waiter]] = {}
        self._due: dict[int, float] = {}  # in the order of asking, so the oldest come first
        self._again: set[int] = set()
        self._misses: dict[int, None] = {}
        self._hits: dict[int, None] = {}

    def __len__(self) -> int:
        return len(self._waiters)

    def __contains__(self, blob_id: int) -> bool:
        return blob_id in self._waiters

    def have(self, blob_id: int) -> None:
        """An announced blob is there."""
        self._hits[blob_id] = None

    def want(self, blob_id: int, due: float) -> bool:
        """An announced blob is not there; whether it was not asked for before. ``due`` never falls."""
        if blob_id in self._waiters:
            if blob_id not in self._misses:
                self._again.add(blob_id)
            return False
        self._misses[blob_id] = None
        self._waiters[blob_id] = []
        self._due[blob_id] = due
        return True

    def wait(self, blob_id: int, waiter: Waiter) -> None:
        """Somebody waits for an id that was asked for."""
        self._waiters[blob_id].append(waiter)

    def came(self, blob_id: int) -> list[Waiter]:
        """A blob that was asked for is there; gives who waits for it."""
        if blob_id in self._again:
            self._again.discard(blob_id)
            self._hits[blob_id] = None
        del self._due[blob_id]
        return self._waiters.pop(blob_id)

    def expire(self, until: float) -> None:
        """Gives up what was due by then."""
        overdue = []
        for blob_id, due in self._due.items():
            if due > until:
                break
            overdue.append(blob_id)
        for blob_id in overdue:
            del self._due[blob_id], self._waiters[blob_id]
            self._again.discard(blob_id)
            self._misses.pop(blob_id, None)

    def next_due(self) -> float | None:
        """When the oldest is given up."""
        return next(iter(self._due.values()), None)

    def clear(self) -> None:
        """Nobody waits any more, and the server has forgotten what it held open: all must be asked anew."""
        for each in (self._waiters, self._due, self._again, self._misses, self._hits):
            each.clear()

    def statuses(self) -> Iterator[ClientCacheBlobStatus]:
        """What is to be told now; each id once."""
        misses, hits = tuple(self._misses), tuple(self._hits)
        self._misses.clear()
        self._hits.clear()
        for start in range(0, len(misses) + len(hits), MOST_IDS):
            end = start + MOST_IDS
            yield ClientCacheBlobStatus(
                misses[start:end], hits[max(0, start - len(misses)) : max(0, end - len(misses))]
            )
