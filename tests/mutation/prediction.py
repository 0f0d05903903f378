"""What rays see of a view, and what of that a defect changes: from store, light map and looks, without a GPU.

Rules:
1. *Plain* buffers are those of the first surface: block, face, cell, depth, light of the block before it.
2. A pixel may show more: what is behind clear surfaces, light of blocks around the one before a surface (pictures blend
   four), what lies behind a placeholder. Only where none of that changes either is a defect hidden.
3. Rays see the columns that are drawn, and no others. From an eye in no column, or in a placeholder, all is drawn that
   lies in front of it: then rays pass both.
   From elsewhere a placeholder obstructs, yet has no looks: what is drawn behind it depends on other ways there. So a
   ray passes it, and its pixel is *sure* only where it met none. A place that is dropped changes a pixel if its surface
   was seen there, not where rays go through its air.
   An eye whose near plane cuts into a wall sees all of that, too.
4. An eye in an opaque block sees caves from behind, and whatever is changed there: it is left out (``Oracle.blind``).

Ground: Blocks of a store by their place in the world, many at a time.

Light levels: A light map as it was, to say which blocks' light is another now.
"""

from typing import Any, Final, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.light.slots import FULL_DAYLIGHT, SHARED_SLOTS
from client.player import View
from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.store import Store
from net.arrays import LightValues, Places
from net.space import DIRECTIONS
from render.camera import Camera
from render.scene.frame.visible_meshes import is_in_wall
from tests.mutation.defects import Sight
from tests.oracle.cast import NONE_PASSED, Directions, Hits, Looks, Passed, cast, pixel_rays, stopped_by_surfaces
from tests.oracle.ray_kernels import CUBE, HOLE, SURFACE

# ---------------------------------------------------------------- ground

Blocks = npt.NDArray[np.int64]
"""[n, 3] x, y, z."""
REACH: Final = 1 << 20
"""Blocks from the origin that ``codes`` tells apart around any one place."""


class Ground(msgspec.Struct, frozen=True):
    """Where the rows of a store are. Valid until a column comes or goes."""

    world: Store  # the store
    rows: npt.NDArray[np.int32]  # int32[width, depth] row of each column from ``low`` on, 0 where there is none
    low: npt.NDArray[np.int64]  # x, z of the lowest column

    @classmethod
    def of(cls, world: Store) -> "Ground":
        """Of all columns that are announced."""
        rows = np.fromiter(world.row_of.values(), np.int32, len(world.row_of))
        columns = world.columns[rows].astype(np.int64)
        low = columns.min(axis=0)
        grid = np.zeros((columns.max(axis=0) - low + 1).tolist(), np.int32)
        grid[tuple((columns - low).T)] = rows
        return cls(world, grid, low)

    def positions(self, places: npt.NDArray[np.integer], cells: npt.NDArray[np.integer]) -> Blocks:
        """Where blocks are: places and indices in their sub-chunks to x, y, z."""
        rows, section = np.divmod(places.astype(np.int64), self.world.dimension.sections)
        index, corner = cells.astype(np.int64), self.world.columns[rows].astype(np.int64) * 16
        y = (section + self.world.dimension.floor_section) * 16 + (index & 15)
        return np.stack([corner[:, 0] + (index >> 8), y, corner[:, 1] + (index >> 4 & 15)], axis=1)

    def places(self, blocks: Blocks) -> tuple[Places, npt.NDArray[np.int64]]:
        """Place and index of each block; place 0 where there is no column, or above and below the dimension."""
        column = (blocks[:, [0, 2]] >> 4) - self.low
        section = (blocks[:, 1] >> 4) - self.world.dimension.floor_section
        inside = ((column >= 0) & (column < self.rows.shape)).all(axis=1)
        inside &= (section >= 0) & (section < self.world.dimension.sections)
        at = np.where(inside[:, None], column, 0)
        rows = np.where(inside, self.rows[at[:, 0], at[:, 1]], 0)
        places = np.where(rows > 0, rows * self.world.dimension.sections + section, 0).astype(np.int32)
        return places, (blocks[:, 0] & 15) << 8 | (blocks[:, 2] & 15) << 4 | blocks[:, 1] & 15

    def light(self, light: LightMap, blocks: Blocks) -> npt.NDArray[np.uint16]:
        """Packed light of each block; over the roof what the sky gives, dark where nothing is."""
        places, cells = self.places(blocks)
        found = np.where(places > 0, light.values[light.slots_of(places), cells], 0)
        roof = (self.world.dimension.floor_section + self.world.dimension.sections) * 16
        over = (blocks[:, 1] >= roof) & self.world.dimension.has_sky
        return np.where(over, FULL_DAYLIGHT, found).astype(np.uint16)


def codes(blocks: Blocks) -> npt.NDArray[np.int64]:
    """One number for each block, unlike for unlike ones within ``REACH`` blocks of each other."""
    x, y, z = (blocks & 2 * REACH - 1).T
    numbers: npt.NDArray[np.int64] = x << 42 | y << 21 | z
    return numbers


# ---------------------------------------------------------------- light levels


class LightLevels:
    """Levels of every announced sub-chunk at one moment: 8 KiB for each whose levels are not all one.

    Args:
        store: whose.
        light: only read.
    """

    def __init__(self, store: Store, light: LightMap) -> None:
        self._places: Places = store.places_of_rows(store.announced_rows)
        self._slots = light.slots_of(self._places).copy()
        used, self._row = np.unique(self._slots, return_inverse=True)
        self._values: LightValues = light.values[used].copy()

    def changed(self, light: LightMap, ground: Ground) -> Blocks:
        """Blocks whose light is another now: int64[n, 3]."""
        now = light.slots_of(self._places)
        cells: list[npt.NDArray[np.int64]] = []
        # Shared slots are never written; any other one may have been, or have been another's meanwhile.
        for index in np.flatnonzero((now != self._slots) | (now >= SHARED_SLOTS)).tolist():
            apart = np.flatnonzero(light.values[now[index]] != self._values[self._row[index]])
            if len(apart):
                cells.append(ground.positions(np.full(len(apart), self._places[index]), apart))
        return np.concatenate(cells) if cells else np.zeros((0, 3), np.int64)


# ---------------------------------------------------------------- prediction

Box = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Lowest and highest corner in blocks."""
Field = TypeVar("Field", Hits, Passed)

REACH_BLOCKS: Final = 1000.0
MOST_PASSED: Final = 12
LEAST_VISIBLE_PX: Final = 4
DEPTH_BLOCKS: Final = 1e-9
TOP_FACE: Final = 5
NO_FACE: Final = 6
STEPS: Final = np.array([*DIRECTIONS, (0, 0, 0)], np.int64)
"""What a face's number adds to a block to come to the one before it; nothing for a model, which has its own light."""
AROUND: Final = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)], np.int64)


class Seen(msgspec.Struct, frozen=True):
    """What rays see."""

    hits: Hits  # first surfaces, one entry a pixel; placeholders are passed
    sure: npt.NDArray[np.bool_]  # bool[n] where no placeholder was: these surfaces are drawn
    cells: Blocks  # int64[n, 3] their blocks; zeros where there is none
    light: npt.NDArray[np.uint16]  # uint16[n] of the blocks before them; 0 where there is none
    behind: Hits  # what ends rays that go through clear surfaces and placeholders
    passed: Passed  # clear surfaces on their way
    lit: npt.NDArray[np.int64]  # sorted codes of the blocks whose light any of these surfaces may take

    def plainly_unlike(self, other: "Seen") -> npt.NDArray[np.bool_]:
        """Pixels whose plain buffers differ, where one of both is sure: bool[n]."""
        unlike = _unlike(self.hits, other.hits) | (self.light != other.light)
        unlike &= self.hits.on_terrain | other.hits.on_terrain
        unlike &= self.sure | other.sure
        return np.asarray(unlike)

    def same_surfaces(self, other: "Seen") -> bool:
        """Whether no ray meets anything else, behind clear surfaces or placeholders either."""
        if _unlike(self.hits, other.hits).any() or _unlike(self.behind, other.behind).any():
            return False
        if not np.array_equal(self.sure, other.sure):
            return False
        mine, others = self.passed, other.passed
        if not np.array_equal(mine.counts, others.counts):
            return False
        filled = np.arange(MOST_PASSED) < mine.counts[:, None]
        apart = (mine.keys != others.keys) | (mine.ids != others.ids) | (mine.depths != others.depths)
        return not bool((apart & filled).any())


def _unlike(one: Hits, other: Hits) -> npt.NDArray[np.bool_]:
    """Rays that ended otherwise; where nothing was met, only how they ended counts."""
    unlike = (one.shown != other.shown) | (one.faces != other.faces) | (one.cells != other.cells)
    unlike |= (one.places != other.places) | (np.abs(one.distances - other.distances) > DEPTH_BLOCKS)
    unlike &= one.on_terrain | other.on_terrain
    return np.asarray(unlike | (one.ended != other.ended))


class Shown:
    """A store whose other columns are not there."""

    def __init__(self, store: Store, shown: npt.NDArray[np.bool_]) -> None:
        self._store = store
        self.row_of = {at: row for at, row in store.row_of.items() if shown[row]}

    def __getattr__(self, name: str) -> Any:  # Any: whatever the store has
        return getattr(self._store, name)


class Oracle:
    """Rays of one view of one store.

    Args:
        store: only read; no column may come or go while this is used.
        light: its light map, as the picture is lit.
        looks: of the store's blocks.
        view: where from.
        size_px: width and height.
        shown: bool[rows] whose columns are drawn.
    """

    def __init__(
        self,
        store: Store,
        light: LightMap,
        looks: Looks,
        view: View,
        size_px: tuple[int, int],
        shown: npt.NDArray[np.bool_],
    ) -> None:
        self._store, self._light, self._looks = Shown(store, shown), light, looks
        self._eye = (view.eye.x, view.eye.y, view.eye.z)
        camera = Camera.of(view, size_px[0] / size_px[1])
        self._nearest_blocks = camera.near_blocks
        self._rays = pixel_rays(camera, *size_px)
        self._stops = stopped_by_surfaces(store.table.first)
        self._open = np.where(self._stops == HOLE, 0, self._stops).astype(np.uint8)
        self.ground = Ground.of(store)
        place, cell = self.ground.places(np.floor(np.array([self._eye])).astype(np.int64))
        slot = (
            int(store.slot[place[0]]) if place[0] and shown[place[0] // store.dimension.sections] else PLACEHOLDER_SLOT
        )
        unknown = slot == PLACEHOLDER_SLOT
        self._anywhere = unknown or is_in_wall(store, self._eye, camera.cut_off_blocks)
        self.blind = not unknown and int(self._stops[store.pools.blocks[slot, cell[0]]]) == CUBE

    def see(self) -> Seen:
        """What is to be seen now."""
        hits, sure, behind, passed = self._cast(self._rays)
        cells, before = self._blocks(hits)
        filled = np.arange(MOST_PASSED) < passed.counts[:, None]
        keys = np.unique(passed.keys[filled])
        through = self._before(self.ground.positions(keys >> 15, keys >> 3 & 4095), keys & 7)
        last = self._blocks(behind)[1][behind.on_terrain]
        lit = np.unique(codes(np.concatenate([before[hits.on_terrain], last, through])))
        return Seen(hits, sure, cells, self._lights(hits, before), behind, passed, lit)

    def see_again(self, seen: Seen, box: Box | None) -> Seen:
        """What is to be seen now that blocks in a box are others, and any light: no ray elsewhere is cast again.

        ``lit`` stays what it was.
        """
        hits, sure, behind, passed = seen.hits, seen.sure, seen.behind, seen.passed
        if box is not None:
            again = np.flatnonzero(self._through(box))
            first, plain, last, clear = self._cast(self._rays[again])
            hits, behind = _replaced(hits, again, first), _replaced(behind, again, last)
            passed, sure = _replaced(passed, again, clear), sure.copy()
            sure[again] = plain
        cells, before = self._blocks(hits)
        return Seen(hits, sure, cells, self._lights(hits, before), behind, passed, seen.lit)

    def _cast(self, rays: Directions) -> tuple[Hits, npt.NDArray[np.bool_], Hits, Passed]:
        first = self._open if self._anywhere else self._stops
        hits = self._cast_once(rays, first, self._anywhere)
        sure = ~hits.in_holes
        beyond = np.flatnonzero(~sure)
        hits = _replaced(hits, beyond, self._cast_once(rays[beyond], self._open, True))
        passed = Passed.room(len(rays), MOST_PASSED)
        behind = self._cast_once(rays, self._open, True, passed)
        return hits, sure, behind, passed

    def _cast_once(
        self, rays: Directions, stops: npt.NDArray[np.uint8], through: bool, passed: Passed = NONE_PASSED
    ) -> Hits:
        """Rays as the camera's near plane cuts them off."""
        return cast(
            self._store, self._eye, rays, stops, REACH_BLOCKS, self._looks, through, passed, self._nearest_blocks
        )

    def _through(self, box: Box) -> npt.NDArray[np.bool_]:
        """Which rays go through a box, or along its sides."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (np.array(box, np.float64)[:, None] - self._eye) / self._rays
        near, far = np.fmin(*ends).max(axis=1), np.fmax(*ends).min(axis=1)
        return np.asarray((far >= 0) & (near <= far * (1 + 1e-9)))

    def _lights(self, hits: Hits, before: Blocks) -> npt.NDArray[np.uint16]:
        light = np.zeros(len(before), np.uint16)
        light[hits.on_terrain] = self.ground.light(self._light, before[hits.on_terrain])
        return light

    def _blocks(self, hits: Hits) -> tuple[Blocks, Blocks]:
        """The block of each hit, and the one before it."""
        cells = np.where(hits.on_terrain[:, None], self.ground.positions(hits.places, hits.cells), 0)
        return cells, self._before(cells, hits.faces.astype(np.int64))

    def _before(self, cells: Blocks, faces: npt.NDArray[np.int64]) -> Blocks:
        from_inside = (faces == TOP_FACE) & (self._eye[1] < cells[:, 1] + SURFACE)
        return cells + STEPS[np.where(from_inside, NO_FACE, faces)]


def _replaced(old: Field, rows: npt.NDArray[np.int64], new: Field) -> Field:
    """Arrays with other rows at some places."""
    arrays = {}
    for name in old.__struct_fields__:
        array = getattr(old, name).copy()
        array[rows] = getattr(new, name)
        arrays[name] = array
    return type(old)(**arrays)


def judge_sight(before: Seen, after: Seen, relit: Blocks) -> tuple[Sight, int]:
    """How a defect is to be seen, and in how many pixels the plain buffers change.

    Args:
        before: without it.
        after: with it.
        relit: blocks whose light it changed.
    """
    pixels = int(before.plainly_unlike(after).sum())
    if pixels >= LEAST_VISIBLE_PX:
        return Sight.VISIBLE, pixels
    hidden = not pixels and before.same_surfaces(after) and not touches(before.lit, relit)
    return Sight.HIDDEN if hidden else Sight.SLIGHT, pixels


def touches(lit: npt.NDArray[np.int64], relit: Blocks) -> bool:
    """Whether one of some blocks, or one around it, is among those whose light is seen."""
    if not len(relit):
        return False
    around = np.unique(codes((relit[:, None] + AROUND).reshape(-1, 3)))
    return bool(np.isin(around, lit, assume_unique=True).any())
