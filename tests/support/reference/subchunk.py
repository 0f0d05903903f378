"""Plain references for the kernels of ``net.subchunk``: decoding, masks and kinds, and height maps."""

import numpy as np
import numpy.typing as npt

from net.subchunk.heights import HeightAnswer, HeightVerdict
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

# ---------------------------------------------------------------- subchunk twin

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
    """Decodes one storage: (4,096 ids as unsigned 32-bit numbers, next offset)."""
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
    """Decodes an old sub-chunk: (``id << 4 | data`` of 4,096 blocks, next offset)."""
    nibbles = [data[at + 4096 + i // 2] >> 4 * (i % 2) & 15 for i in range(4096)]
    return np.array([data[at + i] << 4 | nibbles[i] for i in range(4096)], np.int64), at + 6144


def subchunk(data: bytes, at: int = 0) -> tuple[list[Ids], int]:
    """Decodes one sub-chunk: (layers, next offset)."""
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
    """Column masks uint16[256] of 4,096 booleans."""
    bits = chosen.reshape(256, 16).astype(np.uint32) << np.arange(16, dtype=np.uint32)
    return bits.sum(axis=1).astype(np.uint16)


def kinds(ids: npt.NDArray[np.uint16], liquid: int, placeholder: int, opaque: int) -> int:
    """The kinds of one sub-chunk; the arguments are the first ids of the classes."""
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


# ---------------------------------------------------------------- height twin

HeightTwinIds = npt.NDArray[np.uint16]
Dims = npt.NDArray[np.uint8]

READINGS = (
    (HeightVerdict.AGREES, 1, "dimming"),
    (HeightVerdict.AGREES_ANY_BLOCK, 1, "any"),
    (HeightVerdict.AGREES_BETWEEN, 1, "between"),
    (HeightVerdict.AGREES_AS_Y, 0, "dimming"),
    (HeightVerdict.AGREES_AS_Y_ANY_BLOCK, 0, "any"),
    (HeightVerdict.AGREES_AS_Y_BETWEEN, 0, "between"),
)


def verdict(
    ids: HeightTwinIds, second: HeightTwinIds, dims: Dims, heights: npt.NDArray[np.int8], nothing_above: bool
) -> HeightVerdict:
    """The first interpretation of a height map that fits all columns."""
    for name, added, which in READINGS:
        if all(
            allows(ids, second, dims, x, z, int(heights[z << 4 | x]), added, which, nothing_above)
            for x in range(16)
            for z in range(16)
        ):
            return name
    return HeightVerdict.CONTRADICTS


def allows(
    ids: HeightTwinIds,
    second: HeightTwinIds,
    dims: Dims,
    x: int,
    z: int,
    value: int,
    added: int,
    which: str,
    nothing_above: bool,
) -> bool:
    cells = [x << 8 | z << 4 | y for y in range(16)]
    present = [y for y in range(16) if ids[cells[y]] or second[cells[y]]]
    dimming = max((y for y in present if dims[ids[cells[y]]] or dims[second[cells[y]]]), default=-1)
    highest = max(present, default=-1)
    value = min(max(value, -1), 16)
    if value == 16 and not nothing_above:
        return True
    top = max(value - added, -1)
    if which == "dimming":
        return top == dimming
    if which == "any":
        return top == highest
    return top in (-1, *present) and all(dims[ids[cells[y]]] < 15 for y in range(top + 1, 16))


def true_tops(blocks: HeightTwinIds, second: HeightTwinIds, dims: Dims, floor: int) -> list[int]:
    """The surface y of each block column of [sections, 4096] blocks, by z << 4 | x; ``floor`` if it is empty."""
    dim = (dims[blocks] | dims[second]).astype(bool).reshape(-1, 16, 16, 16)
    upright = dim.transpose(2, 1, 0, 3).reshape(256, -1)  # z << 4 | x, then y
    return [floor + max(np.flatnonzero(column).tolist(), default=-1) + 1 for column in upright]


def honest_map(tops: list[int], base: int, *, as_y: bool) -> tuple[HeightAnswer, bytes | None]:
    """The height map that a correct server sends for the sub-chunk whose lowest y is ``base``."""
    values = np.array(tops) - base - as_y
    if (values < 0).all():
        return HeightAnswer.ALL_TOO_LOW, None
    if (values > 15).all():
        return HeightAnswer.ALL_TOO_HIGH, None
    return HeightAnswer.DATA, np.clip(values, -1, 16).astype(np.int8).tobytes()
