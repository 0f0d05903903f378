"""Keys, text, mouse and clipboard of the window.

Keys and text go to the prompt, F1's table, the panels or the list of overlays if one is open, otherwise they become
actions. The mouse looks around while the window has taken it; otherwise it goes to the panels, or the next click takes
it.

Handlers have pyglet's names of events; only they import pyglet, so tests need no window.
"""

from collections.abc import Callable
from typing import Any, Final

from render.settings import Action
from render.viewer.control.camera_control import Controls
from render.viewer.control.travel import Prompt, Travel
from render.viewer.display.key_table import KeyTable
from render.viewer.display.overlay_switches import OverlaySwitches
from render.viewer.display.panels import Panels
from render.viewer.preferences import Preferences
from render.viewer.window.window import WindowSize


class KeyEvents:
    """Keys and text of one window."""

    def __init__(
        self,
        preferences: Preferences,
        controls: Controls,
        travel: Travel,
        panels: Panels,
        overlays: OverlaySwitches,
        table: KeyTable,
        recorded: Callable[[], bool],
        run_action: Callable[[Action], None],
        typed: Callable[[str | None], None],
    ) -> None:
        """No key is held. ``recorded``: whether the shown moment is not the present.

        ``typed`` is called when the prompt changed, with the message about an answer.
        """
        self._preferences = preferences
        self._controls = controls
        self._travel = travel
        self._panels = panels
        self._overlays = overlays
        self._table = table
        self._recorded = recorded
        self._run_action = run_action
        self._typed = typed
        self._swallows = False

    @property
    def handlers(self) -> tuple[Callable[..., bool | None], ...]:
        return self.on_key_press, self.on_key_release, self.on_text

    def leaves(self, name: str) -> bool:
        """Whether others may use a key: no prompt or list is open, no panel has the keyboard, and it is unbound.

        Escape is free also while panels have the keyboard, so that a join can be cancelled: only a prompt or a list,
        which it closes, keep it.
        """
        asked = self._travel.prompt or self._preferences.asked or self._overlays.is_open or self._table.opened
        if name == "ESCAPE":
            return not asked
        return not (asked or self._panels.keyboard) and self._preferences.keyboard.action(name) is None

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
        if self._table.opened:
            self._table.type(text)
        elif self._travel.prompt is None:
            self._panels.text(text)
        else:
            self._travel.prompt.type(text)
            self._typed(None)

    def down(self, name: str) -> None:
        action = self._preferences.keyboard.action(name)
        chosen = self._preferences.keyboard.choice(name)
        self._swallows = False
        if action is not Action.NEXT_PRESET:
            self._preferences.withdraw_offer()
        if self._preferences.asked:
            self._controls.release_all()
            self._typed(self._preferences.answer(name))
            self._swallows = True  # its letter must be ignored
        elif self._travel.prompt:
            self._edit(name)
        elif taken := self._table.take(name, self._preferences.keyboard, self._recorded()):
            command, said = taken
            if said:
                self._typed(said)
            if command:
                self._do(command)
        elif action is Action.REBIND:
            self._do(action)
        elif not self._panels.key(name, True, action, chosen) and not self._overlays.take(chosen) and action:
            self._do(action)
            types = not (name[:1] == "F" and name[1:].isdigit())
            self._swallows = types and (self._travel.prompt is not None or self._table.opened)  # the key's own letter

    def _do(self, action: Action) -> None:
        """Runs a command, from a key or the table."""
        if action is Action.REBIND:
            self._controls.release_all()
            self._travel.prompt = Prompt("Action to rebind:", self._preferences.ask)
            self._typed(None)
        else:
            self._run_action(action)

    def up(self, name: str) -> None:
        """Handles a key release, by its name: stops flying."""
        action = self._preferences.keyboard.action(name)
        self._panels.key(name, False, action)
        if action:
            self._controls.release(action)

    def _edit(self, name: str) -> None:
        match name:
            case "ENTER" | "RETURN" | "NUM_ENTER":
                self._typed(self._travel.answer())
                return
            case "ESCAPE":
                self._travel.prompt = None
            case "BACKSPACE" if self._travel.prompt:
                self._travel.prompt.erase()
            case "UP" | "DOWN" if self._travel.prompt:
                self._travel.prompt.step(-1 if name == "UP" else 1)
        self._typed(None)


# ---------------------------------------------------------------- mouse

ROWS_A_NOTCH: Final = 3
BUTTONS: Final = {1: 0, 4: 1, 2: 2}
"""pyglet's buttons as panels number them: left, right, middle."""


class Mouse:
    """The mouse of one window."""

    def __init__(
        self,
        window: Any,
        controls: Controls,
        panels: Panels,
        turned: Callable[[], None],
        say: Callable[[str], None],
        table: KeyTable,
        click: Callable[[int], None] = lambda _button: None,
    ) -> None:
        """The mouse is free.

        ``say``: called with the wheel's effect, since a speed is not visible before one flies. ``click``: called with
        pyglet's number of a button pressed while the mouse looks around.
        """
        self._window = window
        self._controls = controls
        self._panels = panels
        self._turned = turned
        self._say = say
        self._table = table
        self._click = click
        self.taken = False

    def take(self, taken: bool) -> None:
        self.taken = taken
        if taken:
            self._panels.away()
        self._window.set_exclusive_mouse(taken)

    @property
    def handlers(self) -> tuple[Callable[..., None], ...]:
        pressed = self.on_mouse_press, self.on_mouse_release
        return *pressed, self.on_mouse_motion, self.on_mouse_drag, self.on_mouse_scroll

    def on_mouse_press(self, x: int, y: int, button: int, _modifiers: int) -> None:
        """Takes the mouse for looking around, unless over a panel; closes the table of keys."""
        if self.taken:
            self._click(button)
            return
        if self._table.opened:
            self._table.turn()
            return
        self._panels.moved(*WindowSize.of(self._window).pixel(x, y))
        if not self._panels.button(BUTTONS.get(button, 0), True):
            self.take(True)

    def on_mouse_release(self, _x: int, _y: int, button: int, _modifiers: int) -> None:
        if not self.taken:
            self._panels.button(BUTTONS.get(button, 0), False)

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        if self.taken:
            self._controls.look(dx, dy)
            self._turned()
        else:
            self._panels.moved(*WindowSize.of(self._window).pixel(x, y))

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, _buttons: int, _modifiers: int) -> None:
        self.on_mouse_motion(x, y, dx, dy)

    def on_mouse_scroll(self, _x: int, _y: int, dx: float, dy: float) -> None:
        """Changes the speed, or the orthographic height; scrolls the table of keys, or a panel under it."""
        if self._table.opened:
            self._table.move(round(-ROWS_A_NOTCH * dy))
            return
        if not self.taken and self._panels.wheel(dx, dy):
            return
        if self._controls.wheel(dy):
            self._turned()
        elif dy:
            self._say(f"Flying speed: {self._controls.speed_blocks_s:.3g} blocks per second.")


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
