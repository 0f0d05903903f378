"""The block table in the form that the light kernels need.

Rules, checked here because the kernels rely on them:
1. Opaque blocks and the placeholder stop all light in all four channels.
2. Liquids dim daylight: their column mask means "takes daylight" without a look at the table.
3. Emission is red, green and blue, 0..15 each; opacity beyond 15 counts as 15.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world.block_table import BlockTable


class LightTables(msgspec.Struct, frozen=True):
    """Values by dense id; frozen, made anew when the block table has grown."""

    emission: npt.NDArray[np.uint16]  # uint16[n] R | G << 4 | B << 8
    steps: npt.NDArray[np.uint8]  # uint8[4, n] what a channel loses on entering: ``max(1, opacity)``
    dims: npt.NDArray[np.uint8]  # uint8[n] 1 for blocks that daylight does not pass downwards without loss
    packed: npt.NDArray[np.uint32]  # uint32[n] ``steps``, a byte each, R, B, G, D from the low end
    packed_down: npt.NDArray[np.uint32]  # uint32[n] the same for light going down at 15: D loses only the opacity

    @classmethod
    def build(cls, table: BlockTable) -> "LightTables":
        """Makes the tables. Raises WorldError: the block table breaks a rule above; names the first such id."""
        opacity = np.minimum(table.opacity, 15).astype(np.uint8)
        _check(table, opacity)
        steps = np.maximum(opacity, 1)
        down = steps.copy()
        down[3] = opacity[3]
        emission = np.ascontiguousarray(table.emission, np.uint16)
        return cls(
            emission=emission,
            steps=np.ascontiguousarray(steps),
            dims=(opacity[3] > 0).astype(np.uint8),
            packed=_pack(steps),
            packed_down=_pack(down),
        )


def _pack(steps: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    r, g, b, d = steps.astype(np.uint32)
    return np.ascontiguousarray(r | b << np.uint32(8) | g << np.uint32(16) | d << np.uint32(24))


def _check(table: BlockTable, opacity: npt.NDArray[np.uint8]) -> None:
    bright = np.flatnonzero(table.emission >> 12)
    if len(bright):
        shown = int(table.emission[bright[0]])
        raise WorldError(f"block {bright[0]} emits {shown:#06x}: a lamp has three channels of 0..15")
    leaking = np.flatnonzero((opacity[:, table.first.placeholder :] < 15).any(axis=0))
    if len(leaking):
        block = table.first.placeholder + int(leaking[0])
        raise WorldError(f"block {block} is opaque but lets light through: opacity {opacity[:, block].tolist()}")
    clear = np.flatnonzero(opacity[3, table.first.liquid : table.first.placeholder] == 0)
    if len(clear):
        raise WorldError(f"block {table.first.liquid + int(clear[0])} is a liquid but does not dim daylight")
