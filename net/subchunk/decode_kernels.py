"""Finds the parts of network sub-chunks in raw bytes (words, palettes, every palette id), and unpacks them.

Rules of scanning:
1. Nothing outside an entry's bytes is read, whatever they contain; a bad entry loses only itself.
2. Indices are not checked: ``unpack`` finds those beyond their palette.
3. A palette id is the value of a zigzag varint as an unsigned 32-bit number (hashes are written as signed ones).
4. Layers after the second are checked and skipped.

One row of int64 an entry; the columns are named below. Offsets count from the start of the buffer.

Indices. All offsets, counts and widths come from outside: ``varint``, ``scan_storage`` and ``scan_one`` compare each
with the entry's end before reading there. ``starts``, ``ends`` and the palette buffer come from ``decode``, which
joined the bytes (an id takes at least one byte).

Rules of unpacking (index words and mapped palettes to block ids, straight into pool slots):
1. Indices are checked indirectly: missing palette entries map to NO_ID, and one pass over the finished ids, which
   vectorises, searches for it.
2. Each width has a loop of its own (LLVM inlines ``one_by_one`` with constants); words may be at any byte offset.
3. Up to 4 bits, a palette is one vector, in which up to 32 ids are looked up at once (``jit.look_up``).

Indices. The indices in words come from outside: rule 1 checks those of up to 8 bits, ``widest`` those of 16. The scan
has checked the positions of words and palettes; slots come from ``client.world.answers``, of its pools, and an id is a
uint16 in a table of 65,536.
"""

import numpy as np

from net.arrays import BlockIds, Bytes, Slots
from net.kernels.jit import inlined, inner, int64, kernel, look_up
from net.subchunk.storage import LEGACY_BYTES, NO_ID, PALETTE_LIMIT, Flags, Numbers, Rows, SubChunkFault, Words

# ---------------------------------------------------------------- scan kernels

STATUS = 0  # a Fault
AT = 1  # offset of the fault
END = 2  # one past the last byte read
NEEDED = 3  # after TRUNCATED: one past the last byte that was to be read at AT
VERSION = 4
SECTION = 5  # the i8 of version 9, else -128
LAYERS = 6
LAYER = 7  # first of four columns for each of two layers:
BITS, WORDS, PALETTE, COUNT = 0, 1, 2, 3  # width (-1: legacy), offset of words, first palette id, count
LAYER_COLUMNS = 4
COLUMNS = LAYER + 2 * LAYER_COLUMNS

INDEXED, SINGLE, EMPTY, RARE, SECOND, WITH_REST = range(6)
"""The form of an entry: indices with a palette, one block by its header, no layer, forms that are processed separately;
then entries with a second layer, and with bytes after their terrain."""
SORTS = 6

NO_SECTION = -128
LEGACY = -1
AFTER_PREVIOUS = -1  # as a start: the end of the previous entry

TRUNCATED = int(SubChunkFault.TRUNCATED)
BAD_VERSION = int(SubChunkFault.VERSION)
BAD_WIDTH = int(SubChunkFault.WIDTH)
BAD_PALETTE = int(SubChunkFault.PALETTE_SIZE)
BAD_VARINT = int(SubChunkFault.VARINT)
NAMED = int(SubChunkFault.NAMED_PALETTE)
MISSING = int(SubChunkFault.MISSING)


@inner
def varint(buffer: Bytes, at: int, end: int) -> tuple[int, int]:
    """(value, next offset); on failure the offset is -TRUNCATED or -BAD_VARINT."""
    value = int64(0)
    shift = int64(0)
    while True:
        if at >= end:
            return value, int64(-TRUNCATED)
        byte = int64(buffer[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFF, at
        shift += 7
        if shift == 35:
            return value, int64(-BAD_VARINT)


@inner
def unzigzag(value: int) -> int:
    """Signed value of a zigzag number, as unsigned 32 bits."""
    return ((value >> 1) ^ -(value & 1)) & 0xFFFFFFFF


@inner
def scan_storage(  # a fault ends it at once
    buffer: Bytes, at: int, end: int, row: Numbers, column: int, palette: Numbers, used: int
) -> tuple[int, int]:
    """Scans one storage; returns (next offset, ids so far). On failure the offset is -Fault, its place in row[AT].

    column: first column of the layer, or negative to skip it.
    """
    row[AT] = at
    row[NEEDED] = at + 1
    if at >= end:
        return int64(-TRUNCATED), used
    header = int64(buffer[at])
    bits = header >> 1
    at += 1
    if bits == 7 or (bits > 8 and bits != 16):
        return int64(-BAD_WIDTH), used
    words = at
    count = int64(1)
    if bits:
        per_word = 32 // bits
        at += 4 * ((4095 + per_word) // per_word)
    if at > end:
        row[NEEDED] = at
        return int64(-TRUNCATED), used
    row[AT] = at
    row[NEEDED] = end + 1
    if header & 1 == 0:
        return int64(-NAMED), used
    if bits:
        count, after = varint(buffer, at, end)
        if after < 0:
            return after, used
        count = int64(0) if count & 1 else count >> 1
        if count < 1 or count > PALETTE_LIMIT:
            return int64(-BAD_PALETTE), used
        at = after
    first = used
    for _ in range(count):
        value, after = varint(buffer, at, end)
        if after < 0:
            row[AT] = at
            return after, first
        at = after
        if column >= 0:
            palette[used] = unzigzag(value)
            used += 1
    if column >= 0:
        row[column + BITS] = bits
        row[column + WORDS] = words
        row[column + PALETTE] = first
        row[column + COUNT] = count
    return at, used


@inner
def scan_one(buffer: Bytes, at: int, end: int, row: Numbers, palette: Numbers, used: int) -> tuple[int, int]:
    """Scans one sub-chunk into its row; returns (next offset or -Fault, ids written so far)."""
    row[AT] = at
    row[NEEDED] = end + 1
    row[SECTION] = NO_SECTION
    row[LAYERS] = 0
    if at >= end:
        return int64(-TRUNCATED), used
    version = int64(buffer[at])
    row[VERSION] = version
    at += 1
    if version > 9:
        return int64(-BAD_VERSION), used
    layers = int64(1)
    if version == 0 or (1 < version < 8):
        if at + LEGACY_BYTES > end:
            row[NEEDED] = at + LEGACY_BYTES
            return int64(-TRUNCATED), used
        row[LAYERS] = 1
        row[LAYER + BITS] = LEGACY
        row[LAYER + WORDS] = at
        row[LAYER + PALETTE] = used
        row[LAYER + COUNT] = 0
        return at + LEGACY_BYTES, used
    if version >= 8:
        if at >= end:
            return int64(-TRUNCATED), used
        layers = int64(buffer[at])
        at += 1
    if version == 9:
        if at >= end:
            return int64(-TRUNCATED), used
        section = int64(buffer[at])
        row[SECTION] = section - 256 if section > 127 else section
        at += 1
    start = used
    for layer in range(layers):
        at, used = scan_storage(buffer, at, end, row, LAYER + layer * LAYER_COLUMNS if layer < 2 else -1, palette, used)
        if at < 0:
            return at, start
    row[LAYERS] = layers
    return at, used


@kernel("int64(uint8[::1], int64[::1], int64[::1], int64[:,::1], int64[::1])")
def scan_batch(buffer: Bytes, starts: Numbers, ends: Numbers, rows: Numbers, palette: Numbers) -> int:
    """Scans entries; returns how many palette ids there are.

    Args:
        buffer: uint8[bytes].
        starts: int64[n] first byte of each entry, AFTER_PREVIOUS for one that follows its predecessor.
        ends: int64[n] one past the last byte each may use.
        rows: int64[n, COLUMNS], written.
        palette: int64[at least as many as there are bytes], written.
    """
    used: int = int64(0)
    previous = int64(0)
    for i in range(starts.shape[0]):
        row = rows[i]
        start = starts[i]
        if start == AFTER_PREVIOUS:
            start = previous
        if start < 0:
            row[STATUS] = MISSING
            row[AT] = ends[i]
            row[END] = ends[i]
            row[LAYERS] = 0
            continue
        previous, used = scan_one(buffer, start, ends[i], row, palette, used)
        row[STATUS] = -previous if previous < 0 else 0
        row[END] = row[AT] if previous < 0 else previous
    return used


@inner
def enter(sorted_: Rows, counts: Numbers, sort: int, index: int) -> None:
    """Adds an entry to a row."""
    sorted_[sort, counts[sort]] = index
    counts[sort] += 1


@kernel("void(int64[:,::1], int64[::1], int64[:,::1], int64[::1])")
def sort_rows(rows: Rows, limits: Numbers, sorted_: Rows, counts: Numbers) -> None:
    """Sorts scanned entries by form; a broken one is in no row.

    Args:
        rows: int64[n, COLUMNS] of ``scan_batch``.
        limits: int64[n] one past the last byte each may use.
        sorted_: int64[SORTS, n], written: entries in order.
        counts: int64[SORTS] zeros; written: entries of each row.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        if row[STATUS] == NAMED:
            enter(sorted_, counts, RARE, i)
        if row[STATUS]:
            continue
        bits = row[LAYER + BITS]
        if row[LAYERS] == 0:
            enter(sorted_, counts, EMPTY, i)
        elif bits == LEGACY:
            enter(sorted_, counts, RARE, i)
        elif bits == 0:
            enter(sorted_, counts, SINGLE, i)
        else:
            enter(sorted_, counts, INDEXED, i)
        if row[LAYERS] > 1:
            enter(sorted_, counts, SECOND, i)
        if row[END] < limits[i]:
            enter(sorted_, counts, WITH_REST, i)


# ---------------------------------------------------------------- unpack kernels

NOT_UNIFORM = -1
BAD_INDEX = -2
one_bit, two_bits, three_bits, four_bits = map(look_up, (1, 2, 3, 4))


def unpack_scratch() -> BlockIds:
    """Working memory for one kernel call: a palette of up to 8 bits."""
    return np.empty(256, np.uint16)


@inlined
def one_by_one(words: Words, ids: BlockIds, out: BlockIds, BITS_EACH: int, PER_WORD: int, first: int) -> None:
    """Ids by indices of a constant width, from one word on to the end of 4,096."""
    mask = np.uint32((1 << BITS_EACH) - 1)
    full = 4096 // PER_WORD
    o = first * PER_WORD
    for w in range(first, full):
        v = words[w]
        for k in range(PER_WORD):
            out[o + k] = ids[(v >> np.uint32(k * BITS_EACH)) & mask]
        o += PER_WORD
    if o < 4096:
        v = words[full]
        for k in range(4096 - o):
            out[o + k] = ids[(v >> np.uint32(k * BITS_EACH)) & mask]


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
    """Whether any id is NO_ID, the highest id."""
    highest = np.uint16(0)
    for i in range(4096):
        highest = max(highest, out[i])
    missing: bool = highest == NO_ID
    return missing


@inner
def unpack_storage(buffer: Bytes, row: Numbers, column: int, mapped: BlockIds, scratch: BlockIds, out: BlockIds) -> int:
    """Unpacks one layer; returns the id if it is all one block, NOT_UNIFORM, or BAD_INDEX."""
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
        one_by_one(words, mapped[first : first + count], out, 16, 2, 0)
        if count == 1:
            found = int64(mapped[first])
        return found
    space = int64(1) << bits
    count = min(count, space)
    ids = scratch
    for i in range(count):
        ids[i] = mapped[first + i]
    for i in range(count, space):
        ids[i] = NO_ID
    if bits == 4:
        for w in range(0, 512, 4):
            four_bits(words, w, ids, out, 8 * w)
    elif bits == 3:
        for w in range(0, 408, 3):
            three_bits(words, w, ids, out, 10 * w)
        one_by_one(words, ids, out, 3, 10, 408)
    elif bits == 2:
        for w in range(0, 256, 2):
            two_bits(words, w, ids, out, 16 * w)
    elif bits == 1:
        for w in range(128):
            one_bit(words, w, ids, out, 32 * w)
    elif bits == 5:
        one_by_one(words, ids, out, 5, 6, 0)
    elif bits == 6:
        one_by_one(words, ids, out, 6, 5, 0)
    else:
        one_by_one(words, ids, out, 8, 4, 0)
    if count < space and any_missing(out):
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
