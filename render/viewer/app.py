"""The running viewer: events in, one step of everything, a frame out.

Rules:
1. One thread: it pumps the connection, steps the scene, draws. Workers belong to the runner.
2. A frame's order: events, camera, connection (applying for at most 2 ms, or an eighth of a frame that takes longer,
   lest a slow renderer loads slowly too), scene, draw, HUD, flip, garbage collection.
3. A lost connection does not close the window: the last world stays to be looked at, with the reason above it.
4. A way through a recording takes half of the time while it lasts: who sought a place waits for it, and little else.
"""

import gc
import time
from dataclasses import replace
from typing import Any, Final

import moderngl

from client.connect.connection import Connection
from client.connect.errors import SourceError
from client.connect.warmup import cache_directory
from client.player import View
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.errors import ContextLost, RenderError
from render.gpu.present import Presenter
from render.jobs.runners import ThreadRunner
from render.materials.packs.live import LivePacks
from render.panels.wishes import Change, Copy, Go, Overlay, Press, Seek, Wish
from render.scene import Picture, Scene
from render.scene.block_looks import BlockLooks
from render.scene.overlays import SEAMS_OVERLAY, STATES_OVERLAY
from render.settings import Action
from render.view_line import ViewLine
from render.viewer.bookmarks import Bookmarks
from render.viewer.captions import Captions
from render.viewer.controls import Controls
from render.viewer.debug_keys import DebugKeys
from render.viewer.drawing import config_of, look_of
from render.viewer.events import EventLog
from render.viewer.extent import Extent
from render.viewer.granting import copied, near
from render.viewer.hud import hud_lines
from render.viewer.layout import Layout
from render.viewer.legend import Row, legend_rows, legend_title, seam_rows
from render.viewer.lettering import Lettering
from render.viewer.milestones import Milestones
from render.viewer.mouse import Mouse
from render.viewer.options import ViewerOptions
from render.viewer.pace import Pacer
from render.viewer.panel_layout import FILE_NAME
from render.viewer.panels import Panels, Sources
from render.viewer.pictures import keep_picture
from render.viewer.pins import Pins
from render.viewer.playback import Playback
from render.viewer.preferences import Preferences
from render.viewer.stages import Stages
from render.viewer.travel import Travel

FRAME_S: Final = 1 / 60
PUMP_BUDGET_S: Final = 0.002
PUMP_SHARE: Final = 1 / 8
WAY_SHARE: Final = 1 / 2
LONGEST_WAY_S: Final = 0.25
"""Of one frame, so that the window answers."""
BOOKMARKS: Final = "bookmarks.toml"


class App:
    """One window on one connection."""

    def __init__(self, window: Any, connection: Connection, settings: ViewerOptions, events: EventLog) -> None:
        """Makes everything that draws; the window's context is current on this thread from now on.

        Args:
            window: a pyglet window; belongs to the caller, as do the others.
            connection: joined.
            settings: how the window looks.
            events: told what happens.
        """
        self._window = window
        self._connection = connection
        self._settings = settings
        self._events = events
        self._gpu = Gpu(moderngl.create_context(require=330), owned=True)
        self._runner = ThreadRunner()
        session = connection.session
        self._known = connection.statistics()
        self._packs = LivePacks(settings.packs) if settings.packs else None
        self._looks = BlockLooks(session.store.table, cache_directory(), self._packs.stack if self._packs else None)
        self._scene = Scene(self._gpu, self._looks, self._runner, config_of(settings, self._known.session.radius))
        self._attached: Any = None
        self._extent = Extent.of(window)
        self._target = Target(self._gpu, self._extent.pixels)
        self._presenter = Presenter(self._gpu, self._target)
        self._controls = Controls(replace(session.view, fov_deg=settings.fov_deg), settings.settings)
        self._server_eye = session.view.eye  # where the server's word last left the camera
        file = settings.settings_file
        self._preferences = Preferences(settings.settings, file)
        self._layout = Layout(settings.settings, file)
        bookmarks = Bookmarks(file.with_name(BOOKMARKS) if file else None, str(connection.source))
        self._travel = Travel(self._controls, bookmarks, settings.pictures, self._dimension)
        self._overlays = set(settings.overlays)
        self._playback = Playback(connection.replay) if connection.replay else None
        self._pins, self._debug = Pins(connection), DebugKeys(self._scene)
        self._pacer, self._stages = Pacer(), Stages()
        scale = settings.settings.scale
        self._lettering = Lettering(scale * self._extent.scale)
        drawn = self._scene, self._controls, self._pacer, self._stages
        sources = Sources(window, connection, *drawn, self._playback, self._preferences, self._overlays)
        self._panels = Panels(self._gpu, sources, scale, file.with_name(FILE_NAME) if file else None)
        self._captions = Captions(self._layout, settings.settings.hud, file, settings.first_start, time.monotonic())
        self._milestones = Milestones(events, self._controls.view)
        self._swallowed = False
        self._mouse = Mouse(window, self._controls, self._panels, self._look)
        self._listen()
        self._welcome()

    def _listen(self) -> None:
        self._window.push_handlers(
            self.on_key_press,
            self.on_key_release,
            self.on_text,
            self._mouse.on_mouse_press,
            self._mouse.on_mouse_release,
            self._mouse.on_mouse_motion,
            self._mouse.on_mouse_drag,
            self._mouse.on_mouse_scroll,
            self.on_deactivate,
            self.on_resize,
        )

    # ------------------------------------------------------------ the loop

    def run(self) -> int:
        """Frames until the window is closed; the exit code."""
        last = time.monotonic()
        while not self._window.has_exit:
            start = time.monotonic()
            self.frame(start, start - last)
            last = start
            gc.collect(0)
            time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        self._events.tell("closed", code=0)
        return 0

    def frame(self, now: float, elapsed_s: float) -> None:
        """One frame; ``elapsed_s`` since the one before."""
        lap = self._stages.lap
        self._stages.begin()
        self._window.switch_to()
        self._window.dispatch_events()
        moved = self._controls.move(elapsed_s, self._obstructs)
        if self._travel.frame(now) or moved:
            self._look()
        lap("events, camera")
        self._pump(elapsed_s)
        self._follow_server()
        lap("network, client")
        self._known = self._connection.statistics()
        lap("statistics")
        self._reload(now)
        self._keep_up()
        lap("scene")
        self._draw(now)
        lap("draw")
        self._draw_panels(now, elapsed_s)
        lap("panels")
        self._window.flip()
        lap("flip")
        self._tell_shown()
        peer = self._known.peer
        self._pacer.frame(now, time.monotonic(), peer.bytes_in, peer.bytes_out)

    def lost(self) -> ContextLost | None:
        """Whether the context is gone."""
        try:
            self._gpu.check()
        except RenderError as error:
            return error if isinstance(error, ContextLost) else None
        return None

    def kept(self, lost: ContextLost) -> ViewerOptions:
        """What another window on this world begins with when this one's context is lost (``revival``)."""
        self._scene.finish()
        self._events.tell("context lost", reason=str(lost))
        return replace(
            self._settings,
            overlays=tuple(sorted(self._overlays)),
            settings=self._preferences.settings,
            troubles=(f"Drawn anew: {lost.cause}.",),
            first_start=False,
        )

    def close(self) -> None:
        """Frees everything; the window and the connection stay with their owners."""
        self._window.pop_handlers()
        self._panels.close()
        self._runner.close()
        self._scene.release()
        self._presenter.release()
        self._target.release()
        self._gpu.release()

    def _pump(self, elapsed_s: float) -> None:
        if self._captions.lost is not None:
            return
        replay = self._connection.replay
        on_the_way = replay is not None and replay.on_the_way is not None
        budget_s = min(WAY_SHARE * elapsed_s, LONGEST_WAY_S) if on_the_way else PUMP_SHARE * elapsed_s
        try:
            self._connection.pump(budget_s=max(PUMP_BUDGET_S, budget_s))
        except SourceError as error:
            self._captions.lost = str(error)
            self._captions.renew()
            self._events.tell_when_shown("lost", reason=self._captions.lost)

    def _follow_server(self) -> None:
        """The camera goes where the server spawns the player; a mere correction leaves it free (architecture.md 3)."""
        eye = self._connection.session.view.eye
        if eye != self._server_eye and self._playback is None:
            self._server_eye = eye
            if eye != self._controls.view.eye:
                self._travel.go(replace(self._controls.view, eye=eye))

    def _obstructs(self, block: BlockPos) -> bool:
        store = self._connection.session.store
        return bool(store.table.obstructs[store.block(block).dense])

    def _dimension(self) -> int:
        return int(self._connection.session.store.dimension.number)

    def _keep_up(self) -> None:
        session = self._connection.session
        if self._attached is not session.store:  # the first time, and after a change of dimension
            self._attached = session.store
            self._scene.attach(session.store, session.light, session.anchors)
        eye = self._controls.view.eye
        self._scene.step((eye.x, eye.y, eye.z))

    def _reload(self, now: float) -> None:
        """Takes packs whose files have changed; the world is made anew where other pictures than before are shown."""
        if self._packs is None or not self._packs.poll(now):
            return
        if not self._packs.failed and self._looks.reload(self._packs.stack):
            self._attached = None
        self._say(self._packs.said)
        self._events.tell_when_shown("packs", said=self._packs.said)

    @property
    def _camera(self) -> Camera:
        return Camera.of(self._controls.shown, self._target.aspect)

    def _draw(self, now: float) -> None:
        view, known = self._controls.shown, self._known.session
        look = look_of(self._connection, self._settings, self._overlays, view, known.radius)
        self._scene.draw(self._camera, self._target, look)
        self._presenter.present()
        self._gpu.ctx.enable_only(moderngl.NOTHING)
        rows = self._legend_rows() if self._captions.numbers_on and not self._panels.legend else []
        title = legend_title(known.pins, known.terrain.stale_columns)
        self._lettering.draw(self._text(now, view), rows, title, self._target.size, self._panels.bar_px)

    def _legend_rows(self) -> list[Row]:
        """What stands below: of overlays with boxes, as far as they are on."""
        rows = []
        if STATES_OVERLAY in self._overlays:
            rows += legend_rows(self._known.session.states, self._scene.stats().cells.get(Picture.FAILED, 0))
        if SEAMS_OVERLAY in self._overlays:
            rows += seam_rows(self._scene.seams())
        return rows

    def _text(self, now: float, view: View) -> list[str]:
        """What stands in the corner."""
        return self._captions.lines(
            now,
            self._travel.prompt.line if self._travel.prompt else None,
            lambda: hud_lines(self._known, self._scene.stats(), self._pacer.pace(), view),
            self._playback.line() if self._playback else None,
        )

    def _draw_panels(self, now: float, elapsed_s: float) -> None:
        """Panels over it all, and what they ask for."""
        for wish in self._panels.frame(self._known, now, elapsed_s, self._extent):
            self._grant(wish)

    def _tell_shown(self) -> None:
        """Tells what the frame just shown was the first to show."""
        replay, settled = self._connection.replay, self._scene.settled
        rests = replay if replay is not None and settled and replay.resting else None
        cells = self._scene.stats().cells_drawn
        self._milestones.shown(cells, settled and self._known.settled, self._controls.view, rests)

    # ------------------------------------------------------------ events, as pyglet names them

    def on_key_press(self, symbol: int, _modifiers: int) -> bool | None:
        """Flies, switches, takes pictures; True tells pyglet that Escape does not close the window."""
        from pyglet.window import key

        name = key.symbol_string(symbol)
        action = self._layout.keyboard.action(name)
        if self._travel.prompt:
            self._type(name)
        elif not self._panels.key(name, True, action) and action:
            self._obey(action)
        return True if symbol == key.ESCAPE else None

    def on_text(self, text: str) -> None:
        """Types into the prompt, where there is one."""
        if self._travel.prompt and not self._swallowed:
            self._travel.prompt.type(text)
            self._captions.renew()
        elif not self._travel.prompt:
            self._panels.text(text)
        self._swallowed = False

    def _type(self, name: str) -> None:
        """A key at the prompt."""
        self._swallowed = False
        match name:
            case "ENTER" | "RETURN" | "NUM_ENTER":
                self._tell("travel", self._travel.answer())
                self._look()
            case "ESCAPE":
                self._travel.prompt = None
            case "BACKSPACE" if self._travel.prompt:
                self._travel.prompt.erase()
        self._captions.renew()

    def _obey(self, action: Action) -> None:
        """Does what a key means; each room knows its own actions."""
        view = self._controls.view
        if (said := self._panels.obey(action, self._extent)) is not None:
            self._take_keys(said)
        elif self._playback and self._playback.obey(action):
            self._captions.renew()
        elif sentence := self._debug.obey(action, self._connection.session, self._camera):
            self._tell("debug", sentence, action=action.value)
        elif sentence := self._pins.obey(action, view):
            self._tell("pins", sentence, pinned=sorted(self._connection.pins))
        elif (said := self._travel.obey(action, time.monotonic())) is not None:
            self._swallowed = self._travel.prompt is not None  # the letter of the key that asked is no answer
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
            case Action.STATES | Action.LIGHT_SEAMS:
                self._switch_overlay(STATES_OVERLAY if action is Action.STATES else SEAMS_OVERLAY)
            case Action.NEXT_PRESET:
                self._change_preset()
            case Action.FULL_SCREEN:
                self._window.set_fullscreen(not self._window.fullscreen)
            case Action.FREE_MOUSE:
                self._mouse.take(False)

    def _switch_overlay(self, name: str) -> None:
        self._overlays.symmetric_difference_update({name})  # panels hold the same set
        self._events.tell_when_shown("overlay", name=name, on=name in self._overlays)

    def _adopt(self, key: str) -> None:
        """Lives by a setting that was changed, where that needs no other start."""
        settings = self._preferences.settings
        self._controls.adopt(settings, key)
        self._panels.rescale(settings.scale)
        self._lettering.rescale(settings.scale * self._extent.scale)
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
        replay = self._connection.replay
        match wish:
            case Go(block):
                self._travel.go(near(block, self._controls.view))
                self._look()
            case Seek(time_s) if replay:
                replay.seek(time_s)
            case Press(name):
                self._obey(Action(name))
            case Copy(text):
                self._say(copied(self._window, text))
            case Overlay(name):
                self._switch_overlay(name)
            case Change(key, value):
                self._say(self._preferences.change(key, value))
                self._adopt(key)
        self._events.tell("wish", what=type(wish).__name__.lower())

    def _change_preset(self) -> None:
        """The next layout of keys."""
        self._controls.release_all()
        self._say(self._layout.change())
        self._events.tell_when_shown("preset", name=self._layout.preset)

    def _welcome(self) -> None:
        """Says what is wrong with the settings; at a first start, writes them."""
        if self._settings.troubles:
            self._say(self._settings.troubles[0])
        elif self._settings.first_start and (trouble := self._layout.begin()):
            self._say(trouble)

    def on_key_release(self, symbol: int, _modifiers: int) -> None:
        """Stops flying."""
        from pyglet.window import key

        name = key.symbol_string(symbol)
        action = self._layout.keyboard.action(name)
        self._panels.key(name, False, action)
        if action:
            self._controls.release(action)

    def on_deactivate(self) -> None:
        """Another window has the keyboard: nothing is held any more."""
        self._controls.release_all()
        self._panels.away()
        self._mouse.take(False)

    def on_resize(self, _width: int, _height: int) -> None:
        """Draws at the window's new size in pixels."""
        self._extent = Extent.of(self._window)
        size = self._extent.pixels
        if size == self._target.size or not self._extent.shown:
            return
        self._presenter.release()
        self._target.release()
        self._target = Target(self._gpu, size)
        self._presenter = Presenter(self._gpu, self._target)
        self._events.tell_when_shown("size", px=list(size))

    def _look(self) -> None:
        self._connection.look(self._controls.view)
        self._server_eye = self._controls.view.eye

    def _take_picture(self) -> None:
        """Writes what is shown, without the HUD, with its view in the file's labels."""
        labels = {
            "Software": "chunkscope",
            "Source": str(self._connection.source),
            "View": str(ViewLine.of(self._controls.shown, self._dimension())),
        }
        if self._playback:
            labels["Recording"] = self._playback.place
        pictures = self._settings.pictures
        try:
            path = keep_picture(pictures, self._target.pixels(), labels)
        except OSError as error:  # a full disk is no reason to close a window
            self._say(f"no picture: {error.filename or pictures}: {error.strerror}")
            self._events.tell("picture", path=None, reason=str(error))
        else:
            self._say(f"picture: {path}")
            self._events.tell("picture", path=str(path.absolute()))

    def _tell(self, event: str, sentence: str, **facts: object) -> None:
        """Says what a key did, on the screen and in the log."""
        self._captions.renew()
        if sentence:
            self._say(sentence)
        self._events.tell(event, said=sentence, **facts)

    def _say(self, sentence: str) -> None:
        """Shows a line above the numbers for a while."""
        self._captions.say(sentence, time.monotonic())
