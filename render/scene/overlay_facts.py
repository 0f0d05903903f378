"""What overlays may know of an attached store: the scene's side of ``render.overlays.facts.Facts``.

Each property says what its name says there; most are worked out when they are first asked for, once a moment.
"""

from collections.abc import Hashable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from client.session.request_log import Trail
from client.world.height_maps import UNKNOWN_TOP
from net.space.layout import ColumnPositions, Places, SubChunkPositions
from net.space.positions import ColumnPos
from render.overlays.culling import FrameFacts
from render.overlays.facts import Ground, Meshes, SeamSides, Vector
from render.passes.look import Look
from render.scene.attached import Attached
from render.scene.picture import Picture


class SceneFacts:
    """One moment of one attached store, around the anchor of a look."""

    def __init__(
        self, attached: Attached, look: Look, eye: Vector, frame: FrameFacts, version: Hashable = None
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
        """See ``Facts``."""
        if self._version is not None:
            return self._version
        attached, look = self._attached, self._look
        told = self.states.tobytes(), self.stale.tobytes(), self.unlit.tobytes(), self.unsent.tobytes()
        pictures = attached.cells.picture.tobytes()
        named = tuple(look.biome_names.items())
        return attached.version, attached.cells.version, look.anchor, named, *map(hash, (*told, pictures))

    @cached_property
    def places(self) -> Places:
        """See ``Facts``."""
        return self._attached.grid.places_of_rows(self.rows)

    @cached_property
    def positions(self) -> SubChunkPositions:
        """See ``Facts``."""
        return self._attached.grid.positions_of_rows(self.rows, self._attached.world.columns)

    @cached_property
    def states(self) -> npt.NDArray[np.uint8]:
        """See ``Facts``."""
        return self._attached.world.state[self.places]

    @cached_property
    def stale(self) -> npt.NDArray[np.bool_]:
        """See ``Facts``."""
        if self._look.stale is None:
            return np.zeros(len(self.places), np.bool_)
        return np.repeat(self._look.stale[self.rows], self._attached.grid.sections)

    @cached_property
    def failed(self) -> npt.NDArray[np.bool_]:
        """See ``Facts``."""
        cells = self._attached.cells.failed()
        if not len(cells):
            return np.zeros(len(self.places), np.bool_)
        return np.isin(self.places, self._attached.grid.own_places(cells))

    @cached_property
    def unmeshed(self) -> npt.NDArray[np.bool_]:
        """See ``Facts``."""
        cells = self._attached.grid.cells_of(self.places)
        waits: npt.NDArray[np.bool_] = self._attached.cells.picture[cells] == Picture.DIRTY
        return waits

    @cached_property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """See ``Facts``."""
        attached = self._attached
        by_row = np.repeat(attached.unlit[self.rows], attached.grid.sections)
        roomless: npt.NDArray[np.bool_] = attached.without_room(attached.grid.cells_of(self.places))
        return by_row | roomless

    @cached_property
    def unsent(self) -> ColumnPositions:
        """See ``Facts``."""
        look = self._look
        if look.unsent is None or "states" not in look.overlays:
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
        """See ``Facts``."""
        found = self._attached.seams(self.rows)
        positions = self._attached.grid.positions_of(found.places, self._attached.world.columns)
        return SeamSides(positions, found.hanging, found.waiting)

    @cached_property
    def columns(self) -> ColumnPositions:
        """See ``Facts``."""
        return self._attached.world.columns[self.rows]

    @property
    def floor_section(self) -> int:
        """See ``Facts``."""
        return self._attached.grid.floor

    @property
    def roof_blocks(self) -> int:
        """See ``Facts``."""
        return (self._attached.grid.floor + self._attached.grid.sections) * 16

    @cached_property
    def second_layer(self) -> npt.NDArray[np.bool_]:
        """See ``Facts``."""
        has: npt.NDArray[np.bool_] = self._attached.world.layer1_slot[self.places] > 0
        return has

    @cached_property
    def unknown_ids(self) -> npt.NDArray[np.int64]:
        """See ``Facts``; free where every id is known."""
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
        """See ``Facts``."""
        grid = self._attached.grid
        upper = (self.positions[:, 1] & 1).astype(np.int64)
        return self._attached.cells.history.first_s[grid.cells_of(self.places), upper]

    @cached_property
    def meshes(self) -> Meshes:
        """See ``Facts``."""
        grid, cells = self._attached.grid, self._attached.cells
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
    def ground(self) -> Ground:
        """See ``Facts``."""
        world = self._attached.world
        columns = [ColumnPos(x, z) for x, z in self.columns.tolist()]
        biomes = np.array([world.surface_biomes(column) for column in columns], np.uint16).reshape(-1, 16, 16)
        tops = np.array([world.height_map(column) for column in columns], np.int32).reshape(-1, 16, 16)
        tops = tops.transpose(0, 2, 1)  # height maps are by z, then x
        known = tops != UNKNOWN_TOP
        some = known.any(axis=(1, 2))
        highest = np.where(known, tops, -(1 << 15)).max(axis=(1, 2), initial=-(1 << 15))
        filled = np.where(known, tops, highest[:, None, None])
        return Ground(self.columns[some], biomes[some], filled[some], self._look.biome_names)

    @cached_property
    def trail(self) -> Trail | None:
        """See ``Facts``."""
        return None if self._look.trail is None else self._look.trail(self.places)
