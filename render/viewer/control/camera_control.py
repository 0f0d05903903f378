"""Keys and mouse to a view: a free camera that flies, or walks. Independent of the window, so tests need none.

Rules:
1. It takes actions, not keys: the window translates its key symbols through a ``Keyboard``.
2. Speed is blocks a second and time is passed in, so slow frames fly as far as fast ones; a long pause does not become
   one long fall.
3. Pitch stops at straight up and straight down; yaw wraps into -180..180, as Bedrock sends it.
4. A walking body is 0.6 blocks wide and 1.8 high, its eye 1.62 above its feet (as in the game). Placeholders obstruct,
   so one cannot fall through unknown sub-chunks. A body inside an obstacle may walk out of it, and does not fall. With
   ``camera.collide`` the same applies to a flying eye, with the width of a body; one inside an obstacle may fly out.
5. Holes are invisible, so hitting one gives a message: once, by its sub-chunk, until nothing was hit for
   ``FORGOTTEN_S``. Visible walls give no message; an eye inside a block does, since it sees nothing.

Limits: an obstacle is always a whole block: no half steps, and no swimming.
"""

from collections.abc import Callable
from itertools import product
from math import ceil, cos, floor, radians, sin
from typing import Final

import msgspec
from msgspec.structs import replace

from client.player import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS, NARROWEST_FOV, Eye, View
from client.world.block_table import PLACEHOLDER_NAME
from net.space import BlockPos
from render.settings import Action, Settings
from render.settings.actions import ActionGroup
from render.settings.schema import DEFAULTS

# ---------------------------------------------------------------- walking

HALF_WIDTH: Final = 0.3
HEIGHT: Final = 1.8
EYE: Final = 1.62
GRAVITY: Final = 32.0
"""Blocks a second, gained each second."""
JUMP: Final = 9.0
"""Blocks a second: as high as 1.27 blocks."""
FASTEST_FALL: Final = 60.0
WALK_BLOCKS_S: Final = 4.3
SPRINT_BLOCKS_S: Final = 5.6
LONGEST_S: Final = 0.25
STEP_S: Final = 1 / 120
"""Time step in which nothing moves further than half a block."""
HAIR: Final = 1e-6
"""Tolerance: a body that touches a block is not inside it."""

Obstructs = Callable[[BlockPos], bool]


class Body(msgspec.Struct, frozen=True):
    """Position of a body and its vertical speed."""

    eye: Eye  # in blocks
    rising: float = 0.0  # blocks a second upward
    stands: bool = False  # on a block
    within: BlockPos | None = None  # an obstacle that it is inside of; it then does not fall
    against: BlockPos | None = None  # an obstacle that stopped its last move


def walked(body: Body, level: tuple[float, float], jump: bool, elapsed_s: float, obstructs: Obstructs) -> Body:
    """The body after ``elapsed_s``. ``level``: blocks a second along x and z."""
    left = min(elapsed_s, LONGEST_S)
    body = replace(body, against=None)
    while left > HAIR:
        step_s = min(left, STEP_S)
        body = _stepped(body, level, jump, step_s, obstructs)
        left -= step_s
    return body


def _stepped(body: Body, level: tuple[float, float], jump: bool, step_s: float, obstructs: Obstructs) -> Body:
    x, z = level[0] * step_s, level[1] * step_s
    if within := _obstacle(body.eye, obstructs):
        return Body(body.eye._replace(x=body.eye.x + x, z=body.eye.z + z), within=within)
    body = replace(body, within=None)
    if body.stands and jump:
        body = replace(body, rising=JUMP, stands=False)
    body = _fallen(body, step_s, obstructs)
    for dx, dz in ((x, 0.0), (0.0, z)):  # one after the other: a body slides along a wall
        eye = body.eye._replace(x=body.eye.x + dx, z=body.eye.z + dz)
        met = _obstacle(eye, obstructs)
        body = replace(body, against=met) if met else replace(body, eye=eye)
    return body


def _fallen(body: Body, step_s: float, obstructs: Obstructs) -> Body:
    rising = max(body.rising - GRAVITY * step_s, -FASTEST_FALL)
    eye = body.eye._replace(y=body.eye.y + rising * step_s)
    if not _obstacle(eye, obstructs):
        return replace(body, eye=eye, rising=rising, stands=False)
    if rising > 0:  # the head touches a block
        return replace(body, rising=0.0)
    ground = ceil(eye.y - EYE - HAIR)
    return replace(body, eye=eye._replace(y=min(ground + EYE, body.eye.y)), rising=0.0, stands=True)


def _obstacle(eye: Eye, obstructs: Obstructs) -> BlockPos | None:
    """An obstacle that overlaps a body with its eye there."""
    feet = eye.y - EYE
    xs = range(floor(eye.x - HALF_WIDTH + HAIR), ceil(eye.x + HALF_WIDTH - HAIR))
    ys = range(floor(feet + HAIR), ceil(feet + HEIGHT - HAIR))
    zs = range(floor(eye.z - HALF_WIDTH + HAIR), ceil(eye.z + HALF_WIDTH - HAIR))
    return next((at for x in xs for y in ys for z in zs if obstructs(at := BlockPos(x, y, z))), None)


def flown(eye: Eye, way: tuple[float, float, float], obstructs: Obstructs) -> tuple[Eye, BlockPos | None]:
    """The eye after a move in blocks, and an obstacle that stopped it; axes are separate, so it slides."""
    if _around(eye, obstructs):
        return Eye(*(axis + part for axis, part in zip(eye, way, strict=True))), None
    steps, met = ceil(max(map(abs, way)) / HALF_WIDTH) or 1, None
    for _ in range(steps):
        for axis, part in enumerate(way):
            there = eye._replace(**{"xyz"[axis]: eye[axis] + part / steps})
            if within := _around(there, obstructs):
                met = within
            else:
                eye = there
    return eye, met


def _around(eye: Eye, obstructs: Obstructs) -> BlockPos | None:
    """An obstacle that is closer to an eye than half a body's width."""
    ranges = (range(floor(axis - HALF_WIDTH), floor(axis + HALF_WIDTH) + 1) for axis in eye)
    return next((at for block in product(*ranges) if obstructs(at := BlockPos(*block))), None)


SLOWEST_BLOCKS_S: Final = 1.0
FASTEST_BLOCKS_S: Final = 200.0
WHEEL_FACTOR: Final = 1.25
"""One notch of the wheel."""
ZOOM_FACTOR: Final = 4.0
ZOOM_S: Final = 0.15
"""Duration of zooming in or out."""
ORTHO_BLOCKS: Final = 64.0
"""Initial height of an orthographic picture."""
ABOVE_BLOCKS: Final = 96.0
"""How far the eye rises for the view from above."""
NORTH_DEG: Final = 180.0
"""Yaw towards north: looking down, north is up."""


class Controls:
    """The camera's state between frames."""

    def __init__(self, view: View, settings: Settings = DEFAULTS) -> None:
        self.view = view
        self.speed_blocks_s = settings.speed
        self._settings = settings
        self._held: set[Action] = set()
        self._body: Body | None = None  # while walking
        self._flown: Body | None = None  # while flying against an obstacle
        self._level: tuple[float, float] | None = None  # yaw and pitch before the view from above
        self._zoom = 0.0  # 0 not at all .. 1 fully zoomed
        self._ortho_blocks = view.ortho_blocks or ORTHO_BLOCKS

    def adopt(self, settings: Settings, key: str) -> None:
        """Applies settings; speed and field of view, which keys change too, only if ``key`` is theirs."""
        self._settings = settings
        if key == "speed":
            self.speed_blocks_s = settings.speed
        elif key == "fov":
            self.view = replace(self.view, fov_deg=settings.fov)

    @property
    def shown(self) -> View:
        """The view that is drawn, with zoom."""
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
        return self._level is not None

    def press(self, action: Action) -> bool:
        """Handles a key press; returns whether its action moves the camera."""
        if action.group is ActionGroup.MOVE:
            self._held.add(action)
        return action.group is ActionGroup.MOVE

    def release(self, action: Action) -> None:
        self._held.discard(action)

    def release_all(self) -> None:
        """Releases all keys: the window lost the keyboard, and releases elsewhere are not reported."""
        self._held.clear()

    def look(self, dx_px: float, dy_px: float) -> None:
        """Turns by a mouse move; dy grows upward, as in pyglet. Zoom reduces it."""
        shown = self.shown
        turn = self._settings.mouse * shown.fov_deg / self.view.fov_deg
        if shown.ortho_blocks is not None and self.view.ortho_blocks is not None:
            turn *= shown.ortho_blocks / self.view.ortho_blocks
        yaw = (self.view.yaw_deg + dx_px * turn + 180.0) % 360.0 - 180.0
        upward = turn if self._settings.invert_mouse else -turn
        pitch = min(90.0, max(-90.0, self.view.pitch_deg + dy_px * upward))
        self.view = replace(self.view, yaw_deg=yaw, pitch_deg=pitch)

    @property
    def flies(self) -> bool:
        """Whether a key is held that moves the camera."""
        return bool(self._held - {Action.SPRINT, Action.ZOOM})

    @property
    def walks(self) -> bool:
        return self._body is not None

    @property
    def body(self) -> Body | None:
        """The walking body, or a flying one that hits an obstacle; None: nothing stops it."""
        return self._body or self._flown

    def walk_or_fly(self) -> None:
        if self._level is not None:
            self.top_down()
        self._body = None if self._body else Body(self.view.eye)

    def go(self, view: View) -> None:
        self.view = view
        self._level = None
        if self._body:
            self._body = Body(view.eye)

    def top_down(self) -> None:
        """Rises and looks straight down, north up; the second call undoes it."""
        eye, self._body = self.view.eye, None
        if self._level is None:
            self._level = self.view.yaw_deg, self.view.pitch_deg
            above = eye._replace(y=eye.y + ABOVE_BLOCKS)
            self.view = replace(self.view, eye=above, yaw_deg=NORTH_DEG, pitch_deg=90.0)
        else:
            yaw_deg, pitch_deg = self._level
            below = eye._replace(y=eye.y - ABOVE_BLOCKS)
            self.view = replace(self.view, eye=below, yaw_deg=yaw_deg, pitch_deg=pitch_deg)
            self._level = None

    def switch_ortho(self) -> None:
        """Switches between orthographic projection, with its last height, and perspective."""
        if self.view.ortho_blocks is None:
            self.view = replace(self.view, ortho_blocks=self._ortho_blocks)
        else:
            self._ortho_blocks = self.view.ortho_blocks
            self.view = replace(self.view, ortho_blocks=None)

    def wheel(self, notches: float) -> bool:
        """Handles the wheel: changes the speed, or an orthographic view's height; returns whether the view changed."""
        if self.view.ortho_blocks is not None:
            high = self.view.ortho_blocks / WHEEL_FACTOR**notches
            self.view = replace(self.view, ortho_blocks=min(HIGHEST_ORTHO_BLOCKS, max(LOWEST_ORTHO_BLOCKS, high)))
            return True
        faster = self.speed_blocks_s * WHEEL_FACTOR**notches
        self.speed_blocks_s = min(FASTEST_BLOCKS_S, max(SLOWEST_BLOCKS_S, faster))
        return False

    def move(self, elapsed_s: float, obstructs: Obstructs) -> bool:
        """Flies or walks for a frame's time; returns whether the view changed.

        ``obstructs``: whether a block stops it.
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
            self._fly(elapsed_s, obstructs)
        return self.view != before

    def _fly(self, elapsed_s: float, obstructs: Obstructs) -> None:
        self._flown = None
        ahead = self._axis(Action.FORWARD, Action.BACK)
        aside = self._axis(Action.RIGHT, Action.LEFT)
        climb = self._axis(Action.UP, Action.DOWN)
        if not (ahead or aside or climb):
            return
        length = (ahead * ahead + aside * aside + climb * climb) ** 0.5
        speed = self.speed_blocks_s * (self._settings.sprint if Action.SPRINT in self._held else 1.0)
        reach = speed * elapsed_s / length
        x, z = self._on_the_level(ahead, aside)
        eye, way = self.view.eye, (x * reach, climb * reach, z * reach)
        if self._settings.collide:
            eye, met = flown(eye, way, obstructs)
            self._flown = Body(eye, against=met) if met else None
        else:
            eye = Eye(*(axis + part for axis, part in zip(eye, way, strict=True)))
        self.view = replace(self.view, eye=eye)

    def _level_blocks_s(self) -> tuple[float, float]:
        ahead = self._axis(Action.FORWARD, Action.BACK)
        aside = self._axis(Action.RIGHT, Action.LEFT)
        speed = SPRINT_BLOCKS_S if Action.SPRINT in self._held else WALK_BLOCKS_S
        x, z = self._on_the_level(ahead, aside)
        length = max(1.0, (ahead * ahead + aside * aside) ** 0.5)
        return x * speed / length, z * speed / length

    def _on_the_level(self, ahead: int, aside: int) -> tuple[float, float]:
        """Velocity along x and z, from components along the view and to its right."""
        yaw = radians(self.view.yaw_deg)
        return -sin(yaw) * ahead - cos(yaw) * aside, cos(yaw) * ahead - sin(yaw) * aside

    def _axis(self, plus: Action, minus: Action) -> int:
        return (plus in self._held) - (minus in self._held)


FORGOTTEN_S: Final = 3.0
PREFIX: Final = "minecraft:"
HoleEffect = str
"""What a hole does to a body: the text of the message."""
AGAINST, WITHIN, BELOW = "stops you", "is around you, so you do not fall", "holds you up"
OUT: Final = "walk out of it, or fly"


class CameraStops:
    """Messages about holes that stop a body, for one window in one world."""

    def __init__(self, name_at: Callable[[BlockPos], str], why: Callable[[BlockPos], str]) -> None:
        """``name_at``: the name of a block, the placeholder's if it is unknown. ``why``: why it is unknown."""
        self._name_at, self._why = name_at, why
        self._reported: set[object] = set()
        self._met_s = 0.0

    def news(self, body: Body | None, now: float) -> str | None:
        """A new message about a body, once; ``now`` is monotonic seconds."""
        met = None if body is None else self._met(body)
        if met is None:
            if now - self._met_s >= FORGOTTEN_S:
                self._reported.clear()
            return None
        self._met_s = now
        block, effect = met
        name = self._name_at(block)
        key = block.subchunk if name == PLACEHOLDER_NAME else name
        if key in self._reported:
            return None
        self._reported.add(key)
        if name == PLACEHOLDER_NAME:
            return f"A placeholder {effect}. {self._why(block)}"
        return f"You are inside {name.removeprefix(PREFIX)}: {OUT}."

    def _met(self, body: Body) -> tuple[BlockPos, HoleEffect] | None:
        if body.within is not None:
            return body.within, WITHIN
        if body.against is not None and self._is_hole(body.against):
            return body.against, AGAINST
        x, y, z = body.eye
        below = BlockPos(floor(x), floor(y - EYE - HAIR), floor(z))
        return (below, BELOW) if body.stands and self._is_hole(below) else None

    def _is_hole(self, block: BlockPos) -> bool:
        return self._name_at(block) == PLACEHOLDER_NAME
