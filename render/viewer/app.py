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
from render.viewer.commands import Deeds
from render.viewer.connect.join import Visit
from render.viewer.connect.switch_world import Gate
from render.viewer.event_stream import EventLog
from render.viewer.frame import show
from render.viewer.input import KeyEvents
from render.viewer.options import ViewerOptions
from render.viewer.shown_world import World
from render.viewer.watchdog import Watchdog
from render.viewer.window_state import Fittings, first_words
from render.viewer.world_session import Stay

FRAME_S: Final = 1 / 60


class App:
    """One window on one connection.

    Attributes:
        fittings: what the window keeps whichever world it shows.
        gate: to other worlds.
        stay: in the world that is shown.
        deeds: what keys and panels make it do.
    """

    def __init__(
        self,
        window: Any,
        connection: Connection,
        settings: ViewerOptions,
        events: EventLog,
        visit: Visit | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:
        """Makes everything that draws; the window's context is current on this thread from now on.

        Args:
            window: a pyglet window; belongs to the caller, as do the others.
            connection: joined.
            settings: how the window looks.
            events: told what happens.
            visit: holds the connection, and others that take its place.
            watchdog: told of each frame, and of the end.
        """
        self._watchdog = watchdog or Watchdog()
        self.fittings = Fittings(window, connection.session.movement.view, settings, events)
        gpu, say = self.fittings.gpu, self.fittings.say
        make = partial(World, gpu, settings, LivePacks(settings.packs) if settings.packs else None)
        self.gate = Gate(window, gpu, settings, visit or Visit(connection), events, make, self._leaves, say)
        self._enter(make(connection))
        if words := first_words(settings, self.fittings.layout):
            say(words)

    def _leaves(self, key: str) -> bool:
        """Whether a key is free for the connect screen; each world has other handlers of keys."""
        return self._keys.leaves(key)

    def _enter(self, world: World) -> None:
        """A world is shown from now on: keys, panels and bookmarks are its."""
        fittings = self.fittings
        self.stay = stay = Stay(fittings, self.gate, world)
        self.deeds = deeds = Deeds(fittings, self.gate, stay)
        rooms = fittings.layout, fittings.controls, stay.travel, stay.panels, fittings.overlays
        self._keys: KeyEvents = KeyEvents(*rooms, deeds.obey, deeds.typed)
        handlers = *self._keys.handlers, *stay.mouse.handlers, stay.on_deactivate, fittings.on_resize
        fittings.window.push_handlers(*handlers)
        self.gate.listen()

    def _cross(self, world: World) -> None:
        """Another world takes the place of this one, which is left."""
        left, controls = self.stay, self.fittings.controls
        had_panels, way_back = left.panels.shown, left.following.way_back(controls.view)
        self._leave()
        self.gate.go_on(world, controls)
        self._enter(world)
        for action in (Action.PANELS, Action.PANEL_KEYS) if had_panels else ():
            self.deeds.obey(action)
        self.stay.look()
        self.fittings.captions.renew()
        self.fittings.events.tell("phase", what="joined")
        if way_back and (said := self.stay.following.go_on(way_back)) is not None:
            self.fittings.tell("travel", said)

    def _leave(self) -> None:
        """Frees what shows the world."""
        self.fittings.window.pop_handlers()
        self.fittings.window.pop_handlers()
        self.stay.close()

    def run(self) -> int:
        """Frames until the window is closed; the exit code."""
        last = time.monotonic()
        try:
            while not self.fittings.window.has_exit:
                start = time.monotonic()
                if (stood_s := self._watchdog.step()) is not None:
                    self.fittings.events.tell("stood still", seconds=round(stood_s, 1))
                self.frame(start, start - last)
                last = start
                time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        finally:
            self._watchdog.rest()
        self._watchdog.end(0)
        self.fittings.events.tell("closed", code=0)
        return 0

    def frame(self, now: float, elapsed_s: float) -> None:
        """One frame; ``elapsed_s`` since the one before."""
        window, lap = self.fittings.window, self.fittings.stages.lap
        self.fittings.stages.begin()
        window.switch_to()
        window.dispatch_events()
        self.stay.move(now, elapsed_s)
        lap("events, camera")
        if world := self.gate.frame(now, elapsed_s, self.fittings.controls.view):
            self._cross(world)
        self.stay.keep_up(now, elapsed_s)
        show(self.fittings, self.gate, self.stay, now)
        lap("draw")
        self._draw_panels(now, elapsed_s)
        lap("panels")
        window.flip()
        lap("flip")
        self.stay.shown(now, time.monotonic())
        gc.collect(0)  # nothing else does while a window is open

    def _draw_panels(self, now: float, elapsed_s: float) -> None:
        """Panels over it all, what they ask for, and over them the connect screen or a banner."""
        for wish in self.stay.wishes(now, elapsed_s) if not self.gate.opened else ():
            self.deeds.grant(wish)
        keyboard = self.fittings.layout.keyboard
        past = self.stay.world.timeline.past_view(keyboard, self.stay.panels.keyboard)
        extent = self.fittings.screen.extent
        free = self.stay.panels.free(extent)
        self.gate.draw(extent, free, now, elapsed_s, keyboard.shown(Action.CONNECT), past)

    def close(self) -> None:
        """Frees everything; the window and the connection stay with their owners."""
        self.gate.close()
        self._leave()
        self.fittings.release()
