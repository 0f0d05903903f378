"""The running viewer: events in, one step of everything, a frame out.

Rules:
1. One thread pumps the connection, steps the scene and draws. Workers belong to the runner.
2. Order in a frame: events, camera, connection, scene, draw, HUD, panels, flip, garbage collection.
3. A lost connection does not close the window: its world stays visible with the reason over it, until another world
   replaces it (``connect``).
4. The first frame waits for terrain, and a world that arrives is drawn for half of the time only.
"""

import gc
import time
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, Final

import moderngl
from msgspec.structs import replace

from client.connection.connection import Connection
from client.player import View
from client.report.diff import Against, world_of
from render.camera import Camera
from render.materials.packs.reload import LivePacks
from render.panels.hud import HUD_COLUMNS_EM, HUD_WIDE_EM, HudView
from render.scene import FrameSettings
from render.scene.frame.frame import session_settings
from render.scene.frame.surroundings import eye_inside, useless_cut
from render.settings import Action
from render.viewer import commands
from render.viewer.connect.connect_screen import ConnectDialog
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.sources import plan_of
from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.control.timeline import past_keys
from render.viewer.display.hud import biome_at, hud_lines, more_lines
from render.viewer.event_stream import EventStream
from render.viewer.input import KeyEvents
from render.viewer.shown_world import ShownWorld
from render.viewer.watchdog import Watchdog
from render.viewer.window_options import WindowOptions
from render.viewer.window_state import WindowState, first_words
from render.viewer.world_session import WorldSession

MARKS_EVERY_S: Final = 0.1
"""How old marks of overlays may be while many changes arrive."""


def look_of(
    connection: Connection,
    settings: WindowOptions,
    overlays: AbstractSet[str],
    view: View,
    radius_columns: int,
    frozen: Camera | None = None,
    entities: bool = True,
) -> FrameSettings:
    """The settings of a window's frame, with time of day and weather of ``settings``.

    ``frozen``: the camera whose draw list is used.
    """
    look = session_settings(connection.session)
    return replace(
        look,
        time_ticks=look.time_ticks if settings.time is None else settings.time,
        weather=look.weather if settings.weather is None else settings.weather,
        seconds=connection.now - connection.session.started_at,  # does not advance while a recording is paused
        gamma=settings.gamma,
        cut=settings.cut,
        shadows=settings.shadows,
        entities=connection.session.entities.picture() if entities else None,
        now_us=round(connection.now * 1e6),
        overlays=frozenset(overlays),
        anchor=view.eye.column,
        anchor_radius_columns=radius_columns,
        marks_every_s=MARKS_EVERY_S,
        frozen=frozen,
    )


def show(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float, elapsed_s: float) -> None:
    """Draws the world in the area left by panels, then crosshair, legend and captions."""
    area = session.panels.free(state.screen.extent)
    state.screen.resize(area)
    _draw_scene(state, session)
    state.screen.present()
    state.gpu.ctx.enable_only(moderngl.NOTHING)
    if switcher.screen.opened:
        return
    extent = state.screen.extent
    state.crosshair.draw(state.screen.area, state.text_scale)
    left = state.interface.draw_hud(_hud(state, switcher, session, now), area, extent, elapsed_s)
    prompt = session.travel.prompt
    if not state.table.opened:
        said = state.captions.said(now, prompt.line if prompt else state.preferences.question)
        state.painter.draw(said, left, state.text_scale, state.small)


def _hud(state: WindowState, switcher: WorldSwitcher, session: WorldSession, now: float) -> HudView:
    world, keyboard, captions = session.world, state.preferences.keyboard, state.captions
    table, playback = None, world.timeline.recording
    if state.table.opened:
        table = state.table.view(keyboard, state.preferences.settings.preset, world.timeline.recorded)
    legend, more = state.overlays.legend(world.scene.legend, world.known.session, session.panels.legend)
    past = world.timeline.past_banner(keyboard, session.panels.keyboard)
    view = HudView() if captions.listed else HudView(columns_em=HUD_COLUMNS_EM, wide_em=HUD_WIDE_EM)
    return replace(
        view,
        lines=tuple(captions.lines(now, lambda every: _numbers(state, session, every))),
        share=playback.share if playback and captions.level and not captions.listed else None,
        legend=legend,
        more=more,
        banner=switcher.screen.banner(now, keyboard.shown(Action.CONNECT), past),
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
    if world.connection.session.dimension.store is state.found_in:
        look = replace(look, found=state.found.found)
    if state.against is not None:
        look = replace(look, against=partial(state.against.facts, world_of(world.connection)))
    if not world.upkeep.bridges:
        world.scene.draw(session.camera, state.screen.target, look)


def _numbers(state: WindowState, session: WorldSession, every: bool) -> list[str]:
    """Lines of the HUD; ``every``: all of them, not only a few."""
    world, view = session.world, state.controls.shown
    facts = world.known, world.scene.stats(), state.pacer.pace(), view, len(world.connection.session.unsent)
    store, cut = world.connection.session.dimension.store, state.settings.cut
    of_view = eye_inside(store, view.eye.block, cut) or useless_cut(store, cut)
    lines = hud_lines(*facts, biome_at(world.connection.session, view.eye.block), of_view)
    if (playback := world.timeline.recording) is not None:
        lines.append(f"recording\t{playback.line()}")
    if not every:
        return lines
    keys = [f"keys\t{past_keys(state.preferences.keyboard, False, 'the end')}"] if playback is not None else []
    return lines + keys + more_lines(*facts)


FRAME_S: Final = 1 / 60
ARRIVING_SHARE: Final = 1 / 2
"""Share of the time in which a world that arrives is not drawn: on a software renderer each round trip would otherwise
take a frame, and each step of the light another."""
LONGEST_ARRIVING_S: Final = 1 / 4
"""The first frame compiles shaders for seconds; who closes the window must not wait for a share of those."""
BEFORE_FIRST_S: Final = 1 / 4
"""Before the first frame as much is applied at once as a frame of this length would apply: each turn has its costs."""
FIRST_TERRAIN_S: Final = 2.0
"""Longest wait for terrain before the first frame; a server may have none."""


class App:
    """One window on one connection."""

    def __init__(
        self,
        window: Any,
        connection: Connection,
        settings: WindowOptions,
        events: EventStream,
        visit: OpenConnections | None = None,
        watchdog: Watchdog | None = None,
        against: Against | None = None,
    ) -> None:
        """Makes everything that draws; the window's context is current on this thread from now on."""
        self._watchdog = watchdog or Watchdog()
        # state independent of the shown world
        self.state = WindowState(window, connection.session.movement.view, settings, events, against)
        gpu, state = self.state.gpu, self.state
        make = partial(ShownWorld, gpu, settings, LivePacks(settings.packs) if settings.packs else None)
        plan = plan_of(settings, connection.options, connection.source)
        screen = ConnectDialog(window, state.interface, plan, events, self._leaves, state.say)
        # switches to other worlds
        self.switcher = WorldSwitcher(screen, visit or OpenConnections(connection), make)
        self._enter(make(connection))
        if words := first_words(settings, self.state.preferences):
            state.say(words)

    def _leaves(self, key: str) -> bool:
        """Whether the connect screen may use a key; each world has its own key handlers."""
        return self._keys.leaves(key)

    def _enter(self, world: ShownWorld) -> None:
        """Sets the shown world: keys, panels and bookmarks are then its own."""
        state = self.state
        # session: the shown world.
        self.session = session = WorldSession(state, self.switcher, world)
        self._keys = KeyEvents(state, session, partial(commands.run_action, state, session))
        connection = world.connection
        state.captions.restart(lambda: connection.now - connection.session.started_at)
        handlers = *self._keys.handlers, *session.mouse.handlers, session.on_deactivate, state.on_resize
        state.window.push_handlers(*handlers)
        self.switcher.screen.listen()

    def _cross(self, world: ShownWorld) -> None:
        left, controls = self.session, self.state.controls
        had_panels, way_back = left.panels.shown, left.following.way_back(controls.view)
        self._leave()
        self.switcher.go_on(world, controls)
        self._enter(world)
        for action in (Action.PANELS, Action.PANEL_KEYS) if had_panels else ():
            commands.run_action(self.state, self.session, action)
        self.session.look()
        self.state.captions.renew()
        self.state.events.tell("phase", what="joined")
        if way_back and (said := self.session.following.go_on(way_back)) is not None:
            self.state.tell("travel", said)

    def _leave(self) -> None:
        self.state.window.pop_handlers()
        self.state.window.pop_handlers()
        self.session.close()

    def await_terrain(self, report: Callable[[], None], longest_s: float = FIRST_TERRAIN_S) -> None:
        """Applies what arrives until there is terrain for the first frame; ``report`` is called now and then.

        A software renderer takes as long for a frame of sky as light and meshes of the nearest columns take.
        """
        until = time.monotonic() + longest_s
        while self.session.world.awaits_terrain and time.monotonic() < until:
            report()
            self.session.go_on(BEFORE_FIRST_S)

    def run(self) -> int:
        """Runs frames until the window is closed; returns the exit code."""
        last = time.monotonic()
        try:
            while not self.state.window.has_exit:
                start = time.monotonic()
                if (stood_s := self._watchdog.step()) is not None:
                    self.state.events.tell("stood still", seconds=round(stood_s, 1))
                self.frame(start, start - last)
                last = start
                time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        finally:
            self._watchdog.rest()
        self._watchdog.end(0)
        self.state.events.tell("closed", code=0)
        return 0

    def frame(self, now: float, elapsed_s: float) -> None:
        """One frame; ``elapsed_s`` since the one before."""
        window, lap = self.state.window, self.state.stages.lap
        self.state.stages.begin()
        window.switch_to()
        window.dispatch_events()
        self.session.move(now, elapsed_s)
        lap("events, camera")
        if world := self.switcher.frame(now, elapsed_s, self.state.controls.view):
            self._cross(world)
        self.session.keep_up(now, elapsed_s)
        until = now + min(ARRIVING_SHARE * elapsed_s, LONGEST_ARRIVING_S)
        while self.session.arriving(now) and time.monotonic() < until:
            self.session.go_on(elapsed_s)
        show(self.state, self.switcher, self.session, now, elapsed_s)
        lap("draw")
        self._draw_panels(now, elapsed_s)
        lap("panels")
        window.flip()
        lap("flip")
        self.session.shown(now, time.monotonic())
        gc.collect(0)  # collection is off while a window is open

    def _draw_panels(self, now: float, elapsed_s: float) -> None:
        """Draws the panels and handles their requests; then draws the connect screen over them."""
        for request in self.session.requests(now, elapsed_s) if not self.switcher.screen.opened else ():
            commands.grant(self.state, self.session, request)
        self.switcher.screen.draw(self.state.screen.extent, now, elapsed_s)

    def close(self) -> None:
        """Frees everything; window and connection stay with their owners."""
        self.switcher.close()
        self._leave()
        self.state.release()
