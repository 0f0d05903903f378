"""Keys and mouse to a view: a free camera that flies, or walks. Knows no window, so tests drive it without one.

Rules:
1. Actions, not keys: the window translates its key symbols through a ``Keyboard``.
2. Speed is blocks a second and time is passed in, so a slow frame flies as far as a fast one.
3. Pitch stops at straight up and straight down; yaw wraps into -180..180, as Bedrock sends it.
"""

from dataclasses import replace
from math import cos, radians, sin
from typing import Final

from client.player import Eye, View
from client.player.view import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS, NARROWEST_FOV
from render.settings import Action, Settings
from render.settings.actions import FLYING
from render.viewer.walking import SPRINT_BLOCKS_S, WALK_BLOCKS_S, Body, Obstructs, walked

SLOWEST_BLOCKS_S: Final = 1.0
FASTEST_BLOCKS_S: Final = 200.0
WHEEL_FACTOR: Final = 1.25
"""One notch of the wheel."""
ZOOM_FACTOR: Final = 4.0
CAMERA_SETTINGS: Final = ("speed", "sprint", "mouse", "invert_mouse")
"""Those that one begins with; the field of view is the view's."""
ZOOM_S: Final = 0.15
"""From the whole view to the zoomed one, and back."""
ORTHO_BLOCKS: Final = 64.0
"""Height of an orthographic picture at first."""
ABOVE_BLOCKS: Final = 96.0
"""How far the eye rises to look from above."""


class Controls:
    """The camera's state between frames."""

    def __init__(self, view: View, settings: Settings | None = None) -> None:
        """Starts at a view.

        Args:
            view: where one is.
            settings: speeds, and what the mouse does.
        """
        self.view = view
        self.speed_blocks_s = SLOWEST_BLOCKS_S
        self._sprint = self._deg_per_px = self._upward = 1.0
        for key in CAMERA_SETTINGS:
            self.adopt(settings or Settings(), key)
        self._held: set[Action] = set()
        self._body: Body | None = None  # while one walks
        self._level: float | None = None  # the pitch before one looked from above
        self._zoom = 0.0  # 0 not at all .. 1 as near as it goes
        self._ortho_blocks = view.ortho_blocks or ORTHO_BLOCKS

    def adopt(self, settings: Settings, key: str) -> None:
        """Lives by one setting, if it is of the camera; others stay as somebody has made them meanwhile."""
        match key:
            case "speed":
                self.speed_blocks_s = settings.speed
            case "sprint":
                self._sprint = settings.sprint
            case "mouse":
                self._deg_per_px = settings.mouse
            case "invert_mouse":
                self._upward = 1.0 if settings.invert_mouse else -1.0
            case "fov":
                self.view = replace(self.view, fov_deg=settings.fov)

    @property
    def shown(self) -> View:
        """The view as it is drawn: nearer while one zooms."""
        if not self._zoom:
            return self.view
        eased = self._zoom * self._zoom * (3.0 - 2.0 * self._zoom)
        nearer = ZOOM_FACTOR**eased
        if self.view.ortho_blocks is not None:
            return replace(self.view, ortho_blocks=max(LOWEST_ORTHO_BLOCKS, self.view.ortho_blocks / nearer))
        narrowest = min(NARROWEST_FOV, self.view.fov_deg)
        return replace(self.view, fov_deg=max(narrowest, self.view.fov_deg / nearer))

    @property
    def from_above(self) -> bool:
        """Whether one looks from above."""
        return self._level is not None

    def press(self, action: Action) -> bool:
        """A key went down; whether its action moves the camera."""
        if action in FLYING:
            self._held.add(action)
        return action in FLYING

    def release(self, action: Action) -> None:
        """A key went up."""
        self._held.discard(action)

    def release_all(self) -> None:
        """The window lost the keyboard: keys that go up elsewhere are never heard of."""
        self._held.clear()

    def look(self, dx_px: float, dy_px: float) -> None:
        """The mouse moved; dy grows upward, as pyglet counts. While one zooms it turns as much less as one sees."""
        shown = self.shown
        turn = self._deg_per_px * shown.fov_deg / self.view.fov_deg
        if shown.ortho_blocks is not None and self.view.ortho_blocks is not None:
            turn *= shown.ortho_blocks / self.view.ortho_blocks
        yaw = (self.view.yaw_deg + dx_px * turn + 180.0) % 360.0 - 180.0
        pitch = min(90.0, max(-90.0, self.view.pitch_deg + self._upward * dy_px * turn))
        self.view = replace(self.view, yaw_deg=yaw, pitch_deg=pitch)

    @property
    def flies(self) -> bool:
        """Whether a key is held that moves the camera."""
        return bool(self._held - {Action.SPRINT, Action.ZOOM})

    @property
    def walks(self) -> bool:
        """Whether one walks; else one flies."""
        return self._body is not None

    @property
    def body(self) -> Body | None:
        """That walks; None: one flies."""
        return self._body

    def walk_or_fly(self) -> None:
        """The one after the other."""
        if self._level is not None:
            self.top_down()
        self._body = None if self._body else Body(self.view.eye)

    def go(self, view: View) -> None:
        """Somewhere else at once."""
        self.view = view
        self._level = None
        if self._body:
            self._body = Body(view.eye)

    def top_down(self) -> None:
        """Rises and looks straight down; the second time sinks and looks as before."""
        eye, self._body = self.view.eye, None
        if self._level is None:
            self._level = self.view.pitch_deg
            self.view = replace(self.view, eye=eye._replace(y=eye.y + ABOVE_BLOCKS), pitch_deg=90.0)
        else:
            self.view = replace(self.view, eye=eye._replace(y=eye.y - ABOVE_BLOCKS), pitch_deg=self._level)
            self._level = None

    def switch_ortho(self) -> None:
        """Parallel lines of sight, the picture as high as it last was so; or in perspective again."""
        if self.view.ortho_blocks is None:
            self.view = replace(self.view, ortho_blocks=self._ortho_blocks)
        else:
            self._ortho_blocks = self.view.ortho_blocks
            self.view = replace(self.view, ortho_blocks=None)

    def wheel(self, notches: float) -> bool:
        """The wheel turned upward: faster; of an orthographic picture, nearer. Whether the view changed."""
        if self.view.ortho_blocks is not None:
            high = self.view.ortho_blocks / WHEEL_FACTOR**notches
            self.view = replace(self.view, ortho_blocks=min(HIGHEST_ORTHO_BLOCKS, max(LOWEST_ORTHO_BLOCKS, high)))
            return True
        faster = self.speed_blocks_s * WHEEL_FACTOR**notches
        self.speed_blocks_s = min(FASTEST_BLOCKS_S, max(SLOWEST_BLOCKS_S, faster))
        return False

    def move(self, elapsed_s: float, obstructs: Obstructs) -> bool:
        """Flies or walks for the time of a frame; whether the view changed.

        Args:
            elapsed_s: since the frame before.
            obstructs: whether a body cannot be in a block; asked while one walks.
        """
        before = self.view
        way = elapsed_s / ZOOM_S if Action.ZOOM in self._held else -elapsed_s / ZOOM_S
        self._zoom = min(1.0, max(0.0, self._zoom + way))
        if self._body:
            self._body = walked(
                self._body, self._level_blocks_s(), self._axis(Action.UP, Action.DOWN) > 0, elapsed_s, obstructs
            )
            self.view = replace(before, eye=self._body.eye)
        else:
            self._fly(elapsed_s)
        return self.view != before

    def _fly(self, elapsed_s: float) -> None:
        ahead = self._axis(Action.FORWARD, Action.BACK)
        aside = self._axis(Action.RIGHT, Action.LEFT)
        climb = self._axis(Action.UP, Action.DOWN)
        if not (ahead or aside or climb):
            return
        length = (ahead * ahead + aside * aside + climb * climb) ** 0.5
        speed = self.speed_blocks_s * (self._sprint if Action.SPRINT in self._held else 1.0)
        reach = speed * elapsed_s / length
        x, z = self._on_the_level(ahead, aside)
        eye = self.view.eye
        self.view = replace(self.view, eye=Eye(eye.x + x * reach, eye.y + climb * reach, eye.z + z * reach))

    def _level_blocks_s(self) -> tuple[float, float]:
        """Walking speed along x and z."""
        ahead = self._axis(Action.FORWARD, Action.BACK)
        aside = self._axis(Action.RIGHT, Action.LEFT)
        speed = SPRINT_BLOCKS_S if Action.SPRINT in self._held else WALK_BLOCKS_S
        x, z = self._on_the_level(ahead, aside)
        length = max(1.0, (ahead * ahead + aside * aside) ** 0.5)
        return x * speed / length, z * speed / length

    def _on_the_level(self, ahead: int, aside: int) -> tuple[float, float]:
        """Along x and z, from along the look and to its right."""
        yaw = radians(self.view.yaw_deg)
        return -sin(yaw) * ahead - cos(yaw) * aside, cos(yaw) * ahead - sin(yaw) * aside

    def _axis(self, plus: Action, minus: Action) -> int:
        return (plus in self._held) - (minus in self._held)
