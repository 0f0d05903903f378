"""State of one attached store's picture: its limits, what is on the GPU, pending work, and held edits.

Rules:
1. Code that changes one of these parts must update the others: ``change_intake`` marks, ``jobs`` accepts, ``uploads``
   shows. This module does neither; it holds their shared state and answers questions about it.
2. ``grid`` and ``cells`` are replaced when the store changes its dimension: do not keep references to them.
"""

from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.connection.stats import PendingWork, pending_at
from client.light.light_map import LightMap
from client.streaming.anchors import Anchors
from client.world.slots import longer
from client.world.store import Store
from net.arrays import I32, I64, Bools, Places
from net.space import BlockPos
from render.gpu.capabilities import no_compute
from render.gpu.device import GlOwner, Gpu
from render.gpu.quad_arena import QuadArena
from render.mesh.mesher import MeshResult
from render.scene.cells import Cells, CellState
from render.scene.edit_sets import HeldEdits
from render.scene.failures import LOG, Failures
from render.scene.gpu_copy.block_appearance import AppearanceTextures, BlockAppearance
from render.scene.gpu_copy.tint_map import TintMap
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.grid import CellIndices, Facing, Grid
from render.scene.lighting import Lighting, Seams, find_seams
from render.scene.residency import Residency


class SceneConfig(msgspec.Struct, frozen=True):
    """Limits of a scene's work per frame, and how it lights. Raises ValueError: a budget for light made on the GPU."""

    # limit of quads and bricks sent to the GPU in one step; None: no limit (captures). One edit's
    # cells are sent together even beyond it.
    upload_bytes: int | None = 4 << 20
    # time in which one step may take results and upload before the rest waits for the next step;
    # None: no limit (captures, tests)
    owner_s: float | None = None
    light_columns: int = 64  # columns relit in one light step
    flat_light: bool = False  # one light tap a fragment instead of four
    # light is made by compute shaders, where the context has them; else on the CPU, with the same pixels
    gpu_light: bool = False
    # whether draw commands are in GPU buffers, if the context supports it; None: if supported; same pixels
    indirect: bool | None = None
    radius_columns: int = 8  # distance to the end of the world, for the fog; less may be loaded
    first_pages: int = 8192  # pages the quad arena starts with
    first_bricks: int = 1024  # bricks each volume starts with
    # limit of all bricks of block ids and light together; None: the driver's limit. Must be None if light is made on
    # the GPU, which needs all of them.
    gpu_budget_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.gpu_light and self.gpu_budget_bytes is not None:
            raise ValueError("light computed on the GPU needs all block ids there: gpu_budget_bytes must be None")

    def extended(self, owner_s: float) -> "SceneConfig":
        """The limits of a step that may take ``owner_s``, if that is more: as many bytes a second."""
        if self.owner_s is None or owner_s <= self.owner_s:
            return self
        if self.upload_bytes is None or not self.owner_s:
            return replace(self, owner_s=owner_s)
        return replace(self, owner_s=owner_s, upload_bytes=int(self.upload_bytes * owner_s / self.owner_s))


class GpuPools(GlOwner):
    """Quads, bricks, textures and tints of one scene, for any store. Owner thread only."""

    def __init__(self, gpu: Gpu, appearance: BlockAppearance, config: SceneConfig) -> None:
        """Makes empty pools; logs it if ``config`` wants light on the GPU and the context cannot make it."""
        super().__init__(gpu)
        self.arena = self._own(QuadArena(gpu, config.first_pages))  # quads
        twin = config.gpu_light and gpu.capabilities.computes
        if config.gpu_light and not twin:
            LOG.warning("%s", no_compute(gpu.capabilities))
        twin_columns = config.light_columns if twin else None
        # block ids and light
        self.mirror = self._own(GpuVolumes(gpu, config.first_bricks, twin_columns, config.gpu_budget_bytes))
        self.textures = self._own(AppearanceTextures(gpu, appearance))  # of block states
        self.tints = self._own(TintMap(gpu, appearance))  # of columns

    def bind(self, seconds: float) -> None:
        """Binds what every pass reads; ``seconds``: time of moving textures."""
        self.mirror.bind()
        self.textures.show(seconds)
        self.textures.bind()
        self.tints.bind()


NOT_MIRRORED: Final = "not mirrored"
"""The kind for sub-chunks whose light or block ids on the GPU are older than the store's, or have no room there."""
UNITS: Final = {
    "unlit": "columns",
    "unmeshed": "render cells",
    "not uploaded": "render cells",
    NOT_MIRRORED: "sub-chunks",
}
"""Unit of each kind of pending work."""


class WorkState:
    """The state of one attached store. Owner thread only."""

    def __init__(self, world: Store, light: LightMap, pools: GpuPools, anchors: Anchors | None) -> None:
        self.world = world  # the store
        self.light = light  # its light map
        self.mirror = pools.mirror  # block ids and light on the GPU
        self.tints = pools.tints  # tints of its columns there
        self.grid = Grid.of(world.dimension)  # numbering of its dimension
        self.cells = Cells(self.grid, pools.arena)  # its render cells
        self.residency = Residency(anchors)  # which of its columns are on the GPU
        self.facing = Facing()  # the sides of its sub-chunks
        self.lighting = Lighting(light)  # rows to light, and the step under way
        self.row_lit: Bools = np.zeros(0, np.bool_)  # bool[rows] lit since whole sub-chunks of them came
        # by cell, meshes that are made and not on the GPU: a batch's, and which of them
        self.waiting: dict[int, tuple[MeshResult, int]] = {}
        self.edits = HeldEdits()  # edits that are shown whole or not yet
        self.failures = Failures()  # work that raised
        self.version = 0  # grows whenever the world or its resident part changes

    def resize(self) -> None:
        rows = len(self.world.columns)
        self.cells.resize(rows)
        self.lighting.resize(rows)
        self.residency.resize(rows)
        self.facing.resize(len(self.world.slot))
        self.mirror.resize(self.world)
        self.row_lit = longer(self.row_lit, rows)

    def switch(self, world: Store, light: LightMap, anchors: Anchors | None) -> None:
        """Switches to another store of the same dimension; equal places keep their state. No light step is pending."""
        self.world, self.light = world, light
        self.lighting.switch(light)
        self.residency.switch(anchors)
        self.resize()

    def restart(self) -> None:
        """Resets everything: another dimension, or a store filled anew."""
        self.grid = Grid.of(self.world.dimension)
        self.cells.release()
        self.cells = self.cells.renumbered(self.grid)
        self.mirror.restart(self.world)
        self.tints.clear()
        self.waiting.clear()
        self.edits.clear()
        self.row_lit[:] = False
        self.lighting.restart()
        self.resize()
        self.facing.forget(slice(None))
        self.residency.restart()

    @property
    def settled(self) -> bool:
        """Whether nothing is dirty, running, held or behind."""
        mirror = self.mirror
        behind = mirror.blocks_behind.any() or mirror.light_behind.any()
        waits = self.waiting or self.edits.some or len(self.cells.dirty()) or self.tints.behind
        return not waits and not behind and self.lighting.idle and (mirror.twin is None or mirror.twin.idle)

    @property
    def behind(self) -> dict[str, I32]:
        """Pending work: positions, unordered, by the kinds of ``UNITS``."""
        columns, mirror = self.world.columns, self.mirror
        waiting = np.array(sorted(self.edits.cells_made | set(self.waiting)), np.int64)
        places = np.flatnonzero(mirror.blocks_behind | mirror.light_behind | mirror.left_out)
        return {
            "unlit": columns[self._unlit],
            "unmeshed": self.grid.cell_positions(np.union1d(self.cells.dirty(), self.cells.failed()), columns),
            "not uploaded": self.grid.cell_positions(waiting, columns),
            NOT_MIRRORED: self.world.positions_of(places),
        }

    @property
    def pending(self) -> tuple[PendingWork, ...]:
        """The same for a report after waiting ended, place by place: thousands of objects."""
        return tuple(pending_at(kind, UNITS[kind], places) for kind, places in self.behind.items() if len(places))

    @property
    def _unlit(self) -> I64:
        """Rows whose light is older than their blocks."""
        behind = self.lighting.behind if self.mirror.twin is None else self.mirror.twin.behind
        return np.union1d(behind, self.lighting.given_up)

    def seams(self, rows: I64 | None = None) -> Seams:
        """Sides where the light of some columns, or of all, hangs on missing blocks, or waits for a step."""
        rows = np.array(sorted(self.world.row_of.values()), np.int64) if rows is None else rows
        unlit = ~self.row_lit
        unlit[self._unlit] = True
        unlit[0] = False
        return find_seams(self.world, self.grid, self.facing.sides, unlit, rows)

    @property
    def with_blocks(self) -> Bools:
        """Rows whose block ids are on the GPU: light made on the GPU needs them wherever there is light."""
        return self.residency.shown if self.mirror.twin is None else self.residency.lit

    def alive(self, places: Places, resident: Bools) -> Places:
        """Those places whose column is still there and resident by bool[rows]."""
        rows = self.grid.rows_of(places)
        return places[(self.world.column_neighbours[rows, 4] == rows) & resident[rows]]

    def shown_cells(self, cells: CellIndices) -> CellIndices:
        """Those cells whose meshes are on the GPU, or will be."""
        return cells[self.residency.shown[cells // self.grid.tall]]

    def row_at(self, x: int, z: int) -> int:
        """Row of a column, 0 where there is none."""
        return int(self.world.row_of.get((x, z), 0))  # type: ignore[call-overload]  # a tuple finds it

    def cell_state(self, block: BlockPos) -> CellState:
        """State of the render cell that holds a block."""
        row, height = self.row_at(*block.column), (block.y >> 5) - self.grid.low
        if row == 0 or not 0 <= height < self.grid.tall:
            return CellState.ABSENT
        return CellState(int(self.cells.picture[row * self.grid.tall + height]))

    def forget_meshes(self, cells: CellIndices) -> None:
        """Drops meshes that wait for cells of removed columns, and removes the cells."""
        self.cells.remove(cells)
        for cell in cells.tolist():
            self.waiting.pop(cell, None)
        self.edits.forget(cells)
