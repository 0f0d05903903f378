"""Packets of answers.

Rules:
1. A success is used where the place needs a request (or is known air, counted); another one is ignored until the
   column is announced again. Of several successes for a place the first one counts.
2. What is broken costs its entry, names packet, field and offset in a report, and is never an exception.
"""

import numpy as np
import numpy.typing as npt

from client.world.arrivals import keep_entities, settle, show_air
from client.world.changes import ChangeKind
from client.world.holdings import Holdings
from client.world.lifecycle import Knowledge
from client.world.reports import AnswerReport, EntryFault
from client.world.selection import select
from net.space.layout import Places, SubChunkPositions
from net.subchunk.decode import scan
from net.subchunk.heights import sky_tops

SLICE = 256  # entries decoded at once: their bytes and ids stay in the second-level cache


class Answers:
    """Writes answers to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

    def answer(
        self,
        positions: SubChunkPositions,
        results: npt.NDArray[np.uint8],
        payloads: list[bytes],
        height_kinds: npt.NDArray[np.uint8],
        heights: list[bytes | None],
        now: float,
    ) -> AnswerReport:
        """Applies the entries of one SubChunk packet, in their order.

        Args:
            positions: int32[n, 3] absolute.
            results: uint8[n] result codes.
            payloads: terrain and block entities each; empty but for code 1.
            height_kinds: uint8[n] a ``net.subchunk.heights.HeightKind`` each.
            heights: 256 signed bytes each where the kind says so.
            now: monotonic seconds.

        Raises:
            OutOfSlots: the pools are full; entries before the slice of 256 that found no room are applied.
        """
        holdings, tables = self._holdings, self._holdings.tables
        selection = select(tables, holdings.states, positions, results)
        places, used, closing = selection.places, selection.used, selection.closing
        tables.refusal[places[selection.failed]] = results[selection.failed]
        holdings.states.refuse(places[closing], results[closing], now)
        self._take_skies(places[used], sky_tops(height_kinds[used], [heights[index] for index in used]))
        show_air(holdings, places[selection.air], Knowledge.ALL_AIR, now)
        faults = self._take_payloads(places, selection.data, payloads, now)
        holdings.tally.ignored += selection.ignored
        holdings.tally.known_air_used += selection.known_air
        holdings.tally.faults += len(faults)
        accepted = places[used][tables.state[places[used]] != int(Knowledge.UNDECODABLE)]
        return AnswerReport(accepted, places[closing], results[closing], selection.ignored, selection.known_air, faults)

    def _take_skies(self, places: Places, skies: npt.NDArray[np.uint16]) -> None:
        """New height maps; a change of light is a change even where the blocks stay (air told to be air again)."""
        sky_top = self._holdings.tables.sky_top
        changed = (sky_top[places] != skies).any(axis=1)
        sky_top[places] = skies
        self._holdings.pending.note(places[changed], ChangeKind.DATA)

    def _take_payloads(
        self, places: Places, chosen: npt.NDArray[np.intp], payloads: list[bytes], now: float
    ) -> tuple[EntryFault, ...]:
        holdings = self._holdings
        faults: tuple[EntryFault, ...] = ()
        for start in range(0, len(chosen), SLICE):
            part = chosen[start : start + SLICE]
            scanned = scan([payloads[index] for index in part])
            taken = holdings.intake.take(scanned, lambda _: ("SubChunk", "payload"))
            faults += settle(holdings, places[part], taken, now)
            for at in np.flatnonzero(taken.ends < scanned.limits - scanned.starts).tolist():
                if at not in taken.faults:
                    faults += keep_entities(holdings, int(places[part[at]]), scanned.rest(at, int(taken.ends[at])))
        return faults
