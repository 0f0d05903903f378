"""The window: what a person sees of a source, live.

app              The running viewer: events in, one step of everything, a frame out, and what that draws
commands         What each key makes a window do, pictures among it; keys of overlays (F6) stand in ``render.overlays``
connect/         The connect screen, and what happens when one goes from world to world in one window
control/         Control of the camera, of the server's player, and of time
display/         What is drawn over the picture: captions, legends, panels
event_stream     What the viewer does, one JSON line an event: ``view --events FILE``
frame_times      How long frames take: a ring of the last ones, and what the HUD says of them
input            Keys, text, mouse and clipboard of the window: the prompt's while there is one
key_layout       The layout of keys in use, and the file that keeps it
options          What the viewer may be told, what of it changes while it is open
picking          What lies under the crosshair, found on the CPU in what is known; build mode
scene_updater    From the connection to the scene, once a frame
shown_world      One connection with everything that shows it in a window; keys of pins and of the GPU's copy
watchdog         What is done where a window's thread stands still, or does not come to its end
window/          The window itself: its start, its size, its system
window_state     What a window keeps whichever world it shows
world_session    One world in a window for as long as that shows it, with what its server says
"""

from typing import TYPE_CHECKING

from render.viewer.options import ViewerOptions

if TYPE_CHECKING:
    from client.options import Options
    from client.source import Source

__all__ = ["ViewerOptions", "view"]


def view(source: "Source", options: "Options", window: ViewerOptions) -> int:
    """Opens a window on a source and runs until it is closed, which ends the process; its exit code where it does not.

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
