"""The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget.

Rules:
1. A place is marked, never a value: what goes up is what the store and the light map show at that moment.
2. Uniform sub-chunks cost an entry of the page table and go first; bricks follow, nearest first, within the budget.
3. Light goes before block ids: the picture needs it, overlays need the other.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, FULL_DAYLIGHT
from net.space.layout import LightValues, Places, Slots
from render.gpu.atlas import BRICK_BYTES
from render.gpu.device import Gpu, Unit
from render.gpu.paged import PagedStats, PagedVolume
from render.scene.grid import Grid
from render.scene.world import World


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

    def __init__(self, gpu: Gpu, first_bricks: int) -> None:
        """Two empty volumes."""
        self.blocks = PagedVolume(gpu, "block ids", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), first_bricks=first_bricks)
        self.light = PagedVolume(gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), first_bricks=first_bricks)
        self.blocks_behind: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.light_behind: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        more = places - len(self.blocks_behind)
        if more > 0:
            self.blocks_behind = np.append(self.blocks_behind, np.zeros(more, np.bool_))
            self.light_behind = np.append(self.light_behind, np.zeros(more, np.bool_))

    def remove_blocks(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """Forgets block ids of sub-chunks that went, present or not."""
        self.blocks.remove(positions)
        self.blocks_behind[places] = False

    def remove_light(self, places: Places, positions: npt.NDArray[np.int32]) -> None:
        """The same for light."""
        self.light.remove(positions)
        self.light_behind[places] = False

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

    def upload_blocks(self, world: World, grid: Grid, places: Places, budget_bytes: int | None) -> int:
        """The same for block ids."""
        slots = world.slot[places]
        pools = world.pools
        shared = np.fromiter((pools.is_shared(slot) for slot in slots.tolist()), np.bool_, len(slots))
        uniform = places[shared]
        values = pools.blocks[slots[shared], 0]
        self.blocks.set_uniform(grid.positions_of(uniform, world.columns), values)
        rest = _within(places[~shared], budget_bytes)
        self.blocks.set_bricks(grid.positions_of(rest, world.columns), pools.blocks, world.slot[rest])
        self.blocks_behind[uniform] = self.blocks_behind[rest] = False
        return len(rest) * BRICK_BYTES

    def flush(self) -> None:
        """Publishes both page tables."""
        self.blocks.flush()
        self.light.flush()

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
        self.blocks.release()
        self.light.release()


def _within(places: Places, budget_bytes: int | None) -> Places:
    return places if budget_bytes is None else places[: max(budget_bytes, 0) // BRICK_BYTES]
