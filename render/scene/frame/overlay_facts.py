"""What overlays may know of an attached store: the scene's side of ``render.overlays.facts.OverlayFacts``.

Each property says what its name says there; most are worked out when they are first asked for, once a moment.

Frame facts: What a frame drew and why: the scene's side of ``render.overlays.facts.FrameFacts``.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.entities import EntityTracks
from client.report.diff import AgainstFacts
from client.report.find import FoundBlocks
from client.session.request_log import RequestLog
from client.world.block_pools import IS_PLACEHOLDER
from client.world.height_maps import UNKNOWN_TOP
from net.space import UNLOADED_PLACE, ColumnPos, ColumnPositions, Places, SubChunkPositions
from render.mesh.vertex_format import Group, Words
from render.overlays.facts import BrickFacts, CellFacts, FrameFacts, Links, Meshes, SeamSides, SurfaceFacts, Vector
from render.overlays.gpu import CELL_BLOCKS, REACH_BLOCKS
from render.passes.frame_uniforms import FrameSettings
from render.scene.cells import CellState
from render.scene.frame.visible_meshes import VisibleMeshes
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.grid import CellIndices
from render.scene.world_view import WorldView


class SceneFacts:
    """One moment of one attached store, around the anchor of a look."""

    def __init__(
        self, attached: WorldView, look: FrameSettings, eye: Vector, frame: FrameFacts, version: Hashable = None
    ) -> None:
        """Works nothing out yet; ``frame`` says what was drawn, ``version`` is an earlier one that will do."""
        self._attached = attached
        self._look = look
        self._version = version
        self.eye, self.frame = eye, frame

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """Rows of the columns that overlays show, by position; all where there is no anchor."""
        world, look = self._attached.world, self._look
        rows = np.fromiter(world.row_of.values(), np.int64, len(world.row_of))
        columns = world.columns[rows]
        if look.anchor is not None:
            near = np.abs(columns - np.array(look.anchor)).max(axis=1, initial=0) <= look.anchor_radius_columns
            rows, columns = rows[near], columns[near]
        ordered: npt.NDArray[np.int64] = rows[np.lexsort((columns[:, 1], columns[:, 0]))]
        return ordered

    @cached_property
    def version(self) -> Hashable:
        """See ``OverlayFacts``."""
        if self._version is not None:
            return self._version
        attached, look = self._attached, self._look
        told = self.states.tobytes(), self.stale.tobytes(), self.unlit.tobytes(), self.unsent.tobytes()
        pictures = attached.state.cells.picture.tobytes()
        named = tuple(look.biome_names.items())
        return (
            attached.state.version,
            attached.state.cells.version,
            look.anchor,
            look.found,
            named,
            *map(hash, (*told, pictures)),
        )

    @cached_property
    def places(self) -> Places:
        """See ``OverlayFacts``."""
        return self._attached.state.grid.places_of_rows(self.rows)

    @cached_property
    def positions(self) -> SubChunkPositions:
        """See ``OverlayFacts``."""
        return self._attached.state.grid.positions_of_rows(self.rows, self._attached.world.columns)

    @cached_property
    def states(self) -> npt.NDArray[np.uint8]:
        """See ``OverlayFacts``."""
        return self._attached.world.state[self.places]

    @cached_property
    def stale(self) -> npt.NDArray[np.bool_]:
        """See ``OverlayFacts``."""
        if self._look.stale is None:
            return np.zeros(len(self.places), np.bool_)
        return np.repeat(self._look.stale[self.rows], self._attached.state.grid.sections)

    @cached_property
    def failed(self) -> npt.NDArray[np.bool_]:
        """See ``OverlayFacts``."""
        cells = self._attached.state.cells.failed()
        if not len(cells):
            return np.zeros(len(self.places), np.bool_)
        return np.isin(self.places, self._attached.state.grid.own_places(cells))

    @cached_property
    def unmeshed(self) -> npt.NDArray[np.bool_]:
        """See ``OverlayFacts``."""
        cells = self._attached.state.grid.cells_of(self.places)
        waits: npt.NDArray[np.bool_] = self._attached.state.cells.picture[cells] == CellState.DIRTY
        return waits

    @cached_property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """See ``OverlayFacts``."""
        attached = self._attached
        by_row = np.repeat(attached.unlit[self.rows], attached.state.grid.sections)
        roomless: npt.NDArray[np.bool_] = attached.without_room(attached.state.grid.cells_of(self.places))
        return by_row | roomless

    @cached_property
    def unsent(self) -> ColumnPositions:
        """See ``OverlayFacts``."""
        look = self._look
        if look.unsent is None or not {"states", "states=all"} & look.overlays:
            return np.zeros((0, 2), np.int32)
        columns = look.unsent()
        if look.anchor is None:
            return columns
        near: ColumnPositions = columns[
            np.abs(columns - np.array(look.anchor)).max(axis=1, initial=0) <= look.anchor_radius_columns
        ]
        return near

    @cached_property
    def seams(self) -> SeamSides:
        """See ``OverlayFacts``."""
        found = self._attached.seams(self.rows)
        positions = self._attached.state.grid.positions_of(found.places, self._attached.world.columns)
        return SeamSides(positions, found.hanging, found.waiting)

    @cached_property
    def columns(self) -> ColumnPositions:
        """See ``OverlayFacts``."""
        return self._attached.world.columns[self.rows]

    @property
    def floor_section(self) -> int:
        """See ``OverlayFacts``."""
        return self._attached.state.grid.floor

    @property
    def roof_blocks(self) -> int:
        """See ``OverlayFacts``."""
        return (self._attached.state.grid.floor + self._attached.state.grid.sections) * 16

    @cached_property
    def second_layer(self) -> npt.NDArray[np.bool_]:
        """See ``OverlayFacts``."""
        has: npt.NDArray[np.bool_] = self._attached.world.layer1_slot[self.places] > 0
        return has

    @cached_property
    def unknown_ids(self) -> npt.NDArray[np.int64]:
        """See ``OverlayFacts``; free where every id is known."""
        table, counts = self._attached.world.table, np.zeros(len(self.places), np.int64)
        if not table.appended:
            return counts
        first, pools = len(table.states) - table.appended, self._attached.world.pools
        slots, where = np.unique(self._attached.world.slot[self.places], return_inverse=True)
        loud = np.flatnonzero(pools.blocks[slots].max(axis=1) >= first)
        of_slot = np.zeros(len(slots), np.int64)
        of_slot[loud] = [np.count_nonzero(np.unique(pools.blocks[slots[at]]) >= first) for at in loud.tolist()]
        return of_slot[where]

    @cached_property
    def drawn_s(self) -> npt.NDArray[np.float64]:
        """See ``OverlayFacts``."""
        grid = self._attached.state.grid
        upper = (self.positions[:, 1] & 1).astype(np.int64)
        return self._attached.state.cells.history.first_s[grid.cells_of(self.places), upper]

    @cached_property
    def meshes(self) -> Meshes:
        """See ``OverlayFacts``."""
        grid, cells = self._attached.state.grid, self._attached.state.cells
        numbers, history = grid.cells_of_rows(self.rows), cells.history
        return Meshes(
            grid.cell_positions(numbers, self._attached.world.columns),
            cells.picture[numbers],
            history.generations[numbers],
            self._look.seen_s - history.changed_s[numbers],
            cells.quads_of(numbers),
            history.faces[numbers],
        )

    @cached_property
    def ground(self) -> SurfaceFacts:
        """See ``OverlayFacts``."""
        world = self._attached.world
        columns = [ColumnPos(x, z) for x, z in self.columns.tolist()]
        biomes = np.array([world.surface_biomes(column) for column in columns], np.uint16).reshape(-1, 16, 16)
        tops = np.array([world.height_map(column) for column in columns], np.int32).reshape(-1, 16, 16)
        tops = tops.transpose(0, 2, 1)  # height maps are by z, then x
        known = tops != UNKNOWN_TOP
        some = known.any(axis=(1, 2))
        highest = np.where(known, tops, -(1 << 15)).max(axis=(1, 2), initial=-(1 << 15))
        filled = np.where(known, tops, highest[:, None, None])
        return SurfaceFacts(self.columns[some], biomes[some], filled[some], self._look.biome_names)

    @cached_property
    def trail(self) -> RequestLog | None:
        """See ``OverlayFacts``."""
        return None if self._look.trail is None else self._look.trail(self.places)

    @property
    def found(self) -> FoundBlocks | None:
        """See ``OverlayFacts``."""
        return self._look.found

    @cached_property
    def tracks(self) -> EntityTracks | None:
        """See ``OverlayFacts``."""
        return None if self._look.tracks is None else self._look.tracks()

    @cached_property
    def against(self) -> AgainstFacts | None:
        """See ``OverlayFacts``."""
        found = None if self._look.against is None else self._look.against(self.places, self.positions)
        if found is None or self._look.anchor is None:
            return found
        away = np.abs(found.columns_there - np.array(self._look.anchor)).max(axis=1, initial=0)
        return replace(found, columns_there=found.columns_there[away <= self._look.anchor_radius_columns])


# ---------------------------------------------------------------- frame facts

AROUND_EYE: Final = 2
"""Sub-chunks on each side of the culling eye's, whose links are told."""
UNMESHED: Final = (CellState.ABSENT, CellState.DIRTY, CellState.READY, CellState.FAILED)


class SceneFrameFacts:
    """One frame of one attached store, after its sight looked."""

    def __init__(
        self,
        attached: WorldView,
        sight: VisibleMeshes,
        mirror: GpuVolumes,
        watch: Callable[[], BrickFacts],
        eye: Vector,
        culling_eye: Vector,
    ) -> None:
        """Works nothing out yet; ``watch`` reads the GPU's copy of the blocks back."""
        self._attached, self._sight, self._mirror = attached, sight, mirror
        self._watch = watch
        self._eye, self._culling_eye = eye, culling_eye

    @property
    def version(self) -> Hashable:
        """See ``FrameFacts``."""
        counted = self._sight.counted
        return self._attached, counted.walks, counted.lists, counted.narrowings

    @cached_property
    def cells(self) -> CellFacts:
        """See ``FrameFacts``."""
        attached, grid, world = self._attached, self._attached.state.grid, self._attached.world
        cells = grid.cells_of_rows(np.array(sorted(world.row_of.values()), np.int64))
        own = grid.own_places(cells)
        missing = world.pools.kinds[world.slot] & IS_PLACEHOLDER != 0
        nothing = (own < grid.sections) | (world.pools.kinds[world.slot[own]] == 0)  # outside of the world, or air
        filled = _flags(attached.state.cells.with_quads(), len(attached.state.cells.picture))[cells]
        listed, drawn = (_flags(which, len(attached.state.cells.picture))[cells] for which in self._sight.listed())
        return CellFacts(
            positions=grid.cell_positions(cells, world.columns),
            resident=np.repeat(attached.residency.shown[cells[:: grid.tall] // grid.tall], grid.tall),
            missing=(missing[own] | nothing).all(axis=1) & missing[own].any(axis=1),
            meshed=~np.isin(attached.state.cells.picture[cells], UNMESHED) | filled,
            filled=filled,
            lit=self._mirror.lit_wholly(world, grid, cells),
            listed=listed,
            drawn=drawn,
        )

    @cached_property
    def links(self) -> Links:
        """See ``FrameFacts``."""
        world = self._attached.world
        places = places_around(self._attached, self._culling_eye, AROUND_EYE)
        number = np.full(len(world.slot), -1, np.int32)
        number[places] = np.arange(len(places))
        slots = world.slot[places]
        return Links(
            positions=self._attached.state.grid.positions_of(places, world.columns),
            reached=_flags(self._sight.places, len(world.slot))[places],
            missing=world.pools.kinds[slots] & IS_PLACEHOLDER != 0,
            links=world.pools.connectivity[slots],
            beside=np.where(world.neighbours[places] != UNLOADED_PLACE, number[world.neighbours[places]], -1),
        )

    @cached_property
    def solid_quads(self) -> tuple[tuple[npt.NDArray[np.int32], Words], ...]:
        """See ``FrameFacts``."""
        attached = self._attached
        cells = attached.state.cells.with_quads()
        positions = attached.state.grid.cell_positions(cells, attached.world.columns)
        low = positions * CELL_BLOCKS
        away = np.clip(np.array(self._eye), low, low + CELL_BLOCKS) - np.array(self._eye)
        near = np.flatnonzero(np.einsum("ij,ij->i", away, away) <= REACH_BLOCKS * REACH_BLOCKS)
        near = near[np.lexsort(positions[near].T)]
        return tuple((positions[index], self._solid_of(int(cells[index]))) for index in near.tolist())

    def _solid_of(self, cell: int) -> Words:
        units, counts = self._attached.state.cells.mesh_of(cell)
        return units[: int(counts[: Group.CUTOUT + 1].sum())]

    @property
    def held(self) -> BrickFacts:
        """See ``FrameFacts``."""
        return self._watch()


def places_around(attached: WorldView, eye: Vector, around: int) -> Places:
    """Places of announced columns at most so many sub-chunks from an eye's on each axis, by position."""
    world, grid = attached.world, attached.state.grid
    x, y, z = (int(axis // 16) for axis in eye)
    rows = np.fromiter(world.row_of.values(), np.int64, len(world.row_of))
    columns = world.columns[rows]
    near = np.abs(columns - np.array([x, z])).max(axis=1, initial=0) <= around
    rows, columns = rows[near], columns[near]
    places = grid.places_of_rows(rows[np.lexsort((columns[:, 1], columns[:, 0]))])
    chosen: Places = places[np.abs(places % grid.sections + grid.floor - y) <= around]
    return chosen


def _flags(which: CellIndices | Places, many: int) -> npt.NDArray[np.bool_]:
    """bool[many] which numbers are named."""
    flags = np.zeros(many, np.bool_)
    flags[which] = True
    return flags
