"""What a scene that has not settled still has to do, by place: for who waits for it no longer."""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import ColumnPositions, SubChunkPositions

CellPositions = npt.NDArray[np.int32]
"""[n, 3] render cells: x and z as columns, y in 32 blocks."""


@frozen
class Behind:
    """Places in no particular order; each is in every list that fits.

    Attributes:
        unlit: columns whose light is older than their blocks.
        unmeshed: render cells whose mesh is not made, or older than what is known.
        not_uploaded: render cells whose mesh is made and not shown.
        not_mirrored: sub-chunks whose light or block ids on the GPU are older than the store's, or have no room there.
    """

    unlit: ColumnPositions
    unmeshed: CellPositions
    not_uploaded: CellPositions
    not_mirrored: SubChunkPositions
