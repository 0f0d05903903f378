"""What every panel shares: what it asks of the window, how it is declared, and how numbers are written.

``@panel(...)`` stands above a function from a panel's snapshot to its requests: plain values, done by ``panel_host``
once the frame is listed. Nothing here loads imgui but ``all_panels``, which imports every panel.
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
    """Take the camera to a block, looking at it from nearby."""

    block: BlockPos


class Copy(msgspec.Struct, frozen=True):
    """Put a text on the clipboard."""

    text: str


class Seek(msgspec.Struct, frozen=True):
    """Go to a time of the recording, in seconds, and stay there."""

    time_s: float


class Press(msgspec.Struct, frozen=True):
    """Do what a key does, by the value of its ``Action``."""

    action: str


class Overlay(msgspec.Struct, frozen=True):
    """Switch an overlay on or off."""

    name: str


class OverlayRow(msgspec.Struct, frozen=True):
    """Show or hide the boxes of one row of an overlay's legend."""

    name: str
    label: str


class Change(msgspec.Struct, frozen=True):
    """Change a setting, now and in the file; its value as the file has it, and one that it may have."""

    key: str
    value: Any  # Any: each setting has its own type


TIMES: Final = {"sunrise": 0, "noon": 6000, "sunset": 12000, "midnight": 18000}
"""Times of day to choose from, in ticks."""


class Sky(msgspec.Struct, frozen=True):
    """Draw the sky so from now on; None: as the server says."""

    time: int | None  # of day, in ticks
    weather: str | None  # its word


class Find(msgspec.Struct, frozen=True):
    """Find blocks, or block entities, in what is loaded, and mark them; an empty name: mark nothing."""

    name: str
    entities: bool = False


class ListPackets(msgspec.Struct, frozen=True):
    """List packets up to the moment that is shown."""

    types: tuple[str, ...]  # names or numbers; empty: all
    text: str
    place: str  # X,Y,Z of a block; empty: any
    sender: str  # "server", "client", or empty: both
    undecodable: bool
    waterfall: bool  # requests in the place of packets
    seconds: float  # before that moment


class Inspect(msgspec.Struct, frozen=True):
    """Look into this block, wherever the crosshair is; the panels' own to grant."""

    block: BlockPos


class Bind(msgspec.Struct, frozen=True):
    """Ask for a key of an action, by the value of its ``Action``."""

    action: str


PanelRequest = Bind | Change | Copy | Find | Go | Inspect | ListPackets | Overlay | OverlayRow | Press | Seek | Sky


Draw = TypeVar("Draw", bound=Callable[..., list[PanelRequest]])


class Dock(Enum):
    """Where a panel lies until somebody moves it; the world keeps the rest."""

    RIGHT = "right"  # a column
    BELOW = "below"  # a strip


class Panel(msgspec.Struct, frozen=True):
    """One of them."""

    name: str  # in the file of the layout, and in tests
    title: str  # imgui's name of its window
    place: int  # in the menu
    dock: Dock
    opened: bool  # until somebody closes it
    draw: Callable[[Any, Any], list[PanelRequest]]  # Any: a snapshot and a state, each panel's own
    state: Callable[[], Any]  # what somebody chose in it, and what it keeps from frame to frame, as it begins


PANELS: Final[list[Panel]] = []
"""Those of modules that are loaded, in the order of the menu."""


@cache
def all_panels() -> list[Panel]:
    """All panels that are declared in this folder, in the order of the menu."""
    for module in iter_modules([str(Path(__file__).parent)]):
        import_module(f"{__package__}.{module.name}")  # each declares its panels
    return PANELS


def panel(
    name: str, *, title: str, place: int, dock: Dock, opened: bool = False, state: Callable[[], Any] = dict
) -> Callable[[Draw], Draw]:
    """Makes a function a panel; window, menu and layout know it from then on. Arguments are ``Panel``'s.

    Its snapshot is made by the method of ``render.viewer.display.panel_data`` that names it (``snapshot_of``); without
    one it is the connection's statistics.
    """

    def register(draw: Draw) -> Draw:
        PANELS.append(Panel(name, title, place, dock, opened, draw, state))
        PANELS.sort(key=lambda each: each.place)
        return draw

    return register


def legible(text: str) -> str:
    """As imgui and a clipboard take it: bytes that were no UTF-8 (``net.nbt``) as JSON's escapes."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def count(number: int) -> str:
    """Thousands apart."""
    return f"{number:,}".replace(",", " ")


def counted(number: int, noun: str) -> str:
    """So many of something."""
    return f"{count(number)} {noun}" + ("" if number == 1 else "s")


def size(number: float) -> str:
    """Bytes, with as many digits as one reads."""
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.2f} GB"


def rate(number: float) -> str:
    """Bytes a second."""
    return f"{size(number)}/s"


def ago(seconds: float) -> str:
    """How long since."""
    return f"{seconds:.0f} s ago" if seconds < 100 else f"{seconds / 60:.0f} min ago"
