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
5. A fog that the server set comes before the fogs of biomes in packs. Of biomes, the mean of those at the surface
   within ``BIOME_REACH_BLOCKS`` counts, so that nothing changes at once at a border; where some have no fog, ours has
   their share. Air fades from the start of its fog to the end and has no haze; its end is not nearer than
   ``LEAST_AIR_BLOCKS``, and not beyond that of the loaded world, whose edge would show.

Limits: Water and lava fade exponentially, as ours do, and are at ``COMPLETE`` at the end of their fog. Fog in air does
not hide clouds and the sky above.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import product, starmap
from math import floor, log
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.light.slots import FULL_DAYLIGHT
from client.session.weather import name_of
from client.streaming.anchors import RELEASE_MARGIN_COLUMNS
from client.world.height_maps import UNKNOWN_TOP
from client.world.store import Store
from net.arrays import I32, U8, U16, ColumnPositions
from net.space import BlockPos, ColumnPos, coordinates
from render.camera import Camera, Vector
from render.draw_options import Cut
from render.materials.packs.fogs import FogLayer, PackFogs, undefined_fog
from render.materials.packs.tables import plain_name
from render.materials.packs.troubles import LOG
from render.mesh.vertex_format import LIQUID_DROP
from render.passes.atmosphere import AIR, LAVA, WATER, Colour, GivenAir, GivenColour, Medium, bright_enough
from render.passes.frame_settings import FrameSettings
from render.passes.frame_uniforms import Fog, LoadedArea
from render.passes.precipitation import REACH_BLOCKS, Sheets
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.gpu_copy.tint_map import TintMap
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.grid import dense_at
from render.scene.world_view import DATA, RESET, WorldView

START_SHARE: Final = 0.78
END_SHARE: Final = 1.15  # the loaded square's corners are farther away than its sides, which the rim hides
RIM_SHARE: Final = 0.30
RIM_MOST_BLOCKS: Final = 48.0


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
    return dense_at(world, block) >= world.table.first.opaque


def eye_inside(world: Store, block: BlockPos, cut: Cut | None = None) -> str:
    """A sentence that says that the eye is in an opaque block; empty if it is not, or if a cut hides the block."""
    if not encloses(world, block) or (cut is not None and not cut.shows(block.y)):
        return ""
    name = world.block(block).name.removeprefix("minecraft:")
    return f"The camera is inside a block ({name}, at {coordinates(block)}), so you see through the world."


def useless_cut(world: Store, cut: Cut | None) -> str:
    """A sentence that says that a cut hides no block that arrived, or all; empty if it hides some."""
    if cut is None:
        return ""
    places = world.announced_rows[:, None] * world.dimension.sections + np.arange(world.dimension.sections)
    received = np.isin(world.state[places], (DATA, RESET)).any(axis=0)
    floors = world.dimension.floor_y_blocks + 16 * np.flatnonzero(received)
    if not len(floors):
        return ""
    low, roof = int(floors[0]), int(floors[-1]) + 16
    if cut.low <= low and roof <= cut.high:
        return f"The cut hides nothing: all blocks that were received are at y {low} to {roof - 1}."
    if roof <= cut.low or cut.high <= low:
        return f"The cut hides everything: all blocks that were received are at y {low} to {roof - 1}."
    return ""


def _liquid(world: Store, block: BlockPos) -> int | None:
    """The dense id of the liquid in one of a block's layers."""
    first, place, cell = world.table.first, world.place_of(block.subchunk), block.in_subchunk
    layers = world.pools.blocks[world.slot[place], cell], world.pools.layer1[world.layer1_slot[place], cell]
    return next((int(dense) for dense in layers if first.liquid <= dense < first.placeholder), None)


# ---------------------------------------------------------------- fogs that are given

BIOME_REACH_BLOCKS: Final = 8
LEAST_AIR_BLOCKS: Final = 4.0
LEAST_LIQUID_BLOCKS: Final = 0.5
COMPLETE: Final = 0.95
"""Share that a liquid hides at the end of its fog."""

BiomeShares = dict[str, float]
"""Plain names of biomes, with their shares; unknown ones have no name."""


class GivenFog(msgspec.Struct, frozen=True):
    """A fog layer as it is for one eye: of the server, or the mean of the biomes around."""

    colour: Colour
    start_blocks: float
    end_blocks: float
    share: float  # of the biomes around that have it


def biomes_around(world: Store, eye: Vector, own_names: Mapping[int, str]) -> BiomeShares:
    """Biomes at the surface around an eye; none if their columns are missing."""
    x, z = floor(eye[0]), floor(eye[2])
    reach = BIOME_REACH_BLOCKS
    found: list[U16] = []
    for column in _columns_near(world, x, z, reach):
        dx, dz = x - column.x * 16, z - column.z * 16
        square = world.surface_biomes(column).reshape(16, 16)
        found.append(square[max(dx - reach, 0) : dx + reach + 1, max(dz - reach, 0) : dz + reach + 1].ravel())
    numbers, counts = np.unique(np.concatenate(found) if found else np.zeros(0, np.uint16), return_counts=True)
    shares: BiomeShares = {}
    for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
        name = plain_name((name_of(number, own_names) or "").replace(" ", "_"))
        shares[name] = shares.get(name, 0.0) + count / int(counts.sum())
    return shares


def fog_given(
    fogs: PackFogs, stack: Sequence[str], around: BiomeShares, layer: str, reach_blocks: float
) -> GivenFog | None:
    """A layer as it is where these biomes are around the eye; None if neither the server nor a biome's fog has it."""
    uppermost = fogs.uppermost(stack, layer)
    parts = [(uppermost, 1.0)] if uppermost else [(fogs.around(name, layer), share) for name, share in around.items()]
    known: list[tuple[FogLayer, float]] = [(fog, share) for fog, share in parts if fog is not None]
    if not known:
        return None
    shares = np.array([share for _, share in known])
    rows = np.array([(*fog.colour, *fog.blocks(reach_blocks)) for fog, _ in known])
    red, green, blue, start, end = (shares @ rows / shares.sum()).tolist()
    return GivenFog(bright_enough((red, green, blue)), start, end, float(shares.sum()))


def _colour_of(given: GivenFog | None) -> GivenColour:
    return GivenColour(given.colour, given.share) if given else GivenColour()


def sky_given(fogs: PackFogs, around: BiomeShares) -> GivenColour:
    known = [(sky, share) for name, share in around.items() if (sky := fogs.sky(name)) is not None]
    if not known:
        return GivenColour()
    shares = np.array([share for _, share in known])
    red, green, blue = (shares @ np.array([sky for sky, _ in known]) / shares.sum()).tolist()
    return GivenColour((red, green, blue), float(shares.sum()))


def in_air(fog: Fog, given: GivenFog, share: float, farthest_blocks: float) -> Fog:
    """A fade of which a given fog has a share."""
    end = min(max(given.end_blocks, LEAST_AIR_BLOCKS), farthest_blocks)
    start = min(given.start_blocks, end - 1.0)
    return replace(fog, start=fog.start + (start - fog.start) * share, end=fog.end + (end - fog.end) * share)


def in_liquid(medium: Medium, given: GivenFog) -> Medium:
    """A medium of which a given fog has a share."""
    thick = max(given.end_blocks - given.start_blocks, LEAST_LIQUID_BLOCKS)
    density = -log(1.0 - COMPLETE) / thick
    mixed = np.array(medium.colour) * (1.0 - given.share) + np.array(given.colour) * given.share
    red, green, blue = mixed.tolist()
    return replace(
        medium,
        colour=(red, green, blue),
        density_per_block=medium.density_per_block + (density - medium.density_per_block) * given.share,
        clear_blocks=given.start_blocks * given.share,
    )


# ---------------------------------------------------------------- precipitation

NOTHING: Final = 0
RAIN: Final = 1
SNOW: Final = 2
OF_CLIMATE: Final = {"cold": SNOW, "dry": NOTHING, "mesa": NOTHING, "nether": NOTHING}
BIOMES: Final = 256


def sheets_around(world: Store, eye: Vector) -> Sheets:
    x, z = floor(eye[0]), floor(eye[2])
    parts = [_sheets_of(world, column) for column in _columns_near(world, x, z, REACH_BLOCKS)]
    if not parts:
        return np.zeros((0, 4), np.int32)
    sheets = np.concatenate(parts)
    offset = sheets[:, :2] - np.array([x, z])
    away = (offset * offset).sum(axis=1)
    low = sheets[:, 2] < eye[1] + REACH_BLOCKS
    chosen = np.flatnonzero((away <= REACH_BLOCKS**2) & (sheets[:, 3] != NOTHING) & low)
    order = np.lexsort((sheets[chosen, 1], sheets[chosen, 0], -away[chosen]))
    return np.ascontiguousarray(sheets[chosen[order]])


def _columns_near(world: Store, x: int, z: int, reach: int) -> list[ColumnPos]:
    """Announced columns with a block within ``reach`` blocks of one, along each axis."""
    xs, zs = (range(at - reach >> 4, (at + reach >> 4) + 1) for at in (x, z))
    return [column for column in starmap(ColumnPos, product(xs, zs)) if column in world.row_of]


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

    def __init__(self, mirror: GpuVolumes, tints: TintMap, appearance: BlockAppearance, radius_columns: int) -> None:
        self._mirror = mirror
        self._tints = tints
        self._appearance = appearance
        self._radius_columns = radius_columns
        self._fogged: tuple[tuple[WorldView, int, float, float], Fog] | None = None
        self._falling: tuple[tuple[WorldView, int, int, int], Sheets] | None = None
        self._area: tuple[tuple[object, ...], LoadedArea] | None = None
        self._biomes: tuple[tuple[object, ...], BiomeShares] | None = None
        self._reported: set[str] = set()  # fogs of the server that no pack defines

    def sheets(self, attached: WorldView, camera: Camera) -> Sheets:
        """Places of precipitation; the same array while neither the eye's block nor the world changes."""
        key = attached, attached.state.version, *camera.eye_block[::2]
        if self._falling is None or self._falling[0] != key:
            self._falling = key, sheets_around(attached.world, camera.eye)
        return self._falling[1]

    def area(self, attached: WorldView, eye: Vector, settings: FrameSettings) -> LoadedArea:
        """The constants of a frame that depend on the world; the same object while they do not change."""
        masks = self._mirror.light.table_mask, self._mirror.blocks.table_mask, self._tints.mask
        fogs = self._appearance.fogs
        given = settings.fogs or fogs.by_biome
        key = attached, attached.state.version, eye, masks, given and (fogs, settings.fogs, settings.weather)
        if self._area is None or self._area[0] != key:
            area = self._area_at(attached, eye)
            if given:
                area = self._under_fogs(area, fogs, attached, eye, settings)
            self._area = key, area
        return self._area[1]

    def _under_fogs(
        self, area: LoadedArea, fogs: PackFogs, attached: WorldView, eye: Vector, settings: FrameSettings
    ) -> LoadedArea:
        """The same under the fogs that the server set, and those of the biomes around."""
        self._report(fogs.undefined(settings.fogs))
        around = self._biomes_around(attached, eye, settings) if fogs.by_biome else {}

        def given(layer: str) -> GivenFog | None:
            return fog_given(fogs, settings.fogs, around, layer, self._radius_columns * 16.0)

        air, weather, medium = given("air"), given("weather"), area.medium
        fade, haze_share = area.fog, 1.0
        wet = max(settings.weather.rain, settings.weather.thunder)
        for fog, strength in ((air, 1.0), (weather, wet if attached.world.dimension.has_sky else 0.0)):
            if fog is not None:
                fade = in_air(fade, fog, strength * fog.share, area.fog.end)
                haze_share *= 1.0 - strength * fog.share
        liquid = given(medium.layer) if medium.layer != AIR.layer else None
        return replace(
            area,
            fog=fade,
            haze_share=haze_share,
            given=GivenAir(_colour_of(air), _colour_of(weather), sky_given(fogs, around)),
            medium=in_liquid(medium, liquid) if liquid else medium,
        )

    def _biomes_around(self, attached: WorldView, eye: Vector, settings: FrameSettings) -> BiomeShares:
        key = attached, attached.state.version, floor(eye[0]), floor(eye[2]), tuple(settings.biome_names.items())
        if self._biomes is None or self._biomes[0] != key:
            self._biomes = key, biomes_around(attached.world, eye, settings.biome_names)
        return self._biomes[1]

    def _report(self, undefined: Sequence[str]) -> None:
        """Logs each fog once that the server set and no pack defines."""
        for name in undefined:
            if name not in self._reported:
                self._reported.add(name)
                LOG.warning("%s", undefined_fog(name))

    def _area_at(self, attached: WorldView, eye: Vector) -> LoadedArea:
        world = attached.world
        return LoadedArea(
            floor_y_blocks=world.dimension.floor_y_blocks,
            roof_y_blocks=world.dimension.roof_y_blocks,
            light_above=FULL_DAYLIGHT if world.dimension.has_sky else 0,
            light_below=0,
            fog=self._fog(attached, eye),
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
    return replace(area, fog=Fog(NO_FOG_BLOCKS, 2 * NO_FOG_BLOCKS, NO_RIM_BLOCKS, area.fog.loaded))
