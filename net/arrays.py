"""Types of the arrays that cross module borders.

The order inside a sub-chunk is the wire's (wire.md 3.1): index = x << 8 | z << 4 | y, so y is fastest and an array of
blocks reshapes to ``[x, z, y]`` without a copy. The GPU reads a brick's texel as ``pos.yzx`` (width = y);
``shaders/include/bricks.glsl`` is the only other place that defines this.
"""

import numpy as np
import numpy.typing as npt

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
Rows = npt.NDArray[np.int32]
"""[n] row numbers of the store, one a column; row 0 is none."""
Slots = npt.NDArray[np.int32]
"""[n] or [places]: slot numbers of a pool."""
Bytes = npt.NDArray[np.uint8]
"""Raw bytes; must be writable where a kernel takes it (a read-only buffer is another type to Numba)."""
Offsets = npt.NDArray[np.int8]
"""[n, 3] of dx, dy, dz in sub-chunks from a request's centre, each -127..127."""
Bools = npt.NDArray[np.bool_]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
"""Arrays of plain numbers; the place that uses them says what they hold."""
Biomes = npt.NDArray[np.uint16]
"""[sections, 4096] biome ids, UNKNOWN_BIOME for unknown ones; order as BlockIds."""
HeightMap = npt.NDArray[np.int8]
"""[256] by z << 4 | x: y of the top light-blocking block + 1 - 16 * sub-chunk y, in -1..16 (wire.md 0.3)."""
