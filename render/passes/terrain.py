"""Terrain out of the quad arena.

Rules:
1. Opaque, cut-out and models front to back with depth; then translucent and liquids together, cell by cell back to
   front, tested against depth without writing it: in one cell an order cannot be had without sorting quads, and a
   missing surface is worse than two blended the wrong way round.
2. Translucent quads are drawn without culling, because the surface of water is seen from below too; the vertex shaders
   drop the backs of all others.
"""

from collections.abc import Mapping

from render.gpu.arena import CUBE_STEP, MODEL_STEP, QuadArena, QuadDrawer
from render.gpu.device import Gpu
from render.gpu.target import Target
from render.mesh import quads
from render.mesh.quads import Group
from render.passes.draw_list import DrawList


class TerrainPass:
    """Programs and index patterns of the terrain."""

    def __init__(self, gpu: Gpu, arena: QuadArena, flat_light: bool = False) -> None:
        """Compiles its programs.

        Args:
            gpu: the context.
            arena: where the quads are.
            flat_light: one light tap a fragment instead of four.
        """
        self._gpu = gpu
        self._arena = arena
        defines: dict[str, int] = dict(quads.defines())
        if flat_light:
            defines["FLAT_LIGHT"] = 1
        self._opaque = self._drawer("cube.vert", defines, CUBE_STEP)
        self._cutout = self._drawer("cube.vert", {**defines, "CUTOUT": 1}, CUBE_STEP)
        self._models = self._drawer("model.vert", {**defines, "MODEL": 1}, MODEL_STEP)
        self._translucent = self._drawer("cube.vert", {**defines, "TRANSLUCENT": 1}, CUBE_STEP)
        self._slopes = self._drawer("model.vert", {**defines, "MODEL": 1, "TRANSLUCENT": 1}, MODEL_STEP)

    def draw_solid(self, meshes: DrawList) -> None:
        """Everything that writes depth."""
        ctx = self._gpu.ctx
        self._arena.bind()
        ctx.enable_only(ctx.DEPTH_TEST | ctx.CULL_FACE)
        self._opaque.draw(*meshes.opaque())
        self._cutout.draw(*meshes.group(Group.CUTOUT))
        ctx.enable_only(ctx.DEPTH_TEST)
        self._models.draw(*meshes.models())

    def draw_translucent(self, meshes: DrawList, target: Target) -> None:
        """Glass and liquids over what ``draw_solid`` left."""
        ctx = self._gpu.ctx
        if not meshes.shines_through:
            return
        target.keep_depth()
        self._arena.bind()
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        target.write_depth(False)
        for cubes, slopes in meshes.translucent_runs():
            self._translucent.draw(*cubes)
            self._slopes.draw(*slopes)
        target.write_depth(True)

    def release(self) -> None:
        """Frees its GL objects."""
        for drawer in (self._opaque, self._cutout, self._models, self._translucent, self._slopes):
            drawer.release()

    def _drawer(self, vertex: str, defines: Mapping[str, int], step: int) -> QuadDrawer:
        return QuadDrawer(self._gpu, self._gpu.program(vertex, "terrain.frag", defines), step)
