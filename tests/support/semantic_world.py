"""Worlds, views and comparisons for semantic buffers: what the GPU drew beside what the oracle's rays met."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from client.player import Eye, View
from client.world.block_table import ClassThresholds
from net.space.layout import DIRECTIONS
from net.space.positions import ColumnPos
from render.camera import Camera
from render.capture.oracle import Ended, Hits, cast, pixel_rays
from render.capture.oracle.surfaces import Surfaces as Looks
from render.capture.shot_arrays import Surfaces
from tests.support import painted_world as paint

SIZE_PX = (120, 80)
SIDE = 64
OPAQUES = (paint.STONE, paint.DIRT, paint.GRASS, paint.LAMP, paint.RED_LAMP)
NUDGE_PX = 0.02
"""Far more than what rounding moves a pixel by, far less than a pixel."""

NOTHING = -1
"""Block and face of a pixel that shows none."""


def random_blocks(
    rng: np.random.Generator, kinds: tuple[int, ...], ground_of: tuple[int, ...] = OPAQUES
) -> paint.Volume:
    """[64, 64, 64] of ground, rooms and clutter out of some kinds; air above."""
    blocks = np.zeros((SIDE, SIDE, SIDE), np.uint16)
    heights = rng.integers(4, 40, (8, 8)).repeat(8, axis=0).repeat(8, axis=1)
    ground = np.arange(SIDE)[None, None, :] < heights[:, :, None]
    blocks[ground] = rng.choice(ground_of, int(ground.sum()))
    for _ in range(24):
        low = rng.integers(0, SIDE - 4, 3)
        size = rng.integers(2, 14, 3)
        kind = rng.choice((*kinds, paint.AIR))
        blocks[tuple(slice(a, a + b) for a, b in zip(low, size, strict=True))] = kind
    clutter = rng.random(blocks.shape) < rng.choice([0.0, 0.002, 0.02])
    blocks[clutter] = rng.choice(kinds, int(clutter.sum()))
    blocks[:, :, -2:] = paint.AIR
    return blocks


def random_states(rng: np.random.Generator, first: ClassThresholds, count: int) -> paint.Volume:
    """The same out of some thirty states of a whole palette, models most of all."""
    bounds = ((first.opaque, count, 4), (first.model, first.cutout, 14), (first.cutout, first.translucent, 3))
    bounds += ((first.translucent, first.liquid, 3), (first.liquid, first.placeholder, 2))  # type: ignore[assignment]
    kinds = np.concatenate([rng.integers(low, high, many) for low, high, many in bounds])
    blocks = random_blocks(rng, tuple(range(1, len(kinds) + 1)), tuple(range(1, 5)))
    return np.concatenate([[0], kinds]).astype(np.uint16)[blocks]


def random_view(rng: np.random.Generator, blocks: paint.Volume) -> View:
    """Any look from the middle of a block of air."""
    air = np.argwhere(blocks == paint.AIR)
    x, z, y = (air[rng.integers(len(air))] + rng.uniform(0.3, 0.7, 3)).tolist()
    fov = float(rng.choice([40.0, 70.0, 110.0]))
    return View(Eye(x, y, z), float(rng.uniform(-180, 180)), float(rng.uniform(-80, 80)), fov)


@dataclass(frozen=True, slots=True)
class Met:
    """What the oracle says of each pixel.

    Attributes:
        block: int64[h, w] dense id; NOTHING where none.
        face: int64[h, w] 0..6; NOTHING where none.
        cell: int64[h, w, 3].
        depth: float64[h, w]; inf where none.
        before: int64[h, w, 3] the block whose light falls on it.
        told: bool[h, w] whether the oracle knows: not through a placeholder, not in a liquid.
    """

    block: npt.NDArray[np.int64]
    face: npt.NDArray[np.int64]
    cell: npt.NDArray[np.int64]
    depth: npt.NDArray[np.float64]
    before: npt.NDArray[np.int64]
    told: npt.NDArray[np.bool_]


def met(world, view: View, stops, looks: Looks, size_px=SIZE_PX, nudge_px=(0.0, 0.0)) -> Met:  # type: ignore[no-untyped-def]
    """Casts the rays of every pixel, moved by a part of a pixel."""
    width, height = size_px
    camera = Camera.of(view, width / height)
    _, right, up = (np.array(vector) for vector in camera.rays)
    rays = pixel_rays(camera, width, height) + right * (2 * nudge_px[0] / width) - up * (2 * nudge_px[1] / height)
    hits = cast(world, tuple(view.eye), rays, stops, 1000.0, looks)
    return told_of(world, hits, (height, width))


def told_of(world, hits: Hits, shape: tuple[int, int]) -> Met:  # type: ignore[no-untyped-def]
    """Hits by pixel, in world coordinates."""
    sections = world.dimension.sections
    rows, section = np.divmod(hits.places.astype(np.int64), sections)
    index = hits.cells.astype(np.int64)
    x = world.columns[rows, 0] * 16 + (index >> 8)
    y = (section + world.dimension.floor_section) * 16 + (index & 15)
    z = world.columns[rows, 1] * 16 + (index >> 4 & 15)
    cell = np.stack([x, y, z], axis=1)
    some = hits.on_terrain
    face = np.where(some, hits.faces.astype(np.int64), NOTHING)
    step = np.array([*DIRECTIONS, (0, 0, 0), (0, 0, 0)])
    return Met(
        block=np.where(some, hits.shown.astype(np.int64), NOTHING).reshape(shape),
        face=face.reshape(shape),
        cell=cell.reshape(*shape, 3),
        depth=np.where(some, hits.distances, np.inf).reshape(shape),
        before=(cell + step[face]).reshape(*shape, 3),
        told=~np.isin(hits.ended, (Ended.PLACEHOLDER, Ended.INSIDE)).reshape(shape),
    )


def alike_around(*fields: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """bool[h, w]: whether a pixel and its 8 neighbours hold the same; pixels at the rim do not."""
    height, width = fields[0].shape[:2]
    alike = np.zeros((height, width), bool)
    inner = np.ones((height - 2, width - 2), bool)
    for field in fields:
        wide = field.reshape(height, width, -1)
        for dy in range(3):
            for dx in range(3):
                other = wide[dy : height - 2 + dy, dx : width - 2 + dx]
                inner &= (other == wide[1:-1, 1:-1]).all(axis=2)
    alike[1:-1, 1:-1] = inner
    return alike


@dataclass(frozen=True, slots=True)
class Around:
    """What rays a fiftieth of a pixel to a pixel's sides meet.

    Attributes:
        steady: bool[h, w] the same block, face and cell as the pixel's own ray.
        nearest: float64[h, w] the least depth of all five.
        farthest: float64[h, w] the most.
    """

    steady: npt.NDArray[np.bool_]
    nearest: npt.NDArray[np.float64]
    farthest: npt.NDArray[np.float64]


def around(world, view: View, stops, looks: Looks, first: Met, size_px=SIZE_PX) -> Around:  # type: ignore[no-untyped-def]
    """Slivers and holes have edges that a pixel's neighbours do not show, and this does.

    Two leaves' alike sides, one seen through the other; a block between two others of one kind, thinner than a pixel;
    two quads of one model, which are told apart by their depths alone.
    """
    same = np.ones(first.block.shape, bool)
    nearest = farthest = first.depth
    for nudge in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        other = met(world, view, stops, looks, size_px, (nudge[0] * NUDGE_PX, nudge[1] * NUDGE_PX))
        same &= (other.block == first.block) & (other.face == first.face) & (other.cell == first.cell).all(axis=2)
        nearest, farthest = np.minimum(nearest, other.depth), np.maximum(farthest, other.depth)
    return Around(same, nearest, farthest)


def light_at(world, light, blocks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:  # type: ignore[no-untyped-def]
    """Packed light of blocks [n, 3] as the light map has it; full daylight over the roof, dark where nothing is."""
    result = np.zeros(len(blocks), np.int64)
    floor, sections = world.dimension.floor_section, world.dimension.sections
    for index, (x, y, z) in enumerate(blocks.tolist()):
        row = world.row_of.get(ColumnPos(x >> 4, z >> 4), 0)
        section = (y >> 4) - floor
        if section >= sections:
            result[index] = 0xF000 if world.dimension.has_sky else 0
        elif row and section >= 0:
            place = row * sections + section
            result[index] = light.at(place, (x & 15) << 8 | (z & 15) << 4 | y & 15)
    return result


def drawn_as(surfaces: Surfaces) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Block and face of the GPU's buffers, NOTHING where none."""
    block = np.where(surfaces.drawn, surfaces.dense.astype(np.int64), NOTHING)
    return block, np.where(surfaces.drawn, surfaces.face.astype(np.int64), NOTHING)


def compare(world, light, view: View, found: Surfaces, stops, looks: Looks, size_px=SIZE_PX) -> tuple[int, list[str]]:  # type: ignore[no-untyped-def]
    """How many pixels of the GPU's buffers were held against rays, and what did not agree: nothing, if all is well."""
    wanted = met(world, view, stops, looks, size_px)
    beside = around(world, view, stops, looks, wanted, size_px)
    compared = alike_around(wanted.block, wanted.face) & wanted.told & beside.steady
    block, face = drawn_as(found)
    some = compared & found.drawn & (wanted.block != NOTHING)
    same_cell = some & alike_around(wanted.cell)
    light_differs = np.zeros_like(some)
    light_differs[same_cell] = found.light[same_cell] != light_at(world, light, wanted.before[same_cell])
    slack = 1e-3 + 1e-4 * found.depth
    wrong = {
        "block": compared & (block != wanted.block),
        "face": compared & (face != wanted.face),
        "depth": some & ((found.depth < beside.nearest - slack) | (found.depth > beside.farthest + slack)),
        "cell": same_cell & (found.cell != wanted.cell).any(axis=2),
        "light": light_differs,
    }
    told = []
    for name, where in wrong.items():
        for y, x in np.argwhere(where)[:1].tolist():
            drawn = f"block {block[y, x]} face {face[y, x]} cell {found.cell[y, x]} depth {found.depth[y, x]}"
            ray = f"{wanted.block[y, x]} {wanted.face[y, x]} {wanted.cell[y, x]} {wanted.depth[y, x]}"
            told.append(f"{view}: {name} differs in {where.sum()} pixels, first x {x} y {y}: {drawn}, rays say {ray}")
    return int(compared.sum()), told
