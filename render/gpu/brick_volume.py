"""A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas.

Theory. An entry of the table (``page_table``) is a brick's number with bit 31 set, or a value that the whole sub-chunk
has: 0 is air, or dark. Bit 30 alone is a known sub-chunk that has no room here (``leave_out``), which is no value.

Rules:
1. A brick is written before ``flush`` publishes it. The CPU pools hold the truth; this is a cache of them.
2. Everything comes in batches: one call costs some 50 us of numpy, whatever the number of sub-chunks.
3. A table that the driver has no memory to double stays as it is: ``place`` says who has no entry then.
4. ``shrink`` gives memory back by halves, when a quarter would do. It moves bricks: nobody may keep ``hold``'s numbers.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space import BlockIds, Slots, SubChunkPositions
from render.gpu.brick_atlas import BRICK_BYTES, BrickAtlas
from render.gpu.device import Gpu, Unit
from render.gpu.page_table import BRICK_FLAG, LEFT_OUT, Index, PagedStats, PageTable

OWN_BRICK: Final = 0xFFFFFFFF
READ_AT_ONCE: Final = 125
"""Sub-chunks: 2 MB."""
LINE, LINES = 256, 16
"""Pixels of a line, lines of a sub-chunk."""


class VolumeReader:
    """Reads sub-chunks back as shaders find them, through page table and atlas. Owner thread only."""

    def __init__(self, gpu: Gpu, units: tuple[Unit, Unit]) -> None:
        self._gpu = gpu
        names = dict(zip(("ATLAS", "TABLE"), (unit.name.lower() for unit in units), strict=True))
        self._program = gpu.program("sky.vert", "volume_read.frag", {**names, "AT_ONCE": READ_AT_ONCE})
        self._array: Any = gpu.vertices(self._program)
        self._texture: Any = gpu.ctx.texture((LINE, LINES * READ_AT_ONCE), 1, dtype="u4")
        self._texture.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._texture.label = "volume read back"
        self._framebuffer: Any = gpu.ctx.framebuffer([self._texture])
        self._framebuffer.label = self._texture.label

    def read(self, positions: SubChunkPositions, mask: tuple[int, int, int]) -> npt.NDArray[np.uint32]:
        """uint32[n, 4096] of at most ``READ_AT_ONCE`` sub-chunks; the volume is bound; another framebuffer is then."""
        sections = np.zeros((READ_AT_ONCE, 3), np.int32)
        sections[: len(positions)] = positions
        self._program["sections"].write(sections)
        self._program["mask"].value = mask
        size = LINE, LINES * len(positions)
        self._framebuffer.use()
        self._framebuffer.viewport = 0, 0, *size
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)
        self._gpu.wait()
        raw = self._framebuffer.read(viewport=(0, 0, *size), components=1, dtype="u4")
        return np.frombuffer(raw, np.uint32).reshape(len(positions), LINE * LINES)

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        self._array.release()
        self._framebuffer.release()
        self._texture.release()


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

    def place(self, positions: SubChunkPositions) -> npt.NDArray[np.bool_]:
        """Makes the table large enough for sub-chunks; bool[n] which may be told of now.

        That is all of them, but where the driver has no memory for a larger table: then those come first that are named
        first, and the others have no entry of their own.
        """
        return self._table.place(positions)

    def set_uniform(self, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Says that sub-chunks hold one value everywhere, each once. Raises OutOfPages: no entries; none is shown."""
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
        """Says that sub-chunks are known and have no room here: they read as no value; each at most once a call."""
        self.set_uniform(positions, np.full(len(positions), LEFT_OUT, np.uint32))

    def hold(self, positions: SubChunkPositions) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Sees to it that sub-chunks have a brick each, for a compute shader to write to.

        ``positions``: [n, 3], each at most once.

        Returns:
            [n] the bricks; [n] ``OWN_BRICK`` for those who had theirs, or the value that held everywhere before: such a
            brick's content is not defined yet.

        Raises:
            OutOfPages: the atlas has reached its limit, or the table; nothing of this call is shown then.
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
        """Forgets everything."""
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
        """Binds atlas and table to their units."""
        self._atlas.bind()
        self._table.bind()

    def bind_image(self, image: int) -> None:
        """Binds the atlas to an image unit."""
        self._atlas.bind_image(image)

    def entries(self) -> npt.NDArray[np.uint32]:
        """uint32[x, z, y] the page table as the GPU holds it, a copy; waits."""
        self._gpu.wait()
        return self._table.read().copy()

    def index_of(self, positions: npt.NDArray[np.integer[Any]]) -> Index:
        """Where in ``entries`` sub-chunks are, present or not."""
        return self._table.torus.index(positions)

    def values_of(self, positions: SubChunkPositions) -> npt.NDArray[np.uint32]:
        """uint32[n, 4096] sub-chunks as shaders find them, ``LEFT_OUT`` without room; waits; own framebuffer."""
        if self._reader is None:
            self._reader = VolumeReader(self._gpu, self._units)
        self.bind()
        firsts = range(0, len(positions), READ_AT_ONCE)
        parts = [self._reader.read(positions[first : first + READ_AT_ONCE], self.table_mask) for first in firsts]
        return np.concatenate(parts) if parts else np.zeros((0, LINE * LINES), np.uint32)

    def stats(self) -> PagedStats:
        """Counts for panels and tests."""
        atlas, table = self._atlas, self._table
        return PagedStats(
            entries=table.torus.count,
            left_out=int(np.count_nonzero(table.entries == LEFT_OUT)),
            bricks_used=atlas.used,
            bricks_free=atlas.capacity - atlas.used,
            bricks=atlas.capacity,
            limit_bricks=atlas.limit,
            gpu_bytes=atlas.gpu_bytes + table.entries.nbytes,
            uploaded_bytes=self._uploaded_bytes,
            brick_bytes=self._brick_bytes,
            writes=atlas.writes,
            growths=table.growths,
        )

    def release(self) -> None:
        """Frees the GL objects."""
        if self._reader is not None:
            self._reader.release()
        self._atlas.release()
        self._table.release()

    def _with_bricks(
        self, positions: SubChunkPositions
    ) -> tuple[Index, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Bricks for those who have none: their entries' places, the entries as they are to be, and as they were."""
        index = self._table.claim(positions)  # first: it may make the table anew
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
