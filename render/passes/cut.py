"""Draws the faces that a cut makes (``draw_options.Cut``): hidden blocks leave no hole, but a face at the cut.

Theory. A cut needs no other mesh: the vertex shaders clip terrain and entities by two planes
(``shaders/include/quads.glsl``). At the plane the pass draws one quad over the whole loaded area; its pixels look up
the block and its hidden neighbour in the block-ID map. A block gets a face there where its own mesh has none, because
the neighbour hid it. So moving the cut costs nothing but the next frame.

Limits: models that a hidden block closes (a slab's upper side) stay open there. A sub-chunk without room on the GPU has
no cut faces.
"""

from typing import Any, Final

from client.world.block_table import ClassThresholds
from net.arrays import U64
from render.camera import Camera
from render.draw_options import Cut
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.textures import BufferTexture
from render.mesh import vertex_format
from render.passes.block_march import DEFINES, set_classes

FIRST_IDS: Final = 16384
FACE_BYTES: Final = 16
BELOW, ABOVE = 4, 5
"""Directions of the faces."""


def plane_seen(cut: Cut, camera: Camera) -> int | None:
    """The plane of a cut that a camera sees from outside: 1 the upper, 0 the lower, None neither."""
    if camera.is_parallel:
        return int(camera.forward[1] < 0)
    y = camera.eye[1]
    return 1 if y > cut.high else 0 if y < cut.low else None


class CutPass(GlOwner):
    """Draws cut faces. Owner thread only; the frame's constants and the block-ID map must be bound already."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._faces = self._own(BufferTexture(gpu, "cut faces", Unit.CUT_FACES, gl.RGBA32UI, FIRST_IDS * FACE_BYTES))
        self._sent: U64 | None = None
        self._arrays: dict[bool, Any] = {}

    def draw(self, cut: Cut, camera: Camera, faces: U64, first: ClassThresholds, semantic: bool = False) -> None:
        """Draws the visible plane, with depth. ``faces``: of blocks by dense id (``AppearanceTables.faces``)."""
        plane = plane_seen(cut, camera)
        if plane is None:
            return
        if self._sent is not faces:
            self._sent = faces
            self._faces.send(faces[:, [ABOVE, BELOW]])
        if semantic not in self._arrays:
            defines = {**vertex_format.defines(), **DEFINES, **({"SEMANTIC": 1} if semantic else {})}
            self._arrays[semantic] = self._own(self._gpu.vertices("cut.vert", "cut.frag", defines))
        array = self._arrays[semantic]
        set_classes(array.program, first)
        array.program["above"].value = plane
        self._faces.bind()
        self._gpu.ctx.enable_only(self._gpu.ctx.DEPTH_TEST)
        array.render(vertices=6)
