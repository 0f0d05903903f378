"""Keys, text, mouse and clipboard of the window.

Keys and text go to the prompt, F1's table, the panels or the list of overlays if one is open, otherwise they become
actions. The mouse looks around while the window has taken it; otherwise it goes to the panels, or the next click takes
it.

Handlers have pyglet's names of events; only they import pyglet, so tests need no window.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from render.settings import Action
from render.settings.keys import ENTER, FUNCTION
from render.viewer.control.travel import Prompt
from render.viewer.window.window import WindowSize

if TYPE_CHECKING:
    from render.viewer.window_state import WindowState
    from render.viewer.world_session import WorldSession


class KeyEvents:
    """Keys and text of one window."""

    def __init__(self, state: "WindowState", session: "WorldSession", run_action: Callable[[Action], None]) -> None:
        self._state, self._session = state, session
        self._run_action = run_action
        self._swallows = False

    @property
    def handlers(self) -> tuple[Callable[..., bool | None], ...]:
        return self.on_key_press, self.on_key_release, self.on_text

    def leaves(self, name: str) -> bool:
        """Whether others may use a key: no prompt or list is open, no panel has the keyboard, and it is unbound.

        Escape is free also while panels have the keyboard, so that a join can be cancelled: only a prompt or a list,
        which it closes, keep it.
        """
        asked = (
            self._session.travel.prompt
            or self._state.preferences.asked
            or self._state.overlays.is_open
            or self._state.table.opened
        )
        if name == "ESCAPE":
            return not asked
        return not (asked or self._session.panels.keyboard) and self._state.preferences.keyboard.action(name) is None

    def on_key_press(self, symbol: int, _modifiers: int) -> bool | None:
        """Handles a key press; True tells pyglet that Escape does not close the window."""
        from pyglet.window import key

        self.down(key.symbol_string(symbol))
        return True if symbol == key.ESCAPE else None

    def on_key_release(self, symbol: int, _modifiers: int) -> None:
        from pyglet.window import key

        self.up(key.symbol_string(symbol))

    def on_text(self, text: str) -> None:
        """Types into the prompt if there is one, else into a panel."""
        swallows, self._swallows = self._swallows, False
        if swallows:
            return
        if self._state.table.opened:
            self._state.table.type(text)
        elif self._session.travel.prompt is None:
            self._session.panels.text(text)
        else:
            self._session.travel.prompt.type(text)
            self._typed(None)

    def down(self, name: str) -> None:
        action = self._state.preferences.keyboard.action(name)
        chosen = self._state.preferences.keyboard.choice(name)
        self._swallows = False
        if action is not Action.NEXT_PRESET:
            self._state.preferences.withdraw_offer()
        if self._state.preferences.asked:
            self._state.controls.release_all()
            self._typed(self._state.preferences.answer(name))
            self._swallows = True  # its letter must be ignored
        elif self._session.travel.prompt:
            self._edit(name)
        elif taken := self._state.table.take(
            name, self._state.preferences.keyboard, self._session.world.timeline.recorded
        ):
            command, said = taken
            if said:
                self._typed(said)
            if command:
                self._do(command)
        elif action is Action.REBIND:
            self._do(action)
        elif (
            not self._session.panels.key(name, True, action, chosen)
            and not self._state.overlays.take(chosen)
            and action
        ):
            self._do(action)
            types = name not in FUNCTION
            self._swallows = types and (
                self._session.travel.prompt is not None or self._state.table.opened
            )  # the key's own letter

    def _do(self, action: Action) -> None:
        """Runs a command, from a key or the table."""
        if action is Action.REBIND:
            self._state.controls.release_all()
            self._session.travel.prompt = Prompt("Action to rebind:", self._state.preferences.ask)
            self._typed(None)
        else:
            self._run_action(action)

    def up(self, name: str) -> None:
        """Handles a key release, by its name: stops flying."""
        action = self._state.preferences.keyboard.action(name)
        self._session.panels.key(name, False, action)
        if action:
            self._state.controls.release(action)

    def _typed(self, answer: str | None) -> None:
        """Handles a change of the prompt, or its answer."""
        self._state.captions.renew()
        if answer is not None:
            self._state.tell("travel", answer)
            self._session.look()

    def _edit(self, name: str) -> None:
        if name in ENTER:
            self._typed(self._session.travel.answer())
            return
        match name:
            case "ESCAPE":
                self._session.travel.prompt = None
            case "BACKSPACE" if self._session.travel.prompt:
                self._session.travel.prompt.erase()
            case "UP" | "DOWN" if self._session.travel.prompt:
                self._session.travel.prompt.step(-1 if name == "UP" else 1)
        self._typed(None)


# ---------------------------------------------------------------- mouse

ROWS_A_NOTCH: Final = 3
BUTTONS: Final = {1: 0, 4: 1, 2: 2}
"""pyglet's buttons as panels number them: left, right, middle."""


class Mouse:
    """The mouse of one window."""

    def __init__(self, state: "WindowState", session: "WorldSession") -> None:
        self._state, self._session = state, session
        self.taken = False

    def take(self, taken: bool) -> None:
        self.taken = taken
        if taken:
            self._session.panels.away()
        self._state.window.set_exclusive_mouse(taken)

    @property
    def handlers(self) -> tuple[Callable[..., None], ...]:
        pressed = self.on_mouse_press, self.on_mouse_release
        return *pressed, self.on_mouse_motion, self.on_mouse_drag, self.on_mouse_scroll

    def on_mouse_press(self, x: int, y: int, button: int, _modifiers: int) -> None:
        """Takes the mouse for looking around, unless over a panel; closes the table of keys."""
        if self.taken:
            self._session.click(button)
            return
        if self._state.table.opened:
            self._state.table.turn()
            return
        self._session.panels.moved(*WindowSize.of(self._state.window).pixel(x, y))
        if not self._session.panels.button(BUTTONS.get(button, 0), True):
            self.take(True)

    def on_mouse_release(self, _x: int, _y: int, button: int, _modifiers: int) -> None:
        if not self.taken:
            self._session.panels.button(BUTTONS.get(button, 0), False)

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        if self.taken:
            self._state.controls.look(dx, dy)
            self._session.look()
        else:
            self._session.panels.moved(*WindowSize.of(self._state.window).pixel(x, y))

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, _buttons: int, _modifiers: int) -> None:
        self.on_mouse_motion(x, y, dx, dy)

    def on_mouse_scroll(self, _x: int, _y: int, dx: float, dy: float) -> None:
        """Changes the speed, or the orthographic height; scrolls the table of keys, or a panel under it."""
        if self._state.table.opened:
            self._state.table.move(round(-ROWS_A_NOTCH * dy))
            return
        if not self.taken and self._session.panels.wheel(dx, dy):
            return
        if self._state.controls.wheel(dy):
            self._session.look()
        elif dy:
            self._state.say(f"Flying speed: {self._state.controls.speed_blocks_s:.3g} blocks per second.")


def pasted(window: Any) -> str:  # Any: a pyglet window
    """The clipboard's text; empty if it is not available."""
    try:
        return str(window.get_clipboard_text())
    except Exception:  # any: as for ``copied``
        return ""


def copied(window: Any, text: str) -> str:  # Any: a pyglet window
    """Puts a text on the clipboard; returns a message."""
    try:
        window.set_clipboard_text(text)
    except Exception as error:  # any: pyglet's systems raise various errors, and some have no clipboard
        return f"Nothing was copied: {error or type(error).__name__}."
    return f"Copied {len(text)} characters."
