"""Height maps of answers, compared with the blocks that came with them; surfaces from blocks.

A map is by z << 4 | x, ids are by x << 8 | z << 4 | y. ``dims`` is how much daylight a block absorbs: 0 for air and for
blocks that do not count, such as plants.

Rules:
1. One pass over the ids, which vectorises, finds where blocks are; their kinds are looked up only from the top of a
   column down to the first that dims light: one or two on real ground. Air and "all above" need no block.
2. A map is used unchanged: values beyond -1..16 mean the same as the nearest of them.

Measured: ``take_maps`` 0.17 to 0.3 us a sub-chunk of the bench world besides 0.31 for its masks (nine tenths of the
maps there are all above or all below); 10 us of CPU time for a packet of 24. Comparing the surface with blocks above it
costs some 4 us more for a sub-chunk that has values.

Indices. Kinds and values of maps come from outside: ``heights.joined_maps`` gives each map of a known kind a row of 256
and rejects other kinds; values are limited to -1..16 before they are used as shifts. The store finds places, ids are
uint16 in a table of 65,536.

Surfaces: a server computes them for height maps, a client keeps them up to date. The surface is one above the highest
block that counts, so it is the lowest y with full daylight. Below a placeholder it is UNKNOWN_TOP, since the
placeholder's blocks are unknown.

Indices. None comes from outside: places and slots are the store's, cells four bits of each axis
(``client.world.edits``), ids uint16 in a table of 65,536, or a server's own local ones.
"""

import numpy as np

from net.arrays import BlockIds, Bytes, ColumnMasks, HeightMap, Slots
from net.kernels.jit import at_least64, clz, inner, int64, kernel
from net.subchunk.storage import HeightMaps, Numbers, SlotTable, StateTable, Tops, TopTable

# ---------------------------------------------------------------- surface kernels

UNKNOWN_TOP = np.int16(-32768)


@kernel("void(uint16[:,::1], uint16[:,::1], uint8[::1], int64[::1])")
def surface(layer0: BlockIds, layer1: BlockIds, stops_light: Bytes, tops: Numbers) -> None:
    """Top light-blocking block of each block column + 1, in blocks from the floor; 0 if there is none.

    Args:
        layer0: uint16[sections, 4096] local ids.
        layer1: uint16[sections or 0, 4096] second layer.
        stops_light: uint8[local ids] 1 for blocks that count.
        tops: int64[256] by z << 4 | x, written.
    """
    two = layer1.shape[0] > 0
    for x in range(16):
        for z in range(16):
            top = int64(0)
            base = x << 8 | z << 4
            for section in range(layer0.shape[0] - 1, -1, -1):
                for y in range(15, -1, -1):
                    blocks = stops_light[layer0[section, base | y]] | (two and stops_light[layer1[section, base | y]])
                    if blocks:
                        top = section * 16 + y + 1
                        break
                if top:
                    break
            tops[z << 4 | x] = top


@inner
def surface_below(
    blocks: BlockIds,
    layer1: BlockIds,
    slots: Slots,
    layer1_slots: Slots,
    placeholder_slot: int,
    dims: Bytes,
    c: int,
    height: int,
) -> int:
    """One above the top dimming block of a block column below ``height``, both from the floor; -1: a placeholder."""
    base = (c & 15) << 8 | (c >> 4) << 4
    y = int64(height) - 1
    found: int = int64(0)
    while y >= 0:
        section = y >> 4
        slot, other = int64(slots[section]), int64(layer1_slots[section])
        if slot == placeholder_slot:
            found = int64(-1)
            break
        at = base | (y & 15)
        if not slot and not other:
            y = (section << 4) - 1
        elif dims[blocks[slot, at]] or dims[layer1[other, at]]:
            found = y + 1
            break
        else:
            y -= 1
    return found


@inner
def highest_shown(
    blocks: BlockIds,
    layer1: BlockIds,
    slots: Slots,
    layer1_slots: Slots,
    placeholder_slot: int,
    dims: Bytes,
    c: int,
    section: int,
    lowest: int,
) -> int:
    """The highest dimming block of a shown block column, from ``section`` down to ``lowest``; -1 for none."""
    base = (c & 15) << 8 | (c >> 4) << 4
    found: int = int64(-1)
    while found < 0 and section << 4 | 15 >= lowest:
        slot, other = int64(slots[section]), int64(layer1_slots[section])
        if slot != placeholder_slot and (slot or other):
            for y in range(15, max(lowest - (section << 4), 0) - 1, -1):
                if dims[blocks[slot, base | y]] or dims[layer1[other, base | y]]:
                    found = section << 4 | y
                    break
        section -= 1
    return found


@kernel("void(uint16[:,::1], uint16[:,::1], int32[::1], int32[::1], int64, uint8[::1], int64[::1], int64, int16[::1])")
def find_surface(
    blocks: BlockIds,
    layer1: BlockIds,
    slots: Slots,
    layer1_slots: Slots,
    placeholder_slot: int,
    dims: Bytes,
    cells: Numbers,
    floor: int,
    tops: Tops,
) -> None:
    """The surface of some block columns by their blocks, from the top down; unknown below a placeholder.

    Args:
        blocks: BlockIds[slots, 4096].
        layer1: the same of the second layer.
        slots: int32[sections] what a column shows, lowest first.
        layer1_slots: int32[sections].
        placeholder_slot: the slot of places that show nothing.
        dims: uint8[ids].
        cells: int64[n] of the map, z << 4 | x.
        floor: lowest y of the dimension.
        tops: int16[256], those of ``cells`` written: y of the surface, ``floor`` for none, or UNKNOWN_TOP.
    """
    height = slots.shape[0] * 16
    for i in range(cells.shape[0]):
        found = surface_below(blocks, layer1, slots, layer1_slots, placeholder_slot, dims, cells[i], height)
        tops[cells[i]] = UNKNOWN_TOP if found < 0 else np.int16(floor + found)


@kernel(
    "void(uint16[:,::1], uint16[:,::1], int32[:,::1], int32[:,::1], int64, uint8[::1], int32[::1], int64[::1], int64, "
    "int16[:,::1])"
)
def edit_surface(
    blocks: BlockIds,
    layer1: BlockIds,
    slot: SlotTable,
    layer1_slot: SlotTable,
    placeholder_slot: int,
    dims: Bytes,
    places: Slots,
    cells: Numbers,
    floor: int,
    tops: TopTable,
) -> None:
    """Follows changed blocks, all of which are written: a higher one is the surface, without the top one the next is.

    Args:
        blocks: BlockIds[slots, 4096].
        layer1: the same of the second layer.
        slot: int32[rows, sections] what each place shows.
        layer1_slot: int32[rows, sections].
        placeholder_slot: the slot of places that show nothing.
        dims: uint8[ids].
        places: int32[n] where blocks changed; each shows something.
        cells: int64[n] in each.
        floor: lowest y of the dimension.
        tops: int16[rows, 256], written; what is unknown stays so.
    """
    sections = slot.shape[1]
    for i in range(places.shape[0]):
        row, section = int64(places[i]) // sections, int64(places[i]) % sections
        c = (cells[i] >> 4 & 15) << 4 | cells[i] >> 8
        top = int64(tops[row, c])
        y = section * 16 + (cells[i] & 15)
        if top == int64(UNKNOWN_TOP) or y < top - floor - 1:
            continue
        first, other = int64(slot[row, section]), int64(layer1_slot[row, section])
        if dims[blocks[first, cells[i]]] or dims[layer1[other, cells[i]]]:
            tops[row, c] = np.int16(floor + y + 1)
        elif y == top - floor - 1:
            found = surface_below(blocks, layer1, slot[row], layer1_slot[row], placeholder_slot, dims, c, y)
            tops[row, c] = UNKNOWN_TOP if found < 0 else np.int16(floor + found)


# ---------------------------------------------------------------- height kernels

DIMMING, ANY, BETWEEN = 1, 2, 4
"""Readings that fit: the top block is the highest that dims light, the highest of all, or any below no full block."""
FULL = 15
"""Absorption of a block that lets no daylight through."""
Y_SHIFT = 3
"""Shift to the same three readings for maps that hold y itself, where others hold y + 1."""
ALL_READINGS = 63
NOT_COMPARED, NOTHING_SAID = 64, 65
"""Indices after the sets of readings."""


@kernel("int64(int32[::1], uint8[::1], int8[:,::1], uint16[:,::1], uint16[::1], int32[::1])")
def take_skies(
    places: Slots, kinds: Bytes, heights: HeightMaps, sky_top: BlockIds, scratch: BlockIds, changed: Slots
) -> int:
    """Where daylight enters the tops of sub-chunks, according to their height maps.

    All below, or a value of at most 15: open. All above, or no map: closed.

    Args:
        places: int32[n].
        kinds: uint8[n] as of ``take_maps``.
        heights: int8[number of kind 1, 256] by z << 4 | x.
        sky_top: uint16[places, 16], written: bit z of row x.
        scratch: uint16[16].
        changed: int32[n], written: places whose row changed.

    Returns:
        How many changed.
    """
    next_map = int64(0)
    count: int = int64(0)
    for j in range(places.shape[0]):
        place = int64(places[j])
        scratch[:] = np.uint16(0xFFFF) if kinds[j] == 3 else np.uint16(0)
        if kinds[j] == 1:
            for c in range(256):
                scratch[c & 15] |= np.uint16(heights[next_map, c] <= 15) << np.uint16(c >> 4)
            next_map += 1
        differs = np.uint16(0)
        for x in range(16):
            differs |= sky_top[place, x] ^ scratch[x]
            sky_top[place, x] = scratch[x]
        if differs:
            changed[count] = places[j]
            count += 1
    return count


@inner
def find_blocks(ids: BlockIds, masks: ColumnMasks) -> None:
    """Adds one bit to ``masks`` for each block that is not air."""
    words = masks.view(np.uint64)
    for i in range(64):
        words[i] |= at_least64(ids, 64 * i, int64(1))


@inner
def highest_dimming(ids: BlockIds, second: BlockIds, two: bool, column: int, mask: int, dims: Bytes) -> int:
    """Highest y of a column whose block dims light in either layer; -1 for none. ``mask``: where blocks are."""
    left = int64(mask)
    while left:
        y = int64(63) - clz(left)
        at = column << 4 | y
        if dims[ids[at]] or (two and dims[second[at]]):
            break
        left ^= int64(1) << y
    found: int = int64(63) - clz(left) if left else int64(-1)
    return found


@inner
def full_above(ids: BlockIds, column: int, mask: int, dims: Bytes, top: int) -> bool:
    """Whether a block of the first layer above ``top`` absorbs all light."""
    left = int64(mask) >> (top + 1) << (top + 1)
    while left:
        y = int64(63) - clz(left)
        if dims[ids[column << 4 | y]] >= FULL:
            return True
        left ^= int64(1) << y
    return False


@inner
def fitting(ids: BlockIds, column: int, mask: int, dims: Bytes, top: int, dimming: int, highest: int) -> int:
    """Readings that fit if the map has the top block at ``top``, -1 for below the sub-chunk."""
    fits: int = int64(0)
    if top == dimming:
        fits |= DIMMING
    if top == highest:
        fits |= ANY
    if (top < 0 or mask >> top & 1) and (top >= dimming or not full_above(ids, column, mask, dims, top)):
        fits |= BETWEEN
    return fits


@inner
def open_above(states: Bytes, section: int, air_states: Bytes) -> bool:
    for above in range(section + 1, states.shape[0]):
        if not air_states[states[above]]:
            return False
    return True


@inner
def readings_of_air(heights: HeightMap, nothing_above: bool) -> int:
    """Readings that fit a sub-chunk of air: nothing may lie inside it."""
    highest = int64(-1)
    above = int64(0)
    for c in range(256):
        value = int64(heights[c])
        above |= value > 15
        highest = max(highest, value if value <= 15 else int64(-1))
    fits: int = int64(ALL_READINGS)
    if highest >= 0:
        fits &= ALL_READINGS >> Y_SHIFT if highest == 0 else int64(0)
    if above and nothing_above:
        fits = int64(0)
    return fits


@inner
def readings_of_blocks(
    ids: BlockIds, second: BlockIds, two: bool, masks: ColumnMasks, dims: Bytes, heights: HeightMap, nothing_above: bool
) -> int:
    """Readings that fit in every column of a sub-chunk whose blocks are at ``masks``."""
    fits: int = int64(ALL_READINGS)
    for c in range(256):
        value = int64(heights[c])
        if value > 15 and not nothing_above:
            continue
        column = (c & 15) << 4 | c >> 4
        mask = int64(masks[column])
        highest = int64(63) - clz(mask) if mask else int64(-1)
        dimming = highest_dimming(ids, second, two, column, mask, dims)
        now: int = int64(0)
        if fits & ALL_READINGS >> Y_SHIFT:
            now = fitting(ids, column, mask, dims, min(max(value, 0), 16) - 1, dimming, highest)
        if fits >> Y_SHIFT:
            now |= fitting(ids, column, mask, dims, min(max(value, -1), 16), dimming, highest) << Y_SHIFT
        fits &= now
        if not fits:
            break
    return fits


@inner
def learn(heights: HeightMap, base: int, counts_ours: bool, surface: Tops) -> None:
    """Uses one height map for the surface of its column.

    A value inside its sub-chunk is the surface if the server counts the same blocks as we do; otherwise it becomes
    unknown, to be found from the blocks. A value that means "above" or "below" makes contradicting surfaces unknown.
    """
    for c in range(256):
        value = int64(heights[c])
        before = int64(surface[c])
        wrong = before < base + 16 if value > 15 else before >= base
        if 0 <= value <= 15:
            surface[c] = np.int16(base + value) if counts_ours else UNKNOWN_TOP
        elif wrong:
            surface[c] = UNKNOWN_TOP


@inner
def mend_surface(
    blocks: BlockIds,
    layer1: BlockIds,
    slots: Slots,
    layer1_slots: Slots,
    placeholder_slot: int,
    dims: Bytes,
    section: int,
    refuting: int,
    floor: int,
    surface: Tops,
) -> None:
    """Known blocks override maps: after an answer for ``section``, corrects the surface by the shown blocks.

    A map may be older than changes of blocks that came before it, and a server may count other blocks than we do. The
    highest shown block above the surface, from section ``refuting`` up, becomes the surface; if the block that should
    be the top is not, the surface moves down to the next.
    """
    highest = int64(-1)
    for above in range(slots.shape[0] - 1, refuting - 1, -1):
        if slots[above] != placeholder_slot and (slots[above] or layer1_slots[above]):
            highest = int64(above)
            break
    for c in range(256):
        if surface[c] == UNKNOWN_TOP:
            continue
        top = int64(surface[c]) - floor
        found = highest_shown(blocks, layer1, slots, layer1_slots, placeholder_slot, dims, c, highest, top)
        if found >= 0:
            surface[c] = np.int16(floor + found + 1)
        elif section << 4 <= top <= (section << 4) + 16 and top > 0 and slots[(top - 1) >> 4] != placeholder_slot:
            found = surface_below(blocks, layer1, slots, layer1_slots, placeholder_slot, dims, c, top)
            surface[c] = UNKNOWN_TOP if found < 0 else np.int16(floor + found)


@kernel(
    "void(uint16[:,::1], uint16[:,::1], int32[:,::1], int32[:,::1], int64, uint8[:,::1], uint8[::1], int64, "
    "uint8[::1], int32[::1], uint8[::1], int8[:,::1], int64, uint8[::1], uint8[::1], int64[::1], int16[:,::1], "
    "uint16[::1], int8[::1])"
)
def take_maps(
    blocks: BlockIds,
    layer1: BlockIds,
    slot: SlotTable,
    layer1_slot: SlotTable,
    placeholder_slot: int,
    state: StateTable,
    air_states: Bytes,
    undecodable: int,
    dims: Bytes,
    places: Slots,
    kinds: Bytes,
    heights: HeightMaps,
    floor: int,
    verdict_of: Bytes,
    verdict: Bytes,
    counted: Numbers,
    tops: TopTable,
    masks: ColumnMasks,
    constant: HeightMap,
) -> None:
    """Compares height maps with the blocks that came with them, and takes those that do not contradict.

    Args:
        blocks: BlockIds[slots, 4096].
        layer1: the same of the second layer; in both slot 0 is all air.
        slot: int32[rows, sections] what each place shows.
        layer1_slot: int32[rows, sections].
        placeholder_slot: the slot of places that show nothing.
        state: uint8[rows, sections] of each place.
        air_states: uint8[256] 1 for states in which a place was told to be air.
        undecodable: the state of places whose blocks are not those of the answer.
        dims: uint8[ids].
        places: int32[n] that were answered.
        kinds: uint8[n] 0 says nothing, 1 has a map, 2 all above, 3 all below.
        heights: int8[how many of kind 1, 256] as ``HeightMap``.
        floor: lowest y of the dimension.
        verdict_of: uint8[64] by the set of readings that fit; then two more: nothing said, not compared.
        verdict: uint8[places], written.
        counted: int64[verdicts], added to.
        tops: int16[rows, 256], written: y of the surface, or UNKNOWN_TOP.
        masks: uint16[256] scratch.
        constant: int8[256] scratch.
    """
    next_map = int64(0)
    for j in range(places.shape[0]):
        place = int64(places[j])
        row, section = place // slot.shape[1], place % slot.shape[1]
        found = int64(verdict_of[NOTHING_SAID])
        counts_ours = False
        if kinds[j]:
            said = constant
            if kinds[j] == 1:
                said = heights[next_map]
                next_map += 1
            else:
                constant[:] = np.int8(16) if kinds[j] == 2 else np.int8(-1)
            first, other = int64(slot[row, section]), int64(layer1_slot[row, section])
            nothing_above = open_above(state[row], section, air_states)
            if state[row, section] == undecodable:
                fits = int64(NOT_COMPARED)
            elif kinds[j] == 2 and not nothing_above:
                fits = int64(ALL_READINGS)
            elif first or other:
                masks[:] = np.uint16(0)
                if first:
                    find_blocks(blocks[first], masks)
                if other:
                    find_blocks(layer1[other], masks)
                fits = readings_of_blocks(blocks[first], layer1[other], other > 0, masks, dims, said, nothing_above)
            else:
                fits = readings_of_air(said, nothing_above)
            found = int64(verdict_of[fits])
            if fits:
                as_y = fits != NOT_COMPARED and not fits & (ALL_READINGS >> Y_SHIFT)
                counts_ours = fits == NOT_COMPARED or bool(fits & (DIMMING << Y_SHIFT if as_y else DIMMING))
                learn(said, floor + 16 * section + int64(as_y), counts_ours, tops[row])
        refuting = section + int64(counts_ours)  # own blocks were compared
        mend_surface(
            blocks, layer1, slot[row], layer1_slot[row], placeholder_slot, dims, section, refuting, floor, tops[row]
        )
        verdict[place] = found
        counted[found] += 1
