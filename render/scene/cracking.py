"""Which cracked blocks crack by a box and which on their own quads (``passes.cracks``)."""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.positions import BlockPos
from render.passes.cracks import OnQuads, crack_list
from render.passes.draw_list import DrawList
from render.scene.bursts import dense_at
from render.scene.world import World


@frozen
class Cracked:
    """Cracks of one frame.

    Attributes:
        boxes: int32[n, 4] x, y, z and tenths of blocks whose depth says where their surface is.
        on_quads: the others, in cells that are drawn.
    """

    boxes: npt.NDArray[np.int32]
    on_quads: list[OnQuads]


def cracked(world: World, cracks: npt.NDArray[np.int32], meshes: DrawList) -> Cracked:
    """Parts a frame's cracks: models, cut-outs and translucent blocks crack on their quads.

    Args:
        world: whose blocks they are.
        cracks: int32[n, 4] x, y, z, tenths.
        meshes: what the frame draws.
    """
    first = world.table.first
    dense = np.array([dense_at(world, BlockPos(*row[:3])) for row in cracks.tolist()], np.int64)
    on_quads = (dense >= first.model) & (dense < first.liquid)
    return Cracked(cracks[~on_quads], crack_list(meshes, cracks, on_quads))
