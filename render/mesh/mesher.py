"""Meshes a batch of render cells: the arrays around the mesh kernel, and the tables that it reads.

Rules:
1. A batch holds slot numbers, never places: slots are immutable once published, so a batch may run on any thread while
   the owner goes on. The owner keeps the batch's slots from being reclaimed until its result is back.
2. A result contains its cells and revisions; the receiver compares the revisions, so the order of arrival does not
   matter. The cells are sorted by x, z, y.
3. ``AppearanceTables`` are frozen. When ids are appended, the owner makes new ones; older batches keep theirs.
4. A quad shows a picture of its own block. An exception is the content of a vessel: it shows the block of that name, if
   there is one, in its first state.

Each worker has its own ``Scratch``; ``run`` copies its results.

Limits: states with equal looks share their quads: the 6,821 model states of protocol 486 take 96,160, 2.5 MB, made in
0.1 s (processor time). Sharing equal packed quads as well would leave 94,268.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from assets.models import ModelBox, load
from assets.states import StateValue
from client.world.block_table import BlockTable, is_lava
from net.arrays import I32, I64, U8, U16, U32, U64, BlockIds, Bytes, ColumnMasks
from render.materials.biome_tints import ROTATES
from render.materials.materials import BlockStateLike, Materials
from render.mesh import mesh_kernels as kernels
from render.mesh.cube_kernels import ROWS, WORDS
from render.mesh.liquid_kernels import FULL, LAVA, WATER
from render.mesh.model_shapes import BOX, FLAGS, HIDDEN_BY, LINK, PICTURE, QUAD_COLUMNS, RULES, Quads, quads_of
from render.mesh.vertex_format import CUBE, CUBE_WORDS, GROUPS, MODEL, MODEL_WORDS, BitField, Words, pack

# ---------------------------------------------------------------- build

Cells = I32
"""[n, 3] of x, y, z in render cells: block x >> 4, block y >> 5, block z >> 4."""
SlotTables = I32
"""[n, 36] block slots by ``((dx + 1) * 3 + dz + 1) * 4 + k``, k the section 2 * cell y - 1 + k.

17 and 18 are the cell's own. Places outside the dimension have the store's slot of ABOVE or BELOW; an unknown column
that of UNLOADED.
"""
GroupCounts = I32
"""[n, 11] quads by ``vertex_format.Group``."""

FIRST_CUBES: Final = 32 * kernels.WORST_CUBES  # so a batch is copied once; unwritten parts take no memory
FIRST_MODELS: Final = 1 << 14


class AppearanceTables(msgspec.Struct, frozen=True):
    """The looks of block states, as the kernel reads them."""

    # int64[7]: the first dense id of models, cut-outs, translucents, liquids, placeholders, opaques, then the id of
    # still water, drawn where a liquid cell holds another block
    classes: I64
    amounts: Bytes  # uint8[n] by dense id: amount of a liquid in eighths, 8 for other blocks
    liquids: Bytes  # uint8[n]: 2 for lava, 1 for water and for all blocks that may contain some
    # uint64[n, 6] by dense id and face: texture layer, dense id, tint and flags at their bits of a cube quad
    faces: U64
    groups: Bytes  # uint8[n]: the group of blocks that connect (fences with fences), 0 for none
    stairs: Bytes  # uint8[n]: 0, or 1 + the direction they rise to (0..3) | upside down << 2
    # uint16[n]: 0, or direction | open << 2 | hinge << 3 | upper half << 4 | kind << 5, kinds from 1 on
    doors: U16
    door_ids: U16  # uint16[32 * (kinds + 1)]: the id of each such number
    model_rows: I32  # int32[n, 2]: the rows of ``model_quads`` of an id, from and up to
    # uint64[m, 3]: model quads of a block at the cell's origin, without the block's id
    model_quads: U64
    # uint16[m]: the neighbour that hides a quad, the one that must connect, the bends that leave it out
    model_rules: U16


class MeshPools(msgspec.Struct, frozen=True):
    """The pools a batch reads: complete views of ``client.world.block_pools``.

    ``blocks`` uint16[slots, 4096], three planes of column masks uint16[slots, 256], ``kinds`` uint8[slots], ``flags``
    uint32[slots]; of second layers, whose slot 0 is air, ``layer1`` uint16[slots, 4096] and ``wet`` uint16[slots, 256].
    """

    blocks: BlockIds
    opaque: ColumnMasks
    liquid: ColumnMasks
    other: ColumnMasks
    kinds: Bytes
    flags: U32
    layer1: BlockIds
    wet: ColumnMasks


class MeshBatch(msgspec.Struct, frozen=True):
    """Cells to mesh, with all inputs. Owned by the worker until the result."""

    cells: Cells
    slots: SlotTables  # of the 36 sub-chunks around each
    layer1_slots: SlotTables  # of second layers at the same places, 0 for none
    revisions: I64  # [n] set by the caller, and returned unchanged
    pools: MeshPools
    tables: AppearanceTables


class MeshResult(msgspec.Struct, frozen=True):
    """Meshes of a batch, sorted by cell x, z, y; belongs to the receiver."""

    cells: Cells  # int32[n, 3]
    revisions: I64  # int64[n], as in the batch
    counts: GroupCounts  # int32[n, 11] quads by group
    cubes: Words  # uint32[., 2], all meshes in a row
    models: Words  # uint32[., 6], all meshes in a row
    cube_first: I64  # int64[n + 1]: where each mesh's cube quads begin
    model_first: I64  # int64[n + 1]

    def units(self, mesh: int) -> Words:
        """One mesh as the arena holds it: uint32[m, 2], cube quads, then model quads of three units each."""
        cubes = self.cubes[self.cube_first[mesh] : self.cube_first[mesh + 1]]
        models = self.models[self.model_first[mesh] : self.model_first[mesh + 1]]
        return np.concatenate([cubes, models.reshape(-1, CUBE_WORDS)])


class Scratch:
    """Working memory for one running batch; grows by itself, never shared between threads."""

    def __init__(self) -> None:
        self.cubes = np.empty(FIRST_CUBES, np.uint64)
        self.models = np.empty((FIRST_MODELS, MODEL_WORDS // 2), np.uint64)
        self.ints = np.zeros(kernels.INTS, np.int64)
        spare = np.zeros(ROWS + 16, np.uint32)
        begin = -spare.ctypes.data % 64 // 4  # rows are whole cache lines: saves 10 % of a checkerboard's time
        self.rows = spare[begin : begin + ROWS]
        self.words = np.zeros(WORDS, np.uint64)

    def grow(self) -> None:
        """Doubles the space for models (one mesh's cube quads always fit)."""
        self.models = np.empty((2 * len(self.models), MODEL_WORDS // 2), np.uint64)


def run(batch: MeshBatch, scratch: Scratch) -> MeshResult:
    """Meshes a batch; on any thread, without the interpreter lock inside the kernel."""
    order = np.lexsort((batch.cells[:, 1], batch.cells[:, 2], batch.cells[:, 0]))
    slots = np.ascontiguousarray(batch.slots[order])
    layer1_slots = np.ascontiguousarray(batch.layer1_slots[order])
    counts = np.zeros((len(order), GROUPS), np.int32)
    firsts = np.zeros((2, len(order) + 1), np.int64)
    cubes: list[Words] = []
    models: list[Words] = []
    done = 0
    while done < len(order):
        reached = _call(batch, slots, layer1_slots, done, counts, firsts, scratch)
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
    slots: SlotTables,
    layer1_slots: SlotTables,
    start: int,
    counts: GroupCounts,
    firsts: I64,
    scratch: Scratch,
) -> int:
    pools, tables = batch.pools, batch.tables
    reached = kernels.mesh_cells(
        pools.blocks.reshape(-1), pools.opaque, pools.liquid, pools.other, pools.kinds, pools.flags,
        pools.layer1.reshape(-1), pools.wet,
        tables.classes, tables.amounts, tables.liquids, tables.faces, tables.groups, tables.stairs, tables.doors,
        tables.door_ids, tables.model_rows, tables.model_quads, tables.model_rules,
        slots, layer1_slots, start,
        scratch.cubes, scratch.models, counts, firsts, scratch.ints, scratch.rows, scratch.words,
    )  # fmt: skip
    return int(reached)


def _joined(parts: list[Words], width: int) -> Words:
    """The parts in a row; most batches are one part, which is not copied again."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty((0, width), np.uint32)


# ---------------------------------------------------------------- tables

OWN: Final = ModelBox((0, 0, 0), (0, 0, 0))
"""A stand-in box for crosses and ramps, which show the block's own pictures."""


def appearance_tables(materials: Materials, table: BlockTable) -> AppearanceTables:
    """The kernel's tables for every state with a look in ``materials``, whose ``grow`` must be called first."""
    count, first = len(materials), table.first
    water = next((k for k in range(first.liquid, first.placeholder) if _is_still_water(table.states[k])), first.liquid)
    bounds = (first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque)
    model_rows, model_quads, model_rules, groups = _models(materials, table)
    doors, door_ids = _doors(table, count)
    return AppearanceTables(
        classes=np.array([*bounds, water], np.int64),
        amounts=_amounts(table, count),
        liquids=_liquids(table, count),
        faces=_faces(materials, count),
        groups=groups,
        stairs=_stairs(table, count),
        doors=doors,
        door_ids=door_ids,
        model_rows=model_rows,
        model_quads=model_quads,
        model_rules=model_rules,
    )


def _is_still_water(state: BlockStateLike) -> bool:
    return state.name == "minecraft:water" and dict(state.states).get("liquid_depth", 0) == 0


def _amounts(table: BlockTable, count: int) -> U8:
    """uint8[n]: eighths of liquids, 8 for falling ones (``liquid_depth`` 8 and more) and for states without a depth."""
    amounts = np.full(count, FULL, np.uint8)
    for dense in range(table.first.liquid, table.first.placeholder):
        depth = dict(table.states[dense].states).get("liquid_depth", 0)
        amounts[dense] = FULL - depth if isinstance(depth, int) and 0 <= depth < FULL else FULL
    return amounts


def _liquids(table: BlockTable, count: int) -> U8:
    liquids = np.full(count, WATER, np.uint8)
    for dense in range(table.first.liquid, table.first.placeholder):
        if is_lava(table.states[dense].name):
            liquids[dense] = LAVA
    return liquids


def _stairs(table: BlockTable, count: int) -> U8:
    """As ``AppearanceTables.stairs``; weirdo_direction is east, west, south, north."""
    stairs = np.zeros(count, np.uint8)
    for dense in range(table.first.model, table.first.cutout):
        states = dict(table.states[dense].states)
        if "weirdo_direction" in states:
            stairs[dense] = (
                1 + (1, 0, 3, 2)[_number(states, "weirdo_direction", 4)] + 4 * _number(states, "upside_down_bit", 2)
            )
    return stairs


def _doors(table: BlockTable, count: int) -> tuple[U16, U16]:
    """As ``AppearanceTables.doors`` and ``door_ids``; a combination that the palette lacks shows the block itself."""
    doors, kinds = np.zeros(count, np.uint16), dict[str, int]()
    for dense in range(table.first.model, table.first.cutout):
        states = dict(table.states[dense].states)
        if "door_hinge_bit" not in states:
            continue
        kind = kinds.setdefault(table.states[dense].name, len(kinds) + 1)
        doors[dense] = kind << 5 | _number(states, "direction", 4)
        for place, name in enumerate(("open_bit", "door_hinge_bit", "upper_block_bit")):
            doors[dense] |= _number(states, name, 2) << 2 + place
    ids = np.zeros(32 * (len(kinds) + 1), np.uint16)
    some = np.flatnonzero(doors)
    for dense in some.tolist():
        ids[doors[dense] >> 5 << 5 : (doors[dense] >> 5) + 1 << 5] = dense
    ids[doors[some]] = some
    return doors, ids


def _number(states: Mapping[str, StateValue], name: str, many: int) -> int:
    """A state's value, 0 where it is none of ``many``."""
    value = states.get(name, 0)
    return int(value) if isinstance(value, int) and 0 <= value < many else 0


def _faces(materials: Materials, count: int) -> U64:
    """uint64[n, 6]: what a face adds to a cube quad."""
    faces = np.zeros((count, 6), np.uint64)
    ids = np.arange(count, dtype=np.uint64)[:, None]
    for name, values in (
        ("layer", materials.tiles),
        ("tint", materials.tints),
        ("flags", materials.flags),
        ("block", ids),
    ):
        faces |= values.astype(np.uint64) << _place(CUBE[name])
    return faces


def _place(field: BitField) -> np.uint64:
    """A field's first bit in the words read as one little-endian number."""
    return np.uint64(32 * field.word + field.shift)


def _models(materials: Materials, table: BlockTable) -> tuple[I32, U64, U16, U8]:
    """Rows by id, packed quads, their rules, and connection groups; states that look alike share their rows."""
    rules, first = load(), table.first
    groups = np.zeros(len(materials), np.uint8)
    model_rows = np.zeros((len(materials), 2), np.int32)
    group_numbers: dict[str, int] = {"": 0}
    quads_by_shape: dict[int, Quads] = {}
    rows_by_look: dict[tuple[int, bytes, bytes, bytes], tuple[int, int]] = {}
    first_of_name = _first_of_name(table)
    parts: list[Quads] = [np.zeros((0, QUAD_COLUMNS), np.int32)]
    shown_by: list[int] = []  # a dense id for each part
    end = 0
    for dense in range(first.model, first.cutout):
        state = table.states[dense]
        shape = rules.shape_of(state.name, dict(state.states))
        groups[dense] = group_numbers.setdefault(shape.group, len(group_numbers))
        faces = (materials.tiles[dense].tobytes(), materials.tints[dense].tobytes(), materials.flags[dense].tobytes())
        look = (id(shape), *faces)  # shapes live as long as the rules do
        if look not in rows_by_look:
            if id(shape) not in quads_by_shape:
                quads_by_shape[id(shape)] = quads_of(shape)
            quads = quads_by_shape[id(shape)]
            rows_by_look[look] = (end, end + len(quads))
            end += len(quads)
            parts.append(quads)
            shown = [first_of_name.get(f"minecraft:{box.shows}", dense) for box in (*shape.boxes, OWN)]
            shown_by += [shown[box] for box in quads[:, BOX].tolist()]
        model_rows[dense] = rows_by_look[look]
    every = np.concatenate(parts)
    words = _packed(every, np.array(shown_by, np.int64), materials)
    rule = (every[:, HIDDEN_BY] | every[:, LINK] << 3 | every[:, RULES]).astype(np.uint16)
    return model_rows, words.view(np.uint64).reshape(-1, MODEL_WORDS // 2), rule, groups


def _first_of_name(table: BlockTable) -> dict[str, int]:
    """The lowest dense id of each block's name."""
    found: dict[str, int] = {}
    for dense, state in enumerate(table.states):
        found.setdefault(state.name, dense)
    return found


def _packed(quads: Quads, shown_by: I64, materials: Materials) -> Words:
    """Everything but the block's id and place, which the kernel adds."""
    names = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz", "u0", "v0", "u1", "v1", "face")
    values: dict[str, npt.ArrayLike] = {name: quads[:, k] for k, name in enumerate(names)}
    shown = quads[:, PICTURE]
    values["layer"] = materials.tiles[shown_by, shown]
    values["tint"] = materials.tints[shown_by, shown]
    values["flags"] = materials.flags[shown_by, shown] & ~np.uint8(ROTATES) | quads[:, FLAGS]
    return pack(MODEL, len(quads), **values)
