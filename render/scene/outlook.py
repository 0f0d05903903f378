"""What a picture would make of one block's place, from knowledge alone: asked where nothing is drawn.

The scene's own rules, said of one cell: a cell gets a mesh when one of its two sub-chunks is known and not all air
(``meshing.drawable``), and is shown once its column is lit (``attached`` rule 2); faces to placeholders are hidden.
"""

import numpy as np

from client.connect.why import Outlook
from client.session.session import Session
from net.space.positions import BlockPos
from render.scene.grid import Grid
from render.scene.meshing import drawable


def outlook(session: Session, block: BlockPos) -> Outlook:
    """The outlook of the render cell that holds a block inside the dimension."""
    store, at = session.store, block.subchunk
    named = f"render cell {at.cell.x} {at.cell.y} {at.cell.z}"
    if block.column not in store.row_of:
        return Outlook(False, f"{named} is not there: its column is not announced")
    grid = Grid.of(store.dimension)
    place = np.array([store.place_of(at)], np.int32)
    cell = grid.cells_of(place)
    if not drawable(store, grid, cell)[0]:
        hidden = store.is_placeholder(grid.own_places(cell)[0]).any()
        return Outlook(False, f"{named} gets none: {'a placeholder is not drawn' if hidden else 'there is only air'}")
    hiding = int(store.is_placeholder(store.neighbours[place[0]]).sum())
    faces = f"; faces against {hiding} placeholders beside the sub-chunk are hidden" if hiding else ""
    return Outlook(True, f"{named} gets one, shown once its column is lit{faces}")
