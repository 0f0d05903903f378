"""What the eye is in, from the blocks of the store.

Rules:
1. A liquid reaches up to the next block that is none; the topmost one ends ``LIQUID_DROP`` sixteenths below its top.
2. A liquid that shines is lava, any other water. Both layers count: what stands in water is in water.
3. A placeholder, and a column that is not there, are air.
"""

from dataclasses import replace
from math import floor

from net.space.positions import BlockPos
from render.mesh.quads import LIQUID_DROP
from render.passes.medium import AIR, LAVA, WATER, Medium
from render.scene.world import World

HIGHEST_LOOK_BLOCKS = 64
"""How far up a surface is looked for; a deeper eye sees no surface."""


def medium_at(world: World, eye: tuple[float, float, float]) -> Medium:
    """The medium of an eye, in blocks."""
    x, y, z = (floor(axis) for axis in eye)
    dense = _liquid(world, BlockPos(x, y, z))
    if dense is None:
        return AIR
    top = y
    while top < y + HIGHEST_LOOK_BLOCKS and _liquid(world, BlockPos(x, top + 1, z)) is not None:
        top += 1
    surface = top + 1 - LIQUID_DROP / 16
    if eye[1] >= surface:
        return AIR
    return replace(LAVA if world.table.emission[dense] else WATER, surface_y_blocks=surface)


def _liquid(world: World, block: BlockPos) -> int | None:
    """The dense id of the liquid in a block, if there is one."""
    dimension = world.dimension
    row = world.row_of.get(block.column, 0)
    if not row or not dimension.floor_y_blocks <= block.y < dimension.roof_y_blocks:
        return None
    place = row * dimension.sections + block.subchunk.y - dimension.floor_section
    first = world.table.first
    pools = world.pools
    for dense in (
        pools.blocks[world.slot[place], block.in_subchunk],
        pools.layer1[world.layer1_slot[place], block.in_subchunk],
    ):
        if first.liquid <= dense < first.placeholder:
            return int(dense)
    return None
