"""Packs ordered positions into requests: one centre and signed-byte offsets each.

Rules:
1. Every position is named exactly once.
2. An offset stays inside -127..127 on each axis: -128 fits the byte, but the vendor's text excludes it (wire.md 2.2).
3. The centre is the player's sub-chunk wherever it reaches; what is further away goes around the nearest position that
   no earlier centre reached (seed 000: "a new packet with a new center").
4. The given order is kept within each centre.
"""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import Offsets, SubChunkPositions
from net.space.positions import SubChunkPos

REACH = 127
"""Sub-chunks an offset can be away from its centre, on each axis."""


@frozen
class Batch:
    """One request before it has a dimension and a wire form.

    Attributes:
        centre: the sub-chunk that the offsets count from.
        offsets: int8[n, 3] of dx, dy, dz.
        indices: intp[n]: which of the packed positions these are.
    """

    centre: SubChunkPos
    offsets: Offsets
    indices: npt.NDArray[np.intp]

    @property
    def positions(self) -> SubChunkPositions:
        """What it asks for: int32[n, 3]."""
        return self.offsets.astype(np.int32) + np.asarray(self.centre, np.int32)


def pack(positions: SubChunkPositions, player: SubChunkPos, entries_per_packet: int) -> list[Batch]:
    """Splits ``positions`` (each once, most urgent first) into requests."""
    batches: list[Batch] = []
    centre, left = player, np.arange(len(positions))
    while len(left):
        away = positions[left].astype(np.int64) - np.asarray(centre, np.int64)
        reached = (np.abs(away) <= REACH).all(axis=1)
        near, offsets = left[reached], away[reached].astype(np.int8)
        for start in range(0, len(near), entries_per_packet):
            packet = slice(start, start + entries_per_packet)
            batches.append(Batch(centre, offsets[packet], near[packet]))
        left = left[~reached]
        if len(left):
            centre = SubChunkPos(*(int(v) for v in positions[left[0]]))
    return batches
