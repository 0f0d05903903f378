"""The viewer's window: shows a source live.

app              The running viewer: events in, one step of everything, a frame out
commands         What each key does: a table from actions to functions; keys of overlays (F6) are in ``render.overlays``
connect/         The connect screen, and switching between worlds in one window
control/         Control of the camera, of the server's player, and of time
display/         What is drawn over the picture: captions, legends, panels
event_stream     Writes what the viewer does, one JSON line an event: ``view --events FILE``
frame_times      Frame times: the last ones, and their statistics for the HUD
input            Keys, text, mouse and clipboard of the window
picking          Finds the block under the crosshair, on the CPU; build mode
scene_updater    Passes changes from the connection to the scene, once a frame
shown_world      One connection with everything that shows it in a window; keys of pins and of the GPU's copy
preferences      Settings and keys of one window: changed while it is open, and stored in the file
watchdog         Handles a window thread that hangs, or does not end
window/          The window itself: its start, its size, its system
window_options   Options of a window, and exceptions that end one
window_state     State of a window that is independent of the shown world
world_session    One shown world in a window, with its server's messages
"""

from typing import TYPE_CHECKING

from render.viewer.window_options import WindowOptions

if TYPE_CHECKING:
    from client.options import Options
    from client.source import Source

__all__ = ["WindowOptions", "view"]


def view(source: "Source", options: "Options", window: WindowOptions) -> int:
    """Opens a window on a source and runs until it is closed; returns the exit code, unless closing ends the process.

    Raises:
        NoDisplay: there is no display, or no OpenGL 3.3 on it.
        SourceError: the source cannot be joined.
        OSError: the file for events cannot be written.
    """
    from render.viewer.watchdog import Watchdog, stacks_file
    from render.viewer.window.startup import Startup

    watchdog = Watchdog(stacks_file())
    try:
        watchdog.listen()
        with Startup(source, options, window, watchdog) as startup:
            return startup.run()
    finally:
        watchdog.close()
