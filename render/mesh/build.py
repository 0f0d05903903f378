"""A batch of render cells -> packed quads: the arrays around the mesh kernel.

Rules:
1. A batch holds slot numbers, never places: slots are immutable once published, so a batch may run on any thread while
   the owner goes on. The owner keeps the batch's slots from being reclaimed until its result is back.
2. A result says which cells and revisions it is of; whoever shows it compares the revisions, so the order of arrival
   never matters. Its cells stand sorted by x, z, y.
3. ``MeshTables`` are frozen snapshots of the look of block states (``tables.py``): when ids join the session, there are
   new tables; older batches keep theirs.

A worker owns its ``Scratch``; ``run`` copies what it hands out.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import BlockIds, Bytes, ColumnMasks
from render.mesh import mesh_kernels as kernels
from render.mesh.cube_kernels import ROWS, WORDS
from render.mesh.quads import CUBE_WORDS, GROUPS, MODEL_WORDS, Words

Cells = npt.NDArray[np.int32]
"""[n, 3] of x, y, z in render cells: block x >> 4, block y >> 5, block z >> 4."""
SlotTables = npt.NDArray[np.int32]
"""[n, 36] block slots by ``((dx + 1) * 3 + dz + 1) * 4 + k``, k the section 2 * cell y - 1 + k.

17 and 18 are the cell's own. What is outside the dimension is the slot the store shows at ABOVE or BELOW; a column
nobody knows is that of UNLOADED.
"""
GroupCounts = npt.NDArray[np.int32]
"""[n, 11] quads by ``quads.Group``."""

FIRST_CUBES: Final = 2 * kernels.WORST_CUBES
FIRST_MODELS: Final = 1 << 14


@frozen
class MeshTables:
    """How block states look, as the kernel reads it.

    Attributes:
        classes: int64[7]: the first dense id of models, cut-outs, translucents, liquids, placeholders, opaques, then
            the id of still water, drawn where a liquid cell holds another block.
        amounts: uint8[n] by dense id: how much of eight a liquid fills its block, 8 for all that are none.
        liquids: uint8[n]: 2 for lava, 1 for water and whatever may hold some.
        looks: uint64[n, 6] by dense id and face: texture layer, dense id, tint and flags where a cube quad has them.
        groups: uint8[n]: which blocks connect with each other (fences with fences), 0 with none.
        stairs: uint8[n]: 0, or 1 + the direction they rise to (0..3) | upside down << 2.
        doors: uint16[n]: 0, or direction | open << 2 | hinge << 3 | upper half << 4 | kind << 5, kinds from 1 on.
        door_ids: uint16[32 * (kinds + 1)]: the id of each such number.
        model_rows: int32[n, 2]: the rows of ``model_quads`` of an id, from and up to.
        model_quads: uint64[m, 3]: model quads of a block at the cell's origin, without the block's id.
        model_rules: uint16[m]: which neighbour hides a quad, which must connect, which bends leave it out.
    """

    classes: npt.NDArray[np.int64]
    amounts: Bytes
    liquids: Bytes
    looks: npt.NDArray[np.uint64]
    groups: Bytes
    stairs: Bytes
    doors: npt.NDArray[np.uint16]
    door_ids: npt.NDArray[np.uint16]
    model_rows: npt.NDArray[np.int32]
    model_quads: npt.NDArray[np.uint64]
    model_rules: npt.NDArray[np.uint16]


@frozen
class MeshPools:
    """The pools a batch reads: views of ``client.world.block_pools``, whole.

    ``blocks`` uint16[slots, 4096], three planes of column masks uint16[slots, 256], ``kinds`` uint8[slots], ``flags``
    uint32[slots]; of second layers, whose slot 0 is air, ``layer1`` uint16[slots, 4096] and ``wet`` uint16[slots, 256].
    """

    blocks: BlockIds
    opaque: ColumnMasks
    liquid: ColumnMasks
    other: ColumnMasks
    kinds: Bytes
    flags: npt.NDArray[np.uint32]
    layer1: BlockIds
    wet: ColumnMasks


@frozen
class MeshBatch:
    """Cells to mesh, with everything it takes. Owned by the worker from here to the result.

    ``seconds``: slots of second layers at the same places, 0 for none. ``revisions`` int64[n]: whatever the caller
    tells old from new by; handed back untouched.
    """

    cells: Cells
    tables: SlotTables
    seconds: SlotTables
    revisions: npt.NDArray[np.int64]
    pools: MeshPools
    looks: MeshTables


@frozen
class MeshResult:
    """Meshes of a batch, sorted by cell x, z, y; belongs to the receiver.

    Attributes:
        cells: int32[n, 3].
        revisions: int64[n], as in the batch.
        counts: int32[n, 11] quads by group.
        cubes: uint32[., 2], all meshes behind each other.
        models: uint32[., 6], likewise.
        cube_first: int64[n + 1]: where each mesh's cube quads begin.
        model_first: int64[n + 1].
    """

    cells: Cells
    revisions: npt.NDArray[np.int64]
    counts: GroupCounts
    cubes: Words
    models: Words
    cube_first: npt.NDArray[np.int64]
    model_first: npt.NDArray[np.int64]

    def units(self, mesh: int) -> Words:
        """One mesh as the arena holds it: uint32[m, 2], cube quads, then model quads of three units each."""
        cubes = self.cubes[self.cube_first[mesh] : self.cube_first[mesh + 1]]
        models = self.models[self.model_first[mesh] : self.model_first[mesh + 1]]
        return np.concatenate([cubes, models.reshape(-1, CUBE_WORDS)])


class Scratch:
    """Room for one running batch; grows by itself, never shared between threads."""

    def __init__(self) -> None:
        self.cubes = np.empty(FIRST_CUBES, np.uint64)
        self.models = np.empty((FIRST_MODELS, MODEL_WORDS // 2), np.uint64)
        self.ints = np.zeros(kernels.INTS, np.int64)
        spare = np.zeros(ROWS + 16, np.uint32)
        begin = -spare.ctypes.data % 64 // 4  # rows are whole cache lines: 10 % of a checkerboard's time
        self.rows = spare[begin : begin + ROWS]
        self.words = np.zeros(WORDS, np.uint64)

    def grow(self) -> None:
        """Doubles the room for models (one mesh's cube quads always fit)."""
        self.models = np.empty((2 * len(self.models), MODEL_WORDS // 2), np.uint64)


def run(batch: MeshBatch, scratch: Scratch) -> MeshResult:
    """Meshes a batch; on any thread, without the interpreter lock inside the kernel."""
    order = np.lexsort((batch.cells[:, 1], batch.cells[:, 2], batch.cells[:, 0]))
    tables, seconds = np.ascontiguousarray(batch.tables[order]), np.ascontiguousarray(batch.seconds[order])
    counts = np.zeros((len(order), GROUPS), np.int32)
    firsts = np.zeros((2, len(order) + 1), np.int64)
    cubes: list[Words] = []
    models: list[Words] = []
    done = 0
    while done < len(order):
        reached = _call(batch, tables, seconds, done, counts, firsts, scratch)
        if reached < 0:
            scratch.grow()
            continue
        many_cubes, many_models = (firsts[:, reached] - firsts[:, done]).tolist()
        cubes.append(scratch.cubes[:many_cubes].copy().view(np.uint32).reshape(-1, CUBE_WORDS))
        models.append(scratch.models[:many_models].copy().view(np.uint32).reshape(-1, MODEL_WORDS))
        done = reached
    return MeshResult(
        cells=batch.cells[order],
        revisions=batch.revisions[order],
        counts=counts,
        cubes=_joined(cubes, CUBE_WORDS),
        models=_joined(models, MODEL_WORDS),
        cube_first=firsts[0],
        model_first=firsts[1],
    )


def _call(
    batch: MeshBatch,
    tables: SlotTables,
    seconds: SlotTables,
    start: int,
    counts: GroupCounts,
    firsts: npt.NDArray[np.int64],
    scratch: Scratch,
) -> int:
    pools, looks = batch.pools, batch.looks
    reached = kernels.mesh_cells(
        pools.blocks.reshape(-1), pools.opaque, pools.liquid, pools.other, pools.kinds, pools.flags,
        pools.layer1.reshape(-1), pools.wet,
        looks.classes, looks.amounts, looks.liquids, looks.looks, looks.groups, looks.stairs, looks.doors,
        looks.door_ids, looks.model_rows, looks.model_quads, looks.model_rules,
        tables, seconds, start,
        scratch.cubes, scratch.models, counts, firsts, scratch.ints, scratch.rows, scratch.words,
    )  # fmt: skip
    return int(reached)


def _joined(parts: list[Words], width: int) -> Words:
    """Parts behind each other; most batches fit at once, and then nothing is copied a second time."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty((0, width), np.uint32)
