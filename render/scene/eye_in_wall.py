"""Whether the eye is in a wall, or so close to one that the near plane cuts off its side: then it sees through it.

Opaque blocks have no sides towards each other, so what is seen out of one is all there is. A walk goes by what is open,
and says nothing of that.
"""

from itertools import product
from math import floor

from net.space.positions import BlockPos
from render.scene.world import World


def is_in_wall(world: World, eye: tuple[float, float, float], near_blocks: float) -> bool:
    """Whether an opaque block lies within so many blocks of an eye, along each axis; a placeholder is none."""
    ranges = (range(floor(axis - near_blocks), floor(axis + near_blocks) + 1) for axis in eye)
    return any(_is_opaque(world, BlockPos(*at)) for at in product(*ranges))


def _is_opaque(world: World, block: BlockPos) -> bool:
    dimension = world.dimension
    row = world.row_of.get(block.column, 0)
    if not row or not dimension.floor_y_blocks <= block.y < dimension.roof_y_blocks:
        return False
    place = row * dimension.sections + block.subchunk.y - dimension.floor_section
    return bool(world.pools.blocks[world.slot[place], block.in_subchunk] >= world.table.first.opaque)
