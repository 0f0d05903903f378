"""Stone up to y 63 with rooms in it: what a player in a closed cave must not be sent."""

import msgspec
import numpy as np

from net.palette import BlockState
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of
from net.space.dimensions import OVERWORLD, Dimension
from net.space.positions import ColumnPos

TOP_Y = 64
STONE = 1


class Room(msgspec.Struct, frozen=True):
    """A box of air, both corners inside, in blocks."""

    low: tuple[int, int, int]
    high: tuple[int, int, int]


CAVE = Room((-20, 0, -20), (20, 9, 20))
SHAFT = Room((0, 10, 0), (3, TOP_Y - 5, 3))
"""Above the cave, with a lid of four blocks."""


class CaveWorld:
    """See the module; ``made`` counts what was generated."""

    def __init__(self, *rooms: Room, feet: tuple[float, float, float] = (0.5, 1.0, 0.5)) -> None:
        self._rooms = rooms or (CAVE,)
        self._feet = feet
        self.made: list[ColumnPos] = []
        self.name = "cave"
        self.states = (BlockState("minecraft:air"), BlockState("minecraft:stone", (("stone_type", "stone"),)))

    @property
    def dimension(self) -> Dimension:
        return OVERWORLD

    @property
    def spawn(self) -> Spawn:
        return Spawn(self._feet, 0.0, 0.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        self.made.append(position)
        blocks = np.zeros((16, 16, 384), np.uint16)
        blocks[:, :, : TOP_Y + 64] = STONE
        x, z = position.x * 16, position.z * 16
        for room in self._rooms:
            (x0, y0, z0), (x1, y1, z1) = room.low, room.high
            inside = slice(max(x0 - x, 0), max(x1 - x + 1, 0)), slice(max(z0 - z, 0), max(z1 - z + 1, 0))
            blocks[inside[0], inside[1], y0 + 64 : y1 + 65] = 0
        return GeneratedColumn(subchunks_of(blocks), None, np.ones(256, np.uint16))
