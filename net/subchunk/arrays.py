"""Arrays that only this package's kernels exchange; the others are in ``net.space.layout``."""

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
"""Offsets, counts, palette ids."""
Rows = npt.NDArray[np.int64]
"""[n, columns] of numbers."""
Words = npt.NDArray[np.uint32]
"""Packed indices of a storage."""
Words64 = npt.NDArray[np.uint64]
"""Eight bytes of block classes each."""
Flags = npt.NDArray[np.uint32]
"""Light flags, by dense id or by slot."""
Indices = npt.NDArray[np.uint16]
"""[4096] palette indices; order as BlockIds."""
HeightMaps = npt.NDArray[np.int8]
"""[n, 256] as ``HeightMap``."""
SlotTable = npt.NDArray[np.int32]
"""[rows, sections] slot of each place of a store."""
StateTable = npt.NDArray[np.uint8]
"""[rows, sections] state of each place of a store."""
Tops = npt.NDArray[np.int16]
"""[256] by z << 4 | x: y of the surface, one above the top block that dims light."""
TopTable = npt.NDArray[np.int16]
"""[rows, 256] the same of every column of a store."""
