"""A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas.

Theory. The page table is a 3D texture R32UI with one entry a sub-chunk, addressed by the low bits of its position
(toroidal), texel ``pos.yzx`` as in a brick. An entry is a brick's number with bit 31 set, or a value that the whole
sub-chunk has. So 0 is "all zero": air, or dark; bit 30 alone is a sub-chunk that is known and has no room here
(``leave_out``), which is no value. A walk through the world never moves an entry.

Rules:
1. Two sub-chunks that share an entry cannot both be present: the table doubles the axis before that happens, and keeps
   one free entry around what it holds, so that a neighbour looked up by a shader is found absent, not aliased.
2. Entries change in a copy on the CPU and go up together with ``flush``, only the part that changed.
3. A brick is written before ``flush`` publishes it. The CPU pools hold the truth; this is a cache of them.
4. Everything comes in batches: one call costs some 50 us of numpy, whatever the number of sub-chunks.
5. A table that the driver has no memory to double stays as it is: ``place`` says who has no entry then.
6. Atlas and table give memory back when ``shrink`` is called, by halves, when a quarter would do. It moves bricks:
   nobody may keep numbers that ``hold`` gave.
"""

import logging
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import DIRECTIONS, BlockIds, Slots, SubChunkPositions
from render.gpu.atlas import BRICK_BYTES, Brick, BrickAtlas
from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfMemory, OutOfPages
from render.gpu.paged_content import BRICK_FLAG, LEFT_OUT, PagedContent, PagedStats

OWN_BRICK: Final = 0xFFFFFFFF
_NOBODY: Final = -1
_BIAS: Final = 1 << 20  # positions are keyed by 21 bits an axis: +-1,048,575 sub-chunks, past any world's border

LOG: Final = logging.getLogger("chunkscope.gpu")

Keys = npt.NDArray[np.int64]


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
        """An empty volume.

        Args:
            gpu: the context.
            label: for debuggers and errors.
            units: texture units of atlas and table.
            table_size: entries along x, y, z to start with, powers of two.
            first_bricks: bricks to start with.
            limit_bricks: bricks it may have, see ``BrickAtlas``.
        """
        self._gpu = gpu
        self._label = label
        self._table_unit = units[1]
        self._atlas = BrickAtlas(gpu, f"{label} atlas", units[0], first_bricks, limit_bricks)
        self._uploaded_bytes = self._brick_bytes = 0
        self._growths = 0
        self._shrinkable = False
        self._first_size = np.array(table_size, np.int64)
        self._dirty: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None
        self._box: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None  # holds all who are present
        self._left = False  # whether some went since it was made
        self._most_entries: int | None = None  # the driver has memory for fewer
        self._table: Any = self._make_table(self._first_size)
        self._size, self._mask = self._first_size, _mask(self._first_size)
        self._owners, self._entries = _nothing(self._size)

    @property
    def limit(self) -> int:
        """Bricks it may have; less than at first where the driver had no memory for more."""
        return self._atlas.limit

    @property
    def table_mask(self) -> tuple[int, int, int]:
        """What a sub-chunk's x, y, z are ANDed with to find its entry, for shaders."""
        return self._mask

    def place(self, positions: SubChunkPositions) -> npt.NDArray[np.bool_]:
        """Makes the table large enough for sub-chunks; bool[n] which may be told of now.

        That is all of them, but where the driver has no memory for a larger table: then those come first that are named
        first, and the others have no entry of their own.
        """
        wide = positions.astype(np.int64)
        try:
            if len(wide) and not self._fits(wide):
                self._grow(wide)
        except OutOfPages:
            return self._place_one_by_one(wide)
        return np.ones(len(wide), np.bool_)

    def set_uniform(self, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Says that sub-chunks hold one value everywhere; each position at most once a call.

        Raises:
            OutOfPages: the table has no entries for them (``place``); nothing of this call is shown then.
        """
        if len(positions):
            self._free_bricks(self._claim(positions))
            self._enter(positions, values.astype(np.uint32))

    def set_bricks(self, positions: SubChunkPositions, pool: BlockIds, slots: Slots) -> None:
        """Uploads sub-chunks.

        Args:
            positions: [n, 3], each at most once a call.
            pool: uint16[slots, 4096].
            slots: [n] row of the pool for each.

        Raises:
            OutOfPages: the atlas has reached its limit, or the table; nothing of this call is shown then.
        """
        if not len(positions):
            return
        index = self._claim(positions)  # first: it may make the table anew
        entries = self._entries[index]
        without = (entries & BRICK_FLAG) == 0
        taken = self._atlas.take(int(without.sum()))
        entries[without] = taken.astype(np.uint32) | np.uint32(BRICK_FLAG)
        self._atlas.write((entries & ~np.uint32(BRICK_FLAG)).astype(np.int64), pool, slots)
        self._uploaded_bytes += BRICK_BYTES * len(entries)
        self._brick_bytes += BRICK_BYTES * len(entries)
        self._enter(positions, entries)

    def leave_out(self, positions: SubChunkPositions) -> None:
        """Says that sub-chunks are known and have no room here: they read as no value; each at most once a call."""
        self.set_uniform(positions, np.full(len(positions), LEFT_OUT, np.uint32))

    def hold(self, positions: SubChunkPositions) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Sees to it that sub-chunks have a brick each, for a compute shader to write to.

        Args:
            positions: [n, 3], each at most once.

        Returns:
            [n] the bricks; [n] ``OWN_BRICK`` for those who had theirs, or the value that held everywhere before: such a
            brick's content is not defined yet.

        Raises:
            OutOfPages: the atlas has reached its limit, or the table; nothing of this call is shown then.
        """
        index = self._claim(positions)  # first: it may make the table anew
        entries = self._entries[index]
        without = (entries & BRICK_FLAG) == 0
        held = np.where(without, entries, np.uint32(OWN_BRICK))
        taken = self._atlas.take(int(without.sum()))
        entries[without] = taken.astype(np.uint32) | np.uint32(BRICK_FLAG)
        self._enter(positions, entries)
        return entries & ~np.uint32(BRICK_FLAG), held

    def remove(self, positions: npt.NDArray[np.integer[Any]]) -> None:
        """Forgets sub-chunks, present or not; their entries read 0 again."""
        if not len(positions):
            return
        present = positions[self._has(positions)]
        if len(present):
            index = self._index(present)
            self._free_bricks(index)
            self._entries[index] = 0
            self._owners[index] = _NOBODY
            self._mark(index)
            self._shrinkable = self._left = True

    def clear(self) -> None:
        """Forgets everything."""
        self.remove(_positions(self._owners[self._owners != _NOBODY]))

    def flush(self) -> None:
        """Publishes entries changed since the last flush."""
        if self._dirty is None:
            return
        (x0, z0, y0), (x1, z1, y1) = (tuple(map(int, corner)) for corner in self._dirty)
        part = np.ascontiguousarray(self._entries[x0 : x1 + 1, z0 : z1 + 1, y0 : y1 + 1])
        self._table.write(part, viewport=(y0, z0, x0, y1 - y0 + 1, z1 - z0 + 1, x1 - x0 + 1))
        self._uploaded_bytes += part.nbytes
        self._dirty = None

    def shrink(self) -> None:
        """Halves the atlas, and axes of the table, where a quarter would do; ``flush`` comes after it."""
        if not self._shrinkable:
            return
        self._shrinkable = False
        self._renumber(*self._atlas.shrunk())
        if (self._size > self._first_size).any():
            need = _sides(_positions(self._owners[self._owners != _NOBODY]))
            size = np.maximum(np.where(need * 4 <= self._size, self._size // 2, self._size), self._first_size)
            if (size < self._size).any():
                try:
                    self._resize(size)
                except OutOfMemory:
                    return  # both must fit for a moment; the larger one goes on

    def bind(self) -> None:
        """Binds atlas and table to their units."""
        self._atlas.bind()
        self._table.use(int(self._table_unit))

    def bind_image(self, image: int) -> None:
        """Binds the atlas to an image unit."""
        self._atlas.bind_image(image)

    def content(self) -> PagedContent:
        """All that the GPU holds; waits, and reads everything: for checks."""
        self._gpu.wait()
        entries = np.frombuffer(self._table.read(), np.uint32).reshape(self._entries.shape)
        return PagedContent(entries, self._atlas.content(), self._atlas.side)

    def read(self, position: tuple[int, int, int]) -> Brick:
        """A sub-chunk's values as the GPU holds them, [16, 16, 16] as [x, z, y]; slow, for checks."""
        content = self.content()
        return content.values_of(content.entries_of(np.array([position], np.int32))).reshape(16, 16, 16)

    def stats(self) -> PagedStats:
        """Counts for panels and tests."""
        atlas = self._atlas
        return PagedStats(
            entries=int(np.count_nonzero(self._owners != _NOBODY)),
            left_out=int(np.count_nonzero(self._entries == LEFT_OUT)),
            bricks_used=atlas.used,
            bricks_free=atlas.capacity - atlas.used,
            bricks=atlas.capacity,
            limit_bricks=atlas.limit,
            gpu_bytes=atlas.gpu_bytes + self._entries.nbytes,
            uploaded_bytes=self._uploaded_bytes,
            brick_bytes=self._brick_bytes,
            writes=atlas.writes,
            growths=self._growths,
        )

    def release(self) -> None:
        """Frees the GL objects."""
        self._atlas.release()
        self._table.release()

    def _index(self, positions: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[Any], ...]:
        folded = positions & (self._size - 1)
        return folded[:, 0], folded[:, 2], folded[:, 1]

    def _has(self, positions: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        mine: npt.NDArray[np.bool_] = self._owners[self._index(positions)] == _keys(positions)
        return mine

    def _claim(self, positions: SubChunkPositions) -> tuple[npt.NDArray[Any], ...]:
        """The entries of positions, after making the table large enough for them."""
        wide = positions.astype(np.int64)
        index = self._index(wide)
        if not self._fits(wide):
            self._grow(wide)
            index = self._index(wide)
        self._owners[index] = _keys(wide)
        return index

    def _fits(self, positions: npt.NDArray[np.int64]) -> bool:
        """Whether no entry of theirs, nor one beside it, belongs to a sub-chunk elsewhere on the torus."""
        low, high = positions.min(axis=0), positions.max(axis=0)
        if self._may_hold(low, high):
            return True  # nobody is elsewhere: nearly always, and ten times as quick as looking
        positions = positions[~self._has(positions)]
        if not len(positions):
            return True
        low, high = positions.min(axis=0), positions.max(axis=0)
        if (high - low + 3 > self._size).any():
            return False
        for step in ((0, 0, 0), *DIRECTIONS):
            beside = positions + np.array(step, np.int64)
            owner = self._owners[self._index(beside)]
            if ((owner != _NOBODY) & (owner != _keys(beside))).any():
                return False
        return True

    def _place_one_by_one(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of them, in their order, the table holds as it is, with what is present and those before."""
        placed = np.zeros(len(positions), np.bool_)
        self._left = True  # the box holds all of them
        for index, position in enumerate(positions[:, None]):
            box = self._box
            placed[index] = self._has(position)[0] or self._may_hold(position[0], position[0])
            if not placed[index]:
                self._box = box
        self._left = True  # as before: whoever is placed may still stay away
        return placed

    def _may_hold(self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> bool:
        """Whether a box that holds all who are present, and this one, is smaller than the torus; keeps that box."""
        if self._left:
            present = _positions(self._owners[self._owners != _NOBODY])
            self._box = (present.min(axis=0), present.max(axis=0)) if len(present) else None
            self._left = False
        if self._box is not None:
            low, high = np.minimum(low, self._box[0]), np.maximum(high, self._box[1])
        self._box = low, high
        return bool((high - low + 3 <= self._size).all())

    def _enter(self, positions: SubChunkPositions, entries: npt.NDArray[np.uint32]) -> None:
        index = self._index(positions)
        self._entries[index] = entries
        self._mark(index)

    def _free_bricks(self, index: tuple[npt.NDArray[Any], ...]) -> None:
        old = self._entries[index]
        bricks = old[(old & BRICK_FLAG) != 0] & ~np.uint32(BRICK_FLAG)
        self._atlas.free(bricks)
        self._shrinkable |= len(bricks) > 0

    def _mark(self, index: tuple[npt.NDArray[Any], ...]) -> None:
        low = np.array([axis.min() for axis in index], np.int64)
        high = np.array([axis.max() for axis in index], np.int64)
        if self._dirty is not None:
            low, high = np.minimum(low, self._dirty[0]), np.maximum(high, self._dirty[1])
        self._dirty = low, high

    def _make_table(self, size: npt.NDArray[np.int64]) -> Any:
        x, y, z = (int(side) for side in size)
        table = self._gpu.ctx.texture3d((y, z, x), 1, np.zeros((x, z, y), np.uint32), dtype="u4")
        table.filter = (0x2600, 0x2600)  # GL_NEAREST
        table.label = f"{self._label} table"
        try:
            self._gpu.check()
        except OutOfMemory:
            table.release()
            raise
        return table

    def _grow(self, wanted: npt.NDArray[np.int64]) -> None:
        """Doubles every axis that what is present and what is wanted, with one more at each end, does not fit."""
        everything = np.concatenate([_positions(self._owners[self._owners != _NOBODY]), wanted])
        size = np.maximum(_sides(everything), self._size)
        try:
            if self._most_entries is not None and size.prod() > self._most_entries:
                raise OutOfMemory("the graphics driver had no memory for less")
            self._resize(size)
        except OutOfMemory as error:
            if self._most_entries is None:
                LOG.warning(
                    "%s: no GPU memory for a page table of %s sub-chunks: what does not fit in %s is not drawn",
                    self._label, _product(size), _product(self._size),
                )  # fmt: skip
            self._most_entries = int(size.prod()) - 1
            raise OutOfPages(f"{self._label} table", len(wanted), self._entries.size) from error

    def _renumber(self, moved: npt.NDArray[np.int64], to: npt.NDArray[np.int64]) -> None:
        """Says where bricks that moved are now."""
        if not len(moved):
            return
        at = np.flatnonzero((self._entries & BRICK_FLAG) != 0)
        flat = self._entries.reshape(-1)
        order = np.argsort(moved)
        old = flat[at] & ~np.uint32(BRICK_FLAG)
        found = np.minimum(np.searchsorted(moved[order], old), len(moved) - 1)
        mine = moved[order][found] == old
        flat[at[mine]] = to[order][found[mine]].astype(np.uint32) | np.uint32(BRICK_FLAG)
        self._mark(np.unravel_index(at[mine], self._entries.shape))

    def _resize(self, size: npt.NDArray[np.int64]) -> None:
        """Makes the table anew with what is present, which fits."""
        held = self._owners != _NOBODY
        positions, entries = _positions(self._owners[held]), self._entries[held]
        table = self._make_table(size)
        self._table.release()
        self._table = table
        self._growths += 1
        self._dirty = None
        self._size, self._mask = size, _mask(size)
        self._owners, self._entries = _nothing(size)
        if len(positions):
            index = self._index(positions)
            self._entries[index] = entries
            self._owners[index] = _keys(positions)
            self._mark(index)


def _sides(positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """[3] powers of two that hold positions and one more at each end."""
    if not len(positions):
        return np.ones(3, np.int64)
    need = positions.max(axis=0) - positions.min(axis=0) + 3
    return np.array([1 << int(n - 1).bit_length() for n in need], np.int64)


def _mask(size: npt.NDArray[np.int64]) -> tuple[int, int, int]:
    x, y, z = (int(side) - 1 for side in size)
    return x, y, z


def _nothing(size: npt.NDArray[np.int64]) -> tuple[Keys, npt.NDArray[np.uint32]]:
    """Owners and entries of an empty table."""
    x, y, z = size.tolist()
    return np.full((x, z, y), _NOBODY, np.int64), np.zeros((x, z, y), np.uint32)


def _product(size: npt.NDArray[np.int64]) -> str:
    return " x ".join(map(str, size.tolist()))


def _keys(positions: npt.NDArray[np.integer[Any]]) -> Keys:
    wide = positions.astype(np.int64) + _BIAS
    keys: Keys = wide[:, 0] << 42 | wide[:, 1] << 21 | wide[:, 2]
    return keys


def _positions(keys: Keys) -> npt.NDArray[np.int64]:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, keys >> 21 & mask, keys & mask], axis=1) - _BIAS
