"""Declares a panel where it is drawn: ``@panel(...)`` above a function from its snapshot to what it asks for.

A module of its own since every panel imports it, and ``registry`` imports every panel.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, TypeVar

import msgspec

from render.panels.requests import Wish

Draw = TypeVar("Draw", bound=Callable[..., list[Wish]])


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
    draw: Callable[[Any, Any], list[Wish]]  # Any: a snapshot and a state, each panel's own
    state: Callable[[], Any]  # what somebody chose in it, and what it keeps from frame to frame, as it begins


PANELS: Final[list[Panel]] = []
"""In the order of the menu."""


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
