"""The window: what a person sees of a source, live."""

from pathlib import Path
from typing import TYPE_CHECKING

from render.viewer.options import ViewerOptions

if TYPE_CHECKING:
    from client.connect.options import Options
    from client.connect.source import Source

__all__ = ["ViewerOptions", "view"]


def view(source: "Source", options: "Options", window: ViewerOptions, pictures: Path = Path("shots")) -> int:
    """Opens a window on a source and runs until it is closed; returns an exit code.

    Args:
        source: where the world comes from.
        options: how to connect.
        window: how the window looks.
        pictures: folder for pictures taken with F2; made when the first is taken.

    Raises:
        NoDisplay: there is no display, or no OpenGL 3.3 on it.
        SourceError: the source cannot be joined.
    """
    from render.viewer.startup import Startup

    startup = Startup(source, options, window)
    try:
        return startup.run(pictures)
    finally:
        startup.close()
