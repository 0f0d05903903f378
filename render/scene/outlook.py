"""What a picture would make of one block's place, from knowledge alone: asked where nothing is drawn.

The scene's own rules, said of one cell: it is there while the anchors hold its column, but for their outermost columns
(``residency`` rule 1), it gets a mesh when one of its two sub-chunks is known and not all air
(``meshing.drawable``), and is shown once its column is lit (``uploads`` rule 2); faces to placeholders are hidden.
Whether that mesh can be made is found by making it: a cell that would show as failed is said to, with what was raised.
"""

import numpy as np

from client.report.why_facts import Outlook
from client.session.session import Session
from client.source import one_line
from client.streaming.anchors import Anchors
from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from net.space.positions import BlockPos
from render.jobs.job import Workshop
from render.scene.block_looks import BlockLooks
from render.scene.grid import Grid
from render.scene.meshing import drawable, trial
from render.scene.residency import MESH_MARGIN_COLUMNS


def outlook(session: Session, block: BlockPos) -> Outlook:
    """The outlook of the sub-chunk that holds a block inside the dimension."""
    store, at = session.store, block.subchunk
    named = f"render cell {at.cell.x} {at.cell.y} {at.cell.z}"
    if block.column not in store.row_of:
        return Outlook(False, f"{named} is not there: its column is not announced")
    grid = Grid.of(store.dimension)
    place = np.array([store.place_of(at)], np.int32)
    kind = int(store.pools.kinds[store.slot[place[0]]])
    empty = not kind & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) and not store.layer1_slot[place[0]]
    if kind & IS_PLACEHOLDER or empty:
        why = "a placeholder is not drawn" if kind & IS_PLACEHOLDER else "there is only air"
        other = f"; {named} gets a mesh for its other half" if drawable(store, grid, grid.cells_of(place))[0] else ""
        return Outlook(False, f"nothing: {why}{other}")
    resident = Anchors()
    resident.follow(session.anchors, MESH_MARGIN_COLUMNS)
    if not resident.counts(np.array([block.column], np.int32))[0]:
        return Outlook(False, f"nothing: {named} lies too far out, at the rim of what the anchors hold or beyond")
    error = trial(store, grid, int(grid.cells_of(place)[0]), BlockLooks(store.table).tables, Workshop())
    if error is not None:
        why = f"{named} cannot be meshed ({type(error).__name__}: {one_line(str(error))})"
        return Outlook(False, f"failed: {why}", f"Unmeshed: its {why}")
    hiding = int(store.is_placeholder(store.neighbours[place[0]]).sum())
    faces = f"; faces against {hiding} placeholders beside the sub-chunk are hidden" if hiding else ""
    return Outlook(True, f"{named} gets a mesh, shown once its column is lit{faces}")
