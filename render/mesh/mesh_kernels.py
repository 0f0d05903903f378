"""The mesh kernel: block slots of 16 x 32 x 16 render cells -> packed quads, merged greedily by block id.

Rules:
1. Only opaque cells hide a face, and placeholders are opaque here; liquids also hide liquids of their kind, translucent
   blocks their own kind. Placeholder blocks themselves emit nothing.
2. A mesh's quads are in the order of ``vertex_format.Group``, inside a group by face, then sides by x, z, y, others by
   y, x, z: the same blocks give the same bytes.
3. There are no bounds checks: ``cubes`` needs space for ``WORST_CUBES`` more quads when a mesh is begun; the space for
   models is checked block by block, and a mesh that does not fit is left out completely.

The parts are compiled into this one kernel: full cubes from ``cube_kernels``, level and sloping liquids from
``liquid_kernels``, all other shapes from ``model_kernels``. Speed on the bench world: see ``tests/bench``.

Indices. None comes from outside: block slots are the store's, those of neighbours too; missing neighbours have the
placeholder's. Tables are made anew for every appended id, before a job uses them (``BlockAppearance.grow``); the
lengths of cached ones are checked when they are read (``render.scene.gpu_copy.block_appearance``).
"""

from client.light.simd import prefetch
from net.arrays import BlockIds, Bytes, ColumnMasks, Slots
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel
from render.materials.biome_tints import LOWERED
from render.mesh.cell_layout import (
    ALL_OPAQUE,
    HAS_LIQUID,
    HAS_OPAQUE,
    HAS_OTHER,
    LIQUID,
    OPAQUE,
    PLACEHOLDER,
    WATERLOG,
    Flags,
    Halves,
    Masks,
    Rows,
    Unsigned,
    pad,
)
from render.mesh.cube_kernels import (
    ALL_MERGES,
    ANY,
    FACES,
    SHIFT_FLAGS,
    compare_cells,
    emit_greedy,
    hide_own_kind,
    join_halves,
    merges,
    number_bits,
    part_layers,
    shown_rows,
    side_layers,
    spread_same,
    visible_faces,
)
from render.mesh.liquid_kernels import (
    LAVA,
    WATER,
    emit_slopes,
    has_both_kinds,
    has_second,
    keep_kind,
    layers_beside,
    level_surfaces,
    part_heights,
    tall_layers,
    wet_cells,
)
from render.mesh.model_kernels import emit_models

WORST_CUBES = 2 * 6 * 8192  # every face of every cell, and of the water in it
INTS = 2176  # int64 scratch


@inner
def buried(kinds: Bytes, table: Slots) -> bool:
    """Whether both halves and all around them are completely opaque, so that nothing is visible."""
    around = nb.int64(kinds[table[16]]) & nb.int64(kinds[table[17]]) & nb.int64(kinds[table[18]])
    around &= nb.int64(kinds[table[19]])
    for g in range(4, 32, 8):
        around &= nb.int64(kinds[table[g + 1]]) & nb.int64(kinds[table[g + 2]])
    return around & ALL_OPAQUE != 0


@inner
def fetch_ahead(opaque: ColumnMasks, other: ColumnMasks, table: Slots) -> None:
    """Prefetches masks of the next mesh that this one does not read, mostly the one above: saves 5 % of the time."""
    for g in range(18, 20):
        for i in range(0, 256, 32):
            prefetch(opaque, nb.int64(table[g + 4]) * 256 + i)
            prefetch(other, nb.int64(table[g]) * 256 + i)
        prefetch(opaque, nb.int64(table[g + 12]) * 256)


@kernel(
    "int64(uint16[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint8[::1], uint32[::1], uint16[::1], "
    "uint16[:,::1], int64[::1], uint8[::1], uint8[::1], uint64[:,::1], uint8[::1], uint8[::1], uint16[::1], "
    "uint16[::1], int32[:,::1], uint64[:,::1], uint16[::1], "
    "int32[:,::1], int32[:,::1], int64, "
    "uint64[::1], uint64[:,::1], int32[:,::1], int64[:,::1], int64[::1], uint32[::1], uint64[::1])"
)
def mesh_cells(
    blocks: BlockIds,
    opaque: ColumnMasks,
    liquid: ColumnMasks,
    other: ColumnMasks,
    kinds: Bytes,
    flags: Flags,
    layer1: BlockIds,
    wet: ColumnMasks,
    classes: Masks,
    amounts: Bytes,
    liquids: Bytes,
    looks: Unsigned,
    groups: Bytes,
    stairs: Bytes,
    doors: Halves,
    door_ids: Halves,
    model_rows: Slots,
    model_quads: Unsigned,
    model_rules: Halves,
    tables: Slots,
    second_tables: Slots,
    start: int,
    cubes: Unsigned,
    models: Unsigned,
    counts: Slots,
    firsts: Masks,
    ints: Masks,
    rows: Rows,
    words: Unsigned,
) -> int:
    """Meshes tables[start:] until done or out of space; returns the end of the done ones, -1 if not even one fitted.

    blocks, layer1: the pools, flat. second_tables: slots of the second layer, 0 for none. looks uint64[n, 6]: the bits
    that the face of an id adds to a quad (vertex_format.CUBE's tint, flags, layer, block). model_rows int32[n, 2]: rows
    of model_quads (six words in three) and model_rules of an id. cubes uint64 and models uint64[.., 3] are written from
    0; counts[k] by ``vertex_format.Group``. firsts int64[2, meshes + 1]: where the cubes and models of each mesh begin;
    firsts[:, start] is an input, the later ones are written. ints[INTS], rows[ROWS], words[WORDS]: scratch.
    """
    PO = ints[0:324]
    PT = ints[336:660]
    PA = ints[672:996]
    translucent = ints[1008:1332]
    V = rows[FACES : FACES + 1536].reshape(6, 256)
    ends = ints[1344:1350]
    heights = ints[1352:1362]
    even = ints[1368:1692]
    both = ints[1704:2028]
    bits = ints[2032:2160]
    n = nb.int64(0)
    nm = nb.int64(0)
    none = nb.int64(0)
    for k in range(start, len(tables)):
        table = tables[k]
        for g in range(11):
            counts[k, g] = 0
        firsts[0, k + 1] = firsts[0, start] + n
        firsts[1, k + 1] = firsts[1, start] + nm
        low_slot = nb.int64(table[17])
        high_slot = nb.int64(table[18])
        some = nb.int64(kinds[low_slot]) | nb.int64(kinds[high_slot])
        seconds = second_tables[k]
        soaked = has_second(seconds)
        if seconds[17] | seconds[18]:
            some |= HAS_LIQUID
        if some & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) == 0 or buried(kinds, table):
            continue
        if n + WORST_CUBES > len(cubes):
            return k if k > start else -1
        if k + 1 < len(tables):
            fetch_ahead(opaque, other, tables[k + 1])
        pad(opaque, table, PO)
        kinds_of_other = nb.int64(0)
        low = low_slot << 12
        high = high_slot << 12
        number_bits(low, high, bits)
        done = nb.int64(0)
        both_kinds = False
        merge = nb.int64(ALL_MERGES)
        tall = nb.int64(0)  # layers in which a transparent face is higher than a liquid's surface
        for part in range(5):
            drop = none
            first_id = none
            last_id = nb.int64(65536)
            instead = nb.int64(-1)
            if part == 0:
                if some & HAS_OPAQUE == 0:
                    continue
                visible_faces(PO, PO, V)
                first_id = classes[OPAQUE]
            elif part == 1:
                if some & HAS_OTHER:
                    for i in range(324):
                        PA[i] = 0
                        translucent[i] = 0
                    q = nm
                    nm, kinds_of_other = emit_models(
                        blocks, other, kinds, table, classes, PO, PA, translucent, groups, stairs, doors, door_ids,
                        model_rows, model_quads, model_rules, models, nm, False,
                    )  # fmt: skip
                    if nm < 0:
                        return k if k > start else -1
                    counts[k, 9] = nm - q
                    if kinds_of_other & 4:
                        q = nm
                        nm, _ = emit_models(
                            blocks, other, kinds, table, classes, PO, PA, translucent, groups, stairs, doors, door_ids,
                            model_rows, model_quads, model_rules, models, nm, True,
                        )  # fmt: skip
                        if nm < 0:
                            return k if k > start else -1
                        counts[k, 10] = nm - q
                        tall |= tall_layers(models, q, nm)
                if kinds_of_other & 1 == 0:
                    continue
                visible_faces(PA, PO, V)
            elif part == 2:
                if kinds_of_other & 2 == 0:
                    continue
                visible_faces(translucent, PO, V)
                hide_own_kind(blocks, table, V)
                merge = merges(V)
                tall |= side_layers(V, False)
            else:
                if some & HAS_LIQUID == 0 or (part == 4 and not both_kinds):
                    continue
                if part == 3:
                    wet_cells(blocks, liquid, table, wet, seconds, soaked, classes, PO, PA, PT)
                    both_kinds = has_both_kinds(flags, table, soaked)
                    if both_kinds:
                        for i in range(324):
                            both[i] = PT[i]
                if both_kinds:
                    keep_kind(blocks, table, liquids, WATER if part == 3 else LAVA, both, PT)
                    if part == 3:
                        tall |= layers_beside(both, PT)
                for i in range(324):
                    PA[i] = PO[i] | PT[i]
                visible_faces(PT, PA, V)
                if level_surfaces(blocks, table, layer1, seconds, classes, PT, PO, amounts, PA, even, translucent, V):
                    q = nm
                    nm = emit_slopes(
                        blocks,
                        table,
                        layer1,
                        seconds,
                        PT,
                        PO,
                        translucent,
                        classes,
                        amounts,
                        looks,
                        heights,
                        models,
                        nm,
                    )
                    if nm < 0:
                        return k if k > start else -1
                    counts[k, 10] += nm - q
                    tall |= tall_layers(models, q, nm)
                if merge == ALL_MERGES:
                    merge = merges(V)
                tall |= side_layers(V, True)
                first_id = classes[LIQUID]
                last_id = classes[PLACEHOLDER]
                instead = classes[WATERLOG]
                drop = nb.int64(LOWERED) << SHIFT_FLAGS
            shown = shown_rows(V)
            if shown == 0:
                continue
            missing = shown & ~done & (1 << ANY) - 1
            done |= missing
            if missing or part >= 3:
                compare_cells(blocks, low, high, missing, words)
                join_halves(blocks, low, high, done, words, rows)
                if part >= 3:
                    part_heights(V, rows)
                spread_same(rows)
                if part >= 3 and tall:
                    part_layers(rows, tall)
            q = n
            n = emit_greedy(blocks, bits, rows, shown, looks, first_id, last_id, instead, drop, merge, cubes, ends, n)
            if part == 0:
                for d in range(6):
                    counts[k, d] = ends[d] - q
                    q = ends[d]
            else:
                counts[k, min(5 + part, 8)] += n - q
        firsts[0, k + 1] = firsts[0, start] + n
        firsts[1, k + 1] = firsts[1, start] + nm
    return len(tables)
