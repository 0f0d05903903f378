"""What the oracle knows of looks: which texels are holes, and the quads of models; read from the tables of the looks.

The tables say what a block looks like, and are taken as given; where it stands, what hides it and what is nearest is
found by rays, without the meshes that the tables are also made into.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_table import ClassThresholds
from net.frozen import frozen
from render.capture.oracle.codes import CUBE, CUTOUT, GLASS, HOLE, LIQUID, MODEL
from render.materials.looks import CLEAR, DOUBLE_SIDED, TINT_MASK
from render.mesh import quads
from render.mesh.build import MeshTables

DENSE_IDS: Final = 1 << 16


@frozen
class Looks:
    """Looks as rays meet them.

    Attributes:
        sides: int32[n, 6] by dense id and face: texture layer << 1 | 1 where alpha is no coverage.
        alpha: uint8[layers, side, side] of the textures at full size, [layer, row from the top, column].
        model_rows: int32[n, 2] by dense id: first quad, and one past the last.
        corners: float64[k, 9] origin, edge U, edge V of a model's quad, in blocks.
        pictures: int32[k, 7] u0 v0 u1 v1 in sixteenths, layer, 1 where alpha is no coverage, 2 where one sees through
            every texel, 1 where it is a sheet, which has no back.
        rules: uint8[k, 5] the face that an opaque neighbour hides (7: none), the direction that must connect (7: none),
            whether a like block must, bit c: it is left out in bend c of stairs, and the bits ``model_kernels`` names.
        turns: uint16[n, 2] by dense id: how stairs stand, how a half of a door stands; as ``MeshTables`` has them.
        door_ids: uint16[k] ids of whole doors, likewise.
        groups: uint8[n] by dense id: which models connect; 0: to none of their kind.
        amounts: uint8[n] by dense id: eighths of a block that a liquid fills; 8 of all others.
        liquids: uint8[n] by dense id: kinds of liquids, each of which joins its own alone.
        filling: dense id shown for liquid in another block.
    """

    sides: npt.NDArray[np.int32]
    alpha: npt.NDArray[np.uint8]
    model_rows: npt.NDArray[np.int32]
    corners: npt.NDArray[np.float64]
    pictures: npt.NDArray[np.int32]
    rules: npt.NDArray[np.uint8]
    turns: npt.NDArray[np.uint16]
    door_ids: npt.NDArray[np.uint16]
    groups: npt.NDArray[np.uint8]
    amounts: npt.NDArray[np.uint8]
    liquids: npt.NDArray[np.uint8]
    filling: int

    @classmethod
    def of(cls, tables: MeshTables, textures: npt.NDArray[np.uint8]) -> "Looks":
        """Looks of the tables that meshes are made with.

        Args:
            tables: of the look source.
            textures: uint8[layers, side, side, 4], mip level 0.
        """
        words = tables.looks.reshape(-1, 1).view(np.uint32)
        layer, flags = (quads.read(quads.CUBE, words, name) for name in ("layer", "flags"))
        models = tables.model_quads.view(np.uint32).reshape(-1, quads.MODEL_WORDS)
        field = {name: quads.read(quads.MODEL, models, name) for name in quads.MODEL}
        edges = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz")
        clear = field["flags"] & CLEAR != 0
        masked = np.where(clear, 2, field["flags"] & TINT_MASK != 0).astype(np.int32)
        sheet = field["flags"] & DOUBLE_SIDED != 0
        pictures = [field[name] for name in ("u0", "v0", "u1", "v1", "layer")]
        rules = tables.model_rules
        return cls(
            sides=(layer << 1 | (flags & TINT_MASK != 0)).astype(np.int32).reshape(-1, 6),
            alpha=np.ascontiguousarray(textures[..., 3]),
            model_rows=np.ascontiguousarray(tables.model_rows),
            corners=np.stack([field[name] / 16.0 for name in edges], axis=1),
            pictures=np.ascontiguousarray(np.stack([*pictures, masked, sheet], axis=1), np.int32),
            rules=np.ascontiguousarray(
                np.stack([rules & 7, rules >> 3 & 7, rules >> 6 & 1, rules >> 7 & 31, rules >> 12], axis=1), np.uint8
            ),
            turns=np.stack([tables.stairs.astype(np.uint16), tables.doors], axis=1),
            door_ids=np.ascontiguousarray(tables.door_ids),
            groups=np.ascontiguousarray(tables.groups),
            amounts=np.ascontiguousarray(tables.amounts),
            liquids=np.ascontiguousarray(tables.liquids),
            filling=int(tables.classes[6]),
        )


NO_SURFACES: Final = Looks(
    np.zeros((1, 6), np.int32),
    np.zeros((1, 16, 16), np.uint8),
    np.zeros((1, 2), np.int32),
    np.zeros((1, 9), np.float64),
    np.zeros((1, 7), np.int32),
    np.zeros((1, 5), np.uint8),
    np.zeros((1, 2), np.uint16),
    np.zeros(1, np.uint16),
    np.zeros(1, np.uint8),
    np.zeros(1, np.uint8),
    np.zeros(1, np.uint8),
    0,
)
"""For rays that only cubes end."""


def stopped_by_surfaces(first: ClassThresholds, but: Sequence[int] = ()) -> npt.NDArray[np.uint8]:
    """uint8[65536] by dense id: rays end at the first surface of any kind that is drawn.

    Args:
        first: where the classes of the session's table begin.
        but: dense ids that rays pass all the same.
    """
    stops = np.zeros(DENSE_IDS, np.uint8)
    starts = (first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque)
    for start, code in zip(starts, (MODEL, CUTOUT, GLASS, LIQUID, HOLE, CUBE), strict=True):
        stops[start:] = code
    stops[list(but)] = 0
    return stops
