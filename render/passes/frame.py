"""The frame's constants: one uniform block for all programs, written once a frame.

The fields stand here in the order of ``shaders/include/frame.glsl``; std140 gives a mat4 64 bytes and each vector 16,
so the record has no padding. A test compares names, kinds and offsets with what the driver reports.
"""

from math import cos, hypot, sin
from struct import Struct
from typing import Any, Final

import numpy as np

from client.session.weather import CLEAR
from net.frozen import frozen
from net.space.dimensions import Dimension
from render.camera import Camera
from render.gpu.device import FRAME_BINDING, Gpu
from render.passes.atmosphere import Atmosphere, atmosphere_at
from render.passes.look import Look
from render.passes.medium import AIR, Medium

SECONDS_AROUND: Final = 3600.0
"""After so long what moves begins anew: a float of more seconds would stutter."""
SHADED_LEAST_LIGHT: Final = 0.7
"""Share of the least light that hangs on a face's direction where it is all there is to see shapes by."""
FIELDS: Final = np.dtype(
    [
        ("view_projection", np.float32, (4, 4)),
        ("eye_block", np.int32, 4),
        ("eye_fraction", np.float32, 4),
        ("ray_forward", np.float32, 4),
        ("ray_right", np.float32, 4),
        ("ray_up", np.float32, 4),
        ("sun", np.float32, 4),
        ("zenith", np.float32, 4),
        ("horizon", np.float32, 4),
        ("glow", np.float32, 4),
        ("daylight", np.float32, 4),
        ("fog", np.float32, 4),
        ("loaded", np.float32, 4),
        ("bounds", np.int32, 4),
        ("light_mask", np.int32, 4),
        ("block_mask", np.int32, 4),
        ("weather", np.float32, 4),
        ("moon", np.float32, 4),
        ("medium", np.float32, 4),
        ("least_light", np.float32, 4),
    ]
)
KINDS: Final = "".join("4i" if FIELDS[name].base.kind == "i" else "4f" for name in (FIELDS.names or ())[1:])
PARTS: Final = Struct("=" + KINDS)
"""What follows the matrix."""


@frozen
class Volume:
    """The world's frame around the loaded columns, as shaders need it.

    Attributes:
        floor_y_blocks: lowest block.
        roof_y_blocks: one above the highest.
        light_above: packed light over the roof.
        light_below: packed light under the floor.
        fog_start_blocks: where the fade into the sky begins, across.
        fog_end_blocks: where it is complete.
        rim_blocks: how wide the rim of the loaded square is that fades too.
        loaded_blocks: low x, low z, high x, high z of that square.
        light_mask: page table of the light maps, entries minus one.
        block_mask: the same of the block ids.
        tint_mask: side of the tint map in blocks, minus one.
        medium: what the eye is in.
    """

    floor_y_blocks: int
    roof_y_blocks: int
    light_above: int
    light_below: int
    fog_start_blocks: float
    fog_end_blocks: float
    rim_blocks: float
    loaded_blocks: tuple[float, float, float, float]
    light_mask: tuple[int, int, int]
    block_mask: tuple[int, int, int]
    tint_mask: int
    medium: Medium


class FrameBlock:
    """The uniform buffer that all programs read."""

    def __init__(self, gpu: Gpu) -> None:
        """An unwritten block."""
        self._buffer: Any = gpu.ctx.buffer(reserve=FIELDS.itemsize, dynamic=True)
        self._buffer.label = "frame"
        self._volume: Volume | None = None
        self._moment: tuple[object, ...] = ()

    def show(self, camera: Camera, dimension: Dimension, volume: Volume, look: Look, height_px: int) -> None:
        """``write`` with the air of a dimension; what is the same as the last time is neither worked out nor sent."""
        moment = camera, look.time_ticks, look.weather, look.seconds, look.gamma, dimension, height_px
        if self._volume is volume and self._moment == moment:
            self._buffer.bind_to_uniform_block(FRAME_BINDING)
            return
        air = atmosphere_at(look.time_ticks, dimension.has_sky, dimension.number, look.weather)
        self.write(camera, air, volume, look, height_px)
        self._volume, self._moment = volume, moment

    def write(self, camera: Camera, air: Atmosphere, volume: Volume, look: Look, height_px: int) -> None:
        """Puts a frame's constants in place and binds them; ``height_px`` is the picture's."""
        self._volume = None
        self._buffer.write(pack(camera, air, volume, look, height_px))
        self._buffer.bind_to_uniform_block(FRAME_BINDING)

    def release(self) -> None:
        """Frees the buffer."""
        self._buffer.release()


def pack(camera: Camera, air: Atmosphere, volume: Volume, look: Look, height_px: int) -> bytes:
    """The block as bytes, laid out as ``FIELDS``; field by field NumPy takes ten times as long."""
    x, y, z = camera.eye_block
    forward, right, up = camera.rays
    weather = look.weather if air.has_sky else CLEAR
    medium = AIR if camera.is_parallel else volume.medium  # a picture's middle is in nothing
    low_x, low_z, high_x, high_z = volume.loaded_blocks
    parts = (
        x, y, z, int(camera.is_parallel),
        *(whole - low for whole, low in zip(camera.eye, (x, y, z), strict=True)), 0.0,
        *forward, camera.far_blocks,
        *right, camera.near_blocks,
        *up, 2 * hypot(*up) / height_px,
        *air.sun, air.day,
        *air.zenith, air.stars,
        *air.horizon, float(air.has_sky),
        *air.glow, air.glow_strength,
        *air.daylight, air.drown,
        volume.fog_start_blocks, volume.fog_end_blocks, air.haze_per_block, volume.rim_blocks,
        low_x - x, low_z - z, high_x - x, high_z - z,
        volume.floor_y_blocks, volume.roof_y_blocks, volume.light_above, volume.light_below,
        *volume.light_mask, volume.tint_mask,
        *volume.block_mask, 0,
        weather.rain, weather.thunder, look.seconds % SECONDS_AROUND, 1 / look.gamma,
        cos(air.moon), sin(air.moon), air.clear, medium.surface_y_blocks - y,
        *medium.colour, medium.density_per_block,
        *air.least_light, 0.0 if air.has_sky else SHADED_LEAST_LIGHT,
    )  # fmt: skip
    return camera.view_projection().tobytes() + PARTS.pack(*parts)
