"""The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget.

Rules:
1. A place is marked, never a value: what goes up is what the store and the light map show at that moment.
2. Uniform sub-chunks cost an entry of the page table and go first; bricks follow, nearest first, within the budget.
3. Light goes before block ids: the picture needs it, overlays need the other.
4. Where light is made on the GPU (``twin_lighting``), block ids are there wherever light is, and as long; no light is
   ever marked as behind, since the twin reads block ids alone. A budget does not hold there: it needs all of them.
5. Both volumes have half of the budget each. Places whose bricks find no room are left out (``holding``): shaders read
   no value there, and no cell that would take light from them is drawn (``lit_wholly``).
"""

from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, FULL_DAYLIGHT
from net.frozen import frozen
from net.space.layout import LightValues, Places, Slots
from render.gpu.atlas import BRICK_BYTES
from render.gpu.device import Gpu, Unit
from render.gpu.paged import PagedVolume
from render.gpu.paged_content import PagedStats
from render.scene.grid import CellIndices, Grid
from render.scene.holding import LOG, Holding
from render.scene.recency import Recency
from render.scene.twin_lighting import TwinLighting
from render.scene.world import World

MOST_BRICKS: Final = 131_072
LEAST_BUDGET_BYTES: Final = 2 * 256 * BRICK_BYTES
"""A layer of bricks for each volume."""

Edits = tuple[Places, npt.NDArray[np.uint16]]
"""Place and index there of single changed blocks, [n] each."""


class Light(Protocol):
    """The light map as the mirror sees it."""

    def slots_of(self, places: Places) -> Slots:
        """[n] the light slot each place shows."""
        ...

    @property
    def values(self) -> LightValues:
        """[slots, 4096]."""
        ...


@frozen
class MirrorStats:
    """A snapshot: both volumes, and places whose copy is behind."""

    blocks: PagedStats
    light: PagedStats
    blocks_behind: int
    light_behind: int


class Mirror:
    """Both volumes of one scene. Owner thread only."""

    def __init__(
        self, gpu: Gpu, first_bricks: int, twin_columns: int | None = None, budget_bytes: int | None = None
    ) -> None:
        """Two empty volumes.

        Args:
            gpu: the context.
            first_bricks: bricks each starts with.
            twin_columns: changed columns that the twin lights in one step; None where light is made on the CPU.
            budget_bytes: what bricks of both may take, at least ``LEAST_BUDGET_BYTES``; None: what the driver bears.
        """
        limit = limit_bricks(budget_bytes if twin_columns is None else None)
        self.blocks = PagedVolume(
            gpu, "block ids", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), first_bricks=first_bricks, limit_bricks=limit
        )
        self.light = PagedVolume(
            gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), first_bricks=first_bricks, limit_bricks=limit
        )
        self.twin = None if twin_columns is None else TwinLighting(gpu, self.blocks, self.light, twin_columns)
        self.of_blocks = Holding(self.blocks, "block ids")
        self.of_light = Holding(self.light, "light")
        self._recency = Recency()

    @property
    def blocks_behind(self) -> npt.NDArray[np.bool_]:
        """bool[places] whose block ids are older than the store's; written by who knows."""
        return self.of_blocks.behind

    @property
    def light_behind(self) -> npt.NDArray[np.bool_]:
        """The same of light."""
        return self.of_light.behind

    @property
    def left_out(self) -> npt.NDArray[np.bool_]:
        """bool[places] without room for their light or block ids."""
        return self.of_light.left_out | self.of_blocks.left_out

    def fit(self, world: World) -> None:
        """Makes room for a store that has grown."""
        if self.twin is not None:
            self.twin.fit(world)
        for part in (self.of_blocks, self.of_light, self._recency):
            part.fit(len(world.slot))

    def remove_blocks(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """Forgets block ids of sub-chunks that went, present or not."""
        if self.twin is not None:
            return  # they go with their light
        self.of_blocks.remove(places, positions)

    def remove_light(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """The same for light."""
        self.of_light.remove(places, positions)
        if self.twin is not None:
            self.of_blocks.remove(places, positions)
            self.twin.left(places)

    def want_blocks(self, places: npt.NDArray[np.integer[Any]]) -> None:
        """Says that meshes come here, so block ids should, too."""
        if self.twin is None:
            self.blocks_behind[places] = True

    def want_light(self, places: npt.NDArray[np.integer[Any]]) -> None:
        """Says that the light of places is not there, or not right."""
        (self.light_behind if self.twin is None else self.blocks_behind)[places] = True

    def restart(self, world: World) -> None:
        """Forgets everything, for this store."""
        self.clear()
        if self.twin is not None:
            self.twin.restart(world)

    def clear(self) -> None:
        """Forgets everything."""
        for part in (self.of_blocks, self.of_light, self._recency):
            part.clear()

    def saw(self, places: Places) -> None:
        """Tells what the frame's walk reached."""
        self._recency.saw(places)

    def admit(self, world: World, light: Light, grid: Grid, eye: tuple[float, float, float]) -> None:
        """Gives room to those seen last where there is too little for all; before uploads."""
        if self.twin is not None:
            return
        for part in (self.of_light, self.of_blocks):
            if part.tight:
                needs = np.zeros(len(part.behind), np.bool_)
                behind = np.flatnonzero(part.behind).astype(np.int32)
                lit = part is self.of_light
                needs[behind] = ~(_shared_light(light.slots_of(behind)) if lit else _shared(world, behind))
                part.admit(world, grid, eye, self._recency, needs)

    @property
    def leaves_light_out(self) -> bool:
        """Whether there is light that found no room."""
        return bool(self.of_light.left_out.any())

    def lit_wholly(self, world: World, grid: Grid, cells: CellIndices) -> npt.NDArray[np.bool_]:
        """Which cells have all the light their faces may take."""
        if not self.of_light.left_out.any():
            return np.ones(len(cells), np.bool_)
        missing = self.of_light.left_out[grid.neighbourhoods(cells, world.column_neighbours)]
        answer: npt.NDArray[np.bool_] = np.logical_not(missing.any(axis=1))
        return answer

    def upload_light(self, world: World, light: Light, grid: Grid, places: Places, budget_bytes: int | None) -> int:
        """Brings the light of marked places up to date; gives the bytes of bricks sent.

        Args:
            world: the store.
            light: its light map.
            grid: numbering of the dimension.
            places: marked places in the order they are wanted.
            budget_bytes: bricks beyond it wait; None for no limit.
        """
        slots = light.slots_of(places)
        shared = _shared_light(slots)
        values = np.where(slots == DAYLIGHT_SLOT, FULL_DAYLIGHT, 0).astype(np.uint32)
        uniform = places[shared]
        self.of_light.put_uniform(uniform, grid.positions_of(uniform, world.columns), values[shared])
        rest = _within(places[~shared], budget_bytes)
        at = grid.positions_of(rest, world.columns)
        shown = self.of_light.put_bricks(rest, at, light.values, light.slots_of(rest))
        return int(shown.sum()) * BRICK_BYTES

    def upload_blocks(
        self, world: World, grid: Grid, places: Places, budget_bytes: int | None, edits: Edits | None = None
    ) -> int:
        """The same for block ids; ``edits``: single blocks that are all that changed in those not marked as behind."""
        shared = _shared(world, places)
        uniform, rest = places[shared], _within(places[~shared], budget_bytes)
        if self.twin is not None:
            self._tell_twin(self.twin, np.concatenate([uniform, rest]), edits)
        values = world.pools.blocks[world.slot[uniform], 0]
        self.of_blocks.put_uniform(uniform, grid.positions_of(uniform, world.columns), values)
        at = grid.positions_of(rest, world.columns)
        shown = self.of_blocks.put_bricks(rest, at, world.pools.blocks, world.slot[rest])
        return int(shown.sum()) * BRICK_BYTES

    def _tell_twin(self, twin: TwinLighting, sent: Places, edits: Edits | None) -> None:
        if edits is None:
            twin.written(sent)
            return
        single = sent[~self.blocks_behind[sent]]
        twin.written(sent[self.blocks_behind[sent]])
        mine = np.isin(edits[0], single)
        twin.edited(edits[0][mine], edits[1][mine])

    def flush(self) -> None:
        """Gives memory back where there is too much, and publishes both page tables."""
        for volume in (self.blocks, self.light):
            volume.shrink()
            volume.flush()

    def bind(self) -> None:
        """Binds both volumes."""
        self.blocks.bind()
        self.light.bind()

    def stats(self) -> MirrorStats:
        """A snapshot."""
        behind = int(self.blocks_behind.sum()), int(self.light_behind.sum())
        return MirrorStats(self.blocks.stats(), self.light.stats(), *behind)

    def release(self) -> None:
        """Frees the GL objects."""
        if self.twin is not None:
            self.twin.release()
        self.blocks.release()
        self.light.release()


def limit_bricks(budget_bytes: int | None) -> int:
    """Bricks each volume may have in a budget; says where it is less than the least."""
    if budget_bytes is None:
        return MOST_BRICKS
    if budget_bytes < LEAST_BUDGET_BYTES:
        LOG.warning(
            "a GPU budget of %.2f MiB is too small: %.0f MiB is the least (one layer of bricks for block ids, one for "
            "light), and is taken; what finds no room is not drawn",
            budget_bytes / (1 << 20), LEAST_BUDGET_BYTES / (1 << 20),
        )  # fmt: skip
    return max(budget_bytes, LEAST_BUDGET_BYTES) // 2 // BRICK_BYTES


def _shared(world: World, places: Places) -> npt.NDArray[np.bool_]:
    """Which places show one block everywhere."""
    shared: npt.NDArray[np.bool_] = ~world.pools.are_own(world.slot[places])
    return shared


def _shared_light(slots: Slots) -> npt.NDArray[np.bool_]:
    answer: npt.NDArray[np.bool_] = (slots == DARK_SLOT) | (slots == DAYLIGHT_SLOT)
    return answer


def _within(places: Places, budget_bytes: int | None) -> Places:
    return places if budget_bytes is None else places[: max(budget_bytes, 0) // BRICK_BYTES]
