"""Writes sub-chunks as a server sends them: version 8 or 9, palettes of runtime ids in order of first occurrence.

Rules:
1. The narrowest legal width is used; a layer of one block is a header and one id.
2. Nothing is allocated: the caller provides memory for the worst case, WORST_LAYER bytes a layer plus three.

Theory: ``rank`` holds, per local id, the number of the layer that last used it (high half) and its palette index (low
half), so it need not be cleared between layers.

Indices. None comes from outside: local ids are those of a server's own world, which ``SubChunkEncoder`` checks against
its table.
"""

import numpy as np

from net.arrays import BlockIds, Bytes
from net.kernels.jit import inlined, inner, int64, kernel
from net.subchunk.storage import Indices, Numbers, Words

WORST_LAYER = 8192 + 4096 * 5 + 6
"""Bytes of a layer of 16-bit indices with 4,096 ids of five bytes."""


@inner
def put_varint(out: Bytes, at: int, value: int) -> int:
    """Writes a LEB128 varint; returns the next offset."""
    while value > 127:
        out[at] = value & 127 | 128
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@inner
def zigzag(runtime_id: int) -> int:
    """Zigzag of an id's signed 32-bit value, as unsigned 32 bits."""
    signed = int64(np.int32(runtime_id))
    folded: int = ((signed << 1) ^ (signed >> 31)) & 0xFFFFFFFF
    return folded


@inlined
def put_words(index: Indices, words: Words, BITS_EACH: int, PER_WORD: int) -> None:
    """Packs 4,096 indices of a constant width."""
    full = 4096 // PER_WORD
    o = 0
    for w in range(full):
        v = np.uint32(0)
        for k in range(PER_WORD):
            v |= np.uint32(index[o + k]) << np.uint32(k * BITS_EACH)
        words[w] = v
        o += PER_WORD
    if o < 4096:
        v = np.uint32(0)
        for k in range(4096 - o):
            v |= np.uint32(index[o + k]) << np.uint32(k * BITS_EACH)
        words[full] = v


@inner
def put_layer(
    ids: BlockIds,
    runtime_ids: Numbers,
    stamp: int,
    rank: Numbers,
    palette: Numbers,
    index: Indices,
    out: Bytes,
    at: int,
) -> int:
    """Writes one storage; returns the next offset."""
    count = int64(0)
    mark = stamp << 16
    previous = int64(-1)
    here = int64(0)
    for i in range(4096):
        id_ = int64(ids[i])
        if id_ != previous:
            previous = id_
            here = rank[id_]
            if here >> 16 != stamp:
                here = mark | count
                rank[id_] = here
                palette[count] = id_
                count += 1
        index[i] = np.uint16(here & 0xFFFF)
    if count == 1:
        out[at] = 1
        return put_varint(out, at + 1, zigzag(runtime_ids[palette[0]]))
    bits = int64(1)
    while int64(1) << bits < count:
        bits += 1
    if bits > 8:
        bits = 16
    elif bits == 7:
        bits = 8
    out[at] = bits << 1 | 1
    at += 1
    per_word = 32 // bits
    size = 4 * ((4095 + per_word) // per_word)
    words = out[at : at + size].view(np.uint32)
    at += size
    if bits == 1:
        put_words(index, words, 1, 32)
    elif bits == 2:
        put_words(index, words, 2, 16)
    elif bits == 3:
        put_words(index, words, 3, 10)
    elif bits == 4:
        put_words(index, words, 4, 8)
    elif bits == 5:
        put_words(index, words, 5, 6)
    elif bits == 6:
        put_words(index, words, 6, 5)
    elif bits == 8:
        put_words(index, words, 8, 4)
    else:
        put_words(index, words, 16, 2)
    at = put_varint(out, at, count << 1)
    for i in range(count):
        at = put_varint(out, at, zigzag(runtime_ids[palette[i]]))
    return at


@inner
def all_zero(ids: BlockIds) -> bool:
    """Whether every id is 0."""
    found = np.uint16(0)
    for i in range(4096):
        found |= ids[i]
    zero: bool = found == 0
    return zero


@kernel(
    "int64(uint16[:,::1], uint16[:,::1], int64[::1], int64, int64, int64[::1], int64[::1], uint16[::1], uint8[::1], "
    "int64[::1])"
)
def encode_batch(
    layer0: BlockIds,
    layer1: BlockIds,
    runtime_ids: Numbers,
    version: int,
    first_section: int,
    rank: Numbers,
    palette: Numbers,
    index: Indices,
    out: Bytes,
    ends: Numbers,
) -> int:
    """Writes sub-chunks one after the other; returns how many bytes.

    A second layer is written only where it is not all air; a sub-chunk whose both layers are air takes no bytes at all.

    Args:
        layer0: uint16[n, 4096] local ids, 0 is air.
        layer1: uint16[n or 0, 4096] second layer.
        runtime_ids: int64[local ids] the wire's id of each.
        version: 8, or 9 which names the section.
        first_section: absolute section of the first one.
        rank: int64[local ids + 1] scratch, zeros before the first call; the last one counts layers.
        palette: int64[4096] scratch.
        index: uint16[4096] scratch.
        out: uint8[n * (3 + 2 * WORST_LAYER)], written.
        ends: int64[n] one past each, written.
    """
    at: int = int64(0)
    stamp = rank[rank.shape[0] - 1]
    for i in range(layer0.shape[0]):
        second = layer1.shape[0] > i and not all_zero(layer1[i])
        if second or not all_zero(layer0[i]):
            out[at] = version
            out[at + 1] = 2 if second else 1
            at += 2
            if version == 9:
                out[at] = (first_section + i) & 255
                at += 1
            stamp += 1
            at = put_layer(layer0[i], runtime_ids, stamp, rank, palette, index, out, at)
            if second:
                stamp += 1
                at = put_layer(layer1[i], runtime_ids, stamp, rank, palette, index, out, at)
        ends[i] = at
    rank[rank.shape[0] - 1] = stamp
    return at


@kernel("int64(uint16[::1], int64[::1], int64[::1], int64[::1], uint16[::1], uint8[::1])")
def encode_layer(
    ids: BlockIds, runtime_ids: Numbers, rank: Numbers, palette: Numbers, index: Indices, out: Bytes
) -> int:
    """Writes one storage alone; returns how many bytes.

    Args:
        ids: uint16[4096] local ids.
        runtime_ids: int64[local ids].
        rank: int64[local ids], zeros.
        palette: int64[4096] scratch.
        index: uint16[4096] scratch.
        out: uint8[WORST_LAYER], written.
    """
    return put_layer(ids, runtime_ids, int64(1), rank, palette, index, out, int64(0))
