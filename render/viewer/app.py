"""The running viewer: events in, one step of everything, a frame out.

Rules:
1. One thread: it pumps the connection, steps the scene, draws. Workers belong to the runner.
2. A frame's order: events, camera, connection, scene, draw, HUD, panels, flip, garbage collection.
3. A lost connection closes no window: its world stays, the reason over it, until another takes its place (``connect``).
"""

import gc
import time
from functools import partial
from typing import Any, Final

from client.connection.connection import Connection
from render.materials.packs.reload import LivePacks
from render.settings import Action
from render.viewer import commands
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.event_stream import EventStream
from render.viewer.frame import show
from render.viewer.input import KeyEvents
from render.viewer.options import ViewerOptions
from render.viewer.shown_world import ShownWorld
from render.viewer.watchdog import Watchdog
from render.viewer.window_state import WindowState, first_words
from render.viewer.world_session import WorldSession

FRAME_S: Final = 1 / 60


class App:
    """One window on one connection."""

    def __init__(
        self,
        window: Any,
        connection: Connection,
        settings: ViewerOptions,
        events: EventStream,
        visit: OpenConnections | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:
        """Makes everything that draws; the window's context is current on this thread from now on."""
        self._watchdog = watchdog or Watchdog()
        # what the window keeps whichever world it shows
        self.state = WindowState(window, connection.session.movement.view, settings, events)
        gpu, state = self.state.gpu, self.state
        make = partial(ShownWorld, gpu, settings, LivePacks(settings.packs) if settings.packs else None)
        # takes the window to other worlds
        self.switcher = WorldSwitcher(state, visit or OpenConnections(connection), make, self._leaves)
        self._enter(make(connection))
        if words := first_words(settings, self.state.layout):
            state.say(words)

    def _leaves(self, key: str) -> bool:
        """Whether a key is free for the connect screen; each world has other handlers of keys."""
        return self._keys.leaves(key)

    def _enter(self, world: ShownWorld) -> None:
        """A world is shown from now on: keys, panels and bookmarks are its."""
        state = self.state
        # session: the world that is shown.
        self.session = session = WorldSession(state, self.switcher, world)
        heard = state.layout, state.controls, session.travel, session.panels, state.overlays, state.table
        done = partial(commands.obey, state, session), partial(commands.typed, state, session)
        self._keys: KeyEvents = KeyEvents(*heard, lambda: session.world.timeline.recorded, *done)
        connection = world.connection
        state.captions.restart(lambda: connection.now - connection.session.started_at)
        handlers = *self._keys.handlers, *session.mouse.handlers, session.on_deactivate, state.on_resize
        state.window.push_handlers(*handlers)
        self.switcher.screen.listen()

    def _cross(self, world: ShownWorld) -> None:
        """Another world takes the place of this one, which is left."""
        left, controls = self.session, self.state.controls
        had_panels, way_back = left.panels.shown, left.following.way_back(controls.view)
        self._leave()
        self.switcher.go_on(world, controls)
        self._enter(world)
        for action in (Action.PANELS, Action.PANEL_KEYS) if had_panels else ():
            commands.obey(self.state, self.session, action)
        self.session.look()
        self.state.captions.renew()
        self.state.events.tell("phase", what="joined")
        if way_back and (said := self.session.following.go_on(way_back)) is not None:
            self.state.tell("travel", said)

    def _leave(self) -> None:
        """Frees what shows the world."""
        self.state.window.pop_handlers()
        self.state.window.pop_handlers()
        self.session.close()

    def run(self) -> int:
        """Frames until the window is closed; the exit code."""
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
        show(self.state, self.switcher, self.session, now, elapsed_s)
        lap("draw")
        self._draw_panels(now, elapsed_s)
        lap("panels")
        window.flip()
        lap("flip")
        self.session.shown(now, time.monotonic())
        gc.collect(0)  # nothing else does while a window is open

    def _draw_panels(self, now: float, elapsed_s: float) -> None:
        """Panels over it all, what they ask for; over them the connect screen."""
        for wish in self.session.wishes(now, elapsed_s) if not self.switcher.screen.opened else ():
            commands.grant(self.state, self.session, wish)
        self.switcher.screen.draw(self.state.screen.extent, now, elapsed_s)

    def close(self) -> None:
        """Frees everything; the window and the connection stay with their owners."""
        self.switcher.close()
        self._leave()
        self.state.release()
