"""What a viewer sees from: an eye, two angles and a field of view.

Rules:
1. Angles are degrees with Bedrock's signs: yaw 0 looks to +Z, 90 to -X; a positive pitch looks down.
2. Positions on the wire are eyes too (feet + 1.62 blocks, wire.md 2.6); nothing here knows feet.
"""

from math import cos, radians, sin
from typing import Final, NamedTuple

import msgspec

from net.space.positions import BlockPos, ColumnPos, SubChunkPos

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
        """The block that holds it."""
        return BlockPos.containing(self.x, self.y, self.z)

    @property
    def subchunk(self) -> SubChunkPos:
        """The sub-chunk that holds it."""
        return self.block.subchunk

    @property
    def column(self) -> ColumnPos:
        """The column that holds it."""
        return self.block.column

    def distance_blocks(self, other: "Eye") -> float:
        """Straight distance to another point."""
        return float(((self.x - other.x) ** 2 + (self.y - other.y) ** 2 + (self.z - other.z) ** 2) ** 0.5)


class View(msgspec.Struct, frozen=True):
    """One look into the world."""

    eye: Eye  # where from, in blocks
    yaw_deg: float = 0.0  # 0 = +Z, 90 = -X
    pitch_deg: float = 0.0  # -90 (straight up) .. 90 (straight down)
    fov_deg: float = 70.0  # vertical field of view
    # how many blocks a picture is high where all lines of sight are parallel (an orthographic
    # view); None: they meet in the eye
    ortho_blocks: float | None = None

    @property
    def forward(self) -> Eye:
        """The unit vector of the look."""
        yaw, pitch = radians(self.yaw_deg), radians(self.pitch_deg)
        return Eye(-sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch))
