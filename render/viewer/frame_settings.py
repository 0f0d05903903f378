"""What a window tells its scene: limits once, and how each frame looks."""

from collections.abc import Set as AbstractSet
from typing import Final

from client.connection.connection import Connection
from client.player import View
from render.camera import Camera
from render.scene import FrameSettings, SceneConfig
from render.scene.frame.particles import struck_of
from render.viewer.options import ViewerOptions

STEP_S: Final = 0.00125
"""What a frame may spend on results and uploads of the scene."""
MARKS_EVERY_S: Final = 0.1
"""How long overlays may show what was so a little earlier, while much comes."""


def config_of(settings: ViewerOptions, radius_columns: int) -> SceneConfig:
    """Limits of a window's scene; ``radius_columns`` is what the server granted."""
    return SceneConfig(
        owner_s=STEP_S,
        flat_light=settings.flat_light,
        gpu_light=settings.gpu_light,
        gpu_budget_bytes=settings.gpu_budget_bytes,
        radius_columns=radius_columns,
    )


def look_of(
    connection: Connection,
    settings: ViewerOptions,
    overlays: AbstractSet[str],
    view: View,
    radius_columns: int,
    frozen: Camera | None = None,
) -> FrameSettings:
    """How a frame looks: the session's sky, weather and broken blocks, as of when something was last heard.

    ``settings``: of the window; a time of day there counts. ``frozen``: whose list is drawn; None: the camera's own.
    """
    session = connection.session
    return FrameSettings(
        time_ticks=session.environment.world_time if settings.time is None else settings.time,
        weather=session.environment.weather,
        seconds=connection.now - session.started_at,  # a paused recording stands still
        gamma=settings.gamma,
        cracks=session.dimension.store.cracks(session.now),
        struck=struck_of(session),
        overlays=frozenset(overlays),
        anchor=view.eye.column,
        anchor_radius_columns=radius_columns,
        stale=session.dimension.terrain.staleness.rows,
        unsent=lambda: session.unsent,
        trail=session.trail,
        biome_names=session.environment.biome_names,
        marks_every_s=MARKS_EVERY_S,
        frozen=frozen,
    )
