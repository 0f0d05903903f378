"""StartGame: the world, the player's start, and tables of the server's own (wire.md 2.8).

Rules:
1. The class has every field that any release has had, in wire order. Few of them matter to a viewer, but all before
   those must be read exactly: a field's length is known only by reading it.
2. A fault after the world's time is not fatal: the message keeps the fields before it and has the fault in
   ``tail_fault``.
3. Attributes that a release does not send have their default; ``movement_mode`` is then the server's, as in the
   vendor's client from protocol 818 on.

Game rules: an integer rule is an unsigned varint (minecraft-data says zigzag before 844, two others unsigned; the
length is the same). From 2168 on it is four bytes.

Join information: the vendor's services' data about a server. A viewer reads it only to reach the fields after it.
"""

from typing import Annotated, Final

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.bedrock.packets.resource_packs import EXPERIMENTS, Experiment
from net.nbt import ROOT, Compound
from net.releases import HASHED_IDS
from net.space import BlockPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    ANGLE,
    BLOCK_POS,
    BOOL,
    F32LE,
    I16LE,
    I32LE,
    I64LE,
    NO_UUID,
    POSITION,
    STRING,
    U8,
    U64LE,
    UUID,
    UV32,
    UV64,
    ZZ32,
    ZZ64,
    Dialect,
    Field,
    Kind,
    by_dialect,
    listed,
    optional,
    record,
    wire,
)

__all__ = ["CustomBlock", "GameRule", "Gathering", "ItemType", "JoinInfo", "Presence", "StartGame", "StoreEntry"]


class GameRule(msgspec.Struct, frozen=True):
    """One game rule."""

    name: str  # as commands spell it, in lower case
    editable: bool  # whether players may change it
    value: bool | int | float  # on or off, a number of at least 0, or a fraction


_RULE_BOOL: Final = 1
_RULE_INT: Final = 2
_RULE_FLOAT: Final = 3


def _rule(dialect: Dialect) -> Kind[GameRule]:
    whole = I32LE if dialect.protocol >= 2168 else UV32

    def read(reader: Reader) -> GameRule:
        name, editable, start, form = reader.string(), reader.boolean(), reader.offset, reader.uv32()
        if form == _RULE_BOOL:
            return GameRule(name, editable, reader.boolean())
        if form == _RULE_INT:
            return GameRule(name, editable, whole.read(reader))
        if form == _RULE_FLOAT:
            return GameRule(name, editable, reader.f32le())
        raise reader.fault(f"does not support a game rule of kind {form}", start)

    def write(writer: Writer, rule: GameRule) -> None:
        writer.string(rule.name)
        writer.boolean(rule.editable)
        if isinstance(rule.value, bool):
            writer.uv32(_RULE_BOOL)
            writer.boolean(rule.value)
        elif isinstance(rule.value, int):
            writer.uv32(_RULE_INT)
            whole.write(writer, rule.value)
        else:
            writer.uv32(_RULE_FLOAT)
            writer.f32le(rule.value)

    return Kind(read, write, 4)


GAME_RULES: Final = listed(by_dialect(_rule), UV32)


class CustomBlock(msgspec.Struct, frozen=True):
    """A block that the server defines. It takes part in the sorting of the palette (wire.md 6.1)."""

    name: Annotated[str, STRING]  # with its namespace
    nbt: Annotated[Compound, ROOT] = {}  # its properties and components


class ItemType(msgspec.Struct, frozen=True):
    """An entry of the item table."""

    name: Annotated[str, STRING]  # with its namespace
    number: Annotated[int, I16LE]  # runtime id
    component_based: Annotated[bool, BOOL] = False  # whether the server defines it


CUSTOM_BLOCKS: Final = listed(record(CustomBlock), UV32)
ITEMS: Final = listed(record(ItemType), UV32)

TEXT_OR_NONE = optional(STRING)
UUID_OR_NONE = optional(UUID)


class Gathering(msgspec.Struct, frozen=True):
    """An event that players are invited to; its optional texts may be missing from protocol 2168 on."""

    experience_id: Annotated[str, wire(STRING, until=944), wire(UUID, since=944)] = NO_UUID
    experience_name: Annotated[str, STRING] = ""  # of the event
    world_id: Annotated[
        str | None, wire(STRING, until=944), wire(UUID, since=944, until=2168), wire(UUID_OR_NONE, since=2168)
    ] = NO_UUID
    # of its world
    world_name: Annotated[str | None, wire(STRING, until=2168), wire(TEXT_OR_NONE, since=2168)] = ""
    creator_id: Annotated[str, STRING] = ""  # its creator
    store_id: Annotated[str, wire(STRING, until=944)] = ""
    target_id: Annotated[str | None, wire(UUID, since=944, until=2168), wire(UUID_OR_NONE, since=2168)] = NO_UUID
    # of its scenario
    scenario_id: Annotated[str | None, wire(STRING, since=944, until=2168), wire(TEXT_OR_NONE, since=2168)] = ""
    # of its server
    server_id: Annotated[str | None, wire(STRING, since=944, until=2168), wire(TEXT_OR_NONE, since=2168)] = ""


class StoreEntry(msgspec.Struct, frozen=True):
    """A page of the vendor's shop."""

    identifier: Annotated[str, STRING]  # of the page
    name: Annotated[str, STRING]  # of the page


class Presence(msgspec.Struct, frozen=True):
    """The presence text that friends see."""

    experience_name: Annotated[str | None, wire(STRING, until=1001), wire(TEXT_OR_NONE, since=1001)] = (
        ""  # of the event
    )
    world_name: Annotated[str | None, wire(STRING, until=1001), wire(TEXT_OR_NONE, since=1001)] = ""  # of its world
    rich_id: Annotated[str | None, wire(TEXT_OR_NONE, since=1001)] = None  # of the text


GATHERING = record(Gathering)
GATHERING_OR_NONE = optional(GATHERING)


class JoinInfo(msgspec.Struct, frozen=True):
    """The join information."""

    gathering: Annotated[Gathering | None, GATHERING_OR_NONE] = None  # an event, or None
    store: Annotated[StoreEntry | None, wire(optional(record(StoreEntry)), since=944)] = None
    presence: Annotated[Presence | None, wire(optional(record(Presence)), since=944)] = None


JOIN_INFO = record(JoinInfo)
JOIN_INFO_OR_NONE = optional(JOIN_INFO)

EXPERIMENTAL: Final = optional(BOOL)

ORIGIN: Final = BlockPos(0, 0, 0)


MOVED: Final = (
    Field("server_id", STRING, since=924),
    Field("scenario_id", STRING, since=924),
    Field("world_id", STRING, since=924),
    Field("owner_id", STRING, since=924),
)
"""Fields that stand at the end from protocol 924 on."""


@packet(11, Sender.SERVER, required="time", moved=MOVED)
class StartGame(Message, frozen=True, kw_only=True):
    """The start of the game."""

    entity_unique_id: Annotated[int, ZZ64]  # the player's, permanent
    runtime_id: Annotated[int, UV64]  # the player's, in this session; other packets use it
    game_mode: Annotated[int, ZZ32] = 1  # 0 survival, 1 creative, 2 adventure, 5 the world's, 6 spectator
    position: Annotated[tuple[float, float, float], POSITION]  # eyes
    pitch: Annotated[float, ANGLE] = 0.0  # degrees, positive = down
    yaw: Annotated[float, ANGLE] = 0.0  # degrees, 0 = +Z, 90 = -X
    seed: Annotated[int, wire(ZZ32, until=503), wire(U64LE, since=503)] = 0  # of the world's generator
    biome_kind: Annotated[int, I16LE] = 0  # 0 = default biomes
    biome_name: Annotated[str, STRING] = "plains"  # for user-defined biomes
    dimension: Annotated[int, ZZ32] = 0  # 0 overworld, 1 nether, 2 end
    generator: Annotated[int, ZZ32] = 1  # 1 = infinite
    world_game_mode: Annotated[int, ZZ32] = 1  # of new players
    hardcore: Annotated[bool, wire(BOOL, since=671)] = False  # whether death is permanent
    difficulty: Annotated[int, ZZ32] = 0  # 0 peaceful .. 3 hard
    spawn: Annotated[BlockPos, BLOCK_POS] = ORIGIN  # of the world
    achievements_disabled: Annotated[bool, BOOL] = True
    # 0 no editor, 1 a project, 2 a test of one
    editor: Annotated[int, wire(U8, since=534, until=618), wire(ZZ32, since=618)] = 0
    created_in_editor: Annotated[bool, wire(BOOL, since=582)] = False
    exported_from_editor: Annotated[bool, wire(BOOL, since=582)] = False  # whether the editor exported it
    day_cycle_lock: Annotated[int, ZZ32] = 0
    education_offer: Annotated[int, wire(ZZ32, until=2168), wire(UV32, since=2168)] = 0
    education: Annotated[bool, BOOL] = False
    education_product: Annotated[str, STRING] = ""
    rain: Annotated[float, F32LE] = 0.0  # 0..1
    lightning: Annotated[float, F32LE] = 0.0  # 0..1
    platform_locked: Annotated[bool, BOOL] = False
    multiplayer: Annotated[bool, BOOL] = True
    lan_broadcast: Annotated[bool, BOOL] = True
    xbox_broadcast: Annotated[int, ZZ32] = 4
    platform_broadcast: Annotated[int, ZZ32] = 4
    commands: Annotated[bool, BOOL] = True
    packs_required: Annotated[bool, BOOL] = False
    game_rules: Annotated[tuple[GameRule, ...], GAME_RULES] = ()
    experiments: Annotated[tuple[Experiment, ...], EXPERIMENTS] = ()
    experiments_used: Annotated[bool, BOOL] = False
    bonus_chest: Annotated[bool, BOOL] = False
    start_map: Annotated[bool, BOOL] = False
    permission: Annotated[int, wire(ZZ32, until=534), wire(U8, since=534)] = 1
    tick_range: Annotated[int, I32LE] = 4  # radius in columns around a player that is ticked
    locked_behaviours: Annotated[bool, BOOL] = False
    locked_resources: Annotated[bool, BOOL] = False
    locked_template: Annotated[bool, BOOL] = False
    msa_tags_only: Annotated[bool, BOOL] = False
    from_template: Annotated[bool, BOOL] = False
    template_options_locked: Annotated[bool, BOOL] = False
    v1_villagers_only: Annotated[bool, BOOL] = False
    persona_disabled: Annotated[bool, wire(BOOL, since=544)] = False
    custom_skins_disabled: Annotated[bool, wire(BOOL, since=544)] = False  # whether all players look alike
    emote_chat_muted: Annotated[bool, wire(BOOL, since=567)] = False
    base_version: Annotated[str, STRING] = "*"  # game whose rules apply, ``*`` for the newest
    limited_width: Annotated[int, I32LE] = 0
    limited_depth: Annotated[int, I32LE] = 0
    new_nether: Annotated[bool, BOOL] = True
    education_button: Annotated[str, STRING] = ""
    education_link: Annotated[str, STRING] = ""
    experimental: Annotated[bool | None, EXPERIMENTAL] = None
    chat_restriction: Annotated[int, wire(U8, since=544)] = 0  # 0 none, 1 dropped, 2 disabled
    interactions_disabled: Annotated[bool, wire(BOOL, since=544)] = False  # of players
    editor_connections: Annotated[int, wire(ZZ32, since=1001)] = 0  # who may join an editor's world
    anonymous_drops: Annotated[bool, wire(BOOL, since=1001)] = False  # of blocks in such worlds
    server_id: Annotated[str, wire(STRING, since=685, until=924)] = ""
    world_id: Annotated[str, wire(STRING, since=685, until=924)] = ""  # of the vendor's
    scenario_id: Annotated[str, wire(STRING, since=685, until=924)] = ""  # of the vendor's
    owner_id: Annotated[str, wire(STRING, since=818, until=924)] = ""
    level_id: Annotated[str, STRING] = ""  # identifier, used for files
    world_name: Annotated[str, STRING] = ""  # displayed name
    template_id: Annotated[str, STRING] = ""
    trial: Annotated[bool, BOOL] = False
    # 0 by the client, 1 by the server, 2 by the server with rewind
    movement_mode: Annotated[int, wire(ZZ32, until=818)] = 2
    rewind_size: Annotated[int, ZZ32] = 0
    server_breaks_blocks: Annotated[bool, BOOL] = False
    time: Annotated[int, I64LE] = 0  # of the world, in ticks
    enchantment_seed: Annotated[int, ZZ32] = 0
    custom_blocks: Annotated[tuple[CustomBlock, ...], CUSTOM_BLOCKS] = ()  # blocks that the server defines
    items: Annotated[tuple[ItemType, ...], wire(ITEMS, until=776)] = ()  # the item table
    correlation_id: Annotated[str, STRING] = ""
    server_inventory: Annotated[bool, BOOL] = True
    engine: Annotated[str, STRING] = ""
    properties: Annotated[Compound, wire(ROOT, since=527)] = msgspec.field(default_factory=dict)  # of entities
    block_checksum: Annotated[int, U64LE] = 0  # of the palette, 0 = not checked
    template_uuid: Annotated[str, wire(UUID, since=527)] = NO_UUID
    client_generates: Annotated[bool, wire(BOOL, since=544)] = False  # whether the client generates columns itself
    # whether block ids are hashes of states, not indices (wire.md 6.2)
    ids_are_hashes: Annotated[bool, wire(BOOL, since=HASHED_IDS)] = False
    ticks_death: Annotated[bool, wire(BOOL, since=827, until=898)] = False
    server_sounds: Annotated[bool, wire(BOOL, since=589)] = False  # whether the server makes all sounds
    chat_logged: Annotated[bool, wire(BOOL, since=1001, until=2168)] = False
    join_info: Annotated[JoinInfo | None, wire(JOIN_INFO_OR_NONE, since=924)] = None
    tail_fault: str | None = None  # the fault that ended decoding early, or None
