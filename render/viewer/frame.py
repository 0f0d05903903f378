"""What a frame draws of a world: its picture, and the texts over it.

Panels, banner and connect screen come later, over that; under an open connect screen no text is set.
"""

import moderngl

from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.display.hud import hud_lines, short_hud_lines
from render.viewer.frame_settings import look_of
from render.viewer.window_state import WindowState
from render.viewer.world_session import WorldSession


def show(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float) -> None:
    """Draws the world into the window, with the crosshair in its middle, lines and legend in its corners.

    Args:
        state: of the window.
        switcher: with the connect screen, and the banner below which nothing is written.
        session: in that world.
        now: monotonic seconds.
    """
    _draw_scene(state, session)
    state.screen.present()
    state.gpu.ctx.enable_only(moderngl.NOTHING)
    if switcher.opened:
        return
    legend = state.overlays.legend(session.world.scene.legend, session.world.known.session, session.panels.legend)
    state.crosshair.draw(state.screen.extent.pixels, state.lettering.scale)
    free = switcher.free(session.panels.free(state.screen.extent))
    state.lettering.draw(_text(state, session, now), *legend, free, state.small)


def _draw_scene(state: WindowState, session: WorldSession) -> None:
    world, view = session.world, state.controls.shown
    radius, frozen = world.known.session.radius, world.debug.frozen
    look = look_of(world.connection, state.settings, state.overlays.on, view, radius, frozen)
    if not world.upkeep.bridges:
        world.scene.draw(session.camera, state.screen.target, look)


def _text(state: WindowState, session: WorldSession, now: float) -> list[str]:
    """What stands in the corner."""
    world, prompt, small = session.world, session.travel.prompt, state.small
    numbers = short_hud_lines if small else hud_lines
    return state.captions.lines(
        now,
        prompt.line if prompt else state.layout.question,
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
