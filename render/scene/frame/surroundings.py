"""The world around the eye as passes need it: fog, medium, and precipitation.

Kept from frame to frame: computed again when columns came or went, or the eye came to another block or column.

Rules:
1. The world fades into the sky with distance, and at the rim of the loaded area.
2. An eye is in a liquid up to the next block without liquid; the topmost liquid ends ``LIQUID_DROP`` sixteenths below
   its top. A liquid that shines is lava, any other water. Both layers count. Placeholders and missing columns are air.
3. An eye in an opaque block looks through it, into the world: such a picture has a dark vignette, and a sentence
   reports it.
4. Nothing falls below a column's surface, or where the height map is unknown. It snows if the surface's biome is cold,
   nothing falls if it is dry; otherwise, and if the biome is unknown, it rains (``assets/biomes.toml``).
"""

import tomllib
from functools import cache
from importlib import resources
from math import floor
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.light.slots import FULL_DAYLIGHT
from client.streaming.anchors import RELEASE_MARGIN_COLUMNS
from client.world.height_maps import UNKNOWN_TOP
from client.world.store import Store
from net.arrays import I32, U8, ColumnPositions
from net.space import BlockPos, ColumnPos, coordinates
from render.camera import Camera, Vector
from render.draw_options import Cut
from render.mesh.vertex_format import LIQUID_DROP
from render.passes.atmosphere import AIR, LAVA, WATER, Medium
from render.passes.frame_uniforms import LoadedArea
from render.passes.precipitation import REACH_BLOCKS, Sheets
from render.scene.gpu_copy.tint_map import TintMap
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.world_view import WorldView

START_SHARE: Final = 0.78
END_SHARE: Final = 1.15  # the loaded square's corners are farther away than its sides, which the rim hides
RIM_SHARE: Final = 0.30
RIM_MOST_BLOCKS: Final = 48.0


class Fog(msgspec.Struct, frozen=True):
    """The fade of one frame, in blocks."""

    start: float  # where it begins, across
    end: float  # where it is complete
    rim: float  # width of the faded rim of what is loaded
    loaded: tuple[float, float, float, float]  # low x, low z, high x, high z of the loaded area


def fog_of(columns: I32, radius_columns: int) -> Fog:
    """The fade, from the square around all columns and the intended end of the world around the eye."""
    reach = radius_columns * 16.0
    low, high = np.zeros(2), np.zeros(2)
    if len(columns):
        across, along = columns[:, 0], columns[:, 1]  # separately: NumPy takes five times as long for pairs
        low, high = np.array([across.min(), along.min()]), np.array([across.max() + 1, along.max() + 1])
    loaded = float(low[0]) * 16, float(low[1]) * 16, float(high[0]) * 16, float(high[1]) * 16
    narrow = min(loaded[2] - loaded[0], loaded[3] - loaded[1])
    rim = min(reach * RIM_SHARE, narrow * RIM_SHARE / 2, RIM_MOST_BLOCKS)
    return Fog(reach * START_SHARE, reach * END_SHARE, max(rim, 1.0), loaded)


# ---------------------------------------------------------------- eye medium

HIGHEST_LOOK_BLOCKS = 64
"""Distance upwards in which a surface is searched; a deeper eye sees no surface."""


def medium_at(world: Store, eye: Vector) -> Medium:
    """The medium of an eye, in blocks."""
    x, y, z = (floor(axis) for axis in eye)
    dense = _liquid(world, BlockPos(x, y, z))
    if dense is None:
        return AIR
    top = y
    while top < y + HIGHEST_LOOK_BLOCKS and _liquid(world, BlockPos(x, top + 1, z)) is not None:
        top += 1
    surface = top + 1 - LIQUID_DROP / 16
    if eye[1] >= surface:
        return AIR
    return replace(LAVA if world.table.emission[dense] else WATER, surface_y_blocks=surface)


def encloses(world: Store, block: BlockPos) -> bool:
    """Whether an eye in this block is in an opaque block and looks through its sides."""
    return any(dense >= world.table.first.opaque for dense in _layers(world, block)[:1])


def eye_inside(world: Store, block: BlockPos, cut: Cut | None = None) -> str:
    """A sentence that says that the eye is in an opaque block; empty if it is not, or if a cut hides the block."""
    if not encloses(world, block) or (cut is not None and not cut.shows(block.y)):
        return ""
    name = world.block(block).name.removeprefix("minecraft:")
    return f"The eye is inside {name} at block {coordinates(block)}: the picture looks through it."


def _liquid(world: Store, block: BlockPos) -> int | None:
    first = world.table.first
    return next((dense for dense in _layers(world, block) if first.liquid <= dense < first.placeholder), None)


def _layers(world: Store, block: BlockPos) -> tuple[int, ...]:
    """Both dense ids of a block; none if it is unknown."""
    dimension = world.dimension
    row = world.row_of.get(block.column, 0)
    if not row or not dimension.floor_y_blocks <= block.y < dimension.roof_y_blocks:
        return ()
    place = row * dimension.sections + block.subchunk.y - dimension.floor_section
    pools, cell = world.pools, block.in_subchunk
    return int(pools.blocks[world.slot[place], cell]), int(pools.layer1[world.layer1_slot[place], cell])


# ---------------------------------------------------------------- precipitation

NOTHING: Final = 0
RAIN: Final = 1
SNOW: Final = 2
OF_CLIMATE: Final = {"cold": SNOW, "dry": NOTHING, "mesa": NOTHING, "nether": NOTHING}
BIOMES: Final = 256


def sheets_around(world: Store, eye: Vector) -> Sheets:
    """Sheets within ``REACH_BLOCKS`` of an eye, farthest first."""
    x, z = floor(eye[0]), floor(eye[2])
    span = np.arange(-REACH_BLOCKS, REACH_BLOCKS + 1)
    columns = {
        ColumnPos(cx, cz)
        for cx in range(x - REACH_BLOCKS >> 4, (x + REACH_BLOCKS >> 4) + 1)
        for cz in range(z - REACH_BLOCKS >> 4, (z + REACH_BLOCKS >> 4) + 1)
    }
    parts = [_sheets_of(world, column) for column in sorted(columns) if column in world.row_of]
    if not parts:
        return np.zeros((0, 4), np.int32)
    sheets = np.concatenate(parts)
    offset = sheets[:, :2] - np.array([x, z])
    away = (offset * offset).sum(axis=1)
    low = eye[1] + span[-1]
    chosen = np.flatnonzero((away <= REACH_BLOCKS**2) & (sheets[:, 3] != NOTHING) & (sheets[:, 2] < low))
    order = np.lexsort((sheets[chosen, 1], sheets[chosen, 0], -away[chosen]))
    return np.ascontiguousarray(sheets[chosen[order]])


def _sheets_of(world: Store, column: ColumnPos) -> Sheets:
    """All sheets of one column: int32[256, 4]."""
    tops = world.height_map(column).reshape(16, 16).T.ravel()  # by x << 4 | z, the order of biomes
    x, z = np.divmod(np.arange(256), 16)
    biomes = world.surface_biomes(column)
    kinds = np.where(tops == UNKNOWN_TOP, NOTHING, falls()[np.minimum(biomes, BIOMES)])
    return np.stack([column.x * 16 + x, column.z * 16 + z, tops, kinds], axis=1).astype(np.int32)


@cache
def falls() -> U8:
    """uint8[257] NOTHING, RAIN or SNOW by biome; the last is for all higher ids."""
    table = np.full(BIOMES + 1, RAIN, np.uint8)
    climates = tomllib.loads(resources.files("assets").joinpath("biomes.toml").read_text("utf-8"))
    for name, kind in OF_CLIMATE.items():
        table[climates[name]["ids"]] = kind
    table.flags.writeable = False
    return table


# ---------------------------------------------------------------- surroundings

NO_FOG_BLOCKS: Final = 1e6
NO_RIM_BLOCKS: Final = 1e-3


class Surroundings:
    """The surroundings of one scene's eye. Owner thread only."""

    def __init__(self, mirror: GpuVolumes, tints: TintMap, radius_columns: int) -> None:
        """Stores the sources and the intended view distance."""
        self._mirror = mirror
        self._tints = tints
        self._radius_columns = radius_columns
        self._fogged: tuple[tuple[WorldView, int, float, float], Fog] | None = None
        self._falling: tuple[tuple[WorldView, int, int, int], Sheets] | None = None
        self._area: tuple[tuple[object, ...], LoadedArea] | None = None

    def sheets(self, attached: WorldView, camera: Camera) -> Sheets:
        """Places of precipitation; the same array while neither the eye's block nor the world changes."""
        key = attached, attached.state.version, *camera.eye_block[::2]
        if self._falling is None or self._falling[0] != key:
            self._falling = key, sheets_around(attached.world, camera.eye)
        return self._falling[1]

    def area(self, attached: WorldView, eye: Vector) -> LoadedArea:
        """The constants of a frame that depend on the world; the same object while they do not change."""
        masks = self._mirror.light.table_mask, self._mirror.blocks.table_mask, self._tints.mask
        key = attached, attached.state.version, eye, masks
        if self._area is None or self._area[0] != key:
            self._area = key, self._area_at(attached, eye)
        return self._area[1]

    def _area_at(self, attached: WorldView, eye: Vector) -> LoadedArea:
        world = attached.world
        fog = self._fog(attached, eye)
        return LoadedArea(
            floor_y_blocks=world.dimension.floor_y_blocks,
            roof_y_blocks=world.dimension.roof_y_blocks,
            light_above=FULL_DAYLIGHT if world.dimension.has_sky else 0,
            light_below=0,
            fog_start_blocks=fog.start,
            fog_end_blocks=fog.end,
            rim_blocks=fog.rim,
            loaded_blocks=fog.loaded,
            light_mask=self._mirror.light.table_mask,
            block_mask=self._mirror.blocks.table_mask,
            tint_mask=self._tints.mask,
            medium=medium_at(world, eye),
            enclosed=encloses(world, BlockPos(*map(floor, eye))),
        )

    def _fog(self, attached: WorldView, eye: Vector) -> Fog:
        """The end of the world: computed again when columns came or went, or the eye came to another one."""
        seen_from = attached, attached.state.version, eye[0] // 16, eye[2] // 16
        if self._fogged is None or self._fogged[0] != seen_from:
            self._fogged = seen_from, fog_of(self._columns_around(attached, eye), self._radius_columns)
        return self._fogged[1]

    def _columns_around(self, attached: WorldView, eye: Vector) -> ColumnPositions:
        """Shown columns, without distant ones that belong to another anchor."""
        columns: ColumnPositions = attached.world.columns[np.flatnonzero(attached.residency.shown)]
        if not attached.residency.anchored:
            return columns
        at = np.array([eye[0], eye[2]]) // 16
        near = columns[np.abs(columns - at).max(axis=1, initial=0) <= self._radius_columns + RELEASE_MARGIN_COLUMNS]
        return near if len(near) else columns


def without_fog(area: LoadedArea) -> LoadedArea:
    """The same for a view from far outside of the loaded area: nothing fades."""
    return replace(area, fog_start_blocks=NO_FOG_BLOCKS, fog_end_blocks=2 * NO_FOG_BLOCKS, rim_blocks=NO_RIM_BLOCKS)
