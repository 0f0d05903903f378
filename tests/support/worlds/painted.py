"""A small world made with plain NumPy: terrain, light, faces and tiles.

Tests use it to draw without kernels, workers or a server. Blocks are ``[x, z, y]`` from the world's origin; ids follow
the classes of ``NAMES``. ``PaintedStore`` is this world in the form that a scene reads: a store's arrays and a change
log; ``PaintedStage`` draws it.
"""

from dataclasses import dataclass, field

import msgspec
import numpy as np
import numpy.typing as npt

from client.visibility import derive_connectivity
from client.world.block_table import ClassThresholds
from client.world.changes import ChangeBatch, ChangeKind, ChangeLog
from client.world.lifecycle import SubChunkState
from net.arrays import Slots
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Camera
from render.gpu import Target
from render.gpu.textures import LEVELS, Texels
from render.materials.biome_tints import Tint, TintColours, tint_colours
from render.materials.packs.fogs import NO_FOGS, PackFogs
from render.materials.painters import Moving
from render.mesh import vertex_format
from render.mesh.mesher import AppearanceTables
from render.mesh.vertex_format import GROUPS, MODEL, NO_FACE, Group, Words
from render.scene import FrameSettings, Scene
from tests.support.worlds.blocks import FakePools, FakeTable, FakeWorld

# ---------------------------------------------------------------- painted world

NAMES = (
    "air",
    "flower",
    "leaves",
    "glass",
    "water",
    "placeholder",
    "stone",
    "dirt",
    "grass",
    "sand",
    "log",
    "lamp",
    "red lamp",
)
AIR, FLOWER, LEAVES, GLASS, WATER, PLACEHOLDER, STONE, DIRT, GRASS, SAND, LOG, LAMP, RED_LAMP = range(len(NAMES))
OPAQUE_FROM = STONE
GRASS_SIDE_LAYER, GRASS_TOP_LAYER, LOG_TOP_LAYER = 13, 14, 15
STEPS = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))  # x, z, y of faces 0..5

Volume = npt.NDArray[np.uint16]
"""[x, z, y] of a whole world."""


class PaintedMesh(msgspec.Struct, frozen=True):
    """The quads of a render cell: position, units uint32[n, 2], and counts by group."""

    cell: tuple[int, int, int]
    units: Words
    counts: npt.NDArray[np.int32]


def hills(columns: int = 6, sections: int = 4, seed: int = 3) -> Volume:
    """Hills, a lake, trees, a glass house with lamps."""
    side, height = columns * 16, sections * 16
    x, z = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    rolling = 24 + 7 * np.sin(x / 13.0) * np.cos(z / 17.0) + 3 * np.sin(x / 5.0 + z / 7.0)
    top = rolling.astype(int)
    y = np.arange(height)[None, None, :]
    ground = top[:, :, None]
    blocks = np.where(y < ground - 3, STONE, np.where(y < ground, DIRT, AIR)).astype(np.uint16)
    surface = np.where(top <= 21, SAND, GRASS)
    np.put_along_axis(blocks, ground, surface[:, :, None].astype(np.uint16), axis=2)
    blocks[(blocks == AIR) & (y <= 20)] = WATER
    rng = np.random.default_rng(seed)
    for tx, tz in rng.integers(4, side - 4, (columns * 5, 2)):
        h = top[tx, tz]
        if surface[tx, tz] == GRASS:
            blocks[tx - 2 : tx + 3, tz - 2 : tz + 3, h + 4 : h + 6] = LEAVES
            blocks[tx - 1 : tx + 2, tz - 1 : tz + 2, h + 6 : h + 8] = LEAVES
            blocks[tx, tz, h + 1 : h + 6] = LOG
    for fx, fz in rng.integers(0, side, (side * 2, 2)):
        h = top[fx, fz]
        if blocks[fx, fz, h] == GRASS and blocks[fx, fz, h + 1] == AIR:
            blocks[fx, fz, h + 1] = FLOWER
    h = int(top[side // 2, side // 2]) + 1
    house = blocks[side // 2 : side // 2 + 7, side // 2 : side // 2 + 7, h - 1 : h + 5]
    house[:] = GLASS
    house[1:-1, 1:-1, 1:-1] = AIR
    house[:, :, 0] = STONE
    house[3, 3, 1] = LAMP
    for lx, lz, lamp in ((12, 20, RED_LAMP), (60, 40, LAMP), (30, 70, LAMP)):
        if max(lx, lz) < side:
            blocks[lx, lz, top[lx, lz] + 1] = lamp
    return blocks


def lit(blocks: Volume) -> Volume:
    """Packed light, computed by repeating the rules until nothing changes."""
    opacity = np.where(blocks >= OPAQUE_FROM, 16, np.where(np.isin(blocks, (WATER, LEAVES)), 2, 1)).astype(np.int16)
    opacity[np.isin(blocks, (AIR, FLOWER, GLASS))] = 0
    packed = np.zeros(blocks.shape, np.uint16)
    for channel, sources in enumerate(((LAMP, RED_LAMP), (LAMP,), (LAMP,), ())):
        strength = (15, 13, 9, 0)[channel]
        level = np.where(np.isin(blocks, sources), strength, 0).astype(np.int16)
        if channel == 3:
            down = 15 - np.cumsum(opacity[:, :, ::-1], axis=2)[:, :, ::-1]
            level = np.maximum(level, down.clip(0, 15).astype(np.int16))
        loss = np.maximum(opacity, 1)
        for _ in range(15):
            padded = np.pad(level, 1)
            best = np.max([_shift(padded, step) for step in STEPS], axis=0)
            level = np.maximum(level, np.where(opacity > 15, 0, best - loss))
        packed |= (level.astype(np.uint16)) << np.uint16(4 * channel)
    return packed


def _shift(padded: npt.NDArray[np.int16], step: tuple[int, int, int]) -> npt.NDArray[np.int16]:
    return padded[tuple(slice(1 + s, n - 1 + s) for s, n in zip(step, padded.shape, strict=True))]


def meshes(blocks: Volume) -> list[PaintedMesh]:
    """All visible faces, one quad each, by render cell; faces at the world's edge are hidden."""
    padded = np.pad(blocks, 1, constant_values=STONE)
    padded[:, :, -1] = AIR
    found: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(GROUPS)]
    for face, step in enumerate(STEPS):
        beside = _shift(padded, step)
        open_to = beside < OPAQUE_FROM
        for group, mask in (
            (face, blocks >= OPAQUE_FROM),
            (Group.CUTOUT, blocks == LEAVES),
            (Group.TRANSLUCENT, (blocks == GLASS) & (beside != GLASS)),
            (Group.LIQUID, (blocks == WATER) & (beside != WATER)),
        ):
            where = np.argwhere(mask & open_to)
            found[group].append(np.column_stack([where, np.full(len(where), face)]))
    cells: dict[tuple[int, int, int], list[Words]] = {}
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]] = {}
    for group in range(Group.MODEL):
        _deal(blocks, group, np.concatenate(found[group]), cells, counts)
    _deal_flowers(blocks, cells, counts)
    return [PaintedMesh(cell, np.concatenate(parts), counts[cell]) for cell, parts in sorted(cells.items())]


def _deal(
    blocks: Volume,
    group: int,
    faces: npt.NDArray[np.int64],
    cells: dict[tuple[int, int, int], list[Words]],
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]],
) -> None:
    x, z, y, face = faces.T
    ids = blocks[x, z, y].astype(np.int64)
    layer = ids.copy()
    layer[(ids == GRASS) & (face < 4)] = GRASS_SIDE_LAYER
    layer[(ids == GRASS) & (face == 5)] = GRASS_TOP_LAYER
    layer[(ids == GRASS) & (face == 4)] = DIRT
    layer[(ids == LOG) & (face >= 4)] = LOG_TOP_LAYER
    tint = np.select([ids == GRASS, ids == LEAVES, ids == WATER], [Tint.GRASS, Tint.FOLIAGE, Tint.WATER], Tint.NONE)
    tint[(ids == GRASS) & (face == 4)] = Tint.NONE
    above = np.pad(blocks, ((0, 0), (0, 0), (0, 1)))[x, z, y + 1]
    flags = np.where((ids == GRASS) & (face < 4), vertex_format.TINT_MASK, 0) | np.where(
        ids >= LAMP, vertex_format.GLOWS, 0
    )
    flags |= np.where((ids == WATER) & (above != WATER), vertex_format.LOWERED, 0)
    words = vertex_format.pack(
        vertex_format.CUBE,
        len(x),
        x=x & 15,
        z=z & 15,
        y=y & 31,
        face=face,
        tint=tint,
        flags=flags,
        layer=layer,
        block=ids,
    )
    for cell in sorted(set(zip((x >> 4).tolist(), (y >> 5).tolist(), (z >> 4).tolist(), strict=True))):
        mine = (x >> 4 == cell[0]) & (y >> 5 == cell[1]) & (z >> 4 == cell[2])
        cells.setdefault(cell, []).append(words[mine])
        counts.setdefault(cell, np.zeros(GROUPS, np.int32))[group] = mine.sum()


def _deal_flowers(
    blocks: Volume,
    cells: dict[tuple[int, int, int], list[Words]],
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]],
) -> None:
    for x, z, y in np.argwhere(blocks == FLOWER).tolist():
        cell = (x >> 4, y >> 5, z >> 4)
        ox, oz, oy = (x & 15) * 16, (z & 15) * 16, (y & 31) * 16
        words = vertex_format.pack(
            vertex_format.MODEL,
            2,
            x=[ox + 2, ox + 2],
            z=[oz + 2, oz + 14],
            y=oy + 16,
            ux=12,
            uz=[12, -12],
            uy=0,
            vx=0,
            vz=0,
            vy=-16,
            face=vertex_format.NO_FACE,
            tint=0,
            flags=vertex_format.DOUBLE_SIDED,
            layer=FLOWER,
            block=FLOWER,
            u0=0,
            v0=0,
            u1=16,
            v1=16,
            block_x=x & 15,
            block_z=z & 15,
            block_y=y & 31,
        )
        cells.setdefault(cell, []).append(words.reshape(-1, 2))
        counts.setdefault(cell, np.zeros(GROUPS, np.int32))[Group.MODEL] += 2


def painted_tiles() -> npt.NDArray[np.uint8]:
    """uint8[16, 16, 16, 4] textures by layer: block ids, then grass side, grass top and log top."""
    rng = np.random.default_rng(11)
    base = np.array(
        [
            (0, 0, 0),
            (225, 60, 70),
            (150, 150, 150),
            (200, 225, 235),
            (190, 200, 215),
            (255, 0, 255),
            (125, 125, 128),
            (134, 96, 67),
            (134, 96, 67),
            (219, 207, 160),
            (104, 82, 50),
            (255, 240, 205),
            (255, 110, 90),
            (134, 96, 67),
            (160, 160, 160),
            (160, 130, 80),
        ],
        float,
    )
    noise = 1.0 + rng.normal(0, 0.07, (len(base), 16, 16, 1))
    image = np.empty((len(base), 16, 16, 4), np.uint8)
    image[..., :3] = (base[:, None, None] * noise).clip(0, 255)
    image[..., 3] = 255
    image[LEAVES, ..., 3] = np.where(rng.random((16, 16)) < 0.28, 0, 255)
    image[GLASS, ..., 3] = 40
    for edge in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        image[GLASS][edge][..., 3] = 220
    image[WATER, ..., 3] = 170
    image[GRASS_SIDE_LAYER, ..., 3] = 0
    image[GRASS_SIDE_LAYER, :4] = image[GRASS_TOP_LAYER, :4]
    image[GRASS_SIDE_LAYER, :4, :, 3] = 255
    image[FLOWER, ..., 3] = 0
    image[FLOWER, 2:7, 5:11, 3] = 255
    image[FLOWER, 7:, 7:9] = (70, 130, 50, 255)
    return image


# ---------------------------------------------------------------- painted store

DIMENSION = Dimension(0, "painted", 0, 4, True)


class PaintedPools(FakePools):
    """Fake pools with shared slots and epochs."""

    epoch = 0

    def are_own(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """All slots except air and placeholder are their own."""
        own: npt.NDArray[np.bool_] = slots >= 2
        return own

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Does nothing: no slot is retired."""
        del oldest_running_epoch
        return 0


class PaintedStore(FakeWorld):
    """A store of painted blocks that logs changes like the real one."""

    def __init__(
        self, dimension: Dimension = DIMENSION, rows: int = 128, table: object = None, slots: int = 4096
    ) -> None:
        """Without columns; ``table`` is by default that of the painted blocks. Each edit takes a slot."""
        super().__init__(dimension, table or painted_table(), rows, slots)
        pools = PaintedPools(self.table, slots)
        pools.connectivity[0] = 0x3F3F3F3F3F3F
        self.pools = pools
        self.state = np.full(rows * dimension.sections, SubChunkState.UNKNOWN, np.uint8)
        self.changes = ChangeLog()

    def load(self, blocks: Volume, columns: list[ColumnPos] | None = None, second: Volume | None = None) -> None:
        """Adds columns with their blocks in one drain, by default all of the volume.

        ``second``: their second layers.
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

    def _show_section(self, blocks: Volume, column: ColumnPos, section: int) -> int:
        place = self.place(column, section)
        ids = _section_of(blocks, column, section)
        missing = bool((ids == PLACEHOLDER).all())
        self.show(place, None if missing else ids)
        known = SubChunkState.DATA if self.slot[place] else SubChunkState.ALL_AIR
        self.state[place] = SubChunkState.UNKNOWN if missing else known
        return place

    @property
    def since(self) -> npt.NDArray[np.float64]:
        """No place has a time."""
        return np.zeros(len(self.slot))

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Plains, with a taiga in the south."""
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
        derive_connectivity(self.pools, slots[slots > 1].astype(np.int32))

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


def _section_of(blocks: Volume, column: ColumnPos, section: int) -> npt.NDArray[np.uint16]:
    x, z, y = column.x * 16, column.z * 16, section * 16
    return np.ascontiguousarray(blocks[x : x + 16, z : z + 16, y : y + 16]).reshape(4096)


def painted_table() -> FakeTable:
    """The classes, lamps and opacities of the painted blocks."""
    count = len(NAMES)
    opacity = np.zeros((4, count), np.uint8)
    opacity[:, WATER] = 2
    opacity[:, LEAVES] = 2
    opacity[:, PLACEHOLDER:] = 15
    emission = np.zeros(count, np.uint16)
    emission[LAMP] = 15 | 13 << 4 | 9 << 8
    emission[RED_LAMP] = 15
    first = ClassThresholds(FLOWER, LEAVES, GLASS, WATER, PLACEHOLDER, STONE)
    return FakeTable(emission, opacity, first)


@dataclass
class PaintedLooks:
    """Looks of the painted blocks."""

    tables: AppearanceTables
    generation: int = 0
    layers: int = 0
    moving: dict[int, Moving] = field(default_factory=dict)
    fogs: PackFogs = NO_FOGS

    @classmethod
    def make(cls) -> "PaintedLooks":
        """The appearance of all painted blocks."""
        return cls(painted_mesh_tables())

    @property
    def tint_colours(self) -> TintColours:
        """The default tint colours."""
        return tint_colours()

    def resize(self, most_layers: int) -> None:
        """Does nothing: there are few layers."""
        assert len(painted_tiles()) <= most_layers

    def grow(self, world: object) -> None:
        """All layers on the first call, none later."""
        del world
        self.layers = len(painted_tiles())

    def levels(self, layers: range) -> list[Texels]:
        """All mip levels, each made of every other texel."""
        tiles = painted_tiles()[layers.start : layers.stop]
        return [np.ascontiguousarray(tiles[:, :: 1 << k, :: 1 << k]) for k in range(LEVELS)]


def painted_mesh_tables() -> AppearanceTables:
    """The tables that the mesh kernel reads."""
    count = len(NAMES)
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
            layer=FLOWER,
            block=FLOWER,
            u1=16,
            v1=16,
        )
        for z, uz in ((2, 12), (14, -12))
    ]
    rows = np.zeros((count, 2), np.int32)
    rows[FLOWER] = 0, 2
    classes = [FLOWER, LEAVES, GLASS, WATER, PLACEHOLDER, STONE, WATER]
    return AppearanceTables(
        classes=np.array(classes, np.int64),
        amounts=np.full(count, 8, np.uint8),
        liquids=np.ones(count, np.uint8),
        faces=looks,
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
    flags = vertex_format.GLOWS if dense >= LAMP else 0
    tint = {LEAVES: Tint.FOLIAGE, WATER: Tint.WATER}.get(dense, Tint.NONE)
    if dense == GRASS and face < 4:
        return GRASS_SIDE_LAYER, Tint.GRASS, vertex_format.TINT_MASK
    if dense == GRASS:
        return (GRASS_TOP_LAYER, Tint.GRASS, 0) if face == 5 else (DIRT, Tint.NONE, 0)
    if dense == LOG and face >= 4:
        return LOG_TOP_LAYER, Tint.NONE, 0
    return dense, int(tint), flags


# ---------------------------------------------------------------- painted stage


class PaintedStage:
    """A scene on a painted store; subclasses make scene and target, both are released here."""

    scene: Scene
    target: Target
    eye: tuple[float, float, float]
    """In blocks."""

    def picture(self, look: FrameSettings | None = None) -> npt.NDArray[np.uint8]:
        """The current picture, as ``Target.pixels``."""
        self.scene.draw(Camera(self.eye, -10.0, 25.0, 70.0, self.target.aspect), self.target, look or FrameSettings())
        return self.target.pixels()

    def close(self) -> None:
        """Releases everything."""
        self.scene.release()
        self.target.release()
