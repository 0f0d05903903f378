"""One property of each surface in place of the picture: overlays ``channel-*``, ``light-*``, ``merge``, ``mirror``.

Rules:
1. The frame's own list is drawn again with another fragment shader (``surface.frag``): the same quads, order,
   culling and depth. A frame without such an overlay compiles and does nothing.
2. The nearest surface counts, however transparent it is; only albedo is blended, as in the picture.
3. Of several such overlays the last of ``SURFACES`` shows: each covers the whole picture.
4. Levels and counts are shown by brightness that grows with them, never by hue alone; legends take the ramps from here.

Overdraw counts fragments that pass the depth test in drawing order, holes of cut-outs left out. Each adds
``OVERDRAW_STEP`` to the pixel, so the count can be read back: blue / 8, up to 31.

X-ray (``xray-placeholder``, ``xray-air``) shows what terrain hides, by a march through the block-ID map: one
triangle over the picture, blended, without depth; each pixel's ray continues behind the surface that was drawn there.
Placeholders that were never requested (hidden, so also in a correct world) are not shown; the GPU gets a map of them.
"""

import hashlib
import json
from collections.abc import Sequence
from enum import IntEnum
from math import log2
from typing import Any, Final, NamedTuple

import numpy as np

from client.world.block_table import BlockTable, ClassThresholds
from net.arrays import U8, U16, U32, SubChunkPositions
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.quad_arena import QuadArena
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.materials.materials import BlockStateLike
from render.materials.paint_devices import number_mask
from render.passes.block_march import DEFINES, set_classes
from render.passes.draw_list import RunList
from render.passes.terrain import TerrainPass

FAR_BLOCKS: Final = 1024.0
"""Depth from which on surfaces are darkest."""
NUMBERS_BLOCKS: Final = 12.0
"""Distance up to which numbers are drawn on faces."""
OVERDRAW_STEP: Final = (40, 20, 8)
MOST_OVERDRAW: Final = 255 // OVERDRAW_STEP[2]
FIRST_IDS: Final = 16384
TRAITS_BYTES: Final = 8

Rgb = tuple[int, int, int]

LEVEL_STOPS: Final = ((8, 6, 24), (52, 18, 98), (118, 30, 122), (190, 55, 84), (238, 118, 42), (252, 236, 150))
"""Colours of the ramp of levels 0..15: from night blue through purple and orange to pale yellow, ever brighter."""
BRICK, UNIFORM, LEFT_OUT, DIFFERS = (86, 180, 233), (0, 190, 140), (230, 159, 0), (255, 0, 255)
WIRE, WIRE_BEHIND, WIRE_GROUND = (240, 228, 66), (8, 16, 24), (6, 8, 12)


class Shows(IntEnum):
    """The property that is shown."""

    ALBEDO = 0
    NORMAL = 1
    DEPTH = 2
    BLOCK = 3
    LIGHT = 4
    OVERDRAW = 5
    WIRE = 6
    WIRE_BEHIND = 7
    WIRE_GROUND = 8
    LEVEL = 9
    MERGE = 10
    MIRROR = 11


class SurfaceChannel(NamedTuple):
    """A property that an overlay shows of surfaces; ``channel`` of light 0..3, red, green, blue, daylight."""

    shows: Shows
    channel: int = 0


SURFACES: Final = {
    "channel-albedo": SurfaceChannel(Shows.ALBEDO),
    "channel-normal": SurfaceChannel(Shows.NORMAL),
    "channel-depth": SurfaceChannel(Shows.DEPTH),
    "channel-block": SurfaceChannel(Shows.BLOCK),
    "channel-light": SurfaceChannel(Shows.LIGHT),
    "channel-overdraw": SurfaceChannel(Shows.OVERDRAW),
    "channel-wire": SurfaceChannel(Shows.WIRE),
    "light-r": SurfaceChannel(Shows.LEVEL, 0),
    "light-g": SurfaceChannel(Shows.LEVEL, 1),
    "light-b": SurfaceChannel(Shows.LEVEL, 2),
    "light-d": SurfaceChannel(Shows.LEVEL, 3),
    "merge": SurfaceChannel(Shows.MERGE),
    "mirror": SurfaceChannel(Shows.MIRROR),
}
"""By the overlay's name."""


def level_ramp() -> U8:
    """uint8[16, 3] colours of light levels 0..15."""
    at = np.linspace(0, len(LEVEL_STOPS) - 1, 16)
    stops = np.array(LEVEL_STOPS, np.float64)
    channels = [np.interp(at, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.rint(np.stack(channels, axis=1)).astype(np.uint8)


def overdraw_colour(count: int) -> Rgb:
    """Colour of a pixel by how often it was shaded."""
    red, green, blue = (min(step * count, 255) for step in OVERDRAW_STEP)
    return red, green, blue


def depth_grey(far_blocks: float) -> int:
    """Brightness of a depth along the view direction, 0..255."""
    share = 1.0 - log2(min(max(far_blocks, 1.0), FAR_BLOCKS)) / log2(FAR_BLOCKS)
    return round(25 + 230 * share)


def block_colour(name: str, states: str) -> Rgb:
    """A state's colour in every picture: a hash of its name with prefix, and its values as JSON with sorted keys."""
    red, green, blue = hashlib.blake2b(f"{name} {states}".encode(), digest_size=3).digest()
    return red // 4 * 3 + 64, green // 4 * 3 + 64, blue // 4 * 3 + 64


def digit_bits(digit: int) -> int:
    """A digit's 3 x 5 texels: bit ``row * 3 + column``, rows from the top."""
    mask = number_mask(digit)
    return sum(1 << at for at, covered in enumerate(mask.ravel().tolist()) if covered)


def defines() -> dict[str, int | str]:
    """Defines of the values above, for the shader."""
    result: dict[str, int | str] = {f"SHOWS_{shows.name}": int(shows) for shows in Shows}
    result.update({f"DIGIT_{digit}": digit_bits(digit) for digit in range(10)})
    tones = {"BRICK": BRICK, "UNIFORM": UNIFORM, "LEFT_OUT": LEFT_OUT, "DIFFERS": DIFFERS}
    tones |= {"WIRE": WIRE, "WIRE_BEHIND": WIRE_BEHIND, "WIRE_GROUND": WIRE_GROUND}
    result.update({f"{name}_TONE": _vector(tone) for name, tone in tones.items()})
    result.update(
        OVERDRAW_STEP=_vector(OVERDRAW_STEP), FAR_BLOCKS=repr(FAR_BLOCKS), NUMBERS_BLOCKS=repr(NUMBERS_BLOCKS)
    )
    return result


def _vector(tone: Rgb) -> str:
    return f"(vec3({tone[0]}.0, {tone[1]}.0, {tone[2]}.0) / 255.0)"


def traits_of(states: Sequence[BlockStateLike], emission: U16) -> U32:
    """uint32[n, 2] by dense id: red | green << 8 | blue << 16 of its colour, and its emission."""
    traits = np.zeros((len(states), 2), np.uint32)
    for dense, state in enumerate(states):
        red, green, blue = block_colour(state.name, json.dumps(dict(state.states), sort_keys=True))
        traits[dense, 0] = red | green << 8 | blue << 16
    traits[:, 1] = emission[: len(states)]
    return traits


class SurfacesPass(GlOwner):
    """Draws one property of everything in a frame's list. Owner thread only."""

    def __init__(self, gpu: Gpu, arena: QuadArena, indirect: bool = False) -> None:
        """Compiles its programs; ``arena`` and ``indirect`` as for ``TerrainPass``."""
        super().__init__(gpu)
        self._terrain = self._own(TerrainPass(gpu, arena, indirect=indirect, fragment="surface.frag", more=defines()))
        self._traits = self._own(
            BufferTexture(gpu, "surface traits", Unit.SURFACE_TRAITS, gl.RG32UI, FIRST_IDS * TRAITS_BYTES)
        )
        self._sent: tuple[BlockTable, int] | None = None
        self._told: dict[str, Any] = {}
        self._tell("ramp", tuple(map(tuple, (level_ramp() / 255.0).tolist())))

    def draw(self, surface: SurfaceChannel, meshes: RunList, target: Target, table: BlockTable) -> None:
        """Replaces the picture, with its depth; constants, volumes and textures must be bound already."""
        self._send(table)
        self._traits.bind()
        self._tell("channel", surface.channel)
        self._tell("liquids", (table.first.liquid, table.first.placeholder))
        self._terrain.forget_order()
        target.begin()
        if surface.shows is Shows.WIRE:
            self._draw_wire(meshes, target)
        else:
            self._draw(surface.shows, meshes, target, surface.shows is Shows.OVERDRAW)

    def _draw(self, shows: Shows, meshes: RunList, target: Target, additive: bool = False) -> None:
        self._tell("shows", int(shows))
        self._terrain.draw_solid(meshes, additive)
        self._terrain.draw_blended(meshes, target, additive)

    def _draw_wire(self, meshes: RunList, target: Target) -> None:
        """Edges in front of solid surfaces are bright; those behind shine through, brighter the more there are."""
        ctx = self._gpu.ctx
        self._tell("shows", int(Shows.WIRE_GROUND))
        self._terrain.draw_solid(meshes)
        target.write_depth(False)
        for shows, test in ((Shows.WIRE_BEHIND, ">"), (Shows.WIRE, "<=")):
            ctx.depth_func = test
            self._draw(shows, meshes, target, shows is Shows.WIRE_BEHIND)
            target.write_depth(False)
        ctx.depth_func = "<"
        target.write_depth(True)

    def _tell(self, name: str, value: Any) -> None:  # Any: each uniform has its own type
        """Sets a uniform of all programs; programs keep the last value."""
        if self._told.get(name) == value:
            return
        self._told[name] = value
        for program in self._terrain.programs:
            if name in program:
                program[name].value = value

    def _send(self, table: BlockTable) -> None:
        if self._sent is None or self._sent[0] is not table or self._sent[1] != len(table.states):
            self._traits.send(traits_of(table.states, table.emission))
            self._sent = table, len(table.states)


XRAYS: Final = ("xray-placeholder", "xray-air")
REACH_BLOCKS: Final = 192.0


class XrayPass(GlOwner):
    """The two overlays ``XRAYS``; the frame's constants and the block-ID map must be bound already."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._unasked: Any = None
        defines = {"xray-placeholder": DEFINES, "xray-air": {**DEFINES, "SHOWS_AIR": 1}}
        self._arrays: dict[str, Any] = {
            name: self._own(gpu.vertices("full_screen.vert", "xray.frag", defines[name])) for name in XRAYS
        }

    def leave_out(self, unasked: SubChunkPositions, mask: tuple[int, int, int]) -> None:
        """Sets the sub-chunks that were never requested, and ``PagedVolume.table_mask`` of the block ids."""
        size = mask[1] + 1, mask[2] + 1, mask[0] + 1
        if self._unasked is None or self._unasked.size != size:
            self._release_unasked()
            texture = self._gpu.ctx.texture3d(size, 1, alignment=1, dtype="u1")
            texture.filter = self._gpu.ctx.NEAREST, self._gpu.ctx.NEAREST
            texture.label = "never requested"
            self._unasked = texture
        flags = np.zeros((size[2], size[1], size[0]), np.uint8)
        x, y, z = (unasked & np.array(mask)).T
        flags[x, z, y] = 1
        self._unasked.write(flags)

    def draw(self, name: str, first: ClassThresholds) -> None:
        """Draws one over the current target. ``first``: where the session's classes begin."""
        set_classes(self._arrays[name].program, first)
        if self._unasked is not None:
            self._unasked.use(Unit.UNASKED)
        self._arrays[name].program["reach"].value = REACH_BLOCKS
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._arrays[name].render(vertices=3)

    def release(self) -> None:
        super().release()
        self._release_unasked()

    def _release_unasked(self) -> None:
        if self._unasked is not None:
            self._unasked.release()
            self._unasked = None
