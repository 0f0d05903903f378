"""Blocks as the first world folders keep them: numbers, and data values of four bits.

    whole terrain   32768 numbers | 16384 bytes of data values, two each | 32768 of light | 256 heights | biomes
    extra blocks    u32 count | count times: u32 place, u16 number | data value << 8
    biomes          256 times: u8 biome, three of a colour; by z << 4 | x

A column of whole terrain is 128 blocks high and lies by x << 11 | z << 7 | y. So do places of extra blocks in a column
of that age (``LAST_LOW``); in later ones they are x << 12 | z << 8 | y. An extra block is what later is in the second
layer.

Source: what PocketMine-MP reads (ecosystem.md 5 has worlds from 1.16 on only). Little endian.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.errors import DecodeError

SECTIONS: Final = 8
"""Of whole terrain, from section 0 up."""
LAST_LOW: Final = 2
"""The last version of a column that is 128 blocks high."""
_BLOCKS: Final = SECTIONS * 4096
_BIOMES_AT: Final = _BLOCKS * 5 // 2 + 256
_COUNT_BYTES: Final = 4
_EXTRA: Final = np.dtype([("place", "<u4"), ("value", "<u2")])

Values = npt.NDArray[np.uint16]
"""number << 4 | data value, as ``decode.legacy_values`` gives them."""


def read_whole_terrain(data: bytes, packet: str) -> Values:
    """All blocks of a column: uint16[8, 4096], lowest section first, in wire order.

    Raises:
        DecodeError: there are too few bytes.
    """
    if len(data) < _BLOCKS * 3 // 2:
        raise DecodeError(packet, "terrain", len(data), f"{len(data)} bytes are too few for {_BLOCKS} blocks")
    numbers = np.frombuffer(data, np.uint8, _BLOCKS).astype(np.uint16)
    pairs = np.frombuffer(data, np.uint8, _BLOCKS // 2, _BLOCKS)
    small = np.stack((pairs & 15, pairs >> 4), axis=1).ravel()
    column = (numbers << 4 | small).reshape(16, 16, SECTIONS, 16)
    return np.ascontiguousarray(column.transpose(2, 0, 1, 3)).reshape(SECTIONS, 4096)


def read_biomes_of_terrain(data: bytes) -> npt.NDArray[np.uint16] | None:
    """The biomes behind whole terrain, as ``read_coloured_biomes`` gives them."""
    return read_coloured_biomes(data[_BIOMES_AT:])


def read_coloured_biomes(data: bytes) -> npt.NDArray[np.uint16] | None:
    """256 biomes with colours, by x << 4 | z; None where there are fewer."""
    found = np.frombuffer(data[:1024], np.uint8)
    return None if len(found) < 1024 else found[::4].reshape(16, 16).T.astype(np.uint16).ravel()


def read_extra_blocks(data: bytes, packet: str, *, low: bool) -> dict[int, Values]:
    """Extra blocks by section: uint16[4096] each, 0 where there is none.

    Args:
        data: the value.
        packet: name for errors.
        low: whether the column is 128 blocks high.

    Raises:
        DecodeError: fewer are there than are announced.
    """
    count = int.from_bytes(data[:_COUNT_BYTES], "little")
    if len(data) < _COUNT_BYTES or count * _EXTRA.itemsize > len(data) - _COUNT_BYTES:
        raise DecodeError(packet, "extra blocks", 0, f"{count} are announced in {len(data)} bytes")
    entries = np.frombuffer(data, _EXTRA, count, _COUNT_BYTES)
    places, values = entries["place"], (entries["value"] & 0xFF) << 4 | entries["value"] >> 8 & 15
    height = 7 if low else 8
    across = places >> height & 0xFF
    y = places & (1 << height) - 1
    found: dict[int, Values] = {}
    for section in np.unique(y >> 4).tolist():
        here = y >> 4 == section
        found[section] = np.zeros(4096, np.uint16)
        found[section][across[here] << 4 | y[here] & 15] = values[here]
    return found
