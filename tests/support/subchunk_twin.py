"""Sub-chunks decoded and described in plain Python and NumPy: what the kernels of net.subchunk must agree with."""

import numpy as np
import numpy.typing as npt

from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

Ids = npt.NDArray[np.int64]
LEGACY_VERSIONS = (0, 2, 3, 4, 5, 6, 7)


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def storage(data: bytes, at: int) -> tuple[Ids, int]:
    """(4,096 ids as unsigned 32-bit numbers, next offset) of one storage."""
    bits = data[at] >> 1
    assert data[at] & 1
    at += 1
    if bits == 0:
        value, at = varint(data, at)
        return np.full(4096, unzigzag(value) & 0xFFFFFFFF, np.int64), at
    per_word = 32 // bits
    words = -(-4096 // per_word)
    indices = []
    for word in range(words):
        number = int.from_bytes(data[at + 4 * word : at + 4 * word + 4], "little")
        indices += [number >> (k * bits) & ((1 << bits) - 1) for k in range(per_word)]
    at += 4 * words
    count, at = varint(data, at)
    palette = []
    for _ in range(unzigzag(count)):
        value, at = varint(data, at)
        palette.append(unzigzag(value) & 0xFFFFFFFF)
    return np.array(palette, np.int64)[indices[:4096]], at


def legacy(data: bytes, at: int) -> tuple[Ids, int]:
    """(``id << 4 | data`` of 4,096 blocks, next offset)."""
    nibbles = [data[at + 4096 + i // 2] >> 4 * (i % 2) & 15 for i in range(4096)]
    return np.array([data[at + i] << 4 | nibbles[i] for i in range(4096)], np.int64), at + 6144


def subchunk(data: bytes, at: int = 0) -> tuple[list[Ids], int]:
    """(layers, next offset) of one sub-chunk."""
    version = data[at]
    at += 1
    if version in LEGACY_VERSIONS:
        ids, at = legacy(data, at)
        return [ids], at
    count = 1
    if version >= 8:
        count = data[at]
        at += 1
    if version == 9:
        at += 1
    layers = []
    for _ in range(count):
        ids, at = storage(data, at)
        layers.append(ids)
    return layers, at


def column_masks(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint16]:
    """[256] masks of 4,096 yes or no."""
    bits = chosen.reshape(256, 16).astype(np.uint32) << np.arange(16, dtype=np.uint32)
    return bits.sum(axis=1).astype(np.uint16)


def kinds(ids: npt.NDArray[np.uint16], liquid: int, placeholder: int, opaque: int) -> int:
    """Kinds of one sub-chunk by its thresholds."""
    solid = ids >= placeholder
    wet = (ids >= liquid) & ~solid
    other = (ids > 0) & (ids < liquid)
    return (
        HAS_OPAQUE * bool(solid.any())
        | ALL_OPAQUE * bool(solid.all())
        | HAS_LIQUID * bool(wet.any())
        | HAS_OTHER * bool(other.any())
        | IS_PLACEHOLDER * bool(((ids >= placeholder) & (ids < opaque)).all())
    )
