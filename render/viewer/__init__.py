"""The window: what a person sees of a source, live."""

from typing import TYPE_CHECKING

from render.viewer.options import ViewerOptions

if TYPE_CHECKING:
    from client.options import Options
    from client.source import Source

__all__ = ["ViewerOptions", "view"]


def view(source: "Source", options: "Options", window: ViewerOptions) -> int:
    """Opens a window on a source and runs until it is closed, which ends the process; its exit code where it does not.

    Args:
        source: where the world comes from.
        options: how to connect.
        window: how the window looks, and where pictures and events go.

    Raises:
        NoDisplay: there is no display, or no OpenGL 3.3 on it.
        SourceError: the source cannot be joined.
        OSError: the file for events cannot be written.
    """
    from render.viewer.startup import Startup
    from render.viewer.watchdog import Watchdog, stacks_file

    watchdog = Watchdog(stacks_file())
    try:
        watchdog.listen()
        with Startup(source, options, window, watchdog) as startup:
            return startup.run()
    finally:
        watchdog.close()
