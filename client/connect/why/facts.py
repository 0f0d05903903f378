"""Everything that is known of one block's sub-chunk, gathered from a session. Frozen; plain values, ready for JSON.

Rules:
1. Times are seconds since the session was made, so that they are those of a recording as well; None: never.
2. Nothing is guessed: what nobody told is None or empty. What follows from it is said in ``verdict``.
3. The last ``KEPT`` things that happened are known (``client.world.history``), older ones are counted.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from client.player import Eye
from client.session.biome_names import name_of
from client.session.session import Session
from client.streaming.entries import STATUSES
from client.world.history import NO_CODE, NO_PACKET, Event
from client.world.lifecycle import Cause, Knowledge, shown_in
from client.world.places import NO_LIMIT
from net.bedrock import SubChunkResult
from net.frozen import frozen
from net.space.layout import UNKNOWN_BIOME, BlockIds
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.height_kernels import UNKNOWN_TOP

MOST_STATES: Final = 6
"""Block states of a sub-chunk that are named, the most frequent ones."""
PACKETS: Final = {
    **dict.fromkeys(
        (Cause.ANNOUNCED, Cause.ABOVE_LIMIT, Cause.COLUMN_DATA, Cause.COLUMN_AIR, Cause.COLUMN_BROKEN), "LevelChunk"
    ),
    **dict.fromkeys(
        (Cause.ANSWER_DATA, Cause.ANSWER_AIR, Cause.ANSWER_BROKEN, Cause.ANSWER_REFUSED, Cause.ANSWER_IGNORED),
        "SubChunk",
    ),
    Cause.GIVEN_UP: "SubChunk",
    Cause.EDITED: "UpdateBlock",
}
"""Packets that do it, by cause; an EDITED may also come from UpdateSubChunkBlocks or UpdateBlockSynced."""


class Outlook(NamedTuple):
    """What whoever draws would make of the place.

    Attributes:
        meshed: whether anything of the sub-chunk would be drawn.
        told: the same in words, with the reason.
        lacks: why blocks that are here are not in the picture, or not as they should be; empty where they are. Its
            first word says which: Unmeshed, Unlit.
    """

    meshed: bool
    told: str
    lacks: str = ""


@frozen
class Happening:
    """One thing that happened to the sub-chunk, as ``client.world.history.Event``."""

    at_s: float
    packet: int | None
    packet_name: str | None
    cause: str
    before: str
    after: str
    code: int | None
    code_name: str | None
    times: int


@frozen
class ColumnFacts:
    """Its column.

    Attributes:
        announced_s: when, the last time; None where older events than are kept told it.
        limit_section: highest sub-chunk to ask for, absolute y; None where the skeleton named none.
        limit: the same as it came, counted from the floor.
        whole: whether it came whole, so that nothing of it can be asked for.
        excess_bytes: bytes behind its border blocks, which were ignored.
        biome: biome id at the block; None where nobody said.
        biome_name: its name, the server's or the game's; None where nobody named it.
        biomes: how many different ones its sub-chunk has.
        missing_around: columns of the eight around it that are not announced.
        stale: whether the server does not keep it up to date (``client.session.staleness``).
    """

    announced_s: float | None
    limit_section: int | None
    limit: int | None
    whole: bool
    excess_bytes: int
    biome: int | None
    biome_name: str | None
    biomes: int
    missing_around: int
    stale: bool


@frozen
class RequestFacts:
    """What was asked: the ledger's entry, see ``client.streaming.entries.Entry``."""

    status: str
    asked: int
    last_asked_s: float
    tries: int
    silences: int
    due_s: float | None


@frozen
class WantFacts:
    """Who wants it, and from where.

    Attributes:
        in_plan: whether the planner wants it now.
        ticking: whether its column lies in the ticking area around the player, which is asked without being seen.
        anchors: names of the anchors that were pinned over its column.
        player: the player's eye in blocks.
        away_columns: from the player's column, Chebyshev.
        radius_columns: what the server granted, and one more.
        in_circle: whether the server's circle holds its column; None while it named none.
        paused: whether requests pause, since the server does not know the player.
        phase: of the session.
        closed: why the session is over; None while it is not.
    """

    in_plan: bool
    ticking: bool
    anchors: tuple[str, ...]
    player: Eye
    away_columns: int
    radius_columns: int
    in_circle: bool | None
    paused: bool
    phase: str
    closed: str | None


@frozen
class BlockFacts:
    """The block itself, and what is attached to it.

    Attributes:
        name: of its first layer.
        states: its state values; likewise those of the second layer.
        runtime_id: the wire's; None where it has none.
        layer1_name: of the second layer.
        small_value: the byte of sub-chunk versions that have one.
        entity: its block entity; None without.
        mined: share that is broken, 0..1; None where nobody digs.
        events: what events and sounds told of it: (seconds, packet, name, times) each.
    """

    name: str
    states: Mapping[str, int | str | bool]
    runtime_id: int | None
    layer1_name: str
    layer1_states: Mapping[str, int | str | bool]
    small_value: int
    entity: Mapping[str, Any] | None  # Any: NBT
    mined: float | None
    events: tuple[tuple[float, int, str, int], ...]


@frozen
class LightFacts:
    """Light of the block, 0..15 each; ``final`` when nothing of the 3 x 3 columns can change it."""

    red: int
    green: int
    blue: int
    daylight: int
    final: bool


@frozen
class Facts:
    """All of it.

    Attributes:
        block: that was asked for.
        subchunk: that holds it.
        dimension: its name.
        now_s: when this was so.
        state: a Knowledge in lower case.
        shown: what is shown there: its blocks, its older blocks, air, placeholder.
        since_s: when it became so; None where it never changed.
        code: the last result code that was a failure, with its name; None where there was none.
        fault: why it is undecodable, with packet, field and offset.
        faults: what else of its column made no sense, as far as it is still known.
        history: oldest first.
        history_lost: older events, which are not known any more.
        column: None where it is not announced.
        request: None where it was never asked.
        want: who wants it.
        height_verdict: of its last height map against its blocks.
        surface_y: one above the top block of the block's column that dims light; None where unknown.
        states: how many block states it holds, and the most frequent with the number of blocks.
        layer1_states: likewise of the second layer, air alone left out.
        block_facts: None where it shows a placeholder.
        light: as made so far; None where its column is not announced.
        waiting: changes that wait for its blocks: (x, y, z, layer, name) each.
        entities: block entities in its column.
        revision: of what it shows; 0 before the first.
        placeholders_beside: of the six places beside it those that show placeholders.
        outlook: what a picture would make of it; None where nobody who draws was asked.
    """

    block: BlockPos
    subchunk: SubChunkPos
    dimension: str
    now_s: float
    state: str
    shown: str
    since_s: float | None
    code: tuple[int, str] | None
    fault: str | None
    faults: tuple[str, ...]
    history: tuple[Happening, ...]
    history_lost: int
    column: ColumnFacts | None
    request: RequestFacts | None
    want: WantFacts
    height_verdict: str
    surface_y: int | None
    states: tuple[int, tuple[tuple[str, int], ...]]
    layer1_states: tuple[int, tuple[tuple[str, int], ...]]
    block_facts: BlockFacts | None
    light: LightFacts | None
    waiting: tuple[tuple[int, int, int, int, str], ...]
    entities: int
    revision: int
    placeholders_beside: int
    outlook: Outlook | None

    @property
    def knowledge(self) -> Knowledge:
        """The state as a number."""
        return Knowledge[self.state.upper()]


def code_name(code: int) -> str:
    """A result code in words."""
    known = {int(result): result.name.lower().replace("_", " ") for result in SubChunkResult}
    return known.get(code, "a code that no protocol names")


def facts_of(session: Session, block: BlockPos, now: float, outlook: Outlook | None = None) -> Facts:
    """Gathers them.

    Args:
        session: read only.
        block: inside the dimension.
        now: the session's monotonic seconds.
        outlook: what a picture would make of it.
    """
    return _Place(session, block, now).facts(outlook)


class _Place:
    """One look at one place."""

    def __init__(self, session: Session, block: BlockPos, now: float) -> None:
        self._session = session
        self._store = session.store
        self._block = block
        self._at = block.subchunk
        self._now = now
        self._row = self._store.row_of.get(block.column)
        self._place = self._store.place_of(block.subchunk)
        announced = self._row is not None
        self._state = Knowledge(int(self._store.state[self._place])) if announced else Knowledge.UNKNOWN
        self._events = self._store.history.of(self._place) if announced else ()

    def facts(self, outlook: Outlook | None) -> Facts:
        store, announced = self._store, self._row is not None
        code = int(store.refusal[self._place]) if announced else 0
        named = bool(code) or self._state is Knowledge.REFUSED
        hidden = shown_in(self._state) == "placeholder"
        top = (
            int(store.height_map(self._block.column)[(self._block.z & 15) << 4 | self._block.x & 15])
            if announced
            else None
        )
        return Facts(
            block=self._block,
            subchunk=self._at,
            dimension=store.dimension.name,
            now_s=self._seconds(self._now),
            state=self._state.name.lower(),
            shown=shown_in(self._state),
            since_s=self._seconds(float(store.since[self._place])) if announced and store.since[self._place] else None,
            code=(code, code_name(code)) if named else None,
            fault=store.history.fault(self._place) if announced else None,
            faults=self._faults(),
            history=tuple(self._happening(event) for event in self._events),
            history_lost=store.history.lost(self._place) if announced else 0,
            column=self._column(self._row) if self._row is not None else None,
            request=self._request() if announced else None,
            want=self._want(),
            height_verdict=store.height_verdict_of(self._at).name.lower(),
            surface_y=None if top is None or top == UNKNOWN_TOP else top,
            states=(0, ()) if hidden else self._palette(store.blocks_of(self._at)),
            layer1_states=(0, ()) if hidden else self._palette(store.layer1_of(self._at)),
            block_facts=None if hidden else self._block_facts(),
            light=self._light() if announced else None,
            waiting=self._waiting(),
            entities=len(store.block_entities(self._block.column)),
            revision=int(store.revision[self._place]) if announced else 0,
            placeholders_beside=self._placeholders_beside() if announced else 0,
            outlook=outlook,
        )

    def _seconds(self, at: float) -> float:
        return round(at - self._session.started_at, 3)

    def _happening(self, event: Event) -> Happening:
        told = event.packet != NO_PACKET
        return Happening(
            at_s=self._seconds(event.time_s),
            packet=event.packet if told else None,
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
        announced = [e for e in self._events if PACKETS.get(e.cause) == "LevelChunk"]
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
            biome_name=None if biome == UNKNOWN_BIOME else name_of(biome, self._session.biome_names),
            biomes=len(np.unique(biomes)) if biome != UNKNOWN_BIOME else 0,
            missing_around=int((store.column_neighbours[row] == 0).sum()),
            stale=bool(self._session.stale[row]),
        )

    def _request(self) -> RequestFacts | None:
        entry = self._session.ledger.entries.entry(self._place)
        if entry is None:
            return None
        due_s = None if entry.due is None else self._seconds(entry.due)
        asked_s = self._seconds(entry.asked_at)
        return RequestFacts(STATUSES[entry.status], entry.asked, asked_s, entry.tries, entry.silences, due_s)

    def _want(self) -> WantFacts:
        session, column = self._session, self._block.column
        at = np.array([column], np.int32)
        away = session.player.column.chebyshev(column)
        return WantFacts(
            in_plan=self._row is not None and self._place in session.wanted_places,
            ticking=away <= session.config.limits.ticking_radius,
            anchors=tuple(name for name, anchor in session.anchors.items() if anchor.holds(at)[0]),
            player=session.player,
            away_columns=away,
            radius_columns=session.radius + 1,
            in_circle=session.in_circle(column),
            paused=session.ledger.paused,
            phase=session.phase.value,
            closed=session.closed_reason,
        )

    def _palette(self, dense: BlockIds) -> tuple[int, tuple[tuple[str, int], ...]]:
        counted = Counter(dense.tolist())
        named = tuple((str(self._store.table.states[one]), count) for one, count in counted.most_common(MOST_STATES))
        return len(counted), named

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
            small_value=int(store.small_values_of(self._at)[block.in_subchunk]),
            entity=store.block_entity(block),
            mined=None if cracking is None else round(cracking.progress(self._now), 3),
            events=tuple((self._seconds(e.time_s), e.packet, e.what, e.times) for e in self._session.events.at(block)),
        )

    def _light(self) -> LightFacts:
        light, store = self._session.light, self._store
        value = light.at(self._place, self._block.in_subchunk)
        final = self._row is not None and light.final_at(store, self._place)
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
        """Faults of this sub-chunk, and of its column's packet, which are told of its lowest one."""
        column = ColumnPos(self._at.x, self._at.z)
        lowest = SubChunkPos(column.x, self._store.dimension.floor_section, column.z)
        starts = f"{tuple(self._at)}:", f"{tuple(lowest)}:", f"LevelChunk.column {tuple(column)}:"
        kept = self._session.stats(self._now).terrain.last_faults
        return tuple(fault for fault in kept if fault.startswith(starts))
