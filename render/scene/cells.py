"""Render cells: the mesh that each shows, the mesh that it needs, and its state.

Rules:
1. Every cell has two revisions: the wanted one, which grows with every change that can reach it, and the one it has.
   A mesh made for an older revision than an accepted one is dropped. One made for an older revision than the wanted
   one is still shown (better than a hole), and the cell stays dirty.
2. A cell's old mesh is drawn until the new one is on the GPU; both are swapped between two frames.
3. Everything is an array by cell number (``grid``); there are no objects per cell. The list of dirty cells is cached
   until something changes.
4. ``LIFE`` lists the transitions of one cell as documentation; ``diagram`` prints it. ``Cells`` applies them to many
   cells at once, and a test compares both.
5. ``CellHistory.record`` records the time of changes since the last call, so that nothing here needs a clock.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Final

import msgspec
import numpy as np

from client.world.slots import longer
from net.arrays import F64, I32, I64, U8, Bools, Places
from render.camera import Vector
from render.gpu.quad_arena import PAGE_UNITS, QuadArena, Run
from render.mesh.vertex_format import CUBE_GROUPS, CUBE_WORDS, GROUPS, MODEL_WORDS, Group, Words
from render.passes.draw_list import ArenaMeshes, CellOrder, EyeList
from render.passes.draw_list_kernels import PAGE, ROW
from render.passes.translucent_sort import TranslucentSort
from render.scene.grid import CellIndices, Grid
from render.scene.reach_kernels import cover, held_cells

# ---------------------------------------------------------------- picture


class CellState(IntEnum):
    """State of one render cell, as shaders see it."""

    ABSENT = 0  # its column is not loaded
    DIRTY = 1  # nothing shown yet; a mesh is wanted or being made
    READY = 2  # its first mesh waits for room in the upload budget, for its light, or for the rest of its edit
    EMPTY = 3  # up to date, nothing to draw
    SHOWN = 4  # up to date, its quads on the GPU
    STALE = 5  # draws an old mesh; a newer one is wanted or being made
    FAILED = 6  # making its mesh raised; draws its old mesh, if any, until a change reaches it


TOLD: Final = {
    CellState.ABSENT: "absent: its column is not announced, or lies at the edge of the stored columns, where no mesh "
    "is built",
    CellState.DIRTY: "dirty: nothing is drawn yet; its first mesh is being built",
    CellState.READY: "ready: its first mesh waits for its light or its upload",
    CellState.EMPTY: "empty: up to date, with nothing to draw",
    CellState.SHOWN: "shown: up to date",
    CellState.STALE: "stale: the older mesh is drawn while a newer one is being built",
    CellState.FAILED: "failed: its mesh cannot be built; an older mesh stays, if there was one",
}
"""Names of the states for people."""


class CellEvent(IntEnum):
    """An event of a render cell."""

    MARKED = 0  # its column came, or a change can reach it
    MADE = 1  # its mesh of the newest revision is made, and has quads
    UPLOADED = 2  # that mesh is on the GPU, with the light it needs
    EMPTIED = 3  # it has nothing to draw, by its blocks or by its newest mesh
    RAISED = 4  # making the newest mesh, or uploading it, raised
    GONE = 5  # its column was removed, or is no longer resident


EVENT_WORDS: Final = {
    CellEvent.MARKED: "its column arrives, or a block or light that it shows changes",
    CellEvent.MADE: "its mesh is made",
    CellEvent.UPLOADED: "its mesh is copied to the GPU",
    CellEvent.EMPTIED: "it has nothing to draw",
    CellEvent.RAISED: "making or copying its mesh fails",
    CellEvent.GONE: "its column is removed",
}


class CellTransition(msgspec.Struct, frozen=True):
    """One row of the transition table."""

    event: CellEvent  # what happens
    before: tuple[CellState, ...]  # states in which it can happen
    after: CellState | None  # the new state, None: the same
    drawn: str  # what is drawn of the cell afterwards


_P = CellState
_THERE = tuple(CellState)[1:]
LIFE: Final = (
    CellTransition(CellEvent.MARKED, (_P.ABSENT,), _P.DIRTY, "nothing"),
    CellTransition(CellEvent.MARKED, (_P.DIRTY, _P.READY), None, "nothing"),
    CellTransition(CellEvent.MARKED, (_P.EMPTY, _P.SHOWN), _P.STALE, "its older mesh"),
    CellTransition(CellEvent.MARKED, (_P.STALE,), None, "its older mesh"),
    CellTransition(CellEvent.MARKED, (_P.FAILED,), _P.STALE, "its older mesh, or nothing"),
    CellTransition(CellEvent.MADE, (_P.DIRTY,), _P.READY, "nothing"),
    CellTransition(CellEvent.MADE, (_P.READY, _P.STALE), None, "as before"),
    CellTransition(CellEvent.UPLOADED, (_P.READY, _P.STALE), _P.SHOWN, "its mesh"),
    CellTransition(CellEvent.EMPTIED, (_P.DIRTY, _P.READY, _P.STALE), _P.EMPTY, "nothing"),
    CellTransition(CellEvent.RAISED, (_P.DIRTY, _P.READY, _P.STALE), _P.FAILED, "its older mesh; marked by overlays"),
    CellTransition(CellEvent.GONE, _THERE, _P.ABSENT, "nothing"),
)
"""All pairs of event and state that are possible."""


def diagram() -> str:
    """``LIFE`` as docs/reference/states.md shows it: a table in Markdown, a line for each row."""
    lines = ["| what happens | before | after | drawn then |", "|---|---|---|---|"]
    for row in LIFE:
        before = (
            "any but `absent`" if row.before == _THERE else ", ".join(f"`{one.name.lower()}`" for one in row.before)
        )
        after = "the same" if row.after is None else f"`{row.after.name.lower()}`"
        lines.append(f"| {EVENT_WORDS[row.event]} | {before} | {after} | {row.drawn} |")
    return "\n".join(lines)


# ---------------------------------------------------------------- cell history

NEVER: Final = np.nan
BEFORE: Final = -np.inf

Received = Callable[[CellIndices], Bools]
"""bool[n, 2] of n cells: whether the blocks of the lower, and of the upper sub-chunk were received."""


class CellHistory:
    """When the cells of one attached store changed. Owner thread only."""

    def __init__(self) -> None:
        self.generations: I64 = np.zeros(0, np.int64)  # int64[cells]
        # int64[cells] of what each shows: faces that cube quads cover, and model quads
        self.faces: I64 = np.zeros(0, np.int64)
        # float64[cells, 2] when the blocks of its lower and its upper sub-chunk were first found in a mesh; NEVER: not
        # yet; BEFORE: by the first ``record``
        self.first_s: F64 = np.zeros((0, 2))
        self.changed_s: F64 = np.zeros(0)  # float64[cells] when a change of each was last recorded; NEVER: not yet
        self._seen: I64 = np.zeros(0, np.int64)
        self._shown: list[int] = []  # cells shown since the last ``record``, with duplicates
        self._recorded = False

    def resize(self, cells: int) -> None:
        self.generations, self.faces = longer(self.generations, cells), longer(self.faces, cells)
        self._seen = longer(self._seen, cells)
        self.first_s, self.changed_s = longer(self.first_s, cells, NEVER), longer(self.changed_s, cells, NEVER)

    def show(self, cell: int, units: Words, counts: I32) -> None:
        """Records that a cell shows another mesh."""
        self._shown.append(cell)
        self.generations[cell] += 1
        self.faces[cell] = faces_of(units, counts)

    def show_empty(self, cells: CellIndices) -> None:
        """Records that cells show nothing; those that showed nothing before do not change."""
        some = cells[self.faces[cells] > 0]
        self._shown += some.tolist()
        self.generations[some] += 1
        self.faces[some] = 0

    def forget(self, cells: CellIndices) -> None:
        self.generations[cells] = self._seen[cells] = self.faces[cells] = 0
        self.first_s[cells] = self.changed_s[cells, None] = NEVER

    def record(self, seconds: float, received: Received) -> None:
        """Records changes since the last call with the time ``seconds``; those of the first call get no time."""
        if not self._shown and self._recorded:
            return
        changed = np.array(sorted(set(self._shown)), np.int64)
        self._shown.clear()
        changed = changed[self.generations[changed] != self._seen[changed]]  # others were removed
        self._seen[changed] = self.generations[changed]
        first_s = self.first_s[changed]
        self.first_s[changed] = np.where(
            np.isnan(first_s) & received(changed), seconds if self._recorded else BEFORE, first_s
        )
        if self._recorded:
            self.changed_s[changed] = seconds
        self._recorded = True


def faces_of(units: Words, counts: I32) -> int:
    """Faces of blocks that the cube quads of a mesh cover, and its model quads."""
    groups = counts.tolist()
    return cover(units, sum(groups[:CUBE_GROUPS])) + sum(groups[CUBE_GROUPS:])


class ShownMeshes(msgspec.Struct, frozen=True):
    """The meshes of all cells that have any, in unspecified order."""

    cells: I32  # int32[n, 3] positions of render cells
    counts: I32  # int32[n, 11] quads by ``Group``
    units: Words  # uint32[m, 2] every mesh's units as the arena holds them
    first: I64  # int64[n] where each mesh begins in ``units``

    def quads(self) -> Iterator[tuple[Words, Words]]:
        """Each mesh's cube quads, uint32[c, 2], and model quads, uint32[m, 6]."""
        cubes = self.counts[:, :CUBE_GROUPS].sum(axis=1)
        models = self.counts[:, CUBE_GROUPS:].sum(axis=1)
        a_model = MODEL_WORDS // CUBE_WORDS
        for first, cube, model in zip(self.first.tolist(), cubes.tolist(), models.tolist(), strict=True):
            behind = first + cube
            yield self.units[first:behind], self.units[behind : behind + a_model * model].reshape(-1, MODEL_WORDS)


NO_PAGE = -1
# Plain numbers: an enum member's lookup costs more than all other work per mesh.
ABSENT, DIRTY, READY, EMPTY, SHOWN, STALE, FAILED = map(int, CellState)
MARKED: Final = np.arange(len(CellState), dtype=np.uint8)
"""By state: the state after a change, for cells that show something or whose mesh is pending."""
MARKED[[ABSENT, EMPTY, SHOWN, FAILED]] = DIRTY, STALE, STALE, STALE


class Cells:
    """All render cells of one attached store. Owner thread only."""

    def __init__(self, grid: Grid, arena: QuadArena) -> None:
        self._grid = grid
        self._arena = arena
        self._clock = 0
        self.history = CellHistory()  # how often each cell changed, and the faces of its mesh
        self.version = 0  # grows whenever the drawn mesh of any cell changes, or the table of meshes is another
        self.removed = 0  # number of removed cells, in all
        self._order = TranslucentSort()
        self.picture: U8 = np.zeros(0, np.uint8)  # uint8[cells] CellState
        self.wanted: I64 = np.zeros(0, np.int64)  # int64[cells] newest change that can reach a cell
        # int64[cells] what the accepted mesh was made from; for a cell without one, the newest
        # revision it must not be made from
        self.made: I64 = np.zeros(0, np.int64)
        # int64[cells] first page of the mesh that each shows in the arena; NO_PAGE where it shows nothing
        self.page: I64 = np.zeros(0, np.int64)
        self._pages: I64 = np.zeros(0, np.int64)
        self._meshes: I32 = np.zeros((0, ROW), np.int32)  # as a ``ArenaMeshes`` has them
        self._dirty: CellIndices | None = None

    def resize(self, rows: int) -> None:
        cells = rows * self._grid.tall
        if cells > len(self.picture):
            self.picture = longer(self.picture, cells, ABSENT)
            self.wanted = longer(self.wanted, cells, self._clock)
            self.made = longer(self.made, cells, self._clock)
            self.page = longer(self.page, cells, NO_PAGE)
            self._pages = longer(self._pages, cells)
            self._meshes = longer(self._meshes, cells)
            self.version += 1  # a list for an eye writes the order of quads into the table that it was made with
            self._dirty = None
            self.history.resize(cells)

    def mark(self, cells: CellIndices) -> int:
        """Marks cells that a change can reach; returns the revision that they now want."""
        self._clock += 1
        self.wanted[cells] = self._clock
        now = self.picture[cells]
        after = MARKED[now]
        if (failed := now == FAILED).any():
            after[failed & (self.page[cells] == NO_PAGE)] = DIRTY
        self.picture[cells] = after
        self._dirty = None
        return self._clock

    def dirty(self) -> CellIndices:
        """Cells whose accepted mesh is older than the wanted one; read-only."""
        if self._dirty is None:
            self._dirty = np.flatnonzero((self.wanted > self.made) & (self.picture != ABSENT)).astype(np.int64)
        return self._dirty

    def accept(self, cells: CellIndices) -> None:
        """Records that the mesh of each of these cells is up to date."""
        self.made[cells] = self.wanted[cells]
        self._dirty = None

    def ready(self, cells: CellIndices, revisions: I64) -> None:
        """Accepts meshes that are not shown yet."""
        self.made[cells] = revisions
        now = self.picture[cells]
        self.picture[cells] = np.where(now == DIRTY, READY, now)
        self._dirty = None

    def fail(self, cell: int, revision: int) -> None:
        """Records that no mesh can be made of a revision: the shown mesh stays until the next change."""
        self.made[cell] = revision
        self._dirty = None
        if revision >= self.wanted[cell]:
            self.picture[cell] = CellState.FAILED

    def failed(self) -> CellIndices:
        """Cells that show an old mesh, or none, because making the new one raised."""
        return np.flatnonzero(self.picture == CellState.FAILED).astype(np.int64)

    def show(self, cell: int, position: tuple[int, int, int], units: Words, counts: I32) -> None:
        """Uploads a mesh and swaps it for the old one; an empty one takes no pages."""
        run = self._arena.put(units, position) if len(units) else None
        self._drop_run(cell)
        if run is not None:
            self.page[cell], self._pages[cell] = run.page, run.pages
            self._meshes[cell, PAGE] = run.page
            self._keep_order(cell, position, units, counts)
        self._counts[cell] = counts
        self.history.show(cell, units, counts)
        if self.picture[cell] == FAILED:  # a mesh older than the failed one, which waited for its upload
            return
        shown = SHOWN if run is not None else EMPTY
        self.picture[cell] = shown if self.made[cell] >= self.wanted[cell] else STALE

    def has_space(self, units: int) -> bool:
        """Whether the arena has pages for a mesh of so many units."""
        return self._arena.has_space(units)

    def show_empty(self, cells: CellIndices) -> None:
        """Records that these cells have nothing to draw and are up to date."""
        for cell in cells[self.page[cells] != NO_PAGE].tolist():
            self._drop_run(cell)
        self._counts[cells] = 0
        self.history.show_empty(cells)
        self.accept(cells)
        self.picture[cells] = EMPTY

    def remove(self, cells: CellIndices) -> None:
        """Removes cells of removed columns; meshes that are still being made for them will be too old."""
        for cell in cells[self.page[cells] != NO_PAGE].tolist():
            self._drop_run(cell)
        self._counts[cells] = 0
        self.history.forget(cells)
        self.wanted[cells] = self.made[cells] = self._clock
        self.picture[cells] = ABSENT
        self.removed += len(cells)
        self._dirty = None

    def release(self) -> None:
        self.remove(np.arange(len(self.picture), dtype=np.int64))

    def renumbered(self, grid: Grid) -> "Cells":
        """New cells in another numbering; revisions continue, so pending results are older than new ones."""
        fresh = Cells(grid, self._arena)
        fresh._clock, fresh.version = self._clock, self.version + 1
        return fresh

    def with_quads(self, cells: CellIndices | None = None) -> CellIndices:
        """Those of some cells (default: all) that have quads on the GPU."""
        if cells is None:
            return np.flatnonzero(self.page != NO_PAGE).astype(np.int64)
        return cells[self.page[cells] != NO_PAGE]

    def reached(self, places: Places) -> CellIndices:
        grid, found = self._grid, np.empty(len(places), np.int64)
        of_grid = grid.floor, grid.sections, grid.low, grid.tall
        count = held_cells(places, *of_grid, np.zeros(len(self.page), np.bool_), found)
        return found[:count].copy()

    def quads_of(self, cells: CellIndices) -> I64:
        """Quads of each cell's mesh: int64[n]."""
        return self._counts[cells].sum(axis=1, dtype=np.int64)

    @property
    def _counts(self) -> I32:
        """[cells, 11] quads by group."""
        return self._meshes[:, :GROUPS]

    @property
    def pages_held(self) -> int:
        """Pages of the arena that shown meshes occupy."""
        return int(self._pages[self.page != NO_PAGE].sum())

    def eye_list(self, cells: CellIndices, columns: I32, spot: Vector) -> EyeList:
        """The meshes of some cells for the eyes of a spot, nearest first; valid until ``version`` grows."""
        order = CellOrder.of(self._grid.cell_positions(cells, columns), cells, spot)
        return EyeList(ArenaMeshes(self._meshes, PAGE_UNITS, self._order), order)

    def meshes(self, columns: I32) -> ShownMeshes:
        cells = self.with_quads()
        units = self._arena.read(Run(0, self._arena.stats().pages))
        return ShownMeshes(
            self._grid.cell_positions(cells, columns), self._counts[cells], units, self.page[cells] * PAGE_UNITS
        )

    def mesh_of(self, cell: int) -> tuple[Words, I32]:
        """One cell's units, read back from the GPU, and its counts; no units if it shows nothing."""
        counts = self._counts[cell].copy()
        if self.page[cell] == NO_PAGE:
            return np.zeros((0, 2), np.uint32), counts
        units = self._arena.read(Run(int(self.page[cell]), int(self._pages[cell])))
        used = int(counts[:CUBE_GROUPS].sum() + counts[CUBE_GROUPS:].sum() * (MODEL_WORDS // CUBE_WORDS))
        return units[:used].copy(), counts

    def quads(self) -> int:
        return int(self._counts.sum())

    def by_picture(self) -> dict[CellState, int]:
        counts = np.bincount(self.picture, minlength=len(CellState))
        return {state: int(counts[state]) for state in CellState if state is not CellState.ABSENT}

    def _keep_order(self, cell: int, position: tuple[int, int, int], units: Words, counts: I32) -> None:
        groups = counts.tolist()  # NumPy takes ten times as long to sum slices of eleven numbers
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
        if self.page[cell] != NO_PAGE:
            self._arena.free(Run(int(self.page[cell]), int(self._pages[cell])))
            self.page[cell] = NO_PAGE
