"""A sparse volume of uint16 values a block: a page table of sub-chunks over a brick atlas.

Theory. The page table is a 3D texture R32UI with one entry a sub-chunk, addressed by the low bits of its position
(toroidal), texel ``pos.yzx`` as in a brick. An entry is a brick's number with bit 31 set, or a value that the whole
sub-chunk has. So 0 is "all zero": air, or dark. A walk through the world never moves an entry.

Rules:
1. Two sub-chunks that share an entry cannot both be present: the table doubles the axis before that happens, and keeps
   one free entry around what it holds, so that a neighbour looked up by a shader is found absent, not aliased.
2. Entries change in a copy on the CPU and go up together with ``flush``, only the part that changed.
3. A brick is written before ``flush`` publishes it. The CPU pools hold the truth; this is a cache of them.
4. Everything comes in batches: one call costs some 50 us of numpy, whatever the number of sub-chunks.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import DIRECTIONS, BlockIds, Slots, SubChunkPositions
from render.gpu.atlas import BRICK_BYTES, Brick, BrickAtlas
from render.gpu.device import Gpu, Unit

BRICK_FLAG: Final = 0x80000000
OWN_BRICK: Final = 0xFFFFFFFF
_NOBODY: Final = -1
_BIAS: Final = 1 << 20  # positions are keyed by 21 bits an axis: +-1,048,575 sub-chunks, past any world's border

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PagedStats:
    """A snapshot: entries present, bricks used and there are, bytes on the GPU, bytes ever uploaded, growths."""

    entries: int
    bricks_used: int
    bricks: int
    gpu_bytes: int
    uploaded_bytes: int
    growths: int


class PagedVolume:
    """One sparse volume. Owner thread only."""

    def __init__(
        self,
        gpu: Gpu,
        label: str,
        units: tuple[Unit, Unit],
        table_size: tuple[int, int, int] = (64, 32, 64),
        first_bricks: int = 1024,
    ) -> None:
        """An empty volume.

        Args:
            gpu: the context.
            label: for debuggers and errors.
            units: texture units of atlas and table.
            table_size: entries along x, y, z to start with, powers of two.
            first_bricks: bricks to start with.
        """
        self._gpu = gpu
        self._label = label
        self._table_unit = units[1]
        self._atlas = BrickAtlas(gpu, f"{label} atlas", units[0], first_bricks)
        self._uploaded_bytes = 0
        self._growths = 0
        self._dirty: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None
        self._make_table(np.array(table_size, np.int64))

    @property
    def table_mask(self) -> tuple[int, int, int]:
        """What a sub-chunk's x, y, z are ANDed with to find its entry, for shaders."""
        x, y, z = (int(side) - 1 for side in self._size)
        return x, y, z

    def set_uniform(self, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Says that sub-chunks hold one value everywhere; each position at most once a call."""
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
            OutOfPages: the atlas has reached its limit; nothing of this call is shown then.
        """
        if not len(positions):
            return
        entries = self._entries[self._claim(positions)]
        without = (entries & BRICK_FLAG) == 0
        taken = self._atlas.take(int(without.sum()))
        entries[without] = np.array(taken, np.uint32) | np.uint32(BRICK_FLAG)
        for brick, slot in zip((entries & ~np.uint32(BRICK_FLAG)).tolist(), slots.tolist(), strict=True):
            self._atlas.write(brick, pool[slot])
        self._uploaded_bytes += BRICK_BYTES * len(entries)
        self._enter(positions, entries)

    def hold(self, positions: SubChunkPositions) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Sees to it that sub-chunks have a brick each, for a compute shader to write to.

        Args:
            positions: [n, 3], each at most once.

        Returns:
            [n] the bricks; [n] ``OWN_BRICK`` for those who had theirs, or the value that held everywhere before: such a
            brick's content is not defined yet.

        Raises:
            OutOfPages: the atlas has reached its limit; nothing of this call is shown then.
        """
        entries = self._entries[self._claim(positions)]
        without = (entries & BRICK_FLAG) == 0
        held = np.where(without, entries, np.uint32(OWN_BRICK))
        taken = self._atlas.take(int(without.sum()))
        entries[without] = np.array(taken, np.uint32) | np.uint32(BRICK_FLAG)
        self._enter(positions, entries)
        return entries & ~np.uint32(BRICK_FLAG), held

    def remove(self, positions: npt.NDArray[np.integer[Any]]) -> None:
        """Forgets sub-chunks, present or not; their entries read 0 again."""
        if not len(positions):
            return
        mine = self._owners[self._index(positions)] == _keys(positions)
        present = positions[mine]
        if len(present):
            index = self._index(present)
            self._free_bricks(index)
            self._entries[index] = 0
            self._owners[index] = _NOBODY
            self._mark(index)

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

    def bind(self) -> None:
        """Binds atlas and table to their units."""
        self._atlas.bind()
        self._table.use(int(self._table_unit))

    def bind_image(self, image: int) -> None:
        """Binds the atlas to an image unit."""
        self._atlas.bind_image(image)

    def read(self, position: tuple[int, int, int]) -> Brick:
        """A sub-chunk's values as the GPU holds them, [16, 16, 16] as [x, z, y]; slow, for checks."""
        self._gpu.wait()
        entries = np.frombuffer(self._table.read(), np.uint32).reshape(self._entries.shape)
        entry = int(entries[self._index(np.array([position], np.int32))][0])
        if entry & BRICK_FLAG:
            return self._atlas.read(entry & ~BRICK_FLAG)
        return np.full((16, 16, 16), entry, np.uint16)

    def stats(self) -> PagedStats:
        """Counts for panels and tests."""
        atlas = self._atlas
        entries = int(np.count_nonzero(self._owners != _NOBODY))
        gpu_bytes = atlas.gpu_bytes + self._entries.nbytes
        return PagedStats(entries, atlas.used, atlas.capacity, gpu_bytes, self._uploaded_bytes, self._growths)

    def release(self) -> None:
        """Frees the GL objects."""
        self._atlas.release()
        self._table.release()

    def _index(self, positions: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[Any], ...]:
        folded = positions & (self._size - 1)
        return folded[:, 0], folded[:, 2], folded[:, 1]

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
        spread = positions.max(axis=0) - positions.min(axis=0) + 3
        if (spread > self._size).any():
            return False
        for step in ((0, 0, 0), *DIRECTIONS):
            beside = positions + np.array(step, np.int64)
            owner = self._owners[self._index(beside)]
            if ((owner != _NOBODY) & (owner != _keys(beside))).any():
                return False
        return True

    def _enter(self, positions: SubChunkPositions, entries: npt.NDArray[np.uint32]) -> None:
        index = self._index(positions)
        self._entries[index] = entries
        self._mark(index)

    def _free_bricks(self, index: tuple[npt.NDArray[Any], ...]) -> None:
        old = self._entries[index]
        self._atlas.free((old[(old & BRICK_FLAG) != 0] & ~np.uint32(BRICK_FLAG)).tolist())

    def _mark(self, index: tuple[npt.NDArray[Any], ...]) -> None:
        low = np.array([axis.min() for axis in index], np.int64)
        high = np.array([axis.max() for axis in index], np.int64)
        if self._dirty is not None:
            low, high = np.minimum(low, self._dirty[0]), np.maximum(high, self._dirty[1])
        self._dirty = low, high

    def _make_table(self, size: npt.NDArray[np.int64]) -> None:
        x, y, z = (int(side) for side in size)
        self._size = size
        self._entries: npt.NDArray[np.uint32] = np.zeros((x, z, y), np.uint32)
        self._owners: Keys = np.full((x, z, y), _NOBODY, np.int64)
        self._table: Any = self._gpu.ctx.texture3d((y, z, x), 1, self._entries, dtype="u4")
        self._table.filter = (0x2600, 0x2600)  # GL_NEAREST
        self._table.label = f"{self._label} table"
        self._gpu.check()

    def _grow(self, wanted: npt.NDArray[np.int64]) -> None:
        """Doubles every axis that what is present and what is wanted, with one more at each end, does not fit."""
        held = self._owners != _NOBODY
        positions, entries = _positions(self._owners[held]), self._entries[held]
        everything = np.concatenate([positions, wanted])
        need = everything.max(axis=0) - everything.min(axis=0) + 3
        size = np.array([1 << int(n - 1).bit_length() for n in need], np.int64)
        self._table.release()
        self._growths += 1
        self._make_table(np.maximum(size, self._size))
        if len(positions):
            index = self._index(positions)
            self._entries[index] = entries
            self._owners[index] = _keys(positions)
            self._mark(index)


def _keys(positions: npt.NDArray[np.integer[Any]]) -> Keys:
    wide = positions.astype(np.int64) + _BIAS
    keys: Keys = wide[:, 0] << 42 | wide[:, 1] << 21 | wide[:, 2]
    return keys


def _positions(keys: Keys) -> npt.NDArray[np.int64]:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, keys >> 21 & mask, keys & mask], axis=1) - _BIAS
