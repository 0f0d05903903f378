"""Semantic buffers: the terrain once more, in integers that say what each pixel shows.

Rules:
1. The same quads, the same draw list and the same vertices as the picture's; only what a fragment writes differs.
2. The nearest surface counts, translucent ones and liquids included: all of it is drawn with depth, nothing blended.
3. Exact on every driver away from edges: no filter, no mip level, no blending, no float but the depth in blocks.
"""

from collections.abc import Mapping
from typing import Any, Final

from render.gpu.arena import QuadArena
from render.gpu.device import Gpu
from render.gpu.quad_drawer import CUBES, MODELS, QuadDrawer, QuadFormat
from render.gpu.semantic_target import SemanticTarget
from render.mesh import quads
from render.mesh.quads import Group
from render.passes.draw_list import DrawList

MODEL_FACE: Final = 6
"""What ``face`` says of every quad of a model, whichever way it looks; liquids that slope say their own."""


class SemanticPass:
    """Programs and index patterns of the semantic buffers."""

    def __init__(self, gpu: Gpu, arena: QuadArena) -> None:
        """Compiles its programs."""
        self._gpu = gpu
        self._arena = arena
        defines: dict[str, int] = {**quads.defines(), "FACE_OF_MODELS": MODEL_FACE}
        self._opaque = self._drawer("cube.vert", defines, CUBES)
        self._cutout = self._drawer("cube.vert", {**defines, "CUTOUT": 1}, CUBES)
        self._models = self._drawer("model.vert", {**defines, "MODEL": 1}, MODELS)
        self._translucent = self._drawer("cube.vert", {**defines, "TRANSLUCENT": 1}, CUBES)
        self._slopes = self._drawer("model.vert", {**defines, "MODEL": 1, "TRANSLUCENT": 1}, MODELS)
        self._nothing: Any = gpu.vertices(gpu.program("sky.vert", "nothing.frag"))

    def draw(self, meshes: DrawList, target: SemanticTarget) -> None:
        """Fills a target; the frame's constants, volumes and textures are bound already."""
        ctx = self._gpu.ctx
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
