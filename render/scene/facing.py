"""What the places around a place can notice of it: which of its six outer layers of blocks are wholly opaque.

Theory. Of a neighbour's blocks a mesh reads the layer that touches it: opaque blocks hide faces, whatever they are, and
placeholders count as opaque. So a change behind a layer that was and is wholly opaque changes no mesh beyond it: most
arrivals underground. Liquids read the blocks at edges and corners, too; one of those lies in two or three layers, and
is opaque where one of them is.
"""

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.scene.reach_kernels import ALL_SIDES, WET, shut
from render.scene.world import Pools, World

Sides = npt.NDArray[np.uint8]
"""[n] bits 0-5 by side -x, +x, -z, +z, below, above; bit 6 (WET) where there is liquid, or may be in a second layer."""


def shut_sides(pools: Pools, slots: npt.NDArray[np.int32]) -> Sides:
    """Which sides of block slots are wholly opaque."""
    found: Sides = np.empty(len(slots), np.uint8)
    shut(slots, pools.kinds, pools.opaque, found)
    return found


class Facing:
    """The sides of all places of a store as they were last looked at; shut and dry before that. Owner thread only.

    Attributes:
        sides: [places].
    """

    def __init__(self) -> None:
        """No places yet."""
        self.sides: Sides = np.zeros(0, np.uint8)

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        more = places - len(self.sides)
        if more > 0:
            self.sides = np.append(self.sides, np.full(more, ALL_SIDES, np.uint8))

    def forget(self, places: Places | slice) -> None:
        """Says that columns are there no longer."""
        self.sides[places] = ALL_SIDES

    def turn(self, world: World, places: Places) -> Sides:
        """Looks at places that changed; through which sides that can be noticed, and whether there is or was liquid."""
        before, now = self.sides[places], shut_sides(world.pools, world.slot[places])
        now |= (world.layer1_slot[places] != 0) * np.uint8(WET)
        self.sides[places] = now
        return (~(before & now) & np.uint8(ALL_SIDES)) | ((before | now) & np.uint8(WET))
