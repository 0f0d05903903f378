"""The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget.

Rules:
1. A place is marked, never a value: what goes up is what the store and the light map show at that moment.
2. Uniform sub-chunks cost an entry of the page table and go first; bricks follow, nearest first, within the budget.
3. Light goes before block ids: the picture needs it, overlays need the other.
4. Where light is made on the GPU (``twin_lighting``), block ids are there wherever light is, and as long; no light is
   ever marked as behind, since the twin reads block ids alone.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, FULL_DAYLIGHT
from net.space.layout import LightValues, Places, Slots
from render.gpu.atlas import BRICK_BYTES
from render.gpu.device import Gpu, Unit
from render.gpu.paged import PagedStats, PagedVolume
from render.scene.grid import Grid
from render.scene.twin_lighting import TwinLighting
from render.scene.world import World

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


@dataclass(frozen=True, slots=True)
class MirrorStats:
    """A snapshot: both volumes, and places whose copy is behind."""

    blocks: PagedStats
    light: PagedStats
    blocks_behind: int
    light_behind: int


class Mirror:
    """Both volumes of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, first_bricks: int, twin_columns: int | None = None) -> None:
        """Two empty volumes.

        Args:
            gpu: the context.
            first_bricks: bricks each starts with.
            twin_columns: changed columns that the twin lights in one step; None where light is made on the CPU.
        """
        self.blocks = PagedVolume(gpu, "block ids", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), first_bricks=first_bricks)
        self.light = PagedVolume(gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), first_bricks=first_bricks)
        self.twin = None if twin_columns is None else TwinLighting(gpu, self.blocks, self.light, twin_columns)
        self.blocks_behind: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.light_behind: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def fit(self, world: World) -> None:
        """Makes room for a store that has grown."""
        if self.twin is not None:
            self.twin.fit(world)
        more = len(world.slot) - len(self.blocks_behind)
        if more > 0:
            self.blocks_behind = np.append(self.blocks_behind, np.zeros(more, np.bool_))
            self.light_behind = np.append(self.light_behind, np.zeros(more, np.bool_))

    def remove_blocks(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """Forgets block ids of sub-chunks that went, present or not."""
        if self.twin is not None:
            return  # they go with their light
        self.blocks.remove(positions)
        self.blocks_behind[places] = False

    def remove_light(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """The same for light."""
        self.light.remove(positions)
        self.light_behind[places] = False
        if self.twin is not None:
            self.blocks.remove(positions)
            self.blocks_behind[places] = False
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
        self.blocks.clear()
        self.light.clear()
        self.blocks_behind[:] = self.light_behind[:] = False

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
        shared = (slots == DARK_SLOT) | (slots == DAYLIGHT_SLOT)
        values = np.where(slots == DAYLIGHT_SLOT, FULL_DAYLIGHT, 0).astype(np.uint32)
        uniform = places[shared]
        self.light.set_uniform(grid.positions_of(uniform, world.columns), values[shared])
        rest = _within(places[~shared], budget_bytes)
        self.light.set_bricks(grid.positions_of(rest, world.columns), light.values, light.slots_of(rest))
        self.light_behind[uniform] = self.light_behind[rest] = False
        return len(rest) * BRICK_BYTES

    def upload_blocks(
        self, world: World, grid: Grid, places: Places, budget_bytes: int | None, edits: Edits | None = None
    ) -> int:
        """The same for block ids; ``edits``: single blocks that are all that changed in those not marked as behind."""
        slots = world.slot[places]
        pools = world.pools
        shared = np.fromiter((pools.is_shared(slot) for slot in slots.tolist()), np.bool_, len(slots))
        uniform = places[shared]
        values = pools.blocks[slots[shared], 0]
        self.blocks.set_uniform(grid.positions_of(uniform, world.columns), values)
        rest = _within(places[~shared], budget_bytes)
        self.blocks.set_bricks(grid.positions_of(rest, world.columns), pools.blocks, world.slot[rest])
        if self.twin is not None:
            self._tell_twin(self.twin, np.concatenate([uniform, rest]), edits)
        self.blocks_behind[uniform] = self.blocks_behind[rest] = False
        return len(rest) * BRICK_BYTES

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


def _within(places: Places, budget_bytes: int | None) -> Places:
    return places if budget_bytes is None else places[: max(budget_bytes, 0) // BRICK_BYTES]
