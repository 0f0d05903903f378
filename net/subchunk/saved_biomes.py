"""Biomes as world folders keep them (wire.md 3.4): heights, then a storage for each section, or 256 biomes of old.

A storage is one of the wire's but that its palette's length and its entries are i32, and a single biome has no length.
"""

import numpy as np
import numpy.typing as npt

from net.space.layout import Biomes
from net.subchunk.named import indices_of
from net.subchunk.storage import PALETTE_LIMIT, WIDTHS, words_of
from net.wire.reader import Reader

HEIGHT_BYTES = 512
"""256 x i16, before either; a reader needs them not."""
AS_BELOW = 0xFF


def read_saved_biomes(data: bytes, sections: int, packet: str) -> Biomes:
    """Biomes of a column's sections, lowest first; sections without a storage are as the one below.

    Args:
        data: the value under key 43.
        sections: how many to give.
        packet: name for errors.

    Raises:
        DecodeError: a storage makes no sense, or there is none.
    """
    reader = Reader(data, packet)
    reader.field = "heights"
    reader.skip(HEIGHT_BYTES)
    biomes = np.empty((sections, 4096), np.uint16)
    for index in range(sections):
        reader.field = f"biomes[{index}]"
        if index and not reader.left:
            biomes[index] = biomes[index - 1]
        else:
            biomes[index] = _storage(reader, biomes[index - 1] if index else None)
    return biomes


def read_surface_biomes(data: bytes) -> npt.NDArray[np.uint16] | None:
    """The 256 biomes of old by x << 4 | z, which lie there by z << 4 | x; None where there are fewer."""
    found = np.frombuffer(data[HEIGHT_BYTES : HEIGHT_BYTES + 256], np.uint8)
    return None if len(found) < 256 else found.reshape(16, 16).T.astype(np.uint16).ravel()


def _storage(reader: Reader, below: npt.NDArray[np.uint16] | None) -> npt.NDArray[np.uint16]:
    start = reader.offset
    header = reader.u8()
    if header == AS_BELOW:
        if below is None:
            raise reader.fault("copies the section below, but there is none", start)
        return below
    bits = header >> 1
    if bits not in WIDTHS:
        raise reader.fault(f"{bits} bits per index are none of {WIDTHS}", start)
    words = np.frombuffer(reader.take(4 * words_of(bits)), "<u4")
    count = reader.i32le() if bits else 1
    if not 1 <= count <= PALETTE_LIMIT:
        raise reader.fault(f"{count} biomes are not in 1..{PALETTE_LIMIT}", start)
    palette = np.frombuffer(reader.take(4 * count), "<i4").clip(0, 65534).astype(np.uint16)
    indices = indices_of(words, bits)
    if int(indices.max()) >= count:
        raise reader.fault("an index points beyond the palette", start)
    return palette[indices]
