"""The frame's constants: one uniform block for all programs, written once a frame.

The fields stand here in the order of ``shaders/include/frame.glsl``; std140 gives a mat4 64 bytes and each vector 16,
so the record has no padding. A test compares names, kinds and offsets with what the driver reports.
"""

from dataclasses import dataclass
from math import cos, hypot, sin
from typing import Any, Final

import numpy as np

from client.session.weather import CLEAR
from render.camera import Camera
from render.gpu.device import FRAME_BINDING, Gpu
from render.passes.atmosphere import Atmosphere
from render.passes.look import Look
from render.passes.medium import Medium

SECONDS_AROUND: Final = 3600.0
"""After so long what moves begins anew: a float of more seconds would stutter."""
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
    ]
)


@dataclass(frozen=True, slots=True)
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

    def write(self, camera: Camera, air: Atmosphere, volume: Volume, look: Look, height_px: int) -> None:
        """Puts a frame's constants in place and binds them; ``height_px`` is the picture's."""
        record = pack(camera, air, volume, look, height_px)
        self._buffer.write(record.tobytes())
        self._buffer.bind_to_uniform_block(FRAME_BINDING)

    def release(self) -> None:
        """Frees the buffer."""
        self._buffer.release()


def pack(camera: Camera, air: Atmosphere, volume: Volume, look: Look, height_px: int) -> Any:
    """The block's record; numpy has no type for one row of a structured array."""
    block = camera.eye_block
    forward, right, up = camera.rays
    record = np.zeros((), FIELDS)
    record["view_projection"] = camera.view_projection()
    record["eye_block"][:3] = block
    record["eye_fraction"][:3] = [whole - low for whole, low in zip(camera.eye, block, strict=True)]
    record["ray_forward"] = (*forward, camera.far_blocks)
    record["ray_right"] = (*right, camera.near_blocks)
    record["ray_up"] = (*up, 2 * hypot(*up) / height_px)
    record["sun"] = (*air.sun, air.day)
    record["zenith"] = (*air.zenith, air.stars)
    record["horizon"] = (*air.horizon, float(air.has_sky))
    record["glow"] = (*air.glow, air.glow_strength)
    record["daylight"] = (*air.daylight, air.drown)
    record["fog"] = (volume.fog_start_blocks, volume.fog_end_blocks, air.haze_per_block, volume.rim_blocks)
    record["loaded"] = np.array(volume.loaded_blocks) - np.array([block[0], block[2], block[0], block[2]])
    record["bounds"] = (volume.floor_y_blocks, volume.roof_y_blocks, volume.light_above, volume.light_below)
    record["light_mask"] = (*volume.light_mask, volume.tint_mask)
    record["block_mask"][:3] = volume.block_mask
    weather = look.weather if air.has_sky else CLEAR
    record["weather"] = (weather.rain, weather.thunder, look.seconds % SECONDS_AROUND, 1 / look.gamma)
    medium = volume.medium
    record["moon"] = (cos(air.moon), sin(air.moon), air.clear, medium.surface_y_blocks - block[1])
    record["medium"] = (*medium.colour, medium.density_per_block)
    return record
