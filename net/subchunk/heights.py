"""Height maps of sub-chunks (wire.md 0.3, 2.3; seed 000).

A value is y of the top light-blocking block + 1 - 16 * section, clamped to -1..16, in [z][x] order. Blocks that dim
light count (water, leaves, ice); plants and thin snow do not.
"""

from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from net.arrays import BlockIds
from net.subchunk.height_kernels import (
    ALL_READINGS,
    ANY,
    BETWEEN,
    DIMMING,
    NOT_COMPARED,
    NOTHING_SAID,
    Y_SHIFT,
    surface,
)
from net.subchunk.storage import HeightMaps

Tops = npt.NDArray[np.int64]
"""[256] by z << 4 | x: top light-blocking block + 1, in blocks from the dimension's floor; 0 for none."""


class HeightAnswer(IntEnum):
    """An answer's kind of height map.

    ``ALL_COPIED`` of newer protocols is resolved before: it refers to another map.
    """

    NONE = 0  # no map
    DATA = 1  # 256 values
    ALL_TOO_HIGH = 2  # the whole surface is above
    ALL_TOO_LOW = 3  # the whole surface is below


class HeightVerdict(IntEnum):
    """How an answer's height map fits the blocks that came with it; if several readings fit, the first one here.

    Servers differ in whether a value is y + 1 of the top block or y itself, and in which blocks count.
    """

    NONE_SAID = 0  # no height map came
    UNCHECKED = 1  # one came, the blocks did not decode
    AGREES = 2  # y + 1 of the top block that dims light, as most servers say (wire.md 0.3)
    AGREES_ANY_BLOCK = 3  # y + 1 of the top block of any kind
    AGREES_BETWEEN = 4  # y + 1 of a block with no full one above it: a server that counts other blocks than we do
    AGREES_AS_Y = 5  # the same with y itself, as in the vendor's documentation (seed 000)
    AGREES_AS_Y_ANY_BLOCK = 6
    AGREES_AS_Y_BETWEEN = 7
    CONTRADICTS = 8  # no reading fits


HEIGHT_WORDS: Final = {
    HeightVerdict.NONE_SAID: "the server sent no height map",
    HeightVerdict.UNCHECKED: "a height map came, but no blocks to compare it with",
    HeightVerdict.AGREES: "the height map fits the blocks",
    HeightVerdict.AGREES_ANY_BLOCK: "the height map fits the blocks, if blocks without shade count",
    HeightVerdict.AGREES_BETWEEN: "the height map fits the blocks, if the server counts other blocks than chunkscope",
    HeightVerdict.AGREES_AS_Y: "the height map fits the blocks, if its values are y instead of y + 1",
    HeightVerdict.AGREES_AS_Y_ANY_BLOCK: "the height map fits the blocks, if its values are y instead of y + 1 and "
    "blocks without shade count",
    HeightVerdict.AGREES_AS_Y_BETWEEN: "the height map fits the blocks, if its values are y instead of y + 1 and the "
    "server counts other blocks than chunkscope",
    HeightVerdict.CONTRADICTS: "the height map contradicts the blocks",
}
"""For people."""


def _verdicts() -> npt.NDArray[np.uint8]:
    """The verdict of each set of fitting readings, then of maps not compared, and of none: uint8[66]."""
    readings = (DIMMING, ANY, BETWEEN, DIMMING << Y_SHIFT, ANY << Y_SHIFT, BETWEEN << Y_SHIFT)
    fits = np.arange(ALL_READINGS + 1)
    found = np.full(NOTHING_SAID + 1, int(HeightVerdict.CONTRADICTS), np.uint8)
    for place, reading in reversed(list(enumerate(readings))):
        found[np.flatnonzero(fits & reading)] = HeightVerdict.AGREES + place
    found[[NOT_COMPARED, NOTHING_SAID]] = HeightVerdict.UNCHECKED, HeightVerdict.NONE_SAID
    return found


VERDICT_OF_FITS: Final = _verdicts()


def joined_maps(kinds: npt.NDArray[np.uint8], heights: list[bytes | None]) -> tuple[npt.NDArray[np.uint8], HeightMaps]:
    """The maps of all entries of kind DATA, concatenated for ``height_kernels.take_maps``.

    ``kinds``: uint8[n] a HeightKind each. ``heights``: 256 signed bytes each, for kind DATA. Returns the kinds, NONE
    for maps of another length than 256 and for unknown kinds; int8[those of kind DATA, 256].
    """
    listed = kinds.tolist()
    chosen = [at for at, kind in enumerate(listed) if kind == 1]  # a loop: packets are short, and this is not a kernel
    maps = [heights[at] or b"" for at in chosen]
    if set(map(len, maps)) - {256} or max(listed, default=0) > 3:
        kinds = np.where(kinds > HeightAnswer.ALL_TOO_LOW, HeightAnswer.NONE, kinds).astype(np.uint8)
        kinds[[at for at, values in zip(chosen, maps, strict=True) if len(values) != 256]] = HeightAnswer.NONE
        maps = [values for values in maps if len(values) == 256]
    return kinds, np.frombuffer(bytearray().join(maps), np.int8).reshape(-1, 256)


def column_surface(layer0: BlockIds, layer1: BlockIds | None, stops_light: npt.NDArray[np.bool_]) -> Tops:
    """The surface of a whole column.

    ``layer0``: [sections, 4096] local ids, lowest section first. ``layer1``: the second layer, or None; its blocks
    count too. ``stops_light``: bool[local ids].
    """
    tops = np.empty(256, np.int64)
    second = np.empty((0, 4096), np.uint16) if layer1 is None else np.ascontiguousarray(layer1)
    surface(np.ascontiguousarray(layer0), second, np.ascontiguousarray(stops_light).astype(np.uint8), tops)
    return tops


def section_heights(tops: Tops, section: int) -> tuple[HeightAnswer, bytes | None]:
    """The height map for an answer about one section, ``section`` counted from the floor."""
    values = tops - 16 * section
    if (values < 0).all():
        return HeightAnswer.ALL_TOO_LOW, None
    if (values > 15).all():
        return HeightAnswer.ALL_TOO_HIGH, None
    return HeightAnswer.DATA, np.clip(values, -1, 16).astype(np.int8).tobytes()
