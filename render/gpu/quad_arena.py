"""The quad arena: every mesh in one buffer, drawn by multi-draw.

Theory. The buffer is a buffer texture of 8-byte units (RG32UI). A page is 64 units; a mesh takes one run of pages: its
cube quads (one unit each) in group order, then its model quads (three units each). The vertex shader finds its unit as
``gl_VertexID >> 2`` and its corner as ``gl_VertexID & 3``, so a draw's base vertex is its first unit times 4. A second
buffer texture holds, per page, the render cell it belongs to: no vertex carries an origin. Free runs are kept by start
and by end, so that freeing joins neighbours in constant time; the choice is best fit with the lowest start among
equals, so equal histories give equal layouts.

Rules:
1. A run is written completely before a draw uses it, and freed when no draw list contains it; GL keeps the order of
   writes and draws.
2. A run never moves; growth copies the buffer on the GPU.

``QuadDrawer`` draws many runs of quads in one call. Formats differ only in their index pattern, the number of vertices
from one quad to the next; the base vertex selects the run. A program with two formats has a pattern for each, and
finds the format from the vertex number. Two ways give the same pixels: glMultiDrawElementsBaseVertex (GL 3.2) with
arrays in our memory, and glMultiDrawElementsIndirect (GL 4.3) with commands in a buffer, sent when they change.

Rules:
1. ``load`` uploads the runs, ``draw_loaded`` draws all or some of them: an unchanged frame uploads nothing.
2. Runs are drawn in the given order; runs with their own indices (``QuadIndices.write``) have any order of quads.
"""

import logging
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import I32, I64, U32
from render.errors import OutOfMemory, OutOfPages
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.draw_command_kernels import COMMAND_WORDS, write_commands, write_runs
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
        best = min(((length, start) for start, length in self._length_from.items() if length >= pages), default=None)
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

Words = U32


class Run(msgspec.Struct, frozen=True):
    """A mesh in the arena."""

    page: int  # its first page
    pages: int  # how many


class ArenaStats(msgspec.Struct, frozen=True):
    """A snapshot: pages in use, pages there are, bytes on the GPU, bytes ever uploaded."""

    pages_used: int
    pages: int
    gpu_bytes: int
    uploaded_bytes: int


class QuadArena(GlOwner):
    """All quads on the GPU. Owner thread only."""

    def __init__(self, gpu: Gpu, first_pages: int = 8192, limit_pages: int = 1 << 20) -> None:
        """An empty arena.

        ``first_pages``: pages to start with, 528 bytes each with their origin. ``limit_pages``: pages it may grow to,
        further bounded by the driver's longest buffer texture.
        """
        super().__init__(gpu)
        limit = min(limit_pages, gpu.capabilities.max_buffer_texels // PAGE_UNITS)
        first = min(first_pages, limit)
        self._allocator = PageAllocator("quad arena", first, limit)
        self._quads = self._own(BufferTexture(gpu, "quads", Unit.QUADS, gl.RG32UI, first * PAGE_BYTES))
        self._origins = self._own(BufferTexture(gpu, "page origins", Unit.PAGES, gl.RGBA32I, first * ORIGIN_BYTES))
        self._uploaded_bytes = 0
        self._reported = False

    def put(self, units: Words, cell: tuple[int, int, int]) -> Run:
        """Stores a mesh: cube quads, then model quads, uint32[n, 2]. Raises OutOfPages: full; nothing changes."""
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

    def has_space(self, units: int) -> bool:
        """Whether a mesh of that many units would fit, if the driver grants the memory to grow."""
        return self._allocator.fits(-(-units // PAGE_UNITS))

    def free(self, run: Run) -> None:
        self._allocator.free(run.page, run.pages)

    def read(self, run: Run) -> Words:
        """A run's units back from the GPU, uint32[pages * 64, 2]; the rest of its last page is undefined."""
        size = run.pages * PAGE_BYTES
        return self._quads.read(size, run.page * PAGE_BYTES).view(np.uint32).reshape(-1, 2)

    def bind(self) -> None:
        self._quads.bind()
        self._origins.bind()

    def stats(self) -> ArenaStats:
        allocator = self._allocator
        gpu_bytes = self._quads.bytes + self._origins.bytes
        return ArenaStats(allocator.used, allocator.capacity, gpu_bytes, self._uploaded_bytes)

    def _grow(self, pages: int) -> None:
        try:
            capacity = self._allocator.grown(pages)
        except OutOfPages:
            if not self._reported:
                LOG.warning("quad arena: all %d pages are in use: some meshes are missing", self._allocator.limit)
            self._reported = True
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
            self._allocator.limit, self._reported = had, True
            raise OutOfPages("quad arena", pages, had) from error
        self._allocator.extend(capacity)


# --------------------------------------------------------------------- quad draw

CORNERS: Final = np.array((0, 1, 2, 0, 2, 3), np.uint32)
"""Of a quad's two triangles."""
QUAD_BYTES: Final = 4 * len(CORNERS)
"""Of indices."""
Runs = tuple[I32, I32, I32]
"""First units, quads and first indices."""
NOTHING: Final = np.zeros(0, np.int32)


class QuadFormat(NamedTuple):
    """How a program finds quads."""

    vertices: int  # of a unit
    # vertices from one quad to the next, and the first quad's first one, for each kind of quads
    patterns: tuple[tuple[int, int], ...]


CUBES: Final = QuadFormat(4, ((4, 0),))
MODELS: Final = QuadFormat(4, ((12, 0),))
"""``vertex = first unit of the quad * 4 + corner``."""


class QuadIndices:
    """An index buffer: indices for sorted quads, and after them the patterns of a format."""

    def __init__(self, gpu: Gpu, form: QuadFormat, longest_quads: int = 4096) -> None:
        """Makes the patterns. ``longest_quads``: quads one run can have at first; grows."""
        self._gpu = gpu
        self._patterns = form.patterns
        self._longest = longest_quads
        self._written = 0
        self.version = 0  # how often it was made
        self.buffer: Any = None  # the GL buffer; another one whenever ``version`` grows
        self.starts: I32 = np.zeros(0, np.int32)  # int32[patterns] the first index of each
        self._make()

    def resize(self, quads: int) -> None:
        """Extends the patterns to runs of that many quads."""
        if quads > self._longest:
            self._longest = 1 << (quads - 1).bit_length()
            self._make()

    def holds(self, quads: int) -> bool:
        """Whether it has room for exactly so many quads of others' indices."""
        return self._written == quads

    def write(self, indices: I32, begin: int, end: int) -> None:
        """Writes rows ``begin`` to ``end`` of the sorted quads' indices [n, 6]; all rows if n has changed."""
        if len(indices) != self._written:
            self._written = len(indices)
            self._make()
        if begin < end:
            self.buffer.write(indices[begin:end], offset=begin * QUAD_BYTES)

    def release(self) -> None:
        self.buffer.release()

    def _make(self) -> None:
        older, before = self.buffer, self._written
        quads = before + np.arange(len(self._patterns) + 1, dtype=np.int32) * np.int32(self._longest)
        space = int(quads[-1]) * QUAD_BYTES
        self.starts = quads[:-1] * np.int32(len(CORNERS))
        self.buffer = self._gpu.ctx.buffer(reserve=space, dynamic=bool(before))
        self.buffer.label = "quad corners"
        for (step, first), start in zip(self._patterns, self.starts.tolist(), strict=True):
            firsts = np.arange(self._longest, dtype=np.uint32)[:, None] * np.uint32(step) + np.uint32(first)
            self.buffer.write(firsts + CORNERS, offset=4 * start)
        if older is not None:
            if before * QUAD_BYTES <= older.size:
                self._gpu.ctx.copy_buffer(self.buffer, older, size=before * QUAD_BYTES)
            older.release()
        self.version += 1


class QuadDrawer:
    """Draws runs of quads with one program."""

    def __init__(self, gpu: Gpu, program: Any, form: QuadFormat, indirect: bool = False) -> None:
        """Draws nothing yet; ``program`` reads units by ``gl_VertexID``, ``indirect`` commands lie in a buffer."""
        self._gpu = gpu
        self.program = program
        self._vertices = form.vertices
        self._indirect = indirect
        self.indices = QuadIndices(gpu, form)  # for the order of quads too
        self._version = self._array_of = 0
        self._array: Any = None
        self._loaded = 0
        self._runs: Runs = (NOTHING, NOTHING, NOTHING)
        self._counts_and_bases: I32 = np.zeros((2, 0), np.int32)
        self._offsets: I64 = np.zeros(0, np.int64)
        self._space = 0
        self._commands: Any = None

    def draw(self, first_units: npt.NDArray[np.integer], quads: npt.NDArray[np.integer]) -> None:
        """Loads and draws runs of ``quads`` quads from ``first_units`` on; zeros are left out."""
        some = quads > 0
        self.load(first_units[some], quads[some])
        self.draw_loaded()

    def load(
        self, first_units: npt.NDArray[np.integer], quads: npt.NDArray[np.integer], first_indices: I32 = NOTHING
    ) -> None:
        """Takes runs in place of those before.

        Args:
            first_units: [n] unit where each run begins; those by indices of others count vertices from there.
            quads: [n] quads of each, more than 0.
            first_indices: [n] where a run's indices begin among those written; -1 for one in the arena's order by the
                first pattern, -2 by the second; all are by the first unless given. None of the three is written to
                any more.
        """
        self._loaded = len(quads)
        if not self._loaded:
            return
        self.indices.resize(int(quads.max()))
        self._runs = np.ascontiguousarray(first_units, np.int32), np.ascontiguousarray(quads, np.int32), first_indices
        self._version = 0

    def draw_loaded(self) -> None:
        if not self._loaded:
            return
        if self._version != self.indices.version:
            self._point()
        if self._indirect:
            self._array.render_indirect(self._commands, count=self._loaded)
            return
        counts, bases = (row.ctypes.data for row in self._counts_and_bases)
        self._gpu.raw.multi_draw(
            self.program.glo, self._array.glo, counts, self._offsets.ctypes.data, bases, self._loaded
        )

    def release(self) -> None:
        for made in (self._array, self._commands):
            if made is not None:
                made.release()
        self.indices.release()

    def _point(self) -> None:
        """Says where in the index buffer each run begins."""
        indices = self.indices
        if self._array is None or self._array_of != indices.version:
            if self._array is not None:
                self._array.release()
            self._array = self._gpu.ctx.vertex_array(self.program, [], index_buffer=indices.buffer)
            self._array.label = self.program.label
            self._array_of = indices.version
        if self._indirect:
            self._send()
        else:
            self._counts_and_bases = np.empty((2, self._loaded), np.int32)
            self._offsets = np.empty(self._loaded, np.int64)
            write_runs(*self._runs, indices.starts, self._vertices, self._counts_and_bases, self._offsets)
        self._version = indices.version

    def _send(self) -> None:
        commands = np.empty((self._loaded, COMMAND_WORDS), np.int32)
        write_commands(*self._runs, self.indices.starts, self._vertices, commands)
        if self._loaded > self._space:
            if self._commands is not None:
                self._commands.release()
            self._space = 1 << (self._loaded - 1).bit_length()
            self._commands = self._gpu.ctx.buffer(reserve=self._space * commands.itemsize * COMMAND_WORDS, dynamic=True)
            self._commands.label = "draw commands"
        else:
            self._commands.orphan()
        self._commands.write(commands)
