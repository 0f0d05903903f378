"""What falls in a frame: bits of broken blocks, rain and snow. All of it ends where one table says (``passes.stops``).

Where it is, is found before the frame's target is begun; drawn it is each in its own pass.
"""

from typing import Any

import numpy.typing as npt

from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.target import Target
from render.passes.look import Look
from render.passes.particles import ParticlesPass
from render.passes.stops import Stops
from render.passes.weather import WeatherPass
from render.scene.attached import Attached
from render.scene.bursts import bursts_of
from render.scene.looks import LookSource
from render.scene.surroundings import Surroundings


class Falling:
    """Of one scene. Owner thread only.

    Attributes:
        particles: draws bits of blocks; None before there were any.
        weather: draws rain and snow.
    """

    def __init__(self, gpu: Gpu, looks: LookSource, surroundings: Surroundings) -> None:
        """Compiles what weather needs."""
        self._gpu = gpu
        self._looks = looks
        self._surroundings = surroundings
        self._stops = Stops(gpu)
        self.weather = WeatherPass(gpu)
        self.particles: ParticlesPass | None = None

    def drift(self, attached: Attached, camera: Camera, look: Look) -> ParticlesPass | None:
        """Finds where bits of blocks are; what draws them, None where there are none."""
        if not (some(look.struck) or some(look.cracks)):
            return None
        bursts = bursts_of(attached.world, self._looks.tables, look, camera.eye)
        if not len(bursts):
            return None
        if self.particles is None:
            self.particles = ParticlesPass(self._gpu)
        self._fit_stops(attached)
        self.particles.drift(bursts)
        return self.particles

    def rain(self, attached: Attached, camera: Camera, look: Look) -> bool:
        """Finds how deep rain and snow fall; whether anything falls. No rain is drawn where rays are parallel."""
        if look.weather.rain <= 0 or not attached.world.dimension.has_sky or camera.is_parallel:
            return False
        self._fit_stops(attached)
        self.weather.fall()
        return True

    def draw_rain(self, attached: Attached, camera: Camera, target: Target) -> None:
        """Draws what ``rain`` has found."""
        self.weather.draw(target, self._surroundings.sheets(attached, camera), camera.eye_block[::2])

    def release(self) -> None:
        """Frees its GL objects."""
        self.weather.release()
        if self.particles is not None:
            self.particles.release()
        self._stops.release()

    def _fit_stops(self, attached: Attached) -> None:
        self._stops.fit(self._looks.tables, attached.world.table.obstructs)


def some(rows: npt.NDArray[Any] | None) -> bool:
    """Whether there are rows at all."""
    return rows is not None and len(rows) > 0
