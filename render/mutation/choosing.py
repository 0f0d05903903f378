"""Where defects are planted: weighted by the view for those to be seen, out of its sight for the others.

Every choice follows from the wish's seed and from what rays see without any defect. ``None``: this view has no such
place.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.light.slots import SHARED_SLOTS
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.store import Store
from net.space.layout import Places
from render.mesh.vertex_format import Group
from render.mutation.defects import Defect, Wish
from render.mutation.ground import Blocks, Ground, codes
from render.mutation.planting import Darken, Drop, Hide, Plan, Planter, Shift, Swap
from render.mutation.prediction import STEPS, Seen
from render.scene import Scene

CLEAR: Final = (Group.TRANSLUCENT, Group.LIQUID)
FEW_PX: Final = 8
"""Blocks that take fewer pixels are not chosen to be seen: the least that counts as visible is four."""


class Chooser:
    """Chooses in one view.

    Args:
        store: settled.
        light: its light, made.
        scene: that shows both.
        planter: asked for the places of render cells.
        ground: of the store.
        seen: by rays, without defects.
        eye: where they begin.
    """

    def __init__(
        self,
        store: Store,
        light: LightMap,
        scene: Scene,
        planter: Planter,
        ground: Ground,
        seen: Seen,
        eye: tuple[float, float, float],
    ) -> None:
        self._store, self._light, self._scene, self._planter = store, light, scene, planter
        self._ground, self._seen = ground, seen
        hits = seen.hits
        some = np.flatnonzero(hits.on_terrain & seen.sure)
        keys = hits.places[some].astype(np.int64) << 12 | hits.cells[some]
        _, first, count = np.unique(keys, return_index=True, return_counts=True)
        self._pixels = some[first[count >= FEW_PX]]
        """A pixel of each block that is well in view."""
        self._weights = count[count >= FEW_PX]
        behind = seen.behind.places[seen.behind.on_terrain]
        filled = np.arange(seen.passed.keys.shape[1]) < seen.passed.counts[:, None]
        through = np.unique(seen.passed.keys[filled] >> 15)
        met = np.unique(hits.places[hits.on_terrain])
        self._places_seen = np.union1d(np.union1d(met, np.unique(behind)), through)
        grid, attached = scene.attached.grid, scene.attached
        rows = np.flatnonzero(attached.residency.shown)
        places = grid.places_of_rows(rows)
        slots = store.slot[places]
        self._places: Places = places[(slots != AIR_SLOT) & (slots != PLACEHOLDER_SLOT)]
        """Sub-chunks that are drawn and hold something."""
        self._own_place = int(ground.places(np.floor(np.array([eye])).astype(np.int64))[0][0])
        self._cells = attached.cells.with_quads()
        self._cells = self._cells[[(self._planter.places_of_cell(cell) > 0).all() for cell in self._cells.tolist()]]
        states = np.unique(store.pools.blocks[np.unique(store.slot[self._places])])
        first_ids = store.table.first
        self._states = states[(states > 0) & (states != first_ids.placeholder)]

    def choose(self, wish: Wish, attempt: int) -> Plan | None:
        """A place for a wish, another one at each attempt."""
        rng = np.random.default_rng((wish.seed, attempt))
        if wish.seen and not len(self._pixels):
            return None
        chosen: dict[Defect, Callable[[np.random.Generator, bool], Plan | None]] = {
            Defect.DROP: self._drop,
            Defect.SWAP: self._swap,
            Defect.DARKEN: self._darken,
            Defect.SHIFT: self._shift,
            Defect.HIDE: self._hide,
        }
        return chosen[wish.defect](rng, wish.seen)

    def _pixel(self, rng: np.random.Generator) -> int:
        return int(rng.choice(self._pixels, p=self._weights / self._weights.sum()))

    def _unseen(self, rng: np.random.Generator, places: Places) -> int | None:
        """A place of which no ray meets anything."""
        hidden = places[~np.isin(places, self._places_seen)]
        return int(rng.choice(hidden)) if len(hidden) else None

    def _drop(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        place = int(self._seen.hits.places[self._pixel(rng)]) if seen else self._unseen(rng, self._places)
        return None if place is None or place == self._own_place else Drop(place)

    def _swap(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        store = self._store
        if seen:
            pixel = self._pixel(rng)
            place, cell = int(self._seen.hits.places[pixel]), int(self._seen.hits.cells[pixel])
        else:
            hidden = self._unseen(rng, self._places)
            if hidden is None:
                return None
            place = hidden
            cell = int(rng.choice(np.flatnonzero(store.pools.blocks[store.slot[place]])))
        was = store.pools.blocks[store.slot[place], cell]
        others = self._states[self._states != was]
        return Swap(place, cell, int(rng.choice(others))) if len(others) else None

    def _darken(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        if seen:
            pixel = self._pixel(rng)
            face = int(self._seen.hits.faces[pixel])
            place, cell = self._place_of(self._seen.cells[pixel] + STEPS[face])
        else:
            found = self._unlit(rng)
            if found is None:
                return None
            place, cell = found
        slot = int(self._light.slots_of(np.array([place], np.int32))[0])
        if not place or slot < SHARED_SLOTS:
            return None
        value = int(self._light.values[slot, cell])
        bright = [channel for channel in range(4) if value >> 4 * channel & 15]
        return Darken(place, cell, int(rng.choice(bright))) if bright else None

    def _unlit(self, rng: np.random.Generator) -> tuple[int, int] | None:
        """A block with some light that no surface in view takes."""
        lit = self._places[self._light.slots_of(self._places) >= SHARED_SLOTS]
        if not len(lit):
            return None
        place = int(rng.choice(lit))
        levels = self._light.values[self._light.slots_of(np.array([place], np.int32))[0]]
        cells = np.flatnonzero(levels)
        if not len(cells):
            return None
        blocks: Blocks = self._ground.positions(np.full(len(cells), place), cells)
        cells = cells[~np.isin(codes(blocks), self._seen.lit)]
        return (place, int(rng.choice(cells))) if len(cells) else None

    def _place_of(self, block: npt.NDArray[np.int64]) -> tuple[int, int]:
        places, cells = self._ground.places(block[None])
        return int(places[0]), int(cells[0])

    def _shift(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        cell = self._cell(rng, seen, self._cells)
        return None if cell is None else Shift(cell, int(rng.integers(3)), int(rng.choice([-1, 1])))

    def _hide(self, rng: np.random.Generator, seen: bool) -> Plan | None:
        """In view: what clear surface a pixel shows first; else whatever clear group a cell out of view has."""
        if seen:
            first = self._store.table.first
            shown = self._seen.hits.shown[self._pixels]
            clear = (shown >= first.translucent) & (shown < first.placeholder)
            if not clear.any():
                return None
            weights = self._weights[clear]
            pixel = int(rng.choice(self._pixels[clear], p=weights / weights.sum()))
            cell = int(self._scene.attached.grid.cells_of(self._seen.hits.places[[pixel]])[0])
            group = Group.TRANSLUCENT if self._seen.hits.shown[pixel] < first.liquid else Group.LIQUID
            return Hide(cell, group) if cell in self._cells and group in self._clear_groups(cell) else None
        groups = {cell: self._clear_groups(cell) for cell in self._cells.tolist()}
        hidden = self._cell(rng, False, np.array([cell for cell, found in groups.items() if found], np.int64))
        return None if hidden is None else Hide(hidden, Group(int(rng.choice(groups[hidden]))))

    def _clear_groups(self, cell: int) -> list[Group]:
        """Which layers that one sees through a render cell has."""
        count = self._scene.attached.cells.mesh_of(cell)[1]
        return [group for group in CLEAR if count[group] or (group is Group.LIQUID and count[Group.SLOPE])]

    def _cell(self, rng: np.random.Generator, seen: bool, cells: npt.NDArray[np.int64]) -> int | None:
        """A render cell in view, by the pixels it takes; or one of which no ray meets anything."""
        if not len(cells):
            return None
        if not seen:
            hidden = [cell for cell in cells.tolist() if not self.in_view(cell)]
            return int(rng.choice(hidden)) if hidden else None
        places = self._seen.hits.places[self._pixels]
        of = self._scene.attached.grid.cells_of(places)
        chosen = np.isin(of, cells)
        if not chosen.any():
            return int(rng.choice(cells))
        weights = self._weights[chosen]
        return int(rng.choice(of[chosen], p=weights / weights.sum()))

    def in_view(self, cell: int) -> bool:
        """Whether rays meet anything of a render cell."""
        return bool(np.isin(self._planter.places_of_cell(cell), self._places_seen).any())
