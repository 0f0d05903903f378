"""The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget.

Rules:
1. Marks hold places, never values: an upload takes the current content of the store and the light map.
2. Uniform sub-chunks need only an entry of the page table and go first; bricks follow, nearest first, within the
   budget. Light goes before block ids: the picture needs light, overlays need block ids.
3. If light is made on the GPU (``gpu_lighting``), block ids are there wherever light is, and as long; light is never
   marked as behind. A budget is not possible then: the GPU needs all block ids.
4. Both volumes have half of the budget each. A place has a brick, or one value, or is left out (``LEFT_OUT``): shaders
   read no value there, and no cell that would take light from it is drawn (``lit_wholly``). Nothing raises for lack of
   room: what does not fit is behind until the next ``admit``.
5. The places with the highest rank get bricks; ``admit`` selects them, before uploads. Places that the last walk
   reached rank before those of earlier walks, and these before unreached ones; equal ranks go by distance, then by
   place. A visible cell needs the light of all 36 places its mesh reads (``grid.neighbourhoods``). Ranks do not change
   while the camera stands still.
6. If the page table cannot grow, some places have no entry (``refused``): they count as left out, and are behind again
   when others are removed.
"""

import logging
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, FULL_DAYLIGHT
from client.world.slots import longer
from client.world.store import Store
from net.arrays import I32, I64, U16, BlockIds, Bools, Places, Slots, SubChunkPositions
from render.camera import Vector
from render.errors import OutOfPages
from render.gpu.brick_volume import BRICK_BYTES, PagedVolume
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.page_table import PagedStats
from render.scene.gpu_copy.gpu_lighting import GpuLighting
from render.scene.grid import CellIndices, Grid

REACH_SECTIONS = 2
"""Sub-chunks above or below a place from which a cell with it may take light: its other half, and one more."""


class Recency:
    """The walk in which each place was seen last. Owner thread only."""

    def __init__(self) -> None:
        self.walk = 0  # number of the last walk that saw other places
        self._last: I64 = np.zeros(0, np.int64)
        self._seen: Places = np.zeros(0, np.int32)
        self._same: Places | None = None  # the last array, so that a still camera compares no arrays

    def resize(self, places: int) -> None:
        self._last = longer(self._last, places)

    def clear(self) -> None:
        """Resets all: places have other numbers now."""
        self._last[:] = 0
        self._seen, self._same = np.zeros(0, np.int32), None

    def saw(self, places: Places) -> None:
        """Records the places that a walk reached; do not change the array afterwards."""
        if places is self._same or np.array_equal(places, self._seen):
            self._same = places
            return
        self.walk += 1
        self._same, self._seen = places, places.copy()
        self._last[places] = self.walk

    def best(self, world: Store, eye: Vector, places: I64, count: int) -> I64:
        """The ``count`` places of some that rank highest."""
        offset = world.positions_of(places) * 16.0 + 8.0 - np.array(eye)
        order = np.lexsort((places, (offset * offset).sum(axis=1), -self._needed(world)[places]))
        return places[order[:count]]

    def _needed(self, world: Store) -> I64:
        """int64[places] the last walk in which a cell was seen that reads each place."""
        rows, sections = len(world.columns), world.dimension.sections
        own = self._last[: rows * sections].reshape(rows, sections)
        across: I64 = own[world.column_neighbours[:rows]].max(axis=1)
        needed = across.copy()
        for step in range(1, REACH_SECTIONS + 1):
            needed[:, step:] = np.maximum(needed[:, step:], across[:, :-step])
            needed[:, :-step] = np.maximum(needed[:, :-step], across[:, step:])
        return needed.reshape(-1)


LOG: Final = logging.getLogger("chunkscope.scene")

Marks = Bools


BLOCK_IDS: Final = "block ids"
LIGHT: Final = "light"


class BrickResidency:
    """The copy of one kind of values: which places are on the GPU, behind, or left out. Owner thread only."""

    def __init__(self, volume: PagedVolume, what: str) -> None:
        self.volume = volume  # the values on the GPU
        self.what = what  # their kind, in words
        self.behind: Marks = np.zeros(0, np.bool_)  # bool[places] whose copy is older than the store's
        self.bricked: Marks = np.zeros(0, np.bool_)  # bool[places] that have a brick
        self.left_out: Marks = np.zeros(0, np.bool_)  # bool[places] without room for their brick
        self.refused: Marks = np.zeros(0, np.bool_)  # bool[places] of these, those without an entry in the page table
        self._ranked: tuple[Any, ...] | None = None
        self._reported = False

    def resize(self, places: int) -> None:
        self.behind, self.bricked, self.left_out, self.refused = (longer(marks, places) for marks in self._marks)

    def remove(self, places: Places, positions: SubChunkPositions) -> None:
        self.volume.remove(positions)
        for marks in self._marks:
            marks[places] = False
        if self.refused.any():
            self.behind |= self.refused
            self.left_out &= ~self.refused
            self.refused[:] = False

    def clear(self) -> None:
        self.volume.clear()
        for marks in self._marks:
            marks[:] = False
        self._ranked = None

    def put_uniform(self, places: Places, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Sets places to one value each, as far as there are entries."""
        placed = self._place(places, positions)
        self.volume.set_uniform(positions[placed], values[placed])
        for marks in self._marks:
            marks[places[placed]] = False

    def put_bricks(self, places: Places, positions: SubChunkPositions, pool: BlockIds, slots: Slots) -> Marks:
        """Uploads rows of a pool, as far as there is room; bool[n] which are on the GPU now, the others are behind."""
        placed = self._place(places, positions)
        while True:
            shown = self._fitting(places, placed)
            try:
                self.volume.set_bricks(positions[shown], pool, slots[shown])
            except OutOfPages as full:  # the driver has less memory than allowed: the limit is lower now
                LOG.warning("%s", full)
                continue
            break
        self.behind[places] = ~shown & placed
        self.bricked[places[shown]] = True
        self.left_out[places] = ~placed
        return shown

    @property
    def tight(self) -> bool:
        """Whether there may be too little room for the places that are behind."""
        if not (self.behind.any() or self.left_out.any()):
            return False
        wanted = np.count_nonzero(self.behind | self.bricked | self.left_out)
        return bool(wanted > self.volume.limit or self.left_out.any())

    def admit(self, world: Store, eye: Vector, recency: Recency, needs: Marks) -> None:
        """Gives room to the places of highest rank, only if it is ``tight``. ``needs``: no uniform ones."""
        wanted = (self.behind & needs) | (self.left_out & ~self.refused) | self.bricked
        count = int(np.count_nonzero(wanted))
        moment = (recency.walk, tuple(int(axis) >> 4 for axis in eye), count, self.volume.limit)
        if self._ranked == moment and not (self.behind & needs & ~self.bricked).any():
            return
        self._ranked = moment
        kept = np.zeros(len(wanted), np.bool_)
        kept[recency.best(world, eye, np.flatnonzero(wanted), self.volume.limit)] = True
        lost = wanted & ~kept
        fresh = np.flatnonzero(lost & ~self.left_out).astype(np.int32)
        at = world.positions_of(fresh)
        self.volume.leave_out(at[self._place(fresh, at)])
        self.behind = (self.behind & ~(lost & needs)) | (self.left_out & kept)
        self.bricked &= kept
        self.left_out = lost | self.refused
        self._tell(count, int(lost.sum()))

    @property
    def _marks(self) -> tuple[Marks, Marks, Marks, Marks]:
        return self.behind, self.bricked, self.left_out, self.refused

    def _place(self, places: Places, positions: SubChunkPositions) -> Marks:
        """bool[n] which have an entry; the others are marked as refused."""
        placed = self.volume.place(positions)
        lost = places[~placed]
        self.refused[places] = ~placed
        self.left_out[lost] = True
        self.behind[lost] = False
        return placed

    def _fitting(self, places: Places, placed: Marks) -> Marks:
        fresh = ~self.bricked[places] & placed
        space = self.volume.limit - int(np.count_nonzero(self.bricked))
        return placed & (~fresh | (np.cumsum(fresh) <= space))

    def _tell(self, wanted: int, out: int) -> None:
        if out and not self._reported:
            LOG.warning(
                "%s of %d of %d sub-chunks do not fit into the GPU's budget of %d: the most recently visible "
"ones are kept",
                self.what, out, wanted, self.volume.limit,
            )  # fmt: skip
        self._reported = out > 0


# ---------------------------------------------------------------- mirror

MOST_BRICKS: Final = 131_072
LEAST_BUDGET_BYTES: Final = 2 * 256 * BRICK_BYTES
"""A layer of bricks for each volume."""

Edits = tuple[Places, U16]
"""Place and index in it of single changed blocks, [n] each."""


class GpuVolumeStats(msgspec.Struct, frozen=True):
    """Figures at one moment: both volumes, and places whose copy is behind."""

    blocks: PagedStats
    light: PagedStats
    blocks_behind: int
    light_behind: int


class GpuVolumes(GlOwner):
    """Both volumes of one scene. Owner thread only."""

    def __init__(
        self, gpu: Gpu, first_bricks: int, twin_columns: int | None = None, budget_bytes: int | None = None
    ) -> None:
        """Makes two empty volumes.

        ``twin_columns``: changed columns that the GPU lights in one step; None: light is made on the CPU.
        ``budget_bytes``: limit for the bricks of both, at least ``LEAST_BUDGET_BYTES``; None: the driver's limit.
        """
        super().__init__(gpu)
        limit = limit_bricks(budget_bytes if twin_columns is None else None)
        self.blocks, self.light = (
            self._own(PagedVolume(gpu, what, units, first_bricks=first_bricks, limit_bricks=limit))
            for what, units in (
                (BLOCK_IDS, (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE)),
                (LIGHT, (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE)),
            )
        )
        self.twin: GpuLighting | None = None
        if twin_columns is not None:
            self.twin = self._own(GpuLighting(gpu, self.blocks, self.light, twin_columns))
        self.of_blocks = BrickResidency(self.blocks, BLOCK_IDS)
        self.of_light = BrickResidency(self.light, LIGHT)
        self._recency = Recency()

    @property
    def blocks_behind(self) -> Bools:
        """bool[places] whose block ids are older than the store's; callers write to it."""
        return self.of_blocks.behind

    @property
    def light_behind(self) -> Bools:
        return self.of_light.behind

    @property
    def left_out(self) -> Bools:
        """bool[places] without room for their light or block ids."""
        return self.of_light.left_out | self.of_blocks.left_out

    def resize(self, world: Store) -> None:
        if self.twin is not None:
            self.twin.resize(world)
        for part in (self.of_blocks, self.of_light, self._recency):
            part.resize(len(world.slot))

    def remove_blocks(self, places: Places, positions: I32) -> None:
        if self.twin is not None:
            return  # they are removed with their light
        self.of_blocks.remove(places, positions)

    def remove_light(self, places: Places, positions: I32) -> None:
        self.of_light.remove(places, positions)
        if self.twin is not None:
            self.of_blocks.remove(places, positions)
            self.twin.left(places)

    def want_blocks(self, places: npt.NDArray[np.integer[Any]]) -> None:
        """Marks block ids of places where meshes will be."""
        if self.twin is None:
            self.blocks_behind[places] = True

    def want_light(self, places: npt.NDArray[np.integer[Any]]) -> None:
        """Marks places whose light is missing or outdated."""
        (self.light_behind if self.twin is None else self.blocks_behind)[places] = True

    def restart(self, world: Store) -> None:
        """Removes everything, and starts with this store."""
        for part in (self.of_blocks, self.of_light, self._recency):
            part.clear()
        if self.twin is not None:
            self.twin.restart(world)

    def saw(self, places: Places) -> None:
        self._recency.saw(places)

    def admit(self, world: Store, light: LightMap, eye: Vector) -> None:
        """Gives room to the places seen last if there is too little for all; call it before uploads."""
        if self.twin is not None:
            return
        for part in (self.of_light, self.of_blocks):
            if part.tight:
                needs = np.zeros(len(part.behind), np.bool_)
                behind = np.flatnonzero(part.behind).astype(np.int32)
                lit = part is self.of_light
                needs[behind] = ~(_shared_light(light.slots_of(behind)) if lit else _shared(world, behind))
                part.admit(world, eye, self._recency, needs)

    @property
    def leaves_light_out(self) -> bool:
        return bool(self.of_light.left_out.any())

    def lit_wholly(self, world: Store, grid: Grid, cells: CellIndices) -> Bools:
        """Which cells have all the light that their faces may take."""
        if not self.of_light.left_out.any():
            return np.ones(len(cells), np.bool_)
        missing = self.of_light.left_out[grid.neighbourhoods(cells, world.column_neighbours)]
        return np.logical_not(missing.any(axis=1))

    def upload_light(self, world: Store, light: LightMap, places: Places, budget_bytes: int | None) -> int:
        """Uploads the light of marked places, in that order, within a budget; returns the bytes sent."""
        slots = light.slots_of(places)
        shared = _shared_light(slots)
        values = np.where(slots == DAYLIGHT_SLOT, FULL_DAYLIGHT, 0).astype(np.uint32)
        uniform = places[shared]
        self.of_light.put_uniform(uniform, world.positions_of(uniform), values[shared])
        rest = _within(places[~shared], budget_bytes)
        at = world.positions_of(rest)
        shown = self.of_light.put_bricks(rest, at, light.values, light.slots_of(rest))
        return int(shown.sum()) * BRICK_BYTES

    def upload_blocks(self, world: Store, places: Places, budget_bytes: int | None, edits: Edits | None = None) -> int:
        """The same for block ids; ``edits``: single blocks, the only changes in places not marked as behind."""
        shared = _shared(world, places)
        uniform, rest = places[shared], _within(places[~shared], budget_bytes)
        if self.twin is not None:
            self._tell_twin(self.twin, np.concatenate([uniform, rest]), edits)
        values = world.pools.blocks[world.slot[uniform], 0]
        self.of_blocks.put_uniform(uniform, world.positions_of(uniform), values)
        at = world.positions_of(rest)
        shown = self.of_blocks.put_bricks(rest, at, world.pools.blocks, world.slot[rest])
        return int(shown.sum()) * BRICK_BYTES

    def _tell_twin(self, twin: GpuLighting, sent: Places, edits: Edits | None) -> None:
        if edits is None:
            twin.written(sent)
            return
        single = sent[~self.blocks_behind[sent]]
        twin.written(sent[self.blocks_behind[sent]])
        mine = np.isin(edits[0], single)
        twin.edited(edits[0][mine], edits[1][mine])

    def flush(self) -> None:
        """Frees memory that is not needed, and publishes both page tables."""
        for volume in (self.blocks, self.light):
            volume.shrink()
            volume.flush()

    def bind(self) -> None:
        self.blocks.bind()
        self.light.bind()

    def stats(self) -> GpuVolumeStats:
        behind = int(self.blocks_behind.sum()), int(self.light_behind.sum())
        return GpuVolumeStats(self.blocks.stats(), self.light.stats(), *behind)


def limit_bricks(budget_bytes: int | None) -> int:
    """Bricks each volume may have in a budget; logs it if the budget is less than the least."""
    if budget_bytes is None:
        return MOST_BRICKS
    if budget_bytes < LEAST_BUDGET_BYTES:
        LOG.warning(
            "a GPU budget of %.2f MiB is too small: the minimum is %.0f MiB (one layer of bricks for block "
"ids, one for light) and is used; sub-chunks that do not fit are not drawn",
            budget_bytes / (1 << 20), LEAST_BUDGET_BYTES / (1 << 20),
        )  # fmt: skip
    return max(budget_bytes, LEAST_BUDGET_BYTES) // 2 // BRICK_BYTES


def _shared(world: Store, places: Places) -> Bools:
    """Which places show one block everywhere."""
    return ~world.pools.are_own(world.slot[places])


def _shared_light(slots: Slots) -> Bools:
    return (slots == DARK_SLOT) | (slots == DAYLIGHT_SLOT)


def _within(places: Places, budget_bytes: int | None) -> Places:
    return places if budget_bytes is None else places[: max(budget_bytes, 0) // BRICK_BYTES]
