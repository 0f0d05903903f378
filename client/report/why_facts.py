"""The values that ``why`` collects of one block's sub-chunk: frozen and plain, ready for JSON.

Rules:
1. Times are seconds since the session was made, so they also apply to a recording; None: never.
2. Unknown values are None or empty, never guessed; ``why_text`` draws conclusions.
3. The last ``KEPT`` events are included (``client.world.history``), older ones are counted.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from client.entities.table import EntityRow
from client.player import Eye
from client.world.lifecycle import SubChunkState
from net.bedrock import SubChunkResult
from net.space import BlockPos, SubChunkPos


class DrawDiagnosis(NamedTuple):
    """The renderer's view of a place."""

    meshed: bool  # whether a part of the sub-chunk would be drawn
    told: str  # the same in words, with the reason
    # why known blocks are missing or wrong in the picture, else empty. Its first word is the kind: Unmeshed, Unlit.
    lacks: str = ""


class PastEvent(msgspec.Struct, frozen=True):
    """One thing that happened to the sub-chunk."""

    at_s: float  # when; of a repeated one the last time
    packet: int | None  # number of the server's packet that caused it, from 1 (--moment '#N'); None: chunkscope did it
    packet_name: str | None  # its type; None where several types do this (block changes)
    cause: str  # an event of docs/reference/states.md in lower case
    before: str  # the state before it
    after: str  # the state after it
    code: int | None  # result code of the answer; None where it is not an answer
    code_name: str | None  # what that code means
    times: int  # how often it happened without another change of state between


class ColumnFacts(msgspec.Struct, frozen=True):
    """The sub-chunk's column."""

    announced_s: float | None  # the last time; None if the event is no longer kept
    limit_section: int | None  # highest sub-chunk to request, absolute y; None if the skeleton had none
    limit: int | None  # the same as received, counted from the floor
    whole: bool  # whether it came whole, so that nothing of it can be requested
    excess_bytes: int  # bytes behind its border blocks, which were ignored
    biome: int | None  # biome id at the block; None if unknown
    biome_name: str | None  # the server's or the game's name; None if unknown
    biomes: int  # number of different biomes in its sub-chunk
    missing_around: int  # columns of the eight around it that are not announced
    stale: bool  # whether the server does not keep it up to date, since the player is too far away


class RequestFacts(msgspec.Struct, frozen=True):
    """The requests for it."""

    status: str  # free (no answer is outstanding), outstanding, waiting (will be requested again) or closed (will not)
    requested: int  # how often it was requested
    last_requested_s: float  # when, the last time
    tries: int  # answers with code 0 or 2, which mean that it may be requested again
    silences: int  # requests that were not answered in time
    due_s: float | None  # when it may be requested again; None where nothing is waited for
    late: bool = False  # whether a request was not answered in time, and no answer for this sub-chunk came since


class WantFacts(msgspec.Struct, frozen=True):
    """Where the player is, and why the sub-chunk is requested or not."""

    in_plan: bool  # whether it is to be requested now
    ticking: bool  # whether its column is in the ticking area around the player, which is always requested
    anchors: tuple[str, ...]  # names of the anchors over its column
    player: Eye  # the player's eye in blocks
    away_columns: int  # from the player's column, the larger of both axes
    radius_columns: int  # the granted radius (ChunkRadiusUpdated)
    in_circle: bool | None  # whether the server's circle holds its column; None before the first circle
    published_blocks: int | None  # radius of the server's circle; None before the first
    away_blocks: float | None  # from the circle's centre to the column's; None before the first
    join_fault: str  # the missing or wrong step of the join; else empty
    paused: bool  # whether requests pause, since the server does not know the player
    phase: str  # of the session; playing once the player is in
    closed: str | None  # why the session ended; None while it runs
    around: int = 0  # how many of the eight columns around it are announced


class ChangeFacts(msgspec.Struct, frozen=True):
    """One change of the block, as received."""

    at_s: float  # when
    packet: int  # number of the server's packet, from 1
    layer: int  # 0, or 1: the second layer
    block: str  # name of the new block; empty if the palette lacks it
    actor_id: int  # unique id of the entity that did it; 0 where the packet names none
    actor: str  # its name or type; empty if unknown
    unchanged: bool = False  # the block was there before: servers correct builds that they refuse so


class BlockFacts(msgspec.Struct, frozen=True):
    """The block and its data."""

    name: str  # of its first layer
    states: Mapping[str, int | str | bool]  # its state values
    runtime_id: int | None  # the wire's id, or None
    layer1_name: str  # of the second layer
    layer1_states: Mapping[str, int | str | bool]  # likewise
    further: tuple[str, ...]  # its states in the third and later layers, which are never drawn
    small_value: int  # the byte of sub-chunk versions that have one
    entity: Mapping[str, Any] | None  # its block entity; None where there is none
    mined: float | None  # broken share, 0..1; None without cracks
    # events and sounds at the block: (seconds, packet, name, times) each
    events: tuple[tuple[float, int, str, int], ...]
    changes: tuple[ChangeFacts, ...] = ()  # oldest first, of the last ones of the session


class LightFacts(msgspec.Struct, frozen=True):
    """Light of the block, 0..15 each; ``final`` if nothing in the 3 x 3 columns can change it."""

    red: int  # of lamps
    green: int  # likewise
    blue: int  # likewise
    daylight: int  # of the sky
    final: bool  # whether nothing that is missing can change it


class WhyFacts(msgspec.Struct, frozen=True):
    """All that is known of a block and its sub-chunk."""

    block: BlockPos  # the block to explain
    subchunk: SubChunkPos  # its sub-chunk, in steps of 16 blocks
    dimension: str  # its name
    protocol: int  # the protocol number in use
    now_s: float  # time of these facts
    state: str  # a state of docs/reference/states.md
    shown: str  # what is shown there: its blocks, its older blocks, air, placeholder
    since_s: float | None  # since when; None if it never changed
    code: tuple[int, str] | None  # the last failed result code, with its name, or None
    fault: str | None  # why it is undecodable, with packet, field and offset
    faults: tuple[str, ...]  # other faults of its column that are still kept
    history: tuple[PastEvent, ...]  # oldest first
    history_lost: int  # older events, which are not known any more
    column: ColumnFacts | None  # None where it is not announced
    request: RequestFacts | None  # None where it was never requested
    want: WantFacts  # where the player is, and why it is requested or not
    # how its last height map fits its blocks: none_said, unchecked, agrees, a kind of agrees_..., or contradicts
    height_verdict: str
    surface_y: int | None  # one above the top block of the block's column that dims light; None where unknown
    # how many block states it holds, and the most frequent with the number of blocks
    states: tuple[int, tuple[tuple[str, int], ...]]
    layer1_states: tuple[int, tuple[tuple[str, int], ...]]  # of the second layer, without air
    unknown_ids: int  # number of ids of its first layer that the palette of the protocol lacks
    block_facts: BlockFacts | None  # None if it shows a placeholder
    light: LightFacts | None  # as computed so far; None if its column is not announced
    waiting: tuple[tuple[int, int, int, int, str], ...]  # changes that wait for its blocks: (x, y, z, layer, name) each
    entities: int  # block entities in its column
    revision: int  # grows with each change of what it shows; 0 before the first
    placeholders_beside: int  # how many of the six sub-chunks beside it have unknown blocks
    outlook: DrawDiagnosis | None  # what a picture would make of it; None where nobody who draws was asked
    standing: tuple[EntityRow, ...] = ()  # entities whose feet are in it, the first ones

    @property
    def knowledge(self) -> SubChunkState:
        return SubChunkState[self.state.upper()]


def code_name(code: int) -> str:
    """A result code in words."""
    known = {int(result): result.name.lower().replace("_", " ") for result in SubChunkResult}
    return known.get(code, "a code that no protocol defines")
