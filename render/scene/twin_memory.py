"""What the GPU's light was made from, place by place: what "changed since" is said against (``twin_lighting``)."""

import numpy as np
import numpy.typing as npt

from render.gpu.light_twin import MIXED

Rows = npt.NDArray[np.int64]


class TwinMemory:
    """Arrays as long as the store's tables.

    Attributes:
        sections: places in a row.
        lit: bool[rows] whose bricks hold light.
        pending: uint8[places] what is to be done for changed ones (RAISE, LOST of ``gpu.light_twin``, EDITED).
        edits: int64[n, 2] places and cells of single changed blocks that are pending.
        obstructed: bool[places] no light has passed them yet: placeholders.
        entries: uint16[places, 16] where daylight entered their tops from outside when they were lit.
        through: uint16[places, 16] the same, looked through air.
        last: int64[places] number of the last step they took part in with a brick; 0 for none.
        known: uint32[places] the flag of that brick, as far as it has arrived.
    """

    def __init__(self, sections: int) -> None:
        self.sections = sections
        self.lit: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.pending: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.edits: npt.NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self.obstructed: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.entries: npt.NDArray[np.uint16] = np.zeros((0, 16), np.uint16)
        self.through: npt.NDArray[np.uint16] = np.zeros((0, 16), np.uint16)
        self.last: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.known: npt.NDArray[np.uint32] = np.zeros(0, np.uint32)

    def fit(self, rows: int) -> None:
        """Makes room for so many rows; nothing gets shorter."""
        more = rows - len(self.lit)
        if more <= 0:
            return
        places = more * self.sections
        self.lit = np.append(self.lit, np.zeros(more, np.bool_))
        self.pending = np.append(self.pending, np.zeros(places, np.uint8))
        self.obstructed = np.append(self.obstructed, np.ones(places, np.bool_))
        self.entries = np.append(self.entries, np.zeros((places, 16), np.uint16), axis=0)
        self.through = np.append(self.through, np.zeros((places, 16), np.uint16), axis=0)
        self.last = np.append(self.last, np.zeros(places, np.int64))
        self.known = np.append(self.known, np.full(places, MIXED, np.uint32))

    def places_of(self, rows: Rows) -> npt.NDArray[np.int64]:
        """All places of rows, row by row, lowest first."""
        places: npt.NDArray[np.int64] = (rows[:, None] * self.sections + np.arange(self.sections)).reshape(-1)
        return places

    def pending_by_row(self) -> npt.NDArray[np.uint8]:
        """uint8[rows, sections]."""
        return self.pending.reshape(-1, self.sections)

    def forget(self, rows: Rows) -> None:
        """Rows have no light any more; what passed them stays known."""
        places = self.places_of(rows)
        self.lit[rows] = False
        self.pending[places] = 0
        self.last[places] = 0  # flags on their way are of no interest
        self.edits = self.edits[~np.isin(self.edits[:, 0], places)]
