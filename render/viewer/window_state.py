"""State of a window that is independent of the shown world: context, size, camera, settings, keys, overlays, messages.

Needs the window's context to be current. Owner thread only.
"""

import time
from typing import Any

import moderngl
from msgspec.structs import replace

from client.player import View
from client.report.diff import Against
from client.weather import WEATHERS
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
from render.viewer.preferences import Preferences
from render.viewer.window.screen import Screen
from render.viewer.window_options import WindowOptions


class WindowState:
    """The state of one window on one context."""

    def __init__(
        self,
        window: Any,
        view: View,
        settings: WindowOptions,
        events: EventStream,
        against: Against | None = None,
    ) -> None:
        """Uses the context that is current on this thread; window and event log belong to the caller."""
        self.window = window  # a pyglet window
        self.settings = settings  # options, with changes made since the start
        self.shows_entities = True  # whether players, animals and items are drawn
        self.against = against  # another world that is compared with the shown one
        self.found = FindView()  # the last search for blocks
        self.found_in: Store | None = None  # the searched store; results are not shown in another world or dimension
        self.events = events  # log of events
        self.gpu = Gpu(moderngl.create_context(require=330))  # its context
        self.screen = Screen(self.gpu, window)  # what it is drawn to
        as_set = replace(view, fov_deg=settings.fov_deg, ortho_blocks=settings.ortho_blocks)
        self.controls = Controls(as_set, settings.settings)  # of the camera
        self.preferences = Preferences(settings.settings, settings.settings_file)  # changed while it is open
        self.pacer = PaceMeter()  # of frames
        self.stages = Stages()  # of one frame
        # imgui's drawing beside the panels
        self.interface = Interface(self.gpu, settings.settings.scale)
        self.painter = CaptionPainter()  # of captions
        self.crosshair = Crosshair()  # in the picture's middle
        # messages over the picture
        self.captions = Captions(self.preferences, settings.settings.hud, settings.first_start, time.monotonic())
        self.table = KeyTable()  # of keys and commands
        self.overlays = OverlaySwitches(
            settings.overlays, self.preferences, self.captions, events
        )  # overlays that are on

    @property
    def sky(self) -> Sky:
        word = next((word for word, weather in WEATHERS.items() if weather == self.settings.weather), None)
        return Sky(self.settings.time, word)

    @property
    def small(self) -> bool:
        """Whether the window has little room for its text size."""
        return self.screen.extent.is_small(self.text_scale)

    @property
    def text_scale(self) -> float:
        """The factor on the size of text in pixels: the user's and the screen's."""
        return self.preferences.settings.scale * self.screen.extent.scale

    def say(self, sentence: str) -> None:
        self.captions.say(sentence, time.monotonic())

    def tell(self, event: str, sentence: str, **facts: object) -> None:
        """Shows a message and logs it as an event."""
        self.captions.renew()
        if sentence:
            self.say(sentence)
        self.events.tell(event, said=sentence, **facts)

    def receive(self, line: str) -> None:
        """Shows a server's message and logs it."""
        self.captions.receive(line, time.monotonic())
        self.events.tell("said", said=line)

    def adopt(self, key: str) -> None:
        settings = self.preferences.settings
        self.controls.adopt(settings, key)
        self.interface.rescale(settings.scale)
        self.captions.level = int(settings.hud) if key == "hud" else self.captions.level
        if key == "gamma":
            self.settings = replace(self.settings, gamma=settings.gamma)

    def on_resize(self, _width: int, _height: int) -> None:
        """Draws at the window's new size in pixels; the name is pyglet's."""
        size = self.screen.resize()
        if size:
            self.events.tell_when_shown("size", px=list(size))

    def release(self) -> None:
        """Frees everything, the context last."""
        self.interface.close()
        self.screen.release()
        self.gpu.release()


def first_words(settings: WindowOptions, preferences: Preferences) -> str:
    """The first message of a new window: the first problem, else why a first start's file could not be written."""
    if settings.troubles:
        return settings.troubles[0]
    return preferences.begin() if settings.first_start else ""
