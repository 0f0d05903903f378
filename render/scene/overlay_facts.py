"""What overlays may know of an attached store: the scene's side of ``render.overlays.facts.Facts``.

Each property says what its name says there; most are worked out when they are first asked for, once a moment.
"""

from collections.abc import Hashable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from client.session.trail import Trail
from net.space.layout import Places, SubChunkPositions
from render.overlays.culling import FrameFacts
from render.overlays.facts import SeamSides, Vector
from render.passes.look import Look
from render.scene.attached import Attached


class SceneFacts:
    """One moment of one attached store, around the anchor of a look."""

    def __init__(self, attached: Attached, look: Look, eye: Vector, frame: FrameFacts) -> None:
        """Works nothing out yet; ``frame`` says what was drawn."""
        self._attached = attached
        self._look = look
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
        attached, look = self._attached, self._look
        told = self.states.tobytes(), self.stale.tobytes(), attached.cells.picture.tobytes()
        return attached.version, attached.cells.version, look.anchor, *map(hash, told)

    @cached_property
    def places(self) -> Places:
        """See ``Facts``."""
        return self._attached.grid.places_of_rows(self.rows)

    @cached_property
    def positions(self) -> SubChunkPositions:
        """See ``Facts``."""
        return self._attached.grid.positions_of(self.places, self._attached.world.columns)

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
    def seams(self) -> SeamSides:
        """See ``Facts``."""
        found = self._attached.seams(self.rows)
        positions = self._attached.grid.positions_of(found.places, self._attached.world.columns)
        return SeamSides(positions, found.hanging, found.waiting)

    @cached_property
    def trail(self) -> Trail | None:
        """See ``Facts``."""
        return None if self._look.trail is None else self._look.trail(self.places)
