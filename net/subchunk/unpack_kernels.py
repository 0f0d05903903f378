"""Turns index words and mapped palettes into block ids, straight into pool slots.

Rules:
1. Every index is checked without looking at it: palette entries that do not exist map to NO_ID, and one pass over the
   finished ids, which vectorises, looks for it.
2. An unrolled loop a width (``one_by_one`` and ``in_pairs`` are put into it by LLVM, with constants); words may lie at
   any byte offset.
3. Up to 4 bits, two neighbouring indices are looked up at once, in a table of all pairs: half the look-ups and stores
   for 16 to 256 entries more. Beyond, the table would cost more than it saves.

Measured: 0.85 us a sub-chunk of 3 or 4 bits, 1.5 with one look-up an index (one run, bench world).

Indices. From outside come the indices in words: rule 1 checks those of up to 8 bits, ``widest`` those of 16. Where
words and palettes lie ``scan_kernels`` checked; slots are ``client.world.intake``'s, of its pools, and an id is a
uint16 in a table of 65,536.
"""

import numpy as np

from net.kernels.casts import int64
from net.kernels.jit import inlined, inner, kernel
from net.space.layout import BlockIds, Bytes, Slots
from net.subchunk.arrays import Flags, Numbers, Words
from net.subchunk.scan_kernels import BITS, COUNT, LAYER, LAYER_COLUMNS, PALETTE, WORDS
from net.subchunk.storage import NO_ID

NOT_UNIFORM = -1
BAD_INDEX = -2
SCRATCH = 256 + 2 * 256


def unpack_scratch() -> BlockIds:
    """Working memory for one call of a kernel here: a palette of up to 8 bits, and all pairs of one of up to 4."""
    return np.empty(SCRATCH, np.uint16)


@inlined
def one_by_one(words: Words, ids: BlockIds, out: BlockIds, BITS_EACH: int, PER_WORD: int) -> None:
    """4,096 ids by indices of a constant width."""
    mask = np.uint32((1 << BITS_EACH) - 1)
    full = 4096 // PER_WORD
    o = 0
    for w in range(full):
        v = words[w]
        for k in range(PER_WORD):
            out[o + k] = ids[(v >> np.uint32(k * BITS_EACH)) & mask]
        o += PER_WORD
    if o < 4096:
        v = words[full]
        for k in range(4096 - o):
            out[o + k] = ids[(v >> np.uint32(k * BITS_EACH)) & mask]


@inlined
def in_pairs(words: Words, ids: BlockIds, pairs: Words, out: Words, BITS_EACH: int, PER_WORD: int) -> None:
    """The same for few bits. ``pairs``: scratch; ``out``: two ids an entry, the first one in the low half."""
    for high in range(1 << BITS_EACH):
        for low in range(1 << BITS_EACH):
            pairs[high << BITS_EACH | low] = np.uint32(ids[low]) | np.uint32(ids[high]) << np.uint32(16)
    mask = np.uint32((1 << (2 * BITS_EACH)) - 1)
    each = PER_WORD // 2
    full = 2048 // each
    o = 0
    for w in range(full):
        v = words[w]
        for k in range(each):
            out[o + k] = pairs[(v >> np.uint32(2 * k * BITS_EACH)) & mask]
        o += each
    if o < 2048:
        v = words[full]
        for k in range(2048 - o):
            out[o + k] = pairs[(v >> np.uint32(2 * k * BITS_EACH)) & mask]


@inner
def widest(words: Words) -> int:
    """Highest of the 4,096 16-bit indices."""
    highest = np.uint16(0)
    halves = words.view(np.uint16)
    for i in range(4096):
        highest = max(highest, halves[i])
    found: int = int64(highest)
    return found


@inner
def any_missing(out: BlockIds) -> bool:
    """Whether any id is NO_ID, the highest number there is."""
    highest = np.uint16(0)
    for i in range(4096):
        highest = max(highest, out[i])
    missing: bool = highest == NO_ID
    return missing


@inner
def unpack_storage(buffer: Bytes, row: Numbers, column: int, mapped: BlockIds, scratch: BlockIds, out: BlockIds) -> int:
    """One layer; the id where it is all one block, NOT_UNIFORM, or BAD_INDEX."""
    bits = row[column + BITS]
    first = row[column + PALETTE]
    count = row[column + COUNT]
    found: int = int64(NOT_UNIFORM)
    if bits == 0:
        only = mapped[first]
        for i in range(4096):
            out[i] = only
        found = int64(only)
        return found
    at = row[column + WORDS]
    per_word = 32 // bits
    words = buffer[at : at + 4 * ((4095 + per_word) // per_word)].view(np.uint32)
    if bits == 16:
        if widest(words) >= count:
            found = int64(BAD_INDEX)
            return found
        one_by_one(words, mapped[first : first + count], out, 16, 2)
        if count == 1:
            found = int64(mapped[first])
        return found
    room = int64(1) << bits
    count = min(count, room)
    ids = scratch[:256]
    for i in range(count):
        ids[i] = mapped[first + i]
    for i in range(count, room):
        ids[i] = NO_ID
    pairs = scratch[256:SCRATCH].view(np.uint32)
    two = out.view(np.uint32)
    if bits == 4:
        in_pairs(words, ids, pairs, two, 4, 8)
    elif bits == 3:
        in_pairs(words, ids, pairs, two, 3, 10)
    elif bits == 2:
        in_pairs(words, ids, pairs, two, 2, 16)
    elif bits == 1:
        in_pairs(words, ids, pairs, two, 1, 32)
    elif bits == 5:
        one_by_one(words, ids, out, 5, 6)
    elif bits == 6:
        one_by_one(words, ids, out, 6, 5)
    else:
        one_by_one(words, ids, out, 8, 4)
    if count < room and any_missing(out):
        found = int64(BAD_INDEX)
    elif count == 1:
        found = int64(ids[0])
    return found


@kernel(
    "void(uint8[::1], int64[:,::1], int64[::1], int64, int32[::1], uint16[::1], uint32[::1], uint16[:,::1], "
    "uint32[::1], uint16[::1], int64[::1])"
)
def unpack_batch(
    buffer: Bytes,
    rows: Numbers,
    entries: Numbers,
    layer: int,
    slots: Slots,
    mapped: BlockIds,
    id_flags: Flags,
    blocks: BlockIds,
    slot_flags: Flags,
    scratch: BlockIds,
    uniform: Numbers,
) -> None:
    """Unpacks one layer of scanned entries.

    Args:
        buffer: uint8[bytes], as scanned.
        rows: int64[n, COLUMNS] of ``scan_batch``.
        entries: int64[m] which rows; each has that layer, in a form other than the legacy one.
        layer: 0 or 1.
        slots: int32[m] where each goes.
        mapped: uint16[palette ids] the dense id of each.
        id_flags: uint32[65536] by dense id, or-ed over a palette.
        blocks: BlockIds[slots, 4096], written.
        slot_flags: uint32[slots], written.
        scratch: of ``unpack_scratch``.
        uniform: int64[m], written: the id of an entry of one block, else NOT_UNIFORM or BAD_INDEX.
    """
    column = LAYER + layer * LAYER_COLUMNS
    for j in range(entries.shape[0]):
        row = rows[entries[j]]
        slot = int64(slots[j])
        uniform[j] = unpack_storage(buffer, row, column, mapped, scratch, blocks[slot])
        flags = np.uint32(0)
        for i in range(row[column + PALETTE], row[column + PALETTE] + row[column + COUNT]):
            flags |= id_flags[mapped[i]]
        slot_flags[slot] = flags


@kernel("void(uint8[::1], int64, uint16[::1])")
def unpack_legacy(buffer: Bytes, at: int, out: BlockIds) -> None:
    """Versions 0 and 2..7: id << 4 | data of 4,096 blocks; the low nibble is the even index."""
    for i in range(4096):
        data = int64(buffer[at + 4096 + (i >> 1)])
        out[i] = int64(buffer[at + i]) << 4 | (data >> ((i & 1) << 2)) & 15
