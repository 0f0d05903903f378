"""Statistics of a session, its warnings, and what it still waits for.

``SessionStats`` is one frozen snapshot for panels, tests, benchmarks and JSON. ``warnings_of`` lists the server's
protocol violations, one line a kind with its count; a late answer of a slow server is not one (``streaming.ledger``
rule 10). ``SessionWaits`` names what is still missing before a picture or a dump is complete.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from client.player import Eye
from client.session.movement import Motion
from client.session.requests import Requests, RequestStats
from client.session.terrain import SessionTerrain, TerrainStats
from client.streaming.anchors import Anchor
from client.streaming.ledger import Ledger, LedgerStats
from client.streaming.planner import ASKABLE
from client.world.lifecycle import STATE_WORDS, STATES, SubChunkState
from client.world.store import Store
from net.arrays import Rows
from net.bedrock import SubChunkResult
from net.space import coordinates


class SessionStats(msgspec.Struct, frozen=True):
    """A snapshot of one session."""

    phase: str  # see ``SpawnPhase``
    dimension: int  # number of the dimension
    world_name: str  # the server's name of it
    player: Eye  # the player's eye, in blocks
    held_at: Eye | None  # where the server holds the player, or None
    time: int  # the world's time of day in ticks, 0..23999
    radius: int  # granted visibility radius in columns
    columns: int  # columns announced and kept
    states: Mapping[str, int]  # sub-chunks of those columns by state's name
    messages: Mapping[str, int]  # received messages by name
    faulty_packets: int  # packets that did not decode
    last_fault: str  # the text of the last one
    messages_out: Mapping[str, int]  # messages sent by name
    terrain: TerrainStats  # counts of terrain messages
    requests: RequestStats  # counts of requests
    ledger: LedgerStats  # counts of answered, late and lost requests
    connectivity: int  # block slots whose connectivity was derived
    pins: int  # anchors besides the player's own
    join_fault: str  # the step of the join that is missing or wrong, once it has stalled (``join_steps``); else empty
    warnings: tuple[str, ...]  # the server's protocol violations, one line a kind


def states_of(store: Store, rows: Rows | None = None) -> dict[str, int]:
    """Number of sub-chunks of some rows in each state, by its name; states without any are left out.

    ``rows``: those of all announced columns unless given.
    """
    places = store.places_of_rows(store.announced_rows if rows is None else rows)
    counts = np.bincount(store.state[places], minlength=STATES)
    return {knowledge.name.lower(): int(counts[knowledge]) for knowledge in SubChunkState if counts[knowledge]}


def words_of_states(states: Mapping[str, int]) -> str:
    """``states_of`` as text, in the order of the states' numbers."""
    counts = [(states.get(state.name.lower(), 0), words) for state, words in STATE_WORDS.items()]
    return "; ".join(f"{count:,} {words}" for count, words in counts if count) or "none"


def warnings_of(
    terrain: TerrainStats, ledger: LedgerStats, faulty_packets: int, last_fault: str, *, messages_only: bool = False
) -> tuple[tuple[int, str], ...]:
    """The count of each kind of violation so far, and a line with it; empty for a correct server.

    ``messages_only``: only those of whole messages, which belong to no place.
    """
    foreign, outside = " for another dimension and ignored", " outside the announced columns and ignored"
    undecodable, latest = " could not be decoded; the latest: ", terrain.last_faults[-1] if terrain.last_faults else ""
    refusals = f" refused: {_refusals(terrain.refused)}"
    unanswered, silent = ledger.timed_out - ledger.late, " not answered in time (a sub-chunk counts each time)"
    # whether it is of whole messages; count; singular; plural; the common end of the sentence
    kinds = (
        (True, faulty_packets, "packet", "packets", f"{undecodable}{last_fault}"),
        (False, terrain.faults, "answer or column", "answers or columns", f"{undecodable}{latest}"),
        (True, terrain.foreign_columns, "column was", "columns were", foreign),
        (True, terrain.foreign, "answer was", "answers were", foreign),
        (True, terrain.outside, "answer was for a place", "answers were for places", outside),
        (True, ledger.unasked, "answer was unsolicited or a duplicate", "answers were unsolicited or duplicates", ""),
        (False, sum(terrain.refused.values()), "sub-chunk was", "sub-chunks were", refusals),
        (False, unanswered, "request was", "requests were", silent),
    )
    return tuple(
        (count, f"{count:,} {one if count == 1 else several}{end}")
        for of_messages, count, one, several, end in kinds
        if count and (of_messages or not messages_only)
    )


def _refusals(by_code: dict[int, int]) -> str:
    """The most frequent reasons, at most three."""
    first = sorted(by_code, key=lambda code: (-by_code[code], code))[:3]
    more = len(by_code) - len(first)
    return ", ".join(map(_reason, first)) + (f" and {more} more reason{'s' if more > 1 else ''}" if more else "")


def _reason(code: int) -> str:
    known = code in SubChunkResult.__members__.values()
    return SubChunkResult(code).name.lower().replace("_", " ") if known else f"unknown code {code}"


PAUSED: Final = "the server does not know the player (code 4), so requests wait until the player is spawned"


UNSENT_S: Final = 20.0
"""A column counts as never coming when the player rests and none has come for this long. A server may first have to
generate it: on a busy machine our own paused for seconds between two columns."""


class SessionWaits(msgspec.Struct, frozen=True):
    """What a session still waits for, in words. Made for one call, since a session replaces some of its parts.

    A server may have fewer columns than the radius holds (it sends a circle, or its world ends), and does not say so.
    So a world counts as complete once nothing is wanted or outstanding, no column came for ``quiet_s``, and the player
    did not enter another column in that time, since the server first has to receive that. Where the player's own column
    is missing, the server is behind or sends none: then ``UNSENT_S`` counts instead.
    """

    store: Store  # the known blocks
    motion: Motion  # the player
    requests: Requests  # wanted places
    ledger: Ledger  # outstanding requests
    terrain: SessionTerrain  # has the time of the last column
    quiet_s: float  # required time without a new column and without a change of the player's column

    def for_all(self, radius_columns: int, now: float) -> str | None:
        """What is missing: movement of the player, wanted and outstanding places, columns of the square around it."""
        player = self.motion.player
        if player.on_its_way:
            left = f"{player.position.distance_blocks(player.target):.0f} blocks, {player.remaining_s:.0f} s"
            return f"the player is on its way to {coordinates(player.target)}: {left}"
        if self.requests.dirty or self.requests.wanted:
            if not self.requests.wanted and not self.ledger.paused:
                return "chunkscope is still choosing which sub-chunks to request"
            return PAUSED if self.ledger.paused else _are(self.requests.wanted, "sub-chunk", "not requested yet")
        if self.ledger.outstanding:
            return _are(self.ledger.outstanding, "sub-chunk", "requested and not answered yet")
        return self._for_columns(Anchor.square(player.position.column, radius_columns), now)

    def within(self, columns: Anchor, now: float) -> str | None:
        """What is missing of these columns: all must be announced, and those one around them if they come."""
        unannounced = self._unannounced(columns)
        if unannounced:
            return _are(unannounced, "column", "not announced yet")
        rows = self.store.announced_rows
        rows = rows[columns.grown(1).holds(self.store.columns[rows])]
        places = self.store.places_of_rows(rows)
        open_places = int(np.isin(self.store.state[places], ASKABLE).sum())
        if open_places:
            return PAUSED if self.ledger.paused else _are(open_places, "sub-chunk", "not answered yet")
        return self._for_columns(columns.grown(1), now)

    def _for_columns(self, expected: Anchor, now: float) -> str | None:
        quiet_s = self._quiet_s(now)
        if quiet_s is None:
            return "no column has arrived yet"
        own = self.motion.eye.column in self.store.row_of
        if quiet_s >= (self.quiet_s if own else UNSENT_S):
            return None
        missing = self._unannounced(expected)
        return f"{missing} more columns may come" if missing else None

    def columns_complete(self, now: float) -> bool:
        """Whether a column came, and none for ``quiet_s``."""
        quiet_s = self._quiet_s(now)
        return quiet_s is not None and quiet_s >= self.quiet_s

    def never_coming(self, columns: Anchor, now: float) -> bool:
        """Whether some of these columns are not announced, and nothing shows that they still will be."""
        quiet_s = self._quiet_s(now)
        rests = not (self.motion.player.on_its_way or self.requests.wanted or self.ledger.outstanding)
        return rests and quiet_s is not None and quiet_s >= UNSENT_S and self._unannounced(columns) > 0

    def _quiet_s(self, now: float) -> float | None:
        """Seconds since a column came, or the player entered its column; None before the first column."""
        last = self.terrain.last_column_at
        return None if last is None else now - max(last, self.motion.column_entered_at)

    def _unannounced(self, columns: Anchor) -> int:
        return sum((x, z) not in self.store.row_of for x, z in columns.columns().tolist())


def _are(count: int, unit: str, what: str) -> str:
    return f"{count} {unit} is {what}" if count == 1 else f"{count} {unit}s are {what}"
