"""The connect screen of one window: its lists, its attempt to join, its keys and mouse.

Rules:
1. While it is open, it gets all keys, text and mouse: its handlers lie on top of the window's and pass on only key
   releases. It searches the LAN and folders only while it is open, and leaves no thread behind.
2. Escape cancels a join, then returns to the world beneath; without one, nothing happens.
3. Over a lost connection (``lost``) Enter and R join its source again without the screen. Escape cancels that, unless
   the world beneath has an open prompt or list: Escape closes that first.
4. Before there is a world it runs a loop of its own, until a source is joined or the window is closed.
"""

import gc
import time
from collections.abc import Callable
from typing import Any, Final

import moderngl

from client.connection.connection import Connection
from client.options import Options
from client.source import Source
from render.gpu import Gpu
from render.panels.connect import Click, ConnectButton, ConnectView, Underway
from render.panels.hud import Banner, banner_of
from render.panels.imgui_host import ImguiHost
from render.settings.keys import ENTER
from render.view_line import ViewLine
from render.viewer.connect.join import ConnectionAttempt, Failed, joined_options, play
from render.viewer.connect.screen_state import ConnectScreen, Forget, Join, Leave, Retry, ScreenCommand
from render.viewer.connect.sources import ConnectPlan, SourceDiscovery
from render.viewer.display.interface import Interface
from render.viewer.event_stream import EventStream
from render.viewer.input import BUTTONS, pasted
from render.viewer.watchdog import Watchdog
from render.viewer.window.window import WindowSize
from render.viewer.window_options import WindowClosed


class ConnectDialog:
    """The screen of one window; owner thread."""

    def __init__(
        self,
        window: Any,
        interface: Interface,
        plan: ConnectPlan,
        events: EventStream,
        keyless: Callable[[str], bool],
        say: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        """Starts closed.

        ``keyless``: whether the world beneath does not use a key; ``say`` shows a sentence over a live world.
        """
        self._window, self._interface = window, interface
        self._plan, self._events = plan, events
        self._keyless, self._say = keyless, say
        self._screen = ConnectScreen(paste=lambda: pasted(window))
        self._attempt: ConnectionAttempt | None = None
        self._options: Options = plan.options
        self._looking = SourceDiscovery(plan, events)
        self.opened = False  # whether the screen is shown
        self.lost = ""  # why the connection beneath ended; empty while it is live
        self.beneath = ""
        self.last: Source | None = None
        self.arriving: Underway | None = None  # progress of the joined world's terrain, while it is awaited
        self.towards: ViewLine | None = None  # the wanted view in the joined world, if any
        self.way_back: Options | None = None  # options to join the lost source again
        self._gave_up = False

    # ------------------------------------------------------------ open and closed

    def open(self, text: str = "") -> None:
        if self.opened:
            return
        self._screen.begin(text)
        self._screen.trouble = self.lost
        self.opened = True
        self._looking.open()
        self._window.set_exclusive_mouse(False)
        self._events.tell_when_shown("connect", on=True)

    def close(self) -> None:
        """Closes the screen; a join continues."""
        if not self.opened:
            return
        self.opened = False
        self._screen.release_keys()
        self._interface.hand(ImguiHost.away)
        self._looking.close()
        self._events.tell_when_shown("connect", on=False)

    def release(self) -> None:
        self.give_up()
        self.close()

    # ------------------------------------------------------------ the world beneath

    def be_at(self, connection: Connection) -> None:
        self.last = connection.source
        self.beneath = connection.session.spawn.world_name or str(connection.source)

    def lose(self, reason: str, way_back: Options) -> None:
        """The connection beneath has ended."""
        self.lost, self.way_back = reason, way_back

    def banner(self, now: float, connect_key: str, past: Banner | None) -> Banner | None:
        """The banner over the world: lost connection, running join, or the past."""
        return banner_of(self.lost, self.underway(now), self._keyless("R"), connect_key, past)

    # ------------------------------------------------------------ joining

    def join(
        self,
        source: Source,
        now: float | None = None,
        options: Options | None = None,
        towards: ViewLine | None = None,
    ) -> None:
        """Starts joining a source; replaces an earlier attempt.

        ``options``: None for those of the lost connection, or of the command line for its source. ``towards``: the
        wanted view; None for the server's, or the present one.
        """
        self.give_up()
        self._gave_up = False
        self._screen.trouble = ""
        back = self.way_back if self.lost and source == self.last else None
        wanted = options or back or joined_options(self._plan.options, source, self._plan.source)
        self._options = self._plan.as_before(source, wanted)
        self.last, self.towards = source, towards
        now = time.monotonic() if now is None else now
        self._attempt = ConnectionAttempt(source, self._options, self._plan.opened, now)
        self._events.tell("joining", source=str(source))

    def give_up(self) -> None:
        if self._attempt or self.arriving:
            self._events.tell("given up", source=str(self.last))
        if self._attempt:
            self._attempt.cancel()
        self._gave_up = self.arriving is not None
        self._attempt = None

    def take_refusal(self) -> bool:
        """Whether the user cancelled a join whose terrain is awaited; resets it."""
        refused, self._gave_up = self._gave_up, False
        return refused

    def failed(self, sentence: str) -> None:
        """Shows why joining failed, or the connection was lost before it was shown."""
        self._screen.trouble = sentence
        self._events.tell_when_shown("failed", reason=sentence)
        if self.lost:
            self.lost = sentence
        elif not self.opened:
            self._say(sentence)

    def frame(self, now: float) -> Connection | None:
        """Advances lists and attempt; returns a joined connection, which the caller then owns."""
        if self.opened and (sections := self._looking.sections(now)) is not None:
            self._screen.show(sections)
        if self._attempt is None:
            return None
        try:
            connection = self._attempt.poll()
        except Failed as error:
            self._attempt = None
            self.failed(str(error))
            return None
        if connection is not None:
            self._attempt = None
            self._plan.record(connection)
        return connection

    def underway(self, now: float) -> Underway | None:
        return self._attempt.underway(now) if self._attempt else self.arriving

    # ------------------------------------------------------------ drawing

    def draw(self, extent: WindowSize, now: float, elapsed_s: float) -> None:
        """Draws the screen, if it is open, and handles clicks in it."""
        if self.opened:
            for click in self._interface.draw_connect(self.view(now), extent, now, elapsed_s):
                self._click(click)

    def view(self, now: float) -> ConnectView:
        retry = str(self.last) if self.last and self._screen.trouble else ""
        answer = self._looking.typed_answer(self._screen.typed, now)
        return self._screen.view(self.underway(now), self.beneath, retry, answer)

    # ------------------------------------------------------------ events, as pyglet names them

    def on_key_press(self, symbol: int, _modifiers: int) -> bool | None:
        """Handles a key; True: it was used."""
        from pyglet.window import key

        return self.down(key.symbol_string(symbol)) or None

    def on_key_release(self, symbol: int, _modifiers: int) -> None:
        """Handles a key release; the world gets it, too, as the key may have been pressed there."""
        from pyglet.window import key

        self._screen.key(key.symbol_string(symbol), down=False)

    def on_text(self, text: str) -> bool | None:
        if not self.opened:
            return None
        if not self.underway(0.0):
            self._screen.text(text)
        return True

    def on_mouse_press(self, x: int, y: int, button: int, _modifiers: int) -> bool | None:
        return self._mouse(x, y, lambda host: host.button(BUTTONS.get(button, 0), True))

    def on_mouse_release(self, x: int, y: int, button: int, _modifiers: int) -> bool | None:
        return self._mouse(x, y, lambda host: host.button(BUTTONS.get(button, 0), False))

    def on_mouse_motion(self, x: int, y: int, _dx: int, _dy: int) -> bool | None:
        return self._mouse(x, y)

    def on_mouse_drag(self, x: int, y: int, _dx: int, _dy: int, _buttons: int, _modifiers: int) -> bool | None:
        return self._mouse(x, y)

    def on_mouse_scroll(self, x: int, y: int, dx: float, dy: float) -> bool | None:
        return self._mouse(x, y, lambda host: host.wheel(dx, dy))

    def listen(self) -> None:
        keys = self.on_key_press, self.on_key_release, self.on_text
        pressed, moved = (self.on_mouse_press, self.on_mouse_release), (self.on_mouse_motion, self.on_mouse_drag)
        self._window.push_handlers(*keys, *pressed, *moved, self.on_mouse_scroll)

    def down(self, name: str) -> bool:
        """Handles a key, by its name; returns whether it was used."""
        if not self.opened:
            return self._down_over_the_world(name)
        if name == "F11":
            return False
        if self.underway(0.0):
            if name == "ESCAPE":
                self.give_up()
            return True
        if name == "ESCAPE" and self.beneath:
            self.close()
        else:
            self._do(self._screen.key(name))
        return True

    def _down_over_the_world(self, name: str) -> bool:
        if self.underway(0.0):
            theirs = name == "ESCAPE" and self._keyless(name)
            if theirs:
                self.give_up()
            return theirs
        if self.lost and self.last and name in (*ENTER, "R") and self._keyless(name):
            self.join(self.last)
            return True
        return False

    def _mouse(self, x: int, y: int, event: Callable[[ImguiHost], None] | None = None) -> bool | None:
        if not self.opened:
            return None
        at = WindowSize.of(self._window).pixel(x, y)
        self._interface.hand(lambda host: host.moved(*at))
        if event:
            self._interface.hand(event)
        return True

    def _click(self, click: Click) -> None:
        match click:
            case ConnectButton.FIELD:
                self._screen.select_field()
            case ConnectButton.JOIN:
                self._do(self._screen.join(0))
            case ConnectButton.CANCEL:
                self.give_up()
            case ConnectButton.BACK:
                self.close()
            case ConnectButton.RETRY:
                self._do(Retry())
            case int():
                self._do(self._screen.join(click))

    def _do(self, command: ScreenCommand | None) -> None:
        match command:
            case Join(source):
                self.join(source)
            case Retry() if self.last and self._screen.trouble:
                self.join(self.last)
            case Leave():
                self._window.dispatch_event("on_close")
            case Forget(source):
                self._plan.recent.forget(source)
                self._looking.again()


FRAME_S: Final = 1 / 30
"""Only a caret moves here."""
BEHIND: Final = (0.03, 0.04, 0.06)


class FirstScreen:
    """The connect screen before there is a world."""

    def __init__(
        self,
        window: Any,
        plan: ConnectPlan,
        scale: float,
        events: EventStream,
        text: str = "",
        watchdog: Watchdog | None = None,
    ) -> None:
        """Opens it; the window's context is current on this thread."""
        self._watchdog = watchdog or Watchdog()
        self._window = window
        self._events = events
        self._gpu = Gpu(moderngl.create_context(require=330))
        self._interface = Interface(self._gpu, scale)
        self.dialog = ConnectDialog(window, self._interface, plan, events, lambda _key: True)
        self.dialog.listen()
        self.dialog.open(text)
        self._last = time.monotonic()

    def run(self) -> Connection:
        """Runs frames until a source is joined. Raises WindowClosed: the window was closed before."""
        try:
            while True:
                start = time.monotonic()
                self._watchdog.step()
                connection = self.frame(start)
                if connection is not None:
                    return connection
                time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        finally:
            self._watchdog.rest()

    def frame(self, now: float) -> Connection | None:
        self._window.switch_to()
        self._window.dispatch_events()
        if self._window.has_exit:
            raise WindowClosed
        connection = self.dialog.frame(now)
        extent = WindowSize.of(self._window)
        screen = self._gpu.ctx.screen
        screen.use()
        screen.viewport = (0, 0, *extent.pixels)
        screen.clear(*BEHIND)
        self.dialog.draw(extent, now, now - self._last)
        self._window.flip()
        self._events.shown()
        self._last = now
        if connection is not None:
            play(connection)
        gc.collect(0)  # collection is off while a window is open
        return connection

    def close(self) -> None:
        self._window.pop_handlers()
        self.dialog.release()
        self._interface.close()
        self._gpu.release()
