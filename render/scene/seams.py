"""Seams of light: sides of known sub-chunks through which light may still come from what is missing.

Rules:
1. A side is a seam where its own outer layer of blocks is not wholly opaque (``facing``) and what lies beyond is a
   placeholder or a column that nobody announced: the light here *hangs* on that, daylight below a placeholder, too.
2. A side between columns of which one is not lit as it is now is a seam that *waits*: the light step that mends it is
   under way. Nothing waits in a scene that has settled.
3. What lies above the roof and below the floor is known.

So a sub-chunk whose light is not final (``client.light.light_map.LightMap.final``) has a seam, or one of those around
it has, or of those between it and the sky; and where all neighbours are there, none is left.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import IS_PLACEHOLDER
from net.frozen import frozen
from net.space.layout import Places
from render.scene.facing import Sides
from render.scene.grid import Grid
from render.scene.world import World

LEVEL_SIDES: Final = 4
"""The first four of the six sides lead to other columns."""


@frozen
class Seams:
    """Sub-chunks with seams.

    Attributes:
        places: [n].
        hanging: uint8[n] bits 0-5 by side -x, +x, -z, +z, below, above: those that hang on what is missing.
        waiting: uint8[n] the same for those that wait for a light step.
    """

    places: Places
    hanging: npt.NDArray[np.uint8]
    waiting: npt.NDArray[np.uint8]

    @property
    def hangs(self) -> int:
        """Sides that hang."""
        return int(np.bitwise_count(self.hanging).sum())

    @property
    def waits(self) -> int:
        """Sides that wait."""
        return int(np.bitwise_count(self.waiting).sum())


def find_seams(
    world: World, grid: Grid, sides: Sides, unlit: npt.NDArray[np.bool_], rows: npt.NDArray[np.int64]
) -> Seams:
    """The seams of some columns.

    Args:
        world: the store.
        grid: its numbering.
        sides: ``Facing.sides``: bits of sides that are wholly opaque, by place.
        unlit: bool[rows] columns whose light is older than their blocks, or not made yet.
        rows: columns to look at.
    """
    places = grid.places_of_rows(rows)
    missing = world.pools.kinds[world.slot] & IS_PLACEHOLDER != 0
    places = places[~missing[places]]
    beside = world.neighbours[places]
    shut = np.unpackbits(sides[places][:, None], axis=1, count=6, bitorder="little") != 0
    hanging = missing[beside] & ~shut
    level = beside[:, :LEVEL_SIDES]
    facing = sides[level] >> np.array([1, 0, 3, 2], np.uint8) & 1 != 0  # the side that looks back
    dark = unlit[places // grid.sections][:, None] | unlit[level // grid.sections]
    waiting = np.zeros_like(hanging)
    waiting[:, :LEVEL_SIDES] = dark & ~missing[level] & ~shut[:, :LEVEL_SIDES] & ~facing
    some = (hanging | waiting).any(axis=1)
    return Seams(places[some], _bits(hanging[some]), _bits(waiting[some]))


def _bits(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    packed: npt.NDArray[np.uint8] = np.packbits(flags, axis=1, bitorder="little")[:, 0]
    return packed
