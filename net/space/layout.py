"""Array aliases: dtype, shape, order and range of every array that crosses a module border.

The order inside a sub-chunk is the wire's (wire.md 3.1): index = x << 8 | z << 4 | y, so y is fastest and an
array of blocks reshapes to ``[x, z, y]`` without a copy. The GPU sees a brick's texel as ``pos.yzx``
(width = y), said once more in ``shaders/include/bricks.glsl`` and nowhere else.

Directions are numbered -x, +x, -z, +z, -y, +y: 0..5; the opposite of d is d ^ 1.

Places. A store numbers the sub-chunks it can hold: place = row * sections + section, a row being a column.
Row 0 belongs to no column; its first places stand for what lies outside:
"""

from typing import Final

import numpy as np
import numpy.typing as npt

BLOCKS_PER_SUBCHUNK: Final = 4096
COLUMN_AREA: Final = 256
UNKNOWN_BIOME: Final = 65535

UNLOADED_PLACE: Final = 0  # no such column: obstructing, dark
ABOVE_PLACE: Final = 1  # over the dimension's roof: open, daylight where the dimension has a sky
BELOW_PLACE: Final = 2  # under its floor: open, dark

DIRECTIONS: Final = ((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0))
"""(dx, dy, dz) of the six directions."""

BlockIds = npt.NDArray[np.uint16]
"""Dense block ids. One sub-chunk: [4096], index x << 8 | z << 4 | y. A pool: [slots, 4096]. 0 is air."""
LightValues = npt.NDArray[np.uint16]
"""R | G << 4 | B << 8 | D << 12, each 0..15; shapes and order as BlockIds."""
ColumnMasks = npt.NDArray[np.uint16]
"""One bit a block: [256] by x << 4 | z, bit y. A pool: [slots, 256]."""
RuntimeIds = npt.NDArray[np.int64]
"""Ids of the wire: an index, or a hash as an unsigned 32-bit number."""
SubChunkPositions = npt.NDArray[np.int32]
"""[n, 3] of x, y, z in sub-chunks."""
ColumnPositions = npt.NDArray[np.int32]
"""[n, 2] of x, z in columns."""
Places = npt.NDArray[np.int32]
"""[n] place numbers."""
Slots = npt.NDArray[np.int32]
"""[n] or [places]: slot numbers of a pool."""
Bytes = npt.NDArray[np.uint8]
"""Raw bytes; must be writable where a kernel takes it (a read-only buffer is another type to Numba)."""
Offsets = npt.NDArray[np.int8]
"""[n, 3] of dx, dy, dz in sub-chunks from a request's centre, each -127..127."""
Biomes = npt.NDArray[np.uint16]
"""[sections, 4096] biome ids, UNKNOWN_BIOME where nobody said; order as BlockIds."""
HeightMap = npt.NDArray[np.int8]
"""[256] by z << 4 | x: y of the top light-blocking block + 1 - 16 * sub-chunk y, in -1..16 (wire.md 0.3)."""
