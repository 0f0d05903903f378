"""Writes the tail of a skeleton, see ``biomes``; apart from its reader, since a client never loads its kernel."""

import numpy as np
import numpy.typing as npt

from net.space.layout import Biomes
from net.subchunk.biome_kernels import AS_BELOW
from net.subchunk.encode_kernels import WORST_LAYER, encode_layer


def write_section_tail(biomes: Biomes, sections: int) -> bytes:
    """A skeleton's payload for biomes that differ by height.

    Args:
        biomes: of each section of the dimension, lowest first.
        sections: storages to write: as many, or one more up to protocol 486, which is as the one below.
    """
    parts: list[bytes] = []
    for index in range(sections):
        at = min(index, len(biomes) - 1)
        same = index > 0 and (at < index or np.array_equal(biomes[at], biomes[at - 1]))
        parts.append(bytes((AS_BELOW,)) if same else _storage(biomes[at]))
    return b"".join(parts) + b"\0"


def write_tail(surface: npt.NDArray[np.uint16], sections: int) -> bytes:
    """A skeleton's payload for biomes that are the same from floor to roof.

    Args:
        surface: uint16[256] biome ids by x << 4 | z.
        sections: storages to write: those of the dimension, one more up to protocol 486.
    """
    ids = np.repeat(np.ascontiguousarray(surface, np.uint16), 16)
    return _storage(ids) + bytes([AS_BELOW]) * (sections - 1) + b"\0"


def _storage(ids: npt.NDArray[np.uint16]) -> bytes:
    highest = int(ids.max())
    out = np.empty(WORST_LAYER, np.uint8)
    end = encode_layer(
        np.ascontiguousarray(ids),
        np.arange(highest + 1, dtype=np.int64),
        np.zeros(highest + 1, np.int64),
        np.empty(4096, np.int64),
        np.empty(4096, np.uint16),
        out,
    )
    return out[:end].tobytes()
