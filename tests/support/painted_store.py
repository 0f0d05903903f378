"""The painted world as a scene sees worlds: a store's arrays, a change log, looks; all set by hand."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from client.visibility import walk
from client.world.block_table import ClassThresholds
from client.world.changes import ChangeBatch, ChangeKind, ChangeLog
from client.world.lifecycle import SubChunkState
from net.space.dimensions import Dimension
from net.space.layout import Slots
from net.space.positions import BlockPos, ColumnPos
from render.gpu.textures import LEVELS, Texels
from render.materials.biome_tints import TintColours, tint_colours
from render.materials.looks import Tint
from render.materials.painters import Moving
from render.mesh import vertex_format
from render.mesh.mesher import MeshTables
from render.mesh.vertex_format import MODEL, NO_FACE
from tests.support import painted_world as paint
from tests.support.fake_world import FakePools, FakeTable, FakeWorld

DIMENSION = Dimension(0, "painted", 0, 4, True)


class PaintedPools(FakePools):
    """Fake pools that know shared slots and epochs."""

    epoch = 0

    def are_own(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """All but air and placeholder."""
        own: npt.NDArray[np.bool_] = slots >= 2
        return own

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Nothing is ever retired here."""
        del oldest_running_epoch
        return 0


class PaintedStore(FakeWorld):
    """A store of painted blocks; every move is logged as the real one would."""

    def __init__(
        self, dimension: Dimension = DIMENSION, rows: int = 128, table: object = None, slots: int = 4096
    ) -> None:
        """No columns yet; ``table`` is the painted blocks' unless given. Each edit uses up a slot."""
        super().__init__(dimension, table or painted_table(), rows, slots)
        pools = PaintedPools(self.table, slots)
        pools.connectivity[0] = 0x3F3F3F3F3F3F
        self.pools = pools
        self.state = np.full(rows * dimension.sections, SubChunkState.UNKNOWN, np.uint8)
        self.changes = ChangeLog()

    def load(
        self, blocks: paint.Volume, columns: list[ColumnPos] | None = None, second: paint.Volume | None = None
    ) -> None:
        """Adds columns and shows their blocks, as one drain; all of the volume's unless named.

        ``second``: what their second layers hold.
        """
        side_x, side_z = blocks.shape[0] >> 4, blocks.shape[1] >> 4
        chosen = columns or [ColumnPos(x, z) for x in range(side_x) for z in range(side_z)]
        places = []
        for column in chosen:
            self.add_column(column)
            places += [self._show_section(blocks, column, section) for section in range(self.dimension.sections)]
            for section in range(self.dimension.sections if second is not None else 0):
                self.soak(self.place(column, section), _section_of(second, column, section))
        self._derive(places)
        lowest = [self.place(column, 0) for column in chosen]
        self._publish(lowest + places, [ChangeKind.ADDED] * len(lowest) + [ChangeKind.DATA] * len(places))

    def _show_section(self, blocks: paint.Volume, column: ColumnPos, section: int) -> int:
        place = self.place(column, section)
        ids = _section_of(blocks, column, section)
        missing = bool((ids == paint.PLACEHOLDER).all())
        self.show(place, None if missing else ids)
        known = SubChunkState.DATA if self.slot[place] else SubChunkState.ALL_AIR
        self.state[place] = SubChunkState.UNKNOWN if missing else known
        return place

    @property
    def since(self) -> npt.NDArray[np.float64]:
        """No place has a date."""
        return np.zeros(len(self.slot))

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Plains, but for a taiga in the south."""
        return np.full(256, 5 if column.z > 5 else 1, np.uint16)

    def height_map(self, column: ColumnPos) -> npt.NDArray[np.int16]:
        """One above the highest block that is not air."""
        sections = self.dimension.sections
        slots = self.slot[[self.place(column, section) for section in range(sections)]]
        blocks = self.pools.blocks[slots].reshape(sections, 16, 16, 16).transpose(2, 1, 0, 3).reshape(256, -1) != 0
        highest = blocks.shape[1] - np.argmax(blocks[:, ::-1], axis=1)
        return np.where(blocks.any(axis=1), highest, 0).astype(np.int16)

    def unload(self, column: ColumnPos) -> None:
        """Removes a column."""
        place = self.place(column, 0)
        position = (column.x, self.dimension.floor_section, column.z)
        row = self.remove_column(column)
        self.state[row * self.dimension.sections :][: self.dimension.sections] = SubChunkState.UNKNOWN
        self._publish([place], [ChangeKind.REMOVED], positions=[position])

    def edit(self, block: BlockPos, dense: int) -> None:
        """Changes one block."""
        place = self.place(block.column, block.subchunk.y - self.dimension.floor_section)
        self.set_cell(place, block.in_subchunk, dense)
        self._derive([place])
        self._publish([place], [ChangeKind.EDIT], cells=[block.in_subchunk])

    def _derive(self, places: list[int]) -> None:
        slots = np.unique(self.slot[places])
        walk.derive_connectivity(self.pools, slots[slots > 1].astype(np.int32))

    def _publish(
        self,
        places: list[int],
        kinds: list[ChangeKind],
        positions: list[tuple[int, int, int]] | None = None,
        cells: list[int] | None = None,
    ) -> None:
        at = np.array(places, np.int32)
        sections = self.dimension.sections
        if positions is None:
            columns = self.columns[at // sections]
            where = np.stack([columns[:, 0], at % sections + self.dimension.floor_section, columns[:, 1]], axis=1)
        else:
            where = np.array(positions)
        edits = np.array(cells or [], np.uint16)
        starts = np.zeros(len(at) + 1, np.int32)
        starts[1:] = len(edits)
        boxes = np.zeros((len(at), 6), np.uint8)
        batch = ChangeBatch(
            False, at, where.astype(np.int32), np.array(kinds, np.uint8), self.revision[at], boxes, starts, edits
        )
        self.pools.epoch += 1
        self.changes.publish(batch)


def _section_of(blocks: paint.Volume, column: ColumnPos, section: int) -> npt.NDArray[np.uint16]:
    x, z, y = column.x * 16, column.z * 16, section * 16
    return np.ascontiguousarray(blocks[x : x + 16, z : z + 16, y : y + 16]).reshape(4096)


def painted_table() -> FakeTable:
    """The classes, lamps and opacities of the painted blocks."""
    count = len(paint.NAMES)
    opacity = np.zeros((4, count), np.uint8)
    opacity[:, paint.WATER] = 2
    opacity[:, paint.LEAVES] = 2
    opacity[:, paint.PLACEHOLDER :] = 15
    emission = np.zeros(count, np.uint16)
    emission[paint.LAMP] = 15 | 13 << 4 | 9 << 8
    emission[paint.RED_LAMP] = 15
    first = ClassThresholds(paint.FLOWER, paint.LEAVES, paint.GLASS, paint.WATER, paint.PLACEHOLDER, paint.STONE)
    return FakeTable(emission, opacity, first)


@dataclass
class PaintedLooks:
    """Looks of the painted blocks."""

    tables: MeshTables
    generation: int = 0
    layers: int = 0
    moving: dict[int, Moving] = field(default_factory=dict)

    @classmethod
    def make(cls) -> "PaintedLooks":
        """All of them."""
        return cls(painted_mesh_tables())

    @property
    def tint_colours(self) -> TintColours:
        """Ours."""
        return tint_colours()

    def fit(self, most_layers: int) -> None:
        """There are few."""
        assert len(paint.tiles()) <= most_layers

    def grow(self, world: object) -> None:
        """All layers the first time, none later."""
        del world
        self.layers = len(paint.tiles())

    def levels(self, layers: range) -> list[Texels]:
        """Every mip level by leaving out every other texel."""
        tiles = paint.tiles()[layers.start : layers.stop]
        return [np.ascontiguousarray(tiles[:, :: 1 << k, :: 1 << k]) for k in range(LEVELS)]


def painted_mesh_tables() -> MeshTables:
    """What the mesh kernel reads."""
    count = len(paint.NAMES)
    looks = np.zeros((count, 6), np.uint64)
    for dense in range(count):
        for face in range(6):
            layer, tint, flags = _face(dense, face)
            words = vertex_format.pack(
                vertex_format.CUBE, 1, tint=tint, flags=flags, layer=layer, block=dense, width=1, height=1
            )
            looks[dense, face] = words.view(np.uint64)[0, 0]
    crossed = [
        vertex_format.pack(
            MODEL,
            1,
            x=2,
            z=z,
            y=16,
            ux=12,
            uz=uz,
            vy=-16,
            face=NO_FACE,
            flags=vertex_format.DOUBLE_SIDED,
            layer=paint.FLOWER,
            block=paint.FLOWER,
            u1=16,
            v1=16,
        )
        for z, uz in ((2, 12), (14, -12))
    ]
    rows = np.zeros((count, 2), np.int32)
    rows[paint.FLOWER] = 0, 2
    classes = [paint.FLOWER, paint.LEAVES, paint.GLASS, paint.WATER, paint.PLACEHOLDER, paint.STONE, paint.WATER]
    return MeshTables(
        classes=np.array(classes, np.int64),
        amounts=np.full(count, 8, np.uint8),
        liquids=np.ones(count, np.uint8),
        looks=looks,
        groups=np.zeros(count, np.uint8),
        stairs=np.zeros(count, np.uint8),
        doors=np.zeros(count, np.uint16),
        door_ids=np.zeros(32, np.uint16),
        model_rows=rows,
        model_quads=np.concatenate(crossed).view(np.uint64).reshape(2, 3),
        model_rules=np.full(2, 7 | 7 << 3, np.uint16),
    )


def _face(dense: int, face: int) -> tuple[int, int, int]:
    """Layer, tint and flags of one face of a painted block."""
    flags = vertex_format.GLOWS if dense >= paint.LAMP else 0
    tint = {paint.LEAVES: Tint.FOLIAGE, paint.WATER: Tint.WATER}.get(dense, Tint.NONE)
    if dense == paint.GRASS and face < 4:
        return paint.GRASS_SIDE_LAYER, Tint.GRASS, vertex_format.TINT_MASK
    if dense == paint.GRASS:
        return (paint.GRASS_TOP_LAYER, Tint.GRASS, 0) if face == 5 else (paint.DIRT, Tint.NONE, 0)
    if dense == paint.LOG and face >= 4:
        return paint.LOG_TOP_LAYER, Tint.NONE, 0
    return dense, int(tint), flags
