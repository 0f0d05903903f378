"""What a frame draws of a world: its picture, and over it captions, numbers, legend and banner.

Panels and the connect screen come later, over that; under an open connect screen no text is set.
"""

from collections.abc import Set as AbstractSet
from typing import Final

import moderngl
from msgspec.structs import replace

from client.connection.connection import Connection
from client.player import View
from render.camera import Camera
from render.panels.hud import HudView
from render.scene import FrameSettings
from render.scene.frame.frame import session_look
from render.settings import Action
from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.display.hud import hud_lines, short_hud_lines
from render.viewer.options import ViewerOptions
from render.viewer.window_state import WindowState
from render.viewer.world_session import WorldSession

MARKS_EVERY_S: Final = 0.1
"""How long overlays may show what was so a little earlier, while much comes."""


def look_of(
    connection: Connection,
    settings: ViewerOptions,
    overlays: AbstractSet[str],
    view: View,
    radius_columns: int,
    frozen: Camera | None = None,
) -> FrameSettings:
    """How a window's frame looks; a time of day in ``settings`` counts. ``frozen``: whose list is drawn."""
    look = session_look(connection.session)
    return replace(
        look,
        time_ticks=look.time_ticks if settings.time is None else settings.time,
        seconds=connection.now - connection.session.started_at,  # a paused recording stands still
        gamma=settings.gamma,
        overlays=frozenset(overlays),
        anchor=view.eye.column,
        anchor_radius_columns=radius_columns,
        marks_every_s=MARKS_EVERY_S,
        frozen=frozen,
    )


def show(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float, elapsed_s: float) -> None:
    """Draws the world into the window, with the crosshair in its middle, lines and legend in its corners."""
    _draw_scene(state, session)
    state.screen.present()
    state.gpu.ctx.enable_only(moderngl.NOTHING)
    if switcher.screen.opened:
        return
    extent = state.screen.extent
    state.crosshair.draw(extent.pixels, state.painter.scale)
    area = session.panels.free(extent)
    prompt = session.travel.prompt
    said = state.captions.said(now, prompt.line if prompt else state.layout.question)
    area = area._replace(high=state.painter.draw(said, area))
    state.interface.draw_hud(_hud(state, switcher, session, now), area, extent, elapsed_s)


def _hud(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float) -> HudView:
    """What stands over the picture beside the panels."""
    world, keyboard = session.world, state.layout.keyboard
    legend, more = state.overlays.legend(world.scene.legend, world.known.session, session.panels.legend)
    past = world.timeline.past_view(keyboard, session.panels.keyboard)
    banner = switcher.banner(now, keyboard.shown(Action.CONNECT), past)
    return HudView(tuple(_text(state, session, now)), legend, more, banner, state.small)


def _draw_scene(state: WindowState, session: WorldSession) -> None:
    world, view = session.world, state.controls.shown
    radius, frozen = world.known.session.radius, world.debug.frozen
    look = look_of(world.connection, state.settings, state.overlays.on, view, radius, frozen)
    if not world.upkeep.bridges:
        world.scene.draw(session.camera, state.screen.target, look)


def _text(state: WindowState, session: WorldSession, now: float) -> list[str]:
    """Numbers, keys, or a list that is open."""
    world, small = session.world, state.small
    numbers = short_hud_lines if small else hud_lines
    return state.captions.lines(
        now,
        lambda: numbers(
            world.known,
            world.scene.stats(),
            state.pacer.pace(),
            state.controls.shown,
            len(world.connection.session.unsent),
        ),
        world.timeline.line(),
        len(world.connection.pins),
        small,
    )
