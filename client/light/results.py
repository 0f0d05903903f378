"""What one light step takes and gives: plain arrays, owned by one side at a time.

A step numbers the places it deals with from 0, its *seats*: first the region (columns that are relit), then the
columns around it (lit already; their light shines in, and grows where the region's light reaches them), last one
seat that stands for everything outside: opaque and dark. Kernels know seats only.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from net.space.layout import Places, Slots

DARK_SLOT: Final = 0
"""Light slot shared by all places without any light."""
DAYLIGHT_SLOT: Final = 1
"""Light slot shared by all places of full daylight and nothing else."""

Seats = npt.NDArray[np.int32]
"""[n] numbers of a step's places, see the module."""
Entries = npt.NDArray[np.uint16]
"""[n, 16]: bit z of row x: daylight of 15 enters this sub-chunk's top cell from above."""


@dataclass(frozen=True, slots=True)
class LightBatch:
    """One step's input, copied from the tables; the owner thread makes it, whoever runs it owns it.

    Attributes:
        generation: of the light map; a result of an older generation is dropped.
        places: [seats] places of the region and of the columns around it.
        region: how many of them, from the front, are relit from nothing.
        rows: [columns] the region's columns.
        sections: sub-chunks a column; seats of one column follow each other, lowest first.
        blocks: [seats + 1] block slot of each seat, the last one opaque.
        neighbours: int32[seats + 1, 6] seat beside each seat.
        entries: [seats, 16] where daylight enters from above.
        shown: [seats + 1] light slot each seat shows now.
        spare: free light slots this step may write to.
        edits: uint32[n] ``seat << 12 | cell`` of changed blocks; where there are any, the region is not relit but mended.
        revisions: int64[seats] revision of the blocks that are lit.
        obstructed: bool[seats] places that were placeholders.
        columns: int32[columns, 2] positions of ``rows``.
    """

    generation: int
    places: Places
    region: int
    rows: npt.NDArray[np.int32]
    sections: int
    blocks: Slots
    neighbours: npt.NDArray[np.int32]
    entries: Entries
    shown: Slots
    spare: Slots
    edits: npt.NDArray[np.uint32]
    revisions: npt.NDArray[np.int64]
    obstructed: npt.NDArray[np.bool_]
    columns: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class LightResult:
    """One step's output; goes back to the owner thread.

    Attributes:
        batch: what it was made from.
        shown: [seats] light slot each seat shows from now on.
        used: how many of ``batch.spare`` were taken, from the end; some of them may have come back unused.
        visited: cells the scalar floods visited, for statistics.
    """

    batch: LightBatch
    shown: Slots
    used: int
    visited: int


@dataclass(frozen=True, slots=True)
class LightLog:
    """Places whose light changed, for whoever mirrors light maps.

    Attributes:
        places: [n] each place once.
        old_slots: [n] what they showed; free from now on (0 and 1 are shared and stay).
        new_slots: [n] what they show now.
    """

    places: Places
    old_slots: Slots
    new_slots: Slots
