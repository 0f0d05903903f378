"""Draws the terrain from the quad arena.

Rules:
1. Opaque, cut-out and models front to back with depth; then translucent and liquids together, back to front, tested
   against depth without writing it: cell by cell, and quad by quad in cells where their order matters
   (``translucent_sort``). One program draws both formats of these, so that they are one call however often they
   alternate.
2. Translucent quads are drawn without culling, because the surface of water is visible from below too; the vertex
   shaders drop the backs of all others.
3. Draw commands stay on the GPU: a list that was drawn last time sends nothing.
"""

from collections.abc import Mapping
from typing import Any, Final

from render.gpu.device import GlOwner, Gpu
from render.gpu.quad_arena import CUBES, MODELS, QuadArena, QuadDrawer, QuadFormat
from render.gpu.targets import Target
from render.mesh import vertex_format
from render.passes.draw_list import RunList
from render.passes.draw_list_kernels import A_MODEL
from render.passes.translucent_sort import TranslucentSort
from render.passes.translucent_sort_kernels import OF_MODELS, VERTICES

BLENDED: Final = QuadFormat(VERTICES, ((VERTICES, 0), (A_MODEL * VERTICES, OF_MODELS)))
"""``vertex = first unit of the quad * 8 + 4 if it is a model's + corner``."""


class TerrainPass(GlOwner):
    """Programs, index patterns and draw commands of the terrain."""

    def __init__(
        self,
        gpu: Gpu,
        arena: QuadArena,
        flat_light: bool = False,
        indirect: bool = False,
        fragment: str = "terrain.frag",
        more: Mapping[str, int | str] | None = None,
    ) -> None:
        """Compiles its programs; another ``fragment`` than the picture's is for ``overlay.surface_channels``."""
        super().__init__(gpu)
        self._fragment = fragment
        self._arena = arena
        self._indirect = indirect
        defines: dict[str, int | str] = {**vertex_format.defines(), **(more or {})}
        if flat_light:
            defines["FLAT_LIGHT"] = 1
        self.programs: list[Any] = []  # all programs, to set uniforms of ``fragment``
        self._opaque = self._drawer("cube.vert", defines, CUBES)
        self._cutout = self._drawer("cube.vert", {**defines, "CUTOUT": 1}, CUBES)
        self._models = self._drawer("model.vert", {**defines, "MODEL": 1}, MODELS)
        self._blended = self._drawer("blend.vert", {**defines, "TRANSLUCENT": 1}, BLENDED)
        self._loaded: RunList | None = None
        self._order: TranslucentSort | None = None

    def draw_solid(self, meshes: RunList, additive: bool = False) -> None:
        """Draws everything that writes depth; ``additive``: colours are added to the target."""
        self._load(meshes)
        ctx = self._gpu.ctx
        self._arena.bind()
        blended = ctx.NOTHING
        if additive:
            blended, ctx.blend_func = ctx.BLEND, ctx.ADDITIVE_BLENDING
        ctx.enable_only(ctx.DEPTH_TEST | ctx.CULL_FACE | blended)
        self._opaque.draw_loaded()
        self._cutout.draw_loaded()
        ctx.enable_only(ctx.DEPTH_TEST | blended)
        self._models.draw_loaded()

    def draw_blended(self, meshes: RunList, target: Target, additive: bool = False) -> None:
        """Draws glass and liquids over the result of ``draw_solid``; ``additive`` as there."""
        self._load(meshes)
        if not meshes.shines_through:
            return
        self._send_order(meshes)
        ctx = self._gpu.ctx
        target.keep_depth()
        self._arena.bind()
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND)
        ctx.blend_func = ctx.ADDITIVE_BLENDING if additive else ctx.DEFAULT_BLENDING
        target.write_depth(False)
        self._blended.draw_loaded()
        target.write_depth(True)

    def forget_order(self) -> None:
        """Call it after another pass took the changes of the translucent order: the next draw sends the whole order."""
        self._order = None

    def _load(self, meshes: RunList) -> None:
        if self._loaded is not meshes:
            self._loaded = meshes
            self._opaque.load(*meshes.opaque)
            self._cutout.load(*meshes.cutout)
            self._models.load(*meshes.models)
            self._blended.load(*meshes.blended)

    def _send_order(self, meshes: RunList) -> None:
        meshes.arrange()
        order = meshes.table.order
        begin, end = order.take_changed()
        if self._order is not order or not self._blended.indices.holds(len(order.indices)):
            self._order = order
            begin, end = 0, len(order.indices)
        self._blended.indices.write(order.indices, begin, end)

    def _drawer(self, vertex: str, defines: Mapping[str, int | str], form: QuadFormat) -> QuadDrawer:
        program = self._gpu.program(vertex, self._fragment, defines)
        self.programs.append(program)
        return self._own(QuadDrawer(self._gpu, program, form, self._indirect))
