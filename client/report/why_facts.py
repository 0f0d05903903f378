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
from client.world.lifecycle import Knowledge
from net.bedrock import SubChunkResult
from net.space.positions import BlockPos, SubChunkPos


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


class Happening(msgspec.Struct, frozen=True):
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


class ColumnFacts(msgspec.Struct, frozen=True):
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
        stale: whether the server does not keep it up to date (``client.session.publisher_area``).
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


class RequestFacts(msgspec.Struct, frozen=True):
    """What was asked: the ledger's entry, see ``client.streaming.ledger.Entry``."""

    status: str
    asked: int
    last_asked_s: float
    tries: int
    silences: int
    due_s: float | None


class WantFacts(msgspec.Struct, frozen=True):
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


class BlockFacts(msgspec.Struct, frozen=True):
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


class LightFacts(msgspec.Struct, frozen=True):
    """Light of the block, 0..15 each; ``final`` when nothing of the 3 x 3 columns can change it."""

    red: int
    green: int
    blue: int
    daylight: int
    final: bool


class Facts(msgspec.Struct, frozen=True):
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
