"""Every brick read back and held against the store: what ``chunkscope doctor --mirror`` tells.

Rules:
1. What is compared is what the textures hold, table and atlas, not what the CPU believes of them.
2. Light and block ids of every resident sub-chunk must be there, cell by cell; what the budget has no room for must say
   so; all other entries must be empty, and no brick may have two owners.
3. Meaningful where the scene has settled: what is behind differs, and is told.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import Places
from render.gpu.page_table import BRICK_FLAG, LEFT_OUT, PagedContent
from render.scene.gpu_copy.volumes import Holding, Mirror
from render.scene.world_view import Attached

AT_ONCE: Final = 1024
"""Sub-chunks compared at a time: 8 MiB on each side."""
MOST_TOLD: Final = 16
STRAY: Final = "an entry that nobody owns"
SHARED: Final = "a brick that two share"
MISSING: Final = "left out, though nobody left it out"

Expected = Callable[[Places], npt.NDArray[np.uint16]]


@frozen
class Difference:
    """A sub-chunk whose copy is wrong.

    Attributes:
        volume: ``"block ids"`` or ``"light"``.
        subchunk: its position x, y, z in sub-chunks.
        cell: the first block that differs, x, y, z in blocks; None where the entry itself is wrong.
        words: what is there and what should be.
        cells: how many blocks differ.
    """

    volume: str
    subchunk: tuple[int, int, int]
    cell: tuple[int, int, int] | None
    words: str
    cells: int = 0

    def __str__(self) -> str:
        where = f"sub-chunk {','.join(map(str, self.subchunk))}"
        at = "" if self.cell is None else f", block {','.join(map(str, self.cell))}"
        more = f" ({self.cells} blocks differ)" if self.cells > 1 else ""
        return f"{self.volume} of {where}{at}: {self.words}{more}"


@frozen
class MirrorCheck:
    """What was found.

    Attributes:
        subchunks: compared, block ids and light counted apart.
        bricks: of these, with bricks.
        left_out: of these, without room in the budget.
        cells: values compared.
        wrong: sub-chunks that differ.
        differences: the first of them.
        differing: values that differ in all of them; a wrong entry counts as one.
    """

    subchunks: int
    bricks: int
    left_out: int
    cells: int
    wrong: int
    differences: tuple[Difference, ...]
    differing: int = 0

    @property
    def ok(self) -> bool:
        """Whether everything is as it should be."""
        return self.wrong == 0

    def __add__(self, other: "MirrorCheck") -> "MirrorCheck":
        return MirrorCheck(
            self.subchunks + other.subchunks,
            self.bricks + other.bricks,
            self.left_out + other.left_out,
            self.cells + other.cells,
            self.wrong + other.wrong,
            (self.differences + other.differences)[:MOST_TOLD],
            self.differing + other.differing,
        )


def check_mirror(mirror: Mirror, attached: Attached) -> MirrorCheck:
    """Compares both volumes with the store and its light; waits for the GPU."""
    world, light = attached.world, attached.light
    rows = np.array(sorted(world.row_of.values()), np.int64)
    shown = attached.grid.places_of_rows(rows[attached.residency.shown[rows]])
    lit = attached.grid.places_of_rows(rows[attached.residency.lit[rows]])

    def blocks(places: Places) -> npt.NDArray[np.uint16]:
        return world.pools.blocks[world.slot[places]]

    def levels(places: Places) -> npt.NDArray[np.uint16]:
        return light.values[light.slots_of(places)]

    return _check("block ids", mirror.of_blocks, attached, shown, blocks) + _check(
        "light", mirror.of_light, attached, lit, levels
    )


def _check(
    name: str,
    holding: Holding,
    attached: Attached,
    places: Places,
    expected: Expected,
) -> MirrorCheck:
    content = holding.volume.content()
    refused = int(np.count_nonzero(holding.refused[places]))
    places = places[~holding.refused[places]]  # the table has no entries for them
    positions = attached.grid.positions_of(places, attached.world.columns)
    entries = content.entries_of(positions)
    out = holding.left_out[places]
    found = [
        Difference(name, _triple(positions[index]), None, MISSING)
        for index in np.flatnonzero((entries == LEFT_OUT) != out).tolist()
    ]
    found += _strays(name, content, positions) + _shared(name, entries, positions)
    there = np.flatnonzero(~out & (entries != LEFT_OUT))
    for first in range(0, len(there), AT_ONCE):
        part = there[first : first + AT_ONCE]
        found += _cells(name, positions[part], content.values_of(entries[part]), expected(places[part]))
    bricks = int(np.count_nonzero(entries & BRICK_FLAG))
    values, left_out = len(there) * 4096, int(out.sum()) + refused
    differing = sum(max(one.cells, 1) for one in found)
    told = tuple(found[:MOST_TOLD])
    return MirrorCheck(len(places) + refused, bricks, left_out, values, len(found), told, differing)


def _cells(
    name: str, positions: npt.NDArray[np.int32], held: npt.NDArray[np.uint16], right: npt.NDArray[np.uint16]
) -> list[Difference]:
    wrong = held != right
    found = []
    for index in np.flatnonzero(wrong.any(axis=1)).tolist():
        cell = int(np.argmax(wrong[index]))
        x, y, z = _triple(positions[index])
        block = x * 16 + (cell >> 8), y * 16 + (cell & 15), z * 16 + (cell >> 4 & 15)
        words = f"the GPU holds {held[index, cell]}, the CPU {right[index, cell]}"
        found.append(Difference(name, (x, y, z), block, words, int(wrong[index].sum())))
    return found


def _strays(name: str, content: PagedContent, positions: npt.NDArray[np.int32]) -> list[Difference]:
    """Entries of the table that belong to nobody; told by their place in the table."""
    rest = content.entries.copy()
    rest[content.index_of(positions)] = 0
    return [Difference(name, (x, y, z), None, STRAY) for x, z, y in np.argwhere(rest != 0)[:MOST_TOLD].tolist()]


def _shared(name: str, entries: npt.NDArray[np.uint32], positions: npt.NDArray[np.int32]) -> list[Difference]:
    own = np.flatnonzero((entries & BRICK_FLAG) != 0)
    _, first, counts = np.unique(entries[own], return_index=True, return_counts=True)
    return [Difference(name, _triple(positions[own[index]]), None, SHARED) for index in first[counts > 1].tolist()]


def _triple(position: npt.NDArray[np.int32]) -> tuple[int, int, int]:
    x, y, z = position.tolist()
    return x, y, z
