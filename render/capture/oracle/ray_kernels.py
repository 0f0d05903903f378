"""One ray after another through the blocks of a store (Amanatides and Woo's traversal: one face crossed a step).

Rules:
1. A ray goes from block to block over the nearest face; where faces tie, x goes before y and y before z.
2. It ends in the first block that stops it, in the first placeholder, where no column is known, past the roof or the
   floor for good, or out of reach. Over the roof and under the floor is open.
3. Nothing is skipped: air costs 5.4 ns a block (measured), and a short cut would be one more thing to get wrong.
4. What a block does to a ray is its ``stops`` code (``codes``). CUBE and PASS need nothing more; the others ask for the
   texel that is met, the block before it, the surface of a liquid, or the quads of a model: ``surface_in``.

What is drawn, said once more from the blocks' side (shaders and meshes are not read here):
  GLASS shows a side where a block of another kind is before it. CUTOUT shows every side that a ray can come through;
  its holes are holes. LIQUID fills its block up to a surface over its four corners (``corner_height``), unless there is
  the same above; where like liquids meet there are no sides. From inside, nothing but the surface shows; a surface that
  an opaque block lies on does not. A block of another class, or air, may hold water in its second layer.
  A MODEL is quads, seen from both sides, but for panes that one sees through; an opaque neighbour hides some of them,
  a like one brings others, and hides inner sides of such panes.
  In one plane, what looks to the eye is before the backs of boxes, surfaces of liquids before what stands in them, and
  that before their sides: each is met as a hair nearer or farther than it is, which may reach into the next block.
  A placeholder hides sides as an opaque block does, and so does where no column is: a ray that passes either (for it
  ``placeholder_slot`` is negative) sees no side that looks at it.

Indices. None comes from outside: what a ray meets is found by ``block_at``.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import kernel
from render.capture.oracle.block_kernels import Blocks, Doubles, covers, soaks
from render.capture.oracle.codes import CUBE, HOLE, PASS, SOAKED
from render.capture.oracle.model_kernels import Surfaces
from render.capture.oracle.surface_kernels import surface_in

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

LEFT: Final = 0
HIT: Final = 1
PLACEHOLDER: Final = 2
UNLOADED: Final = 3


@kernel(
    "void(float64[::1], float64[:,::1], float64, float64, int32[:,::1], int64, int64, int64, int64, int32[::1], "
    "uint16[:,::1], int32[::1], uint16[:,::1], uint8[::1], int64, int64, int64, int64, uint8[::1], uint8[::1], "
    "int64, int32[:,::1], uint8[:,:,::1], int32[:,::1], float64[:,::1], int32[:,::1], uint8[:,::1], uint16[:,::1], "
    "uint16[::1], uint8[::1], float64[::1], float64[::1], uint8[::1], int32[::1], uint16[::1], uint8[::1], "
    "uint16[::1], float64[::1], float64[::1], uint8[::1], int64[:,::1], uint16[:,::1], float64[:,::1])"
)
def march(
    eye: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    nearest: float,
    reach: float,
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    ids_of: npt.NDArray[np.uint16],
    layer1_slot: npt.NDArray[np.int32],
    layer1: npt.NDArray[np.uint16],
    stops: npt.NDArray[np.uint8],
    placeholder_slot: int,
    first_full: int,
    first_liquid: int,
    first_cover: int,
    liquids: npt.NDArray[np.uint8],
    amounts: npt.NDArray[np.uint8],
    filling: int,
    sides: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.uint8],
    model_rows: npt.NDArray[np.int32],
    corners: Doubles,
    pictures: npt.NDArray[np.int32],
    rules: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint16],
    door_ids: npt.NDArray[np.uint16],
    groups: npt.NDArray[np.uint8],
    heights: Doubles,
    since: npt.NDArray[np.float64],
    ended: npt.NDArray[np.uint8],
    places: npt.NDArray[np.int32],
    cells: npt.NDArray[np.uint16],
    faces: npt.NDArray[np.uint8],
    shown: npt.NDArray[np.uint16],
    distances: npt.NDArray[np.float64],
    latest: npt.NDArray[np.float64],
    passed: npt.NDArray[np.uint8],
    keys: npt.NDArray[np.int64],
    ids: npt.NDArray[np.uint16],
    depths: npt.NDArray[np.float64],
) -> None:
    """Fills the last eleven arrays, one entry a ray; ``cast.Hits`` and ``cast.Passed`` say what they hold.

    ``stops`` [dense ids] says what a block does to a ray, ``since`` [places] how new it is. From ``rows`` to
    ``amounts`` as in ``block_kernels.Blocks``, from ``filling`` to ``heights`` as in ``model_kernels.Surfaces``.
    """
    world = Blocks(
        rows, low_x, low_z, floor, sections, slot, ids_of, layer1_slot, layer1, first_full, first_liquid, first_cover,
        liquids, amounts,
    )  # fmt: skip
    looks = Surfaces(
        filling, sides, alpha, model_rows, corners, pictures, rules, turns, door_ids, groups, heights
    )  # fmt: skip
    width, depth = rows.shape
    most_layers = nb.int64(keys.shape[1])
    through = placeholder_slot < 0
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
        id_ = nb.int64(0)
        before = nb.int64(-1)  # the block the ray came through last
        layers = nb.int64(0)
        # What counts as farther than its block reaches: the next one may hold something nearer.
        held = np.inf
        held_at, held_face, held_id, held_place, held_index = 0.0, face, id_, place, index
        while at <= reach and at < held:
            if (y >= roof and along_y >= 0) or (y < ground and along_y <= 0):
                break
            if ground <= y < roof:
                column_x = (x >> 4) - low_x
                column_z = (z >> 4) - low_z
                row = nb.int64(0)
                if 0 <= column_x < width and 0 <= column_z < depth:
                    row = nb.int64(rows[column_x, column_z])
                if row == 0:
                    away = (column_x < 0 and step_x < 0) or (column_x >= width and step_x > 0)
                    away |= (column_z < 0 and step_z < 0) or (column_z >= depth and step_z > 0)
                    if away or not through:
                        end = nb.int64(3)
                        break
                place = row * sections + (y >> 4) - floor
                shows = nb.int64(slot[place]) if row else nb.int64(0)
                newest = max(newest, since[place])
                if shows == placeholder_slot:
                    end = nb.int64(2)
                    break
                index = (x & 15) << 8 | (z & 15) << 4 | (y & 15)
                here = place << 12 | index
                id_ = nb.int64(ids_of[shows, index])
                code = nb.int64(stops[id_])
                if code == PASS and layer1_slot[place] and id_ == 0 and stops[filling] and soaks(world, here):
                    code = nb.int64(SOAKED)
                if code == CUBE and at >= nearest and not covers(world, before):
                    end = nb.int64(1)
                    break
                if code == HOLE:
                    end = nb.int64(2)
                    break
                if code > CUBE:
                    past = nearest
                    while end == 0:
                        leaves = min(edge_x, edge_y, edge_z)
                        met, order, met_face, shown_id, clear = surface_in(
                            world, looks, x, y, z, here, before, code, face, at, past, leaves, eye, along_x, along_y,
                            along_z,
                        )  # fmt: skip
                        if order >= held or met == np.inf:
                            break
                        if clear and layers < most_layers:
                            keys[ray, layers] = nb.int64(place) << 15 | index << 3 | met_face
                            ids[ray, layers] = shown_id
                            depths[ray, layers] = met
                            layers += 1
                            past = order
                            continue
                        if order > leaves:
                            held, held_at, held_face, held_id = order, met, met_face, shown_id
                            held_place, held_index = place, index
                            break
                        at, face, id_ = met, met_face, shown_id
                        end = nb.int64(1)
                    if end != 0:
                        break
                before = here if row else nb.int64(-2)
            else:
                before = nb.int64(-1)
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
        if end != 1 and held != np.inf:
            end = nb.int64(1)
            at, face, id_, place, index = held_at, held_face, held_id, held_place, held_index
        ended[ray] = end
        places[ray] = place if 1 <= end <= 2 else 0
        cells[ray] = index if end == 1 else 0
        shown[ray] = id_ if end == 1 else 0
        faces[ray] = face
        distances[ray] = at
        latest[ray] = newest
        if most_layers > 0:
            passed[ray] = layers
