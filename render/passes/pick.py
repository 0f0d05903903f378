"""What stands in a ray, found on the GPU: the block-ID map is marched through in a fragment shader, nothing is drawn.

For the block under the crosshair one pixel does. Blocks count as whole cubes, whatever their model.
"""

from typing import Final

import numpy as np

from client.world.interface import Thresholds
from net.frozen import frozen
from net.space.positions import BlockPos
from render.gpu.device import Gpu
from render.gpu.semantic_target import Places4, SemanticTarget, Shown4
from render.passes.blocks import DEFINES, Wanted, set_classes

SOLID: Final = Wanted.MODELS | Wanted.CUTOUTS | Wanted.CLEAR | Wanted.PLACEHOLDERS | Wanted.OPAQUE
"""What a hand would meet: all but air and liquids."""
PICK_REACH_BLOCKS: Final = 256.0


@frozen
class Picked:
    """What a ray met.

    Attributes:
        block: where.
        dense: its dense id on the GPU; 0 where the GPU has no room for its sub-chunk.
        face: through which face, a direction (``net.space.layout``); 6 where the eye is in it.
        distance_blocks: to that face.
    """

    block: BlockPos
    dense: int
    face: int
    distance_blocks: float


def picked(places: Places4, shown: Shown4) -> Picked | None:
    """What the first pixel of a target says, as its attachments were read."""
    x, y, z, face = places[0, 0].tolist()
    bits, dense, _, met = shown[0, 0].tolist()
    if not met:
        return None
    return Picked(BlockPos(x, y, z), dense, face, float(np.uint32(bits).view(np.float32)))


class PickPass:
    """Marches one ray a pixel; the frame's constants and the mirror are bound already."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        self._program = gpu.program("sky.vert", "pick.frag", DEFINES)
        self._array = gpu.vertices(self._program)

    def draw(
        self,
        target: SemanticTarget,
        first: Thresholds,
        wanted: Wanted = SOLID,
        reach_blocks: float = PICK_REACH_BLOCKS,
    ) -> None:
        """Fills a target: block and face, bits of the distance, dense id, 0, and whether anything was met.

        Args:
            target: one ray a pixel.
            first: where the session's classes begin.
            wanted: what ends a ray.
            reach_blocks: how far it goes.
        """
        set_classes(self._program, first)
        self._program["wanted"].value = int(wanted)
        self._program["reach"].value = reach_blocks
        target.begin()
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
