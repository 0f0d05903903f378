"""Height maps in plain Python: what height_kernels and surface_kernels of net.subchunk must agree with."""

import numpy as np
import numpy.typing as npt

from net.subchunk.heights import HeightAnswer, HeightVerdict

Ids = npt.NDArray[np.uint16]
Dims = npt.NDArray[np.uint8]

READINGS = (
    (HeightVerdict.AGREES, 1, "dimming"),
    (HeightVerdict.AGREES_ANY_BLOCK, 1, "any"),
    (HeightVerdict.AGREES_BETWEEN, 1, "between"),
    (HeightVerdict.AGREES_AS_Y, 0, "dimming"),
    (HeightVerdict.AGREES_AS_Y_ANY_BLOCK, 0, "any"),
    (HeightVerdict.AGREES_AS_Y_BETWEEN, 0, "between"),
)


def verdict(ids: Ids, second: Ids, dims: Dims, heights: npt.NDArray[np.int8], nothing_above: bool) -> HeightVerdict:
    """The first reading that every column allows."""
    for name, added, which in READINGS:
        if all(
            allows(ids, second, dims, x, z, int(heights[z << 4 | x]), added, which, nothing_above)
            for x in range(16)
            for z in range(16)
        ):
            return name
    return HeightVerdict.CONTRADICTS


def allows(
    ids: Ids, second: Ids, dims: Dims, x: int, z: int, value: int, added: int, which: str, nothing_above: bool
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


def true_tops(blocks: Ids, second: Ids, dims: Dims, floor: int) -> list[int]:
    """The surface of each column of [sections, 4096] blocks, by z << 4 | x; ``floor`` where there is none."""
    dim = (dims[blocks] | dims[second]).astype(bool).reshape(-1, 16, 16, 16)
    upright = dim.transpose(2, 1, 0, 3).reshape(256, -1)  # z << 4 | x, then y
    return [floor + max(np.flatnonzero(column).tolist(), default=-1) + 1 for column in upright]


def honest_map(tops: list[int], base: int, *, as_y: bool) -> tuple[HeightAnswer, bytes | None]:
    """What a server would say of the sub-chunk whose lowest y is ``base``."""
    values = np.array(tops) - base - as_y
    if (values < 0).all():
        return HeightAnswer.ALL_TOO_LOW, None
    if (values > 15).all():
        return HeightAnswer.ALL_TOO_HIGH, None
    return HeightAnswer.DATA, np.clip(values, -1, 16).astype(np.int8).tobytes()
