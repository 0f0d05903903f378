"""The player: where it looks from, and how it follows the camera at a legal speed.

Rules:
1. Angles are degrees with Bedrock's signs: yaw 0 looks to +Z, 90 to -X; a positive pitch looks down.
2. Positions on the wire are eyes too (feet + 1.62 blocks, wire.md 2.6); feet do not occur here.
3. The camera is free; the player follows it in a straight line at the flight speed of the creative mode, without
   collision or gravity. So the anchor and the centre of requests use the player (seed 000: "client-side position").
4. A correction by the server applies at once. The player then stays there until the camera's target moves, so that it
   does not fight the server tick by tick.
"""

from math import cos, hypot, radians, sin
from typing import Final, NamedTuple

import msgspec

from net.space import BlockPos, ColumnPos, SubChunkPos

NARROWEST_FOV: Final = 10.0
WIDEST_FOV: Final = 150.0
LOWEST_ORTHO_BLOCKS: Final = 1.0
HIGHEST_ORTHO_BLOCKS: Final = 4096.0


class Eye(NamedTuple):
    """A point in the world, in blocks."""

    x: float
    y: float
    z: float

    @property
    def block(self) -> BlockPos:
        return BlockPos.containing(self.x, self.y, self.z)

    @property
    def subchunk(self) -> SubChunkPos:
        return self.block.subchunk

    @property
    def column(self) -> ColumnPos:
        return self.block.column

    def distance_blocks(self, other: "Eye") -> float:
        return float(((self.x - other.x) ** 2 + (self.y - other.y) ** 2 + (self.z - other.z) ** 2) ** 0.5)


class View(msgspec.Struct, frozen=True):
    """A camera: position, direction and field of view."""

    eye: Eye  # position in blocks
    yaw_deg: float = 0.0  # 0 = +Z, 90 = -X
    pitch_deg: float = 0.0  # -90 (straight up) .. 90 (straight down)
    fov_deg: float = 70.0  # vertical field of view
    # height of the picture in blocks in an orthographic view, where all lines of sight are parallel; None: a
    # perspective view
    ortho_blocks: float | None = None

    @property
    def forward(self) -> Eye:
        """The unit vector of the look."""
        yaw, pitch = radians(self.yaw_deg), radians(self.pitch_deg)
        return Eye(-sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch))


HELD_DISTANCE_BLOCKS = 0.5  # a player that the server holds counts as "held" beyond this distance to its target


class PlayerConfig(msgspec.Struct, frozen=True):
    """Speeds of the player."""

    level_speed_blocks_s: float = 10.92  # along x and z
    climb_speed_blocks_s: float = 7.5  # along y
    longest_step_s: float = 0.25  # limits the jump after a longer pause (a suspended process)


class Step(msgspec.Struct, frozen=True):
    """One tick of movement, in the values of PlayerAuthInput."""

    position: Eye  # the eye after the step
    delta: Eye  # the movement, in blocks

    @property
    def moved(self) -> bool:
        return self.delta != Eye(0.0, 0.0, 0.0)


class Player:
    """The player; owned by the session."""

    def __init__(self, position: Eye, now: float, config: PlayerConfig | None = None) -> None:
        self._config = config or PlayerConfig()
        self.position = position
        self.target = position
        self._held = False
        self._last_step = now

    @property
    def on_its_way(self) -> bool:
        """Whether it still moves; a player that the server holds does not, however near its target is."""
        return not self._held and self.position != self.target

    @property
    def remaining_s(self) -> float:
        """Seconds that it needs to its target at its speed, wherever it is held."""
        dx, dy, dz = (self.target[axis] - self.position[axis] for axis in range(3))
        level_s = hypot(dx, dz) / self._config.level_speed_blocks_s
        return max(level_s, abs(dy) / self._config.climb_speed_blocks_s)

    @property
    def held_at(self) -> Eye | None:
        """Where the server holds it, or None while it may move."""
        apart = self.position.distance_blocks(self.target) > HELD_DISTANCE_BLOCKS
        return self.position if self._held and apart else None

    def follow(self, target: Eye) -> None:
        """Sets the target; a new one ends being held."""
        if target != self.target:
            self.target = target
            self._held = False

    def correct(self, position: Eye) -> None:
        self.position = position
        self._held = True

    def place(self, position: Eye) -> None:
        self.position = self.target = position
        self._held = False

    def step(self, now: float) -> Step:
        """Moves for the time since the last step; returns the movement."""
        elapsed_s = min(max(now - self._last_step, 0.0), self._config.longest_step_s)
        self._last_step = now
        start = self.position
        if self._held or start == self.target:
            return Step(start, Eye(0.0, 0.0, 0.0))
        self.position = self._towards(start, elapsed_s)
        return Step(self.position, Eye(*(after - before for after, before in zip(self.position, start, strict=True))))

    def _towards(self, start: Eye, elapsed_s: float) -> Eye:
        needed_s = self.remaining_s
        if needed_s <= elapsed_s:
            return self.target  # exactly, so that the movement ends
        share = elapsed_s / needed_s
        return Eye(*(here + (there - here) * share for here, there in zip(start, self.target, strict=True)))
