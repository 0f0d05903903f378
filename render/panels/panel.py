"""Declaration of panels; their requests to the window; units of bytes and times.

``@panel(...)`` decorates a function from a panel's snapshot to its requests: plain values, handled by ``panel_host``
after the frame is built. Only ``all_panels``, which imports every panel, loads imgui.
"""

from collections.abc import Callable
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final, TypeVar

import msgspec

from net.space import BlockPos


class Go(msgspec.Struct, frozen=True):
    """Move the camera to a view of a block from nearby."""

    block: BlockPos


class Copy(msgspec.Struct, frozen=True):
    """Put a text on the clipboard."""

    text: str


class Seek(msgspec.Struct, frozen=True):
    """Seek to a time of the recording, in seconds, and pause."""

    time_s: float


class Press(msgspec.Struct, frozen=True):
    """Run a key's command, by the value of its ``Action``."""

    action: str


class Overlay(msgspec.Struct, frozen=True):
    """Switch an overlay on or off."""

    name: str


class OverlayRow(msgspec.Struct, frozen=True):
    """Show or hide the boxes of one row of an overlay's legend."""

    name: str
    label: str


class Change(msgspec.Struct, frozen=True):
    """Change a setting, now and in the file; the value is valid and in the file's form."""

    key: str
    value: Any  # Any: each setting has its own type


TIMES: Final = {"sunrise": 0, "noon": 6000, "sunset": 12000, "midnight": 18000}
"""Selectable times of day, in ticks."""


class Sky(msgspec.Struct, frozen=True):
    """Set the sky's time and weather; None: the server's."""

    time: int | None  # of day, in ticks
    weather: str | None  # its name


class Find(msgspec.Struct, frozen=True):
    """Find blocks, or block entities, in the loaded world, and mark them; an empty name: remove the marks."""

    name: str
    entities: bool = False


class ListPackets(msgspec.Struct, frozen=True):
    """List packets up to the shown moment."""

    types: tuple[str, ...]  # names or numbers; empty: all
    text: str
    place: str  # X,Y,Z of a block; empty: any
    sender: str  # "server", "client", or empty: both
    undecodable: bool
    waterfall: bool  # requests instead of packets
    seconds: float  # before that moment


class Inspect(msgspec.Struct, frozen=True):
    """Inspect a block, independent of the crosshair; handled by the panels."""

    block: BlockPos


class Bind(msgspec.Struct, frozen=True):
    """Ask for a key of an action, by the value of its ``Action``."""

    action: str


PanelRequest = Bind | Change | Copy | Find | Go | Inspect | ListPackets | Overlay | OverlayRow | Press | Seek | Sky


Draw = TypeVar("Draw", bound=Callable[..., list[PanelRequest]])


class Dock(Enum):
    """The initial place of a panel; the rest is left to the world."""

    RIGHT = "right"  # a column
    BELOW = "below"  # a strip


class Panel(msgspec.Struct, frozen=True):
    """One panel."""

    name: str  # in the layout's file, and in tests
    title: str  # imgui's name of its window
    place: int  # order in the menu
    dock: Dock
    opened: bool  # initially open
    draw: Callable[[Any, Any], list[PanelRequest]]  # Any: a snapshot and a state, each panel's own
    state: Callable[[], Any]  # makes its initial state: selection, and what it keeps between frames


PANELS: Final[list[Panel]] = []
"""Panels of the loaded modules, in the order of the menu."""


@cache
def all_panels() -> list[Panel]:
    """All panels of this package, in the order of the menu."""
    for module in iter_modules([str(Path(__file__).parent)]):
        import_module(f"{__package__}.{module.name}")  # each registers its panels
    return PANELS


def panel(
    name: str, *, title: str, place: int, dock: Dock, opened: bool = False, state: Callable[[], Any] = dict
) -> Callable[[Draw], Draw]:
    """Registers a function as a panel. Arguments are ``Panel``'s.

    Its snapshot is made by the method of ``render.viewer.display.panel_data`` that names it (``snapshot_of``); without
    one it is the connection's statistics.
    """

    def register(draw: Draw) -> Draw:
        PANELS.append(Panel(name, title, place, dock, opened, draw, state))
        PANELS.sort(key=lambda each: each.place)
        return draw

    return register


def legible(text: str) -> str:
    """A text for imgui and a clipboard: bytes that are not UTF-8 (``net.nbt``) become JSON's escapes."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def size(number: float) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.2f} GB"


def rate(number: float) -> str:
    return f"{size(number)}/s"


def ago(seconds: float) -> str:
    return f"{seconds:.0f} s ago" if seconds < 100 else f"{seconds / 60:.0f} min ago"
