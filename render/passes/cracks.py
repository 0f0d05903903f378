"""Cracks on blocks that a player breaks.

Theory. For cubes without holes, and everything else that wrote depth, the pass draws a box slightly larger than the
block. Pixels of the picture behind the box whose position lies inside it are darkened along cracks that run through
the block in all three directions. The box's far faces are drawn, without depth test: the eye may be inside.

Depth gives no surface for holes and for quads drawn with blending. So cut-outs, models and translucent blocks crack on
their own quads, which are drawn again from the arena: a whole render cell, with all but the block discarded
(``shaders/quad_cracks.frag``). Cracks on quads with depth are drawn before translucent quads, the others after them.

Limit: glass behind glass cracks over the nearer one. At most ``MOST_ON_QUADS`` blocks crack on their quads.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from net.arrays import I32, Bools
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.quad_arena import CUBES, MODELS, QuadArena, QuadDrawer
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.mesh import vertex_format
from render.mesh.vertex_format import Group
from render.passes.draw_list import MeshList

BOX_BYTES: Final = 16
VERTICES_PER_BOX: Final = 36
FIRST_BOXES: Final = 64
MOST_ON_QUADS: Final = 32
NEARER: Final = (-1.0, -4.0)
"""Polygon offset: cracks lie on quads that are in the depth already, and drivers round differently per program."""
OF_KIND: Final[dict[str, dict[str, int]]] = {"cube": {}, "model": {"MODEL": 1}, "pane": {"MODEL": 1, "TRANSLUCENT": 1}}


class OnQuads(msgspec.Struct, frozen=True):
    """A block whose cracks are drawn on its own quads."""

    block: tuple[int, int, int]  # x, y, z
    tenths: int  # progress in tenths, 0..9
    mesh: MeshList  # the mesh of its render cell alone


class CracksPass(GlOwner):
    """Draws cracks."""

    def __init__(self, gpu: Gpu, arena: QuadArena) -> None:
        """Compiles the program of boxes; the others are compiled at first use."""
        super().__init__(gpu)
        self._arena = arena
        self._array: Any = self._own(gpu.vertices("cracks.vert", "cracks.frag"))
        self._boxes = self._own(BufferTexture(gpu, "cracks", Unit.CRACKS, gl.RGBA32I, FIRST_BOXES * BOX_BYTES))
        self._drawers: dict[str, QuadDrawer] = {}

    def draw(self, target: Target, blocks: I32) -> None:
        """Draws the cracks of int32[n, 4] blocks, x, y, z and tenths, over everything solid."""
        if not len(blocks):
            return
        self._boxes.send(blocks)
        self._boxes.bind()
        target.keep_depth()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.CULL_FACE | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        ctx.cull_face = "front"
        self._array.render(vertices=VERTICES_PER_BOX * len(blocks))
        ctx.cull_face = "back"

    def draw_on_solid(self, target: Target, blocks: Sequence[OnQuads]) -> None:
        """Draws cracks on cut-outs and models, over everything solid."""
        self._on_quads(target, blocks, {"cube": Group.CUTOUT, "model": Group.MODEL})

    def draw_on_translucent(self, target: Target, blocks: Sequence[OnQuads]) -> None:
        """Draws cracks on translucent blocks, over the finished picture."""
        self._on_quads(target, blocks, {"cube": Group.TRANSLUCENT, "pane": Group.SLOPE})

    def _on_quads(self, target: Target, blocks: Sequence[OnQuads], groups: dict[str, Group]) -> None:
        if not blocks:
            return
        ctx = self._gpu.ctx
        self._arena.bind()
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        ctx.polygon_offset = NEARER
        target.write_depth(False)
        for block in blocks:
            for kind, group in groups.items():
                runs = block.mesh.slopes() if group is Group.SLOPE else block.mesh.group(group)
                if runs[1].any():
                    drawer = self._drawer(kind)
                    drawer.program["cracked"].value = block.block
                    drawer.program["tenths"].value = block.tenths
                    drawer.draw(*runs)
        target.write_depth(True)
        ctx.polygon_offset = 0.0, 0.0

    def _drawer(self, kind: str) -> QuadDrawer:
        if kind not in self._drawers:
            told = OF_KIND[kind]
            vertex, form = ("cube.vert", CUBES) if kind == "cube" else ("model.vert", MODELS)
            program = self._gpu.program(vertex, "quad_cracks.frag", {**vertex_format.defines(), **told})
            self._drawers[kind] = self._own(QuadDrawer(self._gpu, program, form))
        return self._drawers[kind]


def crack_list(meshes: MeshList, cracks: I32, on_quads: Bools) -> list[OnQuads]:
    """The cracks of int32[n, 4] whose render cells are drawn, nearest first, at most ``MOST_ON_QUADS``."""
    row_of = {cell: row for row, cell in enumerate(map(tuple, meshes.cells.tolist()))} if on_quads.any() else {}
    listed = []
    for x, y, z, tenths in cracks[on_quads].tolist():
        row = row_of.get((x >> 4, y >> 5, z >> 4))
        if row is not None:
            one = slice(row, row + 1)
            mesh = MeshList(meshes.cells[one], meshes.first_units[one], meshes.counts[one], meshes.eye)
            listed.append((row, OnQuads((x, y, z), tenths, mesh)))
    return [block for _, block in sorted(listed, key=lambda pair: (pair[0], pair[1].block))[:MOST_ON_QUADS]]
