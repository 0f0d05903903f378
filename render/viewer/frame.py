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
from render.panels.hud import HUD_COLUMNS_EM, HUD_WIDE_EM, HudView
from render.scene import FrameSettings
from render.scene.frame.frame import session_look
from render.settings import Action
from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.control.timeline import past_keys
from render.viewer.display.hud import biome_at, hud_lines, more_lines
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
    entities: bool = True,
) -> FrameSettings:
    """How a window's frame looks; time of day and weather of ``settings`` count. ``frozen``: whose list is drawn."""
    look = session_look(connection.session)
    return replace(
        look,
        time_ticks=look.time_ticks if settings.time is None else settings.time,
        weather=look.weather if settings.weather is None else settings.weather,
        seconds=connection.now - connection.session.started_at,  # a paused recording stands still
        gamma=settings.gamma,
        entities=connection.session.entities.picture() if entities else None,
        now_us=round(connection.now * 1e6),
        overlays=frozenset(overlays),
        anchor=view.eye.column,
        anchor_radius_columns=radius_columns,
        marks_every_s=MARKS_EVERY_S,
        frozen=frozen,
    )


def show(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float, elapsed_s: float) -> None:
    """Draws the world into what panels leave of the window, the crosshair in its middle, legend, and what is said."""
    area = session.panels.free(state.screen.extent)
    state.screen.fit(area)
    _draw_scene(state, session)
    state.screen.present()
    state.gpu.ctx.enable_only(moderngl.NOTHING)
    if switcher.screen.opened:
        return
    extent = state.screen.extent
    state.crosshair.draw(state.screen.area, state.painter.scale)
    left = state.interface.draw_hud(_hud(state, switcher, session, now), area, extent, elapsed_s)
    prompt = session.travel.prompt
    if not state.table.opened:
        said = state.captions.said(now, prompt.line if prompt else state.layout.question)
        state.painter.draw(said, left, state.small)


def _hud(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float) -> HudView:
    """What stands over the picture beside the panels."""
    world, keyboard, captions = session.world, state.layout.keyboard, state.captions
    table, playback = None, world.timeline.recording
    if state.table.opened:
        table = state.table.view(keyboard, state.layout.preset, world.timeline.recorded)
    legend, more = state.overlays.legend(world.scene.legend, world.known.session, session.panels.legend)
    past = world.timeline.past_view(keyboard, session.panels.keyboard)
    view = HudView() if captions.listed else HudView(columns_em=HUD_COLUMNS_EM, wide_em=HUD_WIDE_EM)
    return replace(
        view,
        lines=tuple(captions.lines(now, lambda every: _numbers(state, session, every))),
        share=playback.share if playback and captions.level and not captions.listed else None,
        legend=legend,
        more=more,
        banner=switcher.banner(now, keyboard.shown(Action.CONNECT), past),
        keys=captions.keys(now),
        recorded=session.travel.recorded,
        table=table,
        small=state.small,
    )


def _draw_scene(state: WindowState, session: WorldSession) -> None:
    world, view = session.world, state.controls.shown
    radius, frozen = world.known.session.radius, world.debug.frozen
    look = look_of(world.connection, state.settings, state.overlays.on, view, radius, frozen, state.shows_entities)
    look = replace(look, hidden_rows=frozenset(state.overlays.hidden_rows))
    if not world.upkeep.bridges:
        world.scene.draw(session.camera, state.screen.target, look)


def _numbers(state: WindowState, session: WorldSession, every: bool) -> list[str]:
    """Lines of the HUD, few or all."""
    world, view = session.world, state.controls.shown
    facts = world.known, world.scene.stats(), state.pacer.pace(), view, len(world.connection.session.unsent)
    lines = hud_lines(*facts, biome_at(world.connection.session, view.eye.block))
    if (playback := world.timeline.recording) is not None:
        lines.append(f"recording\t{playback.line()}")
    if not every:
        return lines
    keys = [f"keys\t{past_keys(state.layout.keyboard, False, 'the end')}"] if playback is not None else []
    return lines + keys + more_lines(*facts)
