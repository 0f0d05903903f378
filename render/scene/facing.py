"""What the places around a place can notice of it: which of its six outer layers of blocks are wholly opaque.

Theory. Of a neighbour's blocks a mesh reads the layer that touches it: opaque blocks hide faces, whatever they are, and
placeholders count as opaque. So a change behind a layer that was and is wholly opaque changes no mesh beyond it: most
arrivals underground. Liquids read the blocks at edges and corners, too; one of those lies in two or three layers, and
is opaque where one of them is.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.pools import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE
from net.space.layout import Places
from render.scene.world import Pools, World

Sides = npt.NDArray[np.uint8]
"""[n] bits 0-5 by side -x, +x, -z, +z, below, above; bit 6 (WET) where there is liquid, or may be in a second layer."""

ALL_SIDES: Final = 63
WET: Final = 64
WHOLE_COLUMN: Final = 0xFFFF


def shut_sides(pools: Pools, slots: npt.NDArray[np.int32]) -> Sides:
    """Which sides of block slots are wholly opaque."""
    kinds = pools.kinds[slots]
    shut: Sides = (kinds & ALL_OPAQUE != 0) * np.uint8(ALL_SIDES)
    mixed = np.flatnonzero((kinds & HAS_OPAQUE != 0) & (kinds & ALL_OPAQUE == 0))
    if len(mixed):
        masks = pools.opaque[slots[mixed]]
        whole = (masks == WHOLE_COLUMN).reshape(-1, 16, 16)
        level = np.bitwise_and.reduce(masks, axis=1)
        layers = [whole[:, 0], whole[:, 15], whole[:, :, 0], whole[:, :, 15]]
        sides = [layer.all(axis=1) for layer in layers] + [level & 1 != 0, level >> 15 != 0]
        shut[mixed] = sum(side.astype(np.uint8) << bit for bit, side in enumerate(sides))
    shut |= (kinds & HAS_LIQUID != 0) * np.uint8(WET)
    return shut


class Facing:
    """The sides of all places of a store as they were last looked at; shut and dry before that. Owner thread only."""

    def __init__(self) -> None:
        """No places yet."""
        self._shut: Sides = np.zeros(0, np.uint8)

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        more = places - len(self._shut)
        if more > 0:
            self._shut = np.append(self._shut, np.full(more, ALL_SIDES, np.uint8))

    def forget(self, places: Places | slice) -> None:
        """Says that columns are there no longer."""
        self._shut[places] = ALL_SIDES

    def turn(self, world: World, places: Places) -> Sides:
        """Looks at places that changed; through which sides that can be noticed, and whether there is or was liquid."""
        before, now = self._shut[places], shut_sides(world.pools, world.slot[places])
        now |= (world.layer1_slot[places] != 0) * np.uint8(WET)
        self._shut[places] = now
        return (~(before & now) & np.uint8(ALL_SIDES)) | ((before | now) & np.uint8(WET))
