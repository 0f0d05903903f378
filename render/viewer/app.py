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
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import moderngl

from client.connect.connection import Connection
from client.connect.errors import SourceError
from client.connect.warmup import cache_directory
from client.player import View
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.png import write_png
from render.gpu.present import Presenter
from render.jobs.runners import ThreadRunner
from render.materials.packs.live import LivePacks
from render.scene import Look, Picture, Scene, SceneConfig
from render.scene.block_looks import BlockLooks
from render.scene.overlays import STATES_OVERLAY
from render.settings import Action
from render.view_line import ViewLine
from render.viewer.bookmarks import Bookmarks
from render.viewer.captions import Captions
from render.viewer.controls import Controls
from render.viewer.events import EventLog
from render.viewer.hud import HudPainter, hud_lines
from render.viewer.layout import Layout
from render.viewer.legend import LegendPainter, legend_rows, legend_title
from render.viewer.options import ViewerOptions
from render.viewer.pace import Pacer
from render.viewer.pins import Pins
from render.viewer.playback import Playback
from render.viewer.travel import Travel

FRAME_S: Final = 1 / 60
PUMP_BUDGET_S: Final = 0.002
PUMP_SHARE: Final = 1 / 8
STEP_S: Final = 0.00125
"""What a frame may spend on results and uploads of the scene."""
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
        self._gpu = Gpu(moderngl.create_context(require=330))
        self._runner = ThreadRunner()
        session = connection.session
        self._known = connection.statistics()
        config = SceneConfig(
            owner_s=STEP_S,
            flat_light=settings.flat_light,
            gpu_light=settings.gpu_light,
            gpu_budget_bytes=settings.gpu_budget_bytes,
            radius_columns=self._known.session.radius,
        )
        self._packs = LivePacks(settings.packs) if settings.packs else None
        self._looks = BlockLooks(session.store.table, cache_directory(), self._packs.stack if self._packs else None)
        self._scene = Scene(self._gpu, self._looks, self._runner, config)
        self._attached: Any = None
        self._target = Target(self._gpu, window.get_framebuffer_size())
        self._presenter = Presenter(self._gpu, self._target)
        self._controls = Controls(replace(session.view, fov_deg=settings.fov_deg), settings.settings)
        self._server_eye = session.view.eye  # where the server's word last left the camera
        file = settings.settings_file
        self._layout = Layout(settings.settings, file)
        bookmarks = Bookmarks(file.with_name(BOOKMARKS) if file else None, str(connection.source))
        self._travel = Travel(self._controls, bookmarks, settings.pictures, self._dimension)
        self._overlays = set(settings.overlays)
        self._playback = Playback(connection.replay) if connection.replay else None
        self._pins = Pins(connection)
        self._rested: Any = None  # where a recording last came to rest and was drawn
        self._pacer = Pacer()
        self._hud = HudPainter(window.get_pixel_ratio())
        self._legend: LegendPainter | None = None  # made when it is first shown
        self._captions = Captions(self._layout, settings.settings.hud, file, settings.first_start, time.monotonic())
        self._awaited = ["frame", "world", "settled"]
        self._told_view = self._controls.view
        self._looking = self._swallowed = False
        self._listen()
        self._welcome()

    def _listen(self) -> None:
        self._window.push_handlers(
            self.on_key_press,
            self.on_key_release,
            self.on_text,
            self.on_mouse_press,
            self.on_mouse_motion,
            self.on_mouse_drag,
            self.on_mouse_scroll,
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
        self._window.switch_to()
        self._window.dispatch_events()
        moved = self._controls.move(elapsed_s, self._obstructs)
        if self._travel.frame(now) or moved:
            self._look()
        self._pump(elapsed_s)
        self._follow_server()
        self._known = self._connection.statistics()
        self._reload(now)
        self._keep_up()
        self._draw(now)
        self._window.flip()
        self._tell_shown()
        peer = self._known.peer
        self._pacer.frame(now, time.monotonic(), peer.bytes_in, peer.bytes_out)

    def close(self) -> None:
        """Frees everything; the window and the connection stay with their owners."""
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
                self._controls.go(replace(self._controls.view, eye=eye))

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
        if self._looks.reload(self._packs.stack):
            self._attached = None
        self._say(f"resource packs read again, {len(self._packs.stack.troubles)} things wrong in them")

    def _draw(self, now: float) -> None:
        view, known = self._controls.shown, self._known.session
        look = Look(
            time_ticks=self._connection.session.world_time if self._settings.time is None else self._settings.time,
            weather=self._connection.session.weather,
            seconds=self._connection.now - self._connection.session.started_at,  # a paused recording stands still
            gamma=self._settings.gamma,
            cracks=self._connection.session.cracks,
            overlays=frozenset(self._overlays),
            anchor=view.eye.column,
            anchor_radius_columns=known.radius,
            stale=self._connection.session.stale,
        )
        self._scene.draw(Camera.of(view, self._target.aspect), self._target, look)
        self._presenter.present()
        self._gpu.ctx.enable_only(moderngl.NOTHING)
        if lines := self._text(now, view):
            self._hud.draw(lines, self._target.size)
        if self._captions.numbers_on and STATES_OVERLAY in self._overlays:
            self._legend = self._legend or LegendPainter(self._window.get_pixel_ratio())
            failed = self._scene.stats().cells.get(Picture.FAILED, 0)
            self._legend.draw(legend_rows(known.states, failed), legend_title(known.pins, known.terrain.stale_columns))

    def _text(self, now: float, view: View) -> list[str]:
        """What stands in the corner."""
        return self._captions.lines(
            now,
            self._travel.prompt.line if self._travel.prompt else None,
            lambda: hud_lines(self._known, self._scene.stats(), self._pacer.pace(), view),
            self._playback.line() if self._playback else None,
        )

    def _tell_shown(self) -> None:
        """Tells what the frame just shown was the first to show."""
        cells = self._scene.stats().cells_drawn if self._awaited else 0
        while self._awaited and self._is_shown(self._awaited[0], cells):
            self._events.tell(self._awaited.pop(0), cells=cells)
        self._tell_rest(cells=self._scene.stats().cells_drawn)
        view = self._controls.view
        if view != self._told_view:
            self._told_view = view
            eye = [round(axis, 3) for axis in view.eye]
            self._events.tell("view", eye=eye, yaw_deg=round(view.yaw_deg, 2), pitch_deg=round(view.pitch_deg, 2))
        self._events.shown()

    def _tell_rest(self, cells: int) -> None:
        """Tells where a recording stands still, once all of that place is drawn."""
        replay = self._connection.replay
        if replay is None or not replay.resting or not self._scene.settled:
            return
        rest = replay.position, replay.paused, replay.speed
        if rest != self._rested:
            self._rested = rest
            self._events.tell("rest", **asdict(replay.position), paused=replay.paused, speed=replay.speed, cells=cells)

    def _is_shown(self, what: str, cells: int) -> bool:
        match what:
            case "frame":
                return True
            case "world":
                return cells > 0
            case _:
                return self._known.settled and self._scene.settled

    # ------------------------------------------------------------ events, as pyglet names them

    def on_key_press(self, symbol: int, _modifiers: int) -> bool | None:
        """Flies, switches, takes pictures; True tells pyglet that Escape does not close the window."""
        from pyglet.window import key

        name = key.symbol_string(symbol)
        if self._travel.prompt:
            self._type(name)
        elif action := self._layout.keyboard.action(name):
            self._obey(action)
        return True if symbol == key.ESCAPE else None

    def on_text(self, text: str) -> None:
        """Types into the prompt, where there is one."""
        if self._travel.prompt and not self._swallowed:
            self._travel.prompt.type(text)
            self._captions.renew()
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
        if self._playback and self._playback.obey(action):
            self._captions.renew()
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
            case Action.STATES:
                self._overlays ^= {STATES_OVERLAY}
                self._events.tell_when_shown("overlay", name=STATES_OVERLAY, on=STATES_OVERLAY in self._overlays)
            case Action.NEXT_PRESET:
                self._change_preset()
            case Action.FULL_SCREEN:
                self._window.set_fullscreen(not self._window.fullscreen)
            case Action.FREE_MOUSE:
                self._grab(False)

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

        if action := self._layout.keyboard.action(key.symbol_string(symbol)):
            self._controls.release(action)

    def on_mouse_press(self, _x: int, _y: int, _button: int, _modifiers: int) -> None:
        """Takes the mouse for looking around."""
        self._grab(True)

    def on_mouse_motion(self, _x: int, _y: int, dx: int, dy: int) -> None:
        """Looks around while the mouse is taken."""
        if self._looking:
            self._controls.look(dx, dy)
            self._look()

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, _buttons: int, _modifiers: int) -> None:
        """The same with a button held."""
        self.on_mouse_motion(x, y, dx, dy)

    def on_mouse_scroll(self, _x: int, _y: int, _dx: float, dy: float) -> None:
        """Flies faster or slower."""
        self._controls.wheel(dy)

    def on_deactivate(self) -> None:
        """Another window has the keyboard: nothing is held any more."""
        self._controls.release_all()
        self._grab(False)

    def on_resize(self, _width: int, _height: int) -> None:
        """Draws at the window's new size in pixels."""
        size = self._window.get_framebuffer_size()
        if size == self._target.size or 0 in size:
            return
        self._presenter.release()
        self._target.release()
        self._target = Target(self._gpu, size)
        self._presenter = Presenter(self._gpu, self._target)
        self._events.tell_when_shown("size", px=list(size))

    def _grab(self, taken: bool) -> None:
        self._looking = taken
        self._window.set_exclusive_mouse(taken)

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
            pictures.mkdir(parents=True, exist_ok=True)
            path = _unused(pictures, time.strftime("%Y%m%d-%H%M%S"))
            write_png(path, self._target.pixels(), labels)
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


def _unused(folder: Path, name: str) -> Path:
    """A path for a PNG in a folder that no earlier picture has."""
    path = folder / f"{name}.png"
    for number in count(2):
        if not path.exists():
            break
        path = folder / f"{name}-{number}.png"
    return path
