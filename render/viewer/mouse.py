"""The mouse: it looks around while the window has taken it, else it is the panels', or takes the next click.

Handlers are named as pyglet names its events.
"""

from collections.abc import Callable
from typing import Any, Final

from render.viewer.controls import Controls
from render.viewer.extent import Extent
from render.viewer.panels import Panels

BUTTONS: Final = {1: 0, 4: 1, 2: 2}
"""pyglet's buttons as panels number them: left, right, middle."""


class Mouse:
    """Of one window."""

    def __init__(
        self,
        window: Any,
        controls: Controls,
        panels: Panels,
        turned: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        """Not taken.

        Args:
            window: a pyglet window.
            controls: of the camera.
            panels: over it.
            turned: told when the view has changed.
            say: told what the wheel did, for a speed cannot be seen before one flies.
        """
        self._window = window
        self._controls = controls
        self._panels = panels
        self._turned = turned
        self._say = say
        self._taken = False

    @property
    def taken(self) -> bool:
        """Whether it looks around."""
        return self._taken

    def take(self, taken: bool) -> None:
        """Takes the mouse for looking around, or gives it back."""
        self._taken = taken
        if taken:
            self._panels.away()
        self._window.set_exclusive_mouse(taken)

    @property
    def handlers(self) -> tuple[Callable[..., None], ...]:
        """All of them, for the window."""
        pressed = self.on_mouse_press, self.on_mouse_release
        return *pressed, self.on_mouse_motion, self.on_mouse_drag, self.on_mouse_scroll

    def on_mouse_press(self, x: int, y: int, button: int, _modifiers: int) -> None:
        """Takes the mouse for looking around, but over a panel."""
        if self._taken:
            return
        self._panels.moved(*Extent.of(self._window).pixel(x, y))
        if not self._panels.button(BUTTONS.get(button, 0), True):
            self.take(True)

    def on_mouse_release(self, _x: int, _y: int, button: int, _modifiers: int) -> None:
        """Lets go of what is dragged in a panel."""
        if not self._taken:
            self._panels.button(BUTTONS.get(button, 0), False)

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Looks around while the mouse is taken."""
        if self._taken:
            self._controls.look(dx, dy)
            self._turned()
        else:
            self._panels.moved(*Extent.of(self._window).pixel(x, y))

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, _buttons: int, _modifiers: int) -> None:
        """The same with a button held."""
        self.on_mouse_motion(x, y, dx, dy)

    def on_mouse_scroll(self, _x: int, _y: int, dx: float, dy: float) -> None:
        """Flies faster or slower, or shows more or less; over a panel, scrolls it."""
        if not self._taken and self._panels.wheel(dx, dy):
            return
        if self._controls.wheel(dy):
            self._turned()
        elif dy:
            self._say(f"Flying: {self._controls.speed_blocks_s:.3g} blocks a second.")
