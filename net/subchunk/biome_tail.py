"""Writes the tail of a skeleton, see ``biomes``; apart from its reader, since a client never loads its kernel."""

import numpy as np
import numpy.typing as npt

from net.subchunk.biome_kernels import AS_BELOW
from net.subchunk.encode_kernels import WORST_LAYER, encode_layer


def write_tail(surface: npt.NDArray[np.uint16], sections: int) -> bytes:
    """A skeleton's payload for biomes that are the same from floor to roof.

    Args:
        surface: uint16[256] biome ids by x << 4 | z.
        sections: storages to write: those of the dimension, one more up to protocol 486.
    """
    ids = np.repeat(np.ascontiguousarray(surface, np.uint16), 16)
    highest = int(ids.max())
    out = np.empty(WORST_LAYER, np.uint8)
    end = encode_layer(
        ids,
        np.arange(highest + 1, dtype=np.int64),
        np.zeros(highest + 1, np.int64),
        np.empty(4096, np.int64),
        np.empty(4096, np.uint16),
        out,
    )
    return out[:end].tobytes() + bytes([AS_BELOW]) * (sections - 1) + b"\0"
