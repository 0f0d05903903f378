"""The door to the panels: which keys, text and mouse are theirs, and nothing of imgui before they are first opened.

Rules:
1. One key opens them and gives them the keyboard; pressed again it closes them. Another gives the keyboard to the world
   and back, so that one flies with panels open. Function keys always are the window's.
2. While keys are the panels', Control with a digit opens and closes them one by one, as the menu says; with Control, +
   and - make text larger and smaller, 0 as large as at first. Digits alone are text: somebody may type a place, whether
   a field has the keyboard or not. The menu says whose keys are.
3. While the mouse is taken to look around, panels have none of it. Else it is theirs where it is over one of them; a
   click beside them takes it for the world, keyboard and all.
4. Where they lie and which are open is kept beside the settings: a first line of ours, ``# panels: pipeline graphs``,
   the rest imgui's. A file that cannot be read is no layout; one that cannot be written is told once.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from client.connection.connection import Connection
from client.connection.stats import Statistics
from net.files import whole
from render.draw_options import Cut
from render.gpu import Gpu
from render.panels.find import FindView
from render.panels.panel import Sky
from render.scene import Scene
from render.settings import Action
from render.viewer.control.camera_control import Controls
from render.viewer.control.timeline import Timeline
from render.viewer.frame_times import PaceMeter, Stages
from render.viewer.options import Preferences
from render.viewer.window.window import Area, WindowSize

if TYPE_CHECKING:
    from render.panels.panel import PanelRequest
    from render.viewer.display.packet_list import PacketLists
    from render.viewer.display.panel_host import PanelHost


CONTROL: Final = frozenset({"LCTRL", "RCTRL"})
TEXT_SIZES: Final = {
    "EQUAL": 1, "PLUS": 1, "NUM_ADD": 1, "MINUS": -1, "NUM_SUBTRACT": -1, "_0": 0, "NUM_0": 0,
}  # fmt: skip
"""Keys that, with Control, make text larger or smaller by a step, or as large as at first (0)."""


class Sources(msgspec.Struct, frozen=True):
    """Where snapshots come from; all belong to the window."""

    window: Any  # a pyglet window, for its clipboard
    connection: Connection  # joined
    scene: Scene  # that draws it
    controls: Controls  # of the camera
    pacer: PaceMeter  # of frames
    stages: Stages  # of one frame
    timeline: Timeline  # of a recording, or of the last minutes
    preferences: Preferences  # settings as they are now
    overlays: set[str]  # names of those that are on; the window's own set
    said: Iterable[tuple[float, str]] = ()  # what the window said last, and when; its own
    sky: Callable[[], Sky] = lambda: Sky(None, None)  # as somebody chose it in the window
    found: Callable[[], FindView] = FindView  # blocks that somebody looked for last
    cut: Callable[[], Cut | None] = lambda: None  # heights that the window shows
    packets: "PacketLists | None" = None  # what the panel Packets lists


class Panels:
    """Between the window and its panels."""

    def __init__(self, gpu: Gpu, sources: Sources, scale: float, file: Path | None) -> None:
        self._gpu = gpu
        self._sources = sources
        self._scale = scale
        self._file = file
        self._host: PanelHost | None = None
        self._control = False
        self.shown = False  # whether they are open
        self.keyboard = False  # whether keys are theirs

    def free(self, extent: WindowSize) -> Area:
        """What they leave of the picture."""
        return self._host.free(extent) if self.shown and self._host else extent.whole

    @property
    def legend(self) -> bool:
        """Whether they show the legend, so that nobody else need."""
        return bool(self.shown and self._host and "legend" in self._host.opened)

    def switch_keys(self) -> str:
        """Gives the keyboard to them, or back to the world; what there is to say."""
        if not self.shown:
            return "No panels are open."
        self._give(not self.keyboard)
        return "The panels have the keyboard." if self.keyboard else "The world has the keyboard."

    def frame(self, known: Statistics, now: float, elapsed_s: float, extent: WindowSize) -> "list[PanelRequest]":
        """Draws them over the picture; what they ask for."""
        if not self.shown or self._host is None or not extent.shown:
            return []
        self._host.give_keys(self.keyboard)
        return self._host.frame(known, now, elapsed_s, extent)

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        self._scale = scale
        if self._host:
            self._host.scale = scale

    def close(self) -> None:
        """Keeps the layout and frees everything."""
        if self._host:
            self._host.close()
            self._host = None
        self.shown = self.keyboard = False

    # ------------------------------------------------------------ what comes in; each says whether it was theirs

    def key(self, name: str, down: bool, action: Action | None, chosen: str | None = None) -> bool:
        """A key, what it means to the window, and what it stands for where one chooses (``Keyboard.choice``)."""
        if name in CONTROL:
            self._control = down
        if not self.keyboard or self._host is None or (name.startswith("F") and name[1:].isdigit()):
            return False
        if action is Action.PANEL_KEYS and not self._control and not self._host.host.wants_text:
            return False
        if self._control and name in TEXT_SIZES:
            if down:
                self._host.resize_text(TEXT_SIZES[name])
            return True
        if down and self._control and self._host.switch_by_key(chosen or name):
            return True
        self._host.host.key(name, down)
        return True

    def text(self, typed: str) -> bool:
        if self.keyboard and self._host:
            self._host.host.text(typed)
            return True
        return False

    def moved(self, x_px: float, y_px: float) -> None:
        if self.shown and self._host:
            self._host.host.moved(x_px, y_px)

    def button(self, number: int, down: bool) -> bool:
        if not self.shown or self._host is None:
            return False
        theirs = self._host.host.wants_mouse
        if theirs or not down:
            self._host.host.button(number, down)
        if down:
            self._give(theirs)
        return theirs

    def wheel(self, across: float, up: float) -> bool:
        if not self.shown or self._host is None or not self._host.host.wants_mouse:
            return False
        self._host.host.wheel(across, up)
        return True

    def away(self) -> None:
        """The mouse was taken, or another window has the keyboard."""
        if self._host:
            self._host.host.away()

    # ------------------------------------------------------------

    def open_or_close(self, extent: WindowSize) -> None:
        """Opens them with the keyboard, or closes them; where keys are the world's, gives them the keyboard."""
        if self.shown and self.keyboard:
            self.shown = False
            self._give(False)
            if self._host:
                self._host.hide()
            return
        if self._host is None:
            from render.viewer.display.panel_host import PanelHost

            self._host = PanelHost(self._gpu, self._sources, extent, self._scale, self._file)
        self.shown = True
        self._give(True)

    def _give(self, to_panels: bool) -> None:
        self.keyboard = to_panels
        if not to_panels:
            self.away()


# ---------------------------------------------------------------- panel layout

HEAD: Final = "# panels:"
FILE_NAME: Final = "panels.ini"


class PanelLayout(msgspec.Struct, frozen=True):
    """What was kept."""

    opened: tuple[str, ...] | None = None  # names of open panels; None where nothing was kept
    arranged: str = ""  # imgui's text


def read_layout(path: Path | None) -> PanelLayout:
    """What the file holds."""
    try:
        text = path.read_text("utf-8") if path else ""
    except (OSError, UnicodeDecodeError):
        return PanelLayout()
    first, _, rest = text.partition("\n")
    if not first.startswith(HEAD):
        return PanelLayout()
    return PanelLayout(tuple(first.removeprefix(HEAD).split()), rest)


def write_layout(path: Path | None, opened: Iterable[str], arranged: str) -> None:
    """Keeps it; without a path, nowhere. Raises OSError: the file cannot be written."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as temporary:
        temporary.write_text(f"{HEAD} {' '.join(opened)}\n{arranged}", "utf-8")
