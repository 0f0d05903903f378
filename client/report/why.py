"""``why``: the state and history of the sub-chunk of a block, and the reason in one sentence.

It waits until the place is settled, collects the facts (``why_facts``) and words them (``why_text``). The renderer
passes in its part as a ``DrawDiagnosis``, since ``client`` does not know rendering.

Rules:
1. The player stays where the server spawned it and requests only what any player there would. With ``ask`` an anchor is
   pinned on the place's column and those around it, and the player goes there.
2. The wait ends when the place is data, air, refused or undecodable; or when nothing is wanted or outstanding any more;
   or when all that is still missing was requested three times in vain; or when the player has long been there and its
   column does not come; or at the time-out. Of data and air, the surroundings may take ``AROUND_S`` more, for light.
3. For a recording, its end counts, or the named moment; no requests are possible.
"""

import math
import shlex
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from assets.traits import BlockClass
from client.connection.connection import Connection
from client.connection.opening import Progress
from client.connection.settle import asked_in_vain, expect_time, held_elsewhere
from client.errors import DONE, INCOMPLETE, UsageError
from client.player import Eye, View
from client.report.entities import standing_in
from client.report.why_facts import (
    BlockFacts,
    ChangeFacts,
    ColumnFacts,
    DrawDiagnosis,
    LightFacts,
    PastEvent,
    RequestFacts,
    WantFacts,
    WhyFacts,
    code_name,
)
from client.report.why_text import LABEL_WIDTH, lines, verdict
from client.session.request_log import ANSWERS, are_late
from client.session.session import Session
from client.session.terrain import ReceivedChange
from client.session.weather import name_of
from client.source import one_line
from client.streaming.anchors import Anchor
from client.streaming.ledger import STATUSES
from client.world.history import NO_CODE, NO_PACKET, SubChunkEvent
from client.world.lifecycle import OPEN_STATES, SHOWN_STATES, StateEvent, SubChunkState, shown_in
from client.world.places import NO_LIMIT
from net.arrays import BlockIds
from net.space import UNKNOWN_BIOME, BlockPos, ColumnPos, SubChunkPos, coordinates
from net.subchunk.height_kernels import UNKNOWN_TOP

MOST_STATES: Final = 6  # most frequent block states of a sub-chunk that are named
OF_COLUMN: Final = (
    *(StateEvent.ANNOUNCED, StateEvent.ABOVE_LIMIT),
    *(StateEvent.COLUMN_DATA, StateEvent.COLUMN_AIR, StateEvent.COLUMN_BROKEN),
)
PACKETS: Final = dict.fromkeys(OF_COLUMN, "LevelChunk") | dict.fromkeys(ANSWERS, "SubChunk")
"""Packet type of each cause that has only one."""


def facts_of(
    session: Session, block: BlockPos, now: float, outlook: DrawDiagnosis | None = None, *, ended: bool = False
) -> WhyFacts:
    """The facts of a block's sub-chunk; the block must be inside the dimension.

    ``outlook``: the renderer's part. ``ended``: nothing is waited for any more, so that steps of the join which did not
    come are missing.
    """
    return _Place(session, block, now, ended).facts(outlook)


class _Place:
    """Reads one place of a session."""

    def __init__(self, session: Session, block: BlockPos, now: float, ended: bool) -> None:
        self._ended = ended
        self._session, self._store, self._now = session, session.dimension.store, now
        self._block, self._at = block, block.subchunk
        self._row = self._store.row_of.get(block.column)
        self._place = self._store.place_of(self._at)
        self._state = self._store.state_of(self._at)
        self._events = self._store.history.of(self._place) if self._row is not None else ()

    def facts(self, outlook: DrawDiagnosis | None) -> WhyFacts:
        store, announced = self._store, self._row is not None
        code = int(store.refusal[self._place]) if announced else 0
        named = bool(code) or self._state is SubChunkState.REFUSED
        hidden = shown_in(self._state) == "placeholder"
        return WhyFacts(
            block=self._block,
            subchunk=self._at,
            dimension=store.dimension.name,
            protocol=self._session.config.protocol,
            now_s=self._seconds(self._now),
            state=self._state.name.lower(),
            shown=shown_in(self._state),
            since_s=self._seconds(store.since[self._place]) if store.since[self._place] else None,
            code=(code, code_name(code)) if named else None,
            fault=store.history.fault(self._place) if announced else None,
            faults=self._faults(),
            history=tuple(self._happening(event) for event in self._events),
            history_lost=store.history.lost(self._place) if announced else 0,
            column=self._column(self._row) if self._row is not None else None,
            request=self._request() if announced else None,
            want=self._want(),
            height_verdict=store.height_verdict_of(self._at).name.lower(),
            surface_y=self._surface_y() if announced else None,
            states=(0, ()) if hidden else self._palette(store.blocks_of(self._at)),
            layer1_states=(0, ()) if hidden else self._palette(store.layer1_of(self._at)),
            unknown_ids=0 if hidden else self._unknown_ids(),
            block_facts=None if hidden else self._block_facts(),
            light=self._light() if announced else None,
            waiting=self._waiting(),
            entities=len(store.block_entities(self._block.column)),
            revision=int(store.revision[self._place]) if announced else 0,
            placeholders_beside=self._placeholders_beside() if announced else 0,
            outlook=outlook,
            standing=standing_in(self._session, self._at, self._now),
        )

    def _surface_y(self) -> int | None:
        top = int(self._store.height_map(self._block.column)[(self._block.z & 15) << 4 | self._block.x & 15])
        return None if top == UNKNOWN_TOP else top

    def _seconds(self, at: float) -> float:
        return round(float(at) - self._session.started_at, 3)

    def _happening(self, event: SubChunkEvent) -> PastEvent:
        told = event.packet != NO_PACKET
        return PastEvent(
            at_s=self._seconds(event.time_s),
            packet=event.packet + 1 if told else None,  # people and --moment count from 1
            packet_name=PACKETS.get(event.cause) if told else None,
            cause=event.cause.name.lower(),
            before=event.before.name.lower(),
            after=event.after.name.lower(),
            code=None if event.code == NO_CODE else event.code,
            code_name=None if event.code == NO_CODE else code_name(event.code),
            times=event.times,
        )

    def _column(self, row: int) -> ColumnFacts:
        store = self._store
        announced = [event for event in self._events if event.cause in OF_COLUMN]
        limit = int(store.limit[row])
        biomes = store.biomes_of(self._at)
        biome = int(biomes[self._block.in_subchunk])
        return ColumnFacts(
            announced_s=self._seconds(announced[-1].time_s) if announced else None,
            limit_section=None if limit == NO_LIMIT else limit + store.dimension.floor_section,
            limit=None if limit == NO_LIMIT else limit,
            whole=bool(store.whole[row]),
            excess_bytes=int(store.excess_bytes[row]),
            biome=None if biome == UNKNOWN_BIOME else biome,
            biome_name=None if biome == UNKNOWN_BIOME else name_of(biome, self._session.environment.biome_names),
            biomes=len(np.unique(biomes)) if biome != UNKNOWN_BIOME else 0,
            missing_around=int((store.column_neighbours[row] == 0).sum()),
            stale=bool(self._session.dimension.terrain.staleness.rows[row]),
        )

    def _request(self) -> RequestFacts | None:
        entry = self._session.ledger.entries.entry(self._place)
        if entry is None:
            return None
        due_s = None if entry.due is None else self._seconds(entry.due)
        asked_s = self._seconds(entry.asked_at)
        late = bool(are_late(self._store, self._session.ledger, np.array([self._place]))[0])
        return RequestFacts(STATUSES[entry.status], entry.asked, asked_s, entry.tries, entry.silences, due_s, late)

    def _want(self) -> WantFacts:
        session, column = self._session, self._block.column
        at = np.array([column], np.int32)
        away = session.movement.eye.column.chebyshev(column)
        circle = session.dimension.terrain.staleness.publisher
        return WantFacts(
            in_plan=self._row is not None and self._place in session.dimension.requests.asking.wanted,
            ticking=away <= session.config.limits.ticking_radius,
            anchors=tuple(name for name, anchor in session.anchors.items() if anchor.holds(at)[0]),
            player=session.movement.eye,
            away_columns=away,
            radius_columns=session.radius + 1,
            published_blocks=None if circle is None else circle.radius_blocks,
            away_blocks=None if circle is None else round(16 * math.dist(circle.centre.column, column), 1),
            join_fault=session.join_fault(self._now)
            or session.join_fault(self._now, complete=self._ended, steps_only=True),
            in_circle=session.dimension.terrain.staleness.in_circle(column),
            paused=session.ledger.paused,
            phase=session.spawn.phase.value,
            closed=session.spawn.closed_reason,
            around=sum((x, z) in self._store.row_of for x, z in Anchor.square(column, 1).columns().tolist())
            - (self._row is not None),
        )

    def _palette(self, dense: BlockIds) -> tuple[int, tuple[tuple[str, int], ...]]:
        counted = Counter(dense.tolist())
        named = tuple((str(self._store.table.states[one]), count) for one, count in counted.most_common(MOST_STATES))
        return len(counted), named

    def _unknown_ids(self) -> int:
        table, dense = self._store.table, np.unique(self._store.blocks_of(self._at))
        return int(np.count_nonzero(dense >= len(table.states) - table.appended))

    def _block_facts(self) -> BlockFacts:
        store, block = self._store, self._block
        view = store.block(block)
        cracking = store.cracking(block)
        return BlockFacts(
            name=view.name,
            states=view.states,
            runtime_id=None if view.runtime_id == 0xFFFFFFFF else view.runtime_id,
            layer1_name=view.layer1_name,
            layer1_states=view.layer1_states,
            further=tuple(
                str(store.table.states[dense])
                for dense in store.further_layers_of(self._at)[:, block.in_subchunk].tolist()
            ),
            small_value=int(store.small_values_of(self._at)[block.in_subchunk]),
            entity=store.block_entity(block),
            mined=None if cracking is None else round(cracking.progress(self._now), 3),
            events=tuple(
                (self._seconds(e.time_s), e.packet + 1, e.what, e.times)
                for e in self._session.dimension.events.at(block)
            ),
            changes=tuple(self._change(told) for told in self._session.dimension.terrain.changes.at(block)),
        )

    def _change(self, told: ReceivedChange) -> ChangeFacts:
        dense = self._store.table.find(told.runtime_id)
        return ChangeFacts(
            at_s=self._seconds(told.time_s),
            packet=told.packet + 1,
            layer=told.layer,
            block="" if dense is None else self._store.table.states[dense].name,
            actor_id=told.actor_id,
            actor=self._session.entities.title_of(told.actor_id) if told.actor_id else "",
            unchanged=told.unchanged,
        )

    def _light(self) -> LightFacts:
        light, store = self._session.dimension.light, self._store
        value = light.at(self._place, self._block.in_subchunk)
        block = int(store.blocks_of(self._at)[self._block.in_subchunk])
        opaque = store.table.classes[block] == BlockClass.OPAQUE  # no light enters it, whatever is missing
        final = self._row is not None and bool(opaque or light.final_at(store, self._place))
        return LightFacts(value & 15, value >> 4 & 15, value >> 8 & 15, value >> 12, final)

    def _waiting(self) -> tuple[tuple[int, int, int, int, str], ...]:
        origin, states = self._at.origin, self._store.table.states
        return tuple(
            (origin.x + (cell >> 8), origin.y + (cell & 15), origin.z + (cell >> 4 & 15), layer, str(states[dense]))
            for layer, cell, dense in self._store.waiting_changes(self._at)
        )

    def _placeholders_beside(self) -> int:
        return int(self._store.is_placeholder(self._store.neighbours[self._place]).sum())

    def _faults(self) -> tuple[str, ...]:
        """Other faults of this sub-chunk, and those of its column's packet, which name its lowest sub-chunk."""
        column = ColumnPos(self._at.x, self._at.z)
        lowest = SubChunkPos(column.x, self._store.dimension.floor_section, column.z)
        starts = (
            f"sub-chunk {coordinates(self._at)}:",
            f"sub-chunk {coordinates(lowest)}:",
            f"LevelChunk.column {coordinates(column)}:",
        )
        kept = self._session.stats(self._now).terrain.last_faults
        own = f"sub-chunk {coordinates(self._at)}: {self._store.history.fault(self._place)}"  # the sentence names it
        return tuple(fault for fault in kept if fault.startswith(starts) and fault != own)


ANCHOR: Final = "why"
AROUND_S: Final = 5.0
MARGIN_COLUMNS: Final = 1
ELSEWHERE: Final = "made mistakes in this session, here or elsewhere: chunkscope health lists them"
HINT: Final = "The game draws nothing here ({})."
STEPS_HINT: Final = "To see all steps of the join:"
ASK_HINT: Final = "To move the player there and request it, seen or not, add --ask."
SETTLED_STATES: Final = SHOWN_STATES | {SubChunkState.REFUSED, SubChunkState.UNDECODABLE}
Foreseer = Callable[[Session, BlockPos], DrawDiagnosis]


class WhyReport(msgspec.Struct, frozen=True):
    """The state of a place, and its history."""

    sentence: str  # its state now, and why
    facts: WhyFacts  # all facts and the history
    complete: bool  # whether it will not change any more
    waiting_for: str  # what had not arrived when the time ran out, or empty
    warnings: tuple[str, ...] = ()  # mistakes of the server, one line for each kind
    packets: str = ""  # of a recording, the command that lists the packets about a place without blocks; else empty
    # how to request a place that the player does not see, or is too far away from; that the game does not draw it
    # because of a step of the join; else empty
    hint: str = ""

    @property
    def exit_code(self) -> int:
        """0, or 4 if it may still change."""
        return DONE if self.complete else INCOMPLETE

    def text(self) -> str:
        waited = [] if self.complete else [f"not final: {self.waiting_for}"]
        seen = [f"its packets: {self.packets}"] if self.packets else []
        hint = [self.hint] if self.hint else []
        wrong = [f"{'the server':<{LABEL_WIDTH}}{ELSEWHERE}"] if self.warnings or self.facts.unknown_ids else []
        return "\n".join([self.sentence, *waited, *hint, "", *lines(self.facts), *seen, *wrong])

    def __str__(self) -> str:
        return self.text()


def why(
    connection: Connection,
    block: BlockPos,
    timeout_s: float | None = None,
    *,
    ask: bool = False,
    foresee: Foreseer | None = None,
    progress: Progress | None = None,
) -> WhyReport:
    """Waits until a block's sub-chunk is settled, and reports why it looks as it does.

    ``timeout_s``: of the wait; the connection's own unless given. ``ask``: whether to request it, seen or not.
    ``foresee``: returns the renderer's part. Raises UsageError: the block is outside the dimension, or ``ask`` for a
    recording; SourceError: the source ended the session.
    """
    timeout_s = connection.options.timeout_s if timeout_s is None else timeout_s
    expect_inside(connection, block)
    if ask:
        pin(connection, block)
        expect_time(connection.session, timeout_s)
    waiting_for = _wait(connection, block, timeout_s, Anchor.square(block.column, 0) if ask else None, progress)
    expect_inside(connection, block)  # the player may have changed dimension meanwhile
    session = connection.session
    told = foresee(session, block) if foresee else None
    facts = facts_of(session, block, connection.now, told, ended=not waiting_for)
    rests = connection.replay is not None or not waiting_for  # no more will come than is already wanted
    complete = facts.knowledge in SETTLED_STATES or (rests and facts.knowledge not in OPEN_STATES)
    goes_on = connection.replay is not None and not connection.replay.position.at_end
    if connection.replay is not None and not goes_on and facts.request is not None:  # nothing is requested any more
        facts = replace(facts, request=replace(facts.request, due_s=None))
    missing = "" if complete else _missing(connection, facts, waiting_for, goes_on)
    hole = connection.replay is not None and facts.knowledge not in SHOWN_STATES
    x, y, z = facts.block
    packets = f"chunkscope packets {shlex.quote(str(connection.opened))} --at={x},{y},{z}" if hole else ""
    unasked = not ask and connection.replay is None and _is_out_of_sight(facts)
    hint = ASK_HINT if unasked else undrawn_hint(session, facts, connection.now, ended=not waiting_for)
    if hint and not unasked:
        hint = f"{hint} {STEPS_HINT} chunkscope join {shlex.quote(str(connection.opened))}"
    return WhyReport(
        verdict(facts, goes_on),
        facts,
        complete,
        missing,
        session.stats(connection.now).warnings,
        packets,
        hint,
    )


def _missing(connection: Connection, facts: WhyFacts, waiting_for: str, goes_on: bool) -> str:
    if connection.replay is not None and not goes_on:
        return f"not answered when the recording ended ({facts.now_s:.3f} s)"
    late = facts.request is not None and facts.request.late
    return held_elsewhere(connection.session) or ("its answer may still come" if late else waiting_for)


def undrawn_hint(session: Session, facts: WhyFacts, now: float, *, ended: bool = False) -> str:
    """That the game does not draw what came, since the server's circle does not hold it; else empty."""
    if facts.want.in_circle or facts.want.closed is not None or facts.knowledge not in SHOWN_STATES:
        return ""  # of a recording whose session ended the steps say no more than that
    fault = session.join_fault(now, complete=ended, steps_only=True)
    return HINT.format(one_line(fault)) if fault else ""


def _is_out_of_sight(facts: WhyFacts) -> bool:
    """Whether no player at the spawn requests the place: it is too far away, or hidden."""
    if facts.column is None:
        return facts.want.away_columns > facts.want.radius_columns
    return facts.knowledge is SubChunkState.UNKNOWN and not (facts.want.in_plan or facts.want.ticking)


def expect_inside(connection: Connection, block: BlockPos) -> None:
    """Raises UsageError: the block is above or below the world."""
    dimension = connection.session.dimension.store.dimension
    if not dimension.holds_section(block.subchunk.y):
        reach = f"{dimension.floor_y_blocks} to {dimension.roof_y_blocks - 1}"
        raise UsageError(f"Block {block.x},{block.y},{block.z} lies outside the {dimension.name}: y must be {reach}.")


def pin(connection: Connection, block: BlockPos) -> None:
    """Requests the column and those around it, and moves the player there. Raises UsageError: it is a recording."""
    if connection.replay:
        raise UsageError("A recording cannot send requests: leave out --ask.")
    view = connection.session.movement.view
    connection.session.pin(ANCHOR, Anchor.square(block.column, MARGIN_COLUMNS))
    connection.look(View(Eye(block.x + 0.5, block.y + 0.5, block.z + 0.5), view.yaw_deg, view.pitch_deg))


def _wait(
    connection: Connection, block: BlockPos, timeout_s: float, within: Anchor | None, progress: Progress | None
) -> str:
    """Pumps until the place is settled; returns what is missing when the time runs out first, else empty."""
    replay = connection.replay
    if replay:
        if connection.options.start is not None:
            replay.pause()
        return connection.wait_settled(timeout_s, progress).waiting_for

    def state() -> SubChunkState:
        return connection.session.dimension.store.state_of(block.subchunk)

    def missing(now: float) -> str | None:
        return None if state() in SETTLED_STATES else connection.unsettled(now, within)

    ended = connection.wait_for(missing, timeout_s, progress, lambda now: connection.in_vain(now, within))
    if state() in SHOWN_STATES:
        left_s = min(AROUND_S, timeout_s - ended.seconds)
        connection.wait_for(lambda now: connection.unsettled(now, within), left_s, progress, connection.in_vain)
    connection.light_up()
    return ended.waiting_for if state() in OPEN_STATES or asked_in_vain(connection.session) is None else ""
