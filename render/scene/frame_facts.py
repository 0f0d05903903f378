"""What a frame drew and why: the scene's side of ``render.overlays.culling.FrameFacts``."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import IS_PLACEHOLDER
from net.space.layout import UNLOADED_PLACE, Places
from render.mesh.quads import Group, Words
from render.overlays.culling import Cells, Held, Links
from render.overlays.facts import Vector
from render.overlays.merge import CELL_BLOCKS, REACH_BLOCKS
from render.scene.attached import Attached
from render.scene.grid import CellIndices
from render.scene.mirror import Mirror
from render.scene.picture import Picture
from render.scene.sight import Sight

AROUND_EYE: Final = 2
"""Sub-chunks on each side of the culling eye's, whose links are told."""
UNMESHED: Final = (Picture.ABSENT, Picture.DIRTY, Picture.READY, Picture.FAILED)


class SceneFrameFacts:
    """One frame of one attached store, after its sight looked."""

    def __init__(
        self,
        attached: Attached,
        sight: Sight,
        mirror: Mirror,
        watch: Callable[[], Held],
        eye: Vector,
        culling_eye: Vector,
    ) -> None:
        """Works nothing out yet.

        Args:
            attached: what is drawn.
            sight: which drew it.
            mirror: says what has no room.
            watch: reads the GPU's copy of the blocks back.
            eye: the frame's own, in blocks.
            culling_eye: the same, or the frozen one.
        """
        self._attached, self._sight, self._mirror = attached, sight, mirror
        self._watch = watch
        self._eye, self._culling_eye = eye, culling_eye

    @property
    def version(self) -> Hashable:
        """See ``FrameFacts``."""
        counted = self._sight.counted
        return id(self._attached), counted.walks, counted.lists, counted.narrowings

    @cached_property
    def cells(self) -> Cells:
        """See ``FrameFacts``."""
        attached, grid, world = self._attached, self._attached.grid, self._attached.world
        cells = grid.cells_of_rows(np.array(sorted(world.row_of.values()), np.int64))
        own = grid.own_places(cells)
        missing = world.pools.kinds[world.slot] & IS_PLACEHOLDER != 0
        nothing = (own < grid.sections) | (world.pools.kinds[world.slot[own]] == 0)  # outside of the world, or air
        filled = _flags(attached.cells.with_quads(), len(attached.cells.picture))[cells]
        listed, drawn = (_flags(which, len(attached.cells.picture))[cells] for which in self._sight.listed())
        return Cells(
            positions=grid.cell_positions(cells, world.columns),
            resident=np.repeat(attached.residency.shown[cells[:: grid.tall] // grid.tall], grid.tall),
            missing=(missing[own] | nothing).all(axis=1) & missing[own].any(axis=1),
            meshed=~np.isin(attached.cells.picture[cells], UNMESHED) | filled,
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
            positions=self._attached.grid.positions_of(places, world.columns),
            reached=_flags(self._sight.places, len(world.slot))[places],
            missing=world.pools.kinds[slots] & IS_PLACEHOLDER != 0,
            links=world.pools.connectivity[slots],
            beside=np.where(world.neighbours[places] != UNLOADED_PLACE, number[world.neighbours[places]], -1),
        )

    @cached_property
    def solid_quads(self) -> tuple[tuple[npt.NDArray[np.int32], Words], ...]:
        """See ``FrameFacts``."""
        attached = self._attached
        cells = attached.cells.with_quads()
        positions = attached.grid.cell_positions(cells, attached.world.columns)
        low = positions * CELL_BLOCKS
        away = np.clip(np.array(self._eye), low, low + CELL_BLOCKS) - np.array(self._eye)
        near = np.flatnonzero(np.einsum("ij,ij->i", away, away) <= REACH_BLOCKS * REACH_BLOCKS)
        near = near[np.lexsort(positions[near].T)]
        return tuple((positions[index], self._solid_of(int(cells[index]))) for index in near.tolist())

    def _solid_of(self, cell: int) -> Words:
        units, counts = self._attached.cells.mesh_of(cell)
        return units[: int(counts[: Group.CUTOUT + 1].sum())]

    @property
    def held(self) -> Held:
        """See ``FrameFacts``."""
        return self._watch()


def places_around(attached: Attached, eye: Vector, around: int) -> Places:
    """Places of announced columns at most so many sub-chunks from an eye's on each axis, by position."""
    world, grid = attached.world, attached.grid
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
