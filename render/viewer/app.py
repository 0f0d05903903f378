"""The running viewer: events in, one step of everything, a frame out.

Rules:
1. One thread: it pumps the connection, steps the scene, draws. Workers belong to the runner.
2. A frame's order: events, camera, connection, scene, draw, HUD, panels, flip, garbage collection.
3. A lost connection closes no window: its world stays, the reason over it, until another takes its place (``lobby``).
"""

import gc
import time
from dataclasses import replace
from functools import partial
from typing import Any, Final

import moderngl

from client.connect.connection import Connection
from client.player import View
from render.camera import Camera
from render.gpu import Gpu
from render.gpu.errors import ContextLost
from render.materials.packs.live import LivePacks
from render.panels.wishes import Bind, Change, Copy, Go, Overlay, Press, Seek, Wish
from render.settings import Action
from render.settings.actions import OVERLAY_OF
from render.view_line import ViewLine
from render.viewer.bookmarks import Bookmarks, beside
from render.viewer.captions import Captions
from render.viewer.controls import Controls
from render.viewer.drawing import look_of
from render.viewer.events import EventLog
from render.viewer.following import Following
from render.viewer.granting import copied, near
from render.viewer.hud import hud_lines
from render.viewer.key_events import KeyEvents
from render.viewer.lettering import Lettering
from render.viewer.lobby.gate import Gate
from render.viewer.lobby.visit import Visit
from render.viewer.milestones import Milestones
from render.viewer.mouse import Mouse
from render.viewer.options import ViewerOptions
from render.viewer.overlay_room import OverlayRoom
from render.viewer.pace import Pacer
from render.viewer.panel_layout import FILE_NAME
from render.viewer.panels import Panels, Sources
from render.viewer.pictures import kept_picture, labels_of
from render.viewer.preferences import Preferences
from render.viewer.revival import lost_context
from render.viewer.screen import Screen
from render.viewer.stages import Stages
from render.viewer.travel import Travel, Whereabouts
from render.viewer.world import World

FRAME_S: Final = 1 / 60


class App:
    """One window on one connection."""

    def __init__(
        self, window: Any, connection: Connection, settings: ViewerOptions, events: EventLog, visit: Visit | None = None
    ) -> None:
        """Makes everything that draws; the window's context is current on this thread from now on.

        Args:
            window: a pyglet window; belongs to the caller, as do the others.
            connection: joined.
            settings: how the window looks.
            events: told what happens.
            visit: holds the connection, and others that take its place.
        """
        self._window = window
        self._settings = settings
        self._events = events
        self._gpu = Gpu(moderngl.create_context(require=330), owned=True)
        self._screen = Screen(self._gpu, window)
        view = connection.session.view
        view = replace(view, fov_deg=settings.fov_deg, ortho_blocks=settings.ortho_blocks)
        self._controls = Controls(view, settings.settings)
        file = settings.settings_file
        self._preferences = Preferences(settings.settings, file)
        self._layout = self._preferences.layout
        self._pacer, self._stages = Pacer(), Stages()
        self._lettering = Lettering(settings.settings.scale * self._screen.extent.scale)
        self._captions = Captions(self._layout, settings.settings.hud, file, settings.first_start, time.monotonic())
        self._overlays = OverlayRoom(settings.overlays, self._layout, self._captions, events)
        make = partial(World, self._gpu, settings, LivePacks(settings.packs) if settings.packs else None)
        self._gate = Gate(
            window, self._gpu, settings, visit or Visit(connection), events, make, self._leaves, self._say
        )
        self._enter(make(connection))
        for words in filter(None, settings.troubles[:1] or ([self._layout.begin()] if settings.first_start else ())):
            self._say(words)

    def _leaves(self, key: str) -> bool:
        """Whether a key is free for the connect screen; each world has other handlers of keys."""
        return self._keys.leaves(key)

    def _enter(self, world: World) -> None:
        """A world is shown from now on: keys, panels and bookmarks are its."""
        self._world, self._connection, self._known = world, world.connection, world.known
        self._scene, self._upkeep, self._timeline = world.scene, world.upkeep, world.timeline
        self._pins, self._debug = world.pins, world.debug
        self._following = Following(world.connection)
        file, scale = self._settings.settings_file, self._preferences.settings.scale
        bookmarks = Bookmarks(beside(file), str(world.connection.source))
        there = Whereabouts(lambda: self._upkeep.dimension, lambda: self._connection.session.player, self._set_out)
        self._travel = Travel(self._controls, bookmarks, self._settings.pictures, there)
        drawn = self._scene, self._controls, self._pacer, self._stages
        sources = Sources(self._window, world.connection, *drawn, self._timeline, self._preferences, self._overlays.on)
        self._panels = Panels(self._gpu, sources, scale, file.with_name(FILE_NAME) if file else None)
        self._milestones = Milestones(self._events, self._controls.view)
        self._mouse = Mouse(self._window, self._controls, self._panels, self._look)
        rooms = self._layout, self._controls, self._travel, self._panels, self._overlays
        self._keys: KeyEvents = KeyEvents(*rooms, self._obey, self._typed)
        self._window.push_handlers(*self._keys.handlers, *self._mouse.handlers, self.on_deactivate, self.on_resize)
        self._gate.listen()

    def _cross(self, world: World) -> None:
        """Another world takes the place of this one, which is left."""
        had_panels, way_back = self._panels.shown, self._following.way_back(self._controls.view)
        self._leave()
        self._gate.go_on(world, self._controls)
        self._enter(world)
        for action in (Action.PANELS, Action.PANEL_KEYS) if had_panels else ():
            self._obey(action)
        self._look()
        self._captions.renew()
        self._events.tell("phase", what="joined")
        if way_back and (said := self._following.go_on(way_back)) is not None:
            self._tell("travel", said)

    def _leave(self) -> None:
        """Frees what shows the world."""
        self._window.pop_handlers()
        self._window.pop_handlers()
        self._panels.close()
        self._world.close()

    # ------------------------------------------------------------ the loop

    def run(self) -> int:
        """Frames until the window is closed; the exit code."""
        last = time.monotonic()
        while not self._window.has_exit:
            start = time.monotonic()
            self.frame(start, start - last)
            last = start
            time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        self._events.tell("closed", code=0)
        return 0

    def frame(self, now: float, elapsed_s: float) -> None:
        """One frame; ``elapsed_s`` since the one before."""
        lap = self._stages.lap
        self._stages.begin()
        self._window.switch_to()
        self._window.dispatch_events()
        moved = self._controls.move(elapsed_s, self._upkeep.obstructs)
        if self._travel.frame(now) or moved:
            self._look()
        lap("events, camera")
        if world := self._gate.frame(now, elapsed_s, self._controls.view):
            self._cross(world)
        if lost := self._upkeep.pump(elapsed_s):
            self._gate.lose(lost)
            self._events.tell_when_shown("lost", reason=lost)
        self._follow_server(now)
        lap("network, client")
        self._known = self._connection.statistics()
        lap("statistics")
        if (said := self._upkeep.reload(now)) is not None:
            self._say(said)
            self._events.tell_when_shown("packs", said=said)
        self._upkeep.step(self._controls.view.eye)
        lap("scene")
        self._draw(now)
        lap("draw")
        self._draw_panels(now, elapsed_s)
        lap("panels")
        self._window.flip()
        lap("flip")
        self._milestones.shown(self._world, self._known, self._controls.view)
        peer = self._known.peer
        self._pacer.frame(now, time.monotonic(), peer.bytes_in, peer.bytes_out)
        gc.collect(0)  # nothing else does while a window is open

    def lost(self) -> ContextLost | None:
        """Whether the context is gone."""
        return lost_context(self._gpu)

    def kept(self, lost: ContextLost) -> ViewerOptions:
        """What another window on this world begins with when this one's context is lost (``revival``)."""
        self._scene.finish()
        self._events.tell("context lost", reason=str(lost))
        return replace(
            self._settings,
            overlays=tuple(sorted(self._overlays.on)),
            settings=self._preferences.settings,
            troubles=(f"Drawn anew: {lost.cause}.",),
            first_start=False,
        )

    def close(self) -> None:
        """Frees everything; the window and the connection stay with their owners."""
        self._gate.close()
        self._leave()
        self._screen.release()
        self._gpu.release()

    def _follow_server(self, now: float) -> None:
        """The camera goes where the server puts the player; a mere correction leaves it free (architecture.md 3)."""
        if (said := self._following.news(now)) is not None:
            self._tell("travel", said)
        asked = self._following.asks
        view = self._following.view(self._controls.view, along=self._preferences.settings.follow)
        if view is not None:
            self._travel.go(view)
            if asked:
                self._look()

    def _set_out(self, dimension: int, line: ViewLine | None, view: View) -> str:
        """Into another dimension: by a word to a server that hears, else by joining the same world there."""
        recorded = self._connection.past is None and self._connection.replay is not None
        if recorded or self._connection.session.closed_reason:
            return self._gate.cross(dimension, line, view)
        return self._following.ask(dimension, line)

    @property
    def _camera(self) -> Camera:
        return Camera.of(self._controls.shown, self._screen.target.aspect)

    def _draw(self, now: float) -> None:
        view, known = self._controls.shown, self._known.session
        look = look_of(self._connection, self._settings, self._overlays.on, view, known.radius, self._debug.frozen)
        if not self._upkeep.bridges:
            self._scene.draw(self._camera, self._screen.target, look)
        self._screen.present()
        self._gpu.ctx.enable_only(moderngl.NOTHING)
        if self._gate.opened:
            return
        legend = self._overlays.legend(self._scene.legend, known, self._panels.legend)
        self._lettering.draw(self._text(now, view), *legend, self._gate.free(self._panels.free(self._screen.extent)))

    def _text(self, now: float, view: View) -> list[str]:
        """What stands in the corner."""
        return self._captions.lines(
            now,
            self._travel.prompt.line if self._travel.prompt else self._layout.question,
            lambda: hud_lines(self._known, self._scene.stats(), self._pacer.pace(), view),
            self._timeline.line(),
            len(self._connection.pins),
        )

    def _draw_panels(self, now: float, elapsed_s: float) -> None:
        """Panels over it all, and what they ask for."""
        extent = self._screen.extent
        for wish in self._panels.frame(self._known, now, elapsed_s, extent) if not self._gate.opened else ():
            self._grant(wish)
        self._gate.draw(extent, now, elapsed_s, self._layout.keyboard.shown(Action.CONNECT))

    # ------------------------------------------------------------ events, as pyglet names them

    def _typed(self, answer: str | None) -> None:
        """The prompt has changed, or was answered."""
        self._captions.renew()
        if answer is not None:
            self._tell("travel", answer)
            self._look()

    def _obey(self, action: Action) -> None:
        """Does what a key means; each room knows its own actions."""
        view = self._controls.view
        if (said := self._panels.obey(action, self._screen.extent)) is not None:
            self._take_keys(said)
        elif (said := self._timeline.obey(action)) is not None:
            self._tell("time", said, action=action.value)
            self._look()  # the player follows again once the present is back
        elif sentence := self._debug.obey(action, self._connection.session, self._camera):
            self._tell("debug", sentence, action=action.value)
        elif sentence := self._pins.obey(action, view):
            self._tell("pins", sentence, pinned=sorted(self._connection.pins))
        elif (said := self._travel.obey(action, time.monotonic())) is not None:
            self._tell("travel", said)
            if self._controls.view != view:
                self._look()
        elif not self._controls.press(action):
            self._show(action)

    def _show(self, action: Action) -> None:
        """Switches what is shown."""
        self._captions.renew()
        match action:
            case Action.HELP:
                self._events.tell_when_shown("help", on=self._captions.switch_help())
            case Action.PICTURE:
                self._take_picture()
            case Action.HUD:
                self._captions.numbers_on = not self._captions.numbers_on
                self._events.tell_when_shown("hud", on=self._captions.numbers_on)
            case Action.OVERLAYS:
                self._overlays.turn()
            case _ if action in OVERLAY_OF:
                self._overlays.switch(OVERLAY_OF[action])
            case Action.NEXT_PRESET:
                self._controls.release_all()
                self._say(self._layout.change())
                self._events.tell_when_shown("preset", name=self._layout.preset)
            case Action.FULL_SCREEN:
                self._window.set_fullscreen(not self._window.fullscreen)
            case Action.FREE_MOUSE if self._mouse.taken:
                self._mouse.take(False)
            case Action.CONNECT | Action.FREE_MOUSE:
                self.on_deactivate()
                self._gate.open()

    def _adopt(self, key: str) -> None:
        """Lives by a setting that was changed, where that needs no other start."""
        settings = self._preferences.settings
        self._controls.adopt(settings, key)
        self._panels.rescale(settings.scale)
        self._gate.rescale(settings.scale)
        self._lettering.rescale(settings.scale * self._screen.extent.scale)
        self._captions.numbers_on = settings.hud if key == "hud" else self._captions.numbers_on
        self._settings = replace(self._settings, settings=settings)
        if key == "gamma":
            self._settings = replace(self._settings, gamma=settings.gamma)

    def _take_keys(self, said: str) -> None:
        """Panels opened, closed, or keys changed hands: nothing is held any more, and the mouse is free for panels."""
        self._controls.release_all()
        self._captions.renew()
        if said:
            self._say(said)
        if self._panels.keyboard:
            self._mouse.take(False)
        self._events.tell_when_shown("panels", on=self._panels.shown, keys=self._panels.keyboard)

    def _grant(self, wish: Wish) -> None:
        """Does what a panel asks for."""
        match wish:
            case Go(block):
                self._travel.go(near(block, self._controls.view))
                self._look()
            case Seek(time_s):
                self._tell("time", self._timeline.seek(time_s))
            case Press(name):
                self._obey(Action(name))
            case Copy(text):
                self._say(copied(self._window, text))
            case Overlay(name):
                self._overlays.switch(name)
            case Change(key, value):
                self._say(self._preferences.change(key, value))
                self._adopt(key)
            case Bind(name):
                self._tell("keys", self._layout.ask(name))
        self._events.tell("wish", what=type(wish).__name__.lower())

    def on_deactivate(self) -> None:
        """Another window has the keyboard: nothing is held any more."""
        self._controls.release_all()
        self._panels.away()
        self._mouse.take(False)

    def on_resize(self, _width: int, _height: int) -> None:
        """Draws at the window's new size in pixels."""
        if size := self._screen.fit():
            self._events.tell_when_shown("size", px=list(size))

    def _look(self) -> None:
        self._connection.look(self._controls.view)
        self._following.looked(self._controls.view)

    def _take_picture(self) -> None:
        """Writes what is shown, without the HUD, with its view in the file's labels."""
        line = ViewLine.of(self._controls.shown, self._upkeep.dimension)
        labels = labels_of(self._connection.source, line, self._timeline.place)
        said, facts = kept_picture(self._settings.pictures, self._screen.target.pixels(), labels)
        self._say(said)
        self._events.tell("picture", **facts)

    def _tell(self, event: str, sentence: str, **facts: object) -> None:
        """Says what a key did, on the screen and in the log."""
        self._captions.renew()
        if sentence:
            self._say(sentence)
        self._events.tell(event, said=sentence, **facts)

    def _say(self, sentence: str) -> None:
        """Shows a line above the numbers for a while."""
        self._captions.say(sentence, time.monotonic())
