"""What a frame draws of a world: its picture, and the texts over it.

Panels, banner and connect screen come later, over that; under an open connect screen no text is set.
"""

import moderngl

from render.viewer.connect.switch_world import Gate
from render.viewer.display.hud import hud_lines, short_hud_lines
from render.viewer.frame_settings import look_of
from render.viewer.window_state import Fittings
from render.viewer.world_session import Stay


def show(fittings: Fittings, gate: Gate, stay: Stay, now: float) -> None:
    """Draws the world into the window, with the crosshair in its middle, lines and legend in its corners.

    Args:
        fittings: of the window.
        gate: with the connect screen, and the banner below which nothing is written.
        stay: in that world.
        now: monotonic seconds.
    """
    _draw_scene(fittings, stay)
    fittings.screen.present()
    fittings.gpu.ctx.enable_only(moderngl.NOTHING)
    if gate.opened:
        return
    legend = fittings.overlays.legend(stay.world.scene.legend, stay.world.known.session, stay.panels.legend)
    fittings.crosshair.draw(fittings.screen.extent.pixels, fittings.lettering.scale)
    free = gate.free(stay.panels.free(fittings.screen.extent))
    fittings.lettering.draw(_text(fittings, stay, now), *legend, free, fittings.small)


def _draw_scene(fittings: Fittings, stay: Stay) -> None:
    world, view = stay.world, fittings.controls.shown
    radius, frozen = world.known.session.radius, world.debug.frozen
    look = look_of(world.connection, fittings.settings, fittings.overlays.on, view, radius, frozen)
    if not world.upkeep.bridges:
        world.scene.draw(stay.camera, fittings.screen.target, look)


def _text(fittings: Fittings, stay: Stay, now: float) -> list[str]:
    """What stands in the corner."""
    world, prompt, small = stay.world, stay.travel.prompt, fittings.small
    numbers = short_hud_lines if small else hud_lines
    return fittings.captions.lines(
        now,
        prompt.line if prompt else fittings.layout.question,
        lambda: numbers(
            world.known,
            world.scene.stats(),
            fittings.pacer.pace(),
            fittings.controls.shown,
            len(world.connection.session.unsent),
        ),
        world.timeline.line(),
        len(world.connection.pins),
        small,
    )
