"""Lets things happen to places: only what ``lifecycle.LIFE`` names; counted, dated, and noted in history and log."""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.errors import WorldError
from client.world.history import NO_CODE, NO_PACKET
from client.world.life_kernels import happen
from client.world.lifecycle import AFTER, NEEDS_REQUEST, STATES, Cause, Knowledge, table_of
from client.world.pending import STATE, Pending
from client.world.places import PlaceTables
from net.space.layout import Places

Codes = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int32]
_NO_CODES: Final = np.array([NO_CODE], np.int16)


class States:
    """Writes ``state``, ``since`` and the history; owned by the store.

    Attributes:
        packet: number of the inbound packet that is being applied; NO_PACKET between packets.
        now: the latest time that was told, monotonic seconds.
    """

    def __init__(self, tables: PlaceTables, pending: Pending) -> None:
        """Counts from zero."""
        self.packet = NO_PACKET
        self.now = 0.0
        self._tables = tables
        self._pending = pending
        self._counts = np.zeros((len(Cause), STATES), np.int64)
        self._after = AFTER.copy()  # kernels take no read-only array
        self._number = np.empty(1, np.int32)
        self._needs_request = table_of(NEEDS_REQUEST)

    def move(self, tables: PlaceTables, pending: Pending) -> None:
        """Other tables: another dimension. Counts go on."""
        self._tables = tables
        self._pending = pending

    def happened(self) -> dict[Cause, int]:
        """How often each thing happened to a place, those that never did left out."""
        total = self._counts.sum(axis=1)
        return {cause: int(total[cause]) for cause in Cause if total[cause]}

    def changed(self) -> dict[tuple[Knowledge, Knowledge], int]:
        """How often each state became which other, those that never did left out."""
        found: dict[tuple[Knowledge, Knowledge], int] = {}
        for cause, before in zip(*(axis.tolist() for axis in np.nonzero(self._counts)), strict=True):
            after = int(AFTER[cause, before])
            if after != before:
                key = Knowledge(before), Knowledge(after)
                found[key] = found.get(key, 0) + int(self._counts[cause, before])
        return dict(sorted(found.items()))

    def need_request(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these an answer may fill: bool[n]."""
        return self._needs_request[self._tables.state[places]]

    def happen(
        self, places: Places, cause: Cause, now: float, codes: Codes = _NO_CODES, packets: Numbers | None = None
    ) -> None:
        """One thing happens to some places.

        Args:
            places: int32[n], row 0 not among them; a place that stands twice has it happen twice.
            cause: what; together with a place's state it makes the next state.
            now: monotonic seconds.
            codes: int16[n] result codes, where answers did it.
            packets: int32[n] numbers of the packets that did it; None: ``packet`` did.

        Raises:
            WorldError: it cannot happen to one of them; nothing was changed.
        """
        self.now = now
        if not len(places):
            return
        tables, history, after = self._tables, self._tables.history, self._after[cause]
        moved = np.empty(len(places), np.int32)
        self._number[0] = self.packet
        count = happen(
            places,
            codes,
            after,
            int(cause),
            now,
            self._number if packets is None else packets,
            tables.state,
            tables.since,
            self._counts[cause],
            history.noted,
            history.times_s,
            history.packets,
            history.codes,
            history.causes,
            history.befores,
            history.afters,
            history.repeats,
            moved,
        )
        if count < 0:
            raise self._impossible(int(places[-1 - count]), cause)
        if count:
            history.drop_faults(moved[:count])
            self._pending.note(moved[:count], STATE)

    def _impossible(self, place: int, cause: Cause) -> WorldError:
        where = tuple(self._tables.positions_of(np.array([place], np.int32))[0].tolist())
        was = Knowledge(int(self._tables.state[place])).name
        return WorldError(f"sub-chunk {where} is {was}: {cause.name} cannot happen to it")
