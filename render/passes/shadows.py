"""Shadows of sun and moon: what is solid, drawn once from where the light comes, and how deep it lies there.

Rules:
1. The light's picture is square and parallel, as wide as what is loaded around the eye, at most ``WIDEST_BLOCKS``. It
   moves by whole texels, ``SNAP_TEXELS`` at once: edges of shadows stand still, and a picture from there serves many
   frames of the same eye.
2. A shadow takes away the light's own share of daylight; the sky's soft light stays. It fades out where the light is
   low, under clouds, by the moon's phase, and towards the rim of the light's picture.
3. Glass, liquids and entities throw none.
"""

from collections.abc import Sequence
from math import asin, atan2, cos, degrees, floor
from typing import Any, Final

import numpy as np

from net.space import Dimension
from render.camera import Camera, Vector
from render.gpu.device import Gpu, Unit
from render.gpu.quad_arena import QuadArena
from render.passes.atmosphere import Atmosphere, atmosphere_at
from render.passes.draw_list import FrameList
from render.passes.frame_uniforms import FrameBlock, FrameSettings, Volume
from render.passes.terrain import TerrainPass

SIDE_TEXELS: Final = 2048
SNAP_TEXELS: Final = 64
WIDEST_BLOCKS: Final = 320.0
DEPTH_BLOCKS: Final = 512.0
"""How far towards the light something may be that throws a shadow, and as far behind."""
DIRECT_SHARE: Final = 0.42
"""What a shadow takes of full daylight at most."""
LOW: Final = 0.25
"""The sine of the height at which the light is strong enough for whole shadows."""
OF_SHADOWS: Final = {"SHADOWS": 1}
"""What programs are told whose light is shadowed."""


class LightCamera(Camera, frozen=True):
    """Where the sun or the moon looks from."""

    strength: float = 0.0  # what a shadow takes of full daylight, 0..1

    @property
    def towards(self) -> Vector:
        """Unit vector to the light."""
        x, y, z = self.forward
        return -x, -y, -z


def strength_of(air: Atmosphere) -> float:
    """What a shadow takes of full daylight."""
    height = min(abs(air.sun[1]) / LOW, 1.0)
    shining = 1.0 if air.sun[1] > 0 else 0.5 + 0.5 * cos(air.moon)
    return DIRECT_SHARE * air.clear * shining * height * height * (3.0 - 2.0 * height) * air.has_sky


def light_at(eye: Vector, look: FrameSettings, dimension: Dimension, radius_columns: int) -> LightCamera | None:
    """The light's own view of what is around an eye; None where nothing throws a shadow."""
    air = atmosphere_at(look.time_ticks, dimension.has_sky, dimension.number, look.weather)
    strength = strength_of(air)
    if strength == 0.0:
        return None
    x, y, z = air.sun if air.sun[1] > 0 else (-air.sun[0], -air.sun[1], -air.sun[2])
    wide = min(32.0 * (radius_columns + 1), WIDEST_BLOCKS)
    depths = -DEPTH_BLOCKS, DEPTH_BLOCKS
    plain = LightCamera(
        (0.0, 0.0, 0.0), degrees(atan2(x, -z)), degrees(asin(min(y, 1.0))), 70.0, 1.0, *depths, wide, strength
    )
    step = wide / SIDE_TEXELS * SNAP_TEXELS
    at = np.zeros(3)
    for axis in map(np.array, (plain.right, plain.up, plain.forward)):
        at += axis * (floor(float(axis @ eye) / step) + 0.5) * step
    return LightCamera(
        (float(at[0]), float(at[1]), float(at[2])), plain.yaw_deg, plain.pitch_deg, 70.0, 1.0, *depths, wide, strength
    )


class ShadowPass:
    """The light's picture: depth alone."""

    def __init__(self, gpu: Gpu, arena: QuadArena, indirect: bool) -> None:
        self._gpu = gpu
        self._constants = FrameBlock(gpu)
        self._land = TerrainPass(gpu, arena, indirect=indirect, fragment="shadow.frag")
        seen: Any = gpu.ctx.depth_texture((SIDE_TEXELS, SIDE_TEXELS))
        seen.label = "shadow map"
        seen.repeat_x = seen.repeat_y = False
        seen.compare_func = "<="
        seen.filter = gpu.ctx.LINEAR, gpu.ctx.LINEAR
        drawn: Any = gpu.ctx.framebuffer(depth_attachment=seen)
        drawn.label = "shadow map"
        self._map, self._framebuffer = seen, drawn
        gpu.check()

    def draw(
        self, light: LightCamera, meshes: FrameList, dimension: Dimension, volume: Volume, look: FrameSettings
    ) -> None:
        """Draws what the light sees. The frame's constants and its target must be bound anew behind it."""
        drawn = self._framebuffer
        drawn.use()
        drawn.depth_mask = True
        drawn.clear()
        self._constants.show(light, dimension, volume, look, SIDE_TEXELS)
        with self._gpu.clipping(look.cut is not None):
            self._land.draw_solid(meshes)

    def bind(self, light: LightCamera | None, camera: Camera, programs: Sequence[Any]) -> None:
        """Tells programs made with ``OF_SHADOWS`` where the light is, relative to the camera's block; None: nowhere."""
        self._map.use(int(Unit.SHADOW_MAP))
        for program in programs:
            program["light_strength"].value = 0.0 if light is None else light.strength
        if light is None:
            return
        wide = light.ortho_blocks or WIDEST_BLOCKS
        axes = np.array([light.right, light.up, light.forward]) / np.array([[wide], [wide], [2 * DEPTH_BLOCKS]])
        begins = axes @ (np.array(camera.eye_block) - np.array(light.eye)) + 0.5
        rows = [tuple(row) for row in np.column_stack([axes, begins]).tolist()]
        for program in programs:
            program["shadow_rows"].value = rows
            program["light_way"].value = light.towards
            program["shadow_texel"].value = wide / SIDE_TEXELS

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        for each in (self._framebuffer, self._map, self._land, self._constants):
            each.release()
