"""Plants defects in a settled session and its scene, and takes them back.

Each defect is a context: inside it the pipeline draws what is wrong, and ``render.scene_tests.compare`` says what is to
be seen of it:

| defect | planted in                                  | rays go through                                    |
|--------|---------------------------------------------|----------------------------------------------------|
| DROP   | the store: the sub-chunk is a placeholder   | the store                                          |
| SWAP   | the store: the place shows another block    | the store                                          |
| DARKEN | the light map, after its last step          | the store; its light is read from that map         |
| SHIFT  | the mesh, on the GPU                        | blocks of the render cell one aside; light as it was |
| HIDE   | the mesh, on the GPU                        | air in place of the glass or liquid of that cell   |
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from client.light.light_map import LightMap
from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.store import Store
from net.frozen import frozen
from net.space.layout import BlockIds, Places
from net.space.positions import BlockPos, SubChunkPos
from render.mesh.vertex_format import Group
from render.mutation.meshes import blocks_without, shifted, shifted_blocks, without
from render.mutation.prediction import Box
from render.mutation.subchunks import Contents
from render.scene import Scene

CHANNELS = "RGBD"

Change = Callable[[BlockIds], BlockIds]


@frozen
class Drop:
    """A sub-chunk that is not there."""

    place: int


@frozen
class Swap:
    """Another block."""

    place: int
    cell: int
    dense: int


@frozen
class Darken:
    """One channel of one block, one level less."""

    place: int
    cell: int
    channel: int


@frozen
class Shift:
    """A render cell's mesh one block along an axis: 0 x, 1 y, 2 z."""

    cell: int
    axis: int
    by: int


@frozen
class Hide:
    """A render cell without its glass, or without its liquids."""

    cell: int
    group: Group


Plan = Drop | Swap | Darken | Shift | Hide


class Planter:
    """Plants in one store, its light and the scene that shows both. The scene is settled again by whoever draws."""

    def __init__(self, store: Store, light: LightMap, scene: Scene) -> None:
        self._store, self._light, self._scene = store, light, scene
        self._contents = Contents(store)

    def words(self, plan: Plan) -> str:
        """What is planted where, for people."""
        store = self._store
        match plan:
            case Drop(place):
                return f"sub-chunk {self._at(place)} dropped"
            case Swap(place, cell, dense):
                states = store.table.states
                was = states[int(store.pools.blocks[store.slot[place], cell])]
                return f"block {self._block(place, cell)}: {was.name} is {states[dense].name}"
            case Darken(place, cell, channel):
                return f"light at {self._block(place, cell)}: {CHANNELS[channel]} one level lower"
            case Shift(cell, axis, by):
                return f"mesh of cell {self._cell(cell)} shifted by {by:+d} along {'xyz'[axis]}"
            case Hide(cell, group):
                return f"{'liquids' if group is Group.LIQUID else 'glass'} of cell {self._cell(cell)} hidden"

    def box(self, plan: Plan) -> Box | None:
        """Blocks whose surfaces a defect may change, and those beside them; None where it changes light alone."""
        match plan:
            case Drop(place):
                low, high = self._corner_of(place, 0), self._corner_of(place, 0xFFF)
            case Swap(place, cell, _):
                low = high = self._corner_of(place, cell)
            case Darken():
                return None
            case Shift(cell) | Hide(cell):
                lower, upper = self.places_of_cell(cell).tolist()
                low, high = self._corner_of(lower, 0), self._corner_of(upper, 0xFFF)
        return (low.x - 1, low.y - 1, low.z - 1), (high.x + 2, high.y + 2, high.z + 2)

    def planted(self, plan: Plan) -> AbstractContextManager[None]:
        """The pipeline draws the defect inside, and what is right again behind."""
        match plan:
            case Drop(place):
                places = np.array([place], np.int32)
                return self._contents.told(places, np.array([PLACEHOLDER_SLOT], np.int32))
            case Swap():
                return self._swapped(plan)
            case Darken():
                return self._darkened(plan)
            case _:
                return self._meshed(plan)

    def truth(self, plan: Plan) -> AbstractContextManager[None]:
        """Rays meet the defect inside; to be opened inside ``planted``."""
        match plan:
            case Shift(cell, axis, by):
                return self._instead(cell, lambda ids: shifted_blocks(ids, axis, by))
            case Hide(cell, group):
                first = self._store.table.first
                low, high = (
                    (first.liquid, first.placeholder) if group is Group.LIQUID else (first.translucent, first.liquid)
                )
                return self._instead(cell, lambda ids: blocks_without(ids, low, high))
            case _:
                return nullcontext()

    @contextmanager
    def _swapped(self, plan: Swap) -> Iterator[None]:
        store, places = self._store, np.array([plan.place], np.int32)
        blocks = store.pools.blocks[store.slot[places]].copy()
        blocks[0, plan.cell] = plan.dense
        slots = self._contents.make(blocks)
        with self._contents.told(places, slots, [plan.cell]):
            yield
        self._contents.retire(slots)

    @contextmanager
    def _darkened(self, plan: Darken) -> Iterator[None]:
        values, slot = self._light.values, int(self._light.table[plan.place])
        before = values[slot, plan.cell]
        places = np.array([plan.place], np.int32)
        values[slot, plan.cell] = before - (1 << 4 * plan.channel)
        self._scene.attached.light_written(places)
        try:
            yield
        finally:
            values[slot, plan.cell] = before
            self._scene.attached.light_written(places)

    @contextmanager
    def _meshed(self, plan: Shift | Hide) -> Iterator[None]:
        attached = self._scene.attached
        units, counts = attached.cells.mesh_of(plan.cell)
        if isinstance(plan, Shift):
            other = shifted(units, counts, plan.axis, plan.by)
        else:
            other = without(units, counts, plan.group)
        x, y, z = self._corner(plan.cell)
        attached.cells.show(plan.cell, (x, y, z), *other)
        try:
            yield
        finally:
            attached.cells.show(plan.cell, (x, y, z), units, counts)

    @contextmanager
    def _instead(self, cell: int, change: Change) -> Iterator[None]:
        places: Places = self.places_of_cell(cell)
        store = self._store
        slots = self._contents.make(change(store.pools.blocks[store.slot[places]]))
        seconds = self._contents.make_second(change(store.pools.layer1[store.layer1_slot[places]]))
        try:
            with self._contents.shown(places, slots, seconds):
                yield
        finally:
            self._contents.give_back(slots, seconds)

    def places_of_cell(self, cell: int) -> Places:
        """Lower and upper sub-chunk of a render cell; 0 for one outside the dimension."""
        places: Places = self._scene.attached.grid.own_places(np.array([cell], np.int64))[0]
        return places

    def _corner(self, cell: int) -> tuple[int, int, int]:
        grid = self._scene.attached.grid
        x, y, z = grid.cell_positions(np.array([cell], np.int64), self._store.columns)[0].tolist()
        return x, y, z

    def _cell(self, cell: int) -> str:
        return " ".join(map(str, self._corner(cell)))

    def _at(self, place: int) -> str:
        return " ".join(map(str, self._store.positions_of(np.array([place], np.int32))[0].tolist()))

    def _block(self, place: int, cell: int) -> str:
        return " ".join(map(str, self._corner_of(place, cell)))

    def _corner_of(self, place: int, cell: int) -> BlockPos:
        at = SubChunkPos(*self._store.positions_of(np.array([place], np.int32))[0].tolist())
        return BlockPos(at.x * 16 + (cell >> 8), at.y * 16 + (cell & 15), at.z * 16 + (cell >> 4 & 15))
