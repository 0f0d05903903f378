"""Where a ray first meets something in one block: a side, its texels, quads of a model, a liquid in either layer.

Indices. None comes from outside: faces and texels are cut to a side's own.
"""

from typing import Final

import numpy as np

from net.kernels import casts as nb
from net.kernels.jit import inner
from render.capture.oracle.block_kernels import Blocks, Doubles, covers, id_of, liquid_of
from render.capture.oracle.codes import CUTOUT, GLASS, LIQUID, MODEL
from render.capture.oracle.liquid_kernels import SIDES, SURFACES, wet_hit
from render.capture.oracle.model_kernels import Surfaces, is_solid, nearest_quad

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

NO_FACE: Final = 6
"""The face of a block that the ray began in, and of every model."""


@inner
def cube_texel(face: int, px: float, py: float, pz: float) -> tuple[float, float]:
    """Texture coordinates in sixteenths of a point on a cube's face, as the head of ``mesh.quads`` gives them."""
    if face < 2:
        return (pz if face == 0 else -pz) * 16.0, -py * 16.0
    if face < 4:
        return (px if face == 3 else -px) * 16.0, -py * 16.0
    return px * 16.0, pz * 16.0


@inner
def surface_in(
    blocks: Blocks,
    looks: Surfaces,
    x: int,
    y: int,
    z: int,
    here: int,
    before: int,
    code: int,
    face: int,
    at: float,
    past: float,
    leaves: float,
    eye: Doubles,
    dx: float,
    dy: float,
    dz: float,
) -> tuple[float, float, int, int, bool]:
    """Where a ray first meets something in a block it entered by ``face`` at ``at``.

    Gives how far (infinite: nowhere), as how far that counts among what lies in one plane, the face, the id shown, and
    whether more can be seen through what it met. ``here`` and ``before``: the block, and the one it came from.
    ``past``: as how far something of this block counted that was met already, negative where nothing was.
    """
    own = id_of(blocks, here)
    hidden = covers(blocks, before)
    wet_at, wet_face = np.inf, nb.int64(NO_FACE)
    if liquid_of(blocks, here):
        wet_at, wet_face = wet_hit(
            blocks, looks.heights, x, y, z, here, before, face, at, past, leaves, eye, dx, dy, dz
        )  # fmt: skip
    own_at, own_face = np.inf, face
    own_order = np.inf
    clear = code == GLASS
    if code == MODEL:
        own_face = nb.int64(NO_FACE)
        own_at, own_order, clear = nearest_quad(blocks, looks, own, x, y, z, past, eye, dx, dy, dz)
    elif code == GLASS and face != NO_FACE and not hidden and past < at:
        if before < 0 or id_of(blocks, before) != own:
            own_at = own_order = at
    elif code == CUTOUT and face != NO_FACE and not hidden and past < at:
        u, v = cube_texel(face, eye[0] + dx * at - x, eye[1] + dy * at - y, eye[2] + dz * at - z)
        side = nb.int64(looks.sides[own, face])
        if is_solid(looks.alpha, side >> 1, side & 1, u, v):
            own_at = own_order = at
    wet_order = wet_at * (SURFACES if wet_face == 5 else SIDES)
    if own_order < wet_order:
        return own_at, own_order, own_face, own, clear
    return wet_at, wet_order, wet_face, own if code == LIQUID else looks.filling, True
