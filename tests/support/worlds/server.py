"""Worlds for servers in tests.

- ``CaveWorld``: stone up to y 63 with closed caves, for tests of visibility.
- ``TallWorld``: an unusual height, with noise of three blocks from floor to roof.
- ``three_worlds``: a flat world for each of the three dimensions.
- ``WatchedWorld``: a flat world that records the columns that were made.
- ``generated_box``: the blocks of a generator in a box, to compare with dumps.

    python -m tests.support.worlds.server WORLD ORDER [twice]

prints hashes of generated columns as JSON. WORLD is ``hills:1`` or another dimension, ``hills:1/2``. ORDER is
``rings``, ``backwards`` or a seed of a shuffle. With ``twice`` each column is made again at the end, when the
generator's caches hold others.
"""

import hashlib
import json
import random
import sys

import msgspec
import numpy as np

from client.options import Box
from net.palette import BlockState
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.worlds import ServerWorld, open_worlds
from net.server.worlds.world import FlatWorld, GeneratedColumn, Spawn, subchunks_of
from net.space import END, NETHER, OVERWORLD, BlockPos, ColumnPos, Dimension
from tests.support.session.plain_client import UNIX_TIME, entropy

# ---------------------------------------------------------------- cave world

TOP_Y = 64
STONE = 1


class Room(msgspec.Struct, frozen=True):
    """A box of air in blocks, including both corners."""

    low: tuple[int, int, int]
    high: tuple[int, int, int]


CAVE = Room((-20, 0, -20), (20, 9, 20))
SHAFT = Room((0, 10, 0), (3, TOP_Y - 5, 3))
"""Above the cave, with a lid of four blocks."""


class CaveWorld:
    """Stone up to y 63 with closed rooms; ``made``: generated columns, in order."""

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


# ---------------------------------------------------------------- tall world

TALL = Dimension(0, "overworld", -8, 40, True)
"""y -128 to 511."""


class TallWorld:
    """Every fourth sub-chunk from the floor up is noise, the others are air, so that a client sees into each."""

    states = FlatWorld.states
    name = "tall"
    spawn = Spawn((8.5, 100.0, 8.5), 0.0, 0.0)

    def __init__(self, dimension: Dimension = TALL) -> None:
        self.dimension = dimension

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """Noise that depends on the position."""
        chance = np.random.default_rng([abs(position.x), abs(position.z), position.x < 0, position.z < 0])
        layer0 = np.zeros((self.dimension.sections, 4096), np.uint16)
        noisy = layer0[:: 4 if self.dimension.sections > 4 else 1]
        noisy[:] = chance.integers(0, len(self.states), noisy.shape)
        layer0[-1] = noisy[0]
        return GeneratedColumn(layer0, None, np.full(256, 1, np.uint16))

    def block(self, position: BlockPos) -> BlockState:
        """The block at a position."""
        section = (position.y >> 4) - self.dimension.floor_section
        x, y, z = position.x & 15, position.y & 15, position.z & 15
        return self.states[int(self.column(position.column).layer0[section, x << 8 | z << 4 | y])]


# ---------------------------------------------------------------- three worlds


def three_worlds() -> tuple[FlatWorld, ...]:
    """Flat worlds for Overworld, Nether and End."""
    return tuple(FlatWorld(dimension=dimension) for dimension in (OVERWORLD, NETHER, END))


def three_dimensions(options: HostOptions | None = None, protocol: int | None = 486) -> Host:
    """A host of the three worlds at time 0, for one protocol or, with None, for all."""
    first, *others = three_worlds()
    spoken = ProtocolRange() if protocol is None else ProtocolRange.only(protocol)
    return Host(first, options or HostOptions(), spoken, 0.0, UNIX_TIME, entropy("server"), beside=others)


# ---------------------------------------------------------------- watched world


class WatchedWorld(FlatWorld):
    """A flat world; ``made``: generated columns, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[ColumnPos] = []

    def column(self, position: ColumnPos) -> GeneratedColumn:
        self.made.append(position)
        return super().column(position)


# ---------------------------------------------------------------- generated box


class GeneratedBox(msgspec.Struct, frozen=True):
    """Both layers and biomes of a box as arrays [x, z, y]; blocks are indices into ``states``."""

    layer0: np.ndarray
    layer1: np.ndarray
    biomes: np.ndarray
    states: tuple[BlockState, ...]


def generated_box(world: ServerWorld, box: Box) -> GeneratedBox:
    """Cuts the box out of freshly generated columns."""
    first = box.low.column
    last = BlockPos(box.high.x - 1, 0, box.high.z - 1).column
    columns = range(first.x, last.x + 1), range(first.z, last.z + 1)
    strips = [[_column(world, ColumnPos(x, z)) for z in columns[1]] for x in columns[0]]
    layers = []
    for layer in range(3):
        whole = np.concatenate([np.concatenate([one[layer] for one in strip], axis=1) for strip in strips], axis=0)
        x, z, y = box.low.x - first.x * 16, box.low.z - first.z * 16, box.low.y - world.dimension.floor_y_blocks
        size = box.shape
        layers.append(whole[x : x + size[0], z : z + size[1], y : y + size[2]])
    return GeneratedBox(layers[0], layers[1], layers[2], world.states)


def _column(world: ServerWorld, position: ColumnPos) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    made = world.column(position)
    second = np.zeros_like(made.layer0) if made.layer1 is None else made.layer1
    height = world.dimension.sections * 16
    biomes = np.repeat(made.biomes.reshape(16, 16, 1), height, axis=2)
    return _tall(made.layer0), _tall(second), biomes


def _tall(sections: np.ndarray) -> np.ndarray:
    """Blocks [sections, 4096] as [x, z, y] of the whole height."""
    return sections.reshape(-1, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, -1)


# ---------------------------------------------------------------- world hashes

PLACES = [(x, z) for x in range(-6, 6) for z in range(-6, 6)] + [
    (200 + x, -300 + z) for x in range(4) for z in range(4)
]
"""Columns around the spawn and far from it; trees and houses cross the borders of regions of 4 x 4 columns."""


def opened(name: str) -> ServerWorld:
    """Opens the world with that name."""
    world, _, number = name.partition("/")
    return open_worlds(world)[int(number or 0)]


def hash_of(world: ServerWorld, position: ColumnPos) -> str:
    """A hash of a column's block names, states and biomes, independent of ids."""
    column = world.column(position)
    made = hashlib.blake2b(digest_size=16)
    for state in world.states:
        made.update(repr(state).encode())
    made.update(column.layer0.astype("<u2").tobytes())
    made.update(b"none" if column.layer1 is None else column.layer1.astype("<u2").tobytes())
    made.update(column.biomes.astype("<u2").tobytes())
    return made.hexdigest()


def in_order(order: str) -> list[tuple[int, int]]:
    """The columns in that order."""
    if order == "rings":
        return PLACES
    if order == "backwards":
        return PLACES[::-1]
    return random.Random(order).sample(PLACES, len(PLACES))


def main() -> None:
    name, order, *again = sys.argv[1:]
    world = opened(name)
    hashes = {f"{x} {z}": hash_of(world, ColumnPos(x, z)) for x, z in in_order(order)}
    for x, z in in_order("again") if again else ():
        assert hash_of(world, ColumnPos(x, z)) == hashes[f"{x} {z}"], (x, z)
    sys.stdout.write(json.dumps(hashes) + "\n")


if __name__ == "__main__":
    main()
