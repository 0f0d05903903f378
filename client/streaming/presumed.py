"""Places in the sky that the request walk may pass before they are answered.

Without a limit, air is asked for like everything else, and an unanswered place obstructs; so sight would climb over a
hill one round trip a sub-chunk. A place above the highest surface known around the player is very likely air: it is
*presumed open*, passed by the request walk while it is asked, never by the draw walk (architecture.md 3: 4 round trips
instead of 10 to 12 to nine tenths of the picture, and the same places asked in the end).

Rules:
1. Only places of columns announced without a limit: with one, the air is known already.
2. The surface is the highest sub-chunk with data in the columns at most ``SURROUNDINGS_COLUMNS`` from the player's.
   While nothing is known there, nothing is presumed.
3. A wrong guess (an island in the sky) costs requests that sight would not have made, never a wrong picture.
"""

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from client.streaming.anchors import Anchor
from client.streaming.planner import PlannedWorld
from client.world.lifecycle import Knowledge
from client.world.places import NO_LIMIT
from net.space.layout import Bytes
from net.space.positions import ColumnPos

SURROUNDINGS_COLUMNS: Final = 9


class LimitedWorld(PlannedWorld, Protocol):
    """What is read of a store besides what the planner reads."""

    @property
    def limit(self) -> npt.NDArray[np.int32]:
        """[rows]: highest section to ask for, from the floor; NO_LIMIT where none was said."""
        ...


def presumed_open(world: LimitedWorld, player: ColumnPos) -> Bytes | None:
    """uint8[places]: 1 where the request walk may pass whatever is shown; None where that is nowhere."""
    rows = world.announced_rows
    limitless = rows[world.limit[rows] == NO_LIMIT]
    around = limitless[Anchor.square(player, SURROUNDINGS_COLUMNS).holds(world.columns[limitless])]
    sections = world.dimension.sections
    states = world.state.reshape(-1, sections)
    with_data = np.flatnonzero((states[around] == Knowledge.DATA).any(axis=0))
    if not len(with_data):
        return None
    presumed = np.zeros(states.shape, np.uint8)
    presumed[limitless, int(with_data[-1]) + 1 :] = 1
    return presumed.ravel()
