"""Keys and text of the window: to the prompt while there is one, else to the panels or the chooser, else as actions.

Handlers are named as pyglet names its events; pyglet is imported by them alone, so that tests type without a window.
"""

from collections.abc import Callable

from render.settings import Action
from render.viewer.controls import Controls
from render.viewer.layout import Layout
from render.viewer.overlay_room import OverlayRoom
from render.viewer.panels import Panels
from render.viewer.prompt import Prompt
from render.viewer.travel import Travel


class KeyEvents:
    """Of one window."""

    def __init__(
        self,
        layout: Layout,
        controls: Controls,
        travel: Travel,
        panels: Panels,
        overlays: OverlayRoom,
        obey: Callable[[Action], None],
        typed: Callable[[str | None], None],
    ) -> None:
        """No key is held.

        Args:
            layout: which key does what.
            controls: of the camera.
            travel: that asks.
            panels: over the picture.
            overlays: with the list that has letters while it is open.
            obey: does what a key means.
            typed: told that the prompt has changed; with what there is to say, where it was answered.
        """
        self._layout = layout
        self._controls = controls
        self._travel = travel
        self._panels = panels
        self._overlays = overlays
        self._obey = obey
        self._typed = typed
        self._swallows = False

    @property
    def handlers(self) -> tuple[Callable[..., bool | None], ...]:
        """All of them, for the window."""
        return self.on_key_press, self.on_key_release, self.on_text

    def leaves(self, name: str) -> bool:
        """Whether a key is left to others: nothing is asked, no list is open, no panel has the keyboard, it is unbound.

        Escape is left sooner, so that a join can be given up whoever has the keyboard: a prompt or a list alone, which
        it closes, keep it.
        """
        asked = self._travel.prompt or self._layout.asked or self._overlays.is_open
        if name == "ESCAPE":
            return not asked
        return not (asked or self._panels.keyboard) and self._layout.keyboard.action(name) is None

    def on_key_press(self, symbol: int, _modifiers: int) -> bool | None:
        """A key went down; True tells pyglet that Escape does not close the window."""
        from pyglet.window import key

        self.down(key.symbol_string(symbol))
        return True if symbol == key.ESCAPE else None

    def on_key_release(self, symbol: int, _modifiers: int) -> None:
        """A key went up."""
        from pyglet.window import key

        self.up(key.symbol_string(symbol))

    def on_text(self, text: str) -> None:
        """Types into the prompt, where there is one, else into a panel."""
        swallows, self._swallows = self._swallows, False
        if swallows:
            return
        if self._travel.prompt is None:
            self._panels.text(text)
        else:
            self._travel.prompt.type(text)
            self._typed(None)

    def down(self, name: str) -> None:
        """A key went down, by its name."""
        action = self._layout.keyboard.action(name)
        chosen = self._layout.keyboard.choice(name)
        self._swallows = False
        if self._layout.asked:
            self._controls.release_all()
            self._typed(self._layout.answer(name))
            self._swallows = True  # its letter is nobody's text
        elif self._travel.prompt:
            self._edit(name)
        elif action is Action.REBIND:
            self._controls.release_all()
            self._travel.prompt = Prompt("Another key for which action:", self._layout.ask)
            self._typed(None)
        elif not self._panels.key(name, True, action, chosen) and not self._overlays.take(chosen) and action:
            self._obey(action)
            self._swallows = self._travel.prompt is not None  # the letter of the key that asked is no answer

    def up(self, name: str) -> None:
        """A key went up, by its name: it flies no more."""
        action = self._layout.keyboard.action(name)
        self._panels.key(name, False, action)
        if action:
            self._controls.release(action)

    def _edit(self, name: str) -> None:
        """A key at the prompt."""
        match name:
            case "ENTER" | "RETURN" | "NUM_ENTER":
                self._typed(self._travel.answer())
                return
            case "ESCAPE":
                self._travel.prompt = None
            case "BACKSPACE" if self._travel.prompt:
                self._travel.prompt.erase()
        self._typed(None)
