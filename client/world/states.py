"""Changes of Knowledge: legal ones only, counted, dated, and noted in the log."""

import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeKind
from client.world.errors import WorldError
from client.world.lifecycle import NEEDS_REQUEST, Knowledge, Transitions, table_of
from client.world.pending import Pending
from client.world.places import PlaceTables
from net.space.layout import Places


class States:
    """Writes ``state``, ``since`` and ``refusal``; owned by the store."""

    def __init__(self, tables: PlaceTables, pending: Pending) -> None:
        """Counts from zero."""
        self._tables = tables
        self._pending = pending
        self._transitions = Transitions()
        self._needs_request = table_of(NEEDS_REQUEST)

    def move(self, tables: PlaceTables, pending: Pending) -> None:
        """Other tables: another dimension. Counts go on."""
        self._tables = tables
        self._pending = pending

    def counted(self) -> dict[tuple[Knowledge, Knowledge], int]:
        """How often each change happened."""
        return self._transitions.counted()

    def need_request(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these an answer may fill: bool[n]."""
        return self._needs_request[self._tables.state[places]]

    def become(self, places: Places, knowledge: Knowledge, now: float) -> None:
        """Changes states; places that are so already are left alone.

        Raises:
            WorldError: a change that ``lifecycle`` does not allow; nothing was changed.
        """
        before = self._tables.state[places]
        moving = before != int(knowledge)
        if not moving.any():
            return
        places, before = places[moving], before[moving]
        illegal = self._transitions.illegal(before, knowledge)
        if illegal.any():
            at = int(np.argmax(illegal))
            where = tuple(self._tables.positions_of(places[at : at + 1])[0].tolist())
            was = Knowledge(int(before[at])).name
            raise WorldError(f"sub-chunk {where} is {was}, it cannot become {knowledge.name}")
        self._transitions.count(before, knowledge)
        self._tables.state[places] = int(knowledge)
        self._tables.since[places] = now
        self._pending.note(places, ChangeKind.STATE)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """REFUSED, with the code, where an answer was needed."""
        need = self.need_request(places)
        self._tables.refusal[places[need]] = codes[need]
        self.become(places[need], Knowledge.REFUSED, now)
