"""Render cells: which mesh each shows, which it should, and what lies between.

Rules:
1. Every cell has two revisions: the one it wants, which grows with every change that can reach it, and the one it has.
   A mesh made for an older revision than another already accepted is dropped; one made for an older revision than
   the wanted one is shown all the same (better than a hole), and the cell stays dirty.
2. A cell's old mesh is drawn until the new one is on the GPU; both are swapped between two frames.
3. Everything is an array by cell number (``grid``); no object a cell.
4. Which cells are dirty is worked out once until something changes: it is asked several times a frame, and most frames
   change nothing.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.gpu.arena import PAGE_UNITS, QuadArena, Run, Words
from render.mesh.quads import CUBE_GROUPS, CUBE_WORDS, GROUPS, MODEL_WORDS, Group
from render.passes.blend_order import BlendOrder
from render.passes.draw_list import CellOrder, MeshTable, Vector
from render.passes.frame_list import EyeList
from render.passes.list_kernels import PAGE, ROW
from render.scene.cell_history import CellHistory
from render.scene.grid import CellIndices, Grid
from render.scene.picture import Picture
from render.scene.reach_kernels import held_cells
from render.scene.shown_meshes import ShownMeshes

NO_PAGE = -1
ABSENT, DIRTY, READY, EMPTY, SHOWN, STALE, FAILED = map(
    int,
    (
        Picture.ABSENT,
        Picture.DIRTY,
        Picture.READY,
        Picture.EMPTY,
        Picture.SHOWN,
        Picture.STALE,
        Picture.FAILED,
    ),
)  # an enum's member costs more to look up than all else that is done with it a mesh
MARKED: Final = np.arange(len(Picture), dtype=np.uint8)
"""By state: the one that a change leads to, where something was shown or is on its way."""
MARKED[[ABSENT, EMPTY, SHOWN, FAILED]] = DIRTY, STALE, STALE, STALE


class Cells:
    """All render cells of one attached store. Owner thread only.

    Attributes:
        picture: uint8[cells] Picture.
        wanted: int64[cells] newest change that can reach a cell.
        made: int64[cells] what the accepted mesh was made from; for a cell without one, the newest revision it
            must not be made from.
        version: grows whenever what is drawn of any cell changes.
        removed: how many cells were forgotten, in all.
        history: how often each showed something else, and what its mesh stands for.
    """

    def __init__(self, grid: Grid, arena: QuadArena) -> None:
        """No cells yet."""
        self._grid = grid
        self._arena = arena
        self._clock = 0
        self.history = CellHistory()
        self.version = self.removed = 0
        self._order = BlendOrder()
        self.picture: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.wanted: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.made: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._page: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._pages: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._meshes: npt.NDArray[np.int32] = np.zeros((0, ROW), np.int32)  # as a ``MeshTable`` has them
        self._dirty: CellIndices | None = None

    def fit(self, rows: int) -> None:
        """Makes room for a store of so many rows."""
        more = rows * self._grid.tall - len(self.picture)
        if more > 0:
            self.picture = np.append(self.picture, np.full(more, Picture.ABSENT, np.uint8))
            self.wanted = np.append(self.wanted, np.full(more, self._clock, np.int64))
            self.made = np.append(self.made, np.full(more, self._clock, np.int64))
            self._page = np.append(self._page, np.full(more, NO_PAGE, np.int64))
            self._pages = np.append(self._pages, np.zeros(more, np.int64))
            self._meshes = np.concatenate([self._meshes, np.zeros((more, ROW), np.int32)])
            self._dirty = None
            self.history.fit(len(self.picture))

    def mark(self, cells: CellIndices) -> int:
        """Says that a change can reach these cells; gives the revision they now want."""
        self._clock += 1
        self.wanted[cells] = self._clock
        now = self.picture[cells]
        after = MARKED[now]
        if (failed := now == FAILED).any():
            after[failed & (self._page[cells] == NO_PAGE)] = DIRTY
        self.picture[cells] = after
        self._dirty = None
        return self._clock

    def dirty(self) -> CellIndices:
        """Cells whose accepted mesh is older than what they want; not to be written."""
        if self._dirty is None:
            self._dirty = np.flatnonzero((self.wanted > self.made) & (self.picture != ABSENT)).astype(np.int64)
        return self._dirty

    def accept(self, cells: CellIndices) -> None:
        """Says of many cells that what is held for them is what they want."""
        self.made[cells] = self.wanted[cells]
        self._dirty = None

    def ready(self, cells: CellIndices, revisions: npt.NDArray[np.int64]) -> None:
        """Accepts meshes that are not shown yet."""
        self.made[cells] = revisions
        now = self.picture[cells]
        self.picture[cells] = np.where(now == DIRTY, READY, now)
        self._dirty = None

    def fail(self, cell: int, revision: int) -> None:
        """Says that no mesh can be made of a revision: what is shown stays, and nothing is tried before a change."""
        self.made[cell] = revision
        self._dirty = None
        if revision >= self.wanted[cell]:
            self.picture[cell] = Picture.FAILED

    def failed(self) -> CellIndices:
        """Cells that show an old mesh, or none, because making the new one raised."""
        return np.flatnonzero(self.picture == Picture.FAILED).astype(np.int64)

    def show(self, cell: int, position: tuple[int, int, int], units: Words, counts: npt.NDArray[np.int32]) -> None:
        """Uploads a mesh and swaps it for the old one; an empty one takes no pages."""
        run = self._arena.put(units, position) if len(units) else None
        self._drop_run(cell)
        if run is not None:
            self._page[cell], self._pages[cell] = run.page, run.pages
            self._meshes[cell, PAGE] = run.page
            self._keep_order(cell, position, units, counts)
        self._counts[cell] = counts
        self.history.show(cell, units, counts)
        if self.picture[cell] == FAILED:  # a mesh older than the one that failed, which waited for its turn
            return
        shown = SHOWN if run is not None else EMPTY
        self.picture[cell] = shown if self.made[cell] >= self.wanted[cell] else STALE

    def has_room(self, units: int) -> bool:
        """Whether a mesh of so many units would find pages."""
        return self._arena.has_room(units)

    def show_empty(self, cells: CellIndices) -> None:
        """Says of many cells that there is nothing to draw in them, and that they are up to date."""
        for cell in cells[self._page[cells] != NO_PAGE].tolist():
            self._drop_run(cell)
        self._counts[cells] = 0
        self.history.show_empty(cells)
        self.accept(cells)
        self.picture[cells] = EMPTY

    def remove(self, cells: CellIndices) -> None:
        """Forgets cells whose column went; meshes of them that are still being made will be too old."""
        for cell in cells[self._page[cells] != NO_PAGE].tolist():
            self._drop_run(cell)
        self._counts[cells] = 0
        self.history.forget(cells)
        self.wanted[cells] = self.made[cells] = self._clock
        self.picture[cells] = ABSENT
        self.removed += len(cells)
        self._dirty = None

    def release(self) -> None:
        """Gives all pages back."""
        self.remove(np.arange(len(self.picture), dtype=np.int64))

    def renumbered(self, grid: Grid) -> "Cells":
        """No cells, in another numbering, with revisions that go on: results still out stay older than what comes."""
        fresh = Cells(grid, self._arena)
        fresh._clock, fresh.version = self._clock, self.version + 1
        return fresh

    def with_quads(self, cells: CellIndices | None = None) -> CellIndices:
        """Those of some cells, of all unless named, that have something on the GPU."""
        if cells is None:
            return np.flatnonzero(self._page != NO_PAGE).astype(np.int64)
        filled: CellIndices = cells[self._page[cells] != NO_PAGE]
        return filled

    def reached(self, places: Places) -> CellIndices:
        """Cells that hold some of the places, each once."""
        grid, found = self._grid, np.empty(len(places), np.int64)
        of_grid = grid.floor, grid.sections, grid.low, grid.tall
        count = held_cells(places, *of_grid, np.zeros(len(self._page), np.bool_), found)
        return found[:count].copy()

    def quads_of(self, cells: CellIndices) -> npt.NDArray[np.int64]:
        """Quads of each cell's mesh: int64[n]."""
        quads: npt.NDArray[np.int64] = self._counts[cells].sum(axis=1, dtype=np.int64)
        return quads

    @property
    def _counts(self) -> npt.NDArray[np.int32]:
        """[cells, 11] quads by group."""
        return self._meshes[:, :GROUPS]

    @property
    def pages_held(self) -> int:
        """Pages of the arena that meshes shown lie in."""
        return int(self._pages[self._page != NO_PAGE].sum())

    def eye_list(self, cells: CellIndices, columns: npt.NDArray[np.int32], spot: Vector) -> EyeList:
        """The meshes of some cells as the eyes of a spot see them, nearest first; good until ``version`` grows."""
        order = CellOrder.of(self._grid.cell_positions(cells, columns), cells, spot)
        return EyeList(MeshTable(self._meshes, PAGE_UNITS, self._order), order)

    def meshes(self, columns: npt.NDArray[np.int32]) -> ShownMeshes:
        """Every mesh that is on the GPU, read back from there."""
        cells = self.with_quads()
        units = self._arena.read(Run(0, self._arena.stats().pages))
        return ShownMeshes(
            self._grid.cell_positions(cells, columns), self._counts[cells], units, self._page[cells] * PAGE_UNITS
        )

    def mesh_of(self, cell: int) -> tuple[Words, npt.NDArray[np.int32]]:
        """One cell's units, read back from the GPU, and its counts; no units where it shows nothing."""
        counts = self._counts[cell].copy()
        if self._page[cell] == NO_PAGE:
            return np.zeros((0, 2), np.uint32), counts
        units = self._arena.read(Run(int(self._page[cell]), int(self._pages[cell])))
        used = int(counts[:CUBE_GROUPS].sum() + counts[CUBE_GROUPS:].sum() * (MODEL_WORDS // CUBE_WORDS))
        return units[:used].copy(), counts

    def quads(self) -> int:
        """Quads on the GPU."""
        return int(self._counts.sum())

    def by_picture(self) -> dict[Picture, int]:
        """How many cells are in which state, absent ones left out."""
        counts = np.bincount(self.picture, minlength=len(Picture))
        return {state: int(counts[state]) for state in Picture if state is not Picture.ABSENT}

    def _keep_order(
        self, cell: int, position: tuple[int, int, int], units: Words, counts: npt.NDArray[np.int32]
    ) -> None:
        groups = counts.tolist()  # sums of slices of eleven numbers cost NumPy ten times as much
        level, slopes = groups[Group.TRANSLUCENT] + groups[Group.LIQUID], groups[Group.SLOPE]
        if level or slopes:
            before = sum(groups[: Group.TRANSLUCENT])
            a_model = MODEL_WORDS // CUBE_WORDS
            behind = sum(groups[:CUBE_GROUPS]) + groups[Group.MODEL] * a_model
            sloping = units[behind : behind + slopes * a_model].reshape(-1, MODEL_WORDS)
            self._order.put(self._meshes, cell, position, units[before : before + level], sloping, behind - before)

    def _drop_run(self, cell: int) -> None:
        self.version += 1
        self._order.drop(self._meshes, cell)
        if self._page[cell] != NO_PAGE:
            self._arena.free(Run(int(self._page[cell]), int(self._pages[cell])))
            self._page[cell] = NO_PAGE
