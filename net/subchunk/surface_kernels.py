"""The surface of block columns by their blocks: what a server puts into height maps, and what a client keeps up.

A map is by z << 4 | x, ids are by x << 8 | z << 4 | y. ``dims`` is what a block takes of daylight: 0 for air and for
whatever does not count, such as plants.

The surface lies one above the highest block that counts, so that it is the lowest y at which daylight is whole. What
lies below a placeholder is UNKNOWN_TOP, since nobody knows what the placeholder holds.

Indices. None comes from outside: places and slots are the store's, cells four bits of each axis
(``client.world.edits``), ids uint16 in a table of 65,536, or a server's own local ones.
"""

import numpy as np

from net.kernels.casts import int64
from net.kernels.jit import inner, kernel
from net.space.layout import BlockIds, Bytes, Slots
from net.subchunk.arrays import Numbers, SlotTable, Tops, TopTable

UNKNOWN_TOP = np.int16(-32768)


@kernel("void(uint16[:,::1], uint16[:,::1], uint8[::1], int64[::1])")
def surface(layer0: BlockIds, layer1: BlockIds, stops_light: Bytes, tops: Numbers) -> None:
    """Top light-blocking block of each block column + 1, in blocks from the floor; 0 where there is none.

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
