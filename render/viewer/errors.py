"""What keeps a window from opening, or from going on."""

from render.gpu.errors import RenderError


class NoDisplay(RenderError):
    """There is no display to open a window on: exit code 5."""


class WindowClosed(Exception):
    """The person closed the window before the world was there."""
