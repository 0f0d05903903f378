"""What a window keeps whichever world it shows: context, size, camera, settings, keys, overlays, and what it says.

Needs the window's context to be current. Owner thread only.
"""

import time
from typing import Any

import moderngl
from msgspec.structs import replace

from client.player import View
from client.report.diff import Against
from client.session.weather import WEATHERS
from client.world.store import Store
from render.gpu import Gpu
from render.panels.find import FindView
from render.panels.panel import Sky
from render.viewer.control.camera_control import Controls
from render.viewer.display.captions import CaptionPainter, Captions, Crosshair
from render.viewer.display.interface import Interface
from render.viewer.display.key_table import KeyTable
from render.viewer.display.overlay_switches import OverlaySwitches
from render.viewer.event_stream import EventStream
from render.viewer.frame_times import PaceMeter, Stages
from render.viewer.key_layout import KeyLayout
from render.viewer.options import Preferences, ViewerOptions
from render.viewer.window.window import Screen


class WindowState:
    """Of one window on one context."""

    def __init__(
        self,
        window: Any,
        view: View,
        settings: ViewerOptions,
        events: EventStream,
        against: Against | None = None,
    ) -> None:
        """Makes the context that is current on this thread its own; window and log belong to the caller."""
        self.window = window  # a pyglet window
        self.settings = settings  # how it looks, with what was changed since it was opened
        word = next((word for word, weather in WEATHERS.items() if weather == settings.weather), None)
        self.sky = Sky(settings.time, word)  # as somebody chose it in the window
        self.shows_entities = True  # whether players, animals and items are drawn
        self.against = against  # another world that what is shown is compared with
        self.found = FindView()  # blocks that somebody looked for last
        self.found_in: Store | None = None  # where; in another world or dimension they mark nothing
        self.events = events  # told what happens
        self.gpu = Gpu(moderngl.create_context(require=330), owned=True)  # its context
        self.screen = Screen(self.gpu, window)  # what it is drawn to
        as_set = replace(view, fov_deg=settings.fov_deg, ortho_blocks=settings.ortho_blocks)
        self.controls = Controls(as_set, settings.settings)  # of the camera
        file = settings.settings_file
        self.preferences = Preferences(settings.settings, file)  # settings that are changed while it is open
        self.layout = self.preferences.layout  # of the keys
        self.pacer = PaceMeter()  # of frames
        self.stages = Stages()  # of one frame
        # what imgui draws over the picture beside the panels
        self.interface = Interface(self.gpu, settings.settings.scale)
        self.painter = CaptionPainter(settings.settings.scale * self.screen.extent.scale)  # of captions
        self.crosshair = Crosshair()  # in its middle
        # lines over the picture
        self.captions = Captions(self.layout, settings.settings.hud, settings.first_start, time.monotonic())
        self.table = KeyTable()  # of keys and commands
        self.overlays = OverlaySwitches(settings.overlays, self.layout, self.captions, events)  # which are on

    @property
    def small(self) -> bool:
        """Whether the window has little room for text of its size."""
        return self.screen.extent.is_small(self.painter.scale)

    def say(self, sentence: str) -> None:
        """Shows a sentence for a while."""
        self.captions.say(sentence, time.monotonic())

    def tell(self, event: str, sentence: str, **facts: object) -> None:
        """Says what was done, on the screen and in the log."""
        self.captions.renew()
        if sentence:
            self.say(sentence)
        self.events.tell(event, said=sentence, **facts)

    def receive(self, line: str) -> None:
        """Shows a line of the server's, and keeps it in the log."""
        self.captions.receive(line, time.monotonic())
        self.events.tell("said", said=line)

    def adopt(self, key: str) -> None:
        """Lives by a setting that was changed, where that needs no other start."""
        settings = self.preferences.settings
        self.controls.adopt(settings, key)
        self.painter.rescale(settings.scale * self.screen.extent.scale)
        self.interface.rescale(settings.scale)
        self.captions.level = int(settings.hud) if key == "hud" else self.captions.level
        self.settings = replace(self.settings, settings=settings)
        if key == "gamma":
            self.settings = replace(self.settings, gamma=settings.gamma)

    def on_resize(self, _width: int, _height: int) -> None:
        """Draws at the window's new size in pixels; named as pyglet names its event."""
        size = self.screen.resize()
        self.painter.rescale(self.preferences.settings.scale * self.screen.extent.scale)  # on another screen, maybe
        if size:
            self.events.tell_when_shown("size", px=list(size))

    def release(self) -> None:
        """Frees everything, the context last."""
        self.interface.close()
        self.screen.release()
        self.gpu.release()


def first_words(settings: ViewerOptions, layout: KeyLayout) -> str:
    """What is said as a window opens: the first trouble, else what kept a first start's file unwritten."""
    if settings.troubles:
        return settings.troubles[0]
    return layout.begin() if settings.first_start else ""
