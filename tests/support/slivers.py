"""Sides that the GPU drew edge-on, thinner than the 256th of a pixel that drivers snap vertices to.

Theory: corners of cubes stick out so far that edges move by that much across themselves (``cube_quad.glsl``). Where a
side is seen at an acute angle they go further along it, up to a quarter of a pixel: what was drawn lies on the side's
plane, beside it. Models do not stick out; but where one of their sides is met along its plane, a 256th of a pixel
changes its depth by more than a block.
"""

import numpy as np
import numpy.typing as npt

from client.player import View
from net.space.layout import DIRECTIONS
from render.camera import Camera
from render.capture.channels import MODEL_FACE, SemanticSurfaces
from tests.oracle.cast import pixel_rays

ACUTE = 1 / 16
LEAST_SLANT = 1 / 64
"""Sines of the angles from which on a side counts as edge-on, and its corners stick out no further."""
INSIDE_BLOCKS = 1e-3
"""From the rim of a side, so that a ray meets it for sure."""

Vector = npt.NDArray[np.float64]


def point_drawn(view: View, found: SemanticSurfaces, pixel: tuple[int, int], size_px: tuple[int, int]) -> Vector:
    """float64[3] where a pixel's middle lies at the depth that was drawn, from the drawn block's lowest corner."""
    x, y = pixel
    rays = pixel_rays(Camera.of(view, size_px[0] / size_px[1]), *size_px)
    drawn: Vector = np.array(view.eye) + rays[y * size_px[0] + x] * float(found.depth[y, x]) - found.cell[y, x]
    return drawn


def way_to_side(view: View, found: SemanticSurfaces, pixel: tuple[int, int], size_px: tuple[int, int]) -> Vector | None:
    """float64[3] from the eye to where a cube's side is nearest to what was drawn as it.

    None where the side is not edge-on, or is farther away than its corners stick out.
    """
    x, y = pixel
    face = int(found.face[y, x])
    if not found.drawn[y, x] or face == MODEL_FACE:
        return None
    axis = int(np.flatnonzero(DIRECTIONS[face])[0])
    drawn = point_drawn(view, found, pixel, size_px)
    nearest = np.clip(drawn, INSIDE_BLOCKS, 1 - INSIDE_BLOCKS)
    nearest[axis] = max(DIRECTIONS[face][axis], 0)
    way: Vector = found.cell[y, x] + nearest - np.array(view.eye)
    away = float(np.linalg.norm(way))
    slant = abs(way[axis]) / away
    up = Camera.of(view, size_px[0] / size_px[1]).rays[2]
    a_pixel_blocks = away * 2 * float(np.linalg.norm(up)) / size_px[1]
    reach_blocks = a_pixel_blocks / 256 / max(slant, LEAST_SLANT) + INSIDE_BLOCKS
    beside = np.abs(np.delete(drawn - nearest, axis)) > reach_blocks
    return None if slant > ACUTE or beside.any() else way


def at_an_edge_of_a_model(
    view: View, found: SemanticSurfaces, pixel: tuple[int, int], depths: Vector, size_px: tuple[int, int]
) -> bool:
    """Whether a model was drawn within its block where rays close by meet it at unlike depths, beside an edge.

    Args:
        view: of the picture.
        found: the picture.
        pixel: x, y.
        depths: at which rays close by meet the drawn block.
        size_px: of the picture.
    """
    x, y = pixel
    if not found.drawn[y, x] or found.face[y, x] != MODEL_FACE or not len(depths):
        return False
    drawn = point_drawn(view, found, pixel, size_px)
    return bool(np.ptp(depths) > 1e-2 and ((drawn >= 0) & (drawn <= 1)).all())
