"""Verifies the GPU's copy of the world: values that shaders read, compared with the store and its light.

``chunkscope doctor --mirror`` and the key M verify everything (``check_mirror``), the overlay ``mirror`` the block ids
around the eye.

Rules:
1. Compared is the content of the textures, read by a shader through the page table, not the CPU's records.
2. Light and block ids of every resident sub-chunk must be there, cell by cell. When everything is verified, sub-chunks
   without room must be marked so, all other entries must be empty, and no brick may have two owners.
3. The result is meaningful if the scene has settled: work that is behind differs, and is reported.
"""

from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import I32, U16, U32, Bools, Places, SubChunkPositions
from net.space import coordinates
from render.gpu.page_table import BRICK_FLAG, LEFT_OUT
from render.scene.gpu_copy.volumes import LIGHT, BrickResidency, GpuVolumes
from render.scene.world_view import WorldView

AT_ONCE: Final = 1000
"""Sub-chunks compared at a time: 16 MB of GPU memory."""
MOST_TOLD: Final = 16
STRAY: Final = "an entry without an owner"
SHARED: Final = "a brick with two owners"
MISSING: Final = "omitted, although no limit required it"


class CopyDifference(msgspec.Struct, frozen=True, eq=False):
    """A sub-chunk whose copy is wrong."""

    volume: str  # ``"block ids"`` or ``"light"``
    subchunk: tuple[int, int, int]  # its position x, y, z in sub-chunks
    words: str  # actual and right content of the first block that differs
    blocks: I32  # int32[n, 3] x, y, z of the blocks that differ; empty if the entry itself is wrong

    def __str__(self) -> str:
        where = f"sub-chunk {coordinates(self.subchunk)}"
        at = "" if not len(self.blocks) else f", block {coordinates(self.blocks[0].tolist())}"
        more = f" ({len(self.blocks)} blocks differ)" if len(self.blocks) > 1 else ""
        return f"{self.volume} of {where}{at}: {self.words}{more}"


class MirrorCheck(msgspec.Struct, frozen=True, eq=False):
    """The result for both volumes."""

    subchunks: int  # compared ones, block ids and light counted separately
    bricks: int  # of these, those with bricks
    left_out: int  # of these, those without room in the budget
    cells: int  # values compared
    differences: tuple[CopyDifference, ...]  # sub-chunks that differ

    @property
    def ok(self) -> bool:
        return not self.differences

    @property
    def differing(self) -> int:
        """Number of values that differ; a wrong entry counts as one."""
        return sum(max(len(one.blocks), 1) for one in self.differences)

    @property
    def told(self) -> tuple[str, ...]:
        """The first differences, for people."""
        return tuple(map(str, self.differences[:MOST_TOLD]))


def check_mirror(mirror: GpuVolumes, attached: WorldView) -> MirrorCheck:
    """Verifies both volumes wholly; waits for the GPU."""
    copies = mirror.of_blocks, mirror.of_light
    found = [one for copy in copies for one in verify_gpu_copy(copy, attached)]
    every = [(copy, resident(copy, attached)) for copy in copies]
    subchunks = sum(len(places) for _, places in every)
    left_out = sum(int((copy.left_out | copy.refused)[places].sum()) for copy, places in every)
    bricks = sum(int(copy.bricked[places].sum()) for copy, places in every)
    return MirrorCheck(subchunks, bricks, left_out, (subchunks - left_out) * 4096, tuple(found))


def resident(copy: BrickResidency, attached: WorldView) -> Places:
    """Places of the columns that a volume should have."""
    rows = np.array(sorted(attached.world.row_of.values()), np.int64)
    there = attached.residency.lit if copy.what == LIGHT else attached.residency.shown
    return attached.world.places_of_rows(rows[there[rows]])


def verify_gpu_copy(copy: BrickResidency, attached: WorldView, places: Places | None = None) -> list[CopyDifference]:
    """Wrong sub-chunks of one volume: their values at some places, or at all, and the entries of its table."""
    found: list[CopyDifference] = []
    every = resident(copy, attached) if places is None else places
    every = every[~copy.refused[every]]  # the table has no entries for them
    positions, there = attached.world.positions_of(every), ~copy.left_out[every]
    if places is None:
        table, at = copy.volume.entries(), copy.volume.index_of(positions)
        entries = table[at]
        table[at] = 0
        found += _wrong_entries(copy, positions, entries, ~there, np.argwhere(table != 0)[:MOST_TOLD, [0, 2, 1]])
        there &= entries != LEFT_OUT
    every, positions = every[there], positions[there]
    for first in range(0, len(every), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        found += _wrong_values(copy, positions[part], _known(copy, attached, every[part]))
    return found


def _known(copy: BrickResidency, attached: WorldView, places: Places) -> U16:
    """The right values of a volume: uint16[n, 4096]."""
    if copy.what == LIGHT:
        return attached.state.light.values[attached.state.light.slots_of(places)]
    return attached.world.pools.blocks[attached.world.slot[places]]


def _wrong_values(copy: BrickResidency, positions: SubChunkPositions, known: U16) -> list[CopyDifference]:
    held = copy.volume.values_of(positions)
    wrong = held != known
    found = []
    for index in np.flatnonzero(wrong.any(axis=1)).tolist():
        cells = np.flatnonzero(wrong[index])
        blocks = positions[index] * 16 + np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1)
        words = f"the GPU has {held[index, cells[0]]}, the CPU {known[index, cells[0]]}"
        found.append(CopyDifference(copy.what, _triple(positions[index]), words, blocks.astype(np.int32)))
    return found


def _wrong_entries(
    copy: BrickResidency, positions: SubChunkPositions, entries: U32, out: Bools, strays: npt.NDArray[np.integer[Any]]
) -> list[CopyDifference]:
    """Missing entries, those without an owner (given by their place in the table), those that share one brick."""
    nowhere = np.zeros((0, 3), np.int32)
    own = np.flatnonzero((entries & BRICK_FLAG) != 0)
    _, first, counts = np.unique(entries[own], return_index=True, return_counts=True)
    wrong = [(positions[index], MISSING) for index in np.flatnonzero((entries == LEFT_OUT) != out).tolist()]
    wrong += [(position, STRAY) for position in strays]
    wrong += [(positions[own[index]], SHARED) for index in first[counts > 1].tolist()]
    return [CopyDifference(copy.what, _triple(position), words, nowhere) for position, words in wrong]


def _triple(position: npt.NDArray[np.integer[Any]]) -> tuple[int, int, int]:
    x, y, z = position.tolist()
    return x, y, z
