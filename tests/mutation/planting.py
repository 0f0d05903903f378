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

Meshes: Defects of one render cell's mesh, in its packed quads.

Sub-chunks: Other contents for sub-chunks of a store that has settled: shown, told to whoever mirrors the store, and
taken back.

Rules:
1. The store's own slots are never written: another slot is shown, and the old one once more afterwards, with its old
   revision. So nothing that was known is lost, and no state, request or history changes.
2. ``shown`` alone tells nobody: what rays meet is another, what is drawn is not.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.visibility import derive_connectivity
from client.world.block_pools import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, PLACEHOLDER_SLOT
from client.world.changes import ChangeBatch, ChangeKind
from client.world.store import Store
from net.arrays import BlockIds, Places, Slots
from net.space import BlockPos, SubChunkPos
from render.mesh.vertex_format import (
    CUBE,
    CUBE_GROUPS,
    CUBE_WORDS,
    FACE_HEIGHT_AXIS,
    FACE_WIDTH_AXIS,
    GROUPS,
    MODEL,
    MODEL_WORDS,
    Group,
    Words,
)
from render.scene import Scene
from tests.mutation.prediction import Box
from tests.support.worlds.scene import show_written_light

# ---------------------------------------------------------------- meshes

Counts = npt.NDArray[np.int32]
CELL_BLOCKS = (16, 32, 16)
"""Size of a render cell along x, y, z."""
AXES = ("x", "y", "z")
SIXTEENTHS = 16
UNITS = np.where(np.arange(GROUPS) < CUBE_GROUPS, 1, MODEL_WORDS // CUBE_WORDS)
"""Of the arena, that a quad of each group takes."""


def without(units: Words, counts: Counts, group: Group) -> tuple[Words, Counts]:
    """A mesh without the quads of one group of cubes; sloping liquids go with the others."""
    gone = (Group.LIQUID, Group.SLOPE) if group is Group.LIQUID else (group,)
    of = np.repeat(np.arange(GROUPS), counts * UNITS)
    kept = ~np.isin(of, gone)
    fewer = counts.copy()
    fewer[list(gone)] = 0
    return units[kept], fewer


def shifted(units: Words, counts: Counts, axis: int, by: int) -> tuple[Words, Counts]:
    """A mesh one block aside; what of its quads would leave their cell is left out.

    Args:
        units: uint32[n, 2] as the arena holds them.
        counts: int32[11] quads by group.
        axis: 0 x, 1 y, 2 z.
        by: 1 or -1.
    """
    cubes = units[: counts[:CUBE_GROUPS].sum()].copy()
    models = units[len(cubes) :].reshape(-1, MODEL_WORDS).copy()
    groups = np.repeat(np.arange(CUBE_GROUPS), counts[:CUBE_GROUPS])
    low, extent = _raw(cubes, "CUBE", AXES[axis]), _extents(cubes, axis)
    out = (low + by < 0) | (low + by + extent > CELL_BLOCKS[axis])
    stay = ~out | (extent > 1)
    _cut(cubes, axis, out & stay)
    _add(cubes, "CUBE", AXES[axis], np.where(low + by < 0, 0, by))
    block = _raw(models, "MODEL", f"block_{AXES[axis]}") + by
    inside = (block >= 0) & (block < CELL_BLOCKS[axis])
    models = models[inside]
    _add(models, "MODEL", AXES[axis], by * SIXTEENTHS)
    _add(models, "MODEL", f"block_{AXES[axis]}", by)
    kinds = np.repeat(np.arange(CUBE_GROUPS, GROUPS), counts[CUBE_GROUPS:])
    fewer = np.bincount(np.concatenate([groups[stay], kinds[inside]]), minlength=GROUPS).astype(np.int32)
    return np.concatenate([cubes[stay], models.reshape(-1, 2)]), fewer


def _cut(cubes: Words, axis: int, which: npt.NDArray[np.bool_]) -> None:
    """Makes merged quads one block shorter along an axis."""
    face = _raw(cubes, "CUBE", "face")
    for name, axes in (("width", FACE_WIDTH_AXIS), ("height", FACE_HEIGHT_AXIS)):
        _add(cubes, "CUBE", name, np.where(which & (np.array(axes)[face] == axis), -1, 0))


def _extents(cubes: Words, axis: int) -> npt.NDArray[np.int64]:
    """How far each quad reaches along an axis, in blocks: its own block's one at least."""
    face = _raw(cubes, "CUBE", "face")
    width = np.where(np.array(FACE_WIDTH_AXIS)[face] == axis, _raw(cubes, "CUBE", "width"), 0)
    return width + np.where(np.array(FACE_HEIGHT_AXIS)[face] == axis, _raw(cubes, "CUBE", "height"), 0) + 1


def _raw(words: Words, layout: str, name: str) -> npt.NDArray[np.int64]:
    """A field as it is packed, without its bias."""
    field = (CUBE if layout == "CUBE" else MODEL)[name]
    return (words[:, field.word] >> np.uint32(field.shift) & np.uint32(field.mask)).astype(np.int64)


def _add(words: Words, layout: str, name: str, by: int | npt.NDArray[np.int64]) -> None:
    field = (CUBE if layout == "CUBE" else MODEL)[name]
    value = (_raw(words, layout, name) + by) & field.mask
    rest = words[:, field.word] & ~np.uint32(field.mask << field.shift)
    words[:, field.word] = rest | (value << field.shift).astype(np.uint32)


def shifted_blocks(values: BlockIds, axis: int, by: int) -> BlockIds:
    """The blocks of a render cell one aside, nothing where they left: [2, 4096] by section, as slots have them."""
    cube = values.reshape(2, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, 32)  # x, z, y
    at = (0, 2, 1)[axis]
    moved = np.roll(cube, by, axis=at)
    edge = [slice(None)] * 3
    edge[at] = slice(0, 1) if by > 0 else slice(-1, None)
    moved[tuple(edge)] = 0
    result: BlockIds = moved.reshape(16, 16, 2, 16).transpose(2, 0, 1, 3).reshape(2, 4096)
    return np.ascontiguousarray(result)


def blocks_without(blocks: BlockIds, low: int, high: int) -> BlockIds:
    """Blocks with air for the ids ``low`` to ``high`` - 1."""
    gone = (blocks >= low) & (blocks < high)
    return np.where(gone, np.uint16(0), blocks).astype(np.uint16)


# ---------------------------------------------------------------- subchunks


class Contents:
    """Slots with other contents; they go back to the pools in the end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._revision = int(store.revision.max())

    def make(self, blocks: BlockIds) -> Slots:
        """Private slots of these blocks, [n, 4096] dense ids.

        Raises:
            OutOfSlots: the pools are full.
        """
        pools, table = self._store.pools, self._store.table
        slots = pools.take_many(len(blocks))
        pools.blocks[slots] = blocks
        for slot, ids in zip(slots.tolist(), blocks, strict=True):
            pools.flags[slot] = np.bitwise_or.reduce(table.flags[np.unique(ids)])
        first = table.first
        opaque, other = blocks >= first.placeholder, (blocks > 0) & (blocks < first.liquid)
        liquid = ~opaque & (blocks >= first.liquid)
        for masks, bits in ((pools.opaque, opaque), (pools.liquid, liquid), (pools.other, other)):
            masks[slots] = np.packbits(bits, axis=1, bitorder="little").view("<u2")
        kinds = HAS_OPAQUE * opaque.any(axis=1) | ALL_OPAQUE * opaque.all(axis=1)
        pools.kinds[slots] = kinds | HAS_LIQUID * liquid.any(axis=1) | HAS_OTHER * other.any(axis=1)
        derive_connectivity(pools, slots)
        return slots

    def make_second(self, blocks: BlockIds) -> Slots:
        """Private slots of the second layer for rays to meet; nothing is derived of them.

        Raises:
            OutOfSlots: the pools are full.
        """
        slots = self._store.pools.layer1_slots.take_many(len(blocks))
        self._store.pools.layer1[slots] = blocks
        return slots

    def give_back(self, slots: Slots, seconds: Slots | None = None) -> None:
        """What was never told."""
        self._store.pools.give_back(slots)
        if seconds is not None:
            self._store.pools.layer1_slots.give_back(seconds)

    def retire(self, slots: Slots) -> None:
        """What was told and is not shown any more: it goes back when no job can read it."""
        self._store.pools.retire(slots, self._store.pools.epoch)

    @contextmanager
    def shown(self, places: Places, slots: Slots, seconds: Slots | None = None) -> Iterator[None]:
        """Shows other slots at some places, told to nobody; ``seconds`` in the second layer where there are any."""
        store = self._store
        before, before1 = store.slot[places].copy(), store.layer1_slot[places].copy()
        store.slot[places] = slots
        if seconds is not None:
            store.layer1_slot[places] = seconds
        try:
            yield
        finally:
            store.slot[places] = before
            store.layer1_slot[places] = before1

    @contextmanager
    def told(self, places: Places, slots: Slots, cells: Sequence[int] = ()) -> Iterator[None]:
        """Shows other slots and tells the log so: single blocks of one place where ``cells`` names them."""
        store = self._store
        before = store.revision[places].copy()
        with self.shown(places, slots):
            store.revision[places] = np.arange(len(places)) + self._revision + 1
            self._revision += len(places)
            self._publish(places, cells)
            try:
                yield
            finally:
                store.revision[places] = before
        self._publish(places, cells)

    def _publish(self, places: Places, cells: Sequence[int]) -> None:
        kind = ChangeKind.EDIT if cells else ChangeKind.DATA
        edits = np.array(cells, np.uint16)
        starts = np.full(len(places) + 1, len(edits), np.int32)
        starts[0] = 0
        self._store.changes.publish(
            ChangeBatch(
                False,
                places.astype(np.int32),
                self._store.positions_of(places),
                np.full(len(places), kind, np.uint8),
                self._store.revision[places],
                np.tile(np.array([0, 0, 0, 16, 16, 16], np.uint8), (len(places), 1)),
                starts,
                edits,
            )
        )


# ---------------------------------------------------------------- planting

CHANNELS = "RGBD"

Change = Callable[[BlockIds], BlockIds]


class Drop(msgspec.Struct, frozen=True):
    """A sub-chunk that is not there."""

    place: int


class Swap(msgspec.Struct, frozen=True):
    """Another block."""

    place: int
    cell: int
    dense: int


class Darken(msgspec.Struct, frozen=True):
    """One channel of one block, one level less."""

    place: int
    cell: int
    channel: int


class Shift(msgspec.Struct, frozen=True):
    """A render cell's mesh one block along an axis: 0 x, 1 y, 2 z."""

    cell: int
    axis: int
    by: int


class Hide(msgspec.Struct, frozen=True):
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
        show_written_light(self._scene.attached, places)
        try:
            yield
        finally:
            values[slot, plan.cell] = before
            show_written_light(self._scene.attached, places)

    @contextmanager
    def _meshed(self, plan: Shift | Hide) -> Iterator[None]:
        attached = self._scene.attached
        units, counts = attached.state.cells.mesh_of(plan.cell)
        if isinstance(plan, Shift):
            other = shifted(units, counts, plan.axis, plan.by)
        else:
            other = without(units, counts, plan.group)
        x, y, z = self._corner(plan.cell)
        attached.state.cells.show(plan.cell, (x, y, z), *other)
        try:
            yield
        finally:
            attached.state.cells.show(plan.cell, (x, y, z), units, counts)

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
        places: Places = self._scene.attached.state.grid.own_places(np.array([cell], np.int64))[0]
        return places

    def _corner(self, cell: int) -> tuple[int, int, int]:
        grid = self._scene.attached.state.grid
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
