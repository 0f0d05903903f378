"""What to ask for next.

Rules:
1. Wanted = (the ticking area, pinned anchors, what the walk reached) minus what is known, known to be air, refused,
   undecodable, outside the dimension, or held by the ledger.
2. Only announced columns have places, so nothing is asked before its skeleton came: a server ignores such a request,
   and the client would have to ignore its answer. The player's own wants end at the granted radius, too; what is pinned
   is asked for wherever the server announced it.
3. The order is ``priority.order``; the caller takes as many from the front as the limits allow.

Theory: seed 000's two scenarios. The ticking area is unconditional; the rest is asked as sight reaches it, so places
that nobody can see are never sent.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.streaming.anchors import Anchor
from client.streaming.ledger import Ledger
from client.streaming.limits import RequestLimits
from client.streaming.priority import order
from client.world.lifecycle import Knowledge
from net.interest import Looker, Weights
from net.space.dimensions import Dimension
from net.space.layout import ColumnPositions, Places, SubChunkPositions
from net.space.positions import ColumnPos

ASKABLE = (Knowledge.UNKNOWN, Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.RESET, Knowledge.EVICTED)
"""States that a request can help; REQUESTED only when the ledger gave the place back after a silence."""


class PlannedWorld(Protocol):
    """What the planner reads of a store; see ``client.world.store.Store`` for the arrays."""

    @property
    def dimension(self) -> Dimension:
        """Its vertical range."""
        ...

    @property
    def columns(self) -> ColumnPositions:
        """[rows, 2]: the column of each row; row 0 is none."""
        ...

    @property
    def state(self) -> npt.NDArray[np.uint8]:
        """[places]: a Knowledge each."""
        ...

    @property
    def announced_rows(self) -> npt.NDArray[np.int32]:
        """[n]: rows that hold a column."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted now, most urgent first.

    Attributes:
        places: place numbers.
        positions: where they are, same order.
    """

    places: Places
    positions: SubChunkPositions

    def __len__(self) -> int:
        return len(self.places)


class Planner:
    """Makes plans; keeps nothing but its tables."""

    def __init__(self, limits: RequestLimits) -> None:
        """Uses the limits' ticking radius."""
        self._weights = Weights(ticking_radius_columns=limits.ticking_radius)
        self._askable = np.zeros(256, bool)
        self._askable[list(ASKABLE)] = True

    def plan(
        self,
        world: PlannedWorld,
        ledger: Ledger,
        looker: Looker,
        pinned: list[Anchor],
        reached: Places,
        granted: Anchor | None = None,
    ) -> Plan:
        """Everything wanted at this moment.

        Args:
            world: the store.
            ledger: who is held.
            looker: the player, in the middle of the ticking area.
            pinned: anchors whose announced places are wanted whether or not they can be seen.
            reached: places that the walk reached.
            granted: the columns in which the server lets the player want anything; None is all.
        """
        sections = world.dimension.sections
        rows = world.announced_rows
        columns = world.columns[rows]
        at = ColumnPos(int(looker.at[0] // 1), int(looker.at[2] // 1))
        unconditional = Anchor.square(at, self._weights.ticking_radius_columns).holds(columns)
        if granted is not None:
            unconditional &= granted.holds(columns)
        for anchor in pinned:
            unconditional |= anchor.holds(columns)
        named = np.zeros(len(world.state), bool)  # marks over all places: a tenth of the cost of joining two lists
        named.reshape(-1, sections)[rows[unconditional]] = True
        named[reached] = True
        named[:sections] = False  # row 0 is what lies outside
        named &= self._askable[world.state]
        wanted = np.flatnonzero(named).astype(np.int32)
        wanted = wanted[~ledger.held(wanted)]
        positions = positions_of(world, wanted)
        by_need = order(positions, looker, self._weights)
        return Plan(wanted[by_need], positions[by_need])


def positions_of(world: PlannedWorld, places: Places) -> SubChunkPositions:
    """Where places are: int32[n, 3]."""
    sections = world.dimension.sections
    columns = world.columns[places // sections]
    positions = np.empty((len(places), 3), np.int32)
    positions[:, 0] = columns[:, 0]
    positions[:, 1] = places % sections + world.dimension.floor_section
    positions[:, 2] = columns[:, 1]
    return positions
