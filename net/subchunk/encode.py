"""Sub-chunks as bytes, for a server; see ``encode_kernels`` for the form.

The encoder owns its scratch memory, so one encoder belongs to one thread.
"""

from itertools import pairwise
from typing import Final

import numpy as np

from net.arrays import BlockIds, RuntimeIds
from net.subchunk.encode_kernels import WORST_LAYER, encode_batch

VERSIONS: Final = (8, 9)


class SubChunkEncoder:
    """Encodes columns of one world into one protocol's ids."""

    def __init__(self, runtime_ids: RuntimeIds, version: int = 9) -> None:
        """Takes the wire's id of each local id (0 is air), as unsigned 32-bit numbers.

        Raises ValueError: a version that servers do not send, or more than 65,536 ids.
        """
        if version not in VERSIONS:
            raise ValueError(f"sub-chunk version {version} is not one of {VERSIONS}")
        if len(runtime_ids) > 65536:
            raise ValueError(f"{len(runtime_ids)} local ids do not fit into 16 bits")
        self._runtime_ids = np.ascontiguousarray(runtime_ids, np.int64)
        self._version = version
        self._rank = np.zeros(len(runtime_ids) + 1, np.int64)  # the last one counts layers
        self._palette = np.empty(4096, np.int64)
        self._index = np.empty(4096, np.uint16)
        self._out = np.empty(0, np.uint8)

    def encode(self, layer0: BlockIds, layer1: BlockIds | None, first_section: int) -> list[bytes]:
        """The payload of each sub-chunk of a column, lowest first; empty for one that is all air.

        ``layer0``: [sections, 4096] local ids. ``layer1``: the second layer, or None. ``first_section``: absolute y of
        the lowest one. Raises ValueError: an id has no runtime id.
        """
        count, known = len(layer0), len(self._runtime_ids)
        highest = max(int(layer.max(initial=0)) for layer in (layer0, layer1) if layer is not None)
        if highest >= known:  # the kernel would write beyond its table
            raise ValueError(f"local id {highest} is not one of the {known} known ids")
        space = count * (3 + 2 * WORST_LAYER)
        if len(self._out) < space:
            self._out = np.empty(space, np.uint8)
        second = np.empty((0, 4096), np.uint16) if layer1 is None else np.ascontiguousarray(layer1)
        ends = np.empty(count, np.int64)
        encode_batch(
            np.ascontiguousarray(layer0),
            second,
            self._runtime_ids,
            self._version,
            first_section,
            self._rank,
            self._palette,
            self._index,
            self._out,
            ends,
        )
        return [self._out[start:end].tobytes() for start, end in pairwise([0, *ends.tolist()])]


def subchunk(layers: list[BlockIds], runtime_ids: RuntimeIds, section: int, version: int = 9) -> bytes:
    """One sub-chunk alone; many at a time are cheaper by a ``SubChunkEncoder``.

    ``layers``: one or two, uint16[4096] local ids each. ``runtime_ids``: int64[local ids] the wire's id of each.
    ``section``: absolute y, which version 9 names. ``version``: 8 or 9. Returns empty where both layers are all air.
    """
    second = layers[1].reshape(1, 4096) if len(layers) > 1 else None
    return SubChunkEncoder(runtime_ids, version).encode(layers[0].reshape(1, 4096), second, section)[0]
