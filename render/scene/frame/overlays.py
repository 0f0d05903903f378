"""The overlays of one scene: those made of marks (``render.overlays``), and those with a pass of their own.

Rules:
1. Surface channels come first, then X-ray, marks over them, a frozen frustum last.
2. Marks are made for the columns around the settings' anchor, or for all columns if there is none.
3. Of several surface channels only the last in the list shows.
4. ``mirror`` compares the GPU's copy around the eye with the store: all of it when the world changed or the eye
   came to another sub-chunk, after that ``AT_ONCE`` sub-chunks a settings, since a copy may become wrong by itself.
   Sub-chunks whose upload is pending, or without room, are counted separately.
"""

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

import numpy as np
from msgspec.structs import replace

from client.entities import EntityTracks
from client.report.diff import AgainstFacts
from client.report.find import FoundBlocks
from client.session.request_log import RequestLog, have_unknown_blocks
from client.world.block_pools import IS_PLACEHOLDER
from client.world.height_maps import UNKNOWN_TOP
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.arrays import F64, I32, I64, U8, Bools, ColumnPositions, Places, SubChunkPositions
from net.space import UNLOADED_PLACE, ColumnPos
from render.camera import Camera, Vector
from render.errors import RenderError
from render.gpu.device import GlOwner, Gpu
from render.gpu.quad_arena import QuadArena
from render.gpu.targets import Target
from render.mesh.vertex_format import CELL_BLOCKS, Group, Words
from render.overlays.facts import BrickFacts, CellFacts, FrameFacts, Links, Meshes, SeamSides, SurfaceFacts
from render.overlays.gpu import REACH_BLOCKS
from render.overlays.overlay import REGISTRY, LegendRow
from render.overlays.painter import OverlayPainter
from render.overlays.visibility import FRUSTUM_HIDDEN, frustum_lines
from render.passes.draw_list import RunList
from render.passes.frame_settings import FrameSettings
from render.passes.overlay.lines import LinesPass
from render.passes.overlay.surface_channels import SURFACES, XRAYS, SurfaceChannel, SurfacesPass, XrayPass
from render.scene.cells import CellState
from render.scene.frame.visible_meshes import VisibleMeshes
from render.scene.gpu_copy.verify import verify_gpu_copy
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.grid import CellIndices
from render.scene.world_view import WorldView
from render.settings.overlays import OVERLAYS, unknown_overlay


class SceneFacts:
    """Implements ``render.overlays.facts.OverlayFacts`` for an attached store at one moment, around the frame's anchor.

    Most properties are computed at first use, once a moment; ``OverlayFacts`` documents each.
    """

    def __init__(
        self, attached: WorldView, settings: FrameSettings, eye: Vector, frame: FrameFacts, version: Hashable = None
    ) -> None:
        """Computes nothing yet; ``frame``: facts of the frame; ``version``: an earlier one that is good enough."""
        self._attached = attached
        self._settings = settings
        self._version = version
        self.eye, self.frame = eye, frame

    @cached_property
    def rows(self) -> I64:
        """Rows of the columns that overlays show, by position; all if there is no anchor."""
        world = self._attached.world
        return rows_near(world, self._around(world.columns))

    def _around(self, columns: ColumnPositions) -> Bools:
        """Which columns overlays show: those around the anchor; all if there is none."""
        anchor = self._settings.anchor
        if anchor is None:
            return np.ones(len(columns), np.bool_)
        return np.abs(columns - np.array(anchor)).max(axis=1, initial=0) <= self._settings.anchor_radius_columns

    @cached_property
    def version(self) -> Hashable:
        if self._version is not None:
            return self._version
        attached, settings = self._attached, self._settings
        told = self.states.tobytes(), self.stale.tobytes(), self.unlit.tobytes(), self.unsent.tobytes()
        pictures = attached.state.cells.picture.tobytes()
        named = tuple(settings.biome_names.items())
        return (
            attached.state.version,
            attached.state.cells.version,
            settings.anchor,
            settings.found,
            named,
            *map(hash, (*told, pictures)),
        )

    @cached_property
    def places(self) -> Places:
        return self._attached.world.places_of_rows(self.rows)

    @cached_property
    def positions(self) -> SubChunkPositions:
        return self._attached.state.grid.positions_of_columns(self.columns)

    @cached_property
    def states(self) -> U8:
        return self._attached.world.state[self.places]

    @cached_property
    def stale(self) -> Bools:
        if self._settings.stale is None:
            return np.zeros(len(self.places), np.bool_)
        return np.repeat(self._settings.stale[self.rows], self._attached.state.grid.sections)

    @cached_property
    def failed(self) -> Bools:
        cells = self._attached.state.cells.failed()
        if not len(cells):
            return np.zeros(len(self.places), np.bool_)
        return np.isin(self.places, self._attached.state.grid.own_places(cells))

    @cached_property
    def unmeshed(self) -> Bools:
        cells = self._attached.state.grid.cells_of(self.places)
        return self._attached.state.cells.picture[cells] == CellState.DIRTY

    @cached_property
    def unlit(self) -> Bools:
        attached = self._attached
        by_row = np.repeat(attached.unlit[self.rows], attached.state.grid.sections)
        roomless: Bools = attached.without_space(attached.state.grid.cells_of(self.places))
        return by_row | roomless

    @cached_property
    def unsent(self) -> ColumnPositions:
        settings = self._settings
        if settings.unsent is None or not {"states", "states=all"} & settings.overlays:
            return np.zeros((0, 2), np.int32)
        columns = settings.unsent()
        return columns[self._around(columns)]

    @cached_property
    def seams(self) -> SeamSides:
        found = self._attached.state.seams(self.rows)
        positions = self._attached.world.positions_of(found.places)
        return SeamSides(positions, found.hanging, found.waiting)

    @cached_property
    def columns(self) -> ColumnPositions:
        return self._attached.world.columns[self.rows]

    @property
    def floor_section(self) -> int:
        return self._attached.state.grid.floor

    @property
    def roof_blocks(self) -> int:
        return (self._attached.state.grid.floor + self._attached.state.grid.sections) * 16

    @cached_property
    def second_layer(self) -> Bools:
        return self._attached.world.layer1_slot[self.places] > 0

    @cached_property
    def unknown(self) -> Bools:
        return have_unknown_blocks(self._attached.world, self.places)

    @cached_property
    def unknown_ids(self) -> I64:
        world, counts = self._attached.world, np.zeros(len(self.places), np.int64)
        if self.unknown.any():
            first = len(world.table.states) - world.table.appended
            slots, where = np.unique(world.slot[self.places[self.unknown]], return_inverse=True)
            found = [np.count_nonzero(np.unique(world.pools.blocks[slot]) >= first) for slot in slots.tolist()]
            counts[self.unknown] = np.array(found)[where]
        return counts

    @cached_property
    def drawn_s(self) -> F64:
        grid = self._attached.state.grid
        upper = (self.positions[:, 1] & 1).astype(np.int64)
        return self._attached.state.cells.history.first_s[grid.cells_of(self.places), upper]

    @cached_property
    def meshes(self) -> Meshes:
        grid, cells = self._attached.state.grid, self._attached.state.cells
        numbers, history = grid.cells_of_rows(self.rows), cells.history
        return Meshes(
            grid.cell_positions(numbers, self._attached.world.columns),
            cells.picture[numbers],
            history.generations[numbers],
            self._settings.seen_s - history.changed_s[numbers],
            cells.quads_of(numbers),
            history.faces[numbers],
        )

    @cached_property
    def ground(self) -> SurfaceFacts:
        world = self._attached.world
        columns = [ColumnPos(x, z) for x, z in self.columns.tolist()]
        biomes = np.array([world.surface_biomes(column) for column in columns], np.uint16).reshape(-1, 16, 16)
        tops = np.array([world.height_map(column) for column in columns], np.int32).reshape(-1, 16, 16)
        tops = tops.transpose(0, 2, 1)  # height maps are by z, then x
        known = tops != UNKNOWN_TOP
        some = known.any(axis=(1, 2))
        highest = np.where(known, tops, -(1 << 15)).max(axis=(1, 2), initial=-(1 << 15))
        filled = np.where(known, tops, highest[:, None, None])
        return SurfaceFacts(self.columns[some], biomes[some], filled[some], self._settings.biome_names)

    @cached_property
    def trail(self) -> RequestLog | None:
        return None if self._settings.trail is None else self._settings.trail(self.places)

    @property
    def found(self) -> FoundBlocks | None:
        return self._settings.found

    @cached_property
    def tracks(self) -> EntityTracks | None:
        return None if self._settings.tracks is None else self._settings.tracks()

    @cached_property
    def against(self) -> AgainstFacts | None:
        found = None if self._settings.against is None else self._settings.against(self.places, self.positions)
        if found is None:
            return None
        return replace(found, columns_there=found.columns_there[self._around(found.columns_there)])


# ---------------------------------------------------------------- frame facts

AROUND_EYE: Final = 2
"""Sub-chunks on each side of the culling eye's for which links are reported."""
UNMESHED: Final = (CellState.ABSENT, CellState.DIRTY, CellState.READY, CellState.FAILED)


class SceneFrameFacts:
    """Implements ``render.overlays.facts.FrameFacts`` for one frame, after its visible meshes were listed."""

    def __init__(
        self,
        attached: WorldView,
        sight: VisibleMeshes,
        mirror: GpuVolumes,
        watch: Callable[[], BrickFacts],
        eye: Vector,
        culling_eye: Vector,
    ) -> None:
        """Computes nothing yet; ``watch`` reads the GPU's copy of the blocks back."""
        self._attached, self._sight, self._mirror = attached, sight, mirror
        self._watch = watch
        self._eye, self._culling_eye = eye, culling_eye

    @property
    def version(self) -> Hashable:
        counted = self._sight.counted
        return self._attached, counted.walks, counted.lists, counted.narrowings

    @cached_property
    def cells(self) -> CellFacts:
        attached, grid, world = self._attached, self._attached.state.grid, self._attached.world
        cells = grid.cells_of_rows(np.array(sorted(world.row_of.values()), np.int64))
        own = grid.own_places(cells)
        missing = world.pools.kinds[world.slot] & IS_PLACEHOLDER != 0
        nothing = (own < grid.sections) | (world.pools.kinds[world.slot[own]] == 0)  # outside of the dimension, or air
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
        world = self._attached.world
        places = places_around(self._attached, self._culling_eye, AROUND_EYE)
        number = np.full(len(world.slot), -1, np.int32)
        number[places] = np.arange(len(places))
        slots = world.slot[places]
        return Links(
            positions=world.positions_of(places),
            reached=_flags(self._sight.places, len(world.slot))[places],
            missing=world.pools.kinds[slots] & IS_PLACEHOLDER != 0,
            links=world.pools.connectivity[slots],
            beside=np.where(world.neighbours[places] != UNLOADED_PLACE, number[world.neighbours[places]], -1),
        )

    @cached_property
    def solid_quads(self) -> tuple[tuple[I32, Words], ...]:
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
        return self._watch()


def rows_near(world: Store, near: Bools) -> I64:
    """Rows of the announced columns in bool[rows], by position."""
    rows = np.fromiter(world.row_of.values(), np.int64, len(world.row_of))
    rows = rows[near[rows]]
    return rows[np.lexsort(world.columns[rows].T[::-1])]


def places_around(attached: WorldView, eye: Vector, around: int) -> Places:
    """Places of announced columns within so many sub-chunks of an eye's on each axis, by position."""
    world, grid = attached.world, attached.state.grid
    x, y, z = (int(axis // 16) for axis in eye)
    near = np.abs(world.columns - np.array([x, z])).max(axis=1, initial=0) <= around
    places = world.places_of_rows(rows_near(world, near))
    return places[np.abs(places % grid.sections + grid.floor - y) <= around]


def _flags(which: CellIndices | Places, many: int) -> Bools:
    """bool[many], True for the given numbers."""
    flags = np.zeros(many, np.bool_)
    flags[which] = True
    return flags


AROUND: Final = 2
"""Sub-chunks on each side of the eye's."""
AT_ONCE: Final = 25


class MirrorWatch:
    """Compares the GPU's copy of one scene. Owner thread only."""

    def __init__(self, mirror: GpuVolumes) -> None:
        self._mirror = mirror
        self._seen_at: tuple[WorldView, int, tuple[int, ...]] | None = None
        self._places: Places = np.zeros(0, np.int32)
        self._next = 0
        self._differing: dict[tuple[int, int, int], I32] = {}

    def compare(self, attached: WorldView, eye: Vector) -> BrickFacts:
        section = tuple(int(axis // 16) for axis in eye)
        if (
            self._seen_at is None
            or self._seen_at[0] is not attached
            or self._seen_at[1:] != (attached.state.version, section)
        ):
            self._seen_at = attached, attached.state.version, section
            places = places_around(attached, eye, AROUND)
            self._places, self._next = places[attached.residency.shown[places // attached.state.grid.sections]], 0
            self._differing.clear()
            self._compare(attached, self._places)
        elif len(self._places):
            part = np.arange(self._next, self._next + AT_ONCE) % len(self._places)
            self._next = (self._next + AT_ONCE) % len(self._places)
            self._compare(attached, self._places[np.unique(part)])
        return self._told(attached)

    def _compare(self, attached: WorldView, places: Places) -> None:
        mirror, world = self._mirror, attached.world
        places = places[~(mirror.blocks_behind | mirror.of_blocks.left_out | mirror.of_blocks.refused)[places]]
        for x, y, z in world.positions_of(places).tolist():
            self._differing.pop((x, y, z), None)
        found = verify_gpu_copy(mirror.of_blocks, attached, places)
        self._differing.update((one.subchunk, one.blocks) for one in found)

    def _told(self, attached: WorldView) -> BrickFacts:
        blocks = self._mirror.of_blocks
        shown = attached.world.places_of_rows(np.flatnonzero(attached.residency.shown))
        out = blocks.left_out[shown] | blocks.refused[shown]
        waiting = blocks.behind[shown] & ~out
        own = attached.world.pools.are_own(attached.world.slot[shown])
        there = ~out & ~waiting
        found = list(self._differing.values())
        differing = np.concatenate(found) if found else np.zeros((0, 3), np.int32)
        bricks, uniform, left_out, late = (
            int(np.count_nonzero(flags)) for flags in (there & own, there & ~own, out, waiting)
        )
        return BrickFacts(bricks, uniform, left_out, late, differing)


# ---------------------------------------------------------------- overlays


def check_overlays(names: AbstractSet[str]) -> None:
    """Checks names of overlays. Raises RenderError: there is no overlay of that name."""
    if names and (unknown := names - set(OVERLAYS)):
        raise RenderError(unknown_overlay(sorted(unknown)[0]))


class Overlays(GlOwner):
    """Draws the overlays. Owner thread only."""

    def __init__(
        self, gpu: Gpu, arena: QuadArena, mirror: GpuVolumes, sight: VisibleMeshes, indirect: bool = False
    ) -> None:
        super().__init__(gpu)
        self._arena, self._mirror, self._sight, self._indirect = arena, mirror, sight, indirect
        self._painter = self._own(OverlayPainter(gpu))
        self._xray: XrayPass | None = None
        self._left_out: tuple[WorldView, int, tuple[int, int, int]] | None = None
        self._surfaces: SurfacesPass | None = None
        self._watch = MirrorWatch(mirror)
        self._frozen: LinesPass | None = None
        self._made_at: float | None = None
        self._made: frozenset[str] = frozenset()
        self._due: frozenset[str] = frozenset()
        self._version: Hashable = None

    def draw(
        self, attached: WorldView, camera: Camera, target: Target, settings: FrameSettings, meshes: RunList,
        draw_cut: Callable[[], None],
    ) -> int:  # fmt: skip
        """Draws the frame's overlays over the current target, which shows ``meshes``; returns the number of boxes.

        ``draw_cut``: draws the faces of its cut, if a surface channel replaced the picture.
        """
        attached.see(settings.seen_s)
        if settings.frozen is None and not settings.overlays:
            return 0
        for name in [name for name in SURFACES if name in settings.overlays][-1:]:
            with self._gpu.clipping(settings.cut is not None):
                self._draw_surfaces(SURFACES[name], attached, target, meshes)
            draw_cut()
        for name in sorted(settings.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        marked = settings.overlays & REGISTRY.keys()
        if marked:
            self._make(marked, attached, camera, settings)
            target.resume()
        ahead = settings.marks_every_s > 0
        boxes = self._painter.draw(marked, camera, target, ahead, settings.hidden_rows) if marked else 0
        if settings.frozen is not None:
            self._draw_frozen(settings.frozen, camera, target)
        return boxes

    def legend(self, name: str) -> tuple[LegendRow, ...]:
        """The legend of an overlay when it was drawn last, with counts; empty for overlays without marks."""
        return self._painter.legend(name)

    def restart(self) -> None:
        self._painter.forget()
        self._left_out = None
        self._made_at = None

    def _make(self, names: frozenset[str], attached: WorldView, camera: Camera, settings: FrameSettings) -> None:
        """Makes marks, unless recent ones are good enough; of several overlays in a window, one overlay's a frame.

        Delayed marks count as of the version when the first were due, so later changes make them due again.
        """
        fresh = self._made_at is not None and 0 <= settings.seconds - self._made_at < settings.marks_every_s
        if not fresh or self._made != names:
            self._made_at, self._made, self._due, self._version = settings.seconds, names, names, None
        if not self._due:
            return
        frame = SceneFrameFacts(
            attached, self._sight, self._mirror, lambda: self._watch.compare(attached, camera.eye), camera.eye,
            (settings.frozen or camera).eye,
        )  # fmt: skip
        facts = SceneFacts(attached, settings, camera.eye, frame, self._version)
        self._version, most = facts.version, 1 if settings.marks_every_s > 0 else None
        self._due = self._painter.make(self._due, facts, settings.seconds, most)

    def _draw_xray(self, attached: WorldView, name: str) -> None:
        self._xray = self._xray or self._own(XrayPass(self._gpu))
        if name == "xray-placeholder":
            self._leave_out_unasked(self._xray, attached)
        self._xray.draw(name, attached.world.table.first)

    def _leave_out_unasked(self, xray: XrayPass, attached: WorldView) -> None:
        """Sends the sub-chunks that were never requested to the pass, if they changed."""
        mask = self._mirror.blocks.table_mask
        known = attached, attached.state.version, mask
        if self._left_out == known:
            return
        self._left_out = known
        world = attached.world
        places = world.places_of_rows(np.flatnonzero(attached.residency.shown))
        xray.leave_out(world.positions_of(places[world.state[places] == SubChunkState.UNKNOWN]), mask)

    def _draw_surfaces(self, surface: SurfaceChannel, attached: WorldView, target: Target, meshes: RunList) -> None:
        self._surfaces = self._surfaces or self._own(SurfacesPass(self._gpu, self._arena, self._indirect))
        self._surfaces.draw(surface, meshes, target, attached.world.table)

    def _draw_frozen(self, frozen: Camera, camera: Camera, target: Target) -> None:
        self._frozen = self._frozen or self._own(LinesPass(self._gpu))
        if frozen.eye != camera.eye:
            self._frozen.draw(target, camera, frustum_lines(frozen), FRUSTUM_HIDDEN)
