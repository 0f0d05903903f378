"""What is stored and not drawn though it should be, and pages of the quad arena that no mesh holds.

Rules:
1. While the scene has work to do nothing is said: what is missing may be on its way.
2. A cell must not be without a mesh where it holds something to draw and its column is on the GPU; nor empty where a
   side of a sub-chunk in it is wholly opaque and air lies beyond, for that side has faces.
"""

import numpy as np
import numpy.typing as npt

from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from render.invariants.finding import NOWHERE, Finding, middles
from render.scene.attached import Attached
from render.scene.facing import shut_sides
from render.scene.grid import CellIndices
from render.scene.meshing import drawable
from render.scene.picture import Picture
from render.scene.scene import Scene

UNSETTLED = "while the picture settles"
WITHOUT = np.isin(np.arange(len(Picture)), [Picture.ABSENT, Picture.DIRTY, Picture.READY, Picture.FAILED])
"""By state of a cell: it shows no mesh, or an old one for good."""


def stored_undrawn(scene: Scene) -> Finding:
    """Render cells with something to draw that is not drawn."""
    if not scene.settled:
        return Finding(None, NOWHERE, UNSETTLED)
    attached = scene.attached
    rows = np.flatnonzero(attached.residency.shown)
    cells = attached.grid.cells_of_rows(rows)
    cells = cells[drawable(attached.world, attached.grid, cells)]
    picture = attached.cells.picture[cells]
    empty = cells[picture == Picture.EMPTY]
    broken = np.concatenate([cells[WITHOUT[picture]], empty[_has_faces(attached, empty)]])
    lower = attached.grid.own_places(broken)
    places = np.where(lower[:, 0] >= attached.grid.sections, lower[:, 0], lower[:, 1])
    return Finding(len(broken), middles(attached.grid.positions_of(places, attached.world.columns)))


def _has_faces(attached: Attached, cells: CellIndices) -> npt.NDArray[np.bool_]:
    """Cells with a wholly opaque side of a sub-chunk beside one of nothing but air: bool[n]."""
    world = attached.world
    own = attached.grid.own_places(cells)
    sides = shut_sides(world.pools, world.slot[own.ravel()].astype(np.int32)).reshape(own.shape)
    kinds = world.pools.kinds[world.slot]
    shut = np.unpackbits(sides[..., None], axis=2, count=6, bitorder="little") != 0
    beside = world.neighbours[own]
    air = (kinds[beside] & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER | IS_PLACEHOLDER) == 0) & (
        beside >= attached.grid.sections
    )
    solid = (kinds[own] & HAS_OPAQUE != 0) & (own >= attached.grid.sections)
    found: npt.NDArray[np.bool_] = (shut & air & solid[..., None]).any(axis=(1, 2))
    return found


def leaked_pages(scene: Scene) -> Finding:
    """Pages of the arena in use that no mesh holds."""
    used, held = scene.stats().arena.pages_used, scene.attached.cells.pages_held
    return Finding(abs(used - held), NOWHERE, f"{used} in use, {held} held by meshes")
