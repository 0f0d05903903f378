"""What a generator puts into a box, straight from its columns: the truth that dumps are compared with."""

import msgspec
import numpy as np

from client.options import Box
from net.palette import BlockState
from net.server.worlds import ServerWorld
from net.space.positions import BlockPos, ColumnPos


class GeneratedBox(msgspec.Struct, frozen=True):
    """Block states of a box, [x, z, y] each, as numbers of ``states``."""

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
    """[sections, 4096] as [x, z, y] of the whole height."""
    return sections.reshape(-1, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, -1)
