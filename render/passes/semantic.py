"""Semantic buffers: the terrain drawn again, in integers that identify what each pixel shows; and picking along rays.

Rules:
1. The same quads, draw list and vertices as the picture's; only the fragments' outputs differ.
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
from render.gpu.device import GlOwner, Gpu
from render.gpu.quad_arena import CUBES, MODELS, QuadArena, QuadDrawer, QuadFormat
from render.gpu.targets import Places4, SemanticTarget, Shown4
from render.mesh import vertex_format
from render.mesh.vertex_format import Group
from render.passes.block_march import DEFINES, MarchEnd, set_classes
from render.passes.draw_list import MeshList

MODEL_FACE: Final = 6
"""``face`` of every quad of a model, in any direction; sloping liquids have values of their own."""


ENTITY: Final = 2
"""Value in place of 1 where an entity is drawn (``passes.entities``); its number replaces the dense id."""


class SemanticPass(GlOwner):
    """Programs and index patterns of the semantic buffers."""

    def __init__(self, gpu: Gpu, arena: QuadArena) -> None:
        super().__init__(gpu)
        self._arena = arena
        defines: dict[str, int] = {**vertex_format.defines(), "FACE_OF_MODELS": MODEL_FACE}
        self._opaque = self._drawer("cube.vert", defines, CUBES)
        self._cutout = self._drawer("cube.vert", {**defines, "CUTOUT": 1}, CUBES)
        self._models = self._drawer("model.vert", {**defines, "MODEL": 1}, MODELS)
        self._translucent = self._drawer("cube.vert", {**defines, "TRANSLUCENT": 1}, CUBES)
        self._slopes = self._drawer("model.vert", {**defines, "MODEL": 1, "TRANSLUCENT": 1}, MODELS)
        self._nothing: Any = self._own(gpu.vertices("full_screen.vert", "nothing.frag"))

    def draw(self, meshes: MeshList, target: SemanticTarget, first: ClassThresholds) -> None:
        """Fills a target; the frame's constants, volumes and textures must be bound already."""
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

    def _drawer(self, vertex: str, defines: Mapping[str, int], form: QuadFormat) -> QuadDrawer:
        return self._own(QuadDrawer(self._gpu, self._gpu.program(vertex, "semantic.frag", defines), form))


# ---------------------------------------------------------------- pick

SOLID: Final = MarchEnd.MODELS | MarchEnd.CUTOUTS | MarchEnd.TRANSLUCENTS | MarchEnd.PLACEHOLDERS | MarchEnd.OPAQUE
"""What ends a pick: all blocks but air and liquids."""
PICK_REACH_BLOCKS: Final = 256.0


class Picked(msgspec.Struct, frozen=True):
    """The block that a ray met."""

    block: BlockPos  # its position
    dense: int  # its dense id on the GPU; 0 where the GPU has no room for its sub-chunk
    face: int  # face that the ray enters, a direction (``net.space``); 6 if the eye is inside
    distance_blocks: float  # to that face


def picked(places: Places4, shown: Shown4) -> Picked | None:
    """The hit in the first pixel of a target, from its attachments' values."""
    x, y, z, face = places[0, 0].tolist()
    bits, dense, _, met = shown[0, 0].tolist()
    if not met:
        return None
    return Picked(BlockPos(x, y, z), dense, face, float(np.uint32(bits).view(np.float32)))


class PickPass(GlOwner):
    """Marches one ray a pixel; the frame's constants and the block-ID map must be bound already."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._array = self._own(gpu.vertices("full_screen.vert", "pick.frag", DEFINES))

    def draw(
        self,
        target: SemanticTarget,
        first: ClassThresholds,
        wanted: MarchEnd = SOLID,
        reach_blocks: float = PICK_REACH_BLOCKS,
    ) -> None:
        """Fills a target, one ray a pixel: block and face, bits of the distance, dense id, 0, if a block was met."""
        program = self._array.program
        set_classes(program, first)
        program["wanted"].value = int(wanted)
        program["reach"].value = reach_blocks
        target.begin()
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)
