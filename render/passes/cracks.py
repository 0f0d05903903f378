"""Cracks on blocks that somebody breaks.

Theory. Cubes without holes, and whatever else wrote depth, crack by a box, a hair larger than the block; what of the
picture behind the box lies inside it is darkened along cracks that run through the block in all three directions. The
box's far faces are drawn, without depth: the eye may be inside.

Depth does not say where the surface of a hole is, or of what is drawn with blending. So cut-outs, models and what one
sees through crack on their own quads, which are drawn again out of the arena, a render cell whole, all but the block
left out (``shaders/quad_cracks.frag``). Those with depth come before translucent ones, those with blending after them.

Limit: glass behind glass cracks over the nearer one. At most ``MOST_ON_QUADS`` blocks crack on their quads.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from render.gpu import gl
from render.gpu.device import Gpu, Unit
from render.gpu.quad_arena import CUBES, MODELS, QuadArena, QuadDrawer
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.mesh import vertex_format
from render.mesh.vertex_format import Group
from render.passes.draw_list import DrawList

BOX_BYTES: Final = 16
VERTICES_PER_BOX: Final = 36
FIRST_BOXES: Final = 64
MOST_ON_QUADS: Final = 32
NEARER: Final = (-1.0, -4.0)
"""Polygon offset: cracks lie on quads that are in the depth already, and drivers round each program in its own way."""
OF_KIND: Final[dict[str, dict[str, int]]] = {"cube": {}, "model": {"MODEL": 1}, "pane": {"MODEL": 1, "TRANSLUCENT": 1}}


class OnQuads(msgspec.Struct, frozen=True):
    """A block that cracks on its own quads."""

    block: tuple[int, int, int]  # x, y, z
    tenths: int  # how far, 0..9
    mesh: DrawList  # its render cell's, alone


class CracksPass:
    """Draws cracks."""

    def __init__(self, gpu: Gpu, arena: QuadArena) -> None:
        """Compiles what draws boxes; the rest when it is first needed."""
        self._gpu = gpu
        self._arena = arena
        self._array: Any = gpu.vertices(gpu.program("cracks.vert", "cracks.frag"))
        self._boxes = BufferTexture(gpu, "cracks", Unit.CRACKS, gl.RGBA32I, FIRST_BOXES * BOX_BYTES)
        self._drawers: dict[str, tuple[Any, QuadDrawer]] = {}

    def draw(self, target: Target, blocks: npt.NDArray[np.int32]) -> None:
        """Draws the cracks of int32[n, 4] blocks, x, y, z and tenths, over what is solid."""
        if not len(blocks):
            return
        if blocks.nbytes > self._boxes.bytes:
            self._boxes.grow(1 << (blocks.nbytes - 1).bit_length())
        self._boxes.write(np.ascontiguousarray(blocks), 0)
        self._boxes.bind()
        target.keep_depth()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.CULL_FACE | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        ctx.cull_face = "front"
        self._array.render(vertices=VERTICES_PER_BOX * len(blocks))
        ctx.cull_face = "back"

    def draw_on_solid(self, target: Target, blocks: Sequence[OnQuads]) -> None:
        """Cracks of cut-outs and models, over what is solid."""
        self._on_quads(target, blocks, {"cube": Group.CUTOUT, "model": Group.MODEL})

    def draw_on_clear(self, target: Target, blocks: Sequence[OnQuads]) -> None:
        """Cracks of what one sees through, over all of it."""
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
                    program, drawer = self._drawer(kind)
                    program["cracked"].value = block.block
                    program["tenths"].value = block.tenths
                    drawer.draw(*runs)
        target.write_depth(True)
        ctx.polygon_offset = 0.0, 0.0

    def _drawer(self, kind: str) -> tuple[Any, QuadDrawer]:
        if kind not in self._drawers:
            told = OF_KIND[kind]
            vertex, form = ("cube.vert", CUBES) if kind == "cube" else ("model.vert", MODELS)
            program = self._gpu.program(vertex, "quad_cracks.frag", {**vertex_format.defines(), **told})
            self._drawers[kind] = program, QuadDrawer(self._gpu, program, form)
        return self._drawers[kind]

    def release(self) -> None:
        """Frees its GL objects."""
        for _, drawer in self._drawers.values():
            drawer.release()
        self._array.release()
        self._boxes.release()


def crack_list(meshes: DrawList, cracks: npt.NDArray[np.int32], on_quads: npt.NDArray[np.bool_]) -> list[OnQuads]:
    """Of cracks int32[n, 4] those whose cells are drawn, nearest first, at most ``MOST_ON_QUADS``."""
    row_of = {cell: row for row, cell in enumerate(map(tuple, meshes.cells.tolist()))} if on_quads.any() else {}
    listed = []
    for x, y, z, tenths in cracks[on_quads].tolist():
        row = row_of.get((x >> 4, y >> 5, z >> 4))
        if row is not None:
            one = slice(row, row + 1)
            mesh = DrawList(meshes.cells[one], meshes.first_units[one], meshes.counts[one], meshes.eye)
            listed.append((row, OnQuads((x, y, z), tenths, mesh)))
    return [block for _, block in sorted(listed, key=lambda pair: (pair[0], pair[1].block))[:MOST_ON_QUADS]]
