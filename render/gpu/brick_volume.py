"""A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas.

Theory. An entry of the table (``page_table``) is a brick's number with bit 31 set, or the value of a uniform sub-chunk:
0 is air, or dark. Bit 30 alone marks a known sub-chunk without a brick (``leave_out``), whose values are not on the
GPU.

Rules:
1. A brick is written before ``flush`` publishes it. The CPU pools are the master copy; this is a cache of them.
2. All methods take batches: a call costs about 50 us of NumPy, however many sub-chunks it has.
3. If the driver lacks memory for a doubled table, the table stays, and ``place`` returns which sub-chunks have no
   entry.
4. ``shrink`` halves the memory when a quarter suffices. It moves bricks, so numbers from ``hold`` are invalid after it.

``BrickAtlas``: bricks of 16 x 16 x 16 values in one 3D texture. Brick b lies at ``(b // side^2, b / side % side, b %
side) * 16`` of the texture as x, z, y, whose texel is ``pos.yzx``: width is y, so a brick's array ``[x, z, y]`` uploads
without a transposition. Bricks whose numbers differ by a layer (``side^2``) are adjacent in depth, so their arrays are
one write; ``BrickList`` allocates numbers in that order. Equal histories give equal numbers.

The texture grows and shrinks in depth only, by doubling and halving. Growing keeps every number. Shrinking, to a half
when a quarter is in use, moves the bricks beyond the new end and returns their old and new numbers. If the driver has
no memory to grow, the present size becomes the limit (``OutOfPages`` for what does not fit).
"""

import logging
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.arrays import I64, U16, U32, BlockIds, Bools, Slots, SubChunkPositions
from render.errors import OutOfMemory, OutOfPages
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.page_table import BRICK_FLAG, LEFT_OUT, Index, PagedStats, PageTable

Numbers = I64


class BrickList:
    """Free and used bricks 0..layer * depth - 1."""

    def __init__(self, layer: int, depth: int) -> None:
        self._layer = layer
        self._free: Bools = np.ones((layer, depth), np.bool_)  # by pile
        self.used = 0  # bricks in use

    @property
    def depth(self) -> int:
        return int(self._free.shape[1])

    def take(self, count: int) -> Numbers:
        """Allocates ``bricks`` bricks; the caller has checked that so many are free."""
        piles, layers = np.divmod(np.flatnonzero(self._free)[:count], self.depth)
        assert len(piles) == count, "more bricks are taken than there are"
        self._free[piles, layers] = False
        self.used += count
        return (layers * self._layer + piles).astype(np.int64)

    def free(self, numbers: npt.NDArray[np.integer[Any]]) -> None:
        """Gives bricks back, each in use and named once."""
        layers, piles = np.divmod(numbers.astype(np.int64), self._layer)
        assert not self._free[piles, layers].any(), "a brick is given back twice"
        self._free[piles, layers] = True
        self.used -= len(numbers)

    def grow(self, depth: int) -> None:
        more = np.ones((self._layer, depth - self.depth), np.bool_)
        self._free = np.concatenate([self._free, more], axis=1)

    def shrink(self, depth: int) -> tuple[Numbers, Numbers]:
        """Drops the layers from a depth on; the numbers that used bricks there had, and those they have now."""
        piles, layers = np.nonzero(~self._free[:, depth:])
        moved: Numbers = (layers + depth) * self._layer + piles
        self._free = self._free[:, :depth].copy()
        self.used -= len(moved)
        return moved, self.take(len(moved))


BRICK_BYTES: Final = 8192
BRICK_SIDE: Final = 16
MOST_JOINED: Final = 64
"""Bricks of one write: half a MiB, which a cache holds between gathering and sending."""

LOG: Final = logging.getLogger("chunkscope.gpu")

Brick = U16
"""[4096] or [16, 16, 16]: index x << 8 | z << 4 | y."""


class BrickAtlas:
    """A growing and shrinking R16UI texture of bricks."""

    def __init__(self, gpu: Gpu, label: str, unit: Unit, first_bricks: int = 1024, limit_bricks: int = 131072) -> None:
        """An empty atlas.

        ``first_bricks``: size to start with, rounded up to a full layer. ``limit_bricks``: size it may grow to, rounded
        down to full layers, at least one; further bounded by the driver.
        """
        self._gpu = gpu
        self._label = label
        self._unit = unit
        longest = gpu.capabilities.max_texture_3d // BRICK_SIDE
        self.side = min(16, longest)  # bricks along width and height
        self.writes = 0  # calls that wrote bricks, in all
        layer = self.side * self.side
        self._limit_depth = min(longest, max(1, limit_bricks // layer))
        self._first_depth = self._depth = min(self._limit_depth, -(-first_bricks // layer))
        self._texture: Any = self._allocate(self._depth)
        self._list = BrickList(layer, self._depth)
        self._staging: U16 = np.empty((MOST_JOINED, BRICK_SIDE**3), np.uint16)

    @property
    def capacity(self) -> int:
        return self._depth * self.side * self.side

    @property
    def limit(self) -> int:
        return self._limit_depth * self.side * self.side

    @property
    def used(self) -> int:
        return self._list.used

    @property
    def gpu_bytes(self) -> int:
        return self.capacity * BRICK_BYTES

    def take(self, bricks: int) -> I64:
        """Allocates bricks, adjacent ones if possible; grows. Raises OutOfPages: at the limit; takes none then."""
        while self.capacity - self.used < bricks:
            self._grow(bricks)
        return self._list.take(bricks)

    def free(self, bricks: npt.NDArray[np.integer[Any]]) -> None:
        self._list.free(bricks)

    def write(self, bricks: I64, pool: BlockIds, slots: Slots) -> None:
        """Uploads bricks [n], each once, from rows ``slots`` of a pool uint16[slots, 4096]; runs are joined."""
        layer = self.side * self.side
        order = np.lexsort((bricks // layer, bricks % layer))
        bricks, slots = bricks[order], slots[order]
        number = np.arange(len(bricks))
        joined = np.diff(bricks, prepend=-1 - layer) == layer
        in_run = number - np.maximum.accumulate(np.where(joined, 0, number))
        starts = np.flatnonzero(in_run % MOST_JOINED == 0)
        self._write_runs(starts.tolist(), [*starts[1:].tolist(), len(bricks)], bricks[starts], pool, slots)
        self.writes += len(starts)

    def bind(self) -> None:
        self._texture.use(int(self._unit))

    def bind_image(self, image: int) -> None:
        """Binds it to an image unit, for compute shaders that read and write bricks."""
        self._texture.bind_to_image(image, read=True, write=True)

    def content(self) -> Brick:
        """All bricks back from the GPU, [x, z, y]; waits, for checks."""
        self._gpu.wait()
        width = self.side * BRICK_SIDE
        return np.frombuffer(self._texture.read(alignment=2), np.uint16).reshape(-1, width, width)

    def shrunk(self) -> tuple[I64, I64]:
        """Halves the atlas if at most a quarter is in use; returns [n] old and [n] new numbers of moved bricks."""
        depth = max(self._depth // 2, self._first_depth)
        nobody = np.zeros(0, np.int64)
        if depth == self._depth or self.used * 4 > self.capacity:
            return nobody, nobody
        try:
            texture = self._allocate(depth)
        except OutOfMemory:
            return nobody, nobody  # memory for both is needed for a moment; without it the larger one stays
        moved, to = self._list.shrink(depth)
        self._copy(self._texture, texture, depth, moved, to)
        self._replace(texture, depth)
        return moved, to

    def release(self) -> None:
        self._texture.release()

    def _write_runs(self, starts: list[int], ends: list[int], bricks: I64, pool: BlockIds, slots: Slots) -> None:
        """Writes runs of slots, each from its first brick on; nothing but the call between two runs.

        ``take`` fills the staging bricks directly only where it is given a mode.
        """
        side, staging, write = self.side, self._staging, self._texture.write
        xs = (bricks // (side * side) * BRICK_SIDE).tolist()
        zs = (bricks // side % side * BRICK_SIDE).tolist()
        ys = (bricks % side * BRICK_SIDE).tolist()
        rows = slots.tolist()
        for start, end, x, z, y in zip(starts, ends, xs, zs, ys, strict=True):
            count = end - start
            one = count == 1
            values = pool[rows[start]] if one else pool.take(slots[start:end], 0, staging[:count], "clip")
            write(values, viewport=(y, z, x, BRICK_SIDE, BRICK_SIDE, BRICK_SIDE * count), alignment=2)

    def _corner(self, brick: int) -> tuple[int, int, int]:
        """Its first texel: y, z, x."""
        side = self.side
        return brick % side * BRICK_SIDE, brick // side % side * BRICK_SIDE, brick // (side * side) * BRICK_SIDE

    def _allocate(self, depth: int) -> Any:
        width = self.side * BRICK_SIDE
        texture = self._gpu.ctx.texture3d((width, width, depth * BRICK_SIDE), 1, dtype="u2", alignment=2)
        texture.filter = (0x2600, 0x2600)  # GL_NEAREST: integer textures have no other
        texture.label = self._label
        try:
            self._gpu.check()
        except OutOfMemory:
            texture.release()
            raise
        return texture

    def _grow(self, wanted: int) -> None:
        """Doubles it, or adds less where the driver has no memory for that."""
        more = min(self._depth, self._limit_depth - self._depth)
        while more > 0:
            try:
                texture = self._allocate(self._depth + more)
            except OutOfMemory:
                LOG.warning("%s: no GPU memory is left for %d more bricks", self._label, more * self.side * self.side)
                more //= 2
                self._limit_depth = self._depth + more
                continue
            self._copy(self._texture, texture, self._depth, *[np.zeros(0, np.int64)] * 2)
            self._list.grow(self._depth + more)
            self._replace(texture, self._depth + more)
            return
        raise OutOfPages(self._label, wanted, self.capacity)

    def _replace(self, texture: Any, depth: int) -> None:
        self._texture.release()
        self._texture, self._depth = texture, depth

    def _copy(self, old: Any, new: Any, depth: int, moved: I64, to: I64) -> None:
        """Layers below a depth, and bricks from beyond it; on the GPU where it can."""
        width, texels = self.side * BRICK_SIDE, depth * BRICK_SIDE
        corners = zip(map(self._corner, moved.tolist()), map(self._corner, to.tolist()), strict=True)
        boxes = [((0, 0, 0), (0, 0, 0), (width, width, texels)), *((*pair, (BRICK_SIDE,) * 3) for pair in corners)]
        content = None if self._gpu.raw.copies_images else self.content()
        for (y, z, x), target, size in boxes:
            if content is None:
                self._gpu.raw.copy_3d(old.glo, (y, z, x), new.glo, target, size)
            else:
                part = np.ascontiguousarray(content[x : x + size[2], z : z + size[1], y : y + size[0]])
                new.write(part, viewport=(*target, *size), alignment=2)


OWN_BRICK: Final = 0xFFFFFFFF
READ_AT_ONCE: Final = 125
"""Sub-chunks: 2 MB."""
LINE, LINES = 256, 16
"""Pixels of a line, lines of a sub-chunk."""


class VolumeReader(GlOwner):
    """Reads sub-chunks back as shaders find them, through page table and atlas. Owner thread only."""

    def __init__(self, gpu: Gpu, units: tuple[Unit, Unit]) -> None:
        super().__init__(gpu)
        atlas, table = (unit.name.lower() for unit in units)
        defines = {"ATLAS": atlas, "TABLE": table, "AT_ONCE": str(READ_AT_ONCE)}
        self._array: Any = self._own(gpu.vertices("full_screen.vert", "volume_read.frag", defines))
        self._texture: Any = self._own(gpu.ctx.texture((LINE, LINES * READ_AT_ONCE), 1, dtype="u4"))
        self._texture.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._texture.label = "volume read back"
        self._framebuffer: Any = self._own(gpu.ctx.framebuffer([self._texture]))
        self._framebuffer.label = self._texture.label

    def read(self, positions: SubChunkPositions, mask: tuple[int, int, int]) -> U32:
        """uint32[n, 4096] of at most ``READ_AT_ONCE`` sub-chunks; the volume is bound; another framebuffer is then."""
        sections = np.zeros((READ_AT_ONCE, 3), np.int32)
        sections[: len(positions)] = positions
        self._array.program["sections"].write(sections)
        self._array.program["mask"].value = mask
        size = LINE, LINES * len(positions)
        self._framebuffer.use()
        self._framebuffer.viewport = 0, 0, *size
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)
        self._gpu.wait()
        raw = self._framebuffer.read(viewport=(0, 0, *size), components=1, dtype="u4")
        return np.frombuffer(raw, np.uint32).reshape(len(positions), LINE * LINES)


class PagedVolume:
    """One sparse volume. Owner thread only."""

    def __init__(
        self,
        gpu: Gpu,
        label: str,
        units: tuple[Unit, Unit],
        table_size: tuple[int, int, int] = (64, 32, 64),
        first_bricks: int = 1024,
        limit_bricks: int = 131072,
    ) -> None:
        """An empty volume. ``table_size``: entries along x, y, z to start with, powers of two."""
        self._gpu, self._units = gpu, units
        self._reader: VolumeReader | None = None
        self._atlas = BrickAtlas(gpu, f"{label} atlas", units[0], first_bricks, limit_bricks)
        self._table = PageTable(gpu, label, units[1], table_size)
        self._uploaded_bytes = self._brick_bytes = 0
        self._shrinkable = False

    @property
    def limit(self) -> int:
        """Bricks it may have; less than at first where the driver had no memory for more."""
        return self._atlas.limit

    @property
    def table_mask(self) -> tuple[int, int, int]:
        """What a sub-chunk's x, y, z are ANDed with to find its entry, for shaders."""
        return self._table.torus.mask

    def place(self, positions: SubChunkPositions) -> Bools:
        """Grows the table for sub-chunks; returns bool[n] which of them can have an entry.

        These are all, unless the driver lacks memory for a larger table: then the first ones in the given order.
        """
        return self._table.place(positions)

    def set_uniform(self, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Sets uniform sub-chunks, each given once. Raises OutOfPages: no entries; nothing is changed then."""
        if len(positions):
            index = self._table.claim(positions)
            self._free_bricks(index)
            self._table.enter(index, values.astype(np.uint32))

    def set_bricks(self, positions: SubChunkPositions, pool: BlockIds, slots: Slots) -> None:
        """Uploads sub-chunks.

        ``positions``: [n, 3], each at most once a call. ``pool``: uint16[slots, 4096]. ``slots``: [n] row of the pool
        for each.

        Raises:
            OutOfPages: the atlas has reached its limit, or the table; nothing of this call is shown then.
        """
        if not len(positions):
            return
        index, entries, _before = self._with_bricks(positions)
        self._atlas.write((entries & ~np.uint32(BRICK_FLAG)).astype(np.int64), pool, slots)
        self._uploaded_bytes += BRICK_BYTES * len(entries)
        self._brick_bytes += BRICK_BYTES * len(entries)
        self._table.enter(index, entries)

    def leave_out(self, positions: SubChunkPositions) -> None:
        """Marks sub-chunks as known but without a brick, each given once; shaders read them as no value."""
        self.set_uniform(positions, np.full(len(positions), LEFT_OUT, np.uint32))

    def hold(self, positions: SubChunkPositions) -> tuple[U32, U32]:
        """Gives each sub-chunk a brick that a compute shader can write to.

        ``positions``: [n, 3], each at most once.

        Returns:
            [n] the bricks; [n] ``OWN_BRICK`` if it had one already, else its uniform value before; the content of a new
            brick is undefined.

        Raises:
            OutOfPages: the atlas or the table has reached its limit; nothing is changed then.
        """
        index, entries, before = self._with_bricks(positions)
        held = np.where((before & BRICK_FLAG) == 0, before, np.uint32(OWN_BRICK))
        self._table.enter(index, entries)
        return entries & ~np.uint32(BRICK_FLAG), held

    def remove(self, positions: npt.NDArray[np.integer[Any]]) -> None:
        """Forgets sub-chunks, present or not; their entries read 0 again."""
        if not len(positions):
            return
        present = positions[self._table.torus.has(positions)]
        if len(present):
            index = self._table.torus.index(present)
            self._free_bricks(index)
            self._table.forget(index)
            self._shrinkable = True

    def clear(self) -> None:
        self.remove(self._table.torus.positions)

    def flush(self) -> None:
        """Publishes entries changed since the last flush."""
        self._uploaded_bytes += self._table.flush()

    def shrink(self) -> None:
        """Halves the atlas, and axes of the table, where a quarter would do; ``flush`` comes after it."""
        if self._shrinkable:
            self._shrinkable = False
            self._table.renumber(*self._atlas.shrunk())
            self._table.shrink()

    def bind(self) -> None:
        self._atlas.bind()
        self._table.bind()

    def bind_image(self, image: int) -> None:
        self._atlas.bind_image(image)

    def entries(self) -> U32:
        """uint32[x, z, y] the page table as the GPU holds it, a copy; waits."""
        self._gpu.wait()
        return self._table.read().copy()

    def index_of(self, positions: npt.NDArray[np.integer[Any]]) -> Index:
        """Where in ``entries`` sub-chunks are, present or not."""
        return self._table.torus.index(positions)

    def values_of(self, positions: SubChunkPositions) -> U32:
        """uint32[n, 4096] sub-chunks as shaders read them, ``LEFT_OUT`` without a brick; waits for the GPU."""
        if self._reader is None:
            self._reader = VolumeReader(self._gpu, self._units)
        self.bind()
        firsts = range(0, len(positions), READ_AT_ONCE)
        parts = [self._reader.read(positions[first : first + READ_AT_ONCE], self.table_mask) for first in firsts]
        return np.concatenate(parts) if parts else np.zeros((0, LINE * LINES), np.uint32)

    def stats(self) -> PagedStats:
        atlas, table = self._atlas, self._table
        return PagedStats(
            entries=table.torus.count,
            left_out=int(np.count_nonzero(table.entries == LEFT_OUT)),
            bricks_used=atlas.used,
            bricks=atlas.capacity,
            limit_bricks=atlas.limit,
            gpu_bytes=atlas.gpu_bytes + table.entries.nbytes,
            uploaded_bytes=self._uploaded_bytes,
            brick_bytes=self._brick_bytes,
            writes=atlas.writes,
            growths=table.growths,
        )

    def release(self) -> None:
        if self._reader is not None:
            self._reader.release()
        self._atlas.release()
        self._table.release()

    def _with_bricks(self, positions: SubChunkPositions) -> tuple[Index, U32, U32]:
        """Allocates missing bricks; returns the places of all entries, their new values, and their old ones."""
        index = self._table.claim(positions)  # first: it may reallocate the table
        before = self._table.entries[index]
        entries, without = before.copy(), (before & BRICK_FLAG) == 0
        taken = self._atlas.take(int(without.sum()))
        entries[without] = taken.astype(np.uint32) | np.uint32(BRICK_FLAG)
        return index, entries, before

    def _free_bricks(self, index: Index) -> None:
        old = self._table.entries[index]
        bricks = old[(old & BRICK_FLAG) != 0] & ~np.uint32(BRICK_FLAG)
        self._atlas.free(bricks)
        self._shrinkable |= len(bricks) > 0
