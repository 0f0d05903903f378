"""Keys and mouse to a view: a free camera that flies. Knows no window, so tests drive it without one.

Rules:
1. Actions, not keys: the window translates its key symbols through ``BINDINGS``.
2. Speed is blocks a second and time is passed in, so a slow frame flies as far as a fast one.
3. Pitch stops at straight up and straight down; yaw wraps into -180..180, as Bedrock sends it.
"""

from dataclasses import replace
from enum import Enum
from math import cos, radians, sin
from typing import Final

from client.player import Eye, View


class Action(Enum):
    """What a held key does."""

    FORWARD = "forward"
    BACK = "back"
    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    SPRINT = "sprint"


BINDINGS: Final = {
    "W": Action.FORWARD,
    "UP": Action.FORWARD,
    "S": Action.BACK,
    "DOWN": Action.BACK,
    "A": Action.LEFT,
    "LEFT": Action.LEFT,
    "D": Action.RIGHT,
    "RIGHT": Action.RIGHT,
    "SPACE": Action.UP,
    "LSHIFT": Action.DOWN,
    "LCTRL": Action.SPRINT,
}
"""pyglet's names of keys."""

DEG_PER_PIXEL: Final = 0.15
SLOWEST_BLOCKS_S: Final = 1.0
FASTEST_BLOCKS_S: Final = 200.0
SPRINT_FACTOR: Final = 3.0
WHEEL_FACTOR: Final = 1.25
"""One notch of the wheel."""


class Controls:
    """The camera's state between frames."""

    def __init__(self, view: View, speed_blocks_s: float = 12.0) -> None:
        """Starts at a view."""
        self.view = view
        self.speed_blocks_s = speed_blocks_s
        self._held: set[Action] = set()

    def press(self, key: str) -> bool:
        """A key went down; whether it is bound to an action."""
        if action := BINDINGS.get(key):
            self._held.add(action)
        return action is not None

    def release(self, key: str) -> None:
        """A key went up."""
        if action := BINDINGS.get(key):
            self._held.discard(action)

    def release_all(self) -> None:
        """The window lost the keyboard: keys that go up elsewhere are never heard of."""
        self._held.clear()

    def look(self, dx_px: float, dy_px: float) -> None:
        """The mouse moved; dy grows upward, as pyglet counts."""
        yaw = (self.view.yaw_deg + dx_px * DEG_PER_PIXEL + 180.0) % 360.0 - 180.0
        pitch = min(90.0, max(-90.0, self.view.pitch_deg - dy_px * DEG_PER_PIXEL))
        self.view = replace(self.view, yaw_deg=yaw, pitch_deg=pitch)

    def wheel(self, notches: float) -> None:
        """The wheel turned: faster upward."""
        faster = self.speed_blocks_s * WHEEL_FACTOR**notches
        self.speed_blocks_s = min(FASTEST_BLOCKS_S, max(SLOWEST_BLOCKS_S, faster))

    def fly(self, elapsed_s: float) -> bool:
        """Moves for the time of a frame; whether the view changed."""
        ahead = self._axis(Action.FORWARD, Action.BACK)
        aside = self._axis(Action.RIGHT, Action.LEFT)
        climb = self._axis(Action.UP, Action.DOWN)
        if not (ahead or aside or climb):
            return False
        length = (ahead * ahead + aside * aside + climb * climb) ** 0.5
        speed = self.speed_blocks_s * (SPRINT_FACTOR if Action.SPRINT in self._held else 1.0)
        reach = speed * elapsed_s / length
        yaw = radians(self.view.yaw_deg)
        eye = self.view.eye
        moved = Eye(
            eye.x + (-sin(yaw) * ahead - cos(yaw) * aside) * reach,
            eye.y + climb * reach,
            eye.z + (cos(yaw) * ahead - sin(yaw) * aside) * reach,
        )
        self.view = replace(self.view, eye=moved)
        return True

    def _axis(self, plus: Action, minus: Action) -> int:
        return (plus in self._held) - (minus in self._held)
