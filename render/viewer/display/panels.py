"""The panels' connection to the window: their keys, text and mouse. Loads the panels when they are first opened.

Rules:
1. One key opens them and gives them the keyboard; pressed again it closes them. Another switches the keyboard between
   panels and world, so that one can fly with panels open. Function keys always belong to the window.
2. While the panels have the keyboard, Control with a digit opens and closes a panel, as the menu shows; Control with +
   and - changes the text size, with 0 resets it. Digits alone are text, whether a field has the focus or not. The menu
   shows who has the keyboard.
3. While the mouse looks around, panels do not get it. Otherwise they get it over a panel; a click beside them takes
   mouse and keyboard for the world.
4. Positions and open panels are stored beside the settings: a first line of ours, ``# panels: pipeline graphs``, the
   rest is imgui's. An unreadable file is ignored; a failed write is reported once.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from client.connection.stats import Statistics
from net.files import whole
from render.settings import Action
from render.settings.keys import FUNCTION
from render.viewer.window.window import Area, WindowSize

if TYPE_CHECKING:
    from render.panels.panel import PanelRequest
    from render.viewer.display.panel_host import PanelHost
    from render.viewer.window_state import WindowState
    from render.viewer.world_session import WorldSession


CONTROL: Final = frozenset({"LCTRL", "RCTRL"})
TEXT_SIZES: Final = {
    "EQUAL": 1, "PLUS": 1, "NUM_ADD": 1, "MINUS": -1, "NUM_SUBTRACT": -1, "_0": 0, "NUM_0": 0,
}  # fmt: skip
"""Keys that, with Control, change the text size by a step, or reset it (0)."""


class Panels:
    """The panels of one window."""

    def __init__(self, state: "WindowState", session: "WorldSession") -> None:
        self._state, self._session = state, session
        self._host: PanelHost | None = None
        self._control = False
        self.shown = False  # whether they are open
        self.keyboard = False  # whether they have the keyboard

    def free(self, extent: WindowSize) -> Area:
        """The area that they leave of the picture."""
        return self._host.free(extent) if self.shown and self._host else extent.whole

    @property
    def legend(self) -> bool:
        """Whether they show the legend, so that the picture need not."""
        return bool(self.shown and self._host and "legend" in self._host.opened)

    def switch_keys(self) -> str:
        """Switches the keyboard between them and the world; returns a message."""
        if not self.shown:
            return "No panels are open."
        self._give(not self.keyboard)
        return "The panels have the keyboard." if self.keyboard else "The world has the keyboard."

    def frame(self, known: Statistics, now: float, elapsed_s: float, extent: WindowSize) -> "list[PanelRequest]":
        """Draws them over the picture; returns their requests."""
        if not self.shown or self._host is None or not extent.shown:
            return []
        self._host.give_keys(self.keyboard)
        return self._host.frame(known, now, elapsed_s, extent)

    def close(self) -> None:
        if self._host:
            self._host.close()
            self._host = None
        self.shown = self.keyboard = False

    # ------------------------------------------------------------ what comes in; each says whether it was theirs

    def key(self, name: str, down: bool, action: Action | None, chosen: str | None = None) -> bool:
        """Handles a key, with its action and its meaning for choosing (``Keyboard.choice``)."""
        if name in CONTROL:
            self._control = down
        if not self.keyboard or self._host is None or name in FUNCTION:
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
        """Opens them with the keyboard, or closes them; if the world has the keyboard, gives it to them."""
        if self.shown and self.keyboard:
            self.shown = False
            self._give(False)
            if self._host:
                self._host.hide()
            return
        if self._host is None:
            from render.viewer.display.panel_host import PanelHost

            self._host = PanelHost(self._state, self._session, extent)
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
    """The stored layout."""

    opened: tuple[str, ...] | None = None  # names of open panels; None without a stored layout
    arranged: str = ""  # imgui's text


def read_layout(path: Path | None) -> PanelLayout:
    try:
        text = path.read_text("utf-8") if path else ""
    except (OSError, UnicodeDecodeError):
        return PanelLayout()
    first, _, rest = text.partition("\n")
    if not first.startswith(HEAD):
        return PanelLayout()
    return PanelLayout(tuple(first.removeprefix(HEAD).split()), rest)


def write_layout(path: Path | None, opened: Iterable[str], arranged: str) -> None:
    """Writes the file, if there is a path. Raises OSError: it cannot be written."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as temporary:
        temporary.write_text(f"{HEAD} {' '.join(opened)}\n{arranged}", "utf-8")
