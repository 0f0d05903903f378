"""Everything that is known of one block's sub-chunk: frozen plain values, ready for JSON (``why`` makes them).

Rules:
1. Times are seconds since the session was made, so that they are those of a recording as well; None: never.
2. Nothing is guessed: what nobody told is None or empty. What follows from it is said in ``why_text``.
3. The last ``KEPT`` things that happened are known (``client.world.history``), older ones are counted.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from client.player import Eye
from client.report.entities import EntityRow
from client.world.lifecycle import SubChunkState
from net.bedrock import SubChunkResult
from net.space import BlockPos, SubChunkPos


class DrawDiagnosis(NamedTuple):
    """What whoever draws would make of the place."""

    meshed: bool  # whether anything of the sub-chunk would be drawn
    told: str  # the same in words, with the reason
    # why blocks that are here are not in the picture, or not as they should be; empty where they are. Its first
    # word says which: Unmeshed, Unlit.
    lacks: str = ""


class PastEvent(msgspec.Struct, frozen=True):
    """One thing that happened to the sub-chunk, as ``client.world.history.SubChunkEvent``."""

    at_s: float
    packet: int | None  # number of the server's packet that caused it, from 1 (--at-time '#N')
    packet_name: str | None
    cause: str
    before: str
    after: str
    code: int | None
    code_name: str | None
    times: int


class ColumnFacts(msgspec.Struct, frozen=True):
    """Its column."""

    announced_s: float | None  # when, the last time; None where older events than are kept told it
    limit_section: int | None  # highest sub-chunk to ask for, absolute y; None where the skeleton named none
    limit: int | None  # the same as it came, counted from the floor
    whole: bool  # whether it came whole, so that nothing of it can be asked for
    excess_bytes: int  # bytes behind its border blocks, which were ignored
    biome: int | None  # biome id at the block; None where nobody said
    biome_name: str | None  # its name, the server's or the game's; None where nobody named it
    biomes: int  # how many different ones its sub-chunk has
    missing_around: int  # columns of the eight around it that are not announced
    stale: bool  # whether the server does not keep it up to date (``client.session.publisher_area``)


class RequestFacts(msgspec.Struct, frozen=True):
    """What was asked: the ledger's entry, see ``client.streaming.ledger.RequestEntry``."""

    status: str
    asked: int
    last_asked_s: float
    tries: int
    silences: int
    due_s: float | None


class WantFacts(msgspec.Struct, frozen=True):
    """Who wants it, and from where."""

    in_plan: bool  # whether the planner wants it now
    ticking: bool  # whether its column lies in the ticking area around the player, which is asked without being seen
    anchors: tuple[str, ...]  # names of the anchors that were pinned over its column
    player: Eye  # the player's eye in blocks
    away_columns: int  # from the player's column, Chebyshev
    radius_columns: int  # what the server granted, and one more
    in_circle: bool | None  # whether the server's circle holds its column; None while it named none
    published_blocks: int | None  # radius of the server's circle; None while it named none
    away_blocks: float | None  # from the circle's centre to the column's; None likewise
    join_fault: str  # the step of the join that is missing or wrong; empty where none is
    paused: bool  # whether requests pause, since the server does not know the player
    phase: str  # of the session
    closed: str | None  # why the session is over; None while it is not


class ChangeFacts(msgspec.Struct, frozen=True):
    """One change of the block, as the server told it."""

    at_s: float
    packet: int  # the how manyth of the server's, from 1
    layer: int
    block: str  # name of what it became; empty where the palette lacks it
    actor_id: int  # unique id of the entity that did it; 0 where the packet names none
    actor: str  # its name or type; empty where nobody is known


class BlockFacts(msgspec.Struct, frozen=True):
    """The block itself, and what is attached to it."""

    name: str  # of its first layer
    states: Mapping[str, int | str | bool]  # its state values; likewise those of the second layer
    runtime_id: int | None  # the wire's; None where it has none
    layer1_name: str  # of the second layer
    layer1_states: Mapping[str, int | str | bool]
    further: tuple[str, ...]  # its states in the third and later layers, which are never drawn
    small_value: int  # the byte of sub-chunk versions that have one
    # its block entity; None without
    entity: Mapping[str, Any] | None  # Any: NBT
    mined: float | None  # share that is broken, 0..1; None where nobody digs
    # what events and sounds told of it: (seconds, packet, name, times) each
    events: tuple[tuple[float, int, str, int], ...]
    changes: tuple[ChangeFacts, ...] = ()  # oldest first, of the last ones of the session


class LightFacts(msgspec.Struct, frozen=True):
    """Light of the block, 0..15 each; ``final`` when nothing of the 3 x 3 columns can change it."""

    red: int
    green: int
    blue: int
    daylight: int
    final: bool


class WhyFacts(msgspec.Struct, frozen=True):
    """All of it."""

    block: BlockPos  # that was asked for
    subchunk: SubChunkPos  # that holds it
    dimension: str  # its name
    now_s: float  # when this was so
    state: str  # a SubChunkState in lower case
    shown: str  # what is shown there: its blocks, its older blocks, air, placeholder
    since_s: float | None  # when it became so; None where it never changed
    code: tuple[int, str] | None  # the last result code that was a failure, with its name; None where there was none
    fault: str | None  # why it is undecodable, with packet, field and offset
    faults: tuple[str, ...]  # what else of its column made no sense, as far as it is still known
    history: tuple[PastEvent, ...]  # oldest first
    history_lost: int  # older events, which are not known any more
    column: ColumnFacts | None  # None where it is not announced
    request: RequestFacts | None  # None where it was never asked
    want: WantFacts  # who wants it
    height_verdict: str  # of its last height map against its blocks
    surface_y: int | None  # one above the top block of the block's column that dims light; None where unknown
    # how many block states it holds, and the most frequent with the number of blocks
    states: tuple[int, tuple[tuple[str, int], ...]]
    layer1_states: tuple[int, tuple[tuple[str, int], ...]]  # likewise of the second layer, air alone left out
    unknown_ids: int  # how many different ids of its first layer the palette of the protocol does not know
    block_facts: BlockFacts | None  # None where it shows a placeholder
    light: LightFacts | None  # as made so far; None where its column is not announced
    waiting: tuple[tuple[int, int, int, int, str], ...]  # changes that wait for its blocks: (x, y, z, layer, name) each
    entities: int  # block entities in its column
    revision: int  # of what it shows; 0 before the first
    placeholders_beside: int  # of the six places beside it those that show placeholders
    outlook: DrawDiagnosis | None  # what a picture would make of it; None where nobody who draws was asked
    standing: tuple[EntityRow, ...] = ()  # entities whose feet are in it, the first ones

    @property
    def knowledge(self) -> SubChunkState:
        """The state as a number."""
        return SubChunkState[self.state.upper()]


def code_name(code: int) -> str:
    """A result code in words."""
    known = {int(result): result.name.lower().replace("_", " ") for result in SubChunkResult}
    return known.get(code, "a code that no protocol defines")
