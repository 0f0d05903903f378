"""One ray after another through the blocks of a store (Amanatides and Woo's traversal: one face crossed a step).

Rules:
1. A ray goes from block to block over the nearest face; where faces tie, x goes before y and y before z.
2. It ends in the first block that stops it, in the first placeholder, where no column is known, past the roof or the
   floor for good, or out of reach. Over the roof and under the floor is open.
3. Nothing is skipped: air costs 4.7 ns a block (measured), and a short cut would be one more thing to get wrong.
"""

from typing import Final

import numba as nb
import numpy as np
import numpy.typing as npt

from net.space.jit import kernel

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

LEFT: Final = 0
HIT: Final = 1
PLACEHOLDER: Final = 2
UNLOADED: Final = 3

NO_FACE: Final = 6
"""The face of a block that the ray began in."""


@kernel(
    "void(float64[::1], float64[:,::1], float64, int32[:,::1], int64, int64, int64, int64, int32[::1], uint16[:,::1],"
    " uint8[::1], int64, float64[::1], uint8[::1], int32[::1], uint16[::1], uint8[::1], float64[::1], float64[::1])"
)
def march(
    eye: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    reach: float,
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    stops: npt.NDArray[np.uint8],
    placeholder_slot: int,
    since: npt.NDArray[np.float64],
    ended: npt.NDArray[np.uint8],
    places: npt.NDArray[np.int32],
    cells: npt.NDArray[np.uint16],
    faces: npt.NDArray[np.uint8],
    distances: npt.NDArray[np.float64],
    latest: npt.NDArray[np.float64],
) -> None:
    """Fills the last six arrays, one entry a ray; ``cast.Hits`` says what they hold.

    ``rows`` [width, depth] is the store's row of each column from ``low_x``, ``low_z`` on, 0 where there is none.
    ``stops`` [dense ids] is not 0 where a block ends a ray. ``floor`` is the lowest sub-chunk's y. ``since`` [places].
    """
    width, depth = rows.shape
    roof = nb.int64((floor + sections) * 16)
    ground = nb.int64(floor * 16)
    first_x = nb.int64(np.floor(eye[0]))
    first_y = nb.int64(np.floor(eye[1]))
    first_z = nb.int64(np.floor(eye[2]))
    for ray in range(directions.shape[0]):
        along_x, along_y, along_z = directions[ray, 0], directions[ray, 1], directions[ray, 2]
        step_x = nb.int64(1) if along_x > 0 else nb.int64(-1)
        step_y = nb.int64(1) if along_y > 0 else nb.int64(-1)
        step_z = nb.int64(1) if along_z > 0 else nb.int64(-1)
        delta_x, delta_y, delta_z = abs(1.0 / along_x), abs(1.0 / along_y), abs(1.0 / along_z)
        # Where each axis' next face is crossed. An axis that the ray does not move along never is (1 / 0 is infinite).
        edge_x = (first_x + (step_x > 0) - eye[0]) / along_x if along_x != 0 else np.inf
        edge_y = (first_y + (step_y > 0) - eye[1]) / along_y if along_y != 0 else np.inf
        edge_z = (first_z + (step_z > 0) - eye[2]) / along_z if along_z != 0 else np.inf
        x, y, z = first_x, first_y, first_z
        face = nb.int64(6)
        at = 0.0
        newest = -np.inf
        end = nb.int64(0)
        place = nb.int64(0)
        index = nb.int64(0)
        while at <= reach:
            if (y >= roof and along_y >= 0) or (y < ground and along_y <= 0):
                break
            if ground <= y < roof:
                column_x = (x >> 4) - low_x
                column_z = (z >> 4) - low_z
                row = nb.int64(0)
                if 0 <= column_x < width and 0 <= column_z < depth:
                    row = nb.int64(rows[column_x, column_z])
                if row == 0:
                    end = nb.int64(3)
                    break
                place = row * sections + (y >> 4) - floor
                shown = nb.int64(slot[place])
                newest = max(newest, since[place])
                if shown == placeholder_slot:
                    end = nb.int64(2)
                    break
                index = (x & 15) << 8 | (z & 15) << 4 | (y & 15)
                if stops[blocks[shown, index]]:
                    end = nb.int64(1)
                    break
            # The face entered looks back along the step; directions are -x, +x, -z, +z, -y, +y.
            if edge_x <= edge_y and edge_x <= edge_z:
                at = edge_x
                edge_x += delta_x
                x += step_x
                face = nb.int64(0) if step_x > 0 else nb.int64(1)
            elif edge_y <= edge_z:
                at = edge_y
                edge_y += delta_y
                y += step_y
                face = nb.int64(4) if step_y > 0 else nb.int64(5)
            else:
                at = edge_z
                edge_z += delta_z
                z += step_z
                face = nb.int64(2) if step_z > 0 else nb.int64(3)
        ended[ray] = end
        places[ray] = place if 1 <= end <= 2 else 0
        cells[ray] = index if end == 1 else 0
        faces[ray] = face
        distances[ray] = at
        latest[ray] = newest
