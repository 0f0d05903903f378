"""The frame's constants: one uniform block for all programs, written once a frame.

The fields are in the order of ``shaders/include/frame.glsl``; std140 gives a mat4 64 bytes and each vector 16, so the
record has no padding. A test compares names, kinds and offsets with what the driver reports.
"""

from math import cos, hypot, sin
from struct import Struct
from typing import Any, Final

import msgspec
import numpy as np

from client.weather import CLEAR
from net.space import Dimension
from render.camera import Camera
from render.draw_options import Cut
from render.gpu.device import FRAME_BINDING, GlOwner, Gpu
from render.passes.atmosphere import AIR, NONE_GIVEN, Atmosphere, GivenAir, Medium, atmosphere_at
from render.passes.frame_settings import FrameSettings

SECONDS_AROUND: Final = 3600.0
"""Period of animations: a float of more seconds would make them stutter."""
HAZE_REACH_BLOCKS: Final = 200.0
"""If the world ends farther away than this, the haze is thinner in proportion, so its end looks as pale."""
SHADED_LEAST_LIGHT: Final = 0.7
"""Share of the least light that depends on a face's direction in dimensions without a sky, to make shapes visible."""
WHOLE: Final = frozenset({"eye_block", "bounds", "light_mask", "block_mask", "cut"})
"""Vectors of whole numbers; the others are floats."""
VECTORS: Final = (
    "eye_block", "eye_fraction", "ray_forward", "ray_right", "ray_up", "sun", "zenith", "horizon", "glow", "daylight",
    "fog", "loaded", "bounds", "light_mask", "block_mask", "weather", "moon", "medium", "direct", "least_light", "cut",
)  # fmt: skip
FIELDS: Final = np.dtype([
    ("view_projection", np.float32, (4, 4)),
    *((name, np.int32 if name in WHOLE else np.float32, 4) for name in VECTORS),
])  # fmt: skip
KINDS: Final = "".join("4i" if name in WHOLE else "4f" for name in VECTORS)
PARTS: Final = Struct("=" + KINDS)
"""The fields after the matrix."""


class Fog(msgspec.Struct, frozen=True):
    """The fade of one frame, in blocks."""

    start: float  # where it begins, across
    end: float  # where it is complete
    rim: float  # width of the faded rim of what is loaded
    loaded: tuple[float, float, float, float]  # low x, low z, high x, high z of the loaded square


class LoadedArea(msgspec.Struct, frozen=True):
    """The bounds of the loaded columns and related values, for shaders."""

    floor_y_blocks: int  # lowest block
    roof_y_blocks: int  # one above the highest
    light_above: int  # packed light over the roof
    light_below: int  # packed light under the floor
    fog: Fog  # the fade into the sky
    light_mask: tuple[int, int, int]  # mask of the light maps' page table: entries minus one
    block_mask: tuple[int, int, int]  # the same for the block ids
    tint_mask: int  # side of the tint map in blocks, minus one
    medium: Medium  # the medium around the eye
    enclosed: bool = False  # whether the eye is in an opaque block
    given: GivenAir = NONE_GIVEN  # colours of the air that a server or packs give
    haze_share: float = 1.0  # of the haze that remains beside a given fog


class FrameBlock(GlOwner):
    """The uniform buffer that all programs read."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._buffer: Any = self._own(gpu.ctx.buffer(reserve=FIELDS.itemsize, dynamic=True))
        self._buffer.label = "frame"
        self._area: LoadedArea | None = None
        self._moment: tuple[object, ...] = ()

    def show(
        self, camera: Camera, dimension: Dimension, area: LoadedArea, settings: FrameSettings, height_px: int
    ) -> None:
        """Like ``write``, with the air of a dimension; computes and sends nothing again that did not change."""
        sky = settings.time_ticks, settings.weather, dimension
        moment = camera, *sky, settings.seconds, settings.gamma, settings.cut, height_px
        if self._area is area and self._moment == moment:
            self._buffer.bind_to_uniform_block(FRAME_BINDING)
            return
        air = atmosphere_at(settings.time_ticks, dimension.has_sky, dimension.number, settings.weather, area.given)
        self.write(camera, air, area, settings, height_px)
        self._area, self._moment = area, moment

    def write(self, camera: Camera, air: Atmosphere, area: LoadedArea, settings: FrameSettings, height_px: int) -> None:
        """Writes a frame's constants and binds them; ``height_px`` is the picture's."""
        self._area = None
        self._buffer.write(pack(camera, air, area, settings, height_px))
        self._buffer.bind_to_uniform_block(FRAME_BINDING)


def medium_of(camera: Camera, area: LoadedArea, settings: FrameSettings) -> Medium:
    """The medium around the eye; air if lines of sight are parallel or if a cut leaves out the block around the eye."""
    shown = settings.cut is None or settings.cut.low <= camera.eye_block[1] < settings.cut.high
    return area.medium if shown and not camera.is_parallel else AIR


def pack(camera: Camera, air: Atmosphere, area: LoadedArea, settings: FrameSettings, height_px: int) -> bytes:
    """The block as bytes, laid out as ``FIELDS``; NumPy takes ten times as long field by field."""
    x, y, z = camera.eye_block
    forward, right, up = camera.rays
    weather = settings.weather if air.has_sky else CLEAR
    cut = settings.cut or Cut()
    medium = medium_of(camera, area, settings)
    low_x, low_z, high_x, high_z = area.fog.loaded
    haze = air.haze_per_block * area.haze_share * min(1.0, HAZE_REACH_BLOCKS / area.fog.end)
    parts = (
        x, y, z, int(camera.is_parallel),
        *(whole - low for whole, low in zip(camera.eye, (x, y, z), strict=True)), air.noise,
        *forward, camera.far_blocks,
        *right, camera.near_blocks,
        *up, 2 * hypot(*up) / height_px,
        *air.sun, air.day,
        *air.zenith, air.stars,
        *air.horizon, float(air.has_sky),
        *air.glow, air.glow_strength,
        *air.daylight, air.drown,
        area.fog.start, area.fog.end, haze, area.fog.rim,
        low_x - x, low_z - z, high_x - x, high_z - z,
        area.floor_y_blocks, area.roof_y_blocks, area.light_above, area.light_below,
        *area.light_mask, area.tint_mask,
        *area.block_mask, 0,
        weather.rain, weather.thunder, settings.seconds % SECONDS_AROUND, 1 / settings.gamma,
        cos(air.moon), sin(air.moon), air.clear, medium.surface_y_blocks - y,
        *medium.colour, medium.density_per_block,
        *air.direct, medium.clear_blocks,
        *air.least_light, 0.0 if air.has_sky else SHADED_LEAST_LIGHT,
        cut.low - y, cut.high - y, 0, 0,
    )  # fmt: skip
    return camera.view_projection().tobytes() + PARTS.pack(*parts)
