"""Explains in a sentence for people why known blocks are missing from the picture or outdated.

The first word says which half of the work is behind: *Unmeshed*, the quads of its render cell; *Unlit*, the light of
its column, or room for it on the GPU; or it is too far away. Blocks that are drawn correctly have no sentence.

``outlook`` decides from the scene's state alone, by the scene's own rules (``residency`` rule 1, ``jobs.drawable``,
``uploads`` rule 2). Whether a mesh can be made is only known by making it.
"""

import numpy as np

from client.kernel_cache import cache_directory
from client.report.health import Undrawn
from client.report.why_facts import DrawDiagnosis
from client.session.session import Session
from client.source import one_line
from client.streaming.anchors import Anchors
from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from net.space import BlockPos, ColumnPos, coordinates
from render.jobs.workers import WorkerResources
from render.mesh.mesher import AppearanceTables
from render.scene.cells import CellState
from render.scene.failures import Failure
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.grid import Grid
from render.scene.jobs import drawable, trial, unmeshable
from render.scene.residency import FAR, MESH_MARGIN_COLUMNS
from render.scene.work_state import WorkState

# ---------------------------------------------------------------- undrawn

MESH, LIGHT = "mesh of render cell", "light of column"
ROOMLESS = "Unlit: the GPU has no space for the light around it, so it is not drawn"


def undrawn(at: WorkState, block: BlockPos) -> str:
    """The sentence without its full stop; empty if nothing is behind, or if the column is unknown."""
    cell, column, picture = block.subchunk.cell, block.column, at.cell_state(block)
    row = at.world.row_of.get(column)
    if row is None:
        return ""
    if picture is CellState.ABSENT and at.residency.far(np.array([column], np.int32))[0]:
        return FAR
    if picture in (CellState.ABSENT, CellState.EMPTY):
        return ""
    if picture is CellState.FAILED:
        return f"Unmeshed: {_failed(at, MESH, cell, 'the mesh of its render cell could not be built')}"
    if picture is CellState.DIRTY:
        return "Unmeshed: the mesh of its render cell is not built yet"
    if unlit := _unlit(at, row, column):
        return unlit
    if picture is CellState.READY:
        return "Unmeshed: its mesh is built and waits for its upload"
    cells = np.array([row * at.grid.tall + cell.y - at.grid.low])
    return "" if at.mirror.lit_wholly(at.world, at.grid, cells)[0] else ROOMLESS


def _unlit(at: WorkState, row: int, column: ColumnPos) -> str:
    """Why a column has no light, or outdated light."""
    if row in at.lighting.given_up:
        return f"Unlit: {_failed(at, LIGHT, column, 'the light of its column could not be computed')}"
    return "" if at.row_lit[row] else "Unlit: the light of its column is not computed yet"


def _failed(at: WorkState, what: str, place: tuple[int, ...], plain: str) -> str:
    """The record of the last failure of a piece of work; plain words if the record is no longer kept."""
    found = (one for one in reversed(at.failures.last) if (one.what, tuple(one.at)) == (what, tuple(place)))
    failure: Failure | None = next(found, None)
    return plain if failure is None else failure.words


def outlook(session: Session, block: BlockPos) -> DrawDiagnosis:
    """The outlook of the sub-chunk that holds a block inside the dimension."""
    store, at = session.dimension.store, block.subchunk
    named = f"render cell {coordinates(at.cell)}"
    if block.column not in store.row_of:
        return DrawDiagnosis(False, "nothing to draw: its chunk column is not announced")
    grid = Grid.of(store.dimension)
    place = np.array([store.place_of(at)], np.int32)
    kind = int(store.pools.kinds[store.slot[place[0]]])
    empty = not kind & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) and not store.layer1_slot[place[0]]
    if kind & IS_PLACEHOLDER or empty:
        why = "its blocks are unknown" if kind & IS_PLACEHOLDER else "all air"
        return DrawDiagnosis(False, f"nothing to draw: {why}")
    resident = Anchors()
    resident.follow(session.anchors, MESH_MARGIN_COLUMNS)
    if not resident.counts(np.array([block.column], np.int32))[0]:
        return DrawDiagnosis(False, "nothing to draw: its column lies at the edge of the loaded columns, or beyond")
    error = trial(store, grid, int(grid.cells_of(place)[0]), _tables(session), WorkerResources())
    if error is not None:
        why = f"{named} cannot be meshed ({type(error).__name__}: {one_line(str(error))})"
        return DrawDiagnosis(False, f"failed: {why}", f"Unmeshed: its {why}")
    hiding = int(store.is_placeholder(store.neighbours[place[0]]).sum())
    beside = f"; no faces towards {hiding} of the 6 sub-chunks beside it, whose blocks are unknown" if hiding else ""
    return DrawDiagnosis(True, f"it is drawn, in {named}{beside}")


def unmeshed(session: Session) -> Undrawn:
    """Finds all sub-chunks whose render cell cannot be meshed, by meshing every cell and discarding the result."""
    store = session.dimension.store
    grid = Grid.of(store.dimension)
    cells = grid.cells_of_rows(store.announced_rows)
    cells = cells[drawable(store, grid, cells)]
    bad = grid.own_places(unmeshable(store, grid, cells, _tables(session), WorkerResources()))
    places = bad[bad >= store.dimension.sections].astype(np.int32)
    blocks = places[~store.is_placeholder(places)]
    return Undrawn(store.positions_of(blocks), np.zeros((0, 3), np.int32))


def _tables(session: Session) -> AppearanceTables:
    """The tables for meshes: the same as for pictures, from the cache if possible."""
    return BlockAppearance(session.dimension.store.table, cache_directory()).tables
