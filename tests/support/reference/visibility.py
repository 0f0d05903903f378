"""Plain reference of visibility: a flood fill cell by cell, and rays from block to block."""

import math

import msgspec
import numpy as np
import numpy.typing as npt

from net.space import ABOVE_PLACE, BELOW_PLACE, DIRECTIONS, ColumnPos
from render.passes.draw_list import MARGIN_BLOCKS


def flood_connectivity(opaque: npt.NDArray[np.uint16]) -> int:
    """Connectivity of one sub-chunk (bit ``from * 8 + to``) from its column masks, by a flood fill of open blocks."""
    cells = (opaque.reshape(16, 16, 1) >> np.arange(16) & 1).astype(bool)
    seen = cells.copy()
    pairs = 0
    for start in np.argwhere(~cells):
        if seen[tuple(start)]:
            continue
        faces = 0
        todo = [tuple(int(v) for v in start)]
        seen[todo[0]] = True
        while todo:
            x, z, y = todo.pop()
            for d, (dx, dy, dz) in enumerate(DIRECTIONS):
                beside = (x + dx, z + dz, y + dy)
                if not all(0 <= v < 16 for v in beside):
                    faces |= 1 << d
                elif not seen[beside]:
                    seen[beside] = True
                    todo.append(beside)
        for a in range(6):
            if faces >> a & 1:
                pairs |= faces << (8 * a)
    return pairs


def places_on_ray(world, eye, direction, most_blocks: int) -> list[int]:
    """Places that a ray enters, including the one that stops it; unloaded places stop it, above and below is open."""
    floor, sections = world.dimension.floor_section, world.dimension.sections
    cell = [math.floor(v) for v in eye]
    step = [1 if v > 0 else -1 for v in direction]
    delta = [abs(1 / v) if v else math.inf for v in direction]
    edge = [((c + (s > 0)) - e) / v if v else math.inf for c, s, e, v in zip(cell, step, eye, direction, strict=True)]
    found: list[int] = []
    for _ in range(most_blocks):
        section = (cell[1] >> 4) - floor
        if section >= sections:
            place = ABOVE_PLACE
        elif section < 0:
            place = BELOW_PLACE
        else:
            place = world.row_of.get(ColumnPos(cell[0] >> 4, cell[2] >> 4), 0) * sections + section
            if place < sections:
                break
            if not found or found[-1] != place:
                found.append(place)
            mask = world.pools.opaque[world.slot[place]][(cell[0] & 15) << 4 | (cell[2] & 15)]
            if mask >> (cell[1] & 15) & 1:
                break
        axis = edge.index(min(edge))
        cell[axis] += step[axis]
        edge[axis] += delta[axis]
    return found


class Frustum(msgspec.Struct, frozen=True):
    """Six planes; a box is invisible if it lies completely outside one of them."""

    # float64[6, 4] a, b, c, d of each plane; a point is inside if ``a x + b y + c z + d >= 0``, in blocks
    planes: npt.NDArray[np.float64]

    @classmethod
    def of(cls, clip: npt.NDArray[np.floating]) -> "Frustum":
        """The planes of a 4 x 4 matrix that takes column vectors of the world to clip space (-w..w on each axis)."""
        m = np.asarray(clip, np.float64)
        return cls(np.stack([m[3] + sign * m[axis] for axis in range(3) for sign in (1, -1)]))

    def shows(
        self, corners: npt.NDArray[np.integer], size_blocks: tuple[int, int, int], margin_blocks: float = MARGIN_BLOCKS
    ) -> npt.NDArray[np.bool_]:
        """Which boxes may be visible, bool[n].

        ``corners``: [n, 3] lowest corners in blocks. ``size_blocks``: of every box, for example (16, 32, 16) for render
        cells. ``margin_blocks``: boxes count as this much larger on each side.
        """
        half = np.array(size_blocks, np.float64) / 2
        centres = corners + half
        reach = np.abs(self.planes[:, :3]) @ (half + margin_blocks)
        distance = centres @ self.planes[:, :3].T + self.planes[:, 3]
        return np.asarray((distance + reach >= 0).all(axis=1))
