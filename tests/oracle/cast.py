"""Casts rays through a store and says where each ended.

Rays: One through the middle of each pixel.

Looks: What the oracle knows of looks: which texels are holes, and the quads of models; read from the tables of the
looks.

The tables say what a block looks like, and are taken as given; where it stands, what hides it and what is nearest is
found by rays, without the meshes that the tables are also made into.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.block_table import BlockTable, ClassThresholds
from client.world.store import Store
from net.arrays import Places
from render.bench.rays import Directions, RayEnd, pixel_offsets, rows_in_reach
from render.camera import Camera
from render.materials.biome_tints import DOUBLE_SIDED, ROTATES, TINT_MASK, TRANSLUCENT_QUAD
from render.mesh import vertex_format
from render.mesh.mesher import AppearanceTables
from tests.oracle.ray_kernels import CUBE, CUTOUT, GLASS, HOLE, LIQUID, MODEL, march

# ---------------------------------------------------------------- looks

DENSE_IDS: Final = 1 << 16


class Looks(msgspec.Struct, frozen=True):
    """Looks as rays meet them."""

    # int32[n, 6] by dense id and face: texture layer << 2 | 2 where it turns by place | 1 where alpha is no coverage
    sides: npt.NDArray[np.int32]
    # uint8[layers, side, side] of the textures at full size, [layer, row from the top, column]
    alpha: npt.NDArray[np.uint8]
    model_rows: npt.NDArray[np.int32]  # int32[n, 2] by dense id: first quad, and one past the last
    corners: npt.NDArray[np.float64]  # float64[k, 9] origin, edge U, edge V of a model's quad, in blocks
    # int32[k, 7] u0 v0 u1 v1 in sixteenths, layer, 1 where alpha is no coverage, 2 where one sees through every texel,
    # 1 where it is a sheet, which has no back
    pictures: npt.NDArray[np.int32]
    # uint8[k, 5] the face that an opaque neighbour hides (7: none), the direction that must connect (7: none; 6: none,
    # and it stands aside), whether a like block must, bit c: it is left out in bend c of stairs, and the bits
    # ``ray_kernels`` names
    rules: npt.NDArray[np.uint8]
    # uint16[n, 2] by dense id: how stairs stand, how a half of a door stands; as ``AppearanceTables`` has them
    turns: npt.NDArray[np.uint16]
    door_ids: npt.NDArray[np.uint16]  # uint16[k] ids of whole doors, likewise
    groups: npt.NDArray[np.uint8]  # uint8[n] by dense id: which models connect; 0: to none of their kind
    amounts: npt.NDArray[np.uint8]  # uint8[n] by dense id: eighths of a block that a liquid fills; 8 of all others
    liquids: npt.NDArray[np.uint8]  # uint8[n] by dense id: kinds of liquids, each of which joins its own alone
    filling: int  # dense id shown for liquid in another block

    @classmethod
    def of(cls, tables: AppearanceTables, textures: npt.NDArray[np.uint8]) -> "Looks":
        """Looks of the tables that meshes are made with.

        Args:
            tables: of the look source.
            textures: uint8[layers, side, side, 4], mip level 0.
        """
        words = tables.faces.reshape(-1, 1).view(np.uint32)
        layer, flags = (vertex_format.read(vertex_format.CUBE, words, name) for name in ("layer", "flags"))
        models = tables.model_quads.view(np.uint32).reshape(-1, vertex_format.MODEL_WORDS)
        field = {name: vertex_format.read(vertex_format.MODEL, models, name) for name in vertex_format.MODEL}
        edges = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz")
        clear = field["flags"] & TRANSLUCENT_QUAD != 0
        masked = np.where(clear, 2, field["flags"] & TINT_MASK != 0).astype(np.int32)
        sheet = field["flags"] & DOUBLE_SIDED != 0
        pictures = [field[name] for name in ("u0", "v0", "u1", "v1", "layer")]
        rules = tables.model_rules
        return cls(
            sides=(layer << 2 | (flags & ROTATES != 0) << 1 | (flags & TINT_MASK != 0)).astype(np.int32).reshape(-1, 6),
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


# ---------------------------------------------------------------- cast

NO_SLOT = -1
CORNERS = 4


class Hits(msgspec.Struct, frozen=True):
    """Where rays ended, one entry a ray."""

    ended: npt.NDArray[np.uint8]  # uint8[n] an ``RayEnd`` each
    places: Places  # int32[n] the place of the block or placeholder; 0 where there is none
    cells: npt.NDArray[np.uint16]  # uint16[n] the block in it, x << 8 | z << 4 | y; 0 but for hits
    # uint8[n] the face entered last, a direction (``net.space``); 6 where the ray never
    # left its block, and for every model
    faces: npt.NDArray[np.uint8]
    # uint16[n] dense id of what is seen; 0 but for hits. Not the block's own where liquid fills it.
    shown: npt.NDArray[np.uint16]
    distances: npt.NDArray[np.float64]  # float64[n] to that face, in lengths of the direction
    # float64[n] when the newest of the sub-chunks on the way got its state: from then on the ray saw what it
    # sees now; -inf where it met none
    latest: npt.NDArray[np.float64]

    @classmethod
    def room(cls, rays: int) -> "Hits":
        """Arrays for so many rays, unwritten."""
        return cls(
            np.empty(rays, np.uint8),
            np.empty(rays, np.int32),
            np.empty(rays, np.uint16),
            np.empty(rays, np.uint8),
            np.empty(rays, np.uint16),
            np.empty(rays, np.float64),
            np.empty(rays, np.float64),
        )

    @property
    def on_terrain(self) -> npt.NDArray[np.bool_]:
        """Which rays hit a block: bool[n]."""
        hit: npt.NDArray[np.bool_] = self.ended == RayEnd.HIT
        return hit

    @property
    def in_holes(self) -> npt.NDArray[np.bool_]:
        """Which rays see a placeholder: bool[n]."""
        hole: npt.NDArray[np.bool_] = self.ended == RayEnd.PLACEHOLDER
        return hole


class Passed(msgspec.Struct, frozen=True):
    """Clear surfaces that rays went through, nearest first: ``counts[n]`` of each ray; what is behind is unwritten."""

    counts: npt.NDArray[np.uint8]  # uint8[n]
    keys: npt.NDArray[np.int64]  # int64[n, layers] place << 15 | cell << 3 | face
    ids: npt.NDArray[np.uint16]  # uint16[n, layers] dense id shown
    depths: npt.NDArray[np.float64]  # float64[n, layers] in lengths of the direction

    @classmethod
    def room(cls, rays: int, layers: int) -> "Passed":
        """For so many rays, each through so many surfaces; none is passed by any yet."""
        shape = rays, layers
        counts = np.zeros(rays, np.uint8)
        return cls(counts, np.zeros(shape, np.int64), np.zeros(shape, np.uint16), np.zeros(shape))


NONE_PASSED: Final = Passed.room(0, 0)


def stopped_by_cubes(table: BlockTable) -> npt.NDArray[np.uint8]:
    """uint8[65536] by dense id: rays end in opaque cubes alone.

    What stands behind water, glass, leaves and models must be right too where they are looked through.
    """
    stops = np.zeros(DENSE_IDS, np.uint8)
    stops[table.first.opaque :] = 1
    return stops


def cast(
    world: Store,
    eye: tuple[float, float, float],
    directions: Directions,
    stops: npt.NDArray[np.uint8],
    reach_blocks: float = 4096.0,
    surfaces: Looks = NO_SURFACES,
    through: bool = False,
    passed: Passed = NONE_PASSED,
    nearest_blocks: float = -1.0,
) -> Hits:
    """Casts one ray for each direction.

    Args:
        world: the store; only read.
        eye: where all rays begin, in blocks.
        directions: float64[n, 3], none of them all zero.
        stops: uint8[65536] by dense id: what each block does to a ray, 0 nothing, 1 ends it (``ray_kernels``).
        reach_blocks: rays that have come farther are LEFT; columns farther away are not looked at.
        surfaces: textures and shapes, for codes beyond 1.
        through: placeholders end no ray (``stops`` says what such blocks do), nor does a gap between columns.
        nearest_blocks: what lies nearer is not met, as a camera's near plane cuts it off; the block of the eye, too.
        passed: filled; liquids and translucent blocks end a ray only when it has passed as many as it has room for.
    """
    rows, low_x, low_z = rows_in_reach(world, eye, reach_blocks)
    hits = Hits.room(len(directions))
    dimension, pools, first = world.dimension, world.pools, world.table.first
    march(
        np.array(eye, np.float64), np.ascontiguousarray(directions, np.float64), nearest_blocks, reach_blocks, rows,
        low_x, low_z, dimension.floor_section, dimension.sections, world.slot, pools.blocks, world.layer1_slot,
        pools.layer1, stops, NO_SLOT if through else PLACEHOLDER_SLOT, first.translucent, first.liquid,
        first.placeholder, surfaces.liquids, surfaces.amounts, surfaces.filling, surfaces.sides, surfaces.alpha,
        surfaces.model_rows, surfaces.corners, surfaces.pictures, surfaces.rules, surfaces.turns, surfaces.door_ids,
        surfaces.groups, np.empty(CORNERS), world.since, hits.ended, hits.places, hits.cells, hits.faces, hits.shown,
        hits.distances, hits.latest, passed.counts, passed.keys, passed.ids, passed.depths,
    )  # fmt: skip
    return hits


def cast_from(
    world: Store,
    begins: Directions,
    directions: Directions,
    stops: npt.NDArray[np.uint8],
    reach_blocks: float = 4096.0,
    surfaces: Looks = NO_SURFACES,
    through: bool = False,
) -> Hits:
    """As ``cast``, each ray from a point of its own, as those of an orthographic picture; slower, one call a ray.

    Args:
        world: the store; only read.
        begins: float64[n, 3] where each ray begins, in blocks.
        directions: float64[n, 3], one a ray.
        stops: as ``cast``.
        reach_blocks: as ``cast``.
        surfaces: as ``cast``.
        through: as ``cast``.
    """
    rays = [
        cast(world, tuple(begin), ray[None], stops, reach_blocks, surfaces, through)
        for begin, ray in zip(begins.tolist(), directions, strict=True)
    ]
    return Hits(*(np.concatenate([getattr(hits, name) for hits in rays]) for name in Hits.__struct_fields__))


# ---------------------------------------------------------------- rays


def pixel_rays(camera: Camera, width: int, height: int) -> Directions:
    """float64[height * width, 3], rows from the top; of length 1 along the look, so that distances are depths."""
    forward = np.array(camera.rays[0])
    if camera.is_parallel:
        return np.tile(forward, (width * height, 1))
    rays: Directions = forward + pixel_offsets(camera, width, height)
    return rays


def pixel_begins(camera: Camera, width: int, height: int) -> Directions:
    """float64[height * width, 3] where the rays of pixels begin, in blocks of the world, rows from the top.

    The eye; those of a parallel camera begin at the nearest depth drawn, ``near_blocks`` before the eye's own.
    """
    eye = np.array(camera.eye)
    if not camera.is_parallel:
        return np.tile(eye, (width * height, 1))
    begins: Directions = eye + camera.near_blocks * np.array(camera.rays[0]) + pixel_offsets(camera, width, height)
    return begins
