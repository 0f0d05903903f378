"""Shadows of sun and moon, from a depth picture of solid terrain in the light's view.

Rules:
1. The light's picture is a square in parallel projection, as wide as the loaded area around the eye, at most
   ``WIDEST_BLOCKS``. It moves by whole texels, ``SNAP_TEXELS`` at once: edges of shadows do not flicker, and one
   picture serves many frames of the same eye.
2. A shadow removes the light's own share of daylight; the sky's diffuse light stays. It fades out where the light is
   low, under clouds, by the moon's phase, and towards the rim of the light's picture.
3. Glass, liquids and entities cast no shadow.
"""

from collections.abc import Sequence
from math import asin, atan2, cos, degrees, floor
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from net.space import Dimension
from render.camera import Camera, Vector
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.quad_arena import QuadArena
from render.passes.atmosphere import Atmosphere, atmosphere_at
from render.passes.draw_list import RunList
from render.passes.frame_settings import FrameSettings
from render.passes.frame_uniforms import FrameBlock, LoadedArea
from render.passes.terrain import TerrainPass

SIDE_TEXELS: Final = 2048
SNAP_TEXELS: Final = 64
WIDEST_BLOCKS: Final = 320.0
DEPTH_BLOCKS: Final = 512.0
"""Distance towards the light, and away from it, within which things cast shadows."""
DIRECT_SHARE: Final = 0.42
"""Largest share of full daylight that a shadow removes."""
LOW: Final = 0.25
"""Sine of the light's height from which on shadows have full strength."""
OF_SHADOWS: Final = {"SHADOWS": 1}
"""Defines for programs whose light is shadowed."""


class LightCamera(Camera, frozen=True):
    """The view of the sun or the moon."""

    strength: float = 0.0  # share of full daylight that a shadow removes, 0..1

    @property
    def towards(self) -> Vector:
        x, y, z = self.forward
        return -x, -y, -z


def strength_of(air: Atmosphere) -> float:
    """Share of full daylight that a shadow removes."""
    height = min(abs(air.sun[1]) / LOW, 1.0)
    shining = 1.0 if air.sun[1] > 0 else 0.5 + 0.5 * cos(air.moon)
    return DIRECT_SHARE * air.clear * shining * height * height * (3.0 - 2.0 * height) * air.has_sky


def light_at(eye: Vector, settings: FrameSettings, dimension: Dimension, radius_columns: int) -> LightCamera | None:
    """The light's view of the surroundings of an eye; None if nothing casts a shadow."""
    air = atmosphere_at(settings.time_ticks, dimension.has_sky, dimension.number, settings.weather)
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
    return replace(plain, eye=(float(at[0]), float(at[1]), float(at[2])))


class ShadowPass(GlOwner):
    """The light's picture: depth only."""

    def __init__(self, gpu: Gpu, arena: QuadArena, indirect: bool) -> None:
        super().__init__(gpu)
        self._constants = self._own(FrameBlock(gpu))
        self._land = self._own(TerrainPass(gpu, arena, indirect=indirect, fragment="shadow.frag"))
        seen: Any = self._own(gpu.ctx.depth_texture((SIDE_TEXELS, SIDE_TEXELS)))
        seen.repeat_x = seen.repeat_y = False
        seen.compare_func = "<="
        seen.filter = gpu.ctx.LINEAR, gpu.ctx.LINEAR
        drawn: Any = self._own(gpu.ctx.framebuffer(depth_attachment=seen))
        seen.label = drawn.label = "shadow map"
        self._map, self._framebuffer = seen, drawn
        gpu.check()

    def draw(
        self, light: LightCamera, meshes: RunList, dimension: Dimension, area: LoadedArea, settings: FrameSettings
    ) -> None:
        """Draws the light's view. The caller must bind the frame's constants and target again afterwards."""
        drawn = self._framebuffer
        drawn.use()
        drawn.depth_mask = True
        drawn.clear()
        self._constants.show(light, dimension, area, settings, SIDE_TEXELS)
        with self._gpu.clipping(settings.cut is not None):
            self._land.draw_solid(meshes)

    def bind(self, light: LightCamera | None, camera: Camera, programs: Sequence[Any]) -> None:
        """Sets the light's view in programs made with ``OF_SHADOWS``, from the camera's block; None: no shadows."""
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
