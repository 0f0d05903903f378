"""Worlds, views and comparisons for semantic buffers: pixels that the GPU drew are compared with rays of the oracle.

Differences at edges are allowed where drivers snap vertices to a 256th of a pixel. Corners of cubes are moved outwards
so that edges move by that much (``cube_quad.glsl``). On a side that is seen nearly edge-on this is up to a quarter of a
pixel: the drawn point lies on the side's plane, but beside the side. Models are not enlarged, but on a side that is
seen edge-on a 256th of a pixel changes the depth by more than a block.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import Eye, View
from client.world.block_table import ClassThresholds
from net.space import DIRECTIONS, ColumnPos
from render.bench.rays import RayEnd
from render.camera import Camera
from render.capture.channels import MODEL_FACE, SemanticSurfaces
from tests.oracle.cast import Hits, Looks, Passed, cast, pixel_rays
from tests.oracle.ray_kernels import HOLE, SURFACE
from tests.support.worlds import painted as paint

# ---------------------------------------------------------------- slivers

ACUTE = 1 / 16
LEAST_SLANT = 1 / 64
"""Sines of the angles below which a side counts as edge-on, and below which its corners move no further."""
INSIDE_BLOCKS = 1e-3
"""Distance from the edge of a side at which a ray certainly hits it."""

Vector = npt.NDArray[np.float64]


def point_drawn(view: View, found: SemanticSurfaces, pixel: tuple[int, int], size_px: tuple[int, int]) -> Vector:
    """float64[3]: the point at a pixel's middle and drawn depth, relative to the drawn block's lowest corner."""
    x, y = pixel
    rays = pixel_rays(Camera.of(view, size_px[0] / size_px[1]), *size_px)
    drawn: Vector = np.array(view.eye) + rays[y * size_px[0] + x] * float(found.depth[y, x]) - found.cell[y, x]
    return drawn


def way_to_side(view: View, found: SemanticSurfaces, pixel: tuple[int, int], size_px: tuple[int, int]) -> Vector | None:
    """float64[3]: from the eye to the point of a cube's side that is nearest to the drawn point.

    None if the side is not seen edge-on, or the drawn point is farther from it than its corners are moved.
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
    """Whether a model was drawn within its block, and nearby rays hit it at different depths, as at an edge.

    Args:
        view: view of the picture.
        found: the picture.
        pixel: x, y.
        depths: depths at which nearby rays hit the drawn block.
        size_px: size of the picture.
    """
    x, y = pixel
    if not found.drawn[y, x] or found.face[y, x] != MODEL_FACE or not len(depths):
        return False
    drawn = point_drawn(view, found, pixel, size_px)
    return bool(np.ptp(depths) > 1e-2 and ((drawn >= 0) & (drawn <= 1)).all())


def at_a_shared_edge(
    view: View, found: SemanticSurfaces, pixel: tuple[int, int], met_blocks: float, size_px: tuple[int, int]
) -> bool:
    """Whether a cube's side was drawn at its own edge, at the depth at which the ray hits another.

    Within a 256th of a pixel of an edge, a depth buffer of 24 bits cannot distinguish the sides that share it.
    """
    x, y = pixel
    face = int(found.face[y, x])
    if not found.drawn[y, x] or face == MODEL_FACE or not near(found.depth[y, x], met_blocks):
        return False
    drawn = np.delete(point_drawn(view, found, pixel, size_px), np.flatnonzero(DIRECTIONS[face])[0])
    up = Camera.of(view, size_px[0] / size_px[1]).rays[2]
    reach_blocks = met_blocks * 2 * float(np.linalg.norm(up)) / size_px[1] / 256 + INSIDE_BLOCKS
    beside = np.maximum(-drawn, drawn - 1)
    return bool(abs(beside.max()) <= reach_blocks)


# ---------------------------------------------------------------- semantic world

SIZE_PX = (120, 80)
SIDE = 64
OPAQUES = (paint.STONE, paint.DIRT, paint.GRASS, paint.LAMP, paint.RED_LAMP)
FAN_PX = 1 / 50
FAN_SIDE = 61
MOST_AT_EDGES = 100
STEPS = np.array([*DIRECTIONS, (0, 0, 0), (0, 0, 0)])
"""By face: the step from a block to the one in front of that face; zero for a model."""

TOP_FACE = 5

NOTHING = -1
"""Block and face of a pixel without terrain."""


def random_blocks(
    rng: np.random.Generator, kinds: tuple[int, ...], ground_of: tuple[int, ...] = OPAQUES
) -> paint.Volume:
    """A random volume [64, 64, 64]: ground, rooms and scattered blocks of some kinds, air above."""
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
    """The same with some thirty states of a whole palette, most of them models."""
    bounds = ((first.opaque, count, 4), (first.model, first.cutout, 14), (first.cutout, first.translucent, 3))
    bounds += ((first.translucent, first.liquid, 3), (first.liquid, first.placeholder, 2))
    kinds = np.concatenate([rng.integers(low, high, many) for low, high, many in bounds])
    blocks = random_blocks(rng, tuple(range(1, len(kinds) + 1)), tuple(range(1, 5)))
    return np.concatenate([[0], kinds]).astype(np.uint16)[blocks]


def flood(rng: np.random.Generator, blocks: paint.Volume) -> None:
    """Replaces air by water up to a random height, with random steps of its surface."""
    lower = blocks[:, :, : rng.integers(20, 50)]
    lower[lower == paint.AIR] = paint.WATER
    lower[rng.random(lower.shape) < 0.1] = paint.WATER


def random_view(rng: np.random.Generator, blocks: paint.Volume, of: int = paint.AIR) -> View:
    """A random view from near the middle of a block of a kind."""
    air = np.argwhere(blocks == of)
    x, z, y = (air[rng.integers(len(air))] + rng.uniform(0.3, 0.7, 3)).tolist()
    fov = float(rng.choice([40.0, 70.0, 110.0]))
    return View(Eye(x, y, z), float(rng.uniform(-180, 180)), float(rng.uniform(-80, 80)), fov)


def view_from_anywhere(rng: np.random.Generator, blocks: paint.Volume, first_opaque: int) -> View:
    """A random view from anywhere outside opaque blocks: in models, glass and water, above, below, and near borders."""
    at = rng.uniform(0.0, SIDE, 3)
    kind = rng.integers(4)
    if kind == 1:
        at[1] = SIDE + rng.uniform(-6, 6)
    elif kind == 2:
        at[1] = rng.uniform(-6, 1)
    elif kind == 3:
        at[rng.choice([0, 2])] = rng.choice([0.01, 15.99, 16.0, 31.5, 63.9])
    x, y, z = at.tolist()
    if 0 <= y < SIDE and blocks[int(x), int(z), int(y)] >= first_opaque:
        return view_from_anywhere(rng, blocks, first_opaque)
    fov = float(rng.choice([40.0, 70.0, 110.0]))
    return View(Eye(x, y, z), float(rng.uniform(-180, 180)), float(rng.uniform(-80, 80)), fov)


class Met(msgspec.Struct, frozen=True):
    """What the oracle's rays hit at each pixel."""

    block: npt.NDArray[np.int64]  # int64[h, w] dense id, or NOTHING
    face: npt.NDArray[np.int64]  # int64[h, w] 0..6, or NOTHING
    cell: npt.NDArray[np.int64]  # int64[h, w, 3]
    depth: npt.NDArray[np.float64]  # float64[h, w] blocks; inf without a hit
    # bool[h, w] whether the result is known: False behind a placeholder or a missing column
    told: npt.NDArray[np.bool_]


def met(
    world, view: View, stops, looks: Looks, size_px=SIZE_PX, pixel: tuple[int, int] | None = None, through=False,
    passed: Passed | None = None,
) -> Met:  # fmt: skip
    """Casts the rays of all pixels, or, with ``pixel``, a fan of rays within a fiftieth of that pixel's middle.

    ``through``: rays pass placeholders. ``passed``: receives the clear surfaces that rays pass, as in ``cast``.
    """
    if through:
        stops = np.where(stops == HOLE, 0, stops).astype(np.uint8)
    width, height = size_px
    camera = Camera.of(view, width / height)
    rays = pixel_rays(camera, width, height)
    shape = height, width
    if pixel is not None:
        _, right, up = (np.array(vector) for vector in camera.rays)
        shape = FAN_SIDE, FAN_SIDE
        off = np.linspace(-FAN_PX, FAN_PX, FAN_SIDE)
        aside = off[None, :, None] * (right * 2 / width) - off[:, None, None] * (up * 2 / height)
        rays = (rays[pixel[1] * width + pixel[0]] + aside).reshape(-1, 3)
    layers = Passed.room(len(rays), 0) if passed is None else passed
    hits = cast(world, tuple(view.eye), rays, stops, 1000.0, looks, through, layers, camera.near_blocks)
    return told_of(world, hits, shape)


def told_of(world, hits: Hits, shape: tuple[int, int]) -> Met:
    """Hits by pixel in world coordinates."""
    sections = world.dimension.sections
    rows, section = np.divmod(hits.places.astype(np.int64), sections)
    index = hits.cells.astype(np.int64)
    x = world.columns[rows, 0] * 16 + (index >> 8)
    y = (section + world.dimension.floor_section) * 16 + (index & 15)
    z = world.columns[rows, 1] * 16 + (index >> 4 & 15)
    cell = np.stack([x, y, z], axis=1)
    some = hits.on_terrain
    face = np.where(some, hits.faces.astype(np.int64), NOTHING)
    return Met(
        block=np.where(some, hits.shown.astype(np.int64), NOTHING).reshape(shape),
        face=face.reshape(shape),
        cell=cell.reshape(*shape, 3),
        depth=np.where(some, hits.distances, np.inf).reshape(shape),
        told=~np.isin(hits.ended, (RayEnd.PLACEHOLDER, RayEnd.UNLOADED)).reshape(shape),
    )


def alike_around(*fields: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """bool[h, w]: whether a pixel equals its 8 neighbours; False at the picture's edge."""
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


def light_at(world, light, blocks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Packed light of blocks [n, 3] from the light map; full daylight above the roof, 0 where nothing is loaded."""
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


def drawn_as(surfaces: SemanticSurfaces) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Block and face in the GPU's buffers, NOTHING for pixels without terrain."""
    block = np.where(surfaces.drawn, surfaces.dense.astype(np.int64), NOTHING)
    return block, np.where(surfaces.drawn, surfaces.face.astype(np.int64), NOTHING)


def compare(
    world, light, view: View, found: SemanticSurfaces, stops, looks: Looks, size_px=SIZE_PX
) -> tuple[int, list[str]]:
    """Compares the GPU's buffers with rays; returns the number of compared pixels and the differences in words.

    Only pixels are compared whose 8 neighbours have the same block and face by rays. A differing pixel is still right
    in these cases, because drivers snap vertices to a 256th of a pixel:
    1. A ray within a fiftieth of a pixel hits what was drawn: an edge passes through the pixel's middle.
    2. The drawn point lies behind the edge of a clear surface (``behind_an_edge``).
    3. The drawn side is seen edge-on (``on_a_sliver``), or it is the edge of a model or shared with another side.
    Behind a placeholder or a missing column terrain may or may not be drawn; if it is, it must be what rays through
    the placeholder hit.
    """
    behind = met(world, view, stops, looks, size_px, through=True)
    wanted = or_behind(met(world, view, stops, looks, size_px), behind)
    compared = alike_around(wanted.block, wanted.face) & (wanted.told | found.drawn | (behind.block == NOTHING))
    block, face = drawn_as(found)
    wrong = compared & ((block != wanted.block) | (face != wanted.face))
    some = compared & ~wrong & found.drawn
    wrong |= some & ~near(found.depth, np.where(some, wanted.depth, 0.0))
    wrong |= some & alike_around(wanted.cell) & (found.cell != wanted.cell).any(axis=2)
    some = compared & found.drawn
    before = found.cell[some] + np.where(from_inside(view, found)[some, None], 0, STEPS[found.face[some]])
    dark = found.light[some] != light_at(world, light, before)
    told = [f"{view}: light of {dark.sum()} pixels, first before {before[dark][0]}"] if dark.any() else []
    told += [f"{view}: {wrong.sum()} pixels differ"] if wrong.sum() > MOST_AT_EDGES else []
    for y, x in np.argwhere(wrong)[:MOST_AT_EDGES].tolist():
        fan = met(world, view, stops, looks, size_px, (x, y), through=not wanted.told[y, x])
        same = (fan.block == block[y, x]) & (fan.face == face[y, x])
        if face[y, x] != NOTHING:
            same &= near(found.depth[y, x], fan.depth) & (fan.cell == found.cell[y, x]).all(axis=-1)
        same_block = (fan.face == face[y, x]) & (fan.cell == found.cell[y, x]).all(axis=-1)
        if not (
            same.any()
            or behind_an_edge(world, view, found, (x, y), stops, looks, size_px)
            or on_a_sliver(world, view, found, (x, y), stops, looks, size_px, met_close_by=bool(same_block.any()))
            or at_an_edge_of_a_model(view, found, (x, y), fan.depth[same_block], size_px)
            or at_a_shared_edge(view, found, (x, y), float(wanted.depth[y, x]), size_px)
        ):
            drawn = f"block {block[y, x]} face {face[y, x]} cell {found.cell[y, x]} depth {found.depth[y, x]}"
            ray = f"{wanted.block[y, x]} {wanted.face[y, x]} {wanted.cell[y, x]} {wanted.depth[y, x]}"
            told.append(f"{view}: x {x} y {y}: drawn {drawn}, rays say {ray}")
    return int(compared.sum()), told


def behind_an_edge(
    world, view: View, found: SemanticSurfaces, pixel: tuple[int, int], stops, looks: Looks, size_px: tuple[int, int]
) -> bool:
    """Whether a ray within a fiftieth of a pixel hits the drawn face directly behind one clear surface."""
    x, y = pixel
    passed = Passed.room(FAN_SIDE * FAN_SIDE, 1)
    fan = met(world, view, stops, looks, size_px, pixel, passed=passed)
    same = (fan.block == found.dense[y, x]) & (fan.face == found.face[y, x])
    same &= (fan.cell == found.cell[y, x]).all(axis=-1) & near(found.depth[y, x], fan.depth)
    ends = near(passed.depths[:, 0], fan.depth.ravel()) & (passed.counts == 1)
    return bool(found.drawn[y, x] and (same & ends.reshape(same.shape)).any())


def on_a_sliver(
    world, view: View, found: SemanticSurfaces, pixel: tuple[int, int], stops, looks: Looks, size_px: tuple[int, int],
    met_close_by: bool,
) -> bool:  # fmt: skip
    """Whether the drawn side is seen edge-on, and the drawn point is no farther from it than its corners are moved.

    ``met_close_by``: whether rays within a fiftieth of a pixel hit that side, possibly at other depths.
    """
    to_side = way_to_side(view, found, pixel, size_px)
    if to_side is None or met_close_by:
        return to_side is not None
    deep = float(to_side @ np.array(Camera.of(view, size_px[0] / size_px[1]).forward))
    aimed = told_of(world, cast(world, tuple(view.eye), to_side[None] / deep, stops, 1000.0, looks), (1, 1))
    at = pixel[::-1]
    same = aimed.block[0, 0] == found.dense[at] and aimed.face[0, 0] == found.face[at]
    return bool(same and (aimed.cell[0, 0] == found.cell[at]).all())


def or_behind(ahead: Met, behind: Met) -> Met:
    """The hits of ``ahead``, and those of ``behind`` where a placeholder ended the ray."""
    fields = {name: getattr(ahead, name) for name in ("block", "face", "cell", "depth")}
    for name, field in fields.items():
        told = ahead.told.reshape(*ahead.told.shape, *[1] * (field.ndim - 2))
        fields[name] = np.where(told, field, getattr(behind, name))
    return Met(**fields, told=ahead.told)


def from_inside(view: View, found: SemanticSurfaces) -> npt.NDArray[np.bool_]:
    """bool[h, w]: where a liquid's surface is seen from below."""
    below: npt.NDArray[np.bool_] = (found.face == TOP_FACE) & (view.eye.y < found.cell[..., 1] + SURFACE)
    return below


def near(drawn, wanted):
    """Whether depths are equal within the rounding of a 24-bit depth buffer and 32-bit floats."""
    return np.abs(wanted - drawn) <= 1e-3 + 1e-4 * np.abs(drawn)
