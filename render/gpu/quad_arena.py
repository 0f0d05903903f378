"""The quad arena: every mesh in one buffer, drawn by multi-draw (``quad_draw``).

Theory. The buffer is a buffer texture of 8-byte units (RG32UI). A page is 64 units; a mesh takes one run of pages: its
cube quads (one unit each) in group order, then its model quads (three units each). The vertex shader finds its unit as
``gl_VertexID >> 2`` and its corner as ``gl_VertexID & 3``, so a draw's base vertex is its first unit times 4. A second
buffer texture holds, per page, the render cell it belongs to: no vertex carries an origin. Free runs are kept by start
and by end, so that freeing joins neighbours in constant time; the choice is best fit with the lowest start among
equals, so equal histories give equal layouts.

Rules:
1. A run is written whole before any draw names it, and freed only after no draw list names it; GL keeps the order of
   writes and draws.
2. A run's content stays at its pages for its whole life; growth copies the buffer on the GPU.
"""

import logging
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from render.gpu import gl
from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfMemory, OutOfPages
from render.gpu.textures import BufferTexture


class PageAllocator:
    """Free runs of pages 0..capacity-1."""

    def __init__(self, pool: str, capacity: int, limit: int) -> None:
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
        """The capacity for ``wanted`` more pages in one run, at least doubled. Raises OutOfPages: over the limit."""
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


# ---------------------------------------------------------------- arena

PAGE_UNITS: Final = 64
UNIT_BYTES: Final = 8
PAGE_BYTES: Final = PAGE_UNITS * UNIT_BYTES
ORIGIN_BYTES: Final = 16

LOG: Final = logging.getLogger("chunkscope.gpu")

Words = npt.NDArray[np.uint32]


class Run(msgspec.Struct, frozen=True):
    """A mesh in the arena."""

    page: int  # its first page
    pages: int  # how many

    @property
    def first_unit(self) -> int:
        """Where its quads begin."""
        return self.page * PAGE_UNITS


class ArenaStats(msgspec.Struct, frozen=True):
    """A snapshot: pages in use, pages there are, free runs, bytes on the GPU, bytes ever uploaded."""

    pages_used: int
    pages: int
    free_runs: int
    gpu_bytes: int
    uploaded_bytes: int


class QuadArena:
    """All quads on the GPU. Owner thread only."""

    def __init__(self, gpu: Gpu, first_pages: int = 8192, limit_pages: int = 1 << 20) -> None:
        """An empty arena.

        ``first_pages``: pages to start with, 528 bytes each with their origin. ``limit_pages``: pages it may grow to,
        further bounded by the driver's longest buffer texture.
        """
        limit = min(limit_pages, gpu.capabilities.max_buffer_texels // PAGE_UNITS)
        first = min(first_pages, limit)
        self._allocator = PageAllocator("quad arena", first, limit)
        self._quads = BufferTexture(gpu, "quads", Unit.QUADS, gl.RG32UI, first * PAGE_BYTES)
        self._origins = BufferTexture(gpu, "page origins", Unit.PAGES, gl.RGBA32I, first * ORIGIN_BYTES)
        self._uploaded_bytes = 0
        self._told = False

    def put(self, units: Words, cell: tuple[int, int, int]) -> Run:
        """Stores a mesh: cube quads, then model quads, uint32[n, 2]. Raises OutOfPages: no room; the rest stays."""
        pages = -(-len(units) // PAGE_UNITS)
        page = self._allocator.take(pages)
        if page is None:
            self._grow(pages)
            page = self._allocator.take(pages)
            assert page is not None
        self._quads.write(np.ascontiguousarray(units), page * PAGE_BYTES)
        origins = np.zeros((pages, 4), np.int32)
        origins[:, :3] = cell
        self._origins.write(origins, page * ORIGIN_BYTES)
        self._uploaded_bytes += units.nbytes + origins.nbytes
        return Run(page, pages)

    def has_room(self, units: int) -> bool:
        """Whether a mesh of so many units could be stored, as far as one can know without asking the driver."""
        return self._allocator.fits(-(-units // PAGE_UNITS))

    def free(self, run: Run) -> None:
        """Gives a mesh's pages back."""
        self._allocator.free(run.page, run.pages)

    def read(self, run: Run) -> Words:
        """A run's units back from the GPU, uint32[pages * 64, 2]; the rest of its last page is undefined."""
        size = run.pages * PAGE_BYTES
        return self._quads.read(size, run.page * PAGE_BYTES).view(np.uint32).reshape(-1, 2)

    def bind(self) -> None:
        """Binds both buffer textures to their units."""
        self._quads.bind()
        self._origins.bind()

    def stats(self) -> ArenaStats:
        """Counts for panels and tests."""
        allocator = self._allocator
        gpu_bytes = self._quads.bytes + self._origins.bytes
        return ArenaStats(allocator.used, allocator.capacity, allocator.runs, gpu_bytes, self._uploaded_bytes)

    def release(self) -> None:
        """Frees the GL objects."""
        self._quads.release()
        self._origins.release()

    def _grow(self, pages: int) -> None:
        try:
            capacity = self._allocator.grown(pages)
        except OutOfPages:
            if not self._told:
                LOG.warning("quad arena: all %d pages are in use: some meshes are missing", self._allocator.limit)
            self._told = True
            raise
        try:
            for part, size in ((self._origins, ORIGIN_BYTES), (self._quads, PAGE_BYTES)):
                if part.bytes < capacity * size:  # one of them may have grown before the other could not
                    part.grow(capacity * size)
        except OutOfMemory as error:
            had = self._allocator.capacity
            LOG.warning(
                "quad arena: no GPU memory for %d pages beyond %d: some meshes are missing", capacity - had, had
            )
            self._allocator.limit, self._told = had, True
            raise OutOfPages("quad arena", pages, had) from error
        self._allocator.extend(capacity)
