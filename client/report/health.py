"""``health``: waits until the world is settled, and lists what is wrong by kind.

| kind          | of          | what is wrong                                                                    |
|---------------|-------------|----------------------------------------------------------------------------------|
| join          | steps       | a step of the join is missing or wrong (``join_steps``)                          |
| never sent    | columns     | the server left them out within the radius and the circle (``publisher_area``)   |
| refused       | sub-chunks  | the server answered with an error code; one problem for each code                |
| late          | sub-chunks  | a request was not answered in time, and no answer came since (``are_late``)      |
| undecodable   | sub-chunks  | the bytes of the answer do not decode; one problem for each cause                |
| unknown block | sub-chunks  | blocks have ids that the palette of the protocol does not have                   |
| height map    | sub-chunks  | the height map contradicts the blocks that came with it                          |
| no room       | sub-chunks  | the blocks came, and the pools had no free slot                                  |
| unmeshed      | sub-chunks  | the blocks are known and cannot be drawn; reported by the renderer               |
| unlit         | sub-chunks  | the blocks are known and have no light; reported by a window's renderer only     |
| messages      | messages    | packets that do not decode or are unsolicited                                    |

Rules:
1. Sub-chunks that were not requested are no problem, nor are those that were refused or late and came later.
2. A problem has one sentence, that of ``why`` for the first of its places; that of ``join`` for a step.
3. The wait ends early if everything still missing was requested in vain (``settle.asked_in_vain``).
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import Progress, counted
from client.connection.settle import asked_in_vain, expect_time, held_elsewhere
from client.connection.stats import Corner, Settled, boxes, lines_of_boxes
from client.errors import CHECK_FAILED, DONE, INCOMPLETE
from client.report.why import Foreseer, facts_of
from client.report.why_text import verdict
from client.session.join_steps import owed_columns
from client.session.request_log import are_late, have_unknown_blocks, heights_contradict
from client.session.session import Session
from client.session.stats import states_of, warnings_of, words_of_states
from client.source import one_line, warning_lines
from client.streaming.anchors import Anchor
from client.world.history import KEPT
from client.world.lifecycle import StateEvent, SubChunkState
from net.arrays import Places, Rows, SubChunkPositions
from net.space import BlockPos, SubChunkPos, coordinates

JOIN: Final = "join"
VALUE: Final = re.compile(r"-?\d+")
"""What differs between sub-chunks of one cause, in the text of a fault: offsets, indices and values."""
SUMMARIES: Final = {
    JOIN: "a step of the join is missing or wrong",
    "unknown block": "{number} with unknown blocks",
    "height map": "{number} with a wrong height map",
    "no room": "{number} without memory",
    "messages": "{number}",
    "unknown fog": "{number} unknown",
}
"""``Problem.summary`` of kinds that do not say alone what is counted."""


class Problem(msgspec.Struct, frozen=True):
    """All problems of one kind."""

    # join, never sent, refused, late, undecodable, unknown block, height map, no room, unmeshed, unlit or messages;
    # in the window also unknown fog
    kind: str
    unit: str  # what is counted: steps, columns, sub-chunks or messages
    count: int  # how many
    sentence: str  # the sentence of ``why`` for the first place
    # seconds from the session's start, of late places of the first request; None: never sent, or unknown
    first_seen_s: float | None = None
    block: BlockPos | None = None  # a block of the first place, for ``why``; None where the problem has no place
    places: tuple[Corner, ...] = ()  # x, y, z of sub-chunks, or x, z of columns; those nearest to the player first

    @property
    def heading(self) -> str:
        if self.kind == JOIN:
            return f"{JOIN}: {counted(self.count, 'step')} is missing or wrong"
        first = "first requested" if self.kind == "late" else "first"
        since = "" if self.first_seen_s is None else f", {first} at {self.first_seen_s:.3f} s"
        return f"{self.kind}: {self._number}{since}"

    @property
    def summary(self) -> str:
        """The problem as a part of one line, ``13 never sent`` or ``2 sub-chunks with unknown blocks``."""
        return SUMMARIES.get(self.kind, "{count:,} {kind}").format(
            count=self.count, kind=self.kind, number=self._number
        )

    @property
    def _number(self) -> str:
        return counted(self.count, self.unit.removesuffix("s"))

    @property
    def boxes(self) -> list[tuple[Corner, Corner]]:
        """The places merged into boxes, in the order of their places nearest to the player."""
        number_of = {place: number for number, place in enumerate(self.places)}

        def nearest(box: tuple[Corner, Corner]) -> int:
            axes = [range(low, high + 1) for low, high in zip(*box, strict=True)]
            return min(number_of[place] for place in product(*axes))

        return sorted(boxes(self.places), key=nearest)

    def lines(self, source: str) -> list[str]:
        """The problem as text; ``source``: of the command that explains its first place."""
        command = "" if self.block is None else f"why {shlex.quote(source)} --at={coordinates(self.block)}"
        if self.kind == JOIN:
            command = f"join {shlex.quote(source)}"
        return [
            self.heading,
            f"  {self.sentence}",
            *([f"  chunkscope {command}"] if command else []),
            *lines_of_boxes(self.boxes, self.unit),
        ]


class Undrawn(msgspec.Struct, frozen=True, eq=False):
    """Sub-chunks with blocks that are missing or dark in the picture: int32[n, 3] each."""

    unmeshed: SubChunkPositions  # those without a mesh
    unlit: SubChunkPositions  # those without light, or without a light slot


def counts_of(problems: Sequence[Problem]) -> str:
    """The count of each kind; empty without problems."""
    kinds: dict[str, Problem] = {}
    for problem in problems:
        before = kinds.get(problem.kind)
        kinds[problem.kind] = problem if before is None else replace(before, count=before.count + problem.count)
    return ", ".join(problem.summary for problem in kinds.values())


EDGE: Final = "Missing, but not counted, since some servers do not send the edge and the corners of the radius: {}."


class HealthReport(msgspec.Struct, frozen=True):
    """The problems of a source."""

    source: str  # the opened source
    # one for each kind, each code of refusals, and each cause (field and reason) of undecodable bytes
    problems: tuple[Problem, ...]
    settled: bool  # whether nothing was outstanding any more, as ``complete`` of ``why``
    waiting_for: str  # what was outstanding at the end; empty where nothing was
    columns: int  # how many chunk columns the server announced
    states: dict[str, int]  # sub-chunks of those columns by state's name
    hint: str  # how to check what is hidden from the player; empty where nothing is, or of a recording
    warnings: tuple[str, ...]  # mistakes of the server, one line for each kind
    edge: int = 0  # missing columns at the edge or in the corners of the radius, which are not counted
    recorded: str = ""  # of a recording, the source that it was made of; else empty

    @property
    def exit_code(self) -> int:
        """1 if there are problems, else 0, or 4 if more data was to come."""
        return CHECK_FAILED if self.problems else DONE if self.settled else INCOMPLETE

    def text(self) -> str:
        """The report as text; the first line says whether anything is wrong."""
        of = f" (of {self.recorded})" if self.recorded else ""
        waited = [] if self.settled else [f"not complete: {self.waiting_for}"]
        found = [line for problem in self.problems for line in ("", *problem.lines(self.source))]
        lines = [
            f"{self.source}{of}: {counts_of(self.problems) or 'no problems found'}",
            *waited,
            f"{self.columns:,} columns announced. Sub-chunks: {words_of_states(self.states)}.",
            *([EDGE.format(counted(self.edge, "column"))] if self.edge else []),
            *([self.hint] if self.hint else []),
            *found,
        ]
        warnings = warning_lines(self.warnings)
        return "\n".join([*lines, *([""] if found and warnings else []), *warnings])


# ---------------------------------------------------------------- problems


def find_problems(
    session: Session,
    now: float,
    undrawn: Undrawn | None = None,
    foresee: Foreseer | None = None,
    *,
    complete: bool = False,
) -> tuple[Problem, ...]:
    """The present problems.

    ``undrawn``: what is missing in the picture; None without a renderer. ``foresee``: says why a place is missing in
    the picture; required with ``undrawn``. ``complete``: whether no more columns will come, so that those missing at
    the edge count, too.
    """
    rows = session.dimension.store.announced_rows
    return with_sentences(list(_Search(session, now, rows).problems(undrawn, complete=complete)), session, now, foresee)


def with_sentences(
    found: Sequence[Problem], session: Session, now: float, foresee: Foreseer | None
) -> tuple[Problem, ...]:
    """Found problems with the sentences of their blocks."""

    def sentence(block: BlockPos) -> str:
        announced = block.column in session.dimension.store.row_of
        return verdict(facts_of(session, block, now, foresee(session, block) if foresee and announced else None))

    return tuple(each if each.block is None else replace(each, sentence=sentence(each.block)) for each in found)


class _Search:
    """One search in one session, among some rows of its store; what has a block gets its sentence afterwards."""

    def __init__(self, session: Session, now: float, rows: Rows) -> None:
        self._session, self._now = session, now
        self._store = session.dimension.store
        self._places = self._store.places_of_rows(rows)
        self._states = self._store.state[self._places]

    def problems(self, undrawn: Undrawn | None, *, complete: bool, ended: bool = False) -> Iterator[Problem]:
        """``ended``: nothing is waited for any more, so that steps of the join which did not come are missing."""
        yield from self._join(ended)
        yield from self._never_sent(complete)
        refused = self._of(SubChunkState.REFUSED)
        for code in np.unique(self._store.refusal[refused]).tolist():
            yield from self._at("refused", refused[self._store.refusal[refused] == code])
        yield from self._at("late", self._places[are_late(self._store, self._session.ledger, self._places)])
        for places in self._undecodable():
            yield from self._at("undecodable", places)
        unknown = have_unknown_blocks(self._store, self._places) & (self._states == SubChunkState.DATA)
        yield from self._at("unknown block", self._places[unknown])
        verdicts = self._store.attached.heights.verdict[self._places]
        yield from self._at("height map", self._places[heights_contradict(verdicts, unknown)])
        yield from self._at("no room", self._roomless())
        if undrawn is not None:
            yield from self._at("unmeshed", self._searched(undrawn.unmeshed))
            yield from self._at("unlit", self._searched(undrawn.unlit))
        yield from self._messages()

    def _of(self, state: SubChunkState) -> Places:
        found: Places = self._places[self._states == state]
        return found

    def _searched(self, positions: SubChunkPositions) -> Places:
        places = self._store.places_of(positions)
        return places[np.isin(places, self._places)]

    def _undecodable(self) -> Iterator[Places]:
        """The places of each cause: a field and a reason, with any values in them."""
        places = self._of(SubChunkState.UNDECODABLE)
        causes = np.array([VALUE.sub("", self._store.history.fault(place) or "") for place in places.tolist()])
        yield from (places[causes == cause] for cause in np.unique(causes))

    def _roomless(self) -> Places:
        """Places whose blocks came and found no free slot; places evicted to save memory had blocks before."""
        evicted, history = self._of(SubChunkState.EVICTED), self._store.history
        last = (history.noted[evicted].astype(np.int64) - 1) % KEPT
        had_blocks = np.isin(history.befores[evicted, last], (SubChunkState.DATA, SubChunkState.RESET))
        found: Places = evicted[(history.causes[evicted, last] == StateEvent.RELEASED) & ~had_blocks]
        return found

    def _join(self, ended: bool) -> Iterator[Problem]:
        """Steps of the join; unknown blocks, refusals and missing columns are kinds of their own."""
        if fault := self._session.join_fault(self._now, complete=ended, steps_only=True):
            yield Problem(JOIN, "steps", 1, f"{one_line(fault[0].upper() + fault[1:])}.")

    def _never_sent(self, complete: bool) -> Iterator[Problem]:
        session, store = self._session, self._store
        playing, centre = session.spawn.phase.value == "playing", session.movement.eye.column
        columns: npt.NDArray[np.int32] = session.unsent_columns(complete=complete)
        lost = playing and (centre not in store.row_of if complete else not store.row_of)
        if lost:  # the server sends nothing to where the player is
            square = Anchor.square(centre, session.radius).columns()
            columns = square[[(x, z) not in store.row_of for x, z in square.tolist()]]
        if not len(columns):
            return
        places = self._nearest_first(columns)
        y = store.dimension.floor_section + store.dimension.sections // 2
        x, z = places[0]
        yield self._problem("never sent", "columns", places, SubChunkPos(x, y, z), None)

    def _nearest_first(self, positions: npt.NDArray[np.int32]) -> tuple[Corner, ...]:
        """Columns or sub-chunks, ordered by the distance of their columns, then by position: int32[n, 2 or 3]."""
        away = positions[:, [0, -1]] - np.array(self._session.movement.eye.column)
        order = np.lexsort((*positions.T[::-1], (away * away).sum(axis=1)))
        return tuple(tuple(at) for at in positions[order].tolist())

    def _at(self, kind: str, found: Places) -> Iterator[Problem]:
        if not len(found):
            return
        since = self._store.since[found]
        first = float(since[since > 0].min(initial=np.inf))
        places = self._nearest_first(self._store.positions_of(found))
        seen_s = None if first == np.inf else round(first - self._session.started_at, 3)
        yield self._problem(kind, "sub-chunks", places, SubChunkPos(*places[0]), seen_s)

    def _problem(
        self, kind: str, unit: str, places: tuple[Corner, ...], at: SubChunkPos, seen_s: float | None
    ) -> Problem:
        block = BlockPos(*(axis + 8 for axis in at.origin))
        return Problem(kind, unit, len(places), "", seen_s, block, places)

    def _messages(self) -> Iterator[Problem]:
        found, outbox = self._session.dimension.terrain.stats(), self._session.outbox
        ledger = self._session.ledger.stats()
        for count, words in warnings_of(found, ledger, outbox.faulty, outbox.last_fault, messages_only=True):
            yield Problem("messages", "messages", count, f"{one_line(words)}.")


# ---------------------------------------------------------------- health

Finder = Callable[[Session], Undrawn]


def health(
    connection: Connection,
    *,
    undrawn: Finder | None = None,
    foresee: Foreseer | None = None,
    progress: Progress | None = None,
) -> HealthReport:
    """Waits until the world is settled, and says what is wrong.

    ``undrawn``, ``foresee``: as in ``find_problems``. Raises SourceError: the source ended the session; UsageError: as
    ``wait_known``.
    """
    ended = wait_known(connection, connection.options.timeout_s, progress)
    session = connection.session
    missing = undrawn(session) if undrawn else None
    over = ended.settled or asked_in_vain(session) is not None
    complete = over and session.waits.columns_complete(connection.now)
    rows = reported_rows(connection)
    found = list(_Search(session, connection.now, rows).problems(missing, complete=complete, ended=over))
    if found:  # sentences say whether a block's light is final; a whole world needs none
        connection.light_up()
    problems = with_sentences(found, session, connection.now, foresee)
    states = states_of(session.dimension.store, rows)
    return HealthReport(
        str(connection.opened),
        problems,
        ended.settled,
        ended.waiting_for,
        len(rows),
        states,
        _hidden(connection, states),
        connection.statistics().session.warnings,
        _edge(session, problems) if complete else 0,
        str(connection.source) if connection.replay else "",
    )


def _edge(session: Session, problems: Sequence[Problem]) -> int:
    """How many columns are missing that do not count as never sent."""
    missing = sum(not came for came, _ in owed_columns(session))
    return max(missing - sum(each.count for each in problems if each.kind == "never sent"), 0)


def _hidden(connection: Connection, states: dict[str, int]) -> str:
    """How many sub-chunks nobody requested since they are hidden, and the option that requests them."""
    count = states.get(SubChunkState.UNKNOWN.name.lower(), 0)
    if not count or connection.replay or any(pin.everything for pin in connection.options.pins):
        return ""
    session = connection.session
    at = session.movement.eye.block
    opened = shlex.quote(str(connection.opened))
    command = f"chunkscope health {opened} --pin-all={coordinates((at.x, at.z))},{session.radius}"
    return f"{count:,} sub-chunks are hidden from the player and were not requested. To check them, too: {command}"


def reported_rows(connection: Connection) -> Rows:
    """Rows of the announced columns that a report is about.

    After a flight to ``Options.at`` these are the columns that an anchor holds: others that the player passed may still
    be stored.
    """
    store, anchors = connection.session.dimension.store, connection.session.anchors
    rows = store.announced_rows
    if connection.options.at is None:
        return rows
    held: Rows = rows[anchors.counts(store.columns[rows]) > 0]
    return held


def wait_known(connection: Connection, timeout_s: float, progress: Progress | None) -> Settled:
    """Until nothing is missing, all that is was asked in vain, or the time is over; no light is made.

    Not settled either if the server keeps the player from the place of ``Options.at``. Raises UsageError: the player
    needs longer than that to get there.
    """
    if connection.replay:
        ended = connection.wait_settled(timeout_s, progress)
        words = None if ended else asked_in_vain(connection.session)
        return replace(ended, waiting_for=words) if words else ended
    expect_time(connection.session, timeout_s)
    ended = connection.wait_for(connection.unsettled, timeout_s, progress, connection.in_vain)
    held = held_elsewhere(connection.session)
    return Settled(False, held, ended.seconds) if held else ended
