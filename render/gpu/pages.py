"""Which pages of the quad arena are free. Plain bookkeeping, no GL.

Theory: an allocation is one contiguous run of pages, because one draw command covers one run. Free runs are kept by
start and by end, so that freeing joins both neighbours in constant time; the choice is best fit with the lowest start
among equals, so equal histories give equal layouts.

Limits: best fit scans the free runs, a few hundred at most (each is bounded by live meshes on both sides).
"""

from render.gpu.errors import OutOfPages


class PageAllocator:
    """Free runs of pages 0..capacity-1."""

    def __init__(self, pool: str, capacity: int, limit: int) -> None:
        """An empty allocator.

        Args:
            pool: name for errors.
            capacity: pages there are now.
            limit: pages it may ever have.
        """
        self._pool = pool
        self.capacity = capacity
        self.limit = limit
        self.used = 0
        self._length_from: dict[int, int] = {0: capacity} if capacity else {}
        self._start_to: dict[int, int] = {capacity: 0} if capacity else {}

    def take(self, pages: int) -> int | None:
        """The first page of a free run of this length, or None where growth is needed."""
        best = min(
            ((length, start) for start, length in self._length_from.items() if length >= pages),
            default=None,
        )
        if best is None:
            return None
        length, start = best
        self._remove(start, length)
        if length > pages:
            self._insert(start + pages, length - pages)
        self.used += pages
        return start

    def fits(self, pages: int) -> bool:
        """Whether a run of this length could be taken, if need be after growth."""
        tail = self._start_to.get(self.capacity, self.capacity)
        return tail + pages <= self.limit or any(length >= pages for length in self._length_from.values())

    def free(self, start: int, pages: int) -> None:
        """Gives a run back, joined with free neighbours."""
        self.used -= pages
        before = self._start_to.get(start)
        if before is not None:
            self._remove(before, start - before)
            start, pages = before, pages + start - before
        after = self._length_from.get(start + pages)
        if after is not None:
            self._remove(start + pages, after)
            pages += after
        self._insert(start, pages)

    def grown(self, wanted: int) -> int:
        """The capacity that holds ``wanted`` more pages in one run, at least doubled.

        Raises:
            OutOfPages: that is over the limit.
        """
        tail = self._start_to.get(self.capacity, self.capacity)
        least = tail + wanted
        if least > self.limit:
            raise OutOfPages(self._pool, wanted, self.limit)
        return min(max(least, self.capacity * 2), self.limit)

    def extend(self, capacity: int) -> None:
        """Adds the pages from the old capacity to a larger one."""
        old, self.capacity = self.capacity, capacity
        self.used += capacity - old
        self.free(old, capacity - old)

    @property
    def runs(self) -> int:
        """Free runs: 1 is not fragmented at all."""
        return len(self._length_from)

    def _insert(self, start: int, length: int) -> None:
        self._length_from[start] = length
        self._start_to[start + length] = start

    def _remove(self, start: int, length: int) -> None:
        del self._length_from[start]
        del self._start_to[start + length]
