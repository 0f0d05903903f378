"""What keeps a window from opening."""

from render.gpu.errors import RenderError


class NoDisplay(RenderError):
    """There is no display to open a window on: exit code 5."""
