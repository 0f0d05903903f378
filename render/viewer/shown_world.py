"""One connection with everything that shows it in a window; a window may have two while one takes the other's place.

``close`` frees it all but the connection, which is the visit's (``connect.join``).
"""

from typing import Final

from client.connection.connection import Connection
from client.kernel_cache import cache_directory
from client.player import Eye
from render.gpu import Gpu
from render.jobs.workers import ThreadRunner
from render.materials.packs.reload import LivePacks
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.viewer.control.timeline import Timeline
from render.viewer.debug_keys import DebugKeys
from render.viewer.options import ViewerOptions
from render.viewer.pin_keys import PinKeys
from render.viewer.scene_updater import SceneUpdater

STEP_S: Final = 0.00125
"""What a frame may spend on results and uploads of the scene, unless it is slow (``scene_updater``, rule 1)."""


def config_of(settings: ViewerOptions, radius_columns: int) -> SceneConfig:
    """Limits of a window's scene; ``radius_columns`` is what the server granted."""
    return SceneConfig(
        owner_s=STEP_S,
        flat_light=settings.flat_light,
        gpu_light=settings.gpu_light,
        gpu_budget_bytes=settings.gpu_budget_bytes,
        radius_columns=radius_columns,
    )


class ShownWorld:
    """Of one connection."""

    def __init__(self, gpu: Gpu, settings: ViewerOptions, packs: LivePacks | None, connection: Connection) -> None:
        self.connection = connection  # that it shows
        self.known = connection.statistics()  # its numbers as of the last ``step``
        self._runner = ThreadRunner()
        looks = BlockAppearance(
            connection.session.dimension.store.table, cache_directory(), packs.stack if packs else None
        )
        self.scene = Scene(gpu, looks, self._runner, config_of(settings, self.known.session.radius))  # that draws it
        self.upkeep = SceneUpdater(connection, self.scene, looks, packs)  # from the one to the other
        self.timeline = Timeline(connection, settings.pictures)  # of a recording, or of a live session's last minutes
        # pins: look-outs.
        # debug: keys that look into the GPU.
        self.pins, self.debug = PinKeys(connection), DebugKeys(self.scene)

    def step(self, elapsed_s: float, eye: Eye | None = None) -> str | None:
        """A frame's work, seen from ``eye``, while nobody looks; why the connection is over, where that shows now."""
        lost = self.upkeep.pump(elapsed_s)
        self.known = self.connection.statistics()
        self.upkeep.step(eye or self.connection.session.movement.view.eye, elapsed_s)
        return lost

    def close(self) -> None:
        """Frees everything that draws."""
        self._runner.close()
        self.scene.release()
