"""What the GPU is asked about a frame instead of its colours: what each pixel shows, and which block is in its way.

Both passes are compiled for the first one who asks; windows and most captures never do.
"""

from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.semantic_target import SemanticTarget
from render.passes.blocks import Wanted
from render.passes.look import Look
from render.passes.pick import Picked, PickPass, picked
from render.passes.semantic import SemanticPass
from render.scene.attached import Attached
from render.scene.frames import Frames
from render.scene.pools import Pools


class Probes:
    """Of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, pools: Pools, frames: Frames) -> None:
        """All three belong to the caller."""
        self._gpu, self._pools, self._frames = gpu, pools, frames
        self._semantic: SemanticPass | None = None
        self._picks: PickPass | None = None

    def draw_semantic(self, attached: Attached, camera: Camera, target: SemanticTarget) -> None:
        """Draws what each pixel of the same frame shows, as integers (``passes.semantic``)."""
        if self._semantic is None:
            self._semantic = SemanticPass(self._gpu, self._pools.arena)
        self._frames.prepare(attached, camera, Look(), target.size[1])
        self._semantic.draw(self._frames.sight.meshes(attached, camera), target)
        self._gpu.check()

    def draw_picks(
        self, attached: Attached, camera: Camera, target: SemanticTarget, wanted: Wanted, reach_blocks: float
    ) -> None:
        """Marches each pixel's ray through the block ids on the GPU (``passes.pick``)."""
        if self._picks is None:
            self._picks = PickPass(self._gpu)
        self._frames.prepare(attached, camera, Look(), target.size[1])
        self._picks.draw(target, attached.world.table.first, wanted, camera.reach_blocks(reach_blocks))
        self._gpu.check()

    def pick(self, attached: Attached, camera: Camera, wanted: Wanted, reach_blocks: float) -> Picked | None:
        """The block in the middle of the picture, as the GPU finds it; waits for that. None: nothing in reach."""
        target = SemanticTarget(self._gpu, (1, 1))
        try:
            self.draw_picks(attached, camera, target, wanted, reach_blocks)
            return picked(*target.read())
        finally:
            target.release()

    def release(self) -> None:
        """Frees what was compiled."""
        for each in (self._semantic, self._picks):
            if each is not None:
                each.release()
