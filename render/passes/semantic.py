"""Semantic buffers: the terrain once more, in integers that say what each pixel shows; and what stands in a ray.

Rules:
1. The same quads, the same draw list and the same vertices as the picture's; only what a fragment writes differs.
2. The nearest surface counts, translucent ones and liquids included: all of it is drawn with depth, nothing blended.
3. Exact on every driver away from edges: no filter, no mip level, no blending, no float but the depth in blocks.
4. A pick marches through the block-ID map in a fragment shader, one pixel a ray; blocks count as whole cubes.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np

from client.world.block_table import ClassThresholds
from net.space import BlockPos
from render.gpu.device import Gpu
from render.gpu.quad_arena import CUBES, MODELS, QuadArena, QuadDrawer, QuadFormat
from render.gpu.targets import Places4, SemanticTarget, Shown4
from render.mesh import vertex_format
from render.mesh.vertex_format import Group
from render.passes.draw_list import DrawList
from render.passes.frame_uniforms import DEFINES, MarchEnd, set_classes

MODEL_FACE: Final = 6
"""What ``face`` says of every quad of a model, whichever way it looks; liquids that slope say their own."""


ENTITY: Final = 2
"""What stands in place of 1 where an entity is drawn, not a block (``passes.entities``); its number is the dense id."""


class SemanticPass:
    """Programs and index patterns of the semantic buffers."""

    def __init__(self, gpu: Gpu, arena: QuadArena) -> None:
        self._gpu = gpu
        self._arena = arena
        defines: dict[str, int] = {**vertex_format.defines(), "FACE_OF_MODELS": MODEL_FACE}
        self._opaque = self._drawer("cube.vert", defines, CUBES)
        self._cutout = self._drawer("cube.vert", {**defines, "CUTOUT": 1}, CUBES)
        self._models = self._drawer("model.vert", {**defines, "MODEL": 1}, MODELS)
        self._translucent = self._drawer("cube.vert", {**defines, "TRANSLUCENT": 1}, CUBES)
        self._slopes = self._drawer("model.vert", {**defines, "MODEL": 1, "TRANSLUCENT": 1}, MODELS)
        self._nothing: Any = gpu.vertices(gpu.program("sky.vert", "nothing.frag"))

    def draw(self, meshes: DrawList, target: SemanticTarget, first: ClassThresholds) -> None:
        """Fills a target; the frame's constants, volumes and textures are bound already."""
        ctx = self._gpu.ctx
        for drawer in (self._cutout, self._translucent):
            drawer.program["first_cube"].value = first.cutout
        target.begin()
        ctx.enable_only(ctx.NOTHING)
        self._nothing.render(vertices=3)
        self._arena.bind()
        ctx.enable_only(ctx.DEPTH_TEST | ctx.CULL_FACE)
        self._opaque.draw(*meshes.opaque())
        self._cutout.draw(*meshes.group(Group.CUTOUT))
        ctx.enable_only(ctx.DEPTH_TEST)
        self._models.draw(*meshes.models())
        for drawer, (first_units, counts) in (
            (self._translucent, meshes.translucent()),
            (self._slopes, meshes.slopes()),
        ):
            drawer.draw(first_units[::-1], counts[::-1])  # nearest first: the first of equal depths stays

    def release(self) -> None:
        """Frees its GL objects."""
        for drawer in (self._opaque, self._cutout, self._models, self._translucent, self._slopes):
            drawer.release()
        self._nothing.release()

    def _drawer(self, vertex: str, defines: Mapping[str, int], form: QuadFormat) -> QuadDrawer:
        return QuadDrawer(self._gpu, self._gpu.program(vertex, "semantic.frag", defines), form)


# ---------------------------------------------------------------- pick

SOLID: Final = MarchEnd.MODELS | MarchEnd.CUTOUTS | MarchEnd.CLEAR | MarchEnd.PLACEHOLDERS | MarchEnd.OPAQUE
"""What a hand would meet: all but air and liquids."""
PICK_REACH_BLOCKS: Final = 256.0


class Picked(msgspec.Struct, frozen=True):
    """What a ray met."""

    block: BlockPos  # where
    dense: int  # its dense id on the GPU; 0 where the GPU has no room for its sub-chunk
    face: int  # through which face, a direction (``net.space``); 6 where the eye is in it
    distance_blocks: float  # to that face


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
        self._gpu = gpu
        self._program = gpu.program("sky.vert", "pick.frag", DEFINES)
        self._array = gpu.vertices(self._program)

    def draw(
        self,
        target: SemanticTarget,
        first: ClassThresholds,
        wanted: MarchEnd = SOLID,
        reach_blocks: float = PICK_REACH_BLOCKS,
    ) -> None:
        """Fills a target, a ray a pixel: block and face, bits of the distance, dense id, 0, if any was met."""
        set_classes(self._program, first)
        self._program["wanted"].value = int(wanted)
        self._program["reach"].value = reach_blocks
        target.begin()
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
